//! Windows that a program opens itself, by number.

#![allow(clippy::unwrap_used)] // a test ends where it fails

mod times;

use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use super::{Profiler, ProfilerError, Token};
use crate::device::Refusal;
use crate::device::host::{Call, Fault, Host, LaunchConfig, Stream};

const CODE: i32 = 719;

fn rig() -> (Host, Stream, Profiler) {
    let host = Host::new();
    (host, host.stream(), Profiler::new(&host))
}

fn launch(stream: &Stream, work: impl Fn() + Send + Sync + 'static) {
    stream.launch_builder("work", work).launch(LaunchConfig::for_num_elems(1)).unwrap();
}

fn busy(stream: &Stream, time: Duration) {
    launch(stream, move || thread::sleep(time));
}

fn refused(call: Call) -> ProfilerError {
    ProfilerError::Refused(Refusal { call: call.entry_point(), code: CODE })
}

/// A kernel that runs until the other end is opened.
fn held(stream: &Stream) -> impl FnOnce() {
    let gate = Arc::new((Mutex::new(false), Condvar::new()));
    let inside = Arc::clone(&gate);
    launch(stream, move || drop(inside.1.wait_while(inside.0.lock().unwrap(), |open| !*open).unwrap()));
    move || {
        *gate.0.lock().unwrap() = true;
        gate.1.notify_all();
    }
}

#[test]
fn s1_1_a_new_profiler_asks_for_nothing_and_the_first_window_for_a_stream_and_an_anchor() {
    let (host, stream, profiler) = rig();
    let counts = host.counts();
    assert_eq!((counts.of(Call::StreamCreate), counts.of(Call::EventCreate), counts.of(Call::Hold)), (1, 0, 0));
    let tokens: Vec<_> = (0..3).map(|_| profiler.start(&stream).unwrap().number()).collect();
    assert_eq!(tokens, [0, 1, 2]);
    let counts = host.counts();
    assert_eq!((counts.of(Call::StreamCreate), counts.of(Call::EventWait), counts.of(Call::Hold)), (2, 1, 1));
    assert_eq!(counts.of(Call::EventRecord), 1 + 3);
}

#[test]
fn s1_2_a_window_is_closed_once() {
    let (host, stream, profiler) = rig();
    let not_registered = Err(ProfilerError::NotRegistered);
    let stopped = profiler.start(&stream).unwrap();
    assert_eq!(profiler.stop(Token { number: 7, ..stopped }).map(drop), not_registered);
    profiler.stop(stopped).unwrap().resolve().unwrap();
    assert_eq!(profiler.stop(stopped).map(drop), not_registered);
    let abandoned = profiler.start(&stream).unwrap();
    profiler.abandon(abandoned).unwrap();
    assert_eq!(profiler.stop(abandoned).map(drop), not_registered);
    assert_eq!(profiler.abandon(abandoned), not_registered);
    let usable = profiler.start(&stream).unwrap();
    // Another profiler's window of the same number is another window.
    let other = Profiler::new(&host);
    assert!((0..=usable.number()).all(|_| other.start(&stream).is_ok()));
    assert_eq!(other.stop(usable).map(drop), not_registered);
    profiler.stop(usable).unwrap().resolve().unwrap();
}

#[test]
fn s1_3_a_failure_closes_what_is_open_and_nothing_else() {
    let (host, stream, profiler) = rig();
    profiler.failure(ProfilerError::Impossible);
    let tokens: Vec<_> = (0..3).map(|_| profiler.start(&stream).unwrap()).collect();
    let error = refused(Call::Launch);
    profiler.failure(error);
    let records = host.counts().of(Call::EventRecord);
    let later = profiler.start(&stream).unwrap();
    assert_eq!(host.counts().of(Call::EventRecord), records + 1);
    for &token in &tokens {
        assert_eq!(profiler.stop(token).map(drop), Err(error));
        assert_eq!(profiler.stop(token).map(drop), Err(ProfilerError::NotRegistered), "told once");
    }
    assert_eq!(host.counts().of(Call::EventRecord), records + 1, "nothing was recorded");
    profiler.stop(later).unwrap().resolve().unwrap();
}

#[test]
fn s1_4_events_are_used_again_and_destroyed_once() {
    let (host, stream, profiler) = rig();
    for _ in 0..20 {
        let token = profiler.start(&stream).unwrap();
        profiler.stop(token).unwrap().resolve().unwrap();
    }
    assert_eq!(host.counts().of(Call::EventCreate), 3);
    let open: Vec<_> = (0..5).map(|_| profiler.start(&stream).unwrap()).collect();
    assert_eq!(host.counts().of(Call::EventCreate), 2 * 5 + 1);
    let spans: Vec<_> = open.into_iter().map(|token| profiler.stop(token).unwrap()).collect();
    // Not asked for: its events are free for others.
    drop(spans);
    let open: Vec<_> = (0..5).map(|_| profiler.start(&stream).unwrap()).collect();
    assert_eq!(host.counts().of(Call::EventCreate), 2 * 5 + 1);
    // One outlives the profiler, and one is left open.
    let last = profiler.stop(open[0]).unwrap();
    drop(profiler);
    assert_eq!(host.counts().of(Call::EventDestroy), 0);
    last.resolve().unwrap();
    let counts = host.counts();
    assert_eq!(counts.of(Call::EventDestroy), 2 * 5 + 1);
    assert_eq!((counts.of(Call::StreamDestroy), counts.of(Call::Release)), (1, counts.of(Call::Hold)));
}

#[test]
fn s1_5_a_window_that_does_not_open_leaves_nothing() {
    for call in [Call::EventCreate, Call::EventRecord, Call::IsCapturing, Call::ContextEnter] {
        let (host, stream, profiler) = rig();
        let token = profiler.start(&stream).unwrap();
        profiler.stop(token).unwrap().resolve().unwrap();
        let pair_in_use = (call == Call::EventCreate).then(|| profiler.start(&stream).unwrap());
        let created = host.counts().of(Call::EventCreate);
        host.script().add(Fault::refuse(call, CODE));
        assert_eq!(profiler.start(&stream), Err(refused(call)), "{call:?}");
        host.script().clear();
        let next = profiler.start(&stream).unwrap();
        assert_eq!(next.number(), 1 + u64::from(pair_in_use.is_some()), "no token was given: {call:?}");
        let made = if pair_in_use.is_some() { 3 } else { 0 };
        assert_eq!(host.counts().of(Call::EventCreate), created + made, "{call:?}");
    }
    // The first of all, with everything that it sets up.
    for call in [Call::Hold, Call::StreamCreate, Call::EventCreate, Call::EventRecord, Call::EventWait] {
        let (host, stream, profiler) = rig();
        host.script().add(Fault::refuse(call, CODE).times(1));
        assert_eq!(profiler.start(&stream), Err(refused(call)), "{call:?}");
        let token = profiler.start(&stream).unwrap();
        profiler.stop(token).unwrap().resolve().unwrap();
        drop(profiler);
        let (counts, refusals) = (host.counts(), |of: Call| u64::from(of == call));
        assert_eq!(counts.of(Call::EventCreate) - refusals(Call::EventCreate), 3, "{call:?}");
        assert_eq!(counts.of(Call::EventDestroy), 3, "{call:?}");
        assert_eq!(counts.of(Call::Hold) - refusals(Call::Hold), counts.of(Call::Release), "{call:?}");
    }
}

#[test]
fn s1_6_an_end_that_is_refused_is_told_and_the_window_is_gone() {
    for call in [Call::EventRecord, Call::IsCapturing, Call::ContextEnter] {
        let (host, stream, profiler) = rig();
        let token = profiler.start(&stream).unwrap();
        host.script().add(Fault::refuse(call, CODE).times(1));
        assert_eq!(profiler.stop(token).map(drop), Err(refused(call)));
        assert_eq!(profiler.stop(token).map(drop), Err(ProfilerError::NotRegistered));
        let again = profiler.start(&stream).unwrap();
        profiler.stop(again).unwrap().resolve().unwrap();
        assert_eq!(host.counts().of(Call::EventCreate), 3, "the events are used again: {call:?}");
    }
}

#[test]
fn s1_7_a_time_is_read_in_order_and_is_the_last_answer() {
    let (host, stream, profiler) = rig();
    let token = profiler.start(&stream).unwrap();
    let span = profiler.stop(token).unwrap();
    let before = host.counts();
    host.script().add(Fault::answer(Call::EventElapsed, 5_000_000).times(1));
    host.script().add(Fault::answer(Call::EventElapsed, 1234).times(1));
    let reading = span.resolve().unwrap();
    assert_eq!(reading.duration_ns, 1234);
    // Five milliseconds behind the anchor, which was taken before the window opened.
    let now = i64::try_from(crate::clock::now()).unwrap();
    assert!((5_000_000..now + 5_000_000).contains(&reading.start_ns), "{reading:?} at {now}");
    let after = host.counts();
    assert_eq!(after.of(Call::EventWait) - before.of(Call::EventWait), 2);
    assert_eq!(after.of(Call::EventElapsed) - before.of(Call::EventElapsed), 2);
    // What is refused first is what is told: the waits come before the questions, each in its order.
    for (skip, call) in [(0, Call::EventWait), (1, Call::EventWait), (0, Call::EventElapsed), (1, Call::EventElapsed)] {
        let token = profiler.start(&stream).unwrap();
        let span = profiler.stop(token).unwrap();
        let elapsed = host.counts().of(Call::EventElapsed);
        host.script().add(Fault::refuse(call, CODE).after(skip).times(1));
        assert_eq!(span.resolve(), Err(refused(call)));
        let asked = host.counts().of(Call::EventElapsed) - elapsed;
        assert_eq!(asked, if call == Call::EventWait { 0 } else { skip + 1 });
        host.script().clear();
    }
}

#[test]
fn s1_8_an_anchor_is_taken_anew_when_it_is_old_and_a_window_keeps_its_own() {
    let (host, stream, profiler) = rig();
    let anchors = || host.counts().of(Call::EventWait);
    let old = profiler.start(&stream).unwrap();
    profiler.abandon(profiler.start(&stream).unwrap()).unwrap();
    assert_eq!(anchors(), 1, "fresh");
    thread::sleep(Duration::from_millis(1050));
    let new = profiler.start(&stream).unwrap();
    assert_eq!(anchors(), 2);
    let created = host.counts().of(Call::EventCreate);
    let (old, new) = (profiler.stop(old).unwrap().resolve().unwrap(), profiler.stop(new).unwrap().resolve().unwrap());
    let apart = new.start_ns - old.start_ns;
    assert!(apart >= 1_040_000_000, "{apart}: each by an anchor of its own");
    // The old anchor's event is the next one's.
    thread::sleep(Duration::from_millis(1050));
    let _open = profiler.start(&stream).unwrap();
    assert_eq!((anchors() - 4, host.counts().of(Call::EventCreate)), (3, created));
}

#[test]
fn s1_9_a_time_that_cannot_be_is_an_error() {
    let (host, stream, profiler) = rig();
    for (fault, error) in [
        (Fault::answer(Call::EventElapsed, -1).after(1), ProfilerError::Impossible),
        (Fault::refuse(Call::EventElapsed, CODE).after(1), refused(Call::EventElapsed)),
    ] {
        let token = profiler.start(&stream).unwrap();
        let span = profiler.stop(token).unwrap();
        host.script().add(fault);
        assert_eq!(span.resolve(), Err(error));
        host.script().clear();
    }
    assert_eq!(host.counts().of(Call::EventCreate), 3, "the events went back");
}

#[test]
fn s1_14_s1_15_no_event_goes_into_a_capture() {
    let (host, stream, profiler) = rig();
    let open = profiler.start(&stream).unwrap();
    stream.begin_capture().unwrap();
    let records = host.counts().of(Call::EventRecord);
    let refused = ProfilerError::Capturing("cuEventRecord");
    assert_eq!(profiler.start(&stream), Err(refused));
    assert!(refused.to_string().contains("cuEventRecord"));
    launch(&stream, || ());
    assert_eq!(profiler.stop(open).map(drop), Err(refused));
    assert_eq!(profiler.stop(open).map(drop), Err(ProfilerError::NotRegistered));
    assert_eq!(host.counts().of(Call::EventRecord), records);
    assert_eq!(stream.end_capture().unwrap().len(), 1, "the graph has the kernel alone");
    let token = profiler.start(&stream).unwrap();
    profiler.stop(token).unwrap().resolve().unwrap();
}

#[test]
fn s1_16_another_thread_closes_a_window_of_the_stream_that_it_was_opened_on() {
    let (host, stream, profiler) = rig();
    let other = host.stream();
    let token = profiler.start(&stream).unwrap();
    busy(&stream, Duration::from_millis(30));
    // The other stream is held up until the window's end has been read.
    let open = held(&other);
    let read = thread::scope(|scope| {
        let closing = scope.spawn(|| profiler.stop(token).unwrap().resolve().unwrap());
        closing.join().unwrap()
    });
    assert!(read.duration_ns >= 30_000_000, "{read:?}");
    open();
}

#[test]
fn s1_18_a_panic_in_a_window_goes_on_as_it_was() {
    let (host, stream, profiler) = rig();
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        profiler.measure(&stream, || std::panic::panic_any("mine")).1.map(drop)
    }));
    assert_eq!(caught.unwrap_err().downcast_ref::<&str>(), Some(&"mine"));
    let next = profiler.start(&stream).unwrap();
    assert_eq!(profiler.stop(Token { number: 0, ..next }).map(drop), Err(ProfilerError::NotRegistered));
    profiler.stop(next).unwrap().resolve().unwrap();
    assert_eq!(host.counts().of(Call::EventCreate), 3, "the events went back");
}

#[test]
fn work_is_done_where_no_window_opens() {
    let (host, stream, profiler) = rig();
    host.script().add(Fault::refuse(Call::EventRecord, CODE));
    let (value, span) = profiler.measure(&stream, || 7);
    assert_eq!((value, span.map(drop)), (7, Err(refused(Call::EventRecord))));
    let elsewhere = Host::new().stream();
    assert_eq!(profiler.start(&elsewhere), Err(ProfilerError::OtherContext));
}
