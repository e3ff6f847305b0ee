//! Calls of CUDA inside of a site's range.

use std::collections::HashMap;

use super::{Process, Site};

/// By process, then by the number that a call and what it launched share.
#[derive(Debug, Default)]
pub(crate) struct Calls(HashMap<Process, Vec<(i64, Site)>>);

impl Calls {
    pub(super) fn add(&mut self, process: Process, correlation: i64, site: Site) {
        self.0.entry(process).or_default().push((correlation, site));
    }

    /// Has to come between the last [`add`](Self::add) and the first [`site`](Self::site). Does next to nothing where
    /// they are in order, as those of one thread are.
    pub(super) fn sort(&mut self) {
        for calls in self.0.values_mut() {
            calls.sort_by_key(|(correlation, _)| *correlation);
        }
    }

    /// The site that made a call.
    pub(crate) fn site(&self, process: Process, correlation: i64) -> Option<Site> {
        let calls = self.0.get(&process)?;
        let found = calls.binary_search_by_key(&correlation, |(correlation, _)| *correlation).ok()?;
        calls.get(found).map(|(_, site)| *site)
    }
}
