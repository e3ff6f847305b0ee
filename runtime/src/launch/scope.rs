//! A whole call of a function as a range, from its entry to its end.

use super::open::{Open, What};
use super::thread::Around;
use super::{Outcome, thread};
use crate::entry::Entry;
use crate::lane::Geometry;
use crate::own::own;
use crate::session::Active;
use crate::site::{Instance, Site};
use crate::ticks;

/// The scope of one call; closed when it is dropped, on whatever way the function is left.
#[derive(Debug)]
pub struct Scope {
    open: Option<Open>,
    /// The scope around it.
    outer: Around,
    /// A panic was on its way when the function was entered: then it is not this call's.
    unwinding: bool,
}

impl Scope {
    /// At the function's entry.
    #[inline]
    #[must_use]
    pub fn enter(site: &'static Site, instance: Instance, entry: &Entry) -> Self {
        let mut scope = Self { open: None, outer: None, unwinding: false };
        let active = Active::load();
        if !active.is_nothing() {
            scope.begin(site, instance, entry, active);
        }
        scope
    }

    #[cold]
    #[inline(never)]
    fn begin(&mut self, site: &'static Site, instance: Instance, entry: &Entry, active: Active) {
        let begun = own(|| {
            let active = active.settled();
            if active.is_nothing() {
                return None;
            }
            let entered = if active.records() { ticks::now() } else { 0 };
            let name = site.name(instance, entry.variant());
            let seen = entry.stream();
            Some(Open::begin(What { active, name, entered, seen, kernel: None, geometry: Geometry::UNKNOWN }))
        });
        self.open = begun.flatten();
        if let Some(open) = &self.open {
            self.outer = thread::enter_scope(open.scope());
            self.unwinding = std::thread::panicking();
        }
    }

    #[cold]
    #[inline(never)]
    fn end(&mut self) {
        let Some(open) = self.open.take() else { return };
        thread::enter_scope(self.outer);
        let panicked = std::thread::panicking() && !self.unwinding;
        own(|| open.close(if panicked { Outcome::Panicked } else { Outcome::Launched }));
    }
}

impl Drop for Scope {
    #[inline]
    fn drop(&mut self) {
        if self.open.is_some() {
            self.end();
        }
    }
}
