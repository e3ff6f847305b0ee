//! Launches that `LAUNCHSITE_BUDGET` leaves out: which, and that they are counted.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail so")]

use std::collections::BTreeMap;

use launchsite_tests::{Records, scenario};
use serde_json::json;

/// What was left out of each function.
fn left_out(records: &Records) -> BTreeMap<&str, u64> {
    let function = |name: &serde_json::Value| name.as_str().unwrap().split(' ').next().unwrap().len();
    let one = |record: &&serde_json::Value| function(&record["name"]);
    let records = records.of("sampled_out");
    records
        .into_iter()
        .map(|record| (&record["name"].as_str().unwrap()[..one(&record)], record["count"].as_u64().unwrap()))
        .collect()
}

/// How many launches of a function were timed.
fn timed(records: &Records, function: &str) -> u64 {
    let launches = records.launches();
    launches.iter().filter(|launch| launch["function"] == function && launch["mode"] == "timed").count() as u64
}

#[test]
fn every_sixteenth_of_a_site_is_timed_and_the_others_are_counted() {
    let run = scenario!("hot_and_rare", 1000, 100).env("LAUNCHSITE_BUDGET", "1/16").out().run().success();
    let records = run.records();
    assert_eq!(run.said("result"), 1010);
    assert_eq!(records.launches().len(), 63 + 1);
    assert_eq!((timed(&records, "sites::saxpy"), timed(&records, "nn::relu")), (63, 1));
    assert_eq!(left_out(&records), [("nn::relu", 9), ("sites::saxpy", 937)].into());
    let end = records.end();
    assert_eq!((&end["launches"], &end["sampled_out"]), (&json!(1010), &json!(946)));
    // The table counts all, and has times of those alone that were timed.
    let mut rows = run.all_said("row");
    rows.sort_by_key(ToString::to_string);
    assert_eq!(rows, [json!(["nn::relu", 10, 1, 9]), json!(["sites::saxpy", 1000, 63, 937])]);
    assert!(run.said("table").as_str().unwrap().contains("946 left out by LAUNCHSITE_BUDGET"));
}

#[test]
fn a_launch_that_is_left_out_has_its_range() {
    let run = scenario!("hot_and_rare", 100, 50).env("LAUNCHSITE_BUDGET", "1/16").tool().out().run().success();
    let calls = run.calls();
    calls.check_balance();
    assert_eq!(calls.pushed().len(), 102);
    let mut numbers: Vec<_> = calls.of("push").iter().map(|push| push["payload"].as_u64()).collect();
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), 102, "each has its number");
    assert_eq!(run.records().end()["sampled_out"], 100 - 7 + 2 - 1);
}

#[test]
fn threads_do_not_each_begin_anew() {
    for (threads, launches, order) in [(160, 1, "in_turn"), (8, 160, "in_turn"), (8, 160, "at_once")] {
        let run = scenario!("hot_threads", threads, launches, order).env("LAUNCHSITE_BUDGET", "1/16").out();
        let run = run.run().success();
        let records = run.records();
        let all = threads * launches;
        assert_eq!(records.end()["launches"], all, "{order}");
        assert_eq!(timed(&records, "sites::saxpy"), all / 16, "{threads} threads of {launches}, {order}");
    }
}

#[test]
fn under_a_share_few_are_timed_of_what_is_hot_and_the_first_of_each() {
    let run = scenario!("hot_and_rare", 20_000, 5000).env("LAUNCHSITE_BUDGET", "1%").out().run().success();
    let records = run.records();
    assert_eq!((timed(&records, "nn::relu"), left_out(&records).get("nn::relu")), (4, None));
    let hot = timed(&records, "sites::saxpy");
    assert!((4..2000).contains(&hot), "{hot} of 20000");
    let first: Vec<_> = records
        .launches()
        .iter()
        .filter(|launch| launch["function"] == "sites::saxpy")
        .take(4)
        .map(|launch| launch["number"].as_u64().unwrap())
        .collect();
    assert!(first.windows(2).all(|two| two[1] > two[0]), "{first:?}");
    assert_eq!(records.end()["launches"], 20_004);
}

#[test]
fn what_timing_adds_stays_below_the_share() {
    let run = scenario!("launch_bound", 3000).env("LAUNCHSITE_BUDGET", "1%").out().run().success();
    let records = run.records();
    let number = |launch: &serde_json::Value, key: &str| launch[key].as_u64().unwrap();
    let launches = records.launches();
    // Launches that a busy machine interrupts are long: the median stands for each.
    let mut added: Vec<_> = launches.iter().map(|launch| number(launch, "overhead_ns")).collect();
    added.sort_unstable();
    let added = added[added.len() / 2] * added.len() as u64;
    let whole = number(launches.last().unwrap(), "stop_ns") - number(launches[0], "stop_ns");
    assert!(added * 100 <= whole, "{added} ns of {whole}, {} of 3000 timed", launches.len());
}

#[test]
fn a_budget_changes_no_result_and_loses_no_launch_in_any_kind_of_program() {
    for name in [
        "saxpy",
        "two_sites",
        "generic",
        "nested",
        "from_threads",
        "async_tasks",
        "question_mark",
        "panics",
        "panic_in_launch",
        "launch_fails",
        "every_mode",
        "capturing",
        "last_breath",
        "threads",
        "race",
        "toggle",
        "toggle_in_launch",
        "opaque",
        "two_devices",
        "many_windows",
        "fork",
        "turned_on_and_off",
    ] {
        for budget in ["1/3", "5%"] {
            let plain = scenario!(name).run();
            let run = scenario!(name).env("LAUNCHSITE_BUDGET", budget).env("LAUNCHSITE", "on").tool().out().run();
            assert!(run.status.success(), "{name} {budget}: {run:#?}");
            assert_eq!(run.all_said("result"), plain.all_said("result"), "{name} {budget}");
            // That all adds up is looked at here.
            assert!(run.records().end()["launches"].as_u64().unwrap() > 0, "{name} {budget}");
            run.calls().check_balance();
        }
    }
}

#[test]
fn without_timing_a_budget_leaves_nothing_out() {
    let run = scenario!("saxpy", 100).env("LAUNCHSITE_BUDGET", "1/16").env("LAUNCHSITE", "nvtx").out().run().success();
    run.records().assert_modes(&[("named", 100)]);
    assert_eq!(run.records().end()["sampled_out"], 0);
}

/// Such a launch was never made: it is in no count.
#[test]
fn what_is_left_in_the_arguments_of_its_launch_is_not_left_out() {
    for budget in ["1/16", "1/2", "1%"] {
        let run = scenario!("left", 300).env("LAUNCHSITE_BUDGET", budget).out().run().success();
        let launched = run.all_said("launched").iter().filter(|launched| **launched == true).count();
        assert_eq!((launched, run.said("result")), (200, json!(200)), "{budget}");
        let records = run.records();
        assert_eq!(records.end()["launches"], 200, "{budget}");
        assert!(records.end()["sampled_out"].as_u64().unwrap() >= 90, "{budget}");
    }
}

#[test]
fn what_is_left_out_is_counted_under_the_name_of_its_arguments() {
    let run = scenario!("late", "time").env("LAUNCHSITE_BUDGET", "1/3").out().run().success();
    let records = run.records();
    let left_out = left_out(&records);
    // The first of each name is timed.
    assert_eq!(records.end()["launches"], 7);
    assert_eq!((records.launches().len(), left_out.len()), (3, 1), "{left_out:?}");
    let counts: Vec<_> = records.of("sampled_out").iter().map(|record| record["count"].clone()).collect();
    assert_eq!(counts, [json!(2), json!(2)]);
}
