//! The way of records from one thread to the collector, and of events back: each thread has its own for each context,
//! so that threads never meet on a launch.
//!
//! Events are of a context, and touching one whose context is gone may end the process. So each window holds its
//! context, from before its first event until it has been read, by a count of windows: the first of a lane asks the
//! driver, the others only count. Between windows the context is its owner's alone; should another have taken its
//! place when the next window comes, the events are known to be gone by the id of the context's life.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use once_cell::race::OnceBox;

use crate::device::{Context, Device, Event, Life, Stream};
use crate::name::Name;
use crate::queue::{Consumer, Producer, Stack, ring};
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
    /// The stream, and the number of its device.
    pub(crate) stream: Option<(Stream, u32)>,
    pub(crate) kernel: Option<&'static str>,
    pub(crate) geometry: Geometry,
    pub(crate) mode: Mode,
    pub(crate) reason: Option<Reason>,
    /// The window to be read, where the mode is timed.
    pub(crate) window: Option<Open>,
}

/// What a lane's windows are made on; `None` for launches whose stream is unknown.
pub(crate) type Target = Option<(&'static dyn Device, Context)>;

/// What both ends of a lane see.
#[derive(Debug, Default)]
struct Shared {
    /// Windows that are open or not read: while there are any, the context is held.
    windows: AtomicUsize,
    /// Pairs that the thread had put aside when it ended.
    left: OnceBox<Vec<Pair>>,
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

/// A window that is open: its context is held.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Open {
    pub(crate) pair: Pair,
    pub(crate) life: Life,
}

/// A lane, by its two ends.
pub(crate) fn lane(target: Target) -> (Sender, Receiver) {
    let (posted, arriving) = ring(CAPACITY);
    let (returning, freed) = ring(CAPACITY);
    let shared = Arc::new(Shared::default());
    let receiver = Receiver { target, posted: arriving, freed: returning, shared: Arc::clone(&shared) };
    (Sender { target, posted, freed, spare: Vec::new(), pairs: 0, life: None, shared }, receiver)
}

impl Sender {
    /// How many waiting records are worth waking the collector for.
    pub(crate) const HALF_FULL: usize = CAPACITY / 2;

    #[inline]
    pub(crate) fn serves(&self, target: Target) -> bool {
        match (self.target, target) {
            (Some((own, context)), Some((other, wanted))) => context == wanted && std::ptr::addr_eq(own, other),
            (None, None) => true,
            _ => false,
        }
    }

    /// Opens a window in the thread's context: holds it, and gives two events of it.
    #[inline]
    pub(crate) fn open(
        &mut self,
        device: &dyn Device,
        context: Context,
        left: &Stack<Orphans>,
    ) -> Result<Open, Reason> {
        let held = self.shared.windows.fetch_add(1, Ordering::AcqRel) > 0;
        if !held && let Err(reason) = self.hold(device, context, left) {
            self.shared.windows.fetch_sub(1, Ordering::AcqRel);
            return Err(reason);
        }
        let Some(life) = self.life else { return Err(Reason::ThreadEnding) };
        match self.pair(device) {
            Ok(pair) => Ok(Open { pair, life }),
            Err(reason) => {
                self.let_go(device, life);
                Err(reason)
            }
        }
    }

    /// The window came to nothing: its pair can be used again, and its context is not held by it any more.
    pub(crate) fn abandon(&mut self, device: &dyn Device, open: Open) {
        self.spare.push(open.pair);
        self.let_go(device, open.life);
    }

    #[cold]
    fn hold(&mut self, device: &dyn Device, context: Context, left: &Stack<Orphans>) -> Result<(), Reason> {
        let life = device.hold(context).map_err(Reason::Refusal)?;
        if self.life == Some(life) {
            return Ok(());
        }
        // What there was is of a context that is gone, and went with it.
        while self.freed.pop().is_some() {}
        self.spare.clear();
        self.life = Some(life);
        self.adopt(context, life, left);
        self.pairs = self.spare.len();
        Ok(())
    }

    /// Takes over what threads before this one left in the context; what is of a life that is over is dropped.
    fn adopt(&mut self, context: Context, life: Life, left: &Stack<Orphans>) {
        for orphans in left.take() {
            let ours = orphans.context == context && orphans.life == life;
            if ours && self.spare.len() + orphans.pairs.len() <= CAPACITY {
                self.spare.extend(orphans.pairs);
            } else if ours || orphans.context != context {
                left.push(orphans);
            }
        }
    }

    fn let_go(&self, device: &dyn Device, life: Life) {
        if self.shared.windows.fetch_sub(1, Ordering::AcqRel) == 1 {
            device.release(life);
        }
    }

    /// A pair of events: one that was used before, or a new one in the thread's context.
    #[inline]
    fn pair(&mut self, device: &dyn Device) -> Result<Pair, Reason> {
        match self.freed.pop().or_else(|| self.spare.pop()) {
            Some(pair) => Ok(pair),
            None => self.new_pair(device),
        }
    }

    #[cold]
    fn new_pair(&mut self, device: &dyn Device) -> Result<Pair, Reason> {
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

    /// Hands `posted` over, and gives how many wait; `None` where there is no room.
    #[inline]
    pub(crate) fn post(&mut self, posted: Posted) -> Option<usize> {
        self.posted.push(posted)
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

    /// So many windows have been read, and their pairs given back: the context is not held by them any more.
    pub(crate) fn let_go(&self, device: &dyn Device, windows: usize, life: Life) {
        if windows > 0 && self.shared.windows.fetch_sub(windows, Ordering::AcqRel) == windows {
            device.release(life);
        }
    }

    /// Whether nothing waits, and nothing will: the thread is gone.
    pub(crate) fn is_over(&mut self) -> bool {
        Arc::get_mut(&mut self.shared).is_some() && self.posted.is_empty()
    }

    /// What a lane which [is over](Self::is_over) leaves; `life` is that of its last window's context.
    pub(crate) fn into_orphans(self, life: Life) -> Option<Orphans> {
        let (_, context) = self.target?;
        let mut pairs = self.freed.reclaim();
        pairs.extend(self.shared.left.get().into_iter().flatten());
        (!pairs.is_empty()).then_some(Orphans { context, life, pairs })
    }
}
