//! Graphs: what was captured into them is known to them, and they are timed inside.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail so")]

use std::collections::BTreeMap;

use launchsite_tests::{Records, Scenario, line_of, scenario};
use serde_json::{Value, json};

const GRAPHS: &str = include_str!("../src/bin/scenario/graphs.rs");
const FILE: &str = "launchsite-tests/src/bin/scenario/graphs.rs";

fn name(function: &str, marker: &str) -> String {
    format!("{function} {FILE}:{}", line_of(GRAPHS, marker))
}

/// The graph that a launch of one names.
fn graph<'r>(records: &'r Records, launch: &Value) -> &'r Value {
    records.of("graph").into_iter().find(|graph| graph["graph"] == launch["graph"]).expect("it is declared")
}

/// The sites of a graph, each with its kernels.
fn sites(graph: &Value) -> BTreeMap<String, u64> {
    let site = |site: &Value| (site["name"].as_str().unwrap().to_owned(), site["kernels"].as_u64().unwrap());
    graph["sites"].as_array().unwrap().iter().map(site).collect()
}

fn expected<const N: usize>(sites: [(&str, u64); N]) -> BTreeMap<String, u64> {
    sites.into_iter().map(|(site, kernels)| (name(&format!("graphs::{site}"), site), kernels)).collect()
}

#[test]
fn s3_8_what_was_captured_into_a_graph_is_known_to_its_replays() {
    let (run, records) = scenario!("graph_sites", 3).checked();
    assert_eq!(run.said("nodes"), 5);
    let replays: Vec<_> = records.of("graph_launch").into_iter().filter(|launch| launch["mode"] == "timed").collect();
    assert_eq!(replays.len(), 7);
    for replay in &replays[..6] {
        // One of the four is nobody's, and the copy is no kernel. A clone is the same graph.
        assert_eq!(replay["kernels"], 4, "{replay}");
        assert_eq!(sites(graph(&records, replay)), expected([("first", 2), ("second", 1)]));
    }
    assert_eq!(sites(graph(&records, replays[6])), expected([("first", 2), ("second", 2)]), "a graph inside it");
    assert_eq!((replays[6]["kernels"].as_u64(), records.of("graph").len()), (Some(5), 2));
    // Launches that were captured are captured, and no others.
    records.assert_modes(&[("captured", 4)]);
}

#[test]
fn what_one_thread_captures_another_ones_replays_know() {
    let (_, records) = scenario!("graph_threads", 300).checked();
    let replays = records.of("graph_launch");
    assert_eq!(replays.len(), 300);
    for (turn, replay) in (0..).zip(replays) {
        let graph = graph(&records, replay);
        assert_eq!(replay["kernels"], 1 + turn % 3, "{replay}");
        assert_eq!(sites(graph).values().sum::<u64>(), 1 + turn % 3, "{graph}");
    }
}

#[test]
fn a_graph_that_comes_after_another_has_its_own_sites_or_none() {
    let (_, records) = scenario!("graph_again").checked();
    let found: Vec<_> = records.of("graph_launch").into_iter().map(|launch| sites(graph(&records, launch))).collect();
    assert_eq!(found, [expected([("first", 1)]), expected([("second", 1)]), BTreeMap::new()]);
    assert!(records.of("graph_launch").iter().all(|launch| launch["kernels"] == 1));
}

#[test]
fn where_times_are_not_asked_for_it_is_said_that_the_graph_is_not_known() {
    let run = scenario!("graph_sites", 1).env("LAUNCHSITE", "nvtx").out().run().success();
    let records = run.records();
    let replays = records.of("graph_launch");
    assert!(!replays.is_empty());
    for replay in replays {
        assert_eq!((&replay["graph"], &replay["graph_reason"]), (&Value::Null, &json!("times are not asked for")));
    }
}

#[test]
fn s3_8_a_graph_that_is_entered_has_the_name_that_it_was_given_or_its_functions() {
    for (given, function) in [("", "graphs::entered"), ("decode step", "decode step")] {
        let (run, records) = scenario!("graph_entered", 10, given).tool().checked();
        assert_eq!((run.said("bodies"), run.said("launches"), run.said("result")), (json!(2), json!(9), json!(160)));
        let line = line_of(GRAPHS, "entered");
        let replays = records.of("graph_launch");
        assert_eq!(replays.len(), 9);
        for replay in &replays {
            let name = replay["name"].as_str().unwrap();
            assert!(
                name.starts_with(&format!("{function} ")) && name.ends_with(&format!("graphs.rs:{line}")),
                "{name}"
            );
            assert_eq!((&replay["mode"], &replay["kernels"]), (&json!("timed"), &json!(4)), "{replay}");
            assert_eq!(sites(graph(&records, replay)), expected([("first", 2), ("second", 1)]));
        }
        assert_eq!(records.of("graph_launch_gpu").len(), 9);
        // In the first entry launches are launches, in the second they are captured; from then on there are none.
        records.assert_modes(&[("timed", 3), ("captured", 3)]);
        let calls = run.calls();
        calls.check_balance();
        let name = replays[0]["name"].as_str().unwrap();
        assert_eq!(calls.pushed().iter().filter(|pushed| **pushed == name).count(), 9, "one range a launch");
        assert_eq!(calls.pushed().len(), 9 + 6, "what is captured has its range once, at capture");
    }
}

/// Names are worked out before the capture: in the entry that only runs the body.
#[test]
fn s3_11_what_is_done_once_is_done_before_the_capture() {
    let (run, _) = scenario!("graph_entered", 4).checked();
    assert_eq!(run.said("worked_out"), json!([3, 3, 3, 3]), "two sites and the graph");
}

#[test]
fn s3_1_a_graph_gives_the_same_results_whatever_is_on() {
    for parts in ["off", "nvtx", "time", "on", "nvtx,nodes"] {
        let run = scenario!("graph_entered", 200).env("LAUNCHSITE", parts).tool().run().success();
        assert_eq!((run.said("bodies"), run.said("launches")), (json!(2), json!(199)), "{parts}");
        assert_eq!(run.said("result"), 200 * 16, "{parts}");
    }
}

fn nodes(scenario: Scenario) -> (launchsite_tests::Outcome, Records) {
    scenario.env("LAUNCHSITE", "time,nodes").checked()
}

#[test]
fn every_64th_launch_of_a_graph_is_timed_inside_by_a_second_executable() {
    let (run, records) = nodes(scenario!("graph_nodes", 201));
    assert_eq!(run.said("result"), 201 * 16, "whichever of the two is launched");
    assert_eq!((run.said("clones"), run.said("seconds"), run.said("launches")), (json!(1), json!(3), json!(200)));
    assert_eq!(run.said("graph_launches"), 197);
    let told = records.of("node_gpu");
    assert_eq!(told.len(), 3 * 4, "each kernel, and not the copy");
    let replays = records.of("graph_launch");
    for (at, nodes) in told.chunks(4).enumerate() {
        let parent = replays.iter().position(|replay| replay["trace_event_id"] == nodes[0]["parent"]).unwrap();
        assert_eq!(parent, 64 * (at + 1), "{}", nodes[0]);
        let names: Vec<_> = nodes.iter().map(|node| node["name"].as_str()).collect();
        let [first, second] = ["first", "second"].map(|site| name(&format!("graphs::{site}"), site));
        assert_eq!(names, [Some(first.as_str()), Some(&second), None, Some(&first)]);
        let kernels: Vec<_> = nodes.iter().map(|node| node["kernel"].as_str().unwrap()).collect();
        assert_eq!(kernels, ["up", "down", "hidden", "up"]);
        for (number, node) in (0..).zip(nodes) {
            assert_eq!(
                (&node["node"], &node["graph"], &node["parent"]),
                (&json!(number), &replays[parent]["graph"], &nodes[0]["parent"])
            );
            assert_eq!((&node["stream"], &node["device"]), (&replays[parent]["stream"], &replays[parent]["device"]));
        }
        // One behind the other, and inside of the whole.
        let of_parent = |gpu: &&&Value| gpu["trace_event_id"] == nodes[0]["parent"];
        let gpu = *records.of("graph_launch_gpu").iter().find(of_parent).unwrap();
        assert_eq!(gpu["reason"], "events stand between the kernels of the graph", "{gpu}");
        if gpu.get("start_ns").is_none() {
            continue;
        }
        let time = |record: &Value, key: &str| record[key].as_i64().unwrap();
        assert!(nodes.windows(2).all(|two| time(two[0], "stop_ns") <= time(two[1], "start_ns")), "{nodes:?}");
        assert!(
            time(gpu, "start_ns") <= time(nodes[0], "start_ns") && time(nodes[3], "stop_ns") <= time(gpu, "stop_ns")
        );
    }
}

#[test]
fn s3_7_the_graph_itself_is_the_same_with_nodes_and_without() {
    let run = scenario!("graph_nodes", 130).env("LAUNCHSITE", "time").out().run().success();
    assert_eq!((run.said("clones"), run.said("seconds")), (json!(0), json!(0)), "nothing of it unasked");
    assert_eq!(run.records().of("node_gpu").len(), 0);
    assert_eq!(run.said("result"), 130 * 16);
}

#[test]
fn a_budget_says_how_often_a_graph_is_timed_inside() {
    let (run, records) = nodes(scenario!("graph_nodes", 201).env("LAUNCHSITE_BUDGET", "1/16"));
    assert_eq!(run.said("seconds"), 12);
    assert_eq!(records.of("node_gpu").len(), 12 * 4);
    assert_eq!(run.said("result"), 201 * 16);
}

#[test]
fn where_a_call_is_refused_the_graph_says_why_and_is_launched_as_it_is() {
    for (what, call) in [
        ("clone", "cuGraphClone"),
        ("event", "cuGraphAddEventRecordNode"),
        ("instantiate", "cuGraphInstantiate"),
        ("launch", ""),
    ] {
        let run = scenario!("graph_nodes_refused", what).env("LAUNCHSITE", "time,nodes").out().run().success();
        assert_eq!((run.said("result"), run.said("graph_launches")), (json!(200 * 16), json!(199)), "{what}");
        let records = run.records();
        assert_eq!(records.of("node_gpu").len(), 0, "{what}");
        let last = records.of("graph").last().copied().unwrap().clone();
        match last["nodes_reason"].as_str() {
            Some(why) => assert!(why.contains(call) && !call.is_empty(), "{what}: {why}"),
            None => assert!(call.is_empty(), "{what}: {last}"),
        }
        // A copy that came to nothing is destroyed.
        let left = i32::from(what != "clone");
        assert_eq!(run.said("destroyed"), left, "{what}");
    }
}

#[test]
fn a_second_executable_goes_with_its_graph() {
    let (run, records) = nodes(scenario!("graph_update"));
    assert_eq!(run.said("result"), 1000 + 8 * 2);
    let made = run.said("made").as_u64().unwrap();
    assert!(made >= 5, "each capture has its own: {made}");
    assert_eq!(run.said("destroyed").as_u64(), Some(made - 1), "all but that of the graph that is there");
    assert!(!records.of("node_gpu").is_empty());
}

#[test]
fn on_a_gpu_of_no_known_model_a_kernels_time_in_a_graph_is_an_upper_bound() {
    let (_, records) = nodes(scenario!("graph_nodes", 201));
    for node in records.of("node_gpu") {
        // What has no place on the clock is not compared with others, whatever else is known.
        let reasons = ["what events add on this GPU is not known", "nothing tells when the GPU began"];
        assert!(reasons.contains(&node["reason"].as_str().unwrap()), "{node}");
    }
}

#[test]
fn of_an_executable_that_the_program_has_itself_it_is_said_why_it_is_not_timed_inside() {
    let (run, records) = nodes(scenario!("graph_sites", 100));
    assert_eq!(records.of("node_gpu").len(), 0);
    assert_eq!(run.said("result"), 201 * 16 + 2);
    for graph in records.of("graph") {
        assert!(graph["nodes_reason"].as_str().unwrap().contains("the program has the executable itself"), "{graph}");
    }
}

#[test]
fn the_table_has_what_was_timed_inside_graphs_in_rows_of_its_own() {
    let scenario = scenario!("graph_nodes", 201).env("LAUNCHSITE", "time,nodes").env("LAUNCHSITE_SUMMARY", "1");
    let run = scenario.run();
    let row =
        |name: &str| run.stderr.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{}", run.stderr));
    let cells = |name: &str| row(name).split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let inside = format!("{} (in graphs)", name("graphs::first", "first"));
    let cells = cells(&inside);
    // Behind the name, which has four words: launches, timed; no share at the end.
    assert_eq!(
        (cells[4].as_str(), cells[5].as_str(), cells.last().map(String::as_str)),
        ("6", "6", Some("-")),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("graphs::second") && row("nodes ").contains("200"), "{}", run.stderr);
}

#[test]
fn a_graph_that_was_taken_over_is_timed_inside_as_any() {
    let (run, records) = nodes(scenario!("graph_nodes", 200, "adopted"));
    assert_eq!(
        (run.said("launches"), run.said("seconds"), run.said("result")),
        (json!(200), json!(3), json!(200 * 16))
    );
    assert_eq!(records.of("node_gpu").len(), 3 * 4);
    records.assert_modes(&[("captured", 3)]);
}
