//! The hooks that an expansion puts around a launch call.
//!
//! Each is a plain function that gives its value back as it came. What they have to do is decided by types, when the
//! program is compiled: on a call that only looks like a launch all of it folds away.

use std::marker::PhantomData;

use crate::form::{self, Geometry, Part};
use crate::launch::{Begun, Outcome};
use crate::session::Active;
use crate::site::{Instance, Site};

/// What follows one launch from its start to its end. Sound to hold across an `.await`: nothing is open then.
#[derive(Debug, Default)]
pub struct Call {
    launch: Begun,
}

// A future that holds one between two polls stays `Send` where it was.
const _: () = {
    const fn is_send<T: Send>() {}
    is_send::<Call>();
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

impl Call {
    /// Before anything of the call is evaluated.
    #[inline]
    #[must_use]
    pub fn new() -> Self {
        Self { launch: Begun::Nothing }
    }

    /// Whether it is worth looking for the stream: it matters, and nothing has told it.
    #[inline]
    #[must_use]
    pub fn looks(&self) -> bool {
        self.launch.looks()
    }

    /// Where the launch goes, if something told.
    #[inline]
    pub fn see(&mut self, seen: Option<form::Seen>) {
        if let (Some(launch), Some(seen)) = (self.launch.launch(), seen) {
            launch.see(seen);
        }
    }

    #[cold]
    #[inline(never)]
    fn begin(&mut self, site: &'static Site, instance: Instance, active: Active) {
        self.launch.begin(site, instance, active);
    }

    #[cold]
    #[inline(never)]
    fn open(&mut self, geometry: Option<Geometry>) {
        self.launch.open(geometry);
    }

    #[cold]
    #[inline(never)]
    fn close(&mut self, outcome: Outcome) {
        self.launch.close(outcome);
    }
}

impl Drop for Call {
    /// Only a launch that panicked leaves anything open: every other way out goes through [`done`].
    #[inline]
    fn drop(&mut self) {
        if self.launch.is_something() {
            self.close(Outcome::Panicked);
        }
    }
}

/// First of all. `R` is the type of the call's value: where no launch returns such a type, nothing is left of this.
#[inline]
#[must_use]
pub fn start<R>(call: &mut Call, site: &'static Site, instance: Instance) -> Start<R> {
    started(call, site, instance, form::is_result::<R>())
}

/// Around a receiver that is a value, such as the end of a chain.
#[inline]
pub fn recv<T>(call: &mut Call, value: T) -> T {
    if call.looks() {
        call.see(form::seen_in(&value));
    }
    value
}

/// Around the last argument: evaluated behind the receiver and the other arguments, right before the call.
#[inline]
pub fn arg<T>(call: &mut Call, value: T) -> T {
    if call.launch.is_something()
        && let Some(geometry) = form::geometry(&value)
    {
        call.open(Some(geometry));
    }
    value
}

/// First of all, in front of a call of the driver, whose status bindings declare as they like.
#[inline]
#[must_use]
pub fn start_driver<R>(call: &mut Call, site: &'static Site, instance: Instance) -> Start<R> {
    started(call, site, instance, form::is_status::<R>())
}

/// First of all, in front of a call of a function with a name of cudarc's.
#[inline]
#[must_use]
pub fn start_cudarc<R>(call: &mut Call, site: &'static Site, instance: Instance) -> Start<R> {
    started(call, site, instance, form::is_cudarcs_status::<R>())
}

/// First of all, in front of a call of the runtime library.
#[inline]
#[must_use]
pub fn start_runtime<R>(call: &mut Call, site: &'static Site, instance: Instance) -> Start<R> {
    started(call, site, instance, form::is_runtimes_status::<R>())
}

#[inline]
fn started<R>(call: &mut Call, site: &'static Site, instance: Instance, may_launch: bool) -> Start<R> {
    if may_launch {
        let active = Active::load();
        if !active.is_nothing() {
            call.begin(site, instance, active);
        }
    }
    Start(PhantomData)
}

/// Around an argument of a call of the driver that tells something of the launch.
#[inline]
pub fn part<T>(call: &mut Call, part: Part, value: T) -> T {
    let Some(launch) = call.launch.launch() else { return value };
    if !matches!(part, Part::Stream | Part::RuntimeStream) {
        form::measure(launch.geometry(), part, &value);
    } else if launch.looks()
        && let Some(seen) = form::stream_in(part, &value)
    {
        launch.see(seen);
    }
    value
}

/// Around the last argument of a call of the driver, right before the call.
#[inline]
pub fn last<T>(call: &mut Call, kind: Part, value: T) -> T {
    let value = part(call, kind, value);
    if call.launch.is_something() {
        call.open(None);
    }
    value
}

/// Around the call: takes its value and gives it back.
#[inline]
pub fn done<R>(_: Start<R>, _seen: (), value: R, call: &mut Call) -> R {
    if call.launch.is_something() {
        let launched = form::is_ok(&value);
        call.close(if launched { Outcome::Launched } else { Outcome::Failed });
    }
    value
}
