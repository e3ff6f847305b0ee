//! Which GPU times are the kernel's own, and why the others are upper bounds.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail so")]

use launchsite_tests::{Records, scenario};
use serde_json::json;

const UNKNOWN_MODEL: &str = "what events add on this GPU is not known";
const MODEL_DIFFERS: &str = "events take another time on this GPU than on others of its model";
const IDLE: &str = "the stream was idle: the launch is in the time";
const OVERLAPPED: &str = "another stream was at work at the same time";
const MAY_WAIT: &str = "cudarc may have had the stream wait for an argument inside the launch call";
const NOT_PLACED: &str = "nothing tells when the GPU began";

/// What is taken off on the one model that was measured.
const CONSTANT_NS: u64 = 2850;

/// By how much each calibrated time is below the raw one.
fn taken_off(records: &Records) -> Vec<u64> {
    let calibrated = records.gpu().into_iter().filter(|gpu| gpu["accuracy"] == "calibrated");
    calibrated.map(|gpu| gpu["raw_duration_ns"].as_u64().unwrap() - gpu["gpu_duration_ns"].as_u64().unwrap()).collect()
}

/// The launches of the one row, how many were timed, and how many of these times are calibrated.
fn row(table: &str) -> Vec<&str> {
    let row = table.lines().find(|line| line.contains("sites::work")).unwrap();
    row.split_whitespace().skip(2).take(3).collect()
}

#[test]
fn on_a_busy_stream_of_a_known_model_times_are_calibrated() {
    let (run, records) = scenario!("busy", "h200", 10).checked();
    assert_eq!(records.accuracies(), [("calibrated", 10)].into());
    assert_eq!(taken_off(&records), [CONSTANT_NS; 10]);
    assert_eq!(run.said("capability"), 1, "the device is asked once");
    // The table counts them.
    let table = run.said("table");
    assert_eq!(row(table.as_str().unwrap()), ["10", "10", "10"]);
    assert!(!table.as_str().unwrap().contains("upper bound"), "{table}");
}

#[test]
fn without_an_output_the_table_has_calibrated_times_too() {
    let run = scenario!("busy", "h200", 10).env("LAUNCHSITE", "time").run().success();
    let table = run.said("table");
    assert_eq!(row(table.as_str().unwrap()), ["10", "10", "10"]);
}

#[test]
fn on_a_model_that_is_not_known_or_that_differs_times_are_upper_bounds() {
    for (plays, reason) in [("nothing", UNKNOWN_MODEL), ("other", UNKNOWN_MODEL), ("slow", MODEL_DIFFERS)] {
        let (run, records) = scenario!("busy", plays, 5).checked();
        assert_eq!(records.accuracies(), [(reason, 5)].into(), "{plays}");
        assert_eq!(run.said("capability"), 1, "the device is asked once: {plays}");
        let table = run.said("table");
        let line = format!("5 times are upper bounds: {reason}");
        assert!(table.as_str().unwrap().contains(&line), "{table}");
    }
    let (_, records) = scenario!("busy", "h200", 5, "no_anchor").refused();
    assert_eq!(records.accuracies(), [(NOT_PLACED, 5)].into());
}

/// On an H200 that had been idle, the first events of a process took longer than they do from then on.
#[test]
fn a_gpu_whose_first_events_take_long_is_asked_again() {
    let (run, records) = scenario!("wakes", "h200", 5).checked();
    let seen = records.accuracies();
    assert_eq!((seen[MODEL_DIFFERS] + seen["calibrated"], run.said("capability")), (25, json!(1)), "{seen:?}");
    assert!(seen[MODEL_DIFFERS] >= 5 && seen["calibrated"] >= 10, "{seen:?}");
}

#[test]
fn on_an_idle_stream_times_are_upper_bounds() {
    let (_, records) = scenario!("idle", "h200", 5).checked();
    assert_eq!(records.accuracies(), [(IDLE, 5)].into());
}

#[test]
fn s0_12_where_a_wait_may_be_inside_the_time_is_an_upper_bound_and_says_so() {
    let (_, records) = scenario!("busy", "waits", 5).checked();
    assert_eq!(records.accuracies(), [(MAY_WAIT, 5)].into());
    // Where only the table asks, the device is not asked when they began, and what is said is the same.
    let run = scenario!("busy", "waits", 5).env("LAUNCHSITE", "time").run().success();
    assert!(run.said("table").as_str().unwrap().contains(&format!("5 times are upper bounds: {MAY_WAIT}")));
}

#[test]
fn s0_12_windows_of_two_streams_that_overlap_are_upper_bounds_however_late_one_ends() {
    let (_, records) = scenario!("one_in_another", "h200", 5).checked();
    // The long one is told of long behind those inside it; what comes behind it in its stream is alone again.
    assert_eq!(records.accuracies(), [("calibrated", 5), (OVERLAPPED, 6)].into());
    let long = records.gpu().into_iter().find(|gpu| gpu["name"].as_str().unwrap().contains("sites::spans")).unwrap();
    assert_eq!(long["reason"], OVERLAPPED);
}

#[test]
fn s0_12_streams_of_another_device_are_not_in_the_time() {
    let (_, records) = scenario!("side_by_side", "h200", 5).checked();
    assert_eq!(records.accuracies(), [("calibrated", 10)].into());
}

#[test]
fn a_calibration_that_is_asked_for_holds_from_then_on() {
    for (plays, first, constant, of_model) in [
        ("other", UNKNOWN_MODEL, 2755, false),
        ("slow", MODEL_DIFFERS, 2755, false),
        ("h200", "calibrated", 2850, true),
    ] {
        let (run, records) = scenario!("calibrate", plays).checked();
        assert_eq!(run.said("measured"), json!([constant, 2120, 3390, of_model]), "{plays}");
        let mut expected = vec![(first, 5)];
        if first == "calibrated" {
            expected[0].1 = 10;
        } else {
            expected.push(("calibrated", 5));
        }
        assert_eq!(records.accuracies(), expected.into_iter().collect(), "{plays}");
        assert!(taken_off(&records).iter().all(|&ns| ns == constant), "{plays}");
    }
}

#[test]
fn a_calibration_loads_nothing_where_launchsite_is_off() {
    let run = scenario!("calibrate_off", "h200").env("LAUNCHSITE", "off").run().success();
    assert_eq!((run.said("measured"), run.said("loads")), (json!("launchsite is off"), json!(0)));
}
