//! Launches through cudarc, on the scripted driver: the way that a program's launches take on a GPU, but for the GPU.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail so")]

use std::collections::{BTreeMap, BTreeSet};

use launchsite_tests::{Calls, Outcome, Records, Scenario, line_of, scenario};
use serde_json::{Value, json};

const SOURCE: &str = include_str!("../src/bin/scenario/cuda.rs");
const FILE: &str = "launchsite-tests/src/bin/scenario/cuda.rs";
/// How long a kernel of the scripted driver takes.
const KERNEL_NS: u64 = 20_000;

fn on_driver(scenario: Scenario) -> (Outcome, Records, Calls) {
    let (run, records) = scenario.driver_and_tool().env("LAUNCHSITE", "on").checked();
    let calls = run.driver_calls();
    (run, records, calls)
}

/// The kernel launches that the driver saw, each by the number of the range around it.
fn launches(calls: &Calls) -> BTreeMap<u64, &Value> {
    let mut open: BTreeMap<&str, u64> = BTreeMap::new();
    let mut launches = BTreeMap::new();
    let threads: Vec<String> = calls.all().iter().map(|call| call["thread"].to_string()).collect();
    for (call, thread) in calls.all().iter().zip(&threads) {
        match call["call"].as_str().unwrap() {
            "push" => drop(open.insert(thread, call["payload"].as_u64().unwrap())),
            "pop" => drop(open.remove(thread.as_str())),
            "cuLaunchKernel" => drop(launches.insert(open[thread.as_str()], call)),
            _ => {}
        }
    }
    launches
}

/// Each record's stream, and the one that the driver saw: of one, the other is known.
fn assert_streams(records: &Records, calls: &Calls) -> usize {
    let seen = launches(calls);
    let mut known: BTreeMap<u64, String> = BTreeMap::new();
    for launch in records.launches() {
        let call = seen[&launch["number"].as_u64().unwrap()];
        let thread = if call["stream"] == 2 { call["thread"].clone() } else { Value::Null };
        let key = json!([call["context"], call["stream"], thread]).to_string();
        let stream = launch["stream"].as_u64().unwrap_or_else(|| panic!("no stream: {launch}"));
        assert_eq!(*known.entry(stream).or_insert_with(|| key.clone()), key, "{launch}");
    }
    assert_eq!(known.values().collect::<BTreeSet<_>>().len(), known.len(), "two numbers for a stream: {known:?}");
    known.len()
}

/// Events with a time that were recorded into captures. Those without are cudarc's.
fn captured_events(calls: &Calls) -> usize {
    let ours = |call: &&&Value| call["captured"] == true && call["timing"] == true;
    calls.of("cuEventRecord").iter().filter(ours).count()
}

#[test]
fn launches_through_cudarc_are_named_and_timed_on_every_kind_of_stream() {
    let (run, records, calls) = on_driver(scenario!("cuda_streams", 50));
    assert_eq!(run.said("error"), Value::Null);
    records.assert_modes(&[("timed", 200)]);
    let name = format!("cuda::scale {FILE}:{}", line_of(SOURCE, "scale"));
    assert_eq!(records.names(), BTreeSet::from([name.as_str()]));
    assert_eq!(assert_streams(&records, &calls), 4);
    let kinds: Vec<_> = records.streams().iter().map(|stream| stream["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["stream", "stream", "legacy_default", "per_thread_default"]);
    let launch = records.launches()[0];
    assert_eq!((&launch["grid"], &launch["block"]), (&json!([7, 2, 1]), &json!([32, 4, 3])));
    assert_eq!(launch["shared_mem_bytes"], 48);
    for gpu in records.gpu() {
        assert!(gpu["gpu_duration_ns"].as_u64().unwrap() >= KERNEL_NS, "{gpu}");
        assert!(gpu["start_ns"].as_i64().unwrap() < gpu["stop_ns"].as_i64().unwrap(), "{gpu}");
    }
    // No call was refused, but for the question whether an event has come.
    assert!(calls.all().iter().all(|call| [0, 600].contains(&call["status"].as_i64().unwrap_or(0))));
}

#[test]
fn the_window_stands_on_the_launches_own_stream() {
    let (_, records, calls) = on_driver(scenario!("cuda_streams", 5));
    let main = &records.launches()[0]["thread"];
    let own = |call: &&Value| &call["thread"] == main && call["captured"].is_boolean();
    let order: Vec<_> = calls.all().iter().filter(own).map(|call| (&call["call"], &call["stream"])).collect();
    assert_eq!(order.len(), 60);
    for window in order.chunks(3) {
        let names: Vec<_> = window.iter().map(|(call, _)| call.as_str().unwrap()).collect();
        assert_eq!(names, ["cuEventRecord", "cuLaunchKernel", "cuEventRecord"]);
        assert!(window.iter().all(|(_, stream)| *stream == window[0].1), "{window:?}");
    }
}

/// A record on the legacy stream is a barrier between the program's streams: the launch there is one itself, and nothing else is.
#[test]
fn s0_12_anchors_and_checks_stand_in_no_stream_of_the_programs() {
    let (_, records, calls) = on_driver(scenario!("cuda_streams", 50));
    let main = &records.launches()[0]["thread"];
    let of_program: BTreeSet<_> = launches(&calls).values().map(|call| call["stream"].to_string()).collect();
    let others: Vec<_> = calls.of("cuEventRecord").into_iter().filter(|call| &call["thread"] != main).collect();
    assert!(!others.is_empty(), "an anchor was taken");
    assert!(others.iter().all(|call| !of_program.contains(&call["stream"].to_string())), "{others:?}");
}

#[test]
fn launches_by_handle_have_their_stream_too() {
    let (_, records, calls) = on_driver(scenario!("cuda_driver_calls"));
    records.assert_modes(&[("timed", 2)]);
    assert_eq!(assert_streams(&records, &calls), 2);
    assert_eq!(records.launches()[0]["line"], line_of(SOURCE, "by_handle"));
}

#[test]
fn s3_7_a_capture_on_the_driver_gets_no_event_of_ours() {
    for mode in 0..3 {
        let (_, records, calls) = on_driver(scenario!("cuda_capture", mode));
        let kernels: Vec<_> =
            records.launches().iter().filter(|launch| launch["mode"] == "captured").copied().collect();
        assert_eq!(kernels.len(), 2, "{mode}");
        assert!(kernels.iter().all(|launch| launch["reason"].as_str().unwrap().contains("captured")));
        assert_eq!(captured_events(&calls), 0, "{mode}");
        let ends = calls.of("cuStreamEndCapture");
        assert_eq!((&ends[0]["nodes"], &ends[0]["kernels"], &ends[0]["status"]), (&json!(2), &json!(2), &json!(0)));
        assert_eq!(calls.of("cuGraphLaunch").len(), 3);
        assert_streams(&records, &calls);
    }
}

#[test]
fn s1_14_a_first_window_beside_a_capture_leaves_it_valid_in_every_mode() {
    for mode in 0..3 {
        let run = scenario!("cuda_windows_beside_capture", mode).driver().env("LAUNCHSITE", "off").run();
        assert_eq!(run.said("graph"), json!(true), "{mode}");
        assert!(run.said("captured").as_str().unwrap().contains("cuEventRecord"), "{mode}");
        assert!(run.said("duration_ns").as_u64().unwrap() >= KERNEL_NS, "{mode}");
        let calls = run.driver_calls();
        assert_eq!(calls.of("cuStreamEndCapture")[0]["kernels"], json!(1), "{mode}");
    }
}

#[test]
fn s3_10_captures_in_every_mode_are_as_without_us_while_four_threads_launch() {
    const ROUNDS: usize = 20;
    for mode in 0..3 {
        let captures = |calls: &Calls| {
            let parts = ["nodes", "kernels", "events", "status"];
            let ends = calls.of("cuStreamEndCapture");
            ends.iter().map(|end| parts.map(|part| end[part].clone())).collect::<Vec<_>>()
        };
        let bare = scenario!("cuda_captures_beside", mode, ROUNDS).driver().env("LAUNCHSITE", "off").run();
        let bare = captures(&bare.driver_calls());
        let (run, records, calls) = on_driver(scenario!("cuda_captures_beside", mode, ROUNDS));
        assert_eq!((bare.len(), captures(&calls)), (ROUNDS, bare), "{mode}");
        let launched = usize::try_from(run.said("launched").as_u64().unwrap()).unwrap();
        assert!(launched > 0, "{mode}");
        records.assert_modes(&[("captured", 4 * ROUNDS), ("timed", launched)]);
        // The collector asked while a capture went on.
        let order: Vec<_> = calls.all().iter().map(|call| call["call"].as_str().unwrap()).collect();
        let first = order.iter().position(|call| *call == "cuStreamBeginCapture_v2").unwrap();
        let last = order.iter().rposition(|call| *call == "cuStreamEndCapture").unwrap();
        assert!(order[first..last].contains(&"cuEventElapsedTime_v2"), "{mode}");
    }
}

#[test]
fn s3_7_a_stream_that_takes_part_in_a_capture_gets_no_event_of_ours() {
    let (_, records, calls) = on_driver(scenario!("cuda_forked_capture"));
    records.assert_modes(&[("captured", 2), ("timed", 1)]);
    assert_eq!(captured_events(&calls), 0);
    let end = calls.of("cuStreamEndCapture")[0];
    assert_eq!(
        (&end["kernels"], &end["events"], &end["status"]),
        (&json!(2), &json!(2), &json!(0)),
        "cudarc's own two"
    );
    assert_streams(&records, &calls);
}

#[test]
fn s3_8_replays_are_timed_on_the_stream_that_captured() {
    let (_, records, calls) = on_driver(scenario!("cuda_capture", 2));
    assert_eq!(calls.of("cuGraphLaunch").len(), 3);
    let captured = records.launches().into_iter().find(|launch| launch["mode"] == "captured").unwrap();
    let replays = records.of("graph_launch");
    assert_eq!((replays.len(), records.of("graph_launch_gpu").len()), (3, 3));
    for replay in replays {
        assert_eq!((&replay["mode"], &replay["stream"]), (&json!("timed"), &captured["stream"]), "{replay}");
        assert_eq!(replay["line"], line_of(SOURCE, "replay"));
    }
    let graph = records.of("graph")[0];
    assert_eq!((&graph["kernels"], graph["sites"].as_array().unwrap().len()), (&json!(2), 1), "{graph}");
    assert_eq!(graph["sites"][0], json!({ "name": captured["name"], "kernels": 2 }));
    // Two kernels, one behind the other.
    let durations = records.of("graph_launch_gpu").into_iter().map(|gpu| gpu["gpu_duration_ns"].as_u64().unwrap());
    assert!(durations.min().unwrap() >= 2 * KERNEL_NS);
}

#[test]
fn a_question_about_the_legacy_stream_does_not_spoil_a_capture() {
    let (run, records, calls) = on_driver(scenario!("cuda_legacy_beside_capture"));
    assert_eq!(run.said("captured"), true);
    // It is the user's own launch that spoils the capture, and gets the error.
    assert_eq!((run.said("launched"), run.said("spoilt")), (json!(906), json!(901)));
    records.assert_modes(&[("captured", 1), ("failed", 1)]);
    assert_eq!(calls.of("cuEventRecord").len(), 0, "no event was tried on it");
}

/// The second of three launches, of which the driver refuses a call.
fn refused(call: &str, nth: u32, status: i32) -> (Outcome, Value) {
    let run = scenario!("cuda_refused", call, nth, status).driver().env("LAUNCHSITE", "on").out().run().warned();
    let records = run.records();
    let launches = records.launches();
    assert_eq!(launches.len(), 3, "{call}");
    for other in [launches[0], launches[2]] {
        assert_eq!(other["mode"], "timed", "{call}: {other}");
    }
    let second = launches[1].clone();
    (run, second)
}

#[test]
fn s4_3_a_call_that_the_driver_refuses_is_named_with_its_error() {
    // The second event record of a launch is behind it.
    for (call, nth, status, error) in [
        ("cuEventRecord", 1, 700, "CUDA_ERROR_ILLEGAL_ADDRESS (700)"),
        ("cuEventRecord", 2, 999, "CUDA_ERROR_UNKNOWN (999)"),
        ("cuStreamIsCapturing", 1, 906, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT (906)"),
    ] {
        let (run, launch) = refused(call, nth, status);
        assert_eq!(run.all_said("launched"), [Value::Null, Value::Null, Value::Null], "{call}");
        assert_eq!(run.said("error"), Value::Null, "nothing of ours is kept for the user");
        assert_eq!((&launch["mode"], &launch["reason"]), (&json!("refused"), &json!(format!("{call}: {error}"))));
        assert_eq!(run.driver_calls().of("cuLaunchKernel").len(), 3);
    }
}

#[test]
fn s0_7_a_launch_that_the_driver_refuses_keeps_its_error() {
    let (run, launch) = refused("cuLaunchKernel", 1, 701);
    assert_eq!(run.all_said("launched"), [Value::Null, json!(701), Value::Null]);
    assert_eq!(launch["mode"], "failed");
}

/// The collector's own calls: refused in whichever thread.
#[test]
fn s0_9_a_time_that_the_driver_does_not_tell_is_an_error() {
    let scenario = scenario!("cuda_streams", 1).env("SCRIPTED_DRIVER_REFUSE", "cuEventElapsedTime_v2:0:700");
    let run = scenario.driver().env("LAUNCHSITE", "on").out().run().warned();
    let records = run.records();
    records.assert_modes(&[("timed", 4)]);
    for gpu in records.gpu() {
        assert!(gpu["error"].as_str().unwrap().contains("CUDA_ERROR_ILLEGAL_ADDRESS (700)"), "{gpu}");
        assert!(gpu.get("gpu_duration_ns").is_none(), "{gpu}");
    }
}

#[test]
fn without_devices_a_program_has_its_own_error_and_nothing_of_ours() {
    let run = scenario!("cuda_streams", 1)
        .env("SCRIPTED_DRIVER_REFUSE", "cuDeviceGet:0:101")
        .driver()
        .env("LAUNCHSITE", "on");
    let run = run.run();
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    assert!(run.stderr.contains("CUDA_ERROR_INVALID_DEVICE"), "{}", run.stderr);
}

#[test]
fn s0_10_a_primary_context_is_timed_and_another_says_why_it_is_not() {
    let run = scenario!("cuda_contexts").driver().env("LAUNCHSITE", "on").out().run().warned();
    let records = run.records();
    records.assert_modes(&[("timed", 2), ("refused", 2)]);
    assert!(
        records.reasons().iter().all(|reason| reason.contains("cuDevicePrimaryCtxRetain")),
        "{:?}",
        records.reasons()
    );
    let streams: BTreeSet<_> = records.launches().iter().map(|launch| launch["stream"].as_u64().unwrap()).collect();
    assert_eq!(streams.len(), 2, "one handle in two contexts");
    assert_eq!(run.said("context_is_the_last_launches"), true);
}

#[test]
fn s4_8_default_streams_of_two_devices_are_told_apart() {
    let (_, records, calls) = on_driver(scenario!("cuda_devices"));
    records.assert_modes(&[("timed", 3)]);
    let devices: Vec<_> = records.launches().iter().map(|launch| launch["device"].as_u64().unwrap()).collect();
    assert_eq!(devices, [0, 1, 0]);
    assert_eq!(assert_streams(&records, &calls), 2);
    let described: Vec<_> = records.session()["devices"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(described, ["Scripted Device 0", "Scripted Device 1"]);
    // What was held of a device is given back: its context ends when the program lets go of it.
    let [retained, released] =
        ["cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRelease_v2"].map(|call| calls.of(call).len());
    assert_eq!(retained, released);
}

#[test]
fn s4_8_the_default_stream_of_a_thread_is_another_in_each() {
    let (_, records, calls) = on_driver(scenario!("cuda_threads"));
    records.assert_modes(&[("timed", 4)]);
    assert_eq!(assert_streams(&records, &calls), 2);
}

#[test]
fn a_wait_that_cudarc_queues_is_in_the_window_and_results_are_the_programs() {
    let (run, records, calls) = on_driver(scenario!("cuda_stream_that_waits"));
    assert_eq!(run.said("data"), 0);
    records.assert_modes(&[("timed", 51)]);
    assert_eq!(assert_streams(&records, &calls), 2);
    let last = records.gpu().into_iter().max_by_key(|gpu| gpu["stop_ns"].as_i64()).unwrap();
    assert_eq!(last["accuracy"], "upper_bound");
}

#[test]
fn a_scope_leaves_the_threads_context_alone() {
    let (run, records) = scenario!("cuda_scope_elsewhere").driver().env("LAUNCHSITE", "on").refused();
    assert_eq!(run.all_said("context_is_left_alone"), vec![json!(true); 4]);
    let modes: Vec<_> = records.of("scope").iter().map(|scope| scope["mode"].as_str().unwrap().to_owned()).collect();
    assert_eq!(modes.iter().filter(|mode| *mode == "timed").count(), 3, "{modes:?}");
    let refused = records.of("scope").into_iter().find(|scope| scope["mode"] == "refused").unwrap();
    assert!(refused["reason"].as_str().unwrap().contains("another context"), "{refused}");
}

/// A handle of a stream that is gone is not shown to the driver: on a GPU that ends the process.
#[test]
fn a_stream_that_was_let_go_is_left_alone() {
    let (run, records) = scenario!("cuda_stream_let_go").driver().env("LAUNCHSITE", "on").refused();
    let scope = &records.of("scope")[0];
    assert_eq!((&scope["mode"], &scope["reason"]), (&json!("refused"), &json!("the stream that was given is gone")));
    let calls = run.driver_calls();
    let records = calls.of("cuEventRecord");
    assert!(!records.is_empty() && records.iter().all(|call| call["status"] == 0), "{records:?}");
}

/// The launches of graphs that the driver saw: executable, kernels and events.
fn graph_launches(calls: &Calls) -> Vec<(u64, u64, u64)> {
    let number = |call: &Value, key: &str| call[key].as_u64().unwrap();
    let launch = |call: &&Value| (number(call, "executable"), number(call, "kernels"), number(call, "events"));
    calls.of("cuGraphLaunch").iter().map(launch).collect()
}

fn site(function: &str, marker: &str) -> String {
    format!("cuda::{function} {FILE}:{}", line_of(SOURCE, marker))
}

#[test]
fn s3_1_a_graph_on_the_driver_is_captured_once_and_launched_from_then_on() {
    let (run, records, calls) = on_driver(scenario!("cuda_graph_entered", 10));
    assert_eq!((run.said("launches"), run.said("error")), (json!(9), Value::Null));
    let launches = graph_launches(&calls);
    assert_eq!(launches.len(), 9);
    // cudarc's fork and join record an event each, and launchsite none.
    assert!(launches.iter().all(|launch| *launch == (launches[0].0, 4, 2)), "{launches:?}");
    assert_eq!((calls.of("cuStreamEndCapture").len(), captured_events(&calls)), (1, 0));
    for replay in records.of("graph_launch") {
        assert!(replay["name"].as_str().unwrap().starts_with("branches "), "{replay}");
        assert_eq!((&replay["mode"], &replay["kernels"]), (&json!("timed"), &json!(4)));
    }
    let sites: BTreeMap<_, _> = records.of("graph")[0]["sites"]
        .as_array()
        .unwrap()
        .iter()
        .map(|site| (site["name"].as_str().unwrap().to_owned(), site["kernels"].as_u64().unwrap()))
        .collect();
    let expected = [(site("left", "left"), 1), (site("right", "right"), 2), (site("scale", "scale"), 1)];
    assert_eq!(sites, BTreeMap::from(expected), "the launch on the other stream is in it too");
}

#[test]
fn nodes_on_the_driver_are_matched_by_node_in_every_branch() {
    let scenario = scenario!("cuda_graph_entered", 200).driver().env("LAUNCHSITE", "time,nodes");
    let (run, records) = scenario.checked();
    let calls = run.driver_calls();
    assert_eq!((run.said("launches"), run.said("error")), (json!(199), Value::Null));
    let launches = graph_launches(&calls);
    let own = launches[0];
    assert_eq!(own, (own.0, 4, 2));
    let seconds: Vec<_> = launches.iter().enumerate().filter(|(_, launch)| launch.0 != own.0).collect();
    assert_eq!(seconds.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [64, 128, 192]);
    // One behind each of the four; in front of the first of each branch, and where they meet.
    assert!(seconds.iter().all(|(_, launch)| (launch.1, launch.2) == (4, 2 + 4 + 3)), "{seconds:?}");
    // What is changed are copies of launchsite's own.
    let captured = calls.of("cuStreamEndCapture").len();
    assert_eq!((captured, calls.of("cuGraphClone").len(), captured_events(&calls)), (1, 1, 0));
    let nodes = records.of("node_gpu");
    assert_eq!(nodes.len(), 3 * 4);
    for sampled in nodes.chunks(4) {
        let names: Vec<_> = sampled.iter().map(|node| node["name"].as_str().unwrap()).collect();
        let [left, right, scale] = ["left", "right", "scale"].map(|function| site(function, function));
        assert_eq!(names, [left.as_str(), &right, &right, &scale]);
        for node in sampled {
            assert_eq!(node["kernel"], "scale", "its own name: {node}");
            assert!(node["raw_duration_ns"].as_u64().unwrap() >= KERNEL_NS, "{node}");
        }
        // What is in a branch beside another is not alone.
        let reasons: Vec<_> = sampled.iter().map(|node| node["reason"].as_str()).collect();
        let beside = Some("another stream was at work at the same time");
        assert_eq!(&reasons[..3], [beside; 3]);
        assert_ne!(reasons[3], beside);
    }
    // No call was refused, but for the question whether an event has come.
    assert!(calls.all().iter().all(|call| [0, 600].contains(&call["status"].as_i64().unwrap_or(0))));
}

#[test]
fn nodes_that_the_driver_refuses_leave_the_graph_as_it_is() {
    for (call, status) in [
        ("cuGraphClone", 801),
        ("cuGraphExecGetFlags", 1),
        ("cuGraphGetEdges", 918),
        ("cuGraphNodeFindInClone", 1),
        ("cuGraphAddEventRecordNode", 801),
        ("cuGraphRemoveDependencies", 1),
    ] {
        let refusal = format!("{call}:0:{status}");
        let scenario = scenario!("cuda_graph_entered", 100).env("SCRIPTED_DRIVER_REFUSE", refusal);
        let run = scenario.driver().env("LAUNCHSITE", "time,nodes").out().run().success();
        assert_eq!((run.said("launches"), run.said("error")), (json!(99), Value::Null), "{call}");
        let (calls, records) = (run.driver_calls(), run.records());
        assert!(graph_launches(&calls).iter().all(|launch| (launch.1, launch.2) == (4, 2)), "{call}");
        assert_eq!(records.of("node_gpu").len(), 0, "{call}");
        let graph = records.of("graph").last().copied().unwrap().clone();
        assert!(graph["nodes_reason"].as_str().unwrap().contains(call), "{graph}");
        // What was copied is destroyed.
        let count = |call: &str| calls.of(call).iter().filter(|call| call["status"] == 0).count();
        assert_eq!(count("cuGraphDestroy"), count("cuGraphClone") + 1, "{call}");
    }
}

#[test]
fn s3_4_a_wait_in_a_capture_on_the_driver_is_an_error_and_the_next_entry_captures() {
    let (run, records, _) = on_driver(scenario!("cuda_graph_fails"));
    let failed = run.all_said("failed");
    assert!(failed[0].as_str().unwrap().contains("CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"), "{failed:?}");
    assert!(failed[1].as_str().unwrap().contains("CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"), "{failed:?}");
    assert_eq!(run.all_said("created"), [false, true, false, true]);
    assert_eq!(records.of("graph_launch").len(), 2);
}

#[test]
fn of_an_executable_by_its_handle_it_is_said_that_the_graph_is_not_known() {
    let (_, records, _) = on_driver(scenario!("cuda_graph_by_handle"));
    let replay = records.of("graph_launch")[0];
    let why = "nothing tells which graph the executable was made of";
    assert_eq!(
        (&replay["mode"], &replay["graph"], &replay["graph_reason"]),
        (&json!("timed"), &Value::Null, &json!(why))
    );
}
