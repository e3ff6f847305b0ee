//! The way of records from one thread to the collector, and of events back: each thread has its own for each context,
//! so that threads never meet on a launch.

use std::sync::Arc;

use once_cell::race::OnceBox;

use crate::device::{Context, Device, Event, Stream};
use crate::name::Name;
use crate::queue::{Consumer, Producer, ring};
use crate::record::{Mode, Reason};

/// Records that may wait for the collector, and windows of a lane that may wait for the GPU.
///
/// CUDA itself queues some thousand launches on a stream before a launch call waits, so this is several streams' worth;
/// half of it is what a thread can launch in 10 ms, and then it wakes the collector. A record takes about 200 bytes and
/// a window two events: about a megabyte for a thread at most, and only as far as it was used.
const CAPACITY: usize = 4096;

/// Two events that are recorded around a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) start: Event,
    pub(crate) stop: Event,
}

/// How a launch is spread over the device.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Geometry {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) shared_mem_bytes: u32,
}

/// What a launching thread tells the collector.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Posted {
    pub(crate) number: u64,
    pub(crate) name: &'static Name,
    pub(crate) thread: u64,
    pub(crate) start: u64,
    pub(crate) stop: u64,
    pub(crate) overhead: u64,
    pub(crate) stream: Option<Stream>,
    pub(crate) kernel: Option<&'static str>,
    pub(crate) geometry: Geometry,
    pub(crate) mode: Mode,
    pub(crate) reason: Option<Reason>,
    /// The window to be read, where the mode is timed.
    pub(crate) pair: Option<Pair>,
}

/// What a lane's windows are made on; `None` for launches whose stream is unknown.
pub(crate) type Target = Option<(&'static dyn Device, Context)>;

/// The launching thread's end of a lane.
#[derive(Debug)]
pub(crate) struct Sender {
    target: Target,
    posted: Producer<Posted>,
    freed: Consumer<Pair>,
    /// From a window that came to nothing.
    spare: Option<Pair>,
    /// Pairs that exist: in use, waiting for the GPU, or waiting to be used.
    pairs: usize,
    /// Held by both ends: when it is the collector's alone, the thread is gone.
    left: Left,
}

/// What a thread leaves to the collector: the pair that it had put aside.
type Left = Arc<OnceBox<Pair>>;

/// The collector's end of a lane.
#[derive(Debug)]
pub(crate) struct Receiver {
    pub(crate) target: Target,
    posted: Consumer<Posted>,
    freed: Producer<Pair>,
    left: Left,
}

/// A lane, by its two ends.
pub(crate) fn lane(target: Target) -> (Sender, Receiver) {
    let (posted, arriving) = ring(CAPACITY);
    let (returning, freed) = ring(CAPACITY);
    let left = Left::default();
    let receiver = Receiver { target, posted: arriving, freed: returning, left: Arc::clone(&left) };
    (Sender { target, posted, freed, spare: None, pairs: 0, left }, receiver)
}

impl Sender {
    /// How many waiting records are worth waking the collector for.
    pub(crate) const HALF_FULL: usize = CAPACITY / 2;

    pub(crate) fn serves(&self, target: Target) -> bool {
        match (self.target, target) {
            (Some((own, context)), Some((other, wanted))) => context == wanted && std::ptr::addr_eq(own, other),
            (None, None) => true,
            _ => false,
        }
    }

    /// A pair of events: one that was used before, or a new one in the thread's context.
    pub(crate) fn pair(&mut self, device: &dyn Device) -> Result<Pair, Reason> {
        if let Some(pair) = self.spare.take().or_else(|| self.freed.pop()) {
            return Ok(pair);
        }
        if self.pairs >= CAPACITY {
            return Err(Reason::TooManyWindows);
        }
        let start = device.create().map_err(Reason::Refusal)?;
        let stop = device.create().map_err(|refusal| {
            device.destroy(start);
            Reason::Refusal(refusal)
        })?;
        self.pairs += 1;
        Ok(Pair { start, stop })
    }

    /// Takes back the pair of a window that came to nothing.
    pub(crate) fn put_back(&mut self, pair: Pair, device: &dyn Device) {
        if let Some(second) = self.spare.replace(pair) {
            self.pairs = self.pairs.saturating_sub(1);
            device.destroy(second.start);
            device.destroy(second.stop);
        }
    }

    /// A pair whose context is gone: its events went with it.
    pub(crate) fn forget(&mut self, _: Pair) {
        self.pairs = self.pairs.saturating_sub(1);
    }

    /// Hands `posted` over, and gives how many wait; `None` where there is no room.
    #[inline]
    pub(crate) fn post(&mut self, posted: Posted) -> Option<usize> {
        self.posted.push(posted)
    }
}

impl Receiver {
    pub(crate) fn take(&mut self) -> Option<Posted> {
        self.posted.pop()
    }

    /// The pair may be used again. There is room for all that a lane can have.
    pub(crate) fn give_back(&mut self, pair: Pair) {
        self.freed.push(pair);
    }

    /// Whether nothing waits, and nothing will: the thread is gone.
    pub(crate) fn is_over(&mut self) -> bool {
        Arc::get_mut(&mut self.left).is_some() && self.posted.is_empty()
    }

    /// The pairs that a lane which [is over](Self::is_over) leaves.
    pub(crate) fn into_pairs(self) -> Vec<Pair> {
        let mut pairs = self.freed.reclaim();
        pairs.extend(self.left.get());
        pairs
    }
}

impl Drop for Sender {
    // No event is destroyed here: this runs while a thread ends, when the driver may be gone before.
    fn drop(&mut self) {
        if let Some(pair) = self.spare.take() {
            // Set once, here.
            let _ = self.left.set(Box::new(pair));
        }
    }
}
