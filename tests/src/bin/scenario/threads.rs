//! Programs with threads that meet.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::thread;

use launchsite::Parts;
use launchsite::host::Stream;
use launchsite::record::{Record, Sink};

use crate::rig::{Cell, Gate, LONG, Rig, say};
use crate::sites;
use crate::{Args, Failure, Program};

pub(crate) const PROGRAMS: &[(&str, Program)] = &[
    ("threads", threads),
    ("race", race),
    ("toggle", toggle),
    ("toggle_in_launch", toggle_in_launch),
    ("sink_takes_app_lock", sink_takes_app_lock),
    ("full_queue", full_queue),
    ("many_windows", many_windows),
    ("short_lived", short_lived),
    ("steady", steady),
];

/// `T` threads that launch `N` times each on `S` streams, while others wait for those streams over and over.
fn threads(args: &Args) -> Result<(), Failure> {
    let [count, streams, launches] = [0, 1, 2].map(|index| args.number(index, 4));
    let rig = Rig::new();
    let streams: Vec<Stream> = (0..streams).map(|_| rig.host.stream()).collect();
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        for stream in &streams {
            let over = &over;
            scope.spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    stream.synchronize().unwrap();
                    thread::yield_now();
                }
            });
        }
        let launching: Vec<_> = (0..count)
            .map(|_| scope.spawn(|| (0..launches).for_each(|_| launch_on_each(&streams, &rig.cell))))
            .collect();
        for thread in launching {
            thread.join().unwrap();
        }
        over.store(true, Ordering::Relaxed);
    });
    streams.iter().try_for_each(Stream::synchronize)?;
    Ok(rig.finish()?)
}

fn launch_on_each(streams: &[Stream], cell: &Cell) {
    for stream in streams {
        sites::saxpy(stream, cell).unwrap();
    }
}

/// `T` threads that come to the first launch of all at one moment, each `N` times.
fn race(args: &Args) -> Result<(), Failure> {
    let (count, launches) = (args.number(0, 64), args.number(1, 1));
    let rig = Rig::new();
    let barrier = Barrier::new(usize::try_from(count)?);
    thread::scope(|scope| {
        for _ in 0..count {
            scope.spawn(|| {
                barrier.wait();
                (0..launches).for_each(|_| sites::saxpy(&rig.stream, &rig.cell).unwrap());
            });
        }
    });
    Ok(rig.finish()?)
}

const EVERY: [Parts; 4] = [Parts::NONE, Parts::NVTX, Parts::TIME, Parts::ON];

/// Launches from two threads while two others turn parts on and off. Then one launch with each set of parts, and the
/// API says which they are.
fn toggle(args: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    let left = AtomicU64::new(2);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                (0..args.number(0, 1000)).for_each(|_| sites::saxpy(&rig.stream, &rig.cell).unwrap());
                left.fetch_sub(1, Ordering::Relaxed);
            });
        }
        for step in [1, 3] {
            let left = &left;
            scope.spawn(move || {
                for parts in EVERY.into_iter().cycle().step_by(step) {
                    assert!(launchsite::set_parts(parts));
                    if left.load(Ordering::Relaxed) == 0 {
                        break;
                    }
                }
            });
        }
    });
    launchsite::flush(LONG)?;
    for parts in EVERY.into_iter().chain([Parts::NONE, Parts::ON]) {
        assert!(launchsite::set_parts(parts));
        say("parts", launchsite::parts().to_string());
        sites::nn::relu(&rig.stream, &rig.cell)?;
    }
    Ok(rig.finish()?)
}

/// A part goes off, and then on, in the middle of a launch.
fn toggle_in_launch(args: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    let Rig { stream, cell, .. } = &rig;
    for _ in 0..args.number(0, 3) {
        sites::in_the_launch(stream, cell, || assert!(launchsite::set_parts(Parts::NONE)))?;
        sites::in_the_launch(stream, cell, || assert!(launchsite::set_parts(Parts::ON)))?;
        sites::in_the_argument(stream, cell, || {
            launchsite::set_parts(Parts::NONE);
            crate::rig::config()
        })?;
        sites::in_the_argument(stream, cell, || {
            launchsite::set_parts(Parts::ON);
            crate::rig::config()
        })?;
    }
    Ok(rig.finish()?)
}

/// Takes a lock of the program's on every record.
struct Locking(Arc<Mutex<u64>>);

impl Sink for Locking {
    fn record(&mut self, record: &Record<'_>) {
        *self.0.lock().unwrap() += u64::from(matches!(record, Record::Launch(_)));
    }
}

/// `T` threads that hold a lock around launches and waits, which a sink takes too; one even flushes under it.
fn sink_takes_app_lock(args: &Args) -> Result<(), Failure> {
    let seen = Arc::new(Mutex::new(0));
    launchsite::add_sink(Locking(Arc::clone(&seen)));
    let rig = Rig::new();
    thread::scope(|scope| {
        for _ in 0..args.number(0, 3) {
            scope.spawn(|| {
                for _ in 0..args.number(1, 50) {
                    let guard = seen.lock().unwrap();
                    sites::saxpy(&rig.stream, &rig.cell).unwrap();
                    rig.stream.synchronize().unwrap();
                    drop(guard);
                }
            });
        }
    });
    let guard = seen.lock().unwrap();
    sites::saxpy(&rig.stream, &rig.cell)?;
    let flushed = launchsite::flush(std::time::Duration::from_millis(50));
    drop(guard);
    say("flushed_under_the_lock", flushed.is_ok());
    launchsite::flush(LONG)?;
    say("seen", *seen.lock().unwrap());
    Ok(rig.finish()?)
}

/// Waits at a gate with every record.
struct Waiting(Gate);

impl Sink for Waiting {
    fn record(&mut self, _: &Record<'_>) {
        self.0.wait();
    }
}

/// `N` launches while the collector cannot take any.
fn full_queue(args: &Args) -> Result<(), Failure> {
    let gate = Gate::default();
    launchsite::add_sink(Waiting(gate.clone()));
    let rig = Rig::new();
    for _ in 0..args.number(0, 10_000) {
        sites::saxpy(&rig.stream, &rig.cell)?;
    }
    gate.open();
    launchsite::flush(LONG)?;
    sites::nn::relu(&rig.stream, &rig.cell)?;
    Ok(rig.finish()?)
}

/// `N` launches behind a kernel that ends only then, and `M` at a time behind it, for windows to be used again.
fn many_windows(args: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    let gate = Gate::default();
    let held = gate.clone();
    sites::work(&rig.stream, move || held.wait())?;
    for _ in 0..args.number(0, 100) {
        sites::saxpy(&rig.stream, &rig.cell)?;
    }
    gate.open();
    launchsite::flush(LONG)?;
    rig.say_counts("held");
    for _ in 0..args.number(1, 5) {
        sites::nn::relu(&rig.stream, &rig.cell)?;
        launchsite::flush(LONG)?;
    }
    Ok(rig.finish()?)
}

/// `T` threads, one after the other, each with a launch: what one leaves is for the next.
fn short_lived(args: &Args) -> Result<(), Failure> {
    let rig = Arc::new(Rig::new());
    for _ in 0..args.number(0, 20) {
        let on = Arc::clone(&rig);
        thread::spawn(move || sites::saxpy(&on.stream, &on.cell).unwrap()).join().unwrap();
        launchsite::flush(LONG)?;
    }
    Ok(rig.finish()?)
}

/// `N` launches at the stream's own pace; what memory the process has at each tenth, and what became of them.
fn steady(args: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    let launches = args.number(0, 100_000);
    let mut memory = Vec::new();
    for launch in 1..=launches {
        sites::saxpy(&rig.stream, &rig.cell)?;
        if launch % 256 == 0 {
            rig.stream.synchronize()?;
        }
        if launch % (launches / 10) == 0 {
            launchsite::flush(LONG)?;
            memory.push(resident_kib());
        }
    }
    say("resident_kib", memory);
    let summary = launchsite::summary();
    let site = summary.sites.first().expect("a site");
    say("launches", site.launches + summary.lost.values().sum::<u64>());
    say("timed", site.timed + summary.untimed.values().sum::<u64>());
    say("lost", summary.lost.values().sum::<u64>());
    Ok(rig.finish()?)
}

/// As the system has it.
fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("a Linux system");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("the system tells");
    line.split_whitespace().next().expect("a number").parse().expect("a number")
}
