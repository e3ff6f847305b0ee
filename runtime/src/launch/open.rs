//! What is open around a call: the range, and the window of two events.

use super::thread;
use super::{Outcome, Seen};
use crate::collector::Lost;
use crate::device::{Capture, Refusal};
use crate::lane::{Ending, Geometry, Pair, Place, Posted, Sender};
use crate::name::{Kind, Name};
use crate::record::Reason;
use crate::session::{Active, Session, TOOL};
use crate::ticks;

/// A call that is recorded, from its beginning on.
#[derive(Debug)]
pub(super) struct Open {
    what: What,
    pub(super) number: u64,
    /// The scope around it; 0 without.
    parent: u64,
    started: u64,
    window: Window,
    pushed: bool,
}

/// What is known of a call when it begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct What {
    pub(super) active: Active,
    pub(super) name: &'static Name,
    /// A reading of `ticks`: when launchsite began with it.
    pub(super) entered: u64,
    pub(super) seen: Option<Seen>,
    pub(super) kernel: Option<&'static str>,
    pub(super) geometry: Geometry,
}

/// The two events around a call, or why there are none.
#[derive(Clone, Copy, Debug)]
enum Window {
    NotAsked,
    Open(Pair),
    Missing(Reason),
}

impl Open {
    /// Right before the call: the last thing is the call's own start.
    #[inline]
    pub(super) fn begin(what: What) -> Self {
        let number = thread::number();
        let window = if what.active.times() { Window::begin(&what) } else { Window::NotAsked };
        let mut open = Self { what, number, parent: thread::scope(), started: 0, window, pushed: false };
        if what.active.pushes() {
            let label = &what.name.label;
            open.pushed = TOOL.push(&label.name, label.module, &what.name.handle, what.name.look, number);
        }
        if what.active.records() {
            open.started = ticks::now();
        }
        open
    }

    /// Right after the call: the first thing is the call's own end.
    pub(super) fn close(self, outcome: Outcome) {
        let stopped = if self.what.active.records() { ticks::now() } else { 0 };
        if self.pushed {
            TOOL.pop();
        }
        if self.what.active.records() {
            let kind = self.what.name.kind;
            let place = self.what.seen.map(|seen| seen.place);
            let posted = thread::with(place, |sender, session| self.post(outcome, stopped, sender, session));
            if let (None, Some(session)) = (posted, Session::current()) {
                session.collector.lose(kind, Lost::ThreadEnding);
            }
        }
    }

    fn post(self, outcome: Outcome, stopped: u64, sender: &mut Sender, session: &Session) {
        let Some(ending) = self.ending(outcome, sender) else { return };
        let What { name, entered, seen, kernel, geometry, .. } = self.what;
        #[allow(clippy::cast_precision_loss)] // as it says of the field
        let overhead = (ticks::now().saturating_sub(stopped) + self.started.saturating_sub(entered)) as f32;
        let posted = Posted {
            name,
            number: self.number,
            parent: self.parent,
            start: self.started,
            span: stopped.saturating_sub(self.started),
            overhead,
            geometry,
            stream: seen.map_or(0, |seen| seen.stream),
            kernel,
            ending,
        };
        if sender.post(posted) {
            session.collector.posted(sender.is_half_full());
            return;
        }
        if let (Ending::Timed(pair), Some(seen)) = (ending, seen) {
            sender.abandon(seen.place.device, pair);
        }
        session.collector.lose(name.kind, Lost::QueueFull);
    }

    /// The window's end: its second event, where the call went ahead. `None` where there was no call after all.
    fn ending(&self, outcome: Outcome, sender: &mut Sender) -> Option<Ending> {
        let failed = match outcome {
            Outcome::Launched => None,
            Outcome::Failed => Some(Reason::LaunchFailed),
            Outcome::Panicked => Some(Reason::LaunchPanicked),
            Outcome::Left => {
                self.abandon(sender);
                return None;
            }
        };
        let ending = match (self.window, self.what.seen, failed) {
            (Window::Open(pair), Some(seen), None) => match stop(sender, pair, seen, self.what.name.kind) {
                Ok(()) => Ending::Timed(pair),
                Err(reason) => Ending::Untimed(reason),
            },
            (Window::Open(_), _, Some(reason)) => {
                self.abandon(sender);
                Ending::Untimed(reason)
            }
            (Window::Missing(_), _, Some(reason)) | (Window::Missing(reason), _, None) => Ending::Untimed(reason),
            (_, _, Some(_)) => Ending::Failed,
            (_, _, None) => Ending::Named,
        };
        Some(ending)
    }

    fn abandon(&self, sender: &mut Sender) {
        if let (Window::Open(pair), Some(seen)) = (self.window, self.what.seen) {
            sender.abandon(seen.place.device, pair);
        }
    }
}

impl Window {
    fn begin(what: &What) -> Self {
        let Some(seen) = what.seen else {
            return match what.name.kind {
                // That no stream was given is the same as that no time was asked for.
                Kind::Scope => Self::NotAsked,
                Kind::Kernel | Kind::Graph => Self::Missing(Reason::StreamUnknown),
            };
        };
        let started = thread::with(Some(seen.place), |sender, session| start(sender, session, seen));
        // Without the thread's own storage there is no lane that could carry the window.
        match started.unwrap_or(Err(Reason::ThreadEnding)) {
            Ok(pair) => Self::Open(pair),
            Err(reason) => Self::Missing(reason),
        }
    }
}

/// The window's first event, in the launch's context: the thread may be in another or in none.
fn start(sender: &mut Sender, session: &Session, seen: Seen) -> Result<Pair, Reason> {
    let Place { device, context, .. } = seen.place;
    let stream = seen.place.stream(seen.stream);
    // Before anything else: a default stream is one of the context that the thread is in.
    device.enter(context).map_err(Reason::Refusal)?;
    match device.capturing(stream).map_err(Reason::Refusal)? {
        Capture::None => {}
        Capture::Capturing => return Err(Reason::Capturing),
    }
    let pair = sender.open(seen.place, &session.collector.orphans)?;
    let started = device.record(pair.start, stream);
    started.map(|()| pair).map_err(|refusal| {
        sender.abandon(device, pair);
        Reason::Refusal(refusal)
    })
}

/// The window's second event, likewise. Inside a scope a capture may have begun; inside a launch's call none can.
fn stop(sender: &mut Sender, pair: Pair, seen: Seen, kind: Kind) -> Result<(), Reason> {
    let Place { device, context, .. } = seen.place;
    let stream = seen.place.stream(seen.stream);
    let capture = |()| if kind == Kind::Scope { device.capturing(stream) } else { Ok(Capture::None) };
    let record = |capture| match capture {
        Capture::None => device.record(pair.stop, stream).map_err(Reason::Refusal),
        Capture::Capturing => Err(Reason::Capturing),
    };
    let entered: Result<Capture, Refusal> = device.enter(context).and_then(capture);
    entered.map_err(Reason::Refusal).and_then(record).inspect_err(|_| sender.abandon(device, pair))
}
