//! GPU times of launches.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail so")]

use std::collections::BTreeMap;

use launchsite_tests::scenario;
use serde_json::{Value, json};

// vortex#9436: two events for each launch, for nothing.
#[test]
fn s0_1_without_timing_the_device_is_asked_for_nothing() {
    for value in ["off", "nvtx", ""] {
        let run = scenario!("counts", 50).env("LAUNCHSITE", value).run().success();
        assert_eq!(run.said("result"), 50, "{value}");
        let counts = run.said("counts");
        let expected = json!({
            "creates": 0, "destroys": 0, "records": 0, "elapsed": 0, "enters": 0, "holds": 0, "releases": 0,
            "launches": 50, "streams": 1,
        });
        assert_eq!(counts, expected, "{value}");
        assert_eq!(run.said("threads"), json!(["host-stream-1", "scenario"]), "{value}");
        assert_eq!(run.folder().names(), [""; 0], "{value}");
    }
}

#[test]
fn s0_1_records_without_timing_have_no_events() {
    let run = scenario!("counts", 50).env("LAUNCHSITE", "nvtx").out().run().success();
    let records = run.records();
    records.assert_modes(&[("named", 50)]);
    assert_eq!((records.gpu().len(), records.reasons().len()), (0, 0));
    let counts = run.said("counts");
    assert_eq!((&counts["creates"], &counts["records"], &counts["streams"]), (&json!(0), &json!(0), &json!(1)));
}

#[test]
fn s0_1_results_are_the_same_with_and_without() {
    for value in ["off", "nvtx", "time", "on"] {
        for (name, result) in [("two_sites", 220), ("closure_and_loop", 30), ("modules", 140)] {
            let run = scenario!(name, 10).env("LAUNCHSITE", value).run().success();
            assert_eq!(run.said("result"), result, "{name} with {value}");
        }
    }
}

#[test]
fn s0_2_every_launch_has_its_gpu_record() {
    let (run, records) = scenario!("saxpy", 1000).checked();
    assert_eq!(run.said("result"), 1000);
    records.assert_modes(&[("timed", 1000)]);
    assert_eq!(records.gpu().len(), 1000);
    assert!(records.gpu().iter().all(|gpu| gpu.get("error").is_none()));
}

#[test]
fn s0_3_host_records_tell_what_the_launch_and_what_we_took() {
    let (_, records) = scenario!("saxpy", 20).checked();
    let time = |launch: &Value, key: &str| launch[key].as_u64().unwrap();
    let launches = records.launches();
    let (last, before) = launches.split_last().unwrap();
    let mut spent = 0;
    for launch in before {
        assert!(time(launch, "overhead_ns") > 0, "{launch}");
        spent += time(launch, "stop_ns") - time(launch, "start_ns") + time(launch, "overhead_ns");
    }
    // One thread: all of it lies before the last launch, and no moment of it counts twice.
    assert!(spent <= time(last, "start_ns"), "{spent} ns in all before {last}");
}

#[test]
fn s0_4_a_launch_returns_before_its_kernel_ends_and_the_time_is_the_kernels() {
    let run = scenario!("held_kernel").out().run().success();
    let records = run.records();
    let [inside, outside] = ["inside_ns", "outside_ns"].map(|what| run.said(what).as_u64().unwrap());
    let duration = records.gpu()[0]["gpu_duration_ns"].as_u64().unwrap();
    assert!((inside..=outside).contains(&duration), "{duration} is not within {inside}..={outside}");
}

#[test]
fn s0_4_gpu_times_stand_on_the_hosts_clock() {
    let run = scenario!("flush", 20).out().run().success();
    let records = run.records();
    let mut placed = 0;
    for launch in records.launches() {
        let gpu = records.gpu_of(launch).unwrap();
        let Some(start) = gpu["start_ns"].as_i64() else {
            continue;
        };
        placed += 1;
        // The first event is in the stream before the launch begins, and no earlier than our part of it; the clocks
        // are apart by no more than the anchor may be uncertain.
        let earliest = launch["start_ns"].as_i64().unwrap() - launch["overhead_ns"].as_i64().unwrap();
        assert!(start >= earliest - 50_000_000, "{launch} and {gpu}");
    }
    assert!(placed > 0, "no GPU time has a place");
}

#[test]
fn s0_3_a_launch_call_that_takes_long_took_so_long() {
    // Longer than 32 bits of nanoseconds hold.
    let (run, records) = scenario!("slow_launch", 4400).checked();
    let launch = records.only_launch();
    let [start, stop, ours] = ["start_ns", "stop_ns", "overhead_ns"].map(|key| launch[key].as_u64().unwrap());
    assert!(stop - start >= 4_400_000_000, "{} ns", stop - start);
    // And no longer; what we took is not in it, and it is not in what we took.
    assert!(stop - start + ours <= run.said("outside_ns").as_u64().unwrap(), "{launch}");
}

// peak#83: a pool that is filled once; triton, cudf: a harvester that takes the application's locks.
#[test]
fn s0_10_threads_that_launch_and_threads_that_wait_end() {
    for _ in 0..3 {
        let (run, records) = scenario!("threads", 4, 3, 200).checked();
        assert_eq!(run.said("result"), 4 * 3 * 200);
        assert_eq!(records.end()["launches"], 4 * 3 * 200);
    }
    // The stand-in takes launches faster than a slow machine reads them: some may find no window, which is said.
    let many = scenario!("threads", 4, 2, 10_000).env("LAUNCHSITE", "on").run().warned();
    assert_eq!(many.said("result"), 4 * 2 * 10_000);
    for _ in 0..10 {
        let run = scenario!("threads", 8, 2, 50).env("LAUNCHSITE", "on").run().success();
        assert_eq!(run.said("result"), 8 * 2 * 50);
    }
}

#[test]
fn s0_10_a_sink_may_take_a_lock_that_the_program_holds() {
    for _ in 0..3 {
        let run = scenario!("sink_takes_app_lock", 3, 50).out().run().success();
        assert_eq!(run.said("result"), 151);
        assert_eq!((run.said("seen"), run.said("flushed_under_the_lock")), (json!(151), json!(false)));
        run.records().check_contract();
    }
}

// peak#65, camp#71: what grows with every launch, and what is never destroyed.
#[test]
fn s0_10_events_are_used_again_and_destroyed() {
    let (run, records) = scenario!("many_windows", 300, 100).checked();
    assert_eq!(run.said("held")["creates"], run.said("counts")["creates"], "events of ended windows are used again");
    assert_eq!(records.end()["launches"], 401);
    // A thread's for the one behind it: two for all twenty threads, or a few more, and the collector's own.
    let creates = scenario!("short_lived", 20).checked().0.said("counts")["creates"].as_u64().unwrap();
    assert!(creates < 20, "{creates} events for twenty threads, of which one at a time was there");
}

// RustaCUDA#68, cudf#16018: a context that is gone, or that is kept from going.
#[test]
fn s0_10_a_context_is_held_while_a_window_waits_and_no_longer() {
    for name in ["counts", "refuse_create", "refuse_start", "refuse_stop", "refuse_elapsed", "launch_fails"] {
        let run = scenario!(name, 10).env("LAUNCHSITE", "on").out().run().warned();
        let counts = run.said("counts");
        assert!(counts["holds"].as_u64().unwrap() > 0, "{name}: {counts}");
        // The last launch's window may wait still.
        let held = counts["holds"].as_u64().unwrap() - counts["releases"].as_u64().unwrap();
        assert!(held <= 1, "{name}: {counts}");
    }
    let run = scenario!("panic_in_launch", 10).env("LAUNCHSITE", "on").run().success();
    let panicked = run.said("panicked");
    assert_eq!(panicked["holds"], panicked["releases"], "{panicked}");
}

// peak#83: later launches dropped, so that only the warm-up is seen.
#[test]
fn s0_10_more_windows_than_are_kept_are_refused_and_counted() {
    let (run, records) = scenario!("many_windows", 5000, 3).refused();
    assert_eq!(run.said("result"), 5003);
    assert_eq!(records.end()["launches"], 5004);
    let too_many = records.reasons();
    assert!(!too_many.is_empty() && too_many.iter().all(|reason| reason.contains("too many windows")));
    let late = records.launches().into_iter().filter(|launch| launch["function"] == "nn::relu");
    assert_eq!(late.filter(|launch| launch["mode"] == "timed").count(), 3, "the late site is timed");
}

#[test]
fn s0_10_what_finds_no_room_is_counted() {
    let run = scenario!("full_queue", 10_000).out().run().warned();
    assert_eq!(run.said("result"), 10_001);
    let records = run.records();
    let end = records.end();
    assert_eq!(end["launches"], 10_001);
    assert!(end["lost"].as_u64().unwrap() > 0, "{end}");
    let late = records.launches().into_iter().find(|launch| launch["function"] == "nn::relu");
    assert_eq!(late.expect("the late site is there")["mode"], "timed");
}

// warp#556, peak#84, CUDA.jl#1229: events in a capture.
#[test]
fn s3_7_a_capture_is_left_as_it_is() {
    let run = scenario!("capturing", 5).out().run().success();
    let captured = run.said("captured");
    assert_eq!((&captured["creates"], &captured["records"]), (&json!(0), &json!(0)));
    assert_eq!((run.said("nodes"), run.said("result")), (json!(5), json!(1)));
    let records = run.records();
    records.assert_modes(&[("captured", 5), ("timed", 1)]);
    assert!(records.reasons().iter().all(|reason| reason.contains("capture")));
}

// cudarc#165, #108, unified-runtime#2276: more than one device.
#[test]
fn s4_8_streams_of_two_devices_are_told_apart() {
    let run = scenario!("two_devices").out().run().success();
    let records = run.records();
    assert_eq!(records.streams().len(), 4);
    let pair = |launch: &Value| (launch["number"].as_u64(), launch["stream"].as_u64().unwrap());
    // In the order of the launches, which is not that of the lines.
    let streams: BTreeMap<_, _> = records.launches().into_iter().map(pair).collect();
    let streams: Vec<_> = streams.into_values().collect();
    assert_eq!(streams[..4], streams[4..], "a stream keeps its number");
    let mut each = streams[..4].to_vec();
    each.sort_unstable();
    assert_eq!(each, [0, 1, 2, 3]);
    assert!(records.launches().iter().all(|launch| launch["device"] == 0));
    assert_eq!(records.session()["devices"][0]["name"], "host stand-in");
}

// pytorch#192021: the first kernels behind the switch are lost.
#[test]
fn s2_7_the_first_launch_behind_the_switch_is_there() {
    let run = scenario!("turned_on_and_off").run().success();
    assert_eq!(run.all_said("seen"), [json!([0, 0]), json!([2, 1]), json!([2, 1]), json!([4, 1])]);
    assert_eq!((run.said("result"), &run.all_said("set")[..]), (json!(8), &vec![json!(true); 4][..]));
}
