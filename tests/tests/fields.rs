//! What records say of launches beside what launchsite knows itself.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail so")]

use launchsite_tests::{Records, scenario};
use serde_json::{Value, json};

/// Kernel and fields of each launch, in order. The GPU's record has the same.
fn fields(records: &Records) -> Vec<(String, Value)> {
    for launch in records.launches() {
        assert_eq!(records.gpu_of(launch).unwrap()["fields"], launch["fields"], "{launch}");
    }
    let row = |launch: &&Value| (launch["kernel"].as_str().unwrap().to_owned(), launch["fields"].clone());
    records.launches().iter().map(row).collect()
}

fn of_plain(records: &Records) -> Vec<Value> {
    fields(records).into_iter().map(|(_, fields)| fields).collect()
}

#[test]
fn values_keep_their_types() {
    let (_, records) = scenario!("field_types").checked();
    let first = json!({
        "type": 3, "text": "te\"xt\n", "int": 7, "below": -7, "most": u64::MAX, "least": i64::MIN, "size": 5,
        "reference": 9, "whole": 1.0, "float": 0.25, "huge": f64::MAX, "none": "NaN", "yes": true, "no": false, "c": "π",
        "wide": "1", "shown": "größe", "str": "plain",
    });
    let rows = of_plain(&records);
    assert_eq!(rows, [first, json!({"value": 1}), json!({"value": "one"}), json!({"value": 2.5})]);
    assert!(rows[0]["whole"].is_f64() && rows[0]["int"].is_i64());
}

#[test]
fn fields_are_those_of_the_function_and_of_the_thread() {
    let (run, records) = scenario!("field_guards").checked();
    let own = json!({"layer": 3, "query_id": "q7", "kind": "own"});
    let expected = [
        ("first", own.clone()),
        // What the function says of its launches stands before what the thread has.
        ("second", json!({"step": 1, "layer": 3, "query_id": "q7", "kind": "own"})),
        // A function that is called has what the thread has.
        ("plain", json!({"step": 1, "kind": "thread"})),
        ("moved", own),
        ("in_scope", json!({"depth": 1})),
        ("plain", json!({"a": 1, "b": 2})),
        ("plain", json!({"a": 1, "b": "two", "c": 4})),
        ("plain", json!({"a": 1, "b": 2})),
        ("plain", json!({})),
        ("plain", json!({})),
    ];
    assert_eq!(fields(&records), expected.map(|(kernel, fields)| (kernel.to_owned(), fields)));
    assert_eq!(records.of("scope")[0]["fields"], json!({"depth": 1}));
    assert_eq!(records.of("scope_gpu")[0]["fields"], json!({"depth": 1}));
    assert_eq!((run.said("panicked"), run.said("evaluated")), (json!(true), json!(0)));
    // With ranges alone there are no records, and nothing is asked for.
    let run = scenario!("field_guards").tool().run().success();
    assert_eq!(run.calls().of("push").len(), 11);
}

#[test]
fn a_task_and_a_thread_take_fields_along() {
    let (_, records) = scenario!("field_tasks").checked();
    let mut rows: Vec<_> = of_plain(&records).iter().map(Value::to_string).collect();
    rows.sort();
    let mut expected: Vec<_> = [1, 2]
        .into_iter()
        .flat_map(|query| (0..3).map(move |step| json!({"query": query, "step": step}).to_string()))
        .chain([json!({}).to_string(), json!({"query": 3}).to_string()])
        .collect();
    expected.sort();
    assert_eq!(rows, expected);
}

/// Sets are kept for good: they are bounded, and what is beyond is counted.
#[test]
fn there_are_so_many_sets_and_no_more() {
    let run = scenario!("field_sets", 3000).out().run().success();
    assert_eq!((run.said("without_fields"), run.said("of_the_last")), (json!(0), json!(true)));
    let run = scenario!("field_sets", 40_000).out().run().success();
    assert_eq!(run.said("of_the_last"), false);
    let left_out = run.said("without_fields").as_u64().unwrap();
    // Threads that race for a place may each take room for the same set: never more is kept, and seldom less.
    let exact = 8 * (40_000 - 32_768) + 1;
    assert!((exact..exact + 8 * 64).contains(&left_out), "{left_out}");
    assert_eq!(of_plain(&run.records()), [json!({})]);
}

#[test]
fn a_sink_is_told_of_fields() {
    let run = scenario!("field_sink").env("LAUNCHSITE", "on").run().success();
    let told = "{\"layer\": Signed(4), \"name\": Text(\"x\")} true 2";
    assert_eq!((run.said("host"), run.said("gpu")), (json!(told), json!(told)));
}

#[test]
fn s0_7_a_field_that_cannot_be_shown_changes_nothing() {
    for how in ["panic", "error"] {
        let (run, records) = scenario!("fields_that_fail", how).checked();
        assert_eq!((run.said("without_fields"), run.said("result")), (json!(1), json!(1)), "{how}");
        assert_eq!(of_plain(&records), [json!({"kept": 1})], "{how}");
    }
}

#[test]
fn fields_that_were_there_before_allocate_nothing() {
    let (run, _) = scenario!("fields_steady").checked();
    assert_eq!(run.said("allocations"), 0);
}

#[test]
fn work_is_on_records_and_rates_are_in_the_table() {
    let run = scenario!("work").env("LAUNCHSITE", "on").env("LAUNCHSITE_SUMMARY", "1").out().run();
    let records = run.records();
    let row = |launch: &&Value| json!([launch["kernel"], launch["flops"], launch["bytes"], launch["fields"]]);
    let rows: Vec<_> = records.launches().iter().map(row).collect();
    let gemm = |m: u64| json!(["gemm", 2 * m * m * m, 12 * m * m, {"m": m}]);
    let copies = |bytes: Value| json!(["copies", null, bytes, {"step": 4}]);
    let plain = json!(["plain", null, null, {}]);
    let huge = f64::from(1.5e20_f32);
    let expected = [
        gemm(64),
        gemm(64),
        gemm(128),
        copies(json!(huge)),
        copies(json!(0.5)),
        // What is no amount is absent.
        copies(json!(null)),
        copies(json!(null)),
        copies(json!(null)),
        copies(json!(0)),
        plain.clone(),
        plain,
    ];
    assert_eq!(rows, expected);
    assert!(records.launches()[9].get("flops").is_none(), "absent, not null");
    assert_eq!(records.of("scope")[0]["flops"], 5);
    assert_eq!(run.said("asked"), 3, "once for each call");
    let [flops, bytes, total] = [0, 1, 2].map(|at| run.said("fields::gemm")[at].as_f64().unwrap());
    assert_eq!(run.said("fields::gemm")[3], 3);
    let all = f64::from(2 * 2 * 64_u32.pow(3) + 2 * 128_u32.pow(3));
    assert!((flops - all / total / 1000.0).abs() <= flops * 1e-9, "{flops} of {all} in {total} ns");
    let all = f64::from(2 * 12 * 64_u32.pow(2) + 12 * 128_u32.pow(2));
    assert!((bytes - all / total).abs() <= bytes * 1e-9, "{bytes} of {all} in {total} ns");
    assert_eq!(run.said("fields::plain")[0], json!(null));
    assert!(run.said("fields::whole")[0].as_f64().unwrap() > 0.0);
    let table = &run.stderr;
    let head = table.lines().find(|line| line.starts_with("site")).unwrap();
    assert!(head.ends_with("share  TFLOP/s     GB/s") || head.contains("TFLOP/s"), "{head}");
    let gemm = table.lines().find(|line| line.starts_with("fields::gemm")).unwrap();
    assert!(gemm.split_whitespace().rev().take(2).all(|rate| rate.starts_with('>')), "lower bounds: {gemm}");

    // Nothing is asked for where nothing is recorded.
    let ranges = scenario!("work").tool().run().success();
    assert_eq!(ranges.said("asked"), 0);
    // And no columns where nobody says what is done.
    let run = scenario!("field_guards").env("LAUNCHSITE_SUMMARY", "1").run();
    assert!(!run.stderr.contains("FLOP") && !run.stderr.contains("GB/s"), "{}", run.stderr);
}
