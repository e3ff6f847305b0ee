//! Nodes of CUDA graphs, back to the launch that was captured.
//!
//! A graph that is instantiated or cloned has nodes of its own, each with the number of the node that it was copied
//! from. One node may have several rows: that it was made, and from which it was copied.

use std::collections::HashMap;

use super::{Process, Site};

#[derive(Debug, Default)]
pub(crate) struct Nodes(HashMap<(Process, i64), Node>);

#[derive(Clone, Copy, Debug, Default)]
struct Node {
    /// Which it was copied from.
    original: Option<i64>,
    /// Whose range was open when it was made.
    site: Option<Site>,
}

/// What is known of a node's beginning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Captured {
    /// Inside of a site's range.
    By(Site),
    /// Outside of all.
    Outside,
    /// The report does not have it: it may have begun later.
    Unknown,
}

/// More copies of copies than any program makes; what is longer is a circle, in a report that is damaged.
const STEPS: usize = 1 << 10;

impl Nodes {
    pub(super) fn add(&mut self, process: Process, node: i64, original: Option<i64>, site: Option<Site>) {
        let node = self.0.entry((process, node)).or_default();
        // Some versions write 0 for none.
        node.original = original.filter(|original| *original != 0).or(node.original);
        node.site = node.site.or(site);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn captured(&self, process: Process, node: i64) -> Captured {
        let mut node = node;
        for _ in 0..STEPS {
            match self.0.get(&(process, node)) {
                None => return Captured::Unknown,
                Some(Node { original: Some(original), .. }) => node = *original,
                Some(Node { original: None, site }) => return site.map_or(Captured::Outside, Captured::By),
            }
        }
        Captured::Unknown
    }
}
