//! Many inputs, and each of them as it should be. `cargo run -p launchsite-macros-fuzz` makes as many as one likes.

#![allow(clippy::unwrap_used, clippy::panic)] // a test ends where it fails

use launchsite_macros_fuzz::{Found, Input, Outcome, Report, Run, Seeds, check, shrunk};

/// Each fault as small as it gets, with what makes it again.
fn told(run: Run<'_>, report: &Report) -> String {
    let one = |found: &Found| {
        let (smallest, fault) = shrunk(&run.input(found.number)).unwrap();
        format!("\n--seed {} --only {}: {fault}\n{smallest}\n", run.seed, found.number)
    };
    report.found.values().map(one).collect()
}

#[test]
fn twenty_thousand_inputs_come_out_as_they_went_in() {
    let seeds = Seeds::own();
    let run = Run { seed: 1, inputs: 20_000, threads: 2, seeds: &seeds };
    let report = run.report();
    assert_eq!((report.inputs, report.faulty), (20_000, 0), "{}", told(run, &report));
    // All that can become of an input did, many times.
    assert!(report.hooked > 3000 && report.launches > 2 * report.hooked, "{report:?}");
    assert!(report.blocks > 200 && report.untouched > 1000 && report.refused > 1000, "{report:?}");
}

#[test]
fn a_seed_gives_the_same_inputs_on_any_number_of_threads() {
    let seeds = Seeds::own();
    let of = |seed, threads| {
        let report = Run { seed, inputs: 300, threads, seeds: &seeds }.report();
        (report.hooked, report.launches, report.blocks, report.untouched, report.refused)
    };
    assert_eq!(of(7, 1), of(7, 3));
    assert_ne!(of(7, 1), of(8, 1));
}

#[test]
fn the_functions_to_change_are_expanded_before_they_are_changed() {
    let mut hooked = 0;
    for text in Seeds::own().iter() {
        let input = Input { args: String::new().parse().unwrap(), item: text.parse().unwrap() };
        match check(&input) {
            Ok(Outcome::Hooked(_) | Outcome::Block(1..)) => hooked += 1,
            Ok(_) => {}
            Err(fault) => panic!("{fault}\n{input}"),
        }
    }
    assert!(hooked >= 12, "{hooked} of them launch");
}
