//! One launch, from the call's beginning to its end, on the thread that makes it.
//!
//! Nothing here waits, allocates in the steady state, or asks the system for anything but the events and the time. What
//! cannot be measured is left out with its reason: the launch itself goes ahead in any case.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::clock;
use crate::collector::Lost;
use crate::device::{Capture, Device, Refusal, Stream};
use crate::lane::{Geometry, Open, Posted, Sender, Target, lane};
use crate::name::Name;
use crate::process;
use crate::record::{Mode, Reason};
use crate::session::{Active, Session, TOOL};
use crate::site::{Instance, Site};

/// Where a launch goes, as far as its types tell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    pub(crate) device: &'static dyn Device,
    pub(crate) stream: Stream,
    /// The device's number, as the program counts.
    pub(crate) ordinal: u32,
    pub(crate) kernel: Option<&'static str>,
}

/// A launch that is being made.
#[derive(Debug)]
pub(crate) struct Launch {
    active: Active,
    name: &'static Name,
    number: u64,
    entered: u64,
    started: u64,
    seen: Option<Seen>,
    geometry: Geometry,
    window: Window,
    pushed: bool,
}

/// The two events around a launch, or why there are none.
#[derive(Clone, Copy, Debug)]
enum Window {
    NotAsked,
    Open(Open),
    Missing(Mode, Reason),
}

/// How a launch call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Launched,
    Failed,
    Panicked,
}

impl Launch {
    /// A launch at `site`, if there is anything to do for one.
    pub(crate) fn begin(site: &'static Site, instance: Instance, active: Active) -> Option<Self> {
        let active = active.settled();
        if active.is_nothing() {
            return None;
        }
        Some(Self {
            active,
            entered: if active.records() { clock::now() } else { 0 },
            name: site.name(instance),
            number: 0,
            started: 0,
            seen: None,
            geometry: Geometry::default(),
            window: Window::NotAsked,
            pushed: false,
        })
    }

    /// Whether it matters where the launch goes.
    #[inline]
    pub(crate) fn is_timed(&self) -> bool {
        self.active.times()
    }

    pub(crate) fn see(&mut self, seen: Seen) {
        self.seen = Some(seen);
    }

    /// Right before the call: the last thing is the call's own start.
    pub(crate) fn open(&mut self, geometry: Geometry) {
        self.geometry = geometry;
        self.number = number();
        if self.active.times() {
            self.window = self.window();
        }
        if self.active.pushes() {
            let label = &self.name.label;
            self.pushed = TOOL.push(&label.name, label.module, &self.name.handle, self.name.look, self.number);
        }
        if self.active.records() {
            self.started = clock::now();
        }
    }

    /// Right after the call: the first thing is the call's own end.
    pub(crate) fn close(&mut self, outcome: Outcome) {
        let stopped = if self.active.records() { clock::now() } else { 0 };
        if self.pushed {
            TOOL.pop();
        }
        if self.active.records() {
            self.record(outcome, stopped);
        }
    }

    fn window(&self) -> Window {
        let Some(seen) = self.seen else {
            return Window::Missing(Mode::Refused, Reason::StreamUnknown);
        };
        match seen.device.capturing(seen.stream) {
            Ok(Capture::None) => {}
            Ok(Capture::Capturing) => return Window::Missing(Mode::Captured, Reason::Capturing),
            Err(refusal) => return Window::Missing(Mode::Refused, Reason::Refusal(refusal)),
        }
        match in_context(seen, |sender| start(sender, seen)) {
            Ok(open) => Window::Open(open),
            Err(reason) => Window::Missing(Mode::Refused, reason),
        }
    }

    fn record(&self, outcome: Outcome, stopped: u64) {
        let (mode, reason, window) = self.ended(outcome);
        let posted = Posted {
            number: self.number,
            name: self.name,
            thread: 0,
            start: self.started,
            stop: stopped,
            overhead: clock::now().saturating_sub(stopped) + self.started.saturating_sub(self.entered),
            stream: self.seen.map(|seen| (seen.stream, seen.ordinal)),
            kernel: self.seen.and_then(|seen| seen.kernel),
            geometry: self.geometry,
            mode,
            reason,
            window,
        };
        let target = self.seen.map(|seen| (seen.device, seen.stream.context));
        Thread::with(target, |thread_id, sender| {
            let session = Session::current();
            let waiting = sender.post(Posted { thread: thread_id, ..posted });
            match (waiting, session) {
                (Some(waiting), Some(session)) => session.collector.posted(waiting),
                (None, _) => {
                    if let (Some(open), Some(seen)) = (window, self.seen) {
                        sender.abandon(seen.device, open);
                    }
                    Lost::QueueFull.count();
                }
                (Some(_), None) => {}
            }
        })
        .unwrap_or_else(|| Lost::ThreadEnding.count());
    }

    /// The window's end: its second event, where the launch went ahead.
    fn ended(&self, outcome: Outcome) -> (Mode, Option<Reason>, Option<Open>) {
        let failed = match outcome {
            Outcome::Launched => None,
            Outcome::Failed => Some(Reason::LaunchFailed),
            Outcome::Panicked => Some(Reason::LaunchPanicked),
        };
        match (self.window, self.seen) {
            (Window::Open(open), Some(seen)) => {
                let stopped = in_context(seen, |sender| match failed {
                    Some(reason) => {
                        sender.abandon(seen.device, open);
                        Err(reason)
                    }
                    None => stop(sender, open, seen),
                });
                match stopped {
                    Ok(()) => (Mode::Timed, None, Some(open)),
                    Err(reason) if failed.is_some() => (Mode::Failed, Some(reason), None),
                    Err(reason) => (Mode::Refused, Some(reason), None),
                }
            }
            (Window::Missing(..), _) if failed.is_some() => (Mode::Failed, failed, None),
            (Window::Missing(mode, reason), _) => (mode, Some(reason), None),
            (Window::NotAsked | Window::Open(_), _) if failed.is_some() => (Mode::Failed, None, None),
            (Window::NotAsked | Window::Open(_), _) => (Mode::Named, None, None),
        }
    }
}

fn start(sender: &mut Sender, seen: Seen) -> Result<Open, Reason> {
    let session = Session::current().ok_or(Reason::ThreadEnding)?;
    let open = sender.open(seen.device, seen.stream.context, &session.collector.orphans)?;
    let started = seen.device.record(open.pair.start, seen.stream);
    started.map(|()| open).map_err(|refusal| refused(sender, open, seen, refusal))
}

fn stop(sender: &mut Sender, open: Open, seen: Seen) -> Result<(), Reason> {
    let stopped = seen.device.record(open.pair.stop, seen.stream);
    stopped.map_err(|refusal| refused(sender, open, seen, refusal))
}

fn refused(sender: &mut Sender, open: Open, seen: Seen, refusal: Refusal) -> Reason {
    sender.abandon(seen.device, open);
    Reason::Refusal(refusal)
}

/// Does `work` in the stream's context, on a thread that may be in another or in none; the thread's own is put back,
/// since what the user's call finds there is the user's.
fn in_context<T>(seen: Seen, work: impl FnOnce(&mut Sender) -> Result<T, Reason>) -> Result<T, Reason> {
    let entered = seen.device.enter(seen.stream.context).map_err(Reason::Refusal)?;
    let target = Some((seen.device, seen.stream.context));
    let done = Thread::with(target, |_, sender| work(sender));
    seen.device.leave(entered);
    // Without the thread's own storage there is no lane that could carry the window.
    done.unwrap_or(Err(Reason::ThreadEnding))
}

/// A number that no other launch of the process has. Threads take them by the hundred, so as not to meet on a counter.
fn number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    const HANDFUL: u64 = 256;
    THREAD
        .try_with(|thread| {
            let mut thread = thread.try_borrow_mut().ok()?;
            if thread.numbers.is_empty() {
                let first = NEXT.fetch_add(HANDFUL, Ordering::Relaxed);
                thread.numbers = first..first + HANDFUL;
            }
            thread.numbers.next()
        })
        .ok()
        .flatten()
        .unwrap_or_else(|| NEXT.fetch_add(1, Ordering::Relaxed))
}

thread_local! {
    static THREAD: RefCell<Thread> = const { RefCell::new(Thread::new()) };
}

/// What a launching thread has for itself.
struct Thread {
    /// The session that the lanes lead to: another one in a fork's child.
    session: Option<&'static Session>,
    id: u64,
    numbers: std::ops::Range<u64>,
    /// One for each context that the thread launches in; few.
    senders: Vec<Sender>,
}

impl Thread {
    const fn new() -> Self {
        Self { session: None, id: 0, numbers: 0..0, senders: Vec::new() }
    }

    /// Runs `work` with the thread's id and its lane for `target`; `None` where the thread is ending and has none.
    #[inline]
    fn with<T>(target: Target, work: impl FnOnce(u64, &mut Sender) -> T) -> Option<T> {
        let done = THREAD.try_with(|thread| {
            let mut thread = thread.try_borrow_mut().ok()?;
            let lane = thread.lane(target)?;
            let id = thread.id;
            thread.senders.get_mut(lane).map(|sender| work(id, sender))
        });
        done.ok().flatten()
    }

    #[inline]
    fn lane(&mut self, target: Target) -> Option<usize> {
        let current = Session::current()?;
        let ours = self.session.is_some_and(|own| std::ptr::eq(own, current));
        let known = self.senders.iter().position(|sender| sender.serves(target));
        match known {
            Some(lane) if ours => Some(lane),
            _ => Some(self.open(target, current)),
        }
    }

    #[cold]
    fn open(&mut self, target: Target, session: &'static Session) -> usize {
        if !self.session.is_some_and(|own| std::ptr::eq(own, session)) {
            self.senders.clear();
            self.session = Some(session);
            self.id = process::thread_id();
        }
        let (sender, receiver) = lane(target);
        session.collector.register(receiver, session);
        self.senders.push(sender);
        self.senders.len() - 1
    }
}
