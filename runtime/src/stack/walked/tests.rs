//! What a walk does not do, once a stack is known.

use std::hint::black_box;

use assert_no_alloc::{assert_no_alloc, violation_count};

use super::frame;
use crate::name::{Frame, Spot};
use crate::site::{Instance, Search, Site};

fn instance() -> &'static str {
    "launchsite::stack::tests::nobody::{{closure}}"
}

const INSTANCE: Instance = instance;

#[inline(never)]
fn walks(site: &'static Site) -> Option<&'static Frame> {
    black_box(frame(site, Search::User, None, INSTANCE))
}

#[inline(never)]
fn deeper(site: &'static Site, times: u32) -> Option<&'static Frame> {
    if times == 0 { walks(site) } else { black_box(deeper(site, times - 1)) }
}

#[test]
fn s2_2_a_stack_that_is_known_is_walked_without_allocating() {
    let site: &'static Site = Box::leak(Box::new(Site::new(Spot::in_a_test(1))));
    // The tests are launchsite's own, and so is what is below them: nobody's.
    let mut counts = Vec::new();
    for depths in [&[0, 1, 5][..], &[5, 1, 0], &[2]] {
        let before = violation_count();
        for &times in depths {
            // From one place, so that each depth is one stack.
            assert_no_alloc(|| assert!(black_box(deeper(site, times)).is_some(), "the stack tells"));
        }
        counts.push(violation_count() - before);
    }
    assert!(
        matches!(counts[..], [first, 0, third] if first > 0 && third > 0),
        "worked out, found, and another one worked out: {counts:?}"
    );
}

/// On a stack that the thread does not know nothing is read: a coroutine's, say.
#[test]
fn a_word_that_is_not_on_the_stack_is_not_read() {
    let here = 0_usize;
    let at = std::ptr::from_ref(&here).addr();
    let stack = super::walk::Stack::of(at..at + 64);
    assert!(stack.word(at).is_some());
    for outside in [0, 8, at - 8, at + 1, at + 57, at + 60, at + 64, usize::MAX, usize::MAX - 7] {
        assert_eq!(stack.word(outside), None, "{outside:x} of {at:x}");
    }
}

#[test]
fn s2_10_a_thread_that_is_stopped_while_it_looks_up_a_line_stops_no_other() {
    let site: &'static Site = Box::leak(Box::new(Site::new(Spot::in_a_test(2))));
    let _held = super::program::hold();
    let (told, heard) = std::sync::mpsc::channel();
    std::thread::spawn(move || told.send(deeper(site, 9).is_some()));
    assert_eq!(heard.recv_timeout(std::time::Duration::from_secs(60)), Ok(true), "it goes on by itself");
}
