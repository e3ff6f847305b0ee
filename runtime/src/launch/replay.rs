//! A graph's launch that no expansion stands around.

use super::Outcome;
use super::open::{Open, What};
use crate::device::graph::Graph;
use crate::entry::Seen;
use crate::fields::Fields;
use crate::lane::Geometry;
use crate::name::Name;
use crate::own::own;
use crate::session::Active;
use crate::ticks;

/// One launch of a graph.
#[derive(Debug)]
pub(crate) struct Replay(Option<Open>);

impl Replay {
    /// Right before it.
    pub(crate) fn begin(name: &'static Name, seen: Option<Seen>, graph: Option<Graph>) -> Self {
        let begun = own(|| {
            let active = Active::load().settled().only(name.allowed);
            if active.is_nothing() {
                return None;
            }
            let entered = if active.records() { ticks::now() } else { 0 };
            let geometry = Geometry::UNKNOWN;
            Some(Open::begin(What { active, name, entered, seen, fields: Fields::NONE, kernel: None, geometry, graph }))
        });
        Self(begun.flatten())
    }

    /// Right after it.
    pub(crate) fn end(self, outcome: Outcome) {
        if let Some(open) = self.0 {
            own(|| open.close(outcome));
        }
    }
}
