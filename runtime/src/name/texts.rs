//! The texts that a name with placeholders has had: each kept once, so many and no more.

use std::cell::RefCell;
use std::fmt::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use once_cell::race::OnceBox;

use crate::hash::fnv1a;

/// Distinct texts of one function. Names are kept for good, here and by profilers: what is formatted from a pointer or a
/// step's number would otherwise grow for as long as the program runs.
const MOST: usize = 4096;
/// Twice as many places, so that a search ends soon.
const PLACES: usize = 2 * MOST;

/// The texts of one function. A `static` that an expansion makes.
#[derive(Debug, Default)]
pub struct Texts {
    places: OnceBox<Vec<OnceBox<String>>>,
    kept: AtomicUsize,
}

/// How often a name had another text than those that are kept.
static BEYOND: AtomicU64 = AtomicU64::new(0);

/// How many launches had a name's plain text in place of one that is not kept.
pub(crate) fn beyond() -> u64 {
    BEYOND.load(Ordering::Relaxed)
}

thread_local! {
    /// Where texts are made, to be compared with those that are kept.
    static MADE: RefCell<String> = const { RefCell::new(String::new()) };
}

impl Texts {
    /// None, so far.
    #[must_use]
    pub const fn new() -> Self {
        Self { places: OnceBox::new(), kept: AtomicUsize::new(0) }
    }

    /// The text, kept; `None` where there is no room for another, or an argument cannot be shown.
    pub(crate) fn keep(&'static self, text: fmt::Arguments<'_>) -> Option<&'static str> {
        let kept = MADE.try_with(|buffer| {
            // Taken, in the place of a loan: an argument may launch something of its own while it is shown.
            let mut made = buffer.take();
            made.clear();
            // What an argument's own code does must not become what the launch does.
            let shown = catch_unwind(AssertUnwindSafe(|| made.write_fmt(text)));
            let kept = match shown {
                Ok(Ok(())) => self.find(&made),
                Ok(Err(_)) => None,
                Err(panic) => {
                    std::mem::forget(panic);
                    None
                }
            };
            buffer.replace(made);
            kept
        });
        let kept = kept.ok().flatten();
        if kept.is_none() {
            BEYOND.fetch_add(1, Ordering::Relaxed);
        }
        kept
    }

    /// Nobody waits: threads that bring the same text at the same time find one place, and the first one's is kept.
    fn find(&'static self, text: &str) -> Option<&'static str> {
        let places = self.places.get_or_init(|| Box::new((0..PLACES).map(|_| OnceBox::new()).collect()));
        let first = usize::try_from(fnv1a(text.bytes())).unwrap_or(0);
        for step in 0..PLACES {
            let place = places.get((first + step) % PLACES)?;
            if place.get().is_none() {
                if self.kept.fetch_add(1, Ordering::Relaxed) >= MOST {
                    self.kept.fetch_sub(1, Ordering::Relaxed);
                    return None;
                }
                if place.set(Box::new(text.to_owned())).is_err() {
                    // Another thread's is there by now, which has room of its own.
                    self.kept.fetch_sub(1, Ordering::Relaxed);
                }
            }
            let kept = place.get()?;
            if kept == text {
                return Some(kept);
            }
        }
        None
    }
}
