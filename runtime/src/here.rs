//! The site that a thread is about to launch at: what it fetches meanwhile is for that launch.

use std::cell::Cell;
use std::panic::Location;

use crate::name::{Name, Variant};
use crate::site::{Instance, Site};

/// A launch whose receiver and arguments are being evaluated.
#[derive(Clone, Copy)]
struct Here {
    site: &'static Site,
    instance: Instance,
    variant: Variant,
}

thread_local! {
    static HERE: Cell<Option<Here>> = const { Cell::new(None) };
}

/// A launch's expression spans so many lines and no more. One that was left early, by `?` or in a task that went on on
/// another thread, is forgotten at the next launch; until then only what stands so near may be taken for its own.
const LINES: u32 = 64;

/// From here on, what the thread fetches is for a launch at `site`.
pub(crate) fn enter(site: &'static Site, instance: Instance) {
    HERE.set(Some(Here { site, instance, variant: Variant::None }));
}

/// What the name of that launch depends on beside.
pub(crate) fn vary(variant: Variant) {
    HERE.set(HERE.get().map(|here| Here { variant, ..here }));
}

/// From here on it is not.
pub(crate) fn leave() {
    HERE.set(None);
}

/// The name of the launch whose expression the place is in, if that is known.
pub(crate) fn around(place: &Location<'_>) -> Option<&'static Name> {
    let here = HERE.get()?;
    let (from, to) = (place.line(), here.site.line());
    let is_near = (to.saturating_sub(LINES)..=to).contains(&from);
    (is_near && here.site.is_in(place.file())).then(|| here.site.name(here.instance, here.variant))
}
