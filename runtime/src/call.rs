//! The hooks that an expansion puts around a launch call.
//!
//! Each is a plain function that gives its value back as it came. What they have to do is decided by types, when the
//! program is compiled: on a call that only looks like a launch all of it folds away.

mod fetch;
mod graph;

use std::marker::PhantomData;
use std::panic::{RefUnwindSafe, UnwindSafe};

pub use fetch::{fetch_for, fetches};
pub use graph::{done_graph, recv_graph};

use crate::entry::Entry;
use crate::form::{self, Geometry, Part};
use crate::launch::{Launch, LeftOut, Outcome};
use crate::session::Active;
use crate::site::{Instance, Site};

/// What follows one launch from its start to its end. Sound to hold across an `.await`: nothing is open then.
///
/// Whether there is anything to do is asked once, and is kept apart from what there is: nothing else has the address of
/// this, so that the answer stays in a register from one hook to the next.
#[derive(Debug)]
pub struct Call<'s> {
    on: bool,
    /// The arguments are evaluated inside the window: leaving from there is no launch.
    around: bool,
    slot: &'s mut Slot,
}

/// Where a launch is kept while it is made.
#[derive(Debug, Default)]
pub struct Slot(Option<Launch>, Option<LeftOut>);

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

impl Slot {
    /// Nothing is launched.
    #[inline]
    #[must_use]
    pub fn new() -> Self {
        Self(None, None)
    }

    #[cold]
    #[inline(never)]
    fn looks(&mut self) -> bool {
        self.0.as_mut().is_some_and(Launch::looks)
    }

    #[cold]
    #[inline(never)]
    fn see(&mut self, seen: Option<&form::Seen>) {
        if let (Some(launch), Some(seen)) = (&mut self.0, seen) {
            launch.see(*seen);
        }
    }

    #[cold]
    #[inline(never)]
    fn begin(&mut self, site: &'static Site, instance: Instance, active: Active) -> bool {
        // Whoever has a kernel with symbols has settled what is asked for.
        #[cfg(feature = "kernels")]
        if active.symbols() {
            crate::here::enter(site, instance);
        }
        self.1 = LeftOut::of(site, instance, active);
        if self.1.is_some() {
            return true;
        }
        Launch::begin(&mut self.0, site, instance, active);
        self.0.is_some()
    }

    #[cold]
    #[inline(never)]
    fn open(&mut self, geometry: Option<Geometry>) {
        #[cfg(feature = "kernels")]
        crate::here::leave();
        if let Some(left_out) = self.1.take() {
            left_out.count();
        } else if let Some(launch) = &mut self.0 {
            if let Some(geometry) = geometry {
                *launch.geometry() = geometry;
            }
            if !launch.open() {
                self.0 = None;
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn close(&mut self, outcome: Outcome) {
        #[cfg(feature = "kernels")]
        crate::here::leave();
        if let Some(launch) = &mut self.0 {
            launch.close(outcome);
            self.0 = None;
        }
    }
}

impl<'s> Call<'s> {
    /// Before anything of the call is evaluated.
    #[inline]
    #[must_use]
    pub fn new(slot: &'s mut Slot) -> Self {
        Self { on: false, around: false, slot }
    }

    /// Whether it is worth looking for the stream: it matters, and nothing has told it.
    #[inline]
    #[must_use]
    pub fn looks(&mut self) -> bool {
        self.on && self.slot.looks()
    }

    /// Where the launch goes, if something told.
    #[inline]
    pub fn see(&mut self, seen: Option<form::Seen>) {
        self.slot.see(seen.as_ref());
    }

    /// Before a call whose arguments are out of reach.
    #[inline]
    pub fn around(&mut self, kernel: &'static str, site: &'static Site, instance: Instance, entry: &Entry) {
        self.around = true;
        if self.enters(site, instance, entry) {
            if let Some(launch) = self.slot.0.as_mut().filter(|_| !kernel.is_empty()) {
                launch.launches(kernel);
            }
            self.slot.open(None);
        }
    }

    /// Behind such a call.
    #[inline]
    pub fn settle(&mut self, is_ok: impl FnOnce() -> bool) {
        if self.is_over() {
            self.slot.close(if is_ok() { Outcome::Launched } else { Outcome::Failed });
        }
    }

    #[inline]
    fn begin(&mut self, site: &'static Site, instance: Instance) {
        let active = Active::load();
        if !active.is_nothing() {
            self.on = self.slot.begin(site, instance, active);
        }
    }

    /// Whether there is anything to close. There is not any more from here on, which is said in either case: so the
    /// optimiser knows that nothing is left for [`drop`](Drop::drop), and does not ask again.
    #[inline]
    fn is_over(&mut self) -> bool {
        std::mem::replace(&mut self.on, false)
    }
}

impl Drop for Call<'_> {
    /// Only a launch that panicked leaves anything open: every other way out goes through [`done`]. Where the arguments
    /// are inside the window, nothing tells a launch that panicked from one that was not made.
    #[inline]
    fn drop(&mut self) {
        if self.is_over() {
            self.slot.close(if self.around { Outcome::Left } else { Outcome::Panicked });
        }
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
    if call.looks() {
        call.see(form::seen_in(&value));
    }
    value
}

/// Around the last argument: evaluated behind the receiver and the other arguments, right before the call.
#[inline]
pub fn arg<T>(call: &mut Call<'_>, value: T) -> T {
    if call.on
        && let Some(geometry) = form::geometry(&value)
    {
        call.slot.open(Some(geometry));
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
    if !call.on {
        return;
    }
    #[cfg(feature = "kernels")]
    crate::here::vary(entry.variant());
    if let Some(launch) = &mut call.slot.0 {
        launch.enter(entry);
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
    if call.on
        && let Some(launch) = &mut call.slot.0
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
    if call.on {
        call.slot.open(None);
    }
    value
}

/// Around the call: takes its value and gives it back.
#[inline]
pub fn done<R>(_: Start<R>, _seen: (), value: R, call: &mut Call<'_>) -> R {
    if call.is_over() {
        call.slot.close(if form::is_ok(&value) { Outcome::Launched } else { Outcome::Failed });
    }
    value
}
