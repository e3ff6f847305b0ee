//! Programs that end in some way.

use std::process::{Command, abort, exit};
use std::sync::{Arc, Barrier};
use std::time::Duration;

use launchsite::record::{Record, Sink};

use crate::rig::{Gate, LONG, Rig, say};
use crate::sites;
use crate::{Args, Failure, Program};

pub(crate) const PROGRAMS: &[(&str, Program)] = &[
    ("exit_code", exit_code),
    ("exit_in_thread", exit_in_thread),
    ("exit_while_launching", exit_while_launching),
    ("exit_in_a_race", exit_in_a_race),
    ("flush_while_launching", flush_while_launching),
    ("return_main", return_main),
    ("return_error", return_error),
    ("main_panics", main_panics),
    ("slow_kernel", slow_kernel),
    ("stuck_sink", stuck_sink),
    ("abort_after_flush", abort_after_flush),
    ("abort_after_guard", abort_after_guard),
    ("kill_itself", kill_itself),
    ("signals", signals),
    ("last_breath", last_breath),
    ("fork", crate::forks::fork_and_launch),
    ("fork_quietly", crate::forks::fork_and_end),
    ("fork_in_scope", crate::forks::fork_in_scope),
];

fn launch(rig: &Rig, times: u64) -> Result<(), Failure> {
    Ok((0..times).try_for_each(|_| sites::saxpy(&rig.stream, &rig.cell))?)
}

/// Ends with a code right behind `N` launches.
fn exit_code(args: &Args) -> Result<(), Failure> {
    launch(&Rig::new(), args.number(1, 100))?;
    exit(i32::try_from(args.number(0, 7))?)
}

/// As `exit_code`, and not in the main thread.
fn exit_in_thread(args: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    launch(&rig, args.number(1, 100))?;
    let code = i32::try_from(args.number(0, 7))?;
    std::thread::spawn(move || exit(code)).join().expect("it does not come back");
    Ok(())
}

/// Threads that launch for as long as the process lives.
fn launch_for_ever(threads: usize) {
    for _ in 0..threads {
        std::thread::spawn(|| {
            let rig = Rig::new();
            loop {
                launch(&rig, 1).unwrap();
            }
        });
    }
}

/// Ends while other threads go on launching.
fn exit_while_launching(args: &Args) -> Result<(), Failure> {
    launch_for_ever(3);
    launch(&Rig::new(), args.number(1, 100))?;
    exit(i32::try_from(args.number(0, 7))?)
}

/// Threads that come to the first launch of all at one moment; as soon as its own has returned, the main thread ends.
fn exit_in_a_race(args: &Args) -> Result<(), Failure> {
    let others = usize::try_from(args.number(0, 16))?;
    let (rig, barrier) = (Arc::new(Rig::new()), Arc::new(Barrier::new(others + 1)));
    for _ in 0..others {
        let (rig, barrier) = (Arc::clone(&rig), Arc::clone(&barrier));
        std::thread::spawn(move || {
            barrier.wait();
            launch(&rig, 1).unwrap();
        });
    }
    barrier.wait();
    launch(&rig, 1)?;
    exit(7)
}

/// Takes its time, so that launches come faster than they are taken.
struct Slow;

impl Sink for Slow {
    fn record(&mut self, _: &Record<'_>) {
        std::thread::sleep(Duration::from_micros(150));
    }
}

/// Flushes while another thread goes on launching, more than the collector can take.
fn flush_while_launching(args: &Args) -> Result<(), Failure> {
    launchsite::add_sink(Slow);
    launch_for_ever(1);
    launch(&Rig::new(), args.number(0, 100))?;
    say("flushed", launchsite::flush(LONG).is_ok());
    Ok(())
}

/// Returns from `main` right behind `N` launches; the streams are dropped before what is in them has run.
fn return_main(args: &Args) -> Result<(), Failure> {
    launch(&Rig::new(), args.number(0, 100))
}

fn return_error(args: &Args) -> Result<(), Failure> {
    launch(&Rig::new(), args.number(0, 100))?;
    Err("this program's own error".into())
}

fn main_panics(args: &Args) -> Result<(), Failure> {
    launch(&Rig::new(), args.number(0, 100))?;
    panic!("this program's own panic")
}

/// Ends while a kernel has still so many seconds to run, and another launch waits behind it.
fn slow_kernel(args: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    launch(&rig, 3)?;
    rig.stream.synchronize()?;
    launchsite::flush(LONG)?;
    let seconds = args.number(0, 600);
    sites::work(&rig.stream, move || std::thread::sleep(Duration::from_secs(seconds)))?;
    launch(&rig, 1)
}

struct Stuck;

impl Sink for Stuck {
    fn record(&mut self, _: &Record<'_>) {
        Gate::default().wait();
    }
}

/// Ends while a sink does not return.
fn stuck_sink(args: &Args) -> Result<(), Failure> {
    launchsite::add_sink(Stuck);
    launch(&Rig::new(), args.number(0, 10))
}

fn abort_after_flush(args: &Args) -> Result<(), Failure> {
    launch(&Rig::new(), args.number(0, 100))?;
    launchsite::flush(LONG)?;
    abort()
}

fn abort_after_guard(args: &Args) -> Result<(), Failure> {
    {
        let _guard = launchsite::guard();
        launch(&Rig::new(), args.number(0, 100))?;
    }
    abort()
}

/// Is killed in the middle of launching, some time after `N` launches are known to be written.
/// Which signals the collector's thread leaves to others, as the system has it.
fn signals(_: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    launch(&rig, 1)?;
    launchsite::flush(LONG)?;
    for task in std::fs::read_dir("/proc/self/task")? {
        let task = task?.path();
        if std::fs::read_to_string(task.join("comm"))?.trim() == "launchsite" {
            let status = std::fs::read_to_string(task.join("status"))?;
            let blocked = status.lines().find_map(|line| line.strip_prefix("SigBlk:")).unwrap_or_default();
            say("blocked", blocked.trim());
        }
    }
    Ok(rig.finish()?)
}

fn kill_itself(args: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    launch(&rig, args.number(0, 100))?;
    launchsite::flush(LONG)?;
    say("flushed", args.number(0, 100));
    std::thread::spawn(|| {
        std::thread::sleep(Duration::from_millis(30));
        let pid = std::process::id().to_string();
        Command::new("kill").args(["-9", &pid]).status().expect("`kill` is there");
    });
    loop {
        launch(&rig, 1)?;
    }
}

/// A thread's own value that launches when it is dropped: on the thread's last breath.
struct LastBreath(Rig);

impl Drop for LastBreath {
    fn drop(&mut self) {
        launch(&self.0, 1).unwrap();
    }
}

thread_local! {
    static LAST: std::cell::RefCell<Option<LastBreath>> = const { std::cell::RefCell::new(None) };
}

/// `N` threads that launch, once while they run and once when what they have is dropped.
fn last_breath(args: &Args) -> Result<(), Failure> {
    for _ in 0..args.number(0, 3) {
        let thread = std::thread::spawn(|| {
            // Made before anything of launchsite's, so it is dropped behind that.
            LAST.with(|last| *last.borrow_mut() = Some(LastBreath(Rig::new())));
            launch(&Rig::new(), 1).unwrap();
        });
        thread.join().expect("it ends well");
    }
    say("ended", true);
    Ok(())
}
