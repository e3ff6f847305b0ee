//! What a launching thread knows of the graphs that it replays.

use std::sync::atomic::{AtomicU64, Ordering};

use super::open::What;
use super::thread;
use crate::device::graph::Graph;
use crate::lane::{Place, Replayed};

/// Captured launches so far: a graph that was looked at before may be another by now, at the same place.
static CAPTURED: AtomicU64 = AtomicU64::new(0);

/// Graphs that a thread keeps in mind.
const MOST: usize = 64;

/// A launch was captured.
pub(super) fn note_capture() {
    CAPTURED.fetch_add(1, Ordering::Relaxed);
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
    /// [`CAPTURED`], when that was looked up.
    as_of: u64,
}

impl Replays {
    pub(super) const fn new() -> Self {
        Self { known: Vec::new() }
    }

    /// What is known of `graph`: looked up once, and again when something was captured since.
    #[inline]
    fn of(&mut self, graph: Graph, place: Place) -> Known {
        let as_of = CAPTURED.load(Ordering::Relaxed);
        match self.known.iter().find(|known| known.graph == graph) {
            Some(&known) if known.as_of == as_of => known,
            _ => self.look_up(Known { graph, kernels: None, as_of }, place),
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
    let known = thread::with_replays(|replays| replays.of(graph, seen.place));
    Replayed::new(graph.graph, known.and_then(|known| known.kernels))
}
