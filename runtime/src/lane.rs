//! The way of records from one thread to the collector, and of events back: each thread has its own for each context,
//! so that threads never meet on a launch.
//!
//! Events are of a context, and touching one whose context is gone may end the process. So each window holds its
//! context, from before its first event until it has been read, by a count of windows: the first of a lane asks the
//! driver, the others only count. Between windows the context is its owner's alone; should another have taken its
//! place when the next window comes, the events are known to be gone by the id of the context's life.

mod posted;

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicU64, AtomicUsize, Ordering};

use once_cell::race::OnceBox;

use crate::device::{Context, Device, Life, Refusal, Stream};
use crate::queue::{Consumer, Producer, Stack, ring};
use crate::record::Reason;
use crate::window::{Pair, Pairs};
pub(crate) use posted::{Beside, Ending, Geometry, Posted, Replayed};

/// Records that may wait for the collector, and windows of a lane that may wait for the GPU.
///
/// CUDA itself queues some thousand launches on a stream before a launch call waits, so this is several streams' worth;
/// half of it is what a thread can launch in 10 ms, and then it wakes the collector. A record takes about 200 bytes and
/// a window two events: about a megabyte for a thread at most, and only as far as it was used.
pub(crate) const CAPACITY: usize = 4096;

/// Pairs that a thread takes over at once of those that others left.
const ADOPTED: usize = 32;

/// Where a lane's launches go; `None` where nothing tells.
pub(crate) type Target = Option<Place>;

/// A context of a device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) device: &'static dyn Device,
    pub(crate) context: Context,
    /// The device's number, as the program counts.
    pub(crate) ordinal: u32,
}

impl PartialEq for Place {
    fn eq(&self, other: &Self) -> bool {
        self.context == other.context && std::ptr::addr_eq(self.device, other.device)
    }
}

impl Place {
    pub(crate) fn stream(self, handle: u64) -> Stream {
        Stream { context: self.context, handle }
    }
}

/// What both ends of a lane see.
#[derive(Debug, Default)]
struct Shared {
    /// Windows that are open or not read: while there are any, the context is held.
    windows: AtomicUsize,
    /// The life of the context that the windows are in: it changes only while there are none.
    life: (AtomicU64, AtomicI32),
    /// Pairs that the thread had put aside when it ended.
    left: OnceBox<Vec<Pair>>,
}

impl Shared {
    fn life(&self) -> Life {
        Life { id: self.life.0.load(Ordering::Acquire), device: self.life.1.load(Ordering::Acquire) }
    }
}

/// The launching thread's end of a lane.
#[derive(Debug)]
pub(crate) struct Sender {
    target: Target,
    posted: Producer<Posted>,
    freed: Consumer<Pair>,
    /// From windows that came to nothing, or from a thread that is gone.
    spare: Vec<Pair>,
    /// Pairs that exist: in use, waiting for the GPU, or waiting to be used.
    pairs: usize,
    /// The life of the context that the pairs are of.
    life: Option<Life>,
    shared: Arc<Shared>,
}

/// The collector's end of a lane.
#[derive(Debug)]
pub(crate) struct Receiver {
    pub(crate) target: Target,
    /// The launching thread, by the system's id.
    pub(crate) thread: u64,
    posted: Consumer<Posted>,
    freed: Producer<Pair>,
    shared: Arc<Shared>,
}

/// Pairs of a thread that is gone, for others that launch in the same context.
#[derive(Debug)]
pub(crate) struct Orphans {
    context: Context,
    life: Life,
    pairs: Vec<Pair>,
}

/// A lane, by its two ends.
pub(crate) fn lane(target: Target, thread: u64) -> (Sender, Receiver) {
    let (posted, arriving) = ring(CAPACITY);
    let (returning, freed) = ring(CAPACITY);
    let shared = Arc::new(Shared::default());
    let receiver = Receiver { target, thread, posted: arriving, freed: returning, shared: Arc::clone(&shared) };
    (Sender { target, posted, freed, spare: Vec::new(), pairs: 0, life: None, shared }, receiver)
}

impl Sender {
    #[inline]
    pub(crate) fn serves(&self, target: Target) -> bool {
        self.target == target
    }

    /// Opens a window in the thread's context: holds it, and gives two events of it.
    #[inline]
    pub(crate) fn open(&mut self, place: Place, left: &Stack<Orphans>) -> Result<Pair, Reason> {
        let held = self.shared.windows.fetch_add(1, Ordering::AcqRel) > 0;
        if !held && let Err(refusal) = self.hold(place, left) {
            self.shared.windows.fetch_sub(1, Ordering::AcqRel);
            return Err(Reason::Refusal(refusal));
        }
        self.pair(place.device, left).inspect_err(|_| self.let_go(place.device))
    }

    /// The window came to nothing: its pair can be used again, and its context is not held by it any more.
    pub(crate) fn abandon(&mut self, device: &dyn Device, pair: Pair) {
        self.spare.push(pair);
        self.let_go(device);
    }

    #[cold]
    fn hold(&mut self, place: Place, left: &Stack<Orphans>) -> Result<(), Refusal> {
        let life = place.device.hold(place.context)?;
        if self.life == Some(life) {
            return Ok(());
        }
        // What there was is of a context that is gone, and went with it.
        while self.freed.pop().is_some() {}
        self.spare.clear();
        self.pairs = 0;
        self.life = Some(life);
        self.shared.life.0.store(life.id, Ordering::Release);
        self.shared.life.1.store(life.device, Ordering::Release);
        self.adopt(place.context, life, left);
        Ok(())
    }

    /// Takes over a few of the pairs that threads before this one left in the context, and leaves the others for threads
    /// that begin at the same time; what is of a life that is over is dropped. Never more than find room on their way back.
    fn adopt(&mut self, context: Context, life: Life, left: &Stack<Orphans>) {
        let mut room = ADOPTED.min(CAPACITY.saturating_sub(self.pairs));
        for mut orphans in left.take() {
            let ours = orphans.context == context && orphans.life == life;
            if ours {
                let adopted = orphans.pairs.len().min(room);
                self.spare.extend(orphans.pairs.drain(orphans.pairs.len() - adopted..));
                self.pairs += adopted;
                room -= adopted;
            }
            if !orphans.pairs.is_empty() && (ours || orphans.context != context) {
                left.push(orphans);
            }
        }
    }

    /// More of what was left, where this lane has none to use.
    #[cold]
    fn adopt_more(&mut self, left: &Stack<Orphans>) -> Option<Pair> {
        let (context, life) = (self.target?.context, self.life?);
        self.adopt(context, life, left);
        self.spare.pop()
    }

    fn let_go(&self, device: &dyn Device) {
        if self.shared.windows.fetch_sub(1, Ordering::AcqRel) == 1 {
            device.release(self.shared.life());
        }
    }

    /// A pair of events: one that was used before, or a new one in the thread's context.
    #[inline]
    fn pair(&mut self, device: &dyn Device, left: &Stack<Orphans>) -> Result<Pair, Reason> {
        match self.freed.pop().or_else(|| self.spare.pop()) {
            Some(pair) => Ok(pair),
            None => self.another_pair(device, left),
        }
    }

    #[cold]
    fn another_pair(&mut self, device: &dyn Device, left: &Stack<Orphans>) -> Result<Pair, Reason> {
        if self.pairs >= CAPACITY {
            return Err(Reason::TooManyWindows);
        }
        if let Some(pair) = self.adopt_more(left) {
            return Ok(pair);
        }
        let pair = Pair::create(device).map_err(Reason::Refusal)?;
        self.pairs += 1;
        Ok(pair)
    }

    /// Hands `posted` over; false where there is no room.
    #[inline]
    pub(crate) fn post(&mut self, posted: Posted) -> bool {
        self.posted.push(posted)
    }

    /// The life of the context that windows are in; what is open holds it.
    pub(crate) fn life(&self) -> Option<Life> {
        self.life
    }

    /// Whether so much waits that the collector should look.
    #[inline]
    pub(crate) fn is_half_full(&mut self) -> bool {
        self.posted.is_half_full()
    }
}

/// A lane's pairs, for a window in a context of its target.
pub(crate) struct LanePairs<'l> {
    pub(crate) sender: &'l mut Sender,
    pub(crate) place: Place,
    pub(crate) left: &'l Stack<Orphans>,
}

impl Pairs for LanePairs<'_> {
    type Error = Reason;

    #[inline]
    fn take(&mut self, _: &dyn Device) -> Result<Pair, Reason> {
        self.sender.open(self.place, self.left)
    }

    fn give_back(&mut self, device: &dyn Device, pair: Pair) {
        self.sender.abandon(device, pair);
    }
}

impl Drop for Sender {
    // No event is destroyed here: this runs while a thread ends, when the driver may be gone before.
    fn drop(&mut self) {
        // Set once, here.
        let _ = self.shared.left.set(Box::new(std::mem::take(&mut self.spare)));
    }
}

impl Receiver {
    #[inline]
    pub(crate) fn take(&mut self) -> Option<Posted> {
        self.posted.pop()
    }

    /// A window has been read: its pair may be used again. There is room for all that a lane can have.
    #[inline]
    pub(crate) fn give_back(&mut self, pair: Pair) {
        self.freed.push(pair);
    }

    /// The life of the context that the windows are in.
    pub(crate) fn life(&self) -> Life {
        self.shared.life()
    }

    /// So many windows have been read, and their pairs given back: the context is not held by them any more.
    pub(crate) fn let_go(&self, device: &dyn Device, windows: usize) {
        // Read before: with the last window gone, the thread may begin another life.
        let life = self.life();
        if windows > 0 && self.shared.windows.fetch_sub(windows, Ordering::AcqRel) == windows {
            device.release(life);
        }
    }

    /// Whether nothing waits, and nothing will: the thread is gone.
    pub(crate) fn is_over(&mut self) -> bool {
        Arc::get_mut(&mut self.shared).is_some() && self.posted.is_empty()
    }

    /// What a lane which [is over](Self::is_over) leaves.
    pub(crate) fn into_orphans(self) -> Option<Orphans> {
        let (context, life) = (self.target?.context, self.life());
        let mut pairs = self.freed.reclaim();
        pairs.extend(self.shared.left.get().into_iter().flatten());
        (!pairs.is_empty()).then_some(Orphans { context, life, pairs })
    }
}

#[cfg(test)]
mod tests;
