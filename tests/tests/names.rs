//! What launches are called.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail so")]

use std::collections::{BTreeMap, BTreeSet};

use launchsite_tests::{Records, line_of, scenario};
use serde_json::json;

const SITES: &str = include_str!("../src/bin/scenario/sites.rs");
const FILE: &str = "launchsite-tests/src/bin/scenario/sites.rs";

fn name(function: &str, marker: &str) -> String {
    format!("{function} {FILE}:{}", line_of(SITES, marker))
}

/// Asserts which names the launches have, and how many each.
fn assert_names(records: &Records, expected: &[(String, usize)]) {
    let mut found: BTreeMap<&str, usize> = BTreeMap::new();
    for launch in records.launches() {
        *found.entry(launch["name"].as_str().unwrap()).or_default() += 1;
    }
    let expected: BTreeMap<_, _> = expected.iter().map(|(name, count)| (name.as_str(), *count)).collect();
    assert_eq!(found, expected);
}

#[test]
fn s2_2_a_name_is_worked_out_once() {
    for (value, worked_out) in [("off", 0), ("nvtx", 0), ("time", 1), ("on", 1)] {
        let run = scenario!("counts", 1000).env("LAUNCHSITE", value).run().success();
        assert_eq!(run.said("names_worked_out"), worked_out, "{value}");
    }
    let with_tool = scenario!("counts", 1000).tool().run().success();
    assert_eq!(with_tool.said("names_worked_out"), 1);
}

#[test]
fn s2_3_two_sites_of_a_function_have_two_names() {
    let (_, records) = scenario!("two_sites", 5).checked();
    let line = line_of(SITES, "one_line");
    let column = |kernel: &str| {
        let launch = records.launches().into_iter().find(|launch| launch["kernel"] == kernel);
        launch.unwrap()["column"].as_u64().unwrap()
    };
    // The columns are those of the two launches in the source.
    let source: Vec<_> =
        SITES.lines().nth(usize::try_from(line).unwrap() - 1).unwrap().match_indices(".launch(").collect();
    assert_eq!(source.iter().map(|(at, _)| *at as u64 + 2).collect::<Vec<_>>(), [column("a"), column("b")]);
    let with_column = |kernel| format!("sites::one_line {FILE}:{line}:{}", column(kernel));
    assert_names(
        &records,
        &[
            (name("sites::two_sites", "two_sites_first"), 5),
            (name("sites::two_sites", "two_sites_second"), 5),
            (with_column("a"), 5),
            (with_column("b"), 5),
        ],
    );
    assert!(line_of(SITES, "two_sites_first") < line_of(SITES, "two_sites_second"));
}

#[test]
fn s2_4_a_loop_a_condition_and_a_closure_have_one_name_each() {
    let (_, records) = scenario!("closure_and_loop", 4).checked();
    assert_names(
        &records,
        &[
            (name("sites::in_a_loop", "loop"), 4),
            (name("sites::in_a_condition", "condition"), 4),
            (name("sites::in_a_closure", "closure"), 4),
        ],
    );
}

#[test]
fn s2_4_code_that_is_inlined_twice_has_one_name() {
    let (_, records) = scenario!("inlined").checked();
    assert_names(&records, &[(name("sites::inlined", "inlined"), 2)]);
}

// fastrace, puffin: the type arguments are missing. cuda-oxide#316: instances of a constant need names of their own.
#[test]
fn s2_4_a_generic_function_has_a_name_for_each_instantiation() {
    let expected = |more: usize| {
        [
            (name("sites::scale<f32>", "scale"), 2),
            (name("sites::scale<f64>", "scale"), 2 + more),
            (name("sites::tile<16>", "tile"), 2),
            (name("sites::tile<32>", "tile"), 2 + more),
        ]
    };
    for (first, more) in [("f32", 0), ("f64", 1)] {
        let (run, records) = scenario!("generic", first).checked();
        assert_names(&records, &expected(more));
        assert_eq!(run.said("names_worked_out"), 4, "{first}");
        for launch in records.launches() {
            // The kernel is the instantiation's own: each name is at the right launches.
            let (name, kernel) = (launch["name"].as_str().unwrap(), launch["kernel"].as_str().unwrap());
            let of_kernel = [("<f32>", "scale_f32"), ("<f64>", "scale_f64"), ("<16>", "tile"), ("<32>", "tile")];
            assert!(of_kernel.iter().any(|(part, of)| name.contains(part) && kernel == *of), "{launch}");
        }
    }
}

// cubecl#234: every kernel was called "kernel".
#[test]
fn s2_4_methods_are_named_after_their_type() {
    let (_, records) = scenario!("method").checked();
    assert_names(
        &records,
        &[
            (name("Linear::forward", "method"), 1),
            (name("Linear::apply", "trait_method"), 1),
            (name("Dense<f32>::forward", "generic_method"), 1),
            (name("Dense<f64>::forward", "generic_method"), 1),
        ],
    );
    assert!(records.launches().iter().all(|launch| launch["module"] == "scenario::sites"));
}

// cccl#5127: a name of the user's own.
#[test]
fn s2_5_a_name_that_is_given_takes_the_place_of_the_function() {
    let (_, records) = scenario!("named").checked();
    assert_names(&records, &[(name("gemm of my own", "named"), 1)]);
    assert_eq!(records.only_launch()["function"], "gemm of my own");
}

#[test]
fn s2_7_the_environment_changed_later_has_no_effect() {
    for (value, parts) in [("on", "nvtx"), ("off", "nvtx")] {
        let run = scenario!("late_env", value).run().success();
        assert_eq!((run.said("parts"), run.said("result")), (json!(parts), json!(4)));
        assert_eq!(run.said("counts")["creates"], 0);
        assert_eq!(run.folder().names(), [""; 0]);
    }
    let on = scenario!("late_env", "off").out().run().success();
    assert_eq!(on.said("parts"), "nvtx,time");
    assert_eq!(on.records().gpu().len(), 4);
    assert_eq!(on.folder().names(), ["trace.jsonl"]);
}

#[test]
fn s2_7_the_api_turns_parts_off_and_on() {
    let (run, records) = scenario!("turned_on_and_off").checked();
    assert_eq!(run.all_said("seen"), [json!([0, 0]), json!([2, 1]), json!([2, 1]), json!([4, 1])]);
    assert_names(&records, &[(name("sites::saxpy", "saxpy"), 4)]);
}

#[test]
fn s2_8_a_name_says_where_the_launch_stands_inside_its_package() {
    let (_, records) = scenario!("modules", 1).checked();
    for launch in records.launches() {
        assert_eq!(launch["file"], FILE);
        let [function, line] = ["function", "line"].map(|key| launch[key].to_string().replace('"', ""));
        assert_eq!(launch["name"], format!("{function} {FILE}:{line}"));
    }
    let modules: BTreeSet<_> = records.launches().iter().map(|launch| launch["module"].to_string()).collect();
    assert!(modules.iter().eq(["\"scenario::sites\"", "\"scenario::sites::nn\""]), "{modules:?}");
    // What a checkout's folder is called is in no line, whatever its scope.
    let root = env!("CARGO_MANIFEST_DIR").strip_suffix("/tests").unwrap();
    let run = scenario!("every_mode").out().run().warned();
    assert!(!run.folder().read("trace.jsonl").contains(root));
}

#[test]
fn s2_10_threads_that_come_at_one_moment_use_one_name() {
    for _ in 0..100 {
        let (run, records) = scenario!("race", 64, 3).checked();
        assert_eq!(run.said("result"), 64 * 3);
        assert_names(&records, &[(name("sites::saxpy", "saxpy"), 64 * 3)]);
        let threads: BTreeSet<_> = records.launches().iter().map(|launch| launch["thread"].as_u64()).collect();
        assert_eq!(threads.len(), 64);
    }
}

// pytorch, candle: a function that launches and calls one that does.
#[test]
fn s4_5_a_launch_in_a_function_that_is_called_has_its_own_name() {
    let (_, records) = scenario!("nested").checked();
    assert_names(&records, &[(name("sites::outer", "outer"), 1), (name("sites::saxpy", "saxpy"), 1)]);
}

// cudf#22857: tasks that take turns on a thread. nsight-python#57: launches from threads that the function makes.
#[test]
fn s4_7_async_functions_and_threads_of_a_function_are_named() {
    let (run, records) = scenario!("async_tasks", 3).checked();
    // Two that ran to their end, and one that was dropped behind its first launch.
    assert_eq!(run.said("result"), 7);
    assert_names(&records, &[(name("sites::decode", "async"), 7)]);

    let (run, records) = scenario!("from_threads", 4).checked();
    assert_eq!(run.said("result"), 4);
    assert_names(&records, &[(name("sites::from_threads", "from_threads"), 4)]);
}

// NVTX C README, NVTX#122: `return`, `break 'label`, `let else`.
#[test]
fn s4_1_early_ways_out_leave_results_and_records_right() {
    let (run, records) = scenario!("early_return").checked();
    assert_eq!(run.all_said("returned"), [json!("let else"), json!(1), json!(2), json!(3)]);
    assert_names(
        &records,
        &[(name("sites::returns_early", "early_first"), 4), (name("sites::returns_early", "early_second"), 1)],
    );
}
