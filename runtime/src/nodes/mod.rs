//! A graph that is timed inside: a second executable of it, with events around its kernels, which is launched in the place of
//! the first once in so many launches.
//!
//! The launching thread copies the graph, right after its first launch; the collector puts the events in and makes the
//! executable; from then on the launching thread takes it whenever a launch is due and the collector has read the last one.

mod plan;

use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};

use crate::device::Life;
use crate::lane::Place;
pub(crate) use plan::{Plan, Point};

/// Where nothing else is said, every so manieth launch of a graph is one of its second executable.
pub(crate) const STRIDE: u32 = 64;

/// What the launching thread and the collector see of a second executable.
#[derive(Debug)]
pub(crate) struct Second {
    /// Its number, in this process.
    pub(crate) number: u32,
    pub(crate) place: Place,
    /// The life of the context that it is in.
    pub(crate) life: Life,
    state: AtomicU8,
    executable: AtomicU64,
    stride: AtomicU32,
}

/// It is being made,
const MAKING: u8 = 0;
/// can be launched,
const READY: u8 = 1;
/// was launched, and its events are not read,
const LAUNCHED: u8 = 2;
/// or is launched no more.
const OVER: u8 = 3;

impl Second {
    pub(crate) fn new(place: Place, life: Life, stride: u32) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        Self {
            number: NEXT.fetch_add(1, Ordering::Relaxed),
            place,
            life,
            state: AtomicU8::new(MAKING),
            executable: AtomicU64::new(0),
            stride: AtomicU32::new(stride.max(1)),
        }
    }

    /// The executable is made.
    pub(crate) fn made(&self, executable: u64) {
        self.executable.store(executable, Ordering::Relaxed);
        self.state.store(READY, Ordering::Release);
    }

    pub(crate) fn stride(&self) -> u32 {
        self.stride.load(Ordering::Relaxed)
    }

    /// From here on every so manieth launch is one of it.
    pub(crate) fn set_stride(&self, stride: u32) {
        self.stride.store(stride.max(1), Ordering::Relaxed);
    }

    /// Takes it for a launch, where it can be launched: nobody else does until [`read`](Self::read).
    pub(crate) fn take(&self) -> Option<u64> {
        let taken = self.state.compare_exchange(READY, LAUNCHED, Ordering::Acquire, Ordering::Relaxed);
        taken.ok().map(|_| self.executable.load(Ordering::Relaxed))
    }

    /// The launch came to nothing, or its events have been read: it can be launched again.
    pub(crate) fn read(&self) {
        // One that is over stays so.
        let _ = self.state.compare_exchange(LAUNCHED, READY, Ordering::Release, Ordering::Relaxed);
    }

    /// It is launched no more.
    pub(crate) fn end(&self) {
        self.state.store(OVER, Ordering::Release);
    }

    /// Whether it was launched, and is to be read.
    pub(crate) fn is_launched(&self) -> bool {
        self.state.load(Ordering::Acquire) == LAUNCHED
    }

    pub(crate) fn is_over(&self) -> bool {
        self.state.load(Ordering::Acquire) == OVER
    }
}

#[cfg(test)]
mod tests {
    use super::Second;
    use crate::device::Life;
    use crate::device::host::Host;
    use crate::lane::Place;

    #[test]
    fn a_second_executable_is_launched_again_only_when_it_has_been_read() {
        let host = Host::new();
        let place = Place { device: host.device(), context: host.context(), ordinal: 0 };
        let second = Second::new(place, Life { device: 0, id: 1 }, 0);
        assert_eq!((second.take(), second.stride()), (None, 1), "it is not made yet");
        second.made(7);
        assert_eq!((second.take(), second.take()), (Some(7), None));
        assert!(second.is_launched());
        second.read();
        assert_eq!(second.take(), Some(7));
        second.end();
        second.read();
        assert_eq!((second.take(), second.is_over()), (None, true), "whatever comes behind its end");
    }
}
