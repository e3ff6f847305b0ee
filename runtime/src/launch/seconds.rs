//! Which launches of a graph are those of its second executable.

use std::sync::Arc;

use super::open::{Inside, Open};
use super::thread;
use crate::collector::Request;
use crate::device::graph::{Graph, Unfit};
use crate::lane::Place;
use crate::nodes::{STRIDE, Second};
use crate::sampling::Rule;

/// What a graph has for being timed inside: kept with the graph, of which there is one owner.
#[derive(Debug, Default)]
pub(crate) struct Seconds {
    second: Option<Arc<Second>>,
    /// What it is of; another graph has another.
    of: Option<Graph>,
    /// Launches since the last of the second executable.
    since: u32,
}

impl Seconds {
    /// Launches the second executable in the place of the graph, where one is due and can be launched. Whoever launches the
    /// graph otherwise is to do so where this says false: nothing was launched then.
    pub(super) fn launch(&mut self, open: &mut Open) -> bool {
        let Some(Inside { place, stream, graph }) = open.times_nodes() else { return false };
        let Some(second) = self.second.as_ref().filter(|_| self.of == Some(graph)) else { return false };
        self.since = self.since.saturating_add(1);
        if self.since < second.stride() || second.place != place {
            return false;
        }
        let life = thread::with(Some(place), |sender, _| sender.life()).flatten();
        let Some(executable) = second.take() else { return false };
        // That of another life of the context is gone.
        let launched =
            life == Some(second.life) && place.device.graphs().launch(executable, place.stream(stream)).is_ok();
        if launched {
            open.is_launched_by(second.number);
            self.since = 0;
        } else {
            second.end();
        }
        launched
    }

    /// Behind a launch: has the second executable made, the first time. The graph is there, and nobody changes it meanwhile.
    pub(super) fn prepare(&mut self, Inside { place, graph, .. }: Inside) {
        if self.of != Some(graph) {
            *self = Self { second: request(place, graph), of: Some(graph), since: 0 };
        }
    }
}

/// Copies the graph and hands the copy to the collector.
#[cold]
fn request(place: Place, graph: Graph) -> Option<Arc<Second>> {
    let requested = thread::with(Some(place), |_, session| {
        let stride = session.rule.as_ref().and_then(Rule::stride_of_nodes).unwrap_or(STRIDE);
        let entered = place.device.enter(place.context).map_err(Unfit::from);
        let copied = entered.and_then(|()| place.device.graphs().copy(graph)).and_then(|copied| {
            // The collector lets go of it.
            let held = place.device.hold(place.context).inspect_err(|_| place.device.graphs().destroy(copied.graph));
            Ok((Arc::new(Second::new(place, held?, stride)), copied))
        });
        let second = copied.as_ref().ok().map(|(second, _)| Arc::clone(second));
        session.collector.request(Request { graph: graph.graph, place, copied });
        second
    });
    requested.flatten()
}
