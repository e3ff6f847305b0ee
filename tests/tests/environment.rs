//! The environment: what each variable says, and what is said of a value that is not understood.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail so")]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use launchsite_tests::{Outcome, scenario};
use serde_json::json;

const TRUE: [&str; 8] = ["1", "true", "t", "yes", "y", "on", " YES ", "True"];
const FALSE: [&str; 8] = ["0", "false", "f", "no", "n", "off", " OFF ", "False"];

fn parts(run: &Outcome) -> String {
    run.said("parts").as_str().unwrap().to_owned()
}

// dynamo#6746: the variable is read on one way in only.
#[test]
fn s0_6_s2_6_every_spelling_of_the_switch() {
    let lists = [("nvtx", "nvtx"), (" Time ", "time"), ("time,NVTX", "nvtx,time"), (" nvtx , time ,", "nvtx,time")];
    let booleans = TRUE.map(|text| (text, "nvtx,time")).into_iter().chain(FALSE.map(|text| (text, "off")));
    let blank = ["", "  "].map(|text| (text, "nvtx"));
    for (text, expected) in lists.into_iter().chain(booleans).chain(blank) {
        let run = scenario!("parts").env("LAUNCHSITE", text).run().success();
        assert_eq!(parts(&run), expected, "{text:?}");
    }
    assert_eq!(parts(&scenario!("parts").run().success()), "nvtx");
}

#[test]
fn s0_6_a_value_that_is_not_understood_is_said_once_and_the_default_holds() {
    let values = [
        ("LAUNCHSITE", "banana"),
        ("LAUNCHSITE", "nvtx,banana"),
        ("LAUNCHSITE", "2"),
        ("LAUNCHSITE_OUT", "banana"),
        ("LAUNCHSITE_SUMMARY", "banana"),
        ("LAUNCHSITE_SUMMARY", "nvtx"),
        ("LAUNCHSITE_EXIT_WAIT", "banana"),
        ("LAUNCHSITE_EXIT_WAIT", "2"),
        ("LAUNCHSITE_EXIT_WAIT", "-1s"),
        ("LAUNCHSITE_NESTED", "banana"),
        ("LAUNCHSITE_NAME_FORMAT", "banana"),
        ("LAUNCHSITE_NAME_FORMAT", "{function} {banana}"),
        ("LAUNCHSITE_FILTER", "banana"),
        ("LAUNCHSITE_FILTER", "a=off,b=banana"),
    ];
    for (name, value) in values {
        // Said once, however many sites and threads there are.
        for program in ["race", "counts"] {
            let run = scenario!(program, 16).env(name, value).run();
            let run = run.complains_once(&[&format!("{name}={value}"), "accepted: "]);
            assert_eq!((run.said("result"), &run.said("counts")["creates"]), (json!(16), &json!(0)), "{name}={value}");
            assert!(run.folder().names().is_empty());
        }
        let run = scenario!("parts").env(name, value).run().complains_once(&[name, value]);
        assert_eq!(parts(&run), "nvtx", "{name}={value}");
    }
}

#[test]
fn s0_6_each_variable_has_a_line_of_its_own() {
    let names = ["LAUNCHSITE", "LAUNCHSITE_OUT", "LAUNCHSITE_SUMMARY", "LAUNCHSITE_EXIT_WAIT"];
    let run = names.iter().fold(scenario!("saxpy", 3), |scenario, name| scenario.env(name, "banana")).run();
    assert!(run.status.success());
    let mut lines: Vec<_> = run.stderr.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines.len(), 4, "{lines:?}");
    for name in names {
        let known = format!("launchsite: {name}=banana ");
        assert_eq!(lines.iter().filter(|line| line.starts_with(&known)).count(), 1, "{name}: {lines:?}");
    }
}

#[test]
fn s0_6_a_value_that_is_no_text_is_said_too() {
    for name in ["LAUNCHSITE", "LAUNCHSITE_SUMMARY", "LAUNCHSITE_EXIT_WAIT", "LAUNCHSITE_OUT"] {
        let run = scenario!("saxpy", 3).env(name, OsStr::from_bytes(b"\xff\nx")).run();
        assert_eq!(run.complains_once(&[name]).said("result"), 3);
    }
}

#[test]
fn s0_6_a_path_that_is_no_text_is_the_path() {
    let path = OsStr::from_bytes(b"tr\xffce.jsonl");
    let run = scenario!("saxpy", 3).env("LAUNCHSITE_OUT", path).run().success();
    let entries = std::fs::read_dir(run.folder().path()).unwrap();
    let names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, [path]);
}

#[test]
fn s2_6_booleans_of_the_table() {
    for (texts, asked) in [(TRUE, true), (FALSE, false)] {
        for text in texts {
            let run = scenario!("saxpy", 3).env("LAUNCHSITE_SUMMARY", text).run();
            assert!(run.status.success(), "{text:?}");
            assert_eq!(run.stderr.contains("sites::saxpy"), asked, "{text:?}: {}", run.stderr);
            assert_eq!(run.stderr.is_empty(), !asked, "{text:?}: {}", run.stderr);
        }
    }
}

#[test]
fn s0_6_durations_from_none_to_longer_than_any_process_lives() {
    for text in ["0", "0s", " 500MS ", "1.5s", "20us", "1000000000s", "10000000000000000000s"] {
        let run = scenario!("return_main", 10).env("LAUNCHSITE_EXIT_WAIT", text).out().run();
        assert!(run.status.success(), "{text}: {run:#?}");
        assert_eq!(run.stderr, "", "{text}");
        assert_eq!(run.records().launches().len(), 10, "{text}");
    }
}

#[test]
fn s0_6_outputs_turn_on_what_they_need() {
    let timed = |run: &Outcome| run.said("timed").as_u64().unwrap();
    for (name, value) in [("LAUNCHSITE_OUT", "trace.jsonl"), ("LAUNCHSITE_SUMMARY", "on")] {
        let run = scenario!("default_parts").env(name, value).run();
        assert_eq!((parts(&run).as_str(), timed(&run)), ("nvtx,time", 3), "{name}");
        // The variable has the last word.
        let run = scenario!("default_parts").env(name, value).env("LAUNCHSITE", "nvtx").run();
        assert_eq!((parts(&run).as_str(), timed(&run)), ("nvtx", 0), "{name}");
    }
}

#[test]
fn s0_6_the_programs_default_counts_where_no_variable_decides() {
    let acts: [&[(&str, &str)]; 4] =
        [&[], &[("LAUNCHSITE", " ")], &[("LAUNCHSITE_SUMMARY", "0")], &[("LAUNCHSITE_EXIT_WAIT", "1s")]];
    for variables in acts {
        let scenario = variables.iter().fold(scenario!("default_parts"), |all, (name, value)| all.env(name, value));
        let run = scenario.run().success();
        assert_eq!((run.said("default"), run.said("timed")), (json!(true), json!(3)), "{variables:?}");
        assert_eq!((parts(&run).as_str(), run.said("result")), ("time", json!(3)), "{variables:?}");
    }
    for (value, expected) in [("nvtx", "nvtx"), ("off", "off"), ("on", "nvtx,time")] {
        let run = scenario!("default_parts").env("LAUNCHSITE", value).run().success();
        assert_eq!((run.said("default"), parts(&run).as_str()), (json!(false), expected), "{value}");
    }
}

#[test]
fn s0_5_off_is_final_whatever_else_is_set() {
    for name in ["counts", "set_parts_after_off"] {
        let scenario = scenario!(name, 3).env("LAUNCHSITE", "off").env("LAUNCHSITE_SUMMARY", "1").out().tool();
        let run = scenario.run().success();
        assert!(run.folder().names().is_empty(), "{:?}", run.folder().names());
        assert!(run.calls().is_empty());
        assert_eq!((run.said("result"), run.said("threads").as_array().unwrap().len()), (json!(3), 2));
        assert_eq!((&run.said("counts")["creates"], &run.said("counts")["streams"]), (&json!(0), &json!(1)));
    }
}

#[test]
fn s0_5_off_cannot_be_overruled_in_code() {
    for (value, allowed, parts_then) in [("off", false, "off"), ("nvtx", true, "nvtx,time")] {
        for when in ["", "late"] {
            let run = scenario!("set_parts_after_off", when).env("LAUNCHSITE", value).run().success();
            assert_eq!((run.said("set"), run.said("default")), (json!(allowed), json!(false)), "{value} {when}");
            assert_eq!(parts(&run), parts_then, "{value} {when}");
            assert_eq!((run.said("rows"), run.said("flushed")), (json!(u8::from(allowed)), json!(true)));
        }
    }
}
