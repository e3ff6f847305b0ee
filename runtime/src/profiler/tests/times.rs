//! What windows say of work whose length is known.

use std::thread;
use std::time::{Duration, Instant};

use super::{busy, held, rig};
use crate::device::host::Call;

#[test]
fn s1_10_to_close_a_window_waits_for_nothing() {
    let (_, stream, profiler) = rig();
    // Before anything is queued: the anchor is waited for.
    profiler.abandon(profiler.start(&stream).unwrap()).unwrap();
    let open = held(&stream);
    let token = profiler.start(&stream).unwrap();
    let span = profiler.stop(token).unwrap();
    // It came back while the stream's work could not end.
    open();
    span.resolve().unwrap();
}

#[test]
fn s1_11_windows_in_a_window_add_up_to_no_more_than_it() {
    let (_, stream, profiler) = rig();
    let time = |parts: u32| {
        let outer = profiler.start(&stream).unwrap();
        let inner: Vec<_> = (0..parts)
            .map(|_| profiler.measure(&stream, || busy(&stream, Duration::from_millis(80) / parts)).1.unwrap())
            .collect();
        let outer = profiler.stop(outer).unwrap();
        let sum: u64 = inner.into_iter().map(|span| span.resolve().unwrap().duration_ns).sum();
        (sum, outer.resolve().unwrap().duration_ns)
    };
    let (sum, outer) = time(4);
    assert!(sum <= outer && outer < 2 * sum, "{sum} in {outer}");
    let (_, more) = time(16);
    assert!(more < outer * 2, "{outer} with 4 windows in it, {more} with 16");
}

#[test]
fn s1_12_more_work_takes_longer_and_an_empty_window_next_to_nothing() {
    let (_, stream, profiler) = rig();
    let time = |launches: u32| {
        let work = || (0..launches).for_each(|_| busy(&stream, Duration::from_micros(200)));
        profiler.measure(&stream, work).1.unwrap().resolve().unwrap().duration_ns
    };
    let (few, many) = (time(32), time(512));
    assert!(many > 4 * few, "{few} and {many}");
    assert!(0 < few && many < 5_000_000_000, "{few} and {many}");
    let least = (0..20).map(|_| time(0)).min().unwrap();
    assert!(least < 1_000_000, "{least}");
}

#[test]
fn s1_13_what_comes_before_the_launch_is_in_a_window_that_was_opened_before() {
    let (_, stream, profiler) = rig();
    let early = profiler.start(&stream).unwrap();
    stream.synchronize().unwrap();
    thread::sleep(Duration::from_millis(20));
    let late = (0..20).map(|_| {
        let span = profiler.measure(&stream, || busy(&stream, Duration::from_micros(10))).1.unwrap();
        span.resolve().unwrap().duration_ns
    });
    let late = late.min().unwrap();
    let early = profiler.stop(early).unwrap().resolve().unwrap().duration_ns;
    assert!(early >= 20_000_000, "{early}");
    assert!(late < 1_000_000, "{late}");
}

#[test]
fn windows_of_many_threads_are_told_apart() {
    let (host, _, profiler) = rig();
    let began = Instant::now();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let stream = host.stream();
                for _ in 0..50 {
                    let (done, span) = profiler.measure(&stream, || busy(&stream, Duration::from_micros(100)));
                    let () = done;
                    let read = span.unwrap().resolve().unwrap();
                    assert!(read.duration_ns >= 100_000, "{read:?}");
                }
            });
        }
    });
    assert!(began.elapsed() < Duration::from_secs(60));
    // Threads that come at one moment may each take an anchor.
    assert!(host.counts().of(Call::EventCreate) <= 4 + 2 * 4);
}
