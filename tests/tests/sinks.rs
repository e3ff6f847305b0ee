//! Sinks of the program's own.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail so")]

use launchsite_tests::{Outcome, scenario};
use serde_json::json;

fn words(run: &Outcome, file: &str) -> Vec<String> {
    run.folder().read(file).lines().map(str::to_owned).collect()
}

fn count(words: &[String], word: &str) -> usize {
    words.iter().filter(|known| *known == word).count()
}

#[test]
fn a_sink_is_told_everything_in_order_to_the_end() {
    // With an output and without one: a sink is enough to have records.
    for out in [true, false] {
        let scenario = scenario!("own_sink").env("LAUNCHSITE", "on");
        let run = if out { scenario.out() } else { scenario }.run().success();
        let early = words(&run, "early.txt");
        let pair = ["launch", "launch_gpu"];
        assert_eq!(early, [&["session", "stream"], &pair[..], &pair, &pair, &["end"]].concat());
        // The late one is told first what it would need to understand the rest.
        assert_eq!(words(&run, "late.txt"), ["session", "stream", "launch", "launch_gpu", "end"]);
    }
    let untimed = scenario!("own_sink").run().success();
    // Where nothing is timed, nobody need have looked for the stream.
    let mut words = words(&untimed, "early.txt");
    words.retain(|word| word != "stream");
    assert_eq!(words, ["session", "launch", "launch", "launch", "end"]);
}

#[test]
fn s0_10_a_flush_inside_a_sink_errs_at_once() {
    let run = scenario!("flush_in_sink").out().run().success();
    assert_eq!(run.all_said("in_the_sink"), vec![json!({"refused": true, "at_once": true}); 3]);
    assert_eq!(run.records().gpu().len(), 3);
}

// tracing#2020, #2083: user code, called while something is registered, comes to a new site: a deadlock.
#[test]
fn s0_10_a_sink_may_launch_and_use_the_api() {
    let run = scenario!("api_in_sink").out().run().success();
    assert_eq!((run.said("rows"), run.said("set")), (json!(1), json!(true)));
    let records = run.records();
    let functions: Vec<_> = records.launches().iter().map(|launch| launch["function"].as_str().unwrap()).collect();
    assert_eq!((functions.len(), functions.iter().filter(|name| **name == "nn::relu").count()), (3, 1));
    let late = words(&run, "late.txt");
    assert_eq!((late[0].as_str(), late.last().map(String::as_str)), ("session", Some("end")));
}

#[test]
fn a_sink_that_panics_is_removed_and_the_others_go_on() {
    for argument in ["", "drop"] {
        let run = scenario!("panicking_sink", argument).out().run().complains_once(&["sink", "panicked"]);
        assert_eq!((run.said("flushed"), run.said("told")), (json!(true), json!(3)), "{argument}");
        assert_eq!(run.said("result"), 5);
        for file in ["before.txt", "behind.txt"] {
            let words = words(&run, file);
            assert_eq!((count(&words, "launch"), count(&words, "launch_gpu")), (5, 5), "{file}: {words:?}");
            assert_eq!(words.last().map(String::as_str), Some("end"), "{file}");
        }
        assert_eq!(run.records().gpu().len(), 5);
    }
}
