//! What is open around a call: the range, and the window of two events.

use super::thread::{self, Around};
use super::{Outcome, Seen, graphs};
use crate::collector::Lost;
use crate::device::Capture;
use crate::device::graph::Graph;
use crate::fields::Fields;
use crate::lane::{Beside, Ending, Geometry, LanePairs, Place, Posted, Replayed, Sender};
use crate::name::{Kind, Name};
use crate::record::Reason;
use crate::session::{Active, Session, TOOL};
use crate::ticks;
use crate::window::{self, Pair, Unopened};

/// A call that is recorded, from its beginning on.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) what: What,
    /// Where it belongs: in a fork's child, what its parent began is none of its launches.
    session: Option<&'static Session>,
    number: u64,
    /// The scope around it; 0 without.
    parent: u64,
    started: u64,
    window: Window,
    replayed: Replayed,
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
    /// The function's own; those of the thread are added.
    pub(super) fields: Fields,
    pub(super) kernel: Option<&'static str>,
    pub(super) geometry: Geometry,
    pub(super) graph: Option<Graph>,
    /// The graph is [`crate::Graph`]'s, and nobody else can change it.
    pub(super) kept: bool,
}

/// A launch of a graph that is to be timed inside.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inside {
    pub(super) place: Place,
    pub(super) stream: u64,
    pub(super) graph: Graph,
}

/// What is known of a call once it has been made.
#[derive(Clone, Copy)]
struct Made {
    outcome: Outcome,
    /// A reading of `ticks`.
    stopped: u64,
    /// Launches that a budget left out since the last that was recorded.
    left_out: u32,
}

/// The two events around a call, or why there are none.
#[derive(Clone, Copy, Debug)]
enum Window {
    NotAsked,
    Open(Pair),
    Missing(Reason),
}

/// Opens the range of a call; false without one to [`pop`].
#[inline]
pub(super) fn push(name: &Name, number: u64) -> bool {
    TOOL.push(&name.label.name, name.category, &name.handle, name.look, number)
}

/// Closes the range that is open.
#[inline]
pub(super) fn pop() {
    TOOL.pop();
}

impl Open {
    /// Right before the call: the last thing is the call's own start.
    #[inline]
    pub(super) fn begin(what: What) -> Self {
        let What { active, name, .. } = what;
        if active.is_left_out() {
            thread::leave_out(name);
        }
        let number = if active.records() || active.pushes() { thread::number() } else { 0 };
        // In front of the window: what is looked up the first time is not to be in it.
        let replayed = if active.times() && name.kind == Kind::Graph { graphs::look(&what) } else { Replayed::UNKNOWN };
        let window = if active.times() { Window::begin(&what) } else { Window::NotAsked };
        let session = Session::current();
        let parent = thread::scope();
        let mut open = Self { what, session, number, parent, started: 0, window, replayed, pushed: false };
        if active.pushes() && (!active.hides_nested() || thread::enter_range()) {
            open.pushed = push(name, number);
            if active.hides_nested() && !open.pushed {
                thread::leave_range();
            }
        }
        if active.records() {
            open.what.fields = Fields::current().join(open.what.fields);
            open.started = ticks::now();
        }
        open
    }

    /// The graph that is launched, if it is to be timed inside: there is a window, and what it is is known.
    pub(super) fn times_nodes(&self) -> Option<Inside> {
        let What { active, seen, graph, .. } = self.what;
        let is_open = matches!(self.window, Window::Open(_)) && active.times_nodes();
        seen.zip(graph).filter(|_| is_open).map(|(seen, graph)| Inside {
            place: seen.place,
            stream: seen.stream,
            graph,
        })
    }

    /// It was launched by that second executable.
    pub(super) fn is_launched_by(&mut self, second: u32) {
        self.replayed = self.replayed.by(second);
    }

    /// As the scope that a thread is in.
    pub(super) fn scope(&self) -> Around {
        self.session.map(|session| (self.number, session))
    }

    /// Right after the call: the first thing is the call's own end.
    pub(super) fn close(self, outcome: Outcome) {
        let What { active, name, seen, .. } = self.what;
        let stopped = if active.records() { ticks::now() } else { 0 };
        if self.pushed {
            pop();
            if active.hides_nested() {
                thread::leave_range();
            }
        }
        if active.records() && thread::is_current(self.session) {
            let left_out = if active.samples() { thread::take(name) } else { 0 };
            let made = Made { outcome, stopped, left_out };
            let posted = thread::with(seen.map(|seen| seen.place), |sender, session| self.post(made, sender, session));
            if let (None, Some(session)) = (posted, Session::current()) {
                session.collector.lose(name.kind, Lost::ThreadEnding);
            }
        }
    }

    fn post(self, made: Made, sender: &mut Sender, session: &Session) {
        let Made { outcome, stopped, left_out } = made;
        let Some(ending) = self.ending(outcome, sender) else { return };
        let What { name, entered, seen, fields, kernel, geometry, .. } = self.what;
        #[allow(clippy::cast_precision_loss)] // as it says of the field
        let overhead = (ticks::now().saturating_sub(stopped) + self.started.saturating_sub(entered)) as f32;
        let posted = Posted {
            name,
            number: self.number,
            parent: self.parent,
            start: self.started,
            span: stopped.saturating_sub(self.started),
            overhead,
            what: if name.kind == Kind::Graph { self.replayed.into() } else { geometry.into() },
            block: geometry.block.into(),
            stream: seen.map_or(0, |seen| seen.stream),
            kernel,
            fields,
            ending,
            beside: Beside::new(left_out, seen.is_some_and(|seen| seen.may_wait)),
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
            (Window::Missing(Reason::Capturing), Some(seen), None) if self.what.name.kind != Kind::Scope => {
                captured(seen)
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
        let started = thread::with(Some(seen.place), |sender, session| {
            within(seen, what.name.kind, || start(sender, session, seen))
        });
        // Without the thread's own storage there is no lane that could carry the window.
        match started.unwrap_or(Err(Reason::ThreadEnding)) {
            Ok(pair) => Self::Open(pair),
            Err(reason) => Self::Missing(reason),
        }
    }
}

/// Runs `work` while the stream is there, in its context: a default stream is one of the context that the thread is in.
///
/// A launch on the stream that it shows enters that anyway. What a scope encloses may be in any, and so may be a launch of
/// which no more is known than what its function was given: there the thread's own context is left as it is.
fn within<T>(seen: Seen, kind: Kind, work: impl FnOnce() -> Result<T, Reason>) -> Result<T, Reason> {
    let Place { device, context, .. } = seen.place;
    let leaves = if kind == Kind::Scope || seen.owner.is_some() {
        match device.current().map_err(Reason::Refusal)? {
            Some(current) if current != context => return Err(Reason::OtherContext),
            current => current.is_none(),
        }
    } else {
        false
    };
    let done = seen.while_there(|| {
        device.enter(context).map_err(Reason::Refusal)?;
        let done = work();
        if leaves {
            device.leave();
        }
        done
    });
    done.unwrap_or(Err(Reason::StreamGone))
}

/// The window's first event.
fn start(sender: &mut Sender, session: &Session, seen: Seen) -> Result<Pair, Reason> {
    let place = seen.place;
    let mut pairs = LanePairs { sender, place, left: &session.collector.orphans };
    window::open(place.device, place.stream(seen.stream), &mut pairs).map_err(|unopened| match unopened {
        Unopened::Refused(refusal) => Reason::Refusal(refusal),
        Unopened::Capturing => Reason::Capturing,
        Unopened::NoPair(reason) => reason,
    })
}

/// Where a launch went that was captured. It is asked while the capture goes on, and of the stream alone.
#[cold]
fn captured(seen: Seen) -> Ending {
    let place = seen.place;
    let captured = within(seen, Kind::Kernel, || {
        place.device.graphs().captured(place.stream(seen.stream)).map_err(Reason::Refusal)
    });
    let Ok(captured) = captured else { return Ending::Untimed(Reason::Capturing) };
    graphs::note_capture(captured.graph);
    captured.into()
}

/// The window's second event. Inside a scope a capture may have begun; inside a launch's call none can.
fn stop(sender: &mut Sender, pair: Pair, seen: Seen, kind: Kind) -> Result<(), Reason> {
    let device = seen.place.device;
    let stream = seen.place.stream(seen.stream);
    let stopped = within(seen, kind, || {
        let capture = if kind == Kind::Scope { device.capturing(stream) } else { Ok(Capture::None) };
        match capture.map_err(Reason::Refusal)? {
            Capture::None => window::close(device, stream, pair).map_err(Reason::Refusal),
            Capture::Capturing => Err(Reason::Capturing),
        }
    });
    stopped.inspect_err(|_| sender.abandon(device, pair))
}
