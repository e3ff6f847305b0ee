//! One launch, from the call's beginning to its end, on the thread that makes it.
//!
//! Nothing here waits, allocates in the steady state, or asks the system for anything but the events and the time. What
//! cannot be measured is left out with its reason: the launch itself goes ahead in any case.

mod open;
mod scope;
mod thread;

pub use scope::Scope;

use crate::entry::Entry;
pub(crate) use crate::entry::Seen;
use crate::lane::Geometry;
use crate::name::Variant;
use crate::own::own;
use crate::session::Active;
use crate::site::{Instance, Site};
use crate::ticks;
use open::{Open, What};

/// A launch that is being made.
#[derive(Debug)]
pub(crate) struct Launch {
    active: Active,
    site: &'static Site,
    instance: Instance,
    variant: Variant,
    /// A reading of `ticks`.
    entered: u64,
    seen: Option<Seen>,
    /// Where it goes if nothing else tells.
    hint: Option<Seen>,
    kernel: Option<&'static str>,
    geometry: Geometry,
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
    /// A launch at `site`, if there is anything to do for one.
    pub(crate) fn begin(site: &'static Site, instance: Instance, active: Active) -> Option<Self> {
        let active = own(|| active.settled())?;
        if active.is_nothing() {
            return None;
        }
        Some(Self {
            active,
            site,
            instance,
            variant: Variant::None,
            entered: if active.records() { ticks::now() } else { 0 },
            seen: None,
            hint: None,
            kernel: None,
            geometry: Geometry::UNKNOWN,
            open: None,
        })
    }

    /// What was noted at the entry of the function that it is in.
    pub(crate) fn enter(&mut self, entry: &Entry) {
        self.variant = entry.variant();
        self.hint = entry.stream();
    }

    /// Whether it matters where the launch goes, and is not known.
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
        self.kernel = seen.kernel;
    }

    /// The kernel's own name, from elsewhere than its types.
    pub(crate) fn launches(&mut self, kernel: &'static str) {
        self.kernel = Some(kernel);
    }

    /// Right before the call.
    pub(crate) fn open(&mut self) {
        let Self { active, site, instance, variant, entered, kernel, geometry, .. } = *self;
        let seen = self.seen.or(self.hint);
        self.open = own(|| {
            let name = site.name(instance, variant);
            Open::begin(What { active, name, entered, seen, kernel, geometry })
        });
    }

    /// Right after the call.
    pub(crate) fn close(self, outcome: Outcome) {
        if let Some(open) = self.open {
            own(|| open.close(outcome));
        }
    }
}
