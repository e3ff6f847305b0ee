//! The ranges that are open on each thread, as time goes on.

use std::collections::{HashMap, HashSet};

use super::{Process, Site, Thread};

/// The name that launchsite gives its domain.
const OURS: &str = "launchsite";

/// Which domains are launchsite's. Their numbers are each process's own.
#[derive(Debug, Default)]
pub(super) struct Domains(HashSet<(Process, i64)>);

impl Domains {
    pub(super) fn made(&mut self, process: Process, domain: i64, name: Option<&str>) {
        if name == Some(OURS) {
            self.0.insert((process, domain));
        }
    }

    pub(super) fn is_ours(&self, process: Process, domain: i64) -> bool {
        self.0.contains(&(process, domain))
    }
}

#[derive(Debug, Default)]
pub(super) struct Ranges(HashMap<Thread, Vec<Range>>);

#[derive(Debug)]
struct Range {
    /// The last moment at which it is open.
    end: i64,
    site: Site,
}

impl Ranges {
    /// A range begins: inside of those that are open still.
    pub(super) fn open(&mut self, thread: Thread, start: i64, end: i64, site: Site) {
        let open = self.0.entry(thread).or_default();
        while open.pop_if(|range| range.end <= start).is_some() {}
        open.push(Range { end, site });
    }

    /// The site of the range that was opened last and is open at `at`, which no later question goes behind.
    pub(super) fn innermost(&mut self, thread: Thread, at: i64) -> Option<Site> {
        let open = self.0.get_mut(&thread)?;
        while open.pop_if(|range| range.end < at).is_some() {}
        open.last().map(|range| range.site)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Sites;
    use super::*;

    #[test]
    fn what_has_ended_is_not_kept_though_nobody_asks() {
        let (mut ranges, mut sites) = (Ranges::default(), Sites::default());
        let [outer, inner] = ["outer", "inner"].map(|name| sites.named(name));
        ranges.open(1, 0, 1_000_000, outer);
        (0..1000).for_each(|n| ranges.open(1, n * 10, n * 10 + 10, inner));
        assert_eq!(ranges.0.get(&1).map(Vec::len), Some(2));
        assert_eq!([9_995, 10_001].map(|at| ranges.innermost(1, at)), [Some(inner), Some(outer)]);
        assert_eq!((ranges.innermost(1, 1_000_001), ranges.innermost(2, 5)), (None, None));
    }
}
