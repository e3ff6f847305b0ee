//! The hooks that an expansion puts around a launch call.
//!
//! Each is a plain function that gives its value back as it came. What they have to do is decided by types, when the
//! program is compiled: on a call that only looks like a launch all of it folds away.

mod fetch;
mod graph;
mod slot;

use std::marker::PhantomData;
use std::panic::{RefUnwindSafe, UnwindSafe};

pub use fetch::{fetch_for, fetches};
pub use graph::{done_graph, recv_graph};
pub use slot::Slot;

use crate::entry::Entry;
use crate::form::{self, Looking as _, Part};
use crate::launch::{Launch, Outcome};
use crate::session::Active;
use crate::site::{Instance, Site};
use slot::State;

/// What follows one launch from its start to its end. Sound to hold across an `.await`: nothing is open then.
///
/// Whether there is anything to do is asked once, and is kept apart from what there is: nothing else has the address of
/// this, so that the answer stays in a register from one hook to the next.
#[derive(Debug)]
pub struct Call<'s> {
    state: State,
    slot: &'s mut Slot,
}

// What is open is closed on every way out, an unwinding one too.
impl UnwindSafe for Call<'_> {}
impl UnwindSafe for Slot {}
impl RefUnwindSafe for Slot {}

// A future that holds one between two polls stays what it was.
const _: () = {
    const fn is_plain<T: Send + Sync + UnwindSafe + RefUnwindSafe + Unpin>() {}
    is_plain::<Call<'_>>();
    is_plain::<Slot>();
};

/// Carries the type of the call's value, so that it is known before the call is made.
#[derive(Debug)]
pub struct Start<R>(PhantomData<fn() -> R>);

/// The `type_name` of a closure made in the annotated function: unlike that of a function in it, it carries the types
/// that the function was instantiated with.
#[inline]
#[must_use]
pub fn instance<F: Fn()>(_: &F) -> Instance {
    std::any::type_name::<F>
}

impl<'s> Call<'s> {
    /// Before anything of the call is evaluated.
    #[inline]
    #[must_use]
    pub fn new(slot: &'s mut Slot) -> Self {
        Self { state: State::Nothing, slot }
    }

    /// Who looks for the stream, if there is anything to record. Whether it is worth it is asked of them.
    #[inline]
    #[must_use]
    pub fn looking(&mut self) -> Option<&mut Slot> {
        (self.state == State::Whole).then_some(&mut *self.slot)
    }

    /// Before a call whose arguments are out of reach: they are evaluated inside the window.
    #[inline]
    #[must_use]
    pub fn around(
        &mut self,
        kernel: &'static str,
        site: &'static Site,
        instance: Instance,
        entry: &Entry,
    ) -> Around<'_, 's> {
        if self.enters(site, instance, entry) {
            if let Some(launch) = self.slot.whole().filter(|_| !kernel.is_empty()) {
                launch.launches(kernel);
            }
            self.open();
        }
        Around(self)
    }

    #[inline]
    fn begin(&mut self, site: &'static Site, instance: Instance) {
        // In the condition of a loop, an argument may have gone on to the next round.
        self.close(|| Outcome::Left);
        let active = Active::load();
        if !active.is_nothing() {
            self.state = self.slot.begin(site, instance, active);
        }
    }

    #[inline]
    fn is_on(&self) -> bool {
        self.state != State::Nothing
    }

    /// Right before the call, where there is nothing more to be told of it.
    #[inline]
    fn open(&mut self) {
        self.state = if self.state >= State::Range { self.slot.open(None) } else { State::Nothing };
    }

    /// There is nothing to close any more from here on, which is said in either case: so the optimiser knows that nothing is
    /// left for [`drop`](Drop::drop), and does not ask again.
    #[inline]
    fn close(&mut self, outcome: impl FnOnce() -> Outcome) {
        let state = std::mem::replace(&mut self.state, State::Nothing);
        if state != State::Nothing {
            self.slot.close(state, outcome());
        }
    }
}

impl Drop for Call<'_> {
    /// Only a launch that panicked leaves anything open: every other way out goes through [`done`].
    #[inline]
    fn drop(&mut self) {
        self.close(|| Outcome::Panicked);
    }
}

/// Around a call whose arguments are evaluated inside the window.
#[derive(Debug)]
pub struct Around<'c, 's>(&'c mut Call<'s>);

impl Around<'_, '_> {
    /// Around the call: takes its value and gives it back.
    #[inline]
    pub fn settle<R>(self, value: R, is_ok: impl FnOnce(&R) -> bool) -> R {
        self.0.close(|| if is_ok(&value) { Outcome::Launched } else { Outcome::Failed });
        value
    }
}

impl Drop for Around<'_, '_> {
    /// On every way out of the arguments, at once. Nothing tells a launch that panicked from one that was not made.
    #[inline]
    fn drop(&mut self) {
        self.0.close(|| Outcome::Left);
    }
}

/// First of all. `R` is the type of the call's value: where no launch returns such a type, nothing is left of this.
#[inline]
#[must_use]
pub fn start<R>(call: &mut Call<'_>, site: &'static Site, instance: Instance) -> Start<R> {
    started(call, site, instance, form::is_result::<R>())
}

/// Around a receiver that is a value, such as the end of a chain.
#[inline]
pub fn recv<T>(call: &mut Call<'_>, value: T) -> T {
    if let Some(slot) = call.looking()
        && slot.looks()
        && let Some(seen) = form::seen_in(&value)
    {
        slot.see(&seen);
    }
    value
}

/// Around the last argument: evaluated behind the receiver and the other arguments, right before the call.
#[inline]
pub fn arg<T>(call: &mut Call<'_>, value: T) -> T {
    if form::is_config::<T>() {
        // A copy, so that nothing has the address of the argument itself, which may stay in registers.
        call.state = if call.state >= State::Range { call.slot.open(form::geometry(&value)) } else { State::Nothing };
    }
    value
}

/// First of all, in front of a call of the driver, whose status bindings declare as they like.
#[inline]
#[must_use]
pub fn start_driver<R>(call: &mut Call<'_>, site: &'static Site, instance: Instance) -> Start<R> {
    started(call, site, instance, form::is_status::<R>())
}

/// First of all, in front of a call of a function with a name of cudarc's.
#[inline]
#[must_use]
pub fn start_cudarc<R>(call: &mut Call<'_>, site: &'static Site, instance: Instance) -> Start<R> {
    started(call, site, instance, form::is_cudarcs_status::<R>())
}

/// First of all, in front of a call of the runtime library.
#[inline]
#[must_use]
pub fn start_runtime<R>(call: &mut Call<'_>, site: &'static Site, instance: Instance) -> Start<R> {
    started(call, site, instance, form::is_runtimes_status::<R>())
}

#[inline]
fn started<R>(call: &mut Call<'_>, site: &'static Site, instance: Instance, may_launch: bool) -> Start<R> {
    if may_launch {
        call.begin(site, instance);
    }
    Start(PhantomData)
}

/// Behind the start: what was noted at the function's entry.
#[inline]
pub fn enter(call: &mut Call<'_>, entry: &Entry) {
    if call.is_on() {
        // A copy, so that nothing has the address of what was noted where there is nothing to do.
        let entry = *entry;
        call.state = call.slot.enter(call.state, &entry);
    }
}

/// Around a call that is left as it is, with a look at one of its parts in front.
#[inline]
pub fn beside<R>(_seen: (), value: R) -> R {
    value
}

/// Around an argument of a call of the driver that tells something of the launch.
#[inline]
pub fn part<T>(call: &mut Call<'_>, part: Part, value: T) -> T {
    if call.state == State::Whole
        && let Some(launch) = call.slot.whole()
    {
        told(launch, part, &value);
    }
    value
}

#[cold]
fn told<T>(launch: &mut Launch, part: Part, value: &T) {
    match part {
        Part::Config => {
            let Some((geometry, seen)) = form::config_in(value) else { return };
            *launch.geometry() = geometry;
            if let Some(seen) = seen.filter(|_| launch.looks()) {
                launch.see(seen);
            }
        }
        Part::Stream | Part::RuntimeStream if launch.looks() => {
            if let Some(seen) = form::stream_in(part, value) {
                launch.see(seen);
            }
        }
        _ => form::measure(launch.geometry(), part, value),
    }
}

/// Around the last argument of a call of the driver, right before the call.
#[inline]
pub fn last<T>(call: &mut Call<'_>, kind: Part, value: T) -> T {
    let value = part(call, kind, value);
    call.open();
    value
}

/// Around the call: takes its value and gives it back.
#[inline]
pub fn done<R>(_: Start<R>, _seen: (), value: R, call: &mut Call<'_>) -> R {
    call.close(|| if form::is_ok(&value) { Outcome::Launched } else { Outcome::Failed });
    value
}
