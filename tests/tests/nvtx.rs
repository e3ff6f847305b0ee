//! What a profiler is told: ranges around launches, by NVTX.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail so")]

use std::collections::{BTreeMap, BTreeSet};

use launchsite_tests::{Calls, Outcome, Scenario, scenario};
use serde_json::Value;

fn with_tool(scenario: Scenario) -> (Outcome, Calls) {
    let run = scenario.tool().run().success();
    let calls = run.calls();
    calls.check_balance();
    (run, calls)
}

fn number(call: &Value, key: &str) -> u64 {
    call[key].as_u64().unwrap_or_else(|| panic!("{key} of {call}"))
}

#[test]
fn s4_2_every_launch_has_one_range_with_its_name_and_number() {
    let (run, calls) = with_tool(scenario!("modules", 4).out());
    let records = run.records();
    let pushed: BTreeMap<_, _> = calls.of("push").into_iter().map(|push| (number(push, "payload"), push)).collect();
    assert_eq!((pushed.len(), calls.of("push").len()), (20, 20), "numbers are pairwise distinct");
    assert_eq!(records.launches().len(), 20);
    for launch in records.launches() {
        let push = pushed[&number(launch, "number")];
        assert_eq!((&push["text"], &push["thread"]), (&launch["name"], &launch["thread"]), "{launch} {push}");
    }
}

#[test]
fn s4_2_ranges_are_there_by_default_and_without_a_device_call() {
    for value in [None, Some("nvtx"), Some("")] {
        let scenario = scenario!("counts", 10);
        let scenario = match value {
            Some(value) => scenario.env("LAUNCHSITE", value),
            None => scenario,
        };
        let (run, calls) = with_tool(scenario);
        assert_eq!(calls.of("push").len(), 10, "{value:?}");
        assert_eq!(run.said("counts")["creates"], 0);
        assert_eq!(run.said("threads").as_array().unwrap().len(), 2, "the main thread and the stream's");
        assert_eq!(run.folder().names(), ["nvtx.log"]);
    }
}

#[test]
fn s4_2_where_ranges_are_off_the_tool_is_not_loaded() {
    for value in ["off", "time"] {
        let run = scenario!("saxpy", 10).env("LAUNCHSITE", value).tool().run().success();
        assert!(run.calls().is_empty(), "{value}");
    }
}

#[test]
fn s4_2_ranges_turned_on_later_are_there() {
    let (run, calls) = with_tool(scenario!("turned_on_and_off").env("LAUNCHSITE", "time"));
    assert_eq!(run.said("result"), 8);
    assert_eq!(calls.of("push").len(), 4);
    assert_eq!(calls.of("init").len(), 1);
}

// pytorch#111780, kvikio#518: registered strings. deepspeed#7912: a domain of our own.
#[test]
fn s2_2_each_name_is_registered_once_in_our_domain() {
    let (run, calls) = with_tool(scenario!("modules", 4).out());
    let records = run.records();
    let registered: Vec<_> = calls.of("register").iter().map(|call| call["text"].as_str().unwrap()).collect();
    let names: BTreeSet<_> = registered.iter().copied().collect();
    assert_eq!(names.len(), registered.len(), "once each: {registered:?}");
    assert_eq!(names, records.names());
    assert!(calls.of("register").iter().all(|call| call["domain"] == *calls.domain()));
    for push in calls.of("push") {
        // A registered string, attributes of NVTX 3 with all their fields, an ARGB colour and an unsigned payload.
        let kinds = ["message_type", "version", "size", "color_type", "payload_type", "reserved"];
        assert_eq!(kinds.map(|key| number(push, key)), [3, 3, 48, 1, 1, 0], "{push}");
        assert_ne!(number(push, "color") >> 24, 0, "a colour that can be seen: {push}");
    }
}

#[test]
fn s4_4_a_category_is_a_module_and_has_one_colour() {
    let (run, calls) = with_tool(scenario!("modules", 4).out());
    let named: BTreeMap<_, _> = calls.of("category").iter().map(|call| (number(call, "id"), &call["name"])).collect();
    let modules: BTreeMap<_, _> =
        run.records().launches().iter().map(|l| (number(l, "number"), l["module"].clone())).collect();
    let mut colors: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
    for push in calls.of("push") {
        let category = number(push, "category");
        assert_ne!(category, 0, "NVTX's word for none: {push}");
        assert_eq!(named[&category], &modules[&number(push, "payload")], "{push}");
        colors.entry(category).or_default().insert(number(push, "color"));
    }
    assert_eq!(colors.len(), 2, "two modules, two categories");
    assert!(colors.values().all(|colors| colors.len() == 1), "{colors:?}");
    // The same in another run.
    let again = with_tool(scenario!("modules", 1)).1;
    let of = |calls: &Calls| -> BTreeSet<_> {
        calls.of("push").iter().map(|push| (number(push, "category"), number(push, "color"))).collect()
    };
    assert_eq!(of(&calls), of(&again));
}

// triton-inference-server#2799: popped only where push had returned 0 or more, and Nsight Systems returns -1.
#[test]
fn s4_1_what_push_returns_changes_nothing() {
    let seen = |returned: &str| {
        let (run, calls) = with_tool(scenario!("modules", 3).env("NVTX_TOOL_PUSH", returned).out());
        let texts: Vec<_> = calls.pushed().into_iter().map(str::to_owned).collect();
        (run.said("result"), texts, calls.of("pop").len(), run.records().names().len())
    };
    let usual = seen("");
    assert_eq!((usual.1.len(), usual.2), (15, 15));
    for returned in ["-1", "0", "7", "-2"] {
        assert_eq!(seen(returned), usual, "{returned}");
    }
}

// NVTX#122: the range stays open when the function raises. NVTX C README: early ways out.
#[test]
fn s4_1_ranges_are_closed_whatever_happens() {
    for (name, launches) in [("question_mark", 6), ("panics", 6), ("early_return", 5), ("panic_in_launch", 1 + 1)] {
        let (_, calls) = with_tool(scenario!(name));
        assert_eq!(calls.of("push").len(), launches, "{name}");
    }
    // Timing asked for too: its own ways out are others.
    for (name, launches) in [("panic_in_launch", 2), ("launch_fails", 2), ("capturing", 2), ("question_mark", 6)] {
        let (_, calls) = with_tool(scenario!(name).env("LAUNCHSITE", "on"));
        assert_eq!(calls.of("push").len(), launches, "{name}");
    }
    for name in ["refuse_create", "refuse_start", "refuse_stop", "refuse_capturing", "refuse_enter"] {
        let run = scenario!(name, 3).env("LAUNCHSITE", "on").tool().run().warned();
        run.calls().check_balance();
        assert_eq!(run.calls().of("push").len() as u64, run.said("result").as_u64().unwrap(), "{name}");
    }
}

// cudf#22857, nearcore#10663: a range held over an await. nsight-python#57: threads of the function's own.
#[test]
fn s4_7_nothing_is_open_between_launches_of_tasks_and_threads() {
    assert_eq!(with_tool(scenario!("async_tasks", 3)).1.of("push").len(), 7);
    let (run, calls) = with_tool(scenario!("from_threads", 4));
    let threads: BTreeSet<_> = calls.of("push").iter().map(|push| number(push, "thread")).collect();
    assert_eq!(calls.of("push").len(), 4);
    assert!(!threads.contains(&u64::from(run.pid)), "no launch is the main thread's");
}

#[test]
fn s4_5_nested_functions_have_a_range_each() {
    let (run, calls) = with_tool(scenario!("nested").out());
    assert_eq!(calls.pushed().len(), 2);
    assert_eq!(calls.pushed().into_iter().collect::<BTreeSet<_>>(), run.records().names());
}

/// A range around others, of a scope's: what is inside keeps its own name.
#[test]
fn s2_9_a_launch_inside_another_range_keeps_file_and_line() {
    let run = scenario!("nested_ranges", 1).env("LAUNCHSITE", "on").tool().out().run().success();
    let calls = run.calls();
    let inner: Vec<_> = calls.pushed().into_iter().zip(calls.depths()).filter(|(_, depth)| *depth > 1).collect();
    assert!(!inner.is_empty());
    let records = run.records();
    for (pushed, depth) in inner {
        let all = ["launch", "scope"].into_iter().flat_map(|scope| records.of(scope));
        let place = |record: &Value| {
            format!("{} {}:{}", record["function"].as_str().unwrap(), record["file"].as_str().unwrap(), record["line"])
        };
        assert!(all.into_iter().any(|record| place(record) == pushed), "{pushed} at depth {depth}");
    }
}

#[test]
fn s4_1_toggling_leaves_no_range_open() {
    for _ in 0..3 {
        let (run, calls) = with_tool(scenario!("toggle", 2000).env("LAUNCHSITE", "on"));
        assert_eq!(run.said("result"), 2 * 2000 + 6);
        // Of the six behind the storm, those with ranges on: nvtx, on, on.
        let late = calls.pushed().into_iter().filter(|text| text.starts_with("nn::relu "));
        assert_eq!(late.count(), 3);
    }
    let (_, calls) = with_tool(scenario!("toggle_in_launch", 5).env("LAUNCHSITE", "on"));
    // A launch keeps what it began with: off and on take turns in the launch, and in its argument.
    assert_eq!(calls.of("push").len(), 2 * 5);
}

// NVTX#91: a race at the first call of all.
#[test]
fn s2_10_threads_that_race_to_the_first_launch_all_have_ranges() {
    for init in ["", "slow"] {
        let (run, calls) = with_tool(scenario!("race", 64).env("NVTX_TOOL_INIT", init).out());
        assert_eq!(run.said("result"), 64);
        assert_eq!(calls.of("init").len(), 1);
        assert_eq!(run.records().launches().len(), 64, "{init:?}");
        assert_eq!(calls.of("push").len(), 64, "{init:?}: a launch while the tool starts has its range too");
    }
}

/// Eight threads launch while another flips parts a million times.
#[test]
fn s4_1_a_million_flips_leave_no_range_open() {
    let (run, calls) = with_tool(scenario!("flips", 1_000_000, 4000).out());
    let launched = run.said("launched").as_u64().unwrap();
    assert_eq!(run.said("result"), launched);
    let (pushes, records) = (calls.of("push").len() as u64, run.records());
    let recorded = records.launches().len() as u64;
    // About half of them each; none more than there were, and records in form.
    assert!(
        (1..=launched).contains(&pushes) && (1..=launched).contains(&recorded),
        "{pushes} {recorded} of {launched}"
    );
    assert_eq!(records.end()["lost"], 0);
}

#[test]
fn s2_10_racing_threads_use_one_handle_for_a_name() {
    for _ in 0..100 {
        let (_, calls) = with_tool(scenario!("race", 64, 3));
        let handles: BTreeSet<_> = calls.of("push").iter().map(|push| push["handle"].as_str()).collect();
        assert_eq!(handles.len(), 1, "{handles:?}");
        assert_eq!(calls.pushed().into_iter().collect::<BTreeSet<_>>().len(), 1);
    }
}

#[test]
fn a_tool_that_refuses_to_start_changes_nothing() {
    let run = scenario!("saxpy", 10).tool().env("NVTX_TOOL_INIT", "refuse").out().run();
    let run = run.complains_once(&["NVTX_INJECTION64_PATH", "libnvtx_tool.so", "refused"]);
    assert_eq!(run.calls().functions(), BTreeSet::from(["init"]));
    assert_eq!(run.said("result"), 10);
    assert_eq!(run.records().gpu().len(), 10);
}

// cudarc#246, tmol#306, xmake#3329: libraries that are not there, or not what their name says.
#[test]
fn a_tool_that_does_not_load_is_said_once() {
    let run = scenario!("modules", 5).env("NVTX_INJECTION64_PATH", "no/such/tool.so").run();
    assert_eq!(run.complains_once(&["NVTX_INJECTION64_PATH", "no/such/tool.so"]).said("result"), 70);
    let run = scenario!("race", 32).env("NVTX_INJECTION64_PATH", "no/such/tool.so").run();
    assert_eq!(run.complains_once(&["no/such/tool.so"]).said("result"), 32);
    let text = scenario!("saxpy", 5).file("tool.so", "no library").env("NVTX_INJECTION64_PATH", "./tool.so").run();
    assert_eq!(text.complains_once(&["./tool.so"]).said("result"), 5);
    let other = scenario!("saxpy", 5).env("NVTX_INJECTION64_PATH", "libc.so.6").run();
    assert_eq!(other.complains_once(&["libc.so.6"]).said("result"), 5);
}

#[test]
fn s0_11_ranges_are_balanced_in_a_forks_child_too() {
    let run = scenario!("fork").env("LAUNCHSITE", "nvtx").tool().run().success();
    assert_eq!(run.said("child"), 0);
    let calls = run.calls();
    calls.check_balance();
    assert_eq!((calls.of("init").len(), calls.of("push").len()), (1, 3 + 2 + 1));
    let threads: BTreeSet<_> = calls.of("push").iter().map(|push| number(push, "thread")).collect();
    assert_eq!(threads, BTreeSet::from([u64::from(run.pid), run.said("child_pid").as_u64().unwrap()]));
}

/// A name that does not depend on arguments is taken without a look at them, and here it is the first that there is.
#[test]
fn s4_4_a_range_has_the_name_of_its_arguments_whichever_name_was_first() {
    let run = scenario!("late", "nvtx").tool().run().success();
    let calls = run.calls();
    calls.check_balance();
    let names: Vec<_> = calls.pushed().iter().map(|name| name.split(" launchsite").next().unwrap()).collect();
    assert_eq!(names, ["step {number}", "step 1", "step 2", "step 1", "step 2", "step 2", "step 1"]);
}
