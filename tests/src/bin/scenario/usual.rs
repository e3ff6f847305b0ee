//! Programs that do what programs do.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::rig::{Gate, LONG, Rig, lines_of, say, thread_names};
use crate::sites::{self, Dense, Layer, Linear};
use crate::{Args, Failure, Program};

pub(crate) const PROGRAMS: &[(&str, Program)] = &[
    ("nothing", |_| Ok(())),
    ("saxpy", saxpy),
    ("counts", counts),
    ("two_sites", two_sites),
    ("generic", generic),
    ("method", method),
    ("closure_and_loop", closure_and_loop),
    ("inlined", inlined),
    ("named", named),
    ("modules", modules),
    ("nested", nested),
    ("from_threads", from_threads),
    ("async_tasks", async_tasks),
    ("early_return", early_return),
    ("opaque", opaque),
    ("two_devices", two_devices),
    ("held_kernel", held_kernel),
    ("flush", flush),
    ("chatter", chatter),
    ("child", child),
];

/// `N` launches at one site.
fn saxpy(args: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    for _ in 0..args.number(0, 1) {
        sites::saxpy(&rig.stream, &rig.cell)?;
    }
    Ok(rig.finish()?)
}

/// As `saxpy`, and says what there is beside the results.
fn counts(args: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    for _ in 0..args.number(0, 1) {
        sites::saxpy(&rig.stream, &rig.cell)?;
    }
    // What another thread would do, it has done then.
    launchsite::flush(LONG)?;
    say("names_worked_out", launchsite::__private::names_worked_out());
    rig.finish()?;
    // Behind a kernel: a thread has its name only once it runs.
    say("threads", thread_names());
    Ok(())
}

fn two_sites(args: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    for _ in 0..args.number(0, 1) {
        sites::two_sites(&rig.stream, &rig.cell)?;
        let (first, second) = sites::one_line(&rig.stream, &rig.cell);
        first.and(second)?;
    }
    Ok(rig.finish()?)
}

/// Instantiations of one function; `f64` runs first where the argument says so.
fn generic(args: &Args) -> Result<(), Failure> {
    let Rig { stream, cell, .. } = &Rig::new();
    if args.text(0) == "f64" {
        sites::scale::<f64>(stream, cell)?;
        sites::tile::<32>(stream, cell)?;
    }
    for _ in 0..2 {
        sites::scale::<f32>(stream, cell)?;
        sites::scale::<f64>(stream, cell)?;
        sites::tile::<16>(stream, cell)?;
        sites::tile::<32>(stream, cell)?;
    }
    say("names_worked_out", launchsite::__private::names_worked_out());
    Ok(())
}

fn method(_: &Args) -> Result<(), Failure> {
    let Rig { stream, cell, .. } = &Rig::new();
    let linear = Linear(cell.clone());
    linear.forward(stream)?;
    linear.apply(stream)?;
    Dense(cell.clone(), 1_f32).forward(stream)?;
    Dense(cell.clone(), 1_f64).forward(stream)?;
    Ok(())
}

fn closure_and_loop(args: &Args) -> Result<(), Failure> {
    let times = args.number(0, 3);
    let rig = Rig::new();
    sites::in_a_loop(&rig.stream, &rig.cell, times)?;
    sites::in_a_condition(&rig.stream, &rig.cell, times)?;
    sites::in_a_closure(&rig.stream, &rig.cell, times)?;
    Ok(rig.finish()?)
}

fn inlined(_: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    sites::calls_inlined(&rig.stream, &rig.cell)?;
    sites::calls_inlined_too(&rig.stream, &rig.cell)?;
    Ok(rig.finish()?)
}

fn named(_: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    sites::named(&rig.stream, &rig.cell)?;
    Ok(rig.finish()?)
}

fn modules(args: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    for _ in 0..args.number(0, 2) {
        sites::saxpy(&rig.stream, &rig.cell)?;
        sites::two_sites(&rig.stream, &rig.cell)?;
        sites::nn::softmax(&rig.stream, &rig.cell)?;
        sites::nn::relu(&rig.stream, &rig.cell)?;
    }
    Ok(rig.finish()?)
}

fn nested(_: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    sites::outer(&rig.stream, &rig.cell)?;
    Ok(rig.finish()?)
}

fn from_threads(args: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    sites::from_threads(&rig.stream, &rig.cell, args.number(0, 4));
    Ok(rig.finish()?)
}

/// Runs a future that never waits.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("the future waits"),
    }
}

/// Lets another task run.
pub(crate) async fn yield_once() {
    let mut yielded = false;
    poll_fn(|_| if std::mem::replace(&mut yielded, true) { Poll::Ready(()) } else { Poll::Pending }).await;
}

/// Two tasks that take turns on one thread, and one that is dropped in its middle.
fn async_tasks(args: &Args) -> Result<(), Failure> {
    let steps = args.number(0, 3);
    let rig = Rig::new();
    let mut one = pin!(sites::decode(&rig.stream, &rig.cell, steps));
    let mut two = pin!(sites::decode(&rig.stream, &rig.cell, steps));
    let mut dropped = Box::pin(sites::decode(&rig.stream, &rig.cell, steps));
    let mut context = Context::from_waker(Waker::noop());
    assert!(dropped.as_mut().poll(&mut context).is_pending());
    for step in 0..=steps {
        let polled = (one.as_mut().poll(&mut context), two.as_mut().poll(&mut context));
        assert_eq!(polled.0.is_ready(), step == steps);
        assert_eq!(polled.1.is_ready(), step == steps);
    }
    drop(dropped);
    Ok(rig.finish()?)
}

fn early_return(_: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    for how in 0..4 {
        let returned = sites::returns_early(&rig.stream, &rig.cell, how);
        say("returned", returned.map_or_else(|why| json!(why.to_string()), |value| json!(value)));
    }
    Ok(rig.finish()?)
}

/// A launch that nothing tells the stream of, before or after one that is known.
fn opaque(args: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    if args.text(0) == "second" {
        sites::saxpy(&rig.stream, &rig.cell)?;
        launchsite::flush(LONG)?;
    }
    sites::opaque(&rig.stream, &rig.cell)?;
    if args.text(0) == "first" {
        launchsite::flush(LONG)?;
        sites::saxpy(&rig.stream, &rig.cell)?;
    }
    Ok(rig.finish()?)
}

/// Two stand-ins with two streams each: handles are the same on both.
fn two_devices(_: &Args) -> Result<(), Failure> {
    let (one, two) = (Rig::new(), Rig::new());
    let streams = [one.host.stream(), two.host.stream()];
    for _ in 0..2 {
        for stream in [&one.stream, &two.stream, &streams[0], &streams[1]] {
            sites::saxpy(stream, &one.cell)?;
        }
    }
    one.stream.synchronize()?;
    two.stream.synchronize()?;
    Ok(streams.iter().try_for_each(launchsite::host::Stream::synchronize)?)
}

/// A kernel that ends only after its launch has returned, and says how long it took, from inside and from outside.
fn held_kernel(_: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    let gate = Gate::default();
    let inside = {
        let gate = gate.clone();
        move || {
            let began = Instant::now();
            gate.wait();
            std::thread::sleep(Duration::from_millis(50));
            say("inside_ns", u64::try_from(began.elapsed().as_nanos()).unwrap());
        }
    };
    let began = Instant::now();
    sites::work(&rig.stream, inside)?;
    gate.open();
    rig.stream.synchronize()?;
    // The event behind the kernel is reached by now, or will be before this returns.
    launchsite::flush(LONG)?;
    say("outside_ns", u64::try_from(began.elapsed().as_nanos()).unwrap());
    Ok(())
}

/// Launches from some threads, flushes, and says what the output holds then.
fn flush(args: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    for round in 1..=3 {
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..args.number(0, 50)).for_each(|_| sites::saxpy(&rig.stream, &rig.cell).unwrap()));
            }
        });
        launchsite::flush(if round == 2 { Duration::MAX } else { LONG })?;
        let lines = |scope| lines_of("trace.jsonl", scope);
        say("written", json!([lines("launch"), lines("launch_gpu")]));
    }
    let gate = Gate::default();
    let held = gate.clone();
    sites::work(&rig.stream, move || held.wait())?;
    sites::saxpy(&rig.stream, &rig.cell)?;
    let pending = launchsite::flush(Duration::from_millis(50));
    say("pending", pending.map_err(launchsite::Pending::launches).err());
    gate.open();
    launchsite::flush(LONG)?;
    say("written", json!([lines_of("trace.jsonl", "launch"), lines_of("trace.jsonl", "launch_gpu")]));
    Ok(())
}

/// Prints and launches in turn.
fn chatter(args: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    for number in 0..args.number(0, 10) {
        sites::saxpy(&rig.stream, &rig.cell)?;
        say("chatter", number);
    }
    Ok(rig.finish()?)
}

/// Launches, runs a program of this binary with the same environment, and launches again.
fn child(_: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    sites::saxpy(&rig.stream, &rig.cell)?;
    launchsite::flush(LONG)?;
    let status = std::process::Command::new(std::env::current_exe()?).args(["saxpy", "5"]).status()?;
    assert!(status.success());
    sites::saxpy(&rig.stream, &rig.cell)?;
    rig.stream.synchronize()?;
    Ok(())
}
