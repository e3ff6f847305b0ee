//! Forms of launches beside the builder, and what the attribute can be told.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail so")]

use std::collections::BTreeMap;

use launchsite_tests::{Records, line_of, scenario};
use serde_json::{Value, json};

const FORMS: &str = include_str!("../src/bin/scenario/forms.rs");
const FILE: &str = "launchsite-tests/src/bin/scenario/forms.rs";

fn at(marker: &str) -> String {
    format!("{FILE}:{}", line_of(FORMS, marker))
}

fn name(function: &str, marker: &str) -> String {
    format!("{function} {}", at(marker))
}

/// How many records of `scope` there are by name, mode, and whether the stream is known.
fn found(records: &Records, scope: &str) -> BTreeMap<(String, String, bool), usize> {
    let mut found = BTreeMap::new();
    for record in records.of(scope) {
        let text = |key: &str| record[key].as_str().unwrap().to_owned();
        *found.entry((text("name"), text("mode"), record["stream"].is_u64())).or_default() += 1;
    }
    found
}

fn expected<const N: usize>(rows: [(String, &str, bool, usize); N]) -> BTreeMap<(String, String, bool), usize> {
    rows.into_iter().map(|(name, mode, stream, count)| ((name, mode.to_owned(), stream), count)).collect()
}

// Shapes V75, V79; S3-8: a replay is one launch of its own, and no launch of what was captured.
#[test]
fn s3_8_a_graphs_launches_are_records_of_their_own() {
    let (run, records) = scenario!("graph", 3).checked();
    assert_eq!(run.said("result"), 2 * 3 * 3);
    let captured = [("captured_first", "captured", true, 1), ("captured_second", "captured", true, 1)];
    let captured = captured.map(|(at, mode, stream, count)| (name("forms::make_graph", at), mode, stream, count));
    assert_eq!(found(&records, "launch"), expected(captured));
    let replays = ["graph_place", "graph_value"].map(|at| (name("Held::replay", at), "timed", true, 3));
    assert_eq!(found(&records, "graph_launch"), expected(replays));
    assert_eq!(records.end()["launches"], 2);
    let with_tool = scenario!("graph", 3).tool().run().success();
    with_tool.calls().check_balance();
    assert_eq!(with_tool.calls().pushed().len(), 2 + 6);
}

#[test]
fn a_stream_that_is_given_is_asked_for_once_and_only_where_it_is_wanted() {
    let (run, records) = scenario!("stream_argument", 4).checked();
    assert_eq!((run.said("asked"), run.said("result")), (json!(4), json!(8)));
    let told = [("told_first", 4), ("told_moved", 4), ("told_called", 4)];
    let told = told.map(|(at, count)| (name("forms::told", at), "timed", true, count));
    assert_eq!(found(&records, "launch"), expected(told));
    for parts in ["off", "nvtx"] {
        let run = scenario!("stream_argument", 4).env("LAUNCHSITE", parts).tool().run().success();
        assert_eq!((run.said("asked"), run.said("result")), (json!(0), json!(8)), "{parts}");
    }
}

#[test]
fn a_builder_knows_its_stream_better_than_what_is_given() {
    let (_, records) = scenario!("stream_wrong").checked();
    let stream = |marker: &str| {
        let name = name("forms::told_wrong", marker);
        records.launches().into_iter().find(|launch| launch["name"] == name).unwrap()["stream"].clone()
    };
    assert_ne!(stream("told_wrong"), stream("told_right"));
}

#[test]
fn s4_5_scopes_are_the_parents_of_what_is_inside() {
    let (run, records) = scenario!("scopes", 2).checked();
    assert_eq!(run.said("result"), 2 * 7);
    let scopes = [
        (name("forms::timed_scope", "timed_scope"), "timed", true, 2),
        // Without a stream there is nothing to time, and nobody asked for it.
        (name("forms::inner_scope", "inner_scope"), "named", false, 2),
    ];
    assert_eq!(found(&records, "scope"), expected(scopes));
    let by_id: BTreeMap<_, _> =
        records.of("scope").into_iter().map(|scope| (scope["trace_event_id"].as_str().unwrap(), scope)).collect();
    let parent = |record: &Value| record["parent"].as_str().map(|id| by_id[id]["function"].as_str().unwrap());
    for launch in records.launches() {
        let expected = match launch["kernel"].as_str().unwrap() {
            "one" => Some("forms::timed_scope"),
            "two" => Some("forms::inner_scope"),
            _ => None,
        };
        assert_eq!(parent(launch), expected, "{launch}");
    }
    for scope in records.of("scope") {
        let outer = (scope["function"] == "forms::inner_scope").then_some("forms::timed_scope");
        assert_eq!(parent(scope), outer, "{scope}");
    }
}

/// Ranges nest as the calls do.
#[test]
fn s4_1_a_scope_is_a_range_around_the_call() {
    let run = scenario!("scopes", 1).tool().run().success();
    let calls = run.calls();
    let scopes = ["timed_scope", "in_scope", "inner_scope", "in_inner_scope", "beside_scope"].map(at);
    let pushed = calls.pushed();
    assert!(pushed.iter().zip(&scopes).all(|(pushed, at)| pushed.ends_with(at.as_str())), "{pushed:?}");
    assert_eq!(pushed.len(), scopes.len());
    assert_eq!(calls.depths(), [1, 2, 2, 3, 1]);
}

#[test]
fn s4_1_a_scope_ends_whichever_way_the_function_is_left() {
    let table =
        [("", "timed", "Ok(Ok(2))"), ("return", "timed", "Ok(Ok(1))"), ("err", "timed", "Ok(Err(\"question mark\"))")];
    for (how, mode, left) in table {
        let (run, records) = scenario!("scope_ends", how).checked();
        assert_eq!(run.said("left"), left);
        assert_eq!(found(&records, "scope"), expected([(name("forms::leaves", "leaves"), mode, true, 1)]));
        assert!(records.only_launch()["parent"].is_null(), "{how}");
    }
    // S1-18: with its own payload, and the window abandoned.
    let run = scenario!("scope_ends", "panic").out().tool().run();
    assert!(run.status.success(), "{run:?}");
    assert_eq!(run.said("left"), "Err(Some(\"a panic of the program's\"))");
    assert_eq!(found(&run.records(), "scope"), expected([(name("forms::leaves", "leaves"), "failed", true, 1)]));
    run.calls().check_balance();
}

#[test]
fn s1_15_a_capture_that_begins_inside_a_scope_gets_no_event() {
    let (run, records) = scenario!("scope_capture").checked();
    assert_eq!(run.said("nodes"), 1, "the launch, and nothing of ours");
    let scope = &records.of("scope")[0];
    assert_eq!((&scope["mode"], scope["reason"].is_string()), (&json!("captured"), true), "{scope}");
    records.assert_modes(&[("captured", 1), ("timed", 1)]);
}

#[test]
fn s2_5_a_helper_is_named_after_the_place_that_calls_it() {
    let (run, records) = scenario!("callers").checked();
    let rows = [
        ("fill", "caller_first", 3),
        ("fill", "caller_second", 1),
        ("fill_twice", "caller_of_both", 1),
        ("fill", "caller_of_both", 1),
        ("fill", "caller_of_one_without", 1),
        // By a pointer: nobody knows the caller, and the definition stands for it.
        ("fill", "fill", 1),
    ];
    let mut rows: Vec<_> =
        rows.map(|(function, at, count)| (name(&format!("forms::{function}"), at), count)).into_iter().collect();
    for launch in records.launches() {
        let caller = launch["caller"].as_str().unwrap();
        assert!(launch["name"].as_str().unwrap().ends_with(caller), "{launch}");
        let row = rows.iter_mut().find(|(name, _)| launch["name"] == *name);
        row.unwrap_or_else(|| panic!("{launch}")).1 -= 1;
    }
    assert!(rows.iter().all(|(_, left)| *left == 0), "{rows:?}");
    assert_eq!(run.said("names_worked_out"), 6);
}

#[test]
fn s4_4_a_name_shows_the_functions_arguments() {
    let (run, records) = scenario!("texts", 3).checked();
    let text = |m: u64, n: u64| (name(&format!("gemm {m}x{n:02} {{}}"), "text"), "timed", true, 1);
    let texts = [text(0, 0), text(1, 0), text(2, 0), text(0, 1), text(1, 1), text(2, 1)];
    assert_eq!(found(&records, "launch"), expected(texts));
    assert_eq!((run.said("names_worked_out"), run.said("not_filled_in")), (json!(6), json!(0)));
    let off = scenario!("texts", 3).env("LAUNCHSITE", "nvtx").run().success();
    assert_eq!(off.said("names_worked_out"), 0, "nothing is formatted where no name is wanted");
}

/// Names are kept for good: they are bounded, and what is beyond is counted.
#[test]
fn s4_4_a_site_has_so_many_texts_and_no_more() {
    let run = scenario!("texts", 5000).env("LAUNCHSITE", "time").out().run().warned();
    let records = run.records();
    assert_eq!(records.names().len(), 4096 + 1);
    assert_eq!(run.said("not_filled_in"), 10_000 - 4096);
    let plain = name("gemm {m}x{n:02} {{}}", "text");
    assert_eq!(records.launches().iter().filter(|launch| launch["name"] == plain).count(), 10_000 - 4096);
}

#[test]
fn s0_7_an_argument_that_cannot_be_shown_changes_nothing() {
    for how in ["panic", "error", "launch"] {
        let (run, records) = scenario!("texts_that_fail", how).checked();
        let inner = usize::from(how == "launch");
        assert_eq!(run.said("result"), 8 + inner, "{how}");
        let shown = name(if how == "launch" { "k shown" } else { "k {shown}" }, "shows");
        assert_eq!(found(&records, "launch")[&(shown, "timed".to_owned(), true)], 1, "{how}");
        assert_eq!(records.launches().len(), 1 + inner, "{how}");
    }
}

// Shape V56.
#[test]
fn a_launch_by_custs_macro_is_a_launch() {
    let (run, records) = scenario!("cust").checked();
    assert_eq!((run.said("frame"), run.said("result")), (json!("Err(500)"), json!(2)));
    let rows = [("cust_module", "timed"), ("cust_function", "timed"), ("cust_missing", "failed")];
    let rows = rows.map(|(at, mode)| (name("forms::frame", at), mode, true, 1));
    assert_eq!(found(&records, "launch"), expected(rows));
    let kernels: Vec<_> = records.launches().into_iter().map(|launch| launch["kernel"].clone()).collect();
    assert_eq!(kernels, [json!("scale"), Value::Null, json!("missing")]);
}

#[test]
fn leaving_from_inside_the_macros_arguments_is_no_launch() {
    let run = scenario!("cust", "leave").out().tool().run().success();
    assert_eq!((run.said("frame"), run.said("result")), (json!("Err(7)"), json!(1)));
    assert_eq!(run.records().launches().len(), 1);
    run.calls().check_balance();
    assert_eq!(run.calls().of("pop").len(), 2, "the range was closed again");
}

#[test]
fn going_on_or_leaving_from_inside_the_macros_arguments_closes_the_range_at_once() {
    for asked in ["nvtx", "on"] {
        let run = scenario!("cust_rounds").env("LAUNCHSITE", asked).tool().run().success();
        assert_eq!(run.said("result"), 10, "{asked}");
        run.calls().check_balance();
        let levels: Vec<_> = run.calls().of("push").iter().map(|push| push["level"].clone()).collect();
        assert_eq!(levels, vec![json!(0); 6], "{asked}");
    }
    let records = scenario!("cust_rounds").out().run().success().records();
    let rows =
        [("rounds", 2), ("behind_rounds", 1)].map(|(at, times)| (name("forms::rounds", at), "timed", true, times));
    assert_eq!(found(&records, "launch"), expected(rows));
}

/// A closure that takes its captures whole may be looked into; another one's builder is named, and not timed.
#[test]
fn a_builder_that_a_closure_captures_is_looked_at_where_that_changes_nothing() {
    let run = scenario!("captured_builders").out().run().complains_once(&["nothing tells which stream"]);
    let rows = [("moved", "timed"), ("called", "timed"), ("awaited", "timed"), ("kept", "refused")];
    let rows = rows.map(|(at, mode)| (name("forms::captured", at), mode, mode == "timed", 1));
    assert_eq!(found(&run.records(), "launch"), expected(rows));
    assert_eq!(run.said("result"), 15);
}

/// An allocator with a scope in it: what launchsite allocates for itself is not recorded, and it does not come round to
/// itself.
#[test]
fn launchsites_own_work_is_not_recorded() {
    let (run, records) = scenario!("allocations", 100).checked();
    assert_eq!(run.said("kept"), 100);
    let scopes = records.of("scope").len();
    assert!((100..400).contains(&scopes), "the program's allocations and no more: {scopes}");
    assert_eq!(records.launches().len(), 3);
}
