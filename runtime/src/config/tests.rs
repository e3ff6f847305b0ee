//! Every accepted spelling, and what happens to the others.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

#[cfg(feature = "stack")]
use super::Names;
use super::{Budget, Config, Naming, Output, Place};
use crate::parts::Parts;

fn read(variables: &[(&str, &str)]) -> (Config, Vec<String>) {
    let lookup = |name: &str| {
        let found = variables.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| OsString::from(value))
    };
    let (config, complaints) = Config::read(lookup, false);
    (config, complaints.0)
}

#[test]
fn s0_6_s2_6_every_spelling_of_the_switch() {
    let off = ["off", "0", "false", "f", "no", "n", " OFF ", "False"];
    let on = ["on", "1", "true", "t", "yes", "y", " YES ", "On", "nvtx,time", " time , NVTX ", "nvtx,,time"];
    for text in off {
        let (config, said) = read(&[("LAUNCHSITE", text)]);
        assert!(config.off && config.parts.is_none(), "{text}");
        assert!(said.is_empty(), "{text}: {said:?}");
    }
    for text in on {
        let (config, said) = read(&[("LAUNCHSITE", text)]);
        assert_eq!(config.parts, Parts::ON, "{text}");
        assert!(!config.off && said.is_empty(), "{text}: {said:?}");
    }
    assert_eq!(read(&[("LAUNCHSITE", "nvtx")]).0.parts, Parts::NVTX);
    assert_eq!(read(&[("LAUNCHSITE", "Time")]).0.parts, Parts::TIME);
    assert_eq!(read(&[("LAUNCHSITE", " Symbols ")]).0.parts, Parts::SYMBOLS);
    assert_eq!(read(&[("LAUNCHSITE", "nodes, nvtx")]).0.parts, Parts::NODES | Parts::NVTX);
    assert_eq!(read(&[("LAUNCHSITE", "symbols,time,nvtx")]).0.parts, Parts::ON | Parts::SYMBOLS);
}

#[test]
fn s0_6_unset_and_blank_are_the_default() {
    for variables in [&[][..], &[("LAUNCHSITE", "")], &[("LAUNCHSITE", "  "), ("LAUNCHSITE_OUT", "")]] {
        let (config, said) = read(variables);
        assert_eq!(config, Config::default(), "{variables:?}");
        assert!(said.is_empty());
    }
}

#[test]
fn s0_6_an_unknown_value_is_named_with_what_is_accepted_and_the_default_holds() {
    let names = ["LAUNCHSITE", "LAUNCHSITE_SUMMARY", "LAUNCHSITE_EXIT_WAIT", "LAUNCHSITE_BUDGET", "LAUNCHSITE_OUT"];
    let naming = ["LAUNCHSITE_NESTED", "LAUNCHSITE_NAME_FORMAT", "LAUNCHSITE_FILTER"];
    for name in names.into_iter().chain(naming) {
        let (config, said) = read(&[(name, "banana")]);
        assert_eq!(config, Config::default(), "{name}");
        let [line] = said.as_slice() else { panic!("{name}: {said:?}") };
        assert!(line.contains(&format!("{name}=banana")) && line.contains("accepted: "), "{line}");
    }
    for value in ["nvtx,banana", "on,time", "nvtx;time", ","] {
        assert_eq!(read(&[("LAUNCHSITE", value)]).1.len(), 1, "{value}");
    }
}

#[test]
fn s0_6_booleans_of_the_summary() {
    for text in ["1", "true", "t", "yes", "y", "on", " Yes "] {
        assert!(read(&[("LAUNCHSITE_SUMMARY", text)]).0.summary, "{text}");
    }
    for text in ["0", "false", "f", "no", "n", "off", "OFF"] {
        assert!(!read(&[("LAUNCHSITE_SUMMARY", text)]).0.summary, "{text}");
    }
}

#[test]
fn s0_6_durations() {
    let table = [("2s", 2_000_000), ("500ms", 500_000), ("0", 0), ("0s", 0), (" 1.5S ", 1_500_000), ("20us", 20)];
    for (text, micros) in table {
        let (config, said) = read(&[("LAUNCHSITE_EXIT_WAIT", text)]);
        assert_eq!(config.exit_wait, Duration::from_micros(micros), "{text}");
        assert!(said.is_empty(), "{text}");
    }
    for text in ["2", "s", "-1s", "1h", "2 s x", "1e99s", "nan"] {
        let (config, said) = read(&[("LAUNCHSITE_EXIT_WAIT", text)]);
        assert_eq!((config.exit_wait, said.len()), (Duration::from_secs(2), 1), "{text}");
    }
}

#[test]
fn s0_6_nested_ranges() {
    for (text, hides) in [("show", false), ("hide", true), (" HIDE ", true), ("Show", false), ("", false)] {
        let (config, said) = read(&[("LAUNCHSITE_NESTED", text)]);
        assert_eq!((config.naming.hides_nested, said.len()), (hides, 0), "{text}");
    }
}

#[test]
fn s0_6_formats_of_names() {
    for text in ["{function} {file}:{line}", " {Function} { file }:{LINE} "] {
        assert_eq!(read(&[("LAUNCHSITE_NAME_FORMAT", text)]).0.naming, Naming::default(), "{text}");
    }
    for text in ["{kernel}", "{{{types}}}", "{module}{column}", "{caller} π"] {
        let (config, said) = read(&[("LAUNCHSITE_NAME_FORMAT", text)]);
        assert!(said.is_empty() && config.naming != Naming::default(), "{text}");
    }
    for text in ["text", "{{function}}", "{function", "function}", "{}", "{function}}", "{fun}", "{function:?}"] {
        let (config, said) = read(&[("LAUNCHSITE_NAME_FORMAT", text)]);
        assert_eq!((config.naming, said.len()), (Naming::default(), 1), "{text}");
    }
}

#[test]
fn s0_6_filters() {
    let both = Parts::NVTX | Parts::TIME;
    let table = [
        ("a::b=off", "a::b", Parts::NONE),
        ("a::b=off", "a::b::c", Parts::NONE),
        ("a::b=off", "a::bc", Parts::ALL),
        ("a::b=off", "a", Parts::ALL),
        ("a-x=nvtx", "a_x::f", Parts::NVTX),
        ("A::B = Time", "a::b::f", Parts::TIME),
        ("a=time + NVTX", "a", both),
        ("a=nvtx,a::b=time", "a::b::f", Parts::TIME),
        ("a::b=time,a=nvtx", "a::b::f", Parts::TIME),
        ("a=nvtx,*=off", "b::a", Parts::NONE),
        ("*=off,a=on", "a::f", Parts::ALL),
        ("a=nvtx,a=time", "a::f", Parts::TIME),
        ("a=no,,", "a", Parts::NONE),
        ("größe=off", "größe::f", Parts::NONE),
        ("r#fn=off", "r#fn::f", Parts::NONE),
        ("größe=off", "gr", Parts::ALL),
        ("a=off", "ä", Parts::ALL),
    ];
    for (filter, path, expected) in table {
        let (config, said) = read(&[("LAUNCHSITE_FILTER", filter)]);
        assert!(said.is_empty(), "{filter}: {said:?}");
        assert_eq!(config.naming.filter.of(path), expected, "{filter} {path}");
    }
    for text in ["a", "=off", "a=", "a=b=off", "a b=off", "a:b=off", "a=nvtx+", "a=+", "a=nvtx;b=off", "a/b=off", ","] {
        let (config, said) = read(&[("LAUNCHSITE_FILTER", text)]);
        assert_eq!((config.naming, said.len()), (Naming::default(), 1), "{text}");
    }
}

#[test]
#[cfg(feature = "stack")]
fn s0_6_what_launches_are_named_after() {
    for (text, names) in
        [("site", Names::Site), (" Caller ", Names::Caller), ("STACK", Names::Stack), ("", Names::Site)]
    {
        let (config, said) = read(&[("LAUNCHSITE_NAMES", text)]);
        assert_eq!((config.naming.names, said.len()), (names, 0), "{text}");
    }
    for text in ["sites", "stack,caller", "1", "on"] {
        let (config, said) = read(&[("LAUNCHSITE_NAMES", text)]);
        assert_eq!((config.naming.names, said.len()), (Names::Site, 1), "{text}");
        assert!(said[0].contains("site, caller, stack"), "{said:?}");
    }
}

#[test]
fn s0_6_what_is_internal() {
    // The variable, a function's path, a file, and whether either is.
    let table = [
        ("candle_core", "candle_core::ops::f", "x/src/a.rs", (true, false)),
        ("candle-core", "candle_core", "candle-core/src/ops.rs", (true, true)),
        ("Candle_Core", "candle_core::f", "candle_core/src/ops.rs", (true, true)),
        ("candle", "candle_core::f", "candle-core/src/ops.rs", (false, false)),
        ("a::b", "a::b::c", "a/src/b.rs", (true, false)),
        ("a::b", "a::bc", "a/src/bc.rs", (false, false)),
        ("a/src/b", "a::b::c", "a/src/b.rs", (false, true)),
        ("a/src/b", "a::b::c", "a/src/b/c.rs", (false, true)),
        ("./a/src/b.rs/", "a", "a/src/b.rs", (false, true)),
        ("a/src/b", "a", "a/src/bc.rs", (false, false)),
        (" x , a::b , y/src ", "a::b", "y/src/z.rs", (true, true)),
        ("größe", "größe::f", "", (true, false)),
    ];
    for (text, function, file, expected) in table {
        let (config, said) = read(&[("LAUNCHSITE_INTERNAL", text)]);
        assert!(said.is_empty(), "{text}: {said:?}");
        let internal = &config.naming.internal;
        assert_eq!((internal.has_path(function), internal.has_file(file)), expected, "{text} {function} {file}");
    }
    for text in ["a b", "a:b", "a,b c", "/", ",", "*"] {
        let (config, said) = read(&[("LAUNCHSITE_INTERNAL", text)]);
        assert_eq!((config.naming, said.len()), (Naming::default(), 1), "{text}");
    }
}

#[test]
fn s0_6_budgets() {
    let table = [
        ("1%", Budget::Share(0.01)),
        (" 0.5 % ", Budget::Share(0.005)),
        ("100%", Budget::Share(1.0)),
        ("1/16", Budget::Every(16)),
        ("1 / 1", Budget::Every(1)),
    ];
    for (text, budget) in table {
        let (config, said) = read(&[("LAUNCHSITE_BUDGET", text)]);
        assert_eq!(config.budget, budget, "{text}");
        assert!(said.is_empty(), "{text}");
        // It says how much is timed, not whether.
        assert_eq!((config.parts, config.decided), (Parts::NVTX, false), "{text}");
    }
    for text in ["1", "16", "%", "0%", "-1%", "101%", "nan%", "2/16", "1/0", "1/-1", "1/1.5", "1/99999999999"] {
        let (config, said) = read(&[("LAUNCHSITE_BUDGET", text)]);
        assert_eq!((config.budget, said.len()), (Budget::All, 1), "{text}");
    }
}

#[test]
fn outputs_by_ending() {
    let file = |path: &str| Output::JsonLines(Place::File(PathBuf::from(path)));
    let (config, said) = read(&[("LAUNCHSITE_OUT", "a.jsonl, b/c.JSONL,-,a.jsonl"), ("RANK", "3")]);
    assert!(said.is_empty(), "{said:?}");
    let stdout = Output::JsonLines(Place::Stdout);
    assert_eq!(config.outputs, [file("a.jsonl"), file("b/c.JSONL"), stdout]);

    let (config, _) = read(&[("LAUNCHSITE_OUT", "t-%p-%r-%%x.jsonl"), ("PMI_RANK", "3")]);
    let pid = std::process::id();
    assert_eq!(config.outputs, [file(&format!("t-{pid}-3-%%x.jsonl"))]);

    let (config, said) = read(&[("LAUNCHSITE_OUT", "good.jsonl,bad.xyz")]);
    assert_eq!(config.outputs, [file("good.jsonl")]);
    assert!(said[0].contains("bad.xyz") && said[0].contains(".jsonl"), "{said:?}");
}

#[test]
fn an_output_without_the_switch_turns_it_on() {
    for variables in [("LAUNCHSITE_OUT", "a.jsonl"), ("LAUNCHSITE_SUMMARY", "1")] {
        let (config, _) = read(&[variables]);
        assert_eq!((config.parts, config.decided), (Parts::ON, true), "{variables:?}");
    }
    let (config, _) = read(&[("LAUNCHSITE_OUT", "a.jsonl"), ("LAUNCHSITE", "nvtx")]);
    assert_eq!(config.parts, Parts::NVTX);
}

#[test]
fn s0_5_off_is_final() {
    let (config, said) = read(&[
        ("LAUNCHSITE", "off"),
        ("LAUNCHSITE_OUT", "a.jsonl"),
        ("LAUNCHSITE_SUMMARY", "1"),
        ("NVTX_INJECTION64_PATH", "/tool.so"),
    ]);
    assert!(config.off && config.decided && said.is_empty());
    assert!(config.outputs.is_empty() && !config.summary && config.tool.is_none());
}

#[test]
fn raised_privileges_ignore_every_variable() {
    let all = |_: &str| Some(OsString::from("on"));
    let (config, said) = Config::read(all, true);
    assert_eq!(config, Config::default());
    assert!(said.0.is_empty());
}
