//! What the attribute and the environment make of names, categories and ranges.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail so")]

use std::collections::{BTreeMap, BTreeSet};

use launchsite_tests::{Calls, Records, line_of, scenario};
use serde_json::{Value, json};

const NAMING: &str = include_str!("../src/bin/scenario/naming.rs");
const FILE: &str = "launchsite-tests/src/bin/scenario/naming.rs";

fn line(marker: &str) -> u64 {
    line_of(NAMING, marker)
}

/// Category and colour of each range, by how its name begins.
fn looks(calls: &Calls) -> BTreeMap<&str, (&str, u64)> {
    let category = |id: &Value| {
        let named = calls.of("category").into_iter().find(|named| named["id"] == *id);
        named.unwrap_or_else(|| panic!("category {id} has a name"))["name"].as_str().unwrap()
    };
    let look = |push: &&Value| {
        let function = push["text"].as_str().unwrap().split(' ').next().unwrap().to_owned();
        (&*function.leak(), (category(&push["category"]), push["color"].as_u64().unwrap()))
    };
    calls.of("push").iter().map(look).collect()
}

#[test]
fn s4_4_a_category_and_a_colour_that_are_given_take_the_modules_place() {
    let run = scenario!("looks").tool().run().success();
    let calls = run.calls();
    let looks = looks(&calls);
    assert_eq!(looks["naming::given"], ("solver", 0xff76_b900));
    let (category, own) = looks["naming::category_alone"];
    assert_eq!(category, "solver");
    assert!(own >> 24 == 0xff && own != 0xff76_b900, "a colour of the category's own: {own:x}");
    assert_eq!(looks["Looks::color_alone"], ("scenario::naming", 0xff00_00ff));
    assert_eq!(looks["Looks::scope"], ("io", 0xff00_0000));
    // The same text is the same category.
    let ids: BTreeSet<_> = calls.of("category").iter().map(|named| named["id"].as_u64().unwrap()).collect();
    assert_eq!(ids.len(), 3, "solver, io and the module");
}

fn kernels_with_parents(records: &Records) -> Vec<(String, Option<String>)> {
    let name = |id: &str| {
        let scope = records.of("scope").into_iter().find(|scope| scope["trace_event_id"] == id).unwrap();
        scope["function"].as_str().unwrap().to_owned()
    };
    let row = |record: &&Value| {
        // A scope has no kernel, and of some launches it is not known.
        let kernel = record.get("kernel").and_then(Value::as_str);
        let what = kernel.or(record["function"].as_str()).unwrap().to_owned();
        (what, record["parent"].as_str().map(name))
    };
    let of = ["launch", "scope"].into_iter().flat_map(|scope| records.of(scope));
    of.collect::<Vec<_>>().iter().map(row).collect()
}

#[test]
fn s4_5_hidden_ranges_are_the_inner_ones_and_their_launches_are_the_outermosts() {
    let with = |value: &str| {
        let run =
            scenario!("nested_ranges", 2).env("LAUNCHSITE", "on").env("LAUNCHSITE_NESTED", value).tool().out().run();
        let run = run.success();
        assert_eq!(run.said("panicked"), true);
        run
    };
    let shown = with("show");
    let hidden = with(" Hide ");
    for run in [&shown, &hidden] {
        let records = run.records();
        // Records and times are the same: what is hidden is the range.
        assert_eq!(records.launches().len(), 2 * 4 + 1 + 1 + 3);
        assert_eq!(records.gpu().len(), records.launches().len());
        assert_eq!((records.of("scope").len(), records.of("scope_gpu").len()), (2 * 2 + 2 + 1, 2 + 1 + 1));
    }
    let of = |run: &launchsite_tests::Outcome, what: &str| {
        let rows = kernels_with_parents(&run.records());
        let parents =
            rows.into_iter().filter(|(kernel, _)| kernel == what).map(|(_, parent)| parent.unwrap_or_default());
        parents.collect::<Vec<_>>()
    };
    let [outer, within, panics] = ["naming::outermost", "naming::inner", "naming::panics"];
    assert_eq!(of(&shown, "inner"), [within; 4]);
    assert_eq!(of(&hidden, "inner"), [outer, outer, panics, within]);
    assert_eq!(of(&hidden, "naming::inner"), [outer, outer, panics, ""]);
    assert_eq!(of(&hidden, "last"), [outer; 2], "behind the inner scope too");
    assert_eq!(of(&hidden, "beside"), [""; 4]);

    shown.calls().depths();
    let calls = hidden.calls();
    assert!(calls.depths().iter().all(|&depth| depth == 1), "{:?}", calls.depths());
    let short = |text: &str| text.split(' ').next().unwrap().to_owned();
    let pushed: Vec<_> = calls.pushed().into_iter().map(short).collect();
    let beside = "naming::beside";
    let expected = [outer, beside, outer, beside, panics, within, "sites::in_the_launch", beside];
    assert_eq!(pushed, expected, "two calls at the top have two ranges, and another thread has its own");
}

#[test]
fn s4_4_names_are_put_together_as_asked() {
    let (generic, told, twins) = (line("kind_generic"), line("kind_told"), line("kind_twins"));
    let caller = line("kind_caller");
    let source = NAMING.lines().nth(usize::try_from(twins).unwrap() - 1).unwrap();
    let [first, second] = [0, 1].map(|nth| source.match_indices(".launch(").nth(nth).unwrap().0 + 2);
    let table: [(&str, [String; 6]); 6] = [
        (
            "{function} {file}:{line}",
            [
                format!("ops::generic<f32, 3> {FILE}:{generic}"),
                format!("ops::twins {FILE}:{twins}:{first}"),
                format!("ops::twins {FILE}:{twins}:{second}"),
                format!("deep::called {FILE}:{caller}"),
                format!("naming::told {FILE}:{told}"),
                format!("naming::told {FILE}:{told}"),
            ],
        ),
        (
            "{KERNEL} [{ module }] {{{line}}}",
            [
                format!("generic_kernel [scenario::naming::ops] {{{generic}}}"),
                format!("a [scenario::naming::ops] {{{twins}:{first}}}"),
                format!("b [scenario::naming::ops] {{{twins}:{second}}}"),
                format!("called_kernel [scenario::naming::ops::deep] {{{caller}}}"),
                format!("one [scenario::naming] {{{told}}}"),
                format!("two [scenario::naming] {{{told}}}"),
            ],
        ),
        (
            "<{types}>|{caller}",
            ["<f32, 3>|".into(), "<>|".into(), "<>|".into(), format!("<>|{FILE}:{caller}"), "<>|".into(), "<>|".into()],
        ),
        (
            "{line}:{column} {function}",
            [
                format!("{generic}:63 ops::generic<f32, 3>"),
                format!("{twins}:{first} ops::twins"),
                format!("{twins}:{second} ops::twins"),
                format!("{caller}:5 deep::called"),
                format!("{told}:49 naming::told"),
                format!("{told}:49 naming::told"),
            ],
        ),
        // Never empty.
        (
            "{caller}",
            [
                "ops::generic<f32, 3>".into(),
                "ops::twins".into(),
                "ops::twins".into(),
                format!("{FILE}:{caller}"),
                "naming::told".into(),
                "naming::told".into(),
            ],
        ),
        (
            "größe {column}",
            ["63", &first.to_string(), &second.to_string(), "5", "49", "49"].map(|c| format!("größe {c}")),
        ),
    ];
    for (format, expected) in table {
        let scenario = scenario!("kinds").env("LAUNCHSITE_NAME_FORMAT", format).env("LAUNCHSITE", "on");
        let run = scenario.tool().out().run().success();
        let names: Vec<_> =
            run.records().launches().iter().map(|launch| launch["name"].as_str().unwrap().to_owned()).collect();
        let mut all: Vec<String> = expected.to_vec();
        all.push(expected[4].clone());
        assert_eq!(names, all, "{format}");
        assert_eq!(run.calls().pushed(), all, "{format}");
        let worked_out = if format.contains("KERNEL") { 6 } else { 5 };
        assert_eq!(run.said("names_worked_out"), worked_out, "{format}");
    }
}

/// A filter, and the kernels with ranges, with records and with times.
type Filtered<'k> = (&'k str, Vec<&'k str>, Vec<&'k str>, Vec<&'k str>);

#[test]
fn a_filter_says_what_each_part_of_the_program_has() {
    // The seven launches of `kinds`.
    let [generic, twins, called, told] =
        [&["generic_kernel"][..], &["a", "b"], &["called_kernel"], &["one", "two", "one"]];
    let all = [generic, twins, called, told].concat();
    let ops = [generic, twins, called].concat();
    let table: [Filtered<'_>; 9] = [
        ("scenario::naming::ops=off", told.into(), told.into(), told.into()),
        (
            "scenario::naming::ops=off,scenario::naming::ops::deep=on",
            [called, told].concat(),
            [called, told].concat(),
            [called, told].concat(),
        ),
        ("*=off, Scenario::naming::OPS = nvtx", ops.clone(), ops.clone(), vec![]),
        ("scenario=time", vec![], all.clone(), all.clone()),
        ("scenario::naming::ops::twins=nvtx+time,*=nvtx", all.clone(), all.clone(), twins.into()),
        // Whole names only; a crate that is not there.
        ("scenario::nam=off,other-crate=off", all.clone(), all.clone(), all.clone()),
        ("*=off", vec![], vec![], vec![]),
        ("scenario::naming::told=0,*=1", ops.clone(), ops.clone(), ops),
        ("scenario=off,scenario=time", vec![], all.clone(), all),
    ];
    for (filter, ranges, records, times) in table {
        let run =
            scenario!("kinds").env("LAUNCHSITE_FILTER", filter).env("LAUNCHSITE", "on").tool().out().run().success();
        assert_eq!(run.said("result"), 7, "{filter}");
        let kernel = |record: &&Value| record["kernel"].as_str().unwrap().to_owned();
        let there = run.folder().names().iter().any(|name| name == "trace.jsonl");
        assert_eq!(there, !records.is_empty(), "{filter}");
        if there {
            let trace = run.records();
            assert_eq!(trace.launches().iter().map(kernel).collect::<Vec<_>>(), records, "{filter}");
            let timed: Vec<_> = trace.launches().into_iter().filter(|launch| launch["mode"] == "timed").collect();
            assert_eq!(timed.iter().map(kernel).collect::<Vec<_>>(), times, "{filter}");
            assert_eq!(trace.end()["launches"], json!(records.len()), "what is filtered out is not counted");
        }
        assert_eq!(run.calls().of("push").len(), ranges.len(), "{filter}");
    }
    // It turns nothing on.
    let run =
        scenario!("kinds").env("LAUNCHSITE_FILTER", "*=on").env("LAUNCHSITE", "time").tool().out().run().success();
    assert!(run.calls().is_empty());
    let run = scenario!("kinds").env("LAUNCHSITE_FILTER", "*=on").env("LAUNCHSITE", "off").tool().out().run().success();
    assert!(run.calls().is_empty() && run.folder().names().is_empty());
}

#[test]
fn s2_11_odd_names_reach_profilers_whole_or_cut_between_characters() {
    let run = scenario!("odd_names").env("LAUNCHSITE", "on").tool().out().run().success();
    let (records, calls) = (run.records(), run.calls());
    calls.check_balance();
    let texts = run.said("texts");
    let texts: Vec<_> = texts.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
    let names: Vec<_> = records.launches().iter().map(|launch| launch["name"].as_str().unwrap().to_owned()).collect();
    assert_eq!(calls.pushed(), names);
    let place = format!("{FILE}:{}", line("odd_name"));
    for (text, name) in texts.iter().zip(&names) {
        let blank = text.replace('\0', " ").trim().is_empty();
        let text = if blank { "naming::shown" } else { text };
        let whole = format!("{text} {place}").replace(['\0', '\n'], " ");
        let whole = whole.trim();
        assert!(!name.is_empty() && whole.starts_with(name.as_str()), "{text:?}: {name:?}");
        // Nothing is cut that fits, and no more than a character too much.
        assert!(
            name.len() == whole.len().min(1024) || (whole.len() > 1024 && name.len() > 1024 - 4),
            "{text:?}: {name:?}"
        );
    }
    assert_eq!(names.len(), 8 + 8 + 10);
}
