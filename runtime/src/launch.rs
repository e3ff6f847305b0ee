//! One launch, from the call's beginning to its end, on the thread that makes it.
//!
//! Nothing here waits, allocates in the steady state, or asks the system for anything but the events and the time. What
//! cannot be measured is left out with its reason: the launch itself goes ahead in any case.

mod thread;

use crate::collector::Lost;
use crate::device::Refusal;
use crate::lane::{Ending, Geometry, LanePairs, Place, Posted, Sender};
use crate::name::Name;
use crate::record::{Mode, Reason};
use crate::session::{Active, Session, TOOL};
use crate::site::{Instance, Site};
use crate::ticks;
use crate::window::{self, Pair, Unopened};
use thread::{Thread, number};

/// Where a launch goes, as far as its types tell.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    pub(crate) place: Place,
    pub(crate) stream: u64,
    pub(crate) kernel: Option<&'static str>,
    /// The call may make the stream wait for another's work before it launches.
    pub(crate) may_wait: bool,
}

/// A launch that is being made.
#[derive(Debug)]
pub(crate) struct Launch {
    active: Active,
    name: &'static Name,
    number: u64,
    /// Readings of `ticks`.
    entered: u64,
    started: u64,
    seen: Option<Seen>,
    geometry: Geometry,
    window: Window,
    pushed: bool,
    /// The call has begun: what leaves before, from inside its arguments, is no launch.
    open: bool,
}

/// The two events around a launch, or why there are none.
#[derive(Clone, Copy, Debug)]
enum Window {
    NotAsked,
    Open(Pair),
    Missing(Mode, Reason),
}

/// How a launch call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Launched,
    Failed,
    Panicked,
}

/// What there is to do around a call.
#[derive(Debug, Default)]
pub(crate) enum Begun {
    #[default]
    Nothing,
    /// A budget leaves the launch out, and no profiler wants its range: it is counted, once the call is made. Nothing
    /// else is made for it, since of all that a launch takes under a budget this is what most of them take.
    LeftOut(&'static Name),
    Launch(Launch),
}

impl Begun {
    /// Begins a launch at `site`, if there is anything to do for one.
    pub(crate) fn begin(&mut self, site: &'static Site, instance: Instance, active: Active) {
        let active = active.settled();
        if active.is_nothing() {
            return;
        }
        if !active.samples() {
            let entered = if active.records() { ticks::now() } else { 0 };
            *self = Self::Launch(Launch::new(site.name(instance), active, entered));
            return;
        }
        // The reading comes behind the name and the decision: a launch that is left out is not to pay it.
        let name = site.name(instance);
        *self = match Thread::is_due(name) {
            true => Self::Launch(Launch::new(name, active, ticks::now())),
            false if active.pushes() => Self::Launch(Launch::new(name, active.left_out(), 0)),
            false => Self::LeftOut(name),
        };
    }

    #[inline]
    pub(crate) fn is_something(&self) -> bool {
        !matches!(self, Self::Nothing)
    }

    /// The launch, if there is more to it than a count.
    #[inline]
    pub(crate) fn launch(&mut self) -> Option<&mut Launch> {
        if let Self::Launch(launch) = self { Some(launch) } else { None }
    }

    /// Whether it matters where the launch goes, and is not known.
    #[inline]
    pub(crate) fn looks(&self) -> bool {
        if let Self::Launch(launch) = self { launch.looks() } else { false }
    }

    /// Right before the call, with what is known of the launch by then.
    pub(crate) fn open(&mut self, geometry: Option<Geometry>) {
        match self {
            Self::Nothing => {}
            Self::LeftOut(name) => {
                Thread::leave_out(name);
                *self = Self::Nothing;
            }
            Self::Launch(launch) => {
                launch.geometry = geometry.unwrap_or(launch.geometry);
                launch.open();
            }
        }
    }

    /// Right after it.
    pub(crate) fn close(&mut self, outcome: Outcome) {
        if let Self::Launch(launch) = std::mem::take(self) {
            launch.close(outcome);
        }
    }
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

impl Launch {
    /// `entered` is a reading of `ticks`.
    fn new(name: &'static Name, active: Active, entered: u64) -> Self {
        Self {
            active,
            entered,
            name,
            number: 0,
            started: 0,
            seen: None,
            geometry: Geometry::UNKNOWN,
            window: Window::NotAsked,
            pushed: false,
            open: false,
        }
    }

    #[inline]
    pub(crate) fn looks(&self) -> bool {
        self.active.records() && self.seen.is_none()
    }

    /// What is known of it so far.
    pub(crate) fn geometry(&mut self) -> &mut Geometry {
        &mut self.geometry
    }

    pub(crate) fn see(&mut self, seen: Seen) {
        self.seen = Some(seen);
    }

    /// The last thing is the call's own start.
    fn open(&mut self) {
        self.open = true;
        if self.active.is_left_out() {
            Thread::leave_out(self.name);
        }
        if self.active.records() || self.active.pushes() {
            self.number = number();
        }
        if self.active.times() {
            self.window = self.window();
        }
        if self.active.pushes() {
            let label = &self.name.label;
            self.pushed = TOOL.push(&label.name, label.module, &self.name.handle, self.name.look, self.number);
        }
        if self.active.records() {
            self.started = ticks::now();
        }
    }

    fn window(&self) -> Window {
        let Some(seen) = self.seen else {
            return Window::Missing(Mode::Refused, Reason::StreamUnknown);
        };
        let started = Thread::with(Some(seen.place), |sender, session| start(sender, session, seen));
        // Without the thread's own storage there is no lane that could carry the window.
        match started.unwrap_or(Err(Reason::ThreadEnding)) {
            Ok(pair) => Window::Open(pair),
            Err(Reason::Capturing) => Window::Missing(Mode::Captured, Reason::Capturing),
            Err(reason) => Window::Missing(Mode::Refused, reason),
        }
    }

    /// The first thing is the call's own end.
    fn close(self, outcome: Outcome) {
        if !self.open {
            return;
        }
        let stopped = if self.active.records() { ticks::now() } else { 0 };
        if self.pushed {
            TOOL.pop();
        }
        if self.active.records() {
            let place = self.seen.map(|seen| seen.place);
            let left_out = if self.active.samples() { Thread::take(self.name) } else { 0 };
            let made = Made { outcome, stopped, left_out };
            let posted = Thread::with(place, |sender, session| self.record(made, sender, session));
            if let (None, Some(session)) = (posted, Session::current()) {
                session.collector.lose(Lost::ThreadEnding);
            }
        }
    }

    fn record(self, made: Made, sender: &mut Sender, session: &Session) {
        let Made { outcome, stopped, left_out } = made;
        let ending = self.ending(outcome, sender);
        #[allow(clippy::cast_precision_loss)] // as it says of the field
        let overhead = (ticks::now().saturating_sub(stopped) + self.started.saturating_sub(self.entered)) as f32;
        let posted = Posted {
            name: self.name,
            number: self.number,
            start: self.started,
            span: stopped.saturating_sub(self.started),
            overhead,
            grid: self.geometry.grid,
            block: self.geometry.block.into(),
            shared_mem_bytes: self.geometry.shared_mem_bytes,
            stream: self.seen.map_or(0, |seen| seen.stream),
            kernel: self.seen.and_then(|seen| seen.kernel),
            ending,
            left_out,
            may_wait: self.seen.is_some_and(|seen| seen.may_wait),
        };
        if sender.post(posted) {
            session.collector.posted(sender.is_half_full());
            return;
        }
        if let (Ending::Timed(pair), Some(seen)) = (ending, self.seen) {
            sender.abandon(seen.place.device, pair);
        }
        session.collector.lose(Lost::QueueFull);
    }

    /// The window's end: its second event, where the launch went ahead.
    fn ending(&self, outcome: Outcome, sender: &mut Sender) -> Ending {
        let failed = match outcome {
            Outcome::Launched => None,
            Outcome::Failed => Some(Reason::LaunchFailed),
            Outcome::Panicked => Some(Reason::LaunchPanicked),
        };
        match (self.window, self.seen, failed) {
            (Window::Open(pair), Some(seen), None) => match stop(sender, pair, seen) {
                Ok(()) => Ending::Timed(pair),
                Err(refusal) => Ending::Untimed(Mode::Refused, Reason::Refusal(refusal)),
            },
            (Window::Open(pair), Some(seen), Some(reason)) => {
                sender.abandon(seen.place.device, pair);
                Ending::Untimed(Mode::Failed, reason)
            }
            (Window::Missing(..), _, Some(reason)) => Ending::Untimed(Mode::Failed, reason),
            (Window::Missing(mode, reason), _, None) => Ending::Untimed(mode, reason),
            (_, _, Some(_)) => Ending::Failed,
            (_, _, None) => Ending::Named,
        }
    }
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

/// The window's second event.
fn stop(sender: &mut Sender, pair: Pair, seen: Seen) -> Result<(), Refusal> {
    let Place { device, .. } = seen.place;
    let stopped = window::close(device, seen.place.stream(seen.stream), pair);
    stopped.inspect_err(|_| sender.abandon(device, pair))
}

#[cfg(test)]
mod tests;
