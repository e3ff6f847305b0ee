//! Which windows met, and what times are worth.

use super::{BEHIND, Ended, LATE, MOST, NEAR_NS, Queued, Running, Windows};
use crate::collector::reader::{Raw, Read};
use crate::device::Event;
use crate::device::host::Host;
use crate::lane::{Beside, Ending, Geometry, Place, Posted};
use crate::name::Name;
use crate::record::{Accuracy, Doubt};
use crate::window::{Pair, Placed};

const CONSTANT: u64 = 2850;

fn place() -> Place {
    let host = Host::new();
    Place { device: host.device(), context: host.context(), ordinal: 0 }
}

fn at(at_ns: i64, anchor: i64) -> Placed {
    Placed { at_ns, uncertainty_ns: 100, anchor }
}

/// A window of `stream` from `start` on.
fn window(place: Place, stream: u32, start: Placed, duration_ns: u64) -> Ended {
    let pair = Pair { start: Event(1), stop: Event(2) };
    let posted = Posted {
        name: Name::in_a_test(1),
        number: 0,
        parent: 0,
        start: 0,
        span: 0,
        overhead: 0.0,
        what: Geometry::UNKNOWN.into(),
        block: Geometry::UNKNOWN.block.into(),
        stream: stream.into(),
        kernel: None,
        ending: Ending::Timed(pair),
        fields: crate::fields::Fields::NONE,
        beside: Beside::new(0, false),
    };
    let order = start.at_ns.unsigned_abs();
    let raw = Raw { duration_ns, start: Some(start), constant: Ok(CONSTANT) };
    Ended::new(place, Read { posted, stream: Some(stream), order }, raw, start)
}

/// The windows that are let go in a turn that begins at `began`: their streams, and whether they met another.
fn released(windows: &mut Windows, began: i64) -> Vec<(u32, bool)> {
    let mut gone = Vec::new();
    windows.release(began, |window, _| gone.push((window.read.stream.unwrap(), window.overlapped.get())));
    gone
}

fn met(windows: impl IntoIterator<Item = Ended>) -> Vec<(u32, bool)> {
    let mut held = Windows::default();
    windows.into_iter().for_each(|window| held.add(window));
    held.compare(&[], 0);
    released(&mut held, i64::MAX)
}

#[test]
fn windows_of_two_streams_meet_where_they_overlap() {
    let place = place();
    let at = |start| at(start, 7);
    let one = |stream, start, duration| window(place, stream, at(start), duration);
    // Read in another order than that in which they began.
    assert_eq!(met([one(1, 50, 10), one(0, 0, 100)]), [(0, true), (1, true)]);
    assert_eq!(met([one(0, 0, 100), one(1, 99 + NEAR_NS, 10)]), [(0, true), (1, true)], "one ends near the other");
    assert_eq!(met([one(0, 0, 100), one(1, 100 + NEAR_NS, 10)]), [(0, false), (1, false)], "and here it does not");
    assert_eq!(met([one(0, 0, 100), one(0, 50, 10)]), [(0, false), (0, false)], "one stream");
    // A long one meets all that lie in it, and these do not meet each other.
    let many = [one(1, 200, 10), one(0, 0, 1000), one(1, 100, 10), one(2, 1000 + NEAR_NS, 10)];
    assert_eq!(met(many), [(0, true), (1, true), (1, true), (2, false)]);
    let other = self::place();
    assert_eq!(met([window(other, 5, at(0), 100)]), [(5, false)]);
}

#[test]
fn by_two_anchors_what_may_overlap_does() {
    let place = place();
    for (gap, expected) in [(199, true), (201, false)] {
        let windows = [window(place, 0, at(0, 7), 1000), window(place, 1, at(1000 + NEAR_NS + gap, 8), 10)];
        assert_eq!(met(windows), [(0, expected), (1, expected)], "{gap}");
    }
}

#[test]
fn a_window_is_kept_until_none_can_come_that_began_before_its_end() {
    let place = place();
    let mut held = Windows::default();
    held.add(window(place, 0, at(0, 7), 1000));
    held.compare(&[], 0);
    assert_eq!(released(&mut held, 1000 + LATE - 1), []);
    assert_eq!((held.len(), held.oldest()), (1, Some(0)));
    // One that was handed over late.
    held.add(window(place, 1, at(500, 7), 100));
    held.compare(&[], 0);
    assert_eq!(released(&mut held, 1000 + LATE), [(0, true), (1, true)]);
    assert_eq!((held.len(), held.oldest()), (0, None));
}

#[test]
fn one_that_runs_meets_what_ended_behind_its_beginning_and_knows_it_when_it_ends() {
    let place = place();
    let mut held = Windows::default();
    let running = Running { place, stream: Some(9), start: at(100_500, 7) };
    for (stream, start) in [(0, 0), (0, 100_450), (9, 200_600)] {
        held.add(window(place, stream, at(start, 7), 100));
    }
    held.compare(&[running], 250_000);
    assert_eq!(released(&mut held, i64::MAX), [(0, false), (0, true), (9, false)]);
    held.add(window(place, 9, at(100_501, 8), 10_000_000));
    // The next in its stream began when it had ended.
    held.add(window(place, 9, at(10_250_000, 8), 100));
    held.compare(&[], 20_000_000);
    assert_eq!(released(&mut held, i64::MAX), [(9, true), (9, false)]);
}

#[test]
fn one_without_a_place_may_have_met_any() {
    let place = place();
    let mut held = Windows::default();
    held.add(window(place, 0, at(0, 7), 100));
    held.add(window(place, 1, at(100_000, 7), 100));
    held.unplaced(place, Some(1), 250_000);
    // One that ended later, and had begun by then; and one that had not.
    held.add(window(place, 2, at(200_000, 7), 150_000));
    held.add(window(place, 2, at(350_000, 7), 100));
    held.compare(&[], 450_000);
    assert_eq!(released(&mut held, i64::MAX), [(0, true), (1, false), (2, true), (2, false)]);
}

#[test]
fn more_than_are_kept_are_let_go_as_they_are() {
    let place = place();
    let mut held = Windows::default();
    let pattern = window(place, 0, at(0, 7), 1);
    for start in 0..MOST + 3 {
        held.add(Ended { start: at(i64::try_from(start).unwrap(), 7), ..pattern.clone() });
    }
    held.compare(&[], 0);
    let mut doubts = Vec::new();
    held.release(0, |_, doubt| doubts.push(doubt));
    assert_eq!(doubts, [Some(Doubt::TooMany); 3]);
    assert_eq!(held.len(), MOST as u64);
}

fn queued(at_ns: i64) -> Queued {
    Queued { at_ns, uncertainty_ns: 50 }
}

#[test]
fn a_time_is_the_kernels_where_the_stream_was_busy_and_nothing_else_was() {
    let place = place();
    let one = |duration| window(place, 0, at(200_000, 7), duration);
    let bound = |duration, doubt| (duration, Accuracy::UpperBound(doubt));
    assert_eq!(one(10_000).worth(queued(0), None), (10_000 - CONSTANT, Accuracy::Calibrated));
    // Not by more than the clocks are uncertain, each of them.
    let last = 200_000 - BEHIND - 150;
    assert_eq!(one(10_000).worth(queued(last - 1), None), (10_000 - CONSTANT, Accuracy::Calibrated));
    assert_eq!(one(10_000).worth(queued(last), None), bound(10_000, Doubt::StreamIdle));
    assert_eq!(one(10_000).worth(queued(202_000), None), bound(10_000, Doubt::StreamIdle));
    assert_eq!(one(CONSTANT).worth(queued(0), None), bound(CONSTANT, Doubt::TooShort));
    assert_eq!(one(CONSTANT + 1).worth(queued(0), None), (1, Accuracy::Calibrated));
    assert_eq!(one(10_000).worth(queued(0), Some(Doubt::TooMany)), bound(10_000, Doubt::TooMany));
    let overlapped = one(10_000);
    overlapped.overlapped.set(true);
    assert_eq!(overlapped.worth(queued(0), None), bound(10_000, Doubt::Overlapped));
    let mut waits = one(10_000);
    waits.read.posted.beside = Beside::new(0, true);
    assert_eq!(waits.worth(queued(0), None), bound(10_000, Doubt::MayWait));
    let mut unknown = one(10_000);
    unknown.raw.constant = Err(Doubt::UnknownModel);
    assert_eq!(unknown.worth(queued(0), None), bound(10_000, Doubt::UnknownModel));
}

/// A loop that is bound by its launches, of an empty kernel each 5.6 us of the host's, with what was read of one on an H200: the GPU
/// comes to a window 1.6 us before its launch call returns, and then takes 4.64 us for each that waits. Once something else holds the
/// GPU up for `held_up_ns`. What each window's time is worth.
fn bound_by_launches(held_up_ns: i64) -> Vec<Accuracy> {
    const PERIOD: i64 = 5_600;
    const CALL: i64 = 4_900;
    const RECORD: i64 = 1_200;
    const BACK_TO_BACK: i64 = 4_640;
    let place = place();
    let mut free_at = 0;
    let mut worth = Vec::new();
    for launch in 0..2000 {
        let returned = launch * PERIOD + CALL;
        free_at = (returned - 1_600).max(free_at);
        if launch == 1000 {
            free_at += held_up_ns;
        }
        let one = window(place, 0, Placed { uncertainty_ns: 3_000, ..at(free_at, 7) }, 3_400);
        worth.push(one.worth(Queued { at_ns: returned + RECORD, uncertainty_ns: 50 }, None).1);
        free_at += BACK_TO_BACK;
    }
    worth
}

#[test]
fn in_a_loop_bound_by_launches_no_time_is_calibrated_though_the_gpu_is_held_up_for_a_while() {
    let idle = Accuracy::UpperBound(Doubt::StreamIdle);
    for held_up_ns in [0, 5_000, 20_000, 100_000] {
        assert!(bound_by_launches(held_up_ns).iter().all(|worth| *worth == idle), "{held_up_ns}");
    }
    // For longer, and the stream is a busy one until the GPU has caught up.
    let busy = bound_by_launches(1_000_000).iter().filter(|worth| **worth == Accuracy::Calibrated).count();
    assert!((900..1000).contains(&busy), "{busy}");
}
