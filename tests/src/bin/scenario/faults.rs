//! Programs in which calls are refused, bodies return errors, and code panics.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use launchsite::host::{Call, Fault};
use serde_json::json;

use crate::rig::{LONG, Rig, say};
use crate::sites;
use crate::{Args, Failure, Program};

pub(crate) const PROGRAMS: &[(&str, Program)] = &[
    ("refuse_create", |args| refused(args, Call::EventCreate)),
    ("refuse_start", |args| refused(args, Call::EventRecord)),
    ("refuse_stop", refuse_stop),
    ("refuse_elapsed", |args| refused(args, Call::EventElapsed)),
    ("impossible_elapsed", impossible_elapsed),
    ("refuse_capturing", |args| refused(args, Call::IsCapturing)),
    ("refuse_enter", |args| refused(args, Call::ContextEnter)),
    ("refuse_hold", |args| refused(args, Call::Hold)),
    ("refuse_relax", |args| refused(args, Call::Relax)),
    ("refuse_leaving", refuse_leaving),
    ("refuse_anchor", |args| refused(args, Call::StreamCreate)),
    ("slow_launch", slow_launch),
    ("launch_fails", launch_fails),
    ("capturing", capturing),
    ("every_mode", every_mode),
    ("question_mark", question_mark),
    ("panics", panics),
    ("panic_in_launch", panic_in_launch),
];

/// The status that scripts refuse with.
const CODE: i32 = 719;

/// `N` launches while every `call` is refused, and `N` more when it works again.
fn refused(args: &Args, call: Call) -> Result<(), Failure> {
    let rig = Rig::new();
    rig.host.script().add(Fault::refuse(call, CODE));
    for again in [false, true] {
        for _ in 0..args.number(0, 1) {
            sites::saxpy(&rig.stream, &rig.cell)?;
        }
        launchsite::flush(LONG)?;
        if !again {
            rig.host.script().clear();
        }
    }
    Ok(rig.finish()?)
}

/// `N` launches whose times are below zero.
fn impossible_elapsed(args: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    rig.host.script().add(Fault::answer(Call::EventElapsed, -5));
    for _ in 0..args.number(0, 1) {
        sites::saxpy(&rig.stream, &rig.cell)?;
    }
    launchsite::flush(LONG)?;
    Ok(rig.finish()?)
}

/// `N` times a launch for which the device refuses the second `call` with `code`, counted around them.
fn refuse_second(rig: &Rig, args: &Args, call: Call, code: i32) -> Result<(), Failure> {
    // What the collector records, it does behind this.
    sites::saxpy(&rig.stream, &rig.cell)?;
    launchsite::flush(LONG)?;
    rig.say_counts("before");
    for _ in 0..args.number(0, 1) {
        rig.host.script().add(Fault::refuse(call, code).after(1).times(1));
        sites::saxpy(&rig.stream, &rig.cell)?;
        rig.host.script().clear();
    }
    rig.say_counts("after");
    Ok(())
}

/// The second event is refused, with the status that is given; then comes a launch that works.
fn refuse_stop(args: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    refuse_second(&rig, args, Call::EventRecord, i32::try_from(args.number(1, 719))?)?;
    sites::saxpy(&rig.stream, &rig.cell)?;
    Ok(rig.finish()?)
}

/// The way back into the stream's context is refused.
fn refuse_leaving(args: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    refuse_second(&rig, args, Call::ContextEnter, CODE)?;
    Ok(rig.finish()?)
}

/// A launch call that takes so many milliseconds, as one does on a queue that is full.
fn slow_launch(args: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    let time = Duration::from_millis(args.number(0, 1));
    rig.host.script().add(Fault::delay(Call::Launch, time));
    let began = Instant::now();
    sites::saxpy(&rig.stream, &rig.cell)?;
    say("outside_ns", u64::try_from(began.elapsed().as_nanos())?);
    Ok(rig.finish()?)
}

/// `N` launches that fail, and `N` that do not.
fn launch_fails(args: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    rig.host.script().add(Fault::refuse(Call::Launch, CODE));
    for _ in 0..args.number(0, 1) {
        let error = sites::saxpy(&rig.stream, &rig.cell).expect_err("the script refuses it");
        say("error", json!([error.0.call, error.0.code]));
    }
    rig.host.script().clear();
    for _ in 0..args.number(0, 1) {
        sites::saxpy(&rig.stream, &rig.cell)?;
    }
    launchsite::flush(LONG)?;
    Ok(rig.finish()?)
}

/// `N` launches into a graph, and one that runs.
fn capturing(args: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    rig.stream.begin_capture()?;
    for _ in 0..args.number(0, 1) {
        sites::saxpy(&rig.stream, &rig.cell)?;
    }
    rig.say_counts("captured");
    say("nodes", rig.stream.end_capture()?.len());
    sites::saxpy(&rig.stream, &rig.cell)?;
    Ok(rig.finish()?)
}

/// One launch that goes well, one into a graph, one without events, and one that fails.
fn every_mode(_: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    sites::saxpy(&rig.stream, &rig.cell)?;
    rig.stream.begin_capture()?;
    sites::two_sites(&rig.stream, &rig.cell)?;
    drop(rig.stream.end_capture()?);
    launchsite::flush(LONG)?;
    rig.host.script().add(Fault::refuse(Call::EventRecord, CODE).times(1));
    sites::nn::relu(&rig.stream, &rig.cell)?;
    rig.host.script().add(Fault::refuse(Call::Launch, CODE).times(1));
    say("failed", sites::nn::softmax(&rig.stream, &rig.cell).is_err());
    Ok(rig.finish()?)
}

fn question_mark(_: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    let Rig { stream, cell, .. } = &rig;
    for _ in 0..3 {
        say("error", sites::err_before(stream, cell, true).map_err(|why| why.to_string()).err());
        say("error", sites::err_after(stream, cell).map_err(|why| why.to_string()).err());
        say("error", sites::err_in_argument(stream, cell).map_err(|why| why.to_string()).err());
        say("error", sites::err_before(stream, cell, false).map_err(|why| why.to_string()).err());
    }
    Ok(rig.finish()?)
}

/// Runs what panics, and says with what.
fn caught<T>(work: impl FnOnce() -> T) {
    let payload = catch_unwind(AssertUnwindSafe(work)).err().expect("it panics");
    say("panic", payload.downcast_ref::<&str>().copied());
}

fn panics(_: &Args) -> Result<(), Failure> {
    std::panic::set_hook(Box::new(|_| {}));
    let rig = Rig::new();
    for _ in 0..3 {
        caught(|| sites::panic_after(&rig.stream, &rig.cell));
        caught(|| sites::panic_in_argument(&rig.stream, &rig.cell));
        sites::saxpy(&rig.stream, &rig.cell)?;
    }
    Ok(rig.finish()?)
}

/// `N` launches that panic between their two events, and `N` that do not.
fn panic_in_launch(args: &Args) -> Result<(), Failure> {
    std::panic::set_hook(Box::new(|_| {}));
    let rig = Rig::new();
    for _ in 0..args.number(0, 1) {
        caught(|| sites::in_the_launch(&rig.stream, &rig.cell, || panic!("launch")));
    }
    rig.say_counts("panicked");
    for _ in 0..args.number(0, 1) {
        sites::in_the_launch(&rig.stream, &rig.cell, || {})?;
    }
    Ok(rig.finish()?)
}
