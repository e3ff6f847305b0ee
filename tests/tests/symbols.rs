//! Kernels with a symbol of their own in each place that launches them: what the driver is told, and what is said of those
//! that keep their names.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail so")]

use std::collections::{BTreeMap, BTreeSet};

use launchsite_tests::{Calls, Outcome, Scenario, line_of, scenario};
use serde_json::{Value, json};

const SOURCE: &str = include_str!("../src/bin/scenario/symbols.rs");
const FILE: &str = "launchsite_tests_src_bin_scenario_symbols_rs";
/// Where nothing tells the package, its folder stands for it.
const BY_FOLDER: &str = "tests_src_bin_scenario_symbols_rs";

fn symbol(function: &str, site: &str) -> String {
    format!("{function}__{FILE}_L{}", line_of(SOURCE, site))
}

/// The symbol of a place without the attribute.
fn symbol_of_line(kernel: &str, site: &str) -> String {
    format!("{kernel}__{BY_FOLDER}_L{}", line_of(SOURCE, site))
}

/// Runs the program with symbols, and whatever else is wanted.
fn with(scenario: Scenario, parts: &str) -> (Outcome, Calls) {
    let run = scenario.driver_and_tool().env("LAUNCHSITE", parts).run();
    let calls = run.driver_calls();
    (run, calls)
}

/// How often the driver launched each function.
fn launched(calls: &Calls) -> BTreeMap<String, usize> {
    let mut launched = BTreeMap::new();
    for call in calls.of("cuLaunchKernel") {
        assert_eq!(call["status"], 0, "{call}");
        *launched.entry(call["function"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    launched
}

fn expected<const N: usize>(launches: [(String, usize); N]) -> BTreeMap<String, usize> {
    BTreeMap::from(launches)
}

#[test]
fn s2_1_each_place_launches_the_kernel_under_its_own_symbol() {
    let (run, calls) = with(scenario!("symbols_sites"), "nvtx,symbols");
    assert_eq!(run.stderr, "");
    let places = [
        (symbol("symbols_chained", "chained"), 3),
        (symbol("symbols_kept", "kept"), 3),
        (symbol("symbols_generic_u8", "generic"), 3),
        (symbol("symbols_generic_u16", "generic"), 3),
        (symbol("symbols_helper", "caller"), 3),
        (symbol_of_line("scale", "unnamed"), 3),
        (symbol_of_line("scale", "function"), 3),
    ];
    assert_eq!(launched(&calls), expected(places));
    // The module, and a copy for each place however often it is used.
    assert_eq!(calls.of("cuModuleLoadData").len(), 1 + 7);
    assert_eq!(calls.of("cuModuleGetFunction").iter().filter(|call| call["status"] == 0).count(), 1 + 7);
    assert_eq!((run.said("missing"), run.said("nul")), (json!(500), json!(500)));
}

/// A range says of an annotated launch what the symbol says.
#[test]
fn s2_1_the_symbol_is_that_of_the_sites_name() {
    let (_, calls) = with(scenario!("symbols_sites"), "nvtx,symbols");
    let names = calls.pushed();
    for (function, site) in [("symbols::chained", "chained"), ("symbols::kept", "kept")] {
        let line = u32::try_from(line_of(SOURCE, site)).unwrap();
        let name = format!("{function} launchsite-tests/src/bin/scenario/symbols.rs:{line}");
        assert!(names.contains(&name.as_str()), "{name}: {names:?}");
        let symbol = launchsite::name::symbol(function, "launchsite-tests/src/bin/scenario/symbols.rs", line);
        assert!(launched(&calls).contains_key(&symbol), "{symbol}");
    }
}

/// A launch that a budget leaves out has its symbol all the same.
#[test]
fn a_budget_changes_no_symbol() {
    let scenario = scenario!("symbols_sites").env("LAUNCHSITE_BUDGET", "1/3");
    let run = scenario.driver().env("LAUNCHSITE", "time,symbols").run();
    let launched = launched(&run.driver_calls());
    assert_eq!(launched.len(), 7, "{launched:?}");
    assert!(launched.values().all(|&launches| launches == 3), "{launched:?}");
}

#[test]
fn symbols_need_neither_ranges_nor_times() {
    for parts in ["symbols", "symbols,time", "nvtx,time,symbols"] {
        let (run, calls) = with(scenario!("symbols_sites"), parts);
        assert_eq!(run.stderr, "", "{parts}");
        assert_eq!(launched(&calls)[&symbol("symbols_kept", "kept")], 3, "{parts}");
        assert_eq!(calls.of("push").is_empty(), !parts.contains("nvtx"), "{parts}");
    }
}

#[test]
fn without_symbols_the_module_is_loaded_as_it_is_and_nothing_else() {
    for parts in ["off", "nvtx", "on", "time"] {
        let (run, calls) = with(scenario!("symbols_sites"), parts);
        assert_eq!(run.stderr, "", "{parts}");
        assert_eq!(launched(&calls), expected([("scale".into(), 21)]), "{parts}");
        let [loaded, fetched] = ["cuModuleLoadData", "cuModuleGetFunction"]
            .map(|call| calls.of(call).iter().filter(|call| call["status"] == 0).count());
        assert_eq!((loaded, fetched), (1, 1), "{parts}");
    }
}

#[test]
fn a_kernel_whose_copy_would_do_something_else_keeps_its_name_and_one_line_says_why() {
    let (run, calls) = with(scenario!("symbols_refused"), "symbols");
    let site = symbol("symbols_chained", "chained");
    let [count, child] = ["count", "child"].map(|name| (name.to_owned(), 2));
    // `parent` has its child in its copy, and the symbol of the one site that launches all four.
    assert_eq!(launched(&calls), expected([count, child, (site, 4)]));
    let lines: Vec<_> = run.stderr.lines().collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].contains("the kernel count keeps its name") && lines[0].contains("`counter`"), "{lines:?}");
    assert!(lines[1].contains("the kernel child keeps its name") && lines[1].contains("refers to it"), "{lines:?}");
}

#[test]
fn an_image_that_is_no_text_is_loaded_as_it_is_and_one_line_says_so() {
    let (run, calls) = with(scenario!("symbols_images"), "symbols");
    assert_eq!(launched(&calls), expected([("scale".into(), 2)]));
    let lines: Vec<_> = run.stderr.lines().collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].contains("no PTX text") && lines[1].contains("from a file"), "{lines:?}");
}

#[test]
fn a_copy_that_is_first_needed_in_a_capture_does_not_end_it() {
    let (run, calls) = with(scenario!("symbols_capture"), "nvtx,symbols");
    assert_eq!(run.stderr, "");
    let end = calls.of("cuStreamEndCapture")[0];
    assert_eq!((&end["status"], &end["nodes"], &end["kernels"]), (&json!(0), &json!(2), &json!(2)));
    assert_eq!(calls.of("cuGraphLaunch").len(), 5);
    let places = [(symbol("symbols_chained", "chained"), 1), (symbol("symbols_kept", "kept"), 1)];
    assert_eq!(launched(&calls), expected(places));
    // The thread's mode is what it was.
    let modes = calls.of("cuThreadExchangeStreamCaptureMode");
    assert_eq!(modes.len(), 4, "there and back, for each");
}

#[test]
fn threads_that_come_to_a_place_at_one_moment_load_one_copy() {
    let (_, calls) = with(scenario!("symbols_threads"), "symbols");
    let places = [(symbol("symbols_chained", "chained"), 400), (symbol("symbols_kept", "kept"), 400)];
    assert_eq!(launched(&calls), expected(places));
    assert_eq!(calls.of("cuModuleLoadData").len(), 1 + 2);
}

#[test]
fn an_attribute_goes_for_a_kernel_in_every_place() {
    let (_, calls) = with(scenario!("symbols_attributes"), "symbols");
    let set: BTreeSet<_> = calls.of("cuFuncSetAttribute").iter().map(|call| call["function"].to_string()).collect();
    let all = ["empty".to_owned(), symbol("symbols_chained", "chained"), symbol("symbols_kept", "kept")];
    assert_eq!(set, all.iter().map(|name| json!(name).to_string()).collect());
}

#[test]
fn the_programs_errors_are_its_own_and_a_refused_copy_is_said_once() {
    let (run, calls) = with(scenario!("symbols_errors"), "symbols");
    assert_eq!((run.said("kept"), run.said("error")), (json!(1), Value::Null));
    let places = [(symbol_of_line("empty", "fetched"), 1), ("empty".into(), 2)];
    assert_eq!(launched(&calls), expected(places));
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    assert!(
        run.stderr.contains("the kernel empty keeps its name where it would be symbols_chained__"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("CUDA_ERROR_INVALID_PTX"), "{}", run.stderr);
}

#[test]
fn symbols_are_turned_on_before_the_kernels_are_loaded_and_off_at_any_time() {
    let (run, calls) = with(scenario!("symbols_toggled"), "nvtx");
    assert_eq!(run.said("set"), true);
    let site = symbol("symbols_chained", "chained");
    let functions: Vec<_> = calls.of("cuLaunchKernel").iter().map(|call| call["function"].as_str().unwrap()).collect();
    assert_eq!(functions, ["empty", &site, "empty", &site]);
    assert_eq!(calls.of("cuModuleLoadData").len(), 3);
}
