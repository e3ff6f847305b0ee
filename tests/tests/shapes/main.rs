//! How people write launches: a folder of functions, each with a line that says what must hold for it.
//!
//! `tests/shapes/run.sh` runs this: it compiles the functions with the attribute and calls them on the scripted driver.
//! Without it there is nothing to compare: each test says so on stdout and passes.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)] // a test ends where it fails
#![allow(clippy::print_stdout)] // the table, and that nothing was run

mod expect;
mod launches;
mod runs;
mod sites;
mod table;
mod work;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use launches::{Launch, Window};
use runs::{Runs, runs};

#[test]
fn every_shape_has_the_sites_and_records_that_its_line_says() {
    let Some(Runs { rows, on, .. }) = runs() else { return };
    sites::check(on, rows, false);
}

#[test]
fn statements_behind_a_cfg_have_their_sites_where_it_is_set() {
    let Some(Runs { rows, on_with_probe, .. }) = runs() else { return };
    sites::check(on_with_probe, rows, true);
}

/// Of a record's stream and the driver's, each stands for the other; and where there is only one of a kind, its kind and
/// its device tell.
#[test]
fn a_record_has_the_stream_that_the_driver_saw_or_none() {
    let Some(Runs { on, .. }) = runs() else { return };
    let streams = on.records.as_ref().unwrap().streams();
    let mut by_number: BTreeMap<u64, String> = BTreeMap::new();
    let mut by_stream: BTreeMap<String, u64> = BTreeMap::new();
    let mut devices: BTreeMap<String, &Value> = BTreeMap::new();
    let mut compared = 0;
    for Launch { record, call, stream, shape, .. } in launches::of(on) {
        let Some(record) = record.filter(|record| record["stream"].is_u64()) else { continue };
        // Of a call that it is told to refuse, the driver does not look at the stream.
        let Some(stream) = stream else { continue };
        let number = record["stream"].as_u64().unwrap();
        let seen = by_number.entry(number).or_insert_with(|| stream.clone());
        assert_eq!(*seen, stream, "{shape}: a wrong stream: {record}");
        assert_eq!(*by_stream.entry(stream).or_insert(number), number, "{shape}: two numbers for a stream: {record}");
        let declared = streams.iter().find(|stream| stream["stream"] == number).unwrap();
        let kind = match call["stream"].as_u64().unwrap() {
            0 | 1 => "legacy_default",
            2 => "per_thread_default",
            _ => "stream",
        };
        assert_eq!(declared["kind"], kind, "{shape}: {record} {call}");
        assert_eq!(declared["device"], record["device"], "{shape}: {record}");
        let device = devices.entry(call["context"].to_string()).or_insert(&record["device"]);
        assert_eq!(**device, record["device"], "{shape}: a wrong device: {record} {call}");
        compared += 1;
    }
    println!("{compared} records on {} streams of {} devices", by_stream.len(), devices.len());
    assert!(by_stream.len() > 87, "each shape has streams of its own");
    assert_eq!(
        devices.values().map(|device| device.as_u64().unwrap()).collect::<BTreeSet<_>>(),
        BTreeSet::from([0, 1])
    );
}

#[test]
fn a_record_says_what_happened_and_its_window_stands_on_the_launches_stream() {
    let Some(Runs { on, .. }) = runs() else { return };
    for Launch { record, call, window, shape, .. } in launches::of(on) {
        let Some(record) = record else { continue };
        let expected = if call["status"] != 0 {
            "failed"
        } else if record["stream"].is_null() {
            "refused"
        } else if call["captured"] == true {
            "captured"
        } else {
            "timed"
        };
        assert_eq!(record["mode"], expected, "{shape}: {record} {call}");
        assert_eq!(window == Window::Around, expected == "timed", "{shape}: {window:?} {record} {call}");
    }
}

#[test]
fn results_are_what_they_are_without_the_attribute() {
    let Some(Runs { off, on, quiet, rows, .. }) = runs() else { return };
    let expected: Vec<_> = off.stdout.lines().collect();
    assert_eq!(expected.len(), 2 * rows.len(), "every shape was called: {}", off.stdout);
    for (parts, run) in quiet.iter().map(|(parts, run)| (*parts, run)).chain([("nvtx,time", on)]) {
        for (given, expected) in run.stdout.lines().zip(&expected) {
            assert_eq!(given, *expected, "{parts}");
        }
        assert_eq!(run.stdout.lines().count(), expected.len(), "{parts}");
    }
}

#[test]
fn the_driver_sees_what_it_sees_without_the_attribute() {
    let Some(Runs { off, on, quiet, .. }) = runs() else { return };
    let expected = work::of(off);
    assert!(expected.len() > 2 * 87, "{} parts", expected.len());
    for run in quiet.iter().map(|(_, run)| run).chain([on]) {
        let work = work::of(run);
        for (part, expected) in &expected {
            assert_eq!(work.get(part), Some(expected), "{part:?}");
        }
        assert_eq!(work.len(), expected.len());
        assert_eq!(work::captured_events(run), work::captured_events(off));
    }
    for (_, run) in quiet {
        assert_eq!(work::timed_events(run), work::timed_events(off), "an event where no time was asked for");
    }
}

/// No call of the program's is refused: whatever is refused to launchsite, it goes on as it did.
#[test]
fn what_the_driver_refuses_to_launchsite_is_nothing_to_the_program() {
    let Some(Runs { off, refused, .. }) = runs() else { return };
    let expected = work::of(off);
    for (call, run) in refused {
        assert_eq!(run.stdout, off.stdout, "{call}");
        assert_eq!(work::of(run), expected, "{call}");
        let asked = run.steps.iter().filter(|step| step.call["call"] == *call);
        assert!(asked.clone().count() > 0, "{call} was not called");
        assert!(asked.clone().all(|step| step.call["status"] == 999), "{call} was not refused");
        assert_eq!(work::captured_events(run), 0, "{call}");
    }
}

/// The program's own cannot be told from ours: they are as many, and ours stand beside launches that are timed.
#[test]
fn there_are_two_events_for_each_time() {
    let Some(Runs { off, on, .. }) = runs() else { return };
    let launches = launches::of(on);
    for (part, timed) in work::timed_events(on) {
        let of_part = launches.iter().filter(|launch| (launch.shape, launch.round) == part);
        let with_mode =
            |mode| of_part.clone().filter(|launch| launch.record.is_some_and(|one| one["mode"] == mode)).count();
        let ours = timed - work::timed_events(off).get(&part).copied().unwrap_or(0);
        // A launch that fails has its first behind it.
        let most = 2 * with_mode("timed") + with_mode("failed");
        assert!((2 * with_mode("timed")..=most).contains(&ours), "{part:?}: {ours} events");
    }
}
