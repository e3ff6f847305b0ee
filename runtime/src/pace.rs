//! How seldom a name's launches are timed, where a budget leaves some out: the word that launching threads read and the
//! collector writes.

use std::sync::atomic::{AtomicU32, Ordering};

/// Of one name. Written seldom, so that all threads may keep its line.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    /// Every so manieth launch is timed; 0 while nobody has said.
    stride: AtomicU32,
    /// Threads of the process that have launched it under a budget.
    threads: AtomicU32,
    /// Launches that were counted as left out and not made.
    taken_back: AtomicU32,
    /// The process: a fork's child begins anew, with its parent's names.
    process: AtomicU32,
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

    /// A launch that was counted as left out was not made. On whatever thread: a launch's arguments may be awaited.
    pub(crate) fn take_back(&self) {
        self.taken_back.fetch_add(1, Ordering::Relaxed);
    }

    /// How many were taken back.
    pub(crate) fn taken_back(&self) -> u64 {
        self.taken_back.load(Ordering::Relaxed).into()
    }

    /// The number of a thread that launches it for the first time in `process`. Of threads that come together to a new
    /// process, more than one may be its first.
    pub(crate) fn enter(&self, process: u32) -> u32 {
        if self.process.swap(process, Ordering::Relaxed) != process {
            self.threads.store(0, Ordering::Relaxed);
            self.stride.store(0, Ordering::Relaxed);
            self.taken_back.store(0, Ordering::Relaxed);
        }
        self.threads.fetch_add(1, Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::Pace;

    #[test]
    fn a_forks_child_begins_anew() {
        let pace = Pace::default();
        assert_eq!((pace.enter(7), pace.enter(7)), (0, 1));
        pace.settle(100);
        assert_eq!(pace.stride(), Some(100));
        assert_eq!((pace.enter(8), pace.stride()), (0, None));
        assert_eq!(pace.enter(8), 1);
    }
}
