//! A graph's launch that no expansion stands around.

use super::open::{Open, What};
use super::{Outcome, Seconds};
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
            Some(Open::begin(What {
                active,
                name,
                entered,
                seen,
                fields: Fields::NONE,
                kernel: None,
                geometry,
                graph,
                kept: true,
            }))
        });
        Self(begun.flatten())
    }

    /// Launches the graph's second executable in its place, where that is due; whether it did.
    pub(crate) fn launch_second(&mut self, seconds: &mut Seconds) -> bool {
        let launched = self.0.as_mut().and_then(|open| own(|| seconds.launch(open)));
        launched.unwrap_or(false)
    }

    /// Right after it.
    pub(crate) fn end(self, outcome: Outcome, seconds: &mut Seconds) {
        let Some(open) = self.0 else { return };
        own(|| {
            let nodes = open.times_nodes().filter(|_| outcome == Outcome::Launched);
            open.close(outcome);
            if let Some(nodes) = nodes {
                seconds.prepare(nodes);
            }
        });
    }
}
