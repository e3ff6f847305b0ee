//! Where a launch is kept while it is made, and what each hook does where there is anything to do: out of the program's way.

use crate::entry::Entry;
use crate::form::{Geometry, Looking, Seen};
use crate::launch::{Launch, Outcome, Short};
use crate::session::Active;
use crate::site::{Instance, Known, Site};

/// What there is to do for a launch, or to close. What is below `Range` has nothing to do with the hooks between.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum State {
    Nothing,
    /// A budget leaves it out. It is counted: should it be left before the call, that is taken back.
    LeftOut,
    /// A range is all that is asked for.
    Range,
    /// And it is open.
    Open,
    /// More is asked for.
    Whole,
}

/// Where a launch is kept while it is made.
#[derive(Debug, Default)]
pub struct Slot(Kept);

#[derive(Debug, Default)]
#[allow(clippy::large_enum_variant)] // on the program's stack: a launch allocates nothing
enum Kept {
    #[default]
    Nothing,
    /// Its name depends on what was noted at the function's entry, which is told next.
    Place(&'static Site, Instance, Active),
    Short(&'static Known),
    Whole(Launch),
}

impl Looking for Slot {
    #[cold]
    #[inline(never)]
    fn looks(&mut self) -> bool {
        self.whole().is_some_and(Launch::looks)
    }

    #[cold]
    #[inline(never)]
    fn see(&mut self, seen: &Seen) {
        if let Some(launch) = self.whole() {
            launch.see(*seen);
        }
    }
}

impl Slot {
    /// Nothing is launched.
    #[inline]
    #[must_use]
    pub fn new() -> Self {
        Self(Kept::Nothing)
    }

    #[inline]
    pub(super) fn whole(&mut self) -> Option<&mut Launch> {
        if let Kept::Whole(launch) = &mut self.0 { Some(launch) } else { None }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn begin(&mut self, site: &'static Site, instance: Instance, active: Active) -> State {
        match Short::of(site, instance, active) {
            Some(short) => self.keep(short),
            None if Short::may_be(active) && site.has_variants() => {
                self.0 = Kept::Place(site, instance, active);
                State::Range
            }
            None => self.begin_whole(site, instance, active),
        }
    }

    #[inline]
    fn keep(&mut self, short: Short) -> State {
        let (known, state) = match short {
            Short::LeftOut(known) => (known, State::LeftOut),
            Short::Range(known) => (known, State::Range),
        };
        self.0 = Kept::Short(known);
        state
    }

    #[inline(never)]
    fn begin_whole(&mut self, site: &'static Site, instance: Instance, active: Active) -> State {
        // Whoever has a kernel with symbols has settled what is asked for.
        #[cfg(feature = "kernels")]
        if active.symbols() {
            crate::here::enter(site, instance);
        }
        let Some(active) = Launch::settled(active) else { return State::Nothing };
        self.0 = Kept::Whole(Launch::new(site, instance, active));
        // What is told of a launch is of no use to a range.
        if active.only_pushes() { State::Range } else { State::Whole }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn enter(&mut self, mut state: State, entry: &Entry) -> State {
        match self.0 {
            Kept::Short(known) => {
                if entry.variant().is_none() {
                    return state;
                }
                // Its name is another one: not short after all.
                self.close(state, Outcome::Left);
                self.0 = Kept::Nothing;
                state = self.begin_whole(known.site, known.instance, Active::load());
            }
            Kept::Place(site, instance, active) => {
                let known = site.known_as(instance, entry.variant());
                match known.and_then(|known| Short::of_name(known, active)) {
                    Some(short) => return self.keep(short),
                    None => state = self.begin_whole(site, instance, active),
                }
            }
            Kept::Nothing | Kept::Whole(_) => {}
        }
        #[cfg(feature = "kernels")]
        crate::here::vary(entry.variant());
        if let Some(launch) = self.whole() {
            launch.enter(entry);
        }
        state
    }

    /// Right before the call.
    #[cold]
    #[inline(never)]
    pub(super) fn open(&mut self, geometry: Option<Geometry>) -> State {
        match self.0 {
            Kept::Short(known) => Self::open_range(known),
            Kept::Whole(_) => self.open_whole(geometry),
            Kept::Place(site, instance, active) => {
                self.begin_whole(site, instance, active);
                self.open_whole(geometry)
            }
            Kept::Nothing => State::Nothing,
        }
    }

    #[inline(never)]
    fn open_range(known: &Known) -> State {
        if Short::push(known.name) { State::Open } else { State::Nothing }
    }

    #[inline(never)]
    fn open_whole(&mut self, geometry: Option<Geometry>) -> State {
        #[cfg(feature = "kernels")]
        crate::here::leave();
        let Some(launch) = self.whole() else { return State::Nothing };
        if let Some(name) = launch.range_alone() {
            return if Short::push(name) { State::Open } else { State::Nothing };
        }
        if let Some(geometry) = geometry {
            *launch.geometry() = geometry;
        }
        if launch.open() {
            return State::Whole;
        }
        self.0 = Kept::Nothing;
        State::Nothing
    }

    /// Right after it, or where it is left.
    #[cold]
    #[inline(never)]
    pub(super) fn close(&mut self, state: State, outcome: Outcome) {
        if state == State::Open {
            Short::pop();
        } else {
            self.close_others(state, outcome);
        }
    }

    #[inline(never)]
    fn close_others(&mut self, state: State, outcome: Outcome) {
        match state {
            State::LeftOut => self.take_back(),
            State::Whole => self.close_whole(outcome),
            State::Nothing | State::Range | State::Open => {}
        }
    }

    #[inline(never)]
    fn take_back(&mut self) {
        if let Kept::Short(known) = self.0 {
            Short::take_back(known);
        }
    }

    #[inline(never)]
    fn close_whole(&mut self, outcome: Outcome) {
        #[cfg(feature = "kernels")]
        crate::here::leave();
        if let Some(launch) = self.whole() {
            launch.close(outcome);
            self.0 = Kept::Nothing;
        }
    }
}
