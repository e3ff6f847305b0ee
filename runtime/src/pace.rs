//! How seldom a name's launches are timed, where a budget leaves some out: the word that launching threads read and the
//! collector writes.

use std::sync::atomic::{AtomicU32, Ordering};

/// Of one name. Written seldom, so that all threads may keep its line.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    /// Every so manieth launch is timed; 0 while nobody has said.
    stride: AtomicU32,
    /// Threads that have launched it under a budget.
    threads: AtomicU32,
}

impl Pace {
    /// Every so manieth launch is timed, if that has been settled.
    #[inline]
    pub(crate) fn stride(&self) -> Option<u32> {
        match self.stride.load(Ordering::Relaxed) {
            0 => None,
            stride => Some(stride),
        }
    }

    pub(crate) fn settle(&self, stride: u32) {
        self.stride.store(stride, Ordering::Relaxed);
    }

    /// The number of a thread that launches it for the first time.
    pub(crate) fn enter(&self) -> u32 {
        self.threads.fetch_add(1, Ordering::Relaxed)
    }
}
