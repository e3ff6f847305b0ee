//! What went into which graph: captured launches are kept by the graph that they went into, and a replay is known by it.

use std::collections::HashMap;
use std::rc::Rc;

use crate::lane::Place;
use crate::name::Name;
use crate::record::{Graph, GraphSite};

/// Graphs that are kept. A program that captures again and again leaves those behind that it destroyed: nothing tells of that,
/// but that another has the same place.
const MOST: usize = 4096;

/// The graphs of all devices.
#[derive(Debug, Default)]
pub(super) struct Graphs {
    known: HashMap<Key, Known>,
    /// Counts what happens to graphs: when each was last in use.
    clock: u64,
    /// The number that the next graph has.
    next: u32,
}

/// The device, and the graph's handle.
type Key = (usize, u64);

#[derive(Debug, Default)]
struct Known {
    /// The capture that it was made by: another one's graph may have had the same handle.
    capture: Option<u32>,
    /// Launches by the nodes that they became; 0 where that is not known.
    launches: Vec<(u64, &'static Name)>,
    /// As it was told of, with how many kernels the device says it has.
    told: Option<Rc<Graph>>,
    nodes_reason: Option<String>,
    used: u64,
}

fn key(place: Place, graph: u64) -> Key {
    (std::ptr::from_ref(place.device).cast::<()>().addr(), graph)
}

impl Graphs {
    /// A launch of `name` became the node of a graph.
    pub(super) fn captured(&mut self, place: Place, graph: u64, capture: u32, launches: &[(u64, &'static Name)]) {
        let known = self.of(key(place, graph));
        if known.capture != Some(capture) {
            *known = Known { capture: Some(capture), used: known.used, ..Known::default() };
        }
        known.told = None;
        known.launches.extend(launches);
    }

    /// What went into a graph that is itself put into another: what it has inside are no nodes of the other.
    pub(super) fn inside(&self, place: Place, graph: u64) -> Vec<(u64, &'static Name)> {
        let launches = self.known.get(&key(place, graph)).map(|known| known.launches.as_slice());
        launches.unwrap_or_default().iter().map(|&(_, name)| (0, name)).collect()
    }

    /// The site that launched what became `node` of the graph.
    pub(super) fn site(&self, place: Place, graph: u64, node: u64) -> Option<&'static Name> {
        let known = self.known.get(&key(place, graph))?;
        known.launches.iter().find(|&&(of, _)| of == node && of != 0).map(|&(_, name)| name)
    }

    /// The graph of a replay, which has so many kernels; and whether it is to be told of.
    pub(super) fn replayed(&mut self, place: Place, graph: u64, kernels: Option<u32>) -> (Rc<Graph>, bool) {
        let number = self.next;
        let known = self.of(key(place, graph));
        if let Some(told) = known.told.as_ref().filter(|told| told.kernels == kernels) {
            return (Rc::clone(told), false);
        }
        let told = Rc::new(Graph {
            graph: number,
            device: place.ordinal,
            kernels,
            nodes_reason: known.nodes_reason.clone(),
            sites: sites(&known.launches),
        });
        known.told = Some(Rc::clone(&told));
        self.next += 1;
        (told, true)
    }

    /// The kernels of the graph are not timed.
    pub(super) fn is_unfit(&mut self, place: Place, graph: u64, why: String) {
        let known = self.of(key(place, graph));
        known.told = None;
        known.nodes_reason = Some(why);
    }

    fn of(&mut self, key: Key) -> &mut Known {
        self.clock += 1;
        if self.known.len() >= MOST && !self.known.contains_key(&key) {
            let oldest = self.known.iter().min_by_key(|(_, known)| known.used).map(|(&key, _)| key);
            oldest.map(|oldest| self.known.remove(&oldest));
        }
        let known = self.known.entry(key).or_default();
        known.used = self.clock;
        known
    }
}

/// The sites, in the order in which they were captured first.
fn sites(launches: &[(u64, &'static Name)]) -> Vec<GraphSite> {
    let mut sites: Vec<(usize, GraphSite)> = Vec::new();
    for (_, name) in launches {
        match sites.iter_mut().find(|(index, _)| *index == name.index) {
            Some((_, site)) => site.kernels += 1,
            None => sites.push((name.index, GraphSite { label: &name.label, kernels: 1 })),
        }
    }
    sites.into_iter().map(|(_, site)| site).collect()
}

#[cfg(test)]
mod tests {
    use super::Graphs;
    use crate::device::host::Host;
    use crate::lane::Place;
    use crate::name::Name;

    fn place() -> Place {
        let host = Host::new();
        Place { device: host.device(), context: host.context(), ordinal: 0 }
    }

    #[test]
    fn a_graph_at_the_place_of_another_is_another() {
        let (mut graphs, place) = (Graphs::default(), place());
        let [first, second] = [1, 2].map(Name::in_a_test);
        graphs.captured(place, 7, 1, &[(70, first)]);
        graphs.captured(place, 7, 1, &[(71, first)]);
        let (one, new) = graphs.replayed(place, 7, Some(2));
        assert!(new && one.sites.len() == 1 && one.sites[0].kernels == 2);
        assert!(!graphs.replayed(place, 7, Some(2)).1, "told of once");
        graphs.captured(place, 7, 2, &[(70, second)]);
        let (other, new) = graphs.replayed(place, 7, Some(1));
        assert!(new && other.graph != one.graph && other.sites[0].label.line == 2);
        assert_eq!(graphs.site(place, 7, 71).map(|name| name.index), None);
    }

    #[test]
    fn a_graph_of_which_nothing_was_seen_has_no_sites() {
        let (graph, new) = Graphs::default().replayed(place(), 9, Some(3));
        assert!(new && graph.sites.is_empty() && graph.kernels == Some(3));
    }

    #[test]
    fn graphs_that_are_kept_have_a_bound() {
        let (mut graphs, place, name) = (Graphs::default(), place(), Name::in_a_test(1));
        for graph in 1..10_000 {
            graphs.captured(place, graph, 1, &[(graph, name)]);
        }
        assert_eq!(graphs.known.len(), super::MOST);
        assert!(graphs.site(place, 1, 1).is_none() && graphs.site(place, 9_999, 9_999).is_some());
    }
}
