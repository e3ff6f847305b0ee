//! What a launching thread knows of the graphs that it replays.

use std::sync::atomic::{AtomicU64, Ordering};

use super::open::What;
use super::thread;
use crate::collector::Request;
use crate::device::graph::{Graph, Unfit};
use crate::lane::{Place, Replayed};

/// Captured launches so far, by what their graphs' handles have in common: a graph that was looked at before may be another by
/// now, at the same place.
static CAPTURED: [AtomicU64; 64] = [const { AtomicU64::new(0) }; 64];

fn captures_of(graph: u64) -> &'static AtomicU64 {
    static OTHER: AtomicU64 = AtomicU64::new(0);
    // Handles are addresses of aligned objects: a product with a large odd number has all their bits in its upper ones.
    let mixed = graph.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58;
    usize::try_from(mixed).ok().and_then(|at| CAPTURED.get(at)).unwrap_or(&OTHER)
}

/// Graphs that a thread keeps in mind.
const MOST: usize = 64;

/// A launch was captured into the graph.
pub(super) fn note_capture(graph: u64) {
    captures_of(graph).fetch_add(1, Ordering::Relaxed);
}

/// What a thread knows of graphs, the last ones that it replayed.
#[derive(Debug)]
pub(super) struct Replays {
    known: Vec<Known>,
}

#[derive(Clone, Copy, Debug)]
struct Known {
    graph: Graph,
    kernels: Option<u32>,
    /// Its count of [`CAPTURED`], when that was looked up.
    as_of: u64,
}

impl Replays {
    pub(super) const fn new() -> Self {
        Self { known: Vec::new() }
    }

    /// What is known of `graph`, and whether that is new: looked up once, and again when it may have been captured anew.
    #[inline]
    fn of(&mut self, graph: Graph, place: Place) -> (Known, bool) {
        let as_of = captures_of(graph.graph).load(Ordering::Relaxed);
        match self.known.iter().find(|known| known.graph == graph) {
            Some(&known) if known.as_of == as_of => (known, false),
            _ => (self.look_up(Known { graph, kernels: None, as_of }, place), true),
        }
    }

    #[cold]
    fn look_up(&mut self, known: Known, place: Place) -> Known {
        let kernels = place.device.graphs().kernels(known.graph.graph).ok();
        let known = Known { kernels, ..known };
        self.known.retain(|other| other.graph != known.graph);
        if self.known.len() >= MOST {
            self.known.remove(0);
        }
        self.known.push(known);
        known
    }
}

/// The graph that is about to be launched.
pub(super) fn look(what: &What) -> Replayed {
    let (Some(graph), Some(seen)) = (what.graph, what.seen) else { return Replayed::UNKNOWN };
    let (known, is_new) = thread::with_replays(|replays| replays.of(graph, seen.place)).unzip();
    if is_new.unwrap_or(false) && what.active.times_nodes() && !what.kept {
        let (graph, place) = (graph.graph, seen.place);
        thread::with(Some(place), |_, session| {
            session.collector.request(Request { graph, place, copied: Err(Unfit::Owned) });
        });
    }
    Replayed::new(graph.graph, known.and_then(|known| known.kernels))
}
