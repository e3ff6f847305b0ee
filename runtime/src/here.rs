//! The site that a thread is about to launch at: what it fetches meanwhile is for that launch.

use std::cell::Cell;
use std::panic::Location;

use crate::name::{Name, Variant};
use crate::site::{Instance, Site};

/// A launch that is not made yet.
#[derive(Clone, Copy)]
struct Here {
    site: &'static Site,
    instance: Instance,
    variant: Variant,
    /// The first line of what is for it; the last is the launch's own.
    from: u32,
}

thread_local! {
    static HERE: Cell<Option<Here>> = const { Cell::new(None) };
}

/// The lines that a launch's expression spans, and room for more. One that was left early, by `?` or by a task that went on
/// on another thread, is forgotten at the thread's next launch; until then only what stands so near may be taken for its own.
const LINES: u32 = 256;

/// The receiver and the arguments of a launch are evaluated: what the thread fetches meanwhile is for it.
pub(crate) fn enter(site: &'static Site, instance: Instance) {
    build(site, instance, Variant::None, site.line().saturating_sub(LINES));
}

/// What the name of that launch depends on beside.
pub(crate) fn vary(variant: Variant) {
    HERE.set(HERE.get().map(|here| Here { variant, ..here }));
}

/// A builder is made in the line `from`, which is launched later: what is fetched between is for that launch.
pub(crate) fn build(site: &'static Site, instance: Instance, variant: Variant, from: u32) {
    HERE.set(Some(Here { site, instance, variant, from }));
}

/// The launch is being made.
pub(crate) fn leave() {
    HERE.set(None);
}

/// The name of the launch that what is fetched at the place is for, if that is known.
pub(crate) fn around(place: &Location<'_>) -> Option<&'static Name> {
    let here = HERE.get()?;
    let stands_in_it = (here.from..=here.site.line()).contains(&place.line()) && here.site.is_in(place.file());
    // What a function with `#[track_caller]` fetches, its caller fetches.
    let is_called_there = here.variant.caller().is_some_and(|caller| caller == place);
    (stands_in_it || is_called_there).then(|| here.site.name(here.instance, here.variant))
}
