//! What becomes of a launch when calls are refused, bodies return errors, and code panics.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail so")]

use launchsite_tests::scenario;
use serde_json::{Value, json};

// NVTX#122, cudf-polars: an error of the body.
#[test]
fn s0_7_an_error_of_the_body_reaches_the_caller() {
    let run = scenario!("question_mark").out().run().success();
    let errors = [json!("before"), json!("after"), json!("argument"), Value::Null];
    assert_eq!(run.all_said("error"), vec![errors; 3].concat());
    assert_eq!(run.said("result"), 6);
    let records = run.records();
    // What came to no launch left no record.
    records.assert_modes(&[("timed", 6)]);
}

#[test]
fn s0_7_a_panic_of_the_body_has_its_own_payload() {
    let run = scenario!("panics").out().run().success();
    assert_eq!(run.all_said("panic"), vec![[json!("after"), json!("argument")]; 3].concat());
    let records = run.records();
    records.assert_modes(&[("timed", 6)]);
    assert_eq!(run.said("result"), 6);
}

#[test]
fn s0_7_a_panic_between_the_events_gives_them_back() {
    let (run, records) = scenario!("panic_in_launch", 20).checked();
    assert_eq!(run.all_said("panic"), vec![json!("launch"); 20]);
    assert_eq!(run.said("result"), 20);
    records.assert_modes(&[("failed", 20), ("timed", 20)]);
    assert_eq!(records.reasons(), ["the launch panicked"; 20]);
    // Two for all twenty, and the collector's own.
    assert!(run.said("panicked")["creates"].as_u64().unwrap() <= 3, "{}", run.said("panicked"));
}

#[test]
fn s0_7_a_launch_that_fails_has_no_gpu_record_and_gives_its_events_back() {
    let (run, records) = scenario!("launch_fails", 20).checked();
    assert_eq!(run.all_said("error"), vec![json!(["cuLaunchKernel", 719]); 20]);
    records.assert_modes(&[("failed", 20), ("timed", 20)]);
    assert_eq!(records.reasons(), ["the launch returned an error"; 20]);
    let untimed = scenario!("launch_fails", 5).env("LAUNCHSITE", "nvtx").out().run().success();
    untimed.records().assert_modes(&[("failed", 5), ("named", 5)]);
    // Timing was not asked for, so its absence has no reason.
    assert_eq!(untimed.records().reasons(), [""; 0]);
}

#[test]
fn s0_8_an_end_event_that_is_refused_leaves_the_launch_alone() {
    // 400 says that the event is gone, 719 that the device is in trouble.
    for (code, spared) in [(719, true), (400, false)] {
        let run = scenario!("refuse_stop", 3, code).out().run().warned();
        let records = run.records();
        assert_eq!(run.said("result"), 5);
        records.assert_modes(&[("refused", 3), ("timed", 2)]);
        for reason in records.reasons() {
            assert!(reason.contains("cuEventRecord") && reason.contains(&code.to_string()), "{reason}");
        }
        if spared {
            assert_eq!(run.said("before")["creates"], run.said("after")["creates"], "the events are used again");
        }
    }
}

#[test]
fn s0_8_events_go_back_when_the_context_is_refused_behind_the_launch() {
    let (run, records) = scenario!("refuse_leaving", 10).refused();
    assert_eq!(run.said("result"), 11);
    records.assert_modes(&[("refused", 10), ("timed", 1)]);
    assert!(records.reasons().iter().all(|reason| reason.contains("cuCtxSetCurrent")), "{:?}", records.reasons());
    // At most one pair more: what is not given back is made anew each time, until there are too many.
    let [before, after] = ["before", "after"].map(|what| run.said(what)["creates"].as_u64().unwrap());
    assert!(after <= before + 2, "{before} events before, {after} behind ten refusals");
}

#[test]
fn s0_9_an_elapsed_time_that_is_refused_is_an_error_and_not_zero() {
    let (run, records) = scenario!("refuse_elapsed", 10).refused();
    assert_eq!(run.said("result"), 20);
    records.assert_modes(&[("timed", 20)]);
    let errors: Vec<_> = records.gpu().iter().filter_map(|gpu| gpu["error"].as_str()).collect();
    assert_eq!(errors.len(), 10);
    assert!(errors.iter().all(|error| error.contains("cuEventElapsedTime") && error.contains("719")), "{errors:?}");
}

#[test]
fn s1_9_a_time_below_zero_is_an_error_and_in_no_sum() {
    let (run, records) = scenario!("impossible_elapsed", 10).refused();
    assert_eq!(run.said("result"), 10);
    records.assert_modes(&[("timed", 10)]);
    assert!(records.gpu().iter().all(|gpu| gpu["error"] == "the device gave a time below zero"), "{:?}", records.gpu());
}

#[test]
fn s0_9_without_an_anchor_there_are_durations_all_the_same() {
    for name in ["refuse_anchor", "refuse_relax"] {
        let (_, records) = scenario!(name, 10).refused();
        records.assert_modes(&[("timed", 20)]);
        assert!(records.gpu().iter().all(|gpu| gpu["gpu_duration_ns"].is_u64()), "{name}");
        assert_eq!(records.session()["anchor_uncertainty_ns"], Value::Null, "{name}");
    }
}

#[test]
fn s0_13_without_events_launches_go_ahead_with_one_warning() {
    let (run, records) = scenario!("refuse_create", 5).refused();
    assert_eq!(run.said("result"), 10);
    records.assert_modes(&[("refused", 5), ("timed", 5)]);
    assert!(records.reasons().iter().all(|reason| reason.contains("cuEventCreate") && reason.contains("719")));
    let _ = run.complains_once(&["cuEventCreate"]);
}

#[test]
fn s4_3_the_reason_is_the_refusing_calls_own() {
    for (name, call) in [
        ("refuse_start", "cuEventRecord"),
        ("refuse_capturing", "cuStreamIsCapturing"),
        ("refuse_enter", "cuCtxSetCurrent"),
        ("refuse_hold", "cuDevicePrimaryCtxRetain"),
    ] {
        let (run, records) = scenario!(name, 5).refused();
        assert_eq!(run.said("result"), 10, "{name}");
        records.assert_modes(&[("refused", 5), ("timed", 5)]);
        let reasons = records.reasons();
        assert!(reasons.iter().all(|reason| reason.contains(call) && reason.contains("719")), "{reasons:?}");
    }
}

#[test]
fn s4_3_every_mode_has_its_word() {
    let run = scenario!("every_mode").out().run().warned();
    assert_eq!((run.said("failed"), run.said("result")), (json!(true), json!(2)));
    let records = run.records();
    let expected = [
        ("sites::saxpy", "timed", false),
        ("sites::two_sites", "captured", true),
        ("sites::two_sites", "captured", true),
        ("nn::relu", "refused", true),
        ("nn::softmax", "failed", true),
    ];
    let launches = records.launches();
    assert_eq!(launches.len(), expected.len());
    for (launch, (function, mode, has_reason)) in launches.iter().zip(expected) {
        assert_eq!((&launch["function"], &launch["mode"]), (&json!(function), &json!(mode)));
        assert_eq!(launch.get("reason").is_some(), has_reason, "{launch}");
    }
}

#[test]
fn s4_3_a_stream_that_nothing_tells_is_said_to_be_unknown() {
    let (run, records) = scenario!("opaque", "second").refused();
    assert_eq!(run.said("result"), 2);
    let launch = records.launches()[1];
    assert_eq!(
        (&launch["mode"], &launch["stream"], &launch["kernel"]),
        (&json!("refused"), &Value::Null, &Value::Null)
    );
    assert!(launch["reason"].as_str().unwrap().contains("stream"), "{launch}");
    // Its configuration is known all the same.
    assert_eq!((&launch["grid"], &launch["block"]), (&json!([7, 2, 1]), &json!([32, 4, 3])));
}
