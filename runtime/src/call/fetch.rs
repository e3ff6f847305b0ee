//! The hook around what makes a builder that is launched later.

use crate::entry::Entry;
#[cfg(feature = "kernels")]
use crate::session::Active;
use crate::site::{Instance, Site};

/// Whether it matters which launch a kernel is fetched for.
#[inline]
#[must_use]
pub fn fetches() -> bool {
    #[cfg(feature = "kernels")]
    let fetches = Active::load().symbols();
    #[cfg(not(feature = "kernels"))]
    let fetches = false;
    fetches
}

/// What is fetched from the line `from` on is for a launch at `site`.
#[cold]
pub fn fetch_for(site: &'static Site, instance: Instance, entry: &Entry, from: u32) {
    #[cfg(feature = "kernels")]
    crate::here::build(site, instance, entry.variant(), from);
    #[cfg(not(feature = "kernels"))]
    let _ = (site, instance, entry, from);
}
