//! Names from the call stack.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail so")]

use std::collections::BTreeSet;

use launchsite_tests::{Outcome, line_of, scenario};

const STACKS: &str = include_str!("../src/bin/scenario/stacks.rs");
const FILE: &str = "launchsite-tests/src/bin/scenario/stacks.rs";
const LIBRARY: &str = "scenario::stacks::library";

fn at(function: &str, marker: &str) -> String {
    let marker = format!("stack_{marker}");
    format!("{function} {FILE}:{}", line_of(STACKS, &marker))
}

fn run(names: &str, internal: &str) -> Outcome {
    let scenario = scenario!("stacks").env("LAUNCHSITE_NAMES", names).env("LAUNCHSITE_INTERNAL", internal);
    scenario.env("LAUNCHSITE", "on").tool().out().run().success()
}

fn names(run: &Outcome) -> BTreeSet<String> {
    let records = run.records();
    let all = ["launch", "scope"].into_iter().flat_map(|scope| records.of(scope));
    let names: BTreeSet<_> = all.map(|record| record["name"].as_str().unwrap().to_owned()).collect();
    let pushed: BTreeSet<_> = run.calls().pushed().into_iter().map(str::to_owned).collect();
    assert_eq!(names, pushed, "profilers see what the records say");
    names
}

#[test]
fn s2_5_s4_6_a_launch_of_a_library_is_named_after_the_first_frame_outside() {
    let run = run("stack", LIBRARY);
    let expected: BTreeSet<_> = [
        // Of the program's own: the place itself.
        at("app::own", "own"),
        at("app::twice", "first"),
        at("app::twice", "second"),
        at("app::inlined", "inlined"),
        at("Net::forward", "closure"),
        at("stacks::stacks", "calls_helper"),
        at("stacks::stacks", "calls_helps"),
        at("stacks::stacks", "calls_by_stack"),
        at("stacks::by_pointer", "pointer"),
        at("stacks::stacks", "recurses"),
        at("stacks::stacks", "thread"),
        at("given", "given"),
        at("stacks::stacks", "scoped"),
        // The function says itself what it is named after.
        at("library::by_caller", "by_caller"),
        // Nobody outside of the library calls.
        at("(no caller)", "matmul"),
    ]
    .into_iter()
    .collect();
    assert_eq!(names(&run), expected);
    // One for each site and frame, whichever thread; the scope and its launch are two.
    assert_eq!(run.said("names_worked_out"), expected.len() + 1);
    for launch in run.records().launches() {
        let caller = launch["caller"].as_str();
        let name = launch["name"].as_str().unwrap();
        let own = name.starts_with("app::own") || name.starts_with("(no caller)");
        assert_eq!(caller.is_some(), !own, "{launch}");
        assert!(caller.is_none_or(|caller| name.ends_with(caller)), "{launch}");
        // What the site is stays what it is.
        assert!(launch["function"].as_str().unwrap() != "stacks::stacks", "{launch}");
    }
}

#[test]
fn s4_6_files_and_crates_are_passed_over_too() {
    // All of it is in the file but what is called from `main`.
    let by_file = names(&run("stack", "launchsite-tests/src/bin/scenario/stacks"));
    let starts =
        ["scenario::main ", "(no caller) ", "library::by_caller ", "given launchsite-tests/src/bin/scenario/main.rs:"];
    assert!(by_file.iter().all(|name| starts.iter().any(|start| name.starts_with(start))), "{by_file:?}");
    assert_eq!(by_file.len(), starts.len());
    let by_crate = names(&run("stack", "Scenario, other-crate"));
    let starts = ["(no caller) ", "library::by_caller ", "given "];
    assert!(by_crate.iter().all(|name| starts.iter().any(|start| name.starts_with(start))), "{by_crate:?}");
}

#[test]
fn s4_6_without_an_internal_crate_a_launch_is_where_it_stands() {
    let names = names(&run("stack", ""));
    assert!(names.contains(&at("Matmul<f32>::run", "matmul")), "{names:?}");
    assert!(names.contains(&at("stacks::stacks", "calls_by_stack")), "a helper is passed over: {names:?}");
}

#[test]
fn s2_5_the_caller_by_the_stack_is_the_frame_that_called_the_function() {
    let names = names(&run("caller", ""));
    for expected in [
        at("app::own", "calls_own"),
        // From a closure of its own, in Rust's library: the function around is what was called.
        at("Matmul<f32>::run", "dispatch"),
        at("app::helper", "calls_helper"),
        at("app::helper", "calls_helps"),
        at("given", "given"),
        at("library::scoped", "scoped"),
        at("library::by_caller", "by_caller"),
    ] {
        assert!(names.contains(&expected), "{expected}: {names:?}");
    }
    assert!(!names.contains(&at("app::own", "own")), "{names:?}");
}

#[test]
fn s2_10_threads_that_come_to_a_stack_at_one_moment_use_one_name() {
    for _ in 0..5 {
        let race = scenario!("stack_race", 64).env("LAUNCHSITE_NAMES", "stack").env("LAUNCHSITE_INTERNAL", LIBRARY);
        let run = race.env("LAUNCHSITE", "on").tool().out().run().success();
        assert_eq!(names(&run), [at("stacks::stack_race", "race")].into_iter().collect());
        assert_eq!(run.records().launches().len(), 640);
    }
}

#[test]
fn s2_2_a_stack_is_worked_out_once() {
    let run = scenario!("stack_steady", 1000).env("LAUNCHSITE_NAMES", "stack").env("LAUNCHSITE_INTERNAL", LIBRARY);
    let run = run.env("LAUNCHSITE", "on").out().run().success();
    assert_eq!(run.said("worked_out_later"), 0);
    assert_eq!(names_of(&run), [at("app::twice", "first"), at("app::twice", "second")].into_iter().collect());
}

fn names_of(run: &Outcome) -> BTreeSet<String> {
    run.records().names().into_iter().map(str::to_owned).collect()
}

#[test]
fn s4_6_of_a_stack_that_is_too_deep_nothing_is_claimed() {
    let run = scenario!("stack_deep", 1000).env("LAUNCHSITE_NAMES", "stack").env("LAUNCHSITE_INTERNAL", LIBRARY);
    let run = run.env("LAUNCHSITE", "on").out().run().success();
    assert_eq!(names_of(&run), [at("Matmul<f32>::run", "matmul")].into_iter().collect());
}

#[test]
fn s0_6_what_is_no_kind_of_name_is_told_in_one_line() {
    let run = scenario!("stacks").env("LAUNCHSITE_NAMES", "stacks").env("LAUNCHSITE", "on").out().run();
    let _ = run.complains_once(&["LAUNCHSITE_NAMES", "stacks", "site, caller, stack"]);
}
