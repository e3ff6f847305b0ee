//! A whole call of a function as a range, from its entry to its end.

use super::open::{Open, What};
use super::thread::Around;
use super::{Outcome, found, thread};
use crate::entry::Entry;
use crate::lane::Geometry;
use crate::own::own;
use crate::session::Active;
use crate::site::{Instance, Site};
use crate::ticks;

/// The scope of one call. It stays where the function has it: one that [`enter`](Self::enter) gave back would be copied,
/// and it is large.
#[derive(Debug, Default)]
pub struct Scope {
    open: Option<Open>,
    /// The scope around it.
    outer: Around,
    /// A panic was on its way when the function was entered: then it is not this call's.
    unwinding: bool,
}

/// Closes the scope when it is dropped, on whatever way the function is left.
#[derive(Debug)]
pub struct Entered<'s> {
    on: bool,
    scope: &'s mut Scope,
}

impl Scope {
    /// Nothing is open.
    #[inline]
    #[must_use]
    pub const fn new() -> Self {
        Self { open: None, outer: None, unwinding: false }
    }

    /// At the function's entry.
    #[inline]
    #[must_use]
    pub fn enter(&mut self, site: &'static Site, instance: Instance, entry: &Entry) -> Entered<'_> {
        let active = Active::load();
        let on = !active.is_nothing();
        if on {
            // A copy, so that nothing has the address of what was noted where there is nothing to do.
            let entry = *entry;
            self.begin(site, instance, &entry, active);
        }
        Entered { on, scope: self }
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
            let mut variant = entry.variant();
            if site.may_search() {
                variant = found(site, instance, variant);
            }
            let name = site.name(instance, variant);
            let (active, seen, fields) = (active.only(name.allowed), entry.stream(), entry.fields());
            let what = What {
                active,
                name,
                entered,
                seen,
                fields,
                kernel: None,
                geometry: Geometry::UNKNOWN,
                graph: None,
                kept: false,
            };
            (!active.is_nothing()).then(|| Open::begin(what))
        });
        self.open = begun.flatten();
        if let Some(open) = &self.open {
            self.outer = thread::enter_scope(open.scope());
            if self.outer.is_some() && open.what.active.hides_nested() {
                // What is inside belongs to the outermost.
                thread::enter_scope(self.outer);
            }
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

impl Drop for Entered<'_> {
    #[inline]
    fn drop(&mut self) {
        if self.on {
            self.scope.end();
        }
    }
}
