//! The session: what this process was asked to do, and whether a part is on right now.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::clock;
use crate::collector::{Collector, Terms};
use crate::config::{Config, Word};
use crate::lane::Receiver;
use crate::name;
use crate::nvtx::Tool;
use crate::parts::Parts;
use crate::process::{self, PerProcess};
use crate::sampling::{LeftOut, Rule};
use crate::ticks::{self, Scale};

/// What a launch has to do. All that an idle launch looks at, by one load.
static ACTIVE: AtomicU32 = AtomicU32::new(Active::UNSET.0);
static SESSION: PerProcess<Session> = PerProcess::new();
/// The handler for a fork's child is there; the child inherits it.
static FORKS_ANEW: AtomicBool = AtomicBool::new(false);
/// A fork's child goes on with the tool that its parent loaded.
pub(crate) static TOOL: Tool = Tool::new();

/// What a launch has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Active(u32);

impl Active {
    const NVTX: u32 = Parts::NVTX.bits();
    const TIME: u32 = Parts::TIME.bits();
    const NODES: u32 = Parts::NODES.bits();
    const SYMBOLS: u32 = Parts::SYMBOLS.bits();
    const RECORD: u32 = 1 << 8;
    /// A budget leaves launches out.
    const SAMPLE: u32 = 1 << 9;
    /// It leaves this one out.
    const LEFT_OUT: u32 = 1 << 10;
    /// How the others are done, beside which these say nothing: only the outermost range of a thread is shown.
    const HIDES: u32 = 1 << 11;
    /// Names show the kernel's own.
    const KERNEL: u32 = 1 << 12;
    const HOW: u32 = Self::HIDES | Self::KERNEL;
    /// The environment has not been read.
    const UNSET: Self = Self(1 << 31);

    #[inline]
    pub(crate) fn load() -> Self {
        Self(ACTIVE.load(Ordering::Relaxed))
    }

    #[inline]
    pub(crate) fn is_nothing(self) -> bool {
        self.0 == 0
    }

    pub(crate) fn pushes(self) -> bool {
        self.0 & Self::NVTX != 0
    }

    /// Whether a range is all that is wanted.
    #[inline]
    pub(crate) fn only_pushes(self) -> bool {
        self.0 == Self::NVTX
    }

    /// Whether what a budget leaves out has nothing beside, and a name does not have to wait for anything.
    #[inline]
    pub(crate) fn only_samples(self) -> bool {
        self.0 & (Self::SAMPLE | Self::NVTX | Self::SYMBOLS | Self::KERNEL) == Self::SAMPLE
    }

    #[inline]
    pub(crate) fn times(self) -> bool {
        self.0 & Self::TIME != 0
    }

    /// Whether graphs are timed inside.
    #[inline]
    pub(crate) fn times_nodes(self) -> bool {
        self.0 & (Self::NODES | Self::TIME) == Self::NODES | Self::TIME
    }

    /// Kernels have symbols of their own where they are launched.
    #[cfg(feature = "kernels")]
    #[inline]
    pub(crate) fn symbols(self) -> bool {
        self.0 & Self::SYMBOLS != 0
    }

    pub(crate) fn records(self) -> bool {
        self.0 & Self::RECORD != 0
    }

    /// Whether ranges inside others are left out.
    pub(crate) fn hides_nested(self) -> bool {
        self.0 & Self::HIDES != 0
    }

    /// Whether a name depends on the kernel.
    pub(crate) fn names_kernels(self) -> bool {
        self.0 & Self::KERNEL != 0
    }

    /// What of it is left where only `parts` may be on: without any, nothing is recorded either.
    #[inline]
    pub(crate) fn only(self, parts: Parts) -> Self {
        let nodes = if parts.contains(Parts::TIME) { Self::NODES } else { 0 };
        let own = parts.bits() & (Self::NVTX | Self::TIME | Self::SYMBOLS);
        let kept = own | nodes | if parts.is_none() { 0 } else { Self::RECORD };
        let left = self.0 & kept;
        let how = Self::HOW | if left & Self::TIME == 0 { 0 } else { Self::SAMPLE };
        Self(if left == 0 { 0 } else { left | (self.0 & how) })
    }

    #[inline]
    pub(crate) fn samples(self) -> bool {
        self.0 & Self::SAMPLE != 0
    }

    /// The same for a launch that the budget leaves out: its range is all that it has, and it is counted.
    pub(crate) fn left_out(self) -> Self {
        Self(self.0 & (Self::NVTX | Self::HOW) | Self::LEFT_OUT)
    }

    #[inline]
    pub(crate) fn is_left_out(self) -> bool {
        self.0 & Self::LEFT_OUT != 0
    }

    /// As [`load`](Self::load), with the session begun if it was not.
    pub(crate) fn settled(self) -> Self {
        if self != Self::UNSET {
            return self;
        }
        let session = Session::get();
        session.prepare();
        session.active()
    }
}

/// One process's session.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) config: Config,
    parts: AtomicU32,
    /// Somebody wants records beside the timing: an output, the table, a sink.
    listened: AtomicBool,
    ended: AtomicBool,
    /// The handler for the end of the process is there.
    ends_in_order: AtomicBool,
    /// Which launches are timed, if not all.
    pub(crate) rule: Option<Rule>,
    pub(crate) collector: Collector,
}

impl Session {
    /// The session, begun if there is none: reads the environment, loads the profiler's library.
    pub(crate) fn get() -> &'static Self {
        if let Some(session) = SESSION.get() {
            return session;
        }
        Self::begin()
    }

    /// The session, if one has begun.
    pub(crate) fn current() -> Option<&'static Self> {
        SESSION.get()
    }

    #[cold]
    fn begin() -> &'static Self {
        // Before there is a session to inherit; threads that come together may each say it, which does no harm.
        if !FORKS_ANEW.load(Ordering::Acquire) {
            process::in_forked_child(start_anew);
            FORKS_ANEW.store(true, Ordering::Release);
        }
        let mut complaints = Vec::new();
        let (session, ours) = SESSION.get_or_make(|| {
            let (config, said) = Config::read(|name| std::env::var_os(name), process::is_secure());
            complaints = said.0;
            Self::new(config)
        });
        if ours {
            for line in &complaints {
                process::complain(line);
            }
        }
        session.prepare();
        session
    }

    /// Loads the tool, or waits for another thread that does: a launch before it is there would have no name.
    fn prepare(&self) {
        // A tool is somebody else's code: it is not loaded where nothing would be pushed.
        if self.parts().contains(Parts::NVTX) {
            TOOL.load(self.config.tool.as_deref());
        }
        self.settle();
    }

    fn new(config: Config) -> Self {
        ticks::settle();
        name::settle(&config.naming);
        let now = clock::now();
        let unix = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let rule = Rule::of(config.budget);
        let unix = u64::try_from(unix.as_nanos()).unwrap_or(u64::MAX);
        Self {
            parts: AtomicU32::new(config.parts.bits()),
            listened: AtomicBool::new(config.summary || !config.outputs.is_empty()),
            ended: AtomicBool::new(false),
            ends_in_order: AtomicBool::new(false),
            rule,
            collector: Collector::new(Terms {
                id: uuid::Uuid::new_v4(),
                start_unix_ns: unix.saturating_sub(now),
                scale: Scale::new(),
                outputs: config.outputs.clone(),
                summary: config.summary,
                exit_wait: config.exit_wait,
                rule,
            }),
            config,
        }
    }

    pub(crate) fn parts(&self) -> Parts {
        Parts::from_bits(self.parts.load(Ordering::SeqCst))
    }

    /// Turns on exactly `parts`; false where the environment has the last word.
    pub(crate) fn set_parts(&self, parts: Parts) -> bool {
        if self.config.off {
            return false;
        }
        self.parts.store(parts.bits(), Ordering::SeqCst);
        self.prepare();
        true
    }

    /// A sink was added.
    pub(crate) fn listen(&self) {
        self.listened.store(true, Ordering::SeqCst);
        self.settle();
    }

    /// Nothing is recorded from here on.
    fn end(&self) {
        self.ended.store(true, Ordering::SeqCst);
        self.settle();
    }

    /// A lane from a thread that has not launched in this context before.
    pub(crate) fn register(&'static self, receiver: Receiver) {
        self.collect(|collector| collector.register(receiver));
    }

    /// The count of what a thread leaves out of a name.
    pub(crate) fn count(&'static self, left_out: Arc<LeftOut>) {
        self.collect(|collector| collector.count(left_out));
    }

    /// Hands something to the collector that a thread has for the first time; the first of all starts it.
    fn collect(&'static self, hand_over: impl FnOnce(&'static Collector)) {
        // Behind the driver's own handler, so that it runs before it: the program has called the driver by now. And
        // before anything is recorded, since another thread may end the process at any moment; threads that come
        // together may each register it, and only the first call of it does anything.
        if !self.ends_in_order.load(Ordering::Acquire) {
            process::at_exit(finish_at_exit);
            self.ends_in_order.store(true, Ordering::Release);
        }
        hand_over(&self.collector);
        if let Err(error) = self.collector.start() {
            process::complain(&format!("no thread to collect records on ({error}); nothing is recorded"));
            self.end();
        }
    }

    fn active(&self) -> Active {
        let parts = self.parts();
        let ended = self.ended.load(Ordering::SeqCst);
        let nodes = parts.contains(Parts::NODES) && !ended;
        let times = nodes || (parts.contains(Parts::TIME) && !ended);
        let pushes = parts.contains(Parts::NVTX) && TOOL.is_present();
        let listens = self.listened.load(Ordering::SeqCst) && !parts.is_none() && !ended;
        let samples = times && self.rule.is_some();
        let bit = |on: bool, bit: u32| if on { bit } else { 0 };
        // Nothing to do for anybody where no kernels can be loaded by it.
        let symbols = cfg!(feature = "kernels") && parts.contains(Parts::SYMBOLS);
        let records = bit(times || listens, Active::RECORD) | bit(samples, Active::SAMPLE);
        let asked = bit(pushes, Active::NVTX) | bit(times, Active::TIME) | bit(symbols, Active::SYMBOLS);
        let asked = asked | bit(nodes, Active::NODES);
        let what = asked | records;
        let naming = &self.config.naming;
        let how = bit(naming.hides_nested, Active::HIDES) | bit(naming.format.has(Word::Kernel), Active::KERNEL);
        Active(if what == 0 { 0 } else { what | how })
    }

    /// Brings what launches look at up to date. Threads may do so at the same time: each looks again after it wrote,
    /// so the last to write has seen what the others changed.
    fn settle(&self) {
        loop {
            let active = self.active();
            ACTIVE.store(active.0, Ordering::SeqCst);
            if self.active() == active {
                return;
            }
        }
    }
}

/// In a fork's child: the collector's thread is not there, and the parent's outputs are the parent's.
extern "C" fn start_anew() {
    TOOL.abandon();
    SESSION.forget();
    ACTIVE.store(Active::UNSET.0, Ordering::SeqCst);
}

/// In a fork's child there is no session, or one of its own.
extern "C" fn finish_at_exit() {
    // Unwinding would end the process in another way than the program chose.
    let _ = std::panic::catch_unwind(|| {
        if let Some(session) = Session::current() {
            // First: other threads may go on launching, and the collector would not come to an end.
            session.end();
            session.collector.finish();
        }
    });
}
