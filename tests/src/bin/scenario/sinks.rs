//! Programs with sinks of their own.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::time::Instant;

use launchsite::record::{Record, Sink};
use serde_json::json;

use crate::rig::{Cell, LONG, Rig, say};
use crate::sites;
use crate::{Args, Failure, Program};

pub(crate) const PROGRAMS: &[(&str, Program)] = &[
    ("own_sink", own_sink),
    ("flush_in_sink", flush_in_sink),
    ("api_in_sink", api_in_sink),
    ("panicking_sink", panicking_sink),
    ("exit_in_sink", exit_in_sink),
];

/// Writes a word for each record to a file, at once: behind the end of `main` too.
struct Scribe(File);

impl Scribe {
    fn new(name: &str) -> Self {
        Self(OpenOptions::new().create(true).append(true).open(name).expect("the folder can be written"))
    }
}

impl Sink for Scribe {
    fn record(&mut self, record: &Record<'_>) {
        let word = match record {
            Record::Session(_) => "session\n",
            Record::Stream(_) => "stream\n",
            Record::Launch(_) => "launch\n",
            Record::LaunchGpu(_) => "launch_gpu\n",
            Record::End(_) => "end\n",
            _ => "other\n",
        };
        self.0.write_all(word.as_bytes()).expect("the file can be written");
    }
}

/// A sink from the start, and one that comes when two launches have been written out.
fn own_sink(_: &Args) -> Result<(), Failure> {
    launchsite::add_sink(Scribe::new("early.txt"));
    let rig = Rig::new();
    for _ in 0..2 {
        sites::saxpy(&rig.stream, &rig.cell)?;
        rig.stream.synchronize()?;
        launchsite::flush(LONG)?;
    }
    launchsite::add_sink(Scribe::new("late.txt"));
    sites::saxpy(&rig.stream, &rig.cell)?;
    Ok(rig.finish()?)
}

struct Doing<F>(F);

impl<F: FnMut(&Record<'_>) + Send> Sink for Doing<F> {
    fn record(&mut self, record: &Record<'_>) {
        self.0(record);
    }
}

/// Flushes inside a sink.
fn flush_in_sink(_: &Args) -> Result<(), Failure> {
    launchsite::add_sink(Doing(|record: &Record<'_>| {
        if matches!(record, Record::Launch(_)) {
            let began = Instant::now();
            let refused = launchsite::flush(LONG).is_err();
            say("in_the_sink", json!({ "refused": refused, "at_once": began.elapsed() < LONG / 2 }));
            drop(launchsite::guard());
        }
    }));
    let rig = Rig::new();
    for _ in 0..3 {
        sites::saxpy(&rig.stream, &rig.cell)?;
    }
    launchsite::flush(LONG)?;
    Ok(rig.finish()?)
}

/// Does in a sink what a program does outside: launches at a site that has not run yet, adds a sink, asks for the
/// table, turns parts on.
fn api_in_sink(_: &Args) -> Result<(), Failure> {
    let own = Rig::new();
    let mut done = false;
    launchsite::add_sink(Doing(move |record: &Record<'_>| {
        if matches!(record, Record::Launch(_)) && !std::mem::replace(&mut done, true) {
            sites::nn::relu(&own.stream, &own.cell).expect("launched");
            launchsite::add_sink(Scribe::new("late.txt"));
            say("rows", launchsite::summary().sites.len());
            say("set", launchsite::set_parts(launchsite::Parts::ON));
        }
    }));
    let rig = Rig::new();
    sites::saxpy(&rig.stream, &rig.cell)?;
    launchsite::flush(LONG)?;
    sites::saxpy(&rig.stream, &rig.cell)?;
    launchsite::flush(LONG)?;
    Ok(rig.finish()?)
}

/// A sink that panics with its third record, and with `drop` when it is dropped too.
struct Panicking {
    left: u64,
    told: Cell,
    in_drop: bool,
}

impl Sink for Panicking {
    fn record(&mut self, _: &Record<'_>) {
        self.told.adds(1)();
        self.left = self.left.checked_sub(1).expect("this sink's own panic");
    }
}

impl Drop for Panicking {
    fn drop(&mut self) {
        assert!(!self.in_drop, "this sink's second panic");
    }
}

fn panicking_sink(args: &Args) -> Result<(), Failure> {
    std::panic::set_hook(Box::new(|_| {}));
    let told = Cell::default();
    let in_drop = args.text(0) == "drop";
    launchsite::add_sink(Scribe::new("before.txt"));
    launchsite::add_sink(Panicking { left: 2, told: told.clone(), in_drop });
    launchsite::add_sink(Scribe::new("behind.txt"));
    let rig = Rig::new();
    for _ in 0..5 {
        sites::saxpy(&rig.stream, &rig.cell)?;
    }
    say("flushed", launchsite::flush(LONG / 3).is_ok());
    say("told", told.read());
    Ok(rig.finish()?)
}

/// Ends the process inside a sink.
fn exit_in_sink(_: &Args) -> Result<(), Failure> {
    launchsite::add_sink(Doing(|record: &Record<'_>| {
        if matches!(record, Record::LaunchGpu(_)) {
            std::process::exit(9);
        }
    }));
    let rig = Rig::new();
    sites::saxpy(&rig.stream, &rig.cell)?;
    launchsite::flush(LONG)?;
    Ok(())
}
