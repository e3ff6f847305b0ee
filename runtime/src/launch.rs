//! One launch, from the call's beginning to its end, on the thread that makes it.
//!
//! Nothing here waits, allocates in the steady state, or asks the system for anything but the events and the time. What
//! cannot be measured is left out with its reason: the launch itself goes ahead in any case.

mod graphs;
mod open;
mod replay;
mod scope;
mod seconds;
mod short;
mod thread;

pub(crate) use replay::Replay;
pub use scope::Scope;
pub(crate) use seconds::Seconds;
pub(crate) use short::Short;

use crate::device::graph::Graph;
use crate::entry::Entry;
pub(crate) use crate::entry::Seen;
use crate::fields::Fields;
use crate::lane::Geometry;
use crate::name::{Kind, Name, Variant};
use crate::own::own;
use crate::session::Active;
use crate::site::{Instance, Site};
use crate::stack;
use crate::ticks;
use open::{Open, What};

/// A launch that is being made.
#[derive(Debug)]
pub(crate) struct Launch {
    active: Active,
    site: &'static Site,
    instance: Instance,
    variant: Variant,
    /// Known once it is decided whether the launch is timed.
    name: Option<&'static Name>,
    /// A reading of `ticks`.
    entered: u64,
    seen: Option<Seen>,
    /// Where it goes if nothing else tells.
    hint: Option<Seen>,
    /// Those of the function that it is in.
    fields: Fields,
    kernel: Option<&'static str>,
    geometry: Geometry,
    graph: Option<Graph>,
    /// The call has begun: what leaves before, from inside its arguments, is no launch.
    open: Option<Open>,
}

/// How a launch call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Launched,
    Failed,
    Panicked,
    /// It was left from inside its arguments, or cannot be told from that: there was no launch.
    Left,
}

impl Launch {
    /// What there is to do for a launch, if anything: with the session begun.
    #[inline]
    pub(crate) fn settled(active: Active) -> Option<Active> {
        own(|| active.settled()).filter(|active| !active.is_nothing())
    }

    /// A launch at `site`. Inline, so that it is made where it is kept.
    #[inline]
    pub(crate) fn new(site: &'static Site, instance: Instance, active: Active) -> Self {
        Self {
            active,
            site,
            instance,
            variant: Variant::NONE,
            name: None,
            // Under a budget behind the decision: a launch that is left out is not to pay for a reading.
            entered: if active.records() && !active.samples() { ticks::now() } else { 0 },
            seen: None,
            hint: None,
            fields: Fields::NONE,
            kernel: None,
            geometry: Geometry::UNKNOWN,
            graph: None,
            open: None,
        }
    }

    /// What was noted at the entry of the function that it is in.
    pub(crate) fn enter(&mut self, entry: &Entry) {
        self.variant = entry.variant();
        self.hint = entry.stream();
        self.fields = entry.fields();
    }

    /// The name; with it is decided, once, what the launch has: what its place is allowed, and whether a budget leaves it out.
    fn name(&mut self) -> &'static Name {
        if let Some(name) = self.name {
            return name;
        }
        if self.active.names_kernels() {
            self.variant.kernel = self.kernel;
        }
        if self.site.may_search() {
            self.variant = found(self.site, self.instance, self.variant);
        }
        let name = self.site.name(self.instance, self.variant);
        self.name = Some(name);
        let sampled = self.active.samples();
        self.active = self.active.only(name.allowed);
        if sampled {
            if self.active.samples() && name.kind == Kind::Kernel && !thread::is_due(name) {
                self.active = self.active.left_out();
            } else if self.active.records() {
                self.entered = ticks::now();
            }
        }
        name
    }

    /// Whether it matters where the launch goes, and is not known.
    #[inline]
    pub(crate) fn looks(&mut self) -> bool {
        // Before the kernel is known, which a name may have to wait for.
        if self.active.samples() && !self.active.names_kernels() {
            own(|| self.name());
        }
        self.active.records() && self.seen.is_none()
    }

    /// What is known of it so far.
    pub(crate) fn geometry(&mut self) -> &mut Geometry {
        &mut self.geometry
    }

    pub(crate) fn see(&mut self, seen: Seen) {
        self.seen = Some(seen);
        self.kernel = seen.kernel;
    }

    /// It is a graph that it launches.
    pub(crate) fn replays(&mut self, graph: Graph) {
        self.graph = Some(graph);
    }

    /// The kernel's own name, from elsewhere than its types.
    pub(crate) fn launches(&mut self, kernel: &'static str) {
        self.kernel = Some(kernel);
    }

    /// The name, where a range is all that is asked for.
    #[inline]
    pub(crate) fn range_alone(&mut self) -> Option<&'static Name> {
        if !self.active.only_pushes() {
            return None;
        }
        let name = own(|| self.name())?;
        self.active.pushes().then_some(name)
    }

    /// Right before the call. False where that was all: a budget leaves the launch out, and no profiler wants its range.
    pub(crate) fn open(&mut self) -> bool {
        let may_be_left_out = self.active.samples() || self.active.is_left_out();
        if may_be_left_out && own(|| self.is_left_out()).unwrap_or(true) {
            return false;
        }
        let open = own(|| {
            let name = self.name();
            let Self { active, entered, seen, hint, fields, kernel, geometry, graph, .. } = *self;
            let what =
                What { active, name, entered, seen: seen.or(hint), fields, kernel, geometry, graph, kept: false };
            (!active.is_nothing()).then(|| Open::begin(what))
        });
        self.open = open.flatten();
        true
    }

    /// Whether to count it is all that there is to do, which is done then.
    fn is_left_out(&mut self) -> bool {
        let name = self.name();
        let alone = self.active.is_left_out() && !self.active.pushes();
        if alone {
            thread::leave_out(name);
        }
        alone
    }

    /// Right after the call.
    pub(crate) fn close(&mut self, outcome: Outcome) {
        if let Some(open) = self.open.take() {
            own(|| open.close(outcome));
        }
    }
}

/// With what the stack tells of the launch, where it is named after that.
#[cold]
#[inline(never)]
fn found(site: &'static Site, instance: Instance, variant: Variant) -> Variant {
    match site.search() {
        None => variant,
        Some(search) => match stack::frame(site, search, variant.caller, instance) {
            // In the caller's place.
            Some(frame) => Variant { frame: Some(frame), caller: None, ..variant },
            None => variant,
        },
    }
}

#[cfg(test)]
mod tests;
