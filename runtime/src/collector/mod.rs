//! The collector: a thread that reads events back, and tells the sinks. It starts with the first launch that is
//! recorded, not before.

mod anchor;
mod constant;
mod contexts;
mod graphs;
mod left_out;
mod nodes;
mod outputs;
mod reader;
mod strides;
mod windows;
mod worker;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::Thread;
use std::time::{Duration, Instant};

pub(crate) use contexts::Given;
pub(crate) use nodes::Request;

use crate::config::Output;
use crate::lane::{Orphans, Receiver};
use crate::own;
use crate::process;
use crate::queue::Stack;
use crate::record::{Kind, Sink};
use crate::sampling::{LeftOut, Rule};
use crate::summary::Summary;
use crate::tally::Tally;
use crate::ticks::Scale;

/// What the collector has to know of its session.
#[derive(Clone, Debug)]
pub(crate) struct Terms {
    pub(crate) id: uuid::Uuid,
    /// Unix time of the moment that the clock's 0 stands for.
    pub(crate) start_unix_ns: u64,
    /// From the session's beginning.
    pub(crate) scale: Scale,
    pub(crate) outputs: Vec<Output>,
    /// Whether the table is written at the end.
    pub(crate) summary: bool,
    /// How long the end waits for the GPU.
    pub(crate) exit_wait: Duration,
    /// Which launches are timed, if not all.
    pub(crate) rule: Option<Rule>,
}

/// What launching threads and the API see of the collector.
pub(crate) struct Collector {
    pub(crate) terms: Terms,
    arrivals: Stack<Receiver>,
    new_sinks: Stack<Box<dyn Sink>>,
    calibrated: Stack<Given>,
    left_out: Stack<Arc<LeftOut>>,
    copies: Stack<Request>,
    /// Events that threads left behind.
    pub(crate) orphans: Stack<Orphans>,
    tally: Mutex<Tally>,
    started: AtomicBool,
    rest: AtomicU8,
    thread: OnceLock<Thread>,
    requests: Mutex<Requests>,
    answered: Condvar,
    lost: [AtomicU64; Lost::ALL.len()],
    /// Launches of graphs, and scopes, that left no record.
    lost_beside: AtomicU64,
}

impl std::fmt::Debug for Collector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Collector").field("started", &self.started).finish_non_exhaustive()
    }
}

/// What the collector was asked for. Never touched on the launch path.
#[derive(Debug, Default)]
struct Requests {
    /// Flushes asked for, and those done.
    asked: u64,
    done: u64,
    /// What still waits for the GPU, for the message.
    waiting: u64,
    ending: Option<Ending>,
    ended: bool,
}

/// The process ends.
#[derive(Clone, Copy, Debug)]
struct Ending {
    /// What has not come by then is given up; `None` is longer than any process lives.
    by: Option<Instant>,
}

/// Why a launch left no record.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lost {
    QueueFull,
    ThreadEnding,
}

impl Lost {
    const ALL: [(Self, &'static str); 2] =
        [(Self::QueueFull, "the queue to the collector was full"), (Self::ThreadEnding, "the thread was ending")];
}

/// What the collector is doing: at work,
const AWAKE: u8 = 0;
/// resting for a moment while there is something to read,
const DOZING: u8 = 1;
/// or waiting to be woken.
const ASLEEP: u8 = 2;

/// How long the handler at exit waits for a collector that is itself stuck in a driver call.
const GRACE: Duration = Duration::from_millis(500);

impl Collector {
    pub(crate) fn new(terms: Terms) -> Self {
        Self {
            terms,
            arrivals: Stack::default(),
            new_sinks: Stack::default(),
            calibrated: Stack::default(),
            left_out: Stack::default(),
            copies: Stack::default(),
            orphans: Stack::default(),
            tally: Mutex::default(),
            started: AtomicBool::new(false),
            rest: AtomicU8::new(AWAKE),
            thread: OnceLock::new(),
            requests: Mutex::default(),
            answered: Condvar::new(),
            lost: Default::default(),
            lost_beside: AtomicU64::new(0),
        }
    }

    /// A lane from a thread that has not launched in this context before.
    pub(crate) fn register(&self, receiver: Receiver) {
        self.arrivals.push(receiver);
        self.wake();
    }

    /// What a thread leaves out of a name.
    pub(crate) fn count(&self, left_out: Arc<LeftOut>) {
        self.left_out.push(left_out);
    }

    /// A graph is to be timed inside.
    pub(crate) fn request(&self, request: Request) {
        self.copies.push(request);
        self.wake();
    }

    /// What happened at a site of that kind left no record.
    pub(crate) fn lose(&self, kind: Kind, lost: Lost) {
        let counter = match kind {
            Kind::Kernel => self.lost.get(lost as usize),
            Kind::Graph | Kind::Scope => Some(&self.lost_beside),
        };
        if let Some(counter) = counter {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(crate) fn add_sink(&self, sink: Box<dyn Sink>) {
        self.new_sinks.push(sink);
        self.wake();
    }

    /// What events add was measured.
    pub(crate) fn calibrate(&self, given: Given) {
        self.calibrated.push(given);
    }

    /// A record was handed over; its lane may be half full of such by now. At most one call to the system, and only to
    /// a collector that rests.
    #[inline]
    pub(crate) fn posted(&self, half_full: bool) {
        match self.rest.load(Ordering::Relaxed) {
            ASLEEP => self.wake(),
            DOZING if half_full => self.wake(),
            _ => {}
        }
    }

    #[cold]
    fn wake(&self) {
        self.rest.store(AWAKE, Ordering::Relaxed);
        if let Some(thread) = self.thread.get() {
            thread.unpark();
        }
    }

    /// Starts the thread, the first time.
    ///
    /// # Errors
    /// There can be no thread; nothing is recorded then.
    pub(crate) fn start(&'static self) -> std::io::Result<()> {
        if self.started.swap(true, Ordering::AcqRel) {
            return Ok(());
        }
        let thread = std::thread::Builder::new().name("launchsite".into());
        let spawned = process::without_signals(|| thread.spawn(move || self.run()));
        spawned.map(drop).inspect_err(|_| self.requests().ended = true)
    }

    fn run(&'static self) {
        // What its own allocations and sinks do is not recorded: it would never come to an end.
        own::is_own();
        // Set once, here, and before any sink can ask whether it is on this thread.
        let _ = self.thread.set(std::thread::current());
        // Should it panic after all, nobody is left waiting for it.
        let _ = catch_unwind(AssertUnwindSafe(|| worker::run(self)));
        self.requests().ended = true;
        self.answered.notify_all();
    }

    fn is_this_thread(&self) -> bool {
        self.thread.get().is_some_and(|thread| thread.id() == std::thread::current().id())
    }

    fn requests(&self) -> MutexGuard<'_, Requests> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until everything that was launched before has been written out.
    ///
    /// # Errors
    /// The launches that are still pending, when `timeout` is over, or at once on the collector's own thread.
    pub(crate) fn flush(&self, timeout: Duration) -> Result<(), u64> {
        if !self.started.load(Ordering::Acquire) {
            return Ok(());
        }
        let mut requests = self.requests();
        if self.is_this_thread() {
            return Err(requests.waiting);
        }
        requests.asked += 1;
        let ticket = requests.asked;
        self.wake();
        let until = |requests: &mut Requests| requests.done < ticket && !requests.ended;
        let waited = self.answered.wait_timeout_while(requests, timeout, until);
        let (requests, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let answered = requests.done >= ticket || requests.ended;
        if answered { Ok(()) } else { Err(requests.waiting) }
    }

    /// Writes the end, once all is finished that finishes in time.
    pub(crate) fn finish(&self) {
        if !self.started.load(Ordering::Acquire) || self.is_this_thread() {
            return;
        }
        let wait = self.terms.exit_wait;
        let mut requests = self.requests();
        requests.ending = Some(Ending { by: Instant::now().checked_add(wait) });
        self.wake();
        let until = |requests: &mut Requests| !requests.ended;
        drop(self.answered.wait_timeout_while(requests, wait.saturating_add(GRACE), until));
    }

    /// What has been collected so far.
    pub(crate) fn summary(&self) -> Summary {
        let mut summary = self.tally.lock().unwrap_or_else(PoisonError::into_inner).summary();
        summary.lost = self.lost().into_iter().map(|(why, count)| (why.to_owned(), count)).collect();
        summary
    }

    fn lost(&self) -> Vec<(&'static str, u64)> {
        let counted = Lost::ALL.iter().zip(&self.lost);
        let all = counted.map(|(&(_, why), count)| (why, count.load(Ordering::Relaxed)));
        all.filter(|&(_, count)| count > 0).collect()
    }
}
