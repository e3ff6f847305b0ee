//! Takes what threads hand over, so that what was captured is known before the graph's replays are told of.

use super::Worker;
use crate::collector::reader::Lane;
use crate::lane::{CAPACITY, Ending, Posted};
use crate::record::Kind;

impl Worker {
    /// Takes what was handed over, and tells of it; whether there was anything.
    ///
    /// A thread may capture a graph that another one launches. What it captured had been handed over before the launch was,
    /// but in another lane, which may have been looked at before: so behind a turn with such a launch all lanes are looked at
    /// once more, and launches of graphs that come in by that wait for the next turn.
    pub(super) fn take(&mut self, lanes: &mut Vec<Lane>) -> bool {
        let replays = self.take_once(lanes);
        let first: Vec<usize> = lanes.iter().map(|lane| lane.taken.len()).collect();
        if replays {
            self.take_once(lanes);
        }
        // Behind what was captured, which makes a graph another one, and in front of its launches, which say of what kind it is.
        for request in self.collector.copies.take() {
            self.second(request);
        }
        let mut news = false;
        for (lane, first) in lanes.iter_mut().zip(first.into_iter().chain(std::iter::repeat(0))) {
            let mut told = 0;
            while let Some(posted) = lane.taken.front()
                && (told < first || posted.name.kind != Kind::Graph)
            {
                let posted = *posted;
                lane.taken.pop_front();
                told += 1;
                self.launched(lane, posted);
            }
            news |= told > 0 || !lane.taken.is_empty();
        }
        news
    }

    /// Whether a graph's launch was among what was taken.
    fn take_once(&mut self, lanes: &mut Vec<Lane>) -> bool {
        lanes.extend(self.collector.arrivals.take().into_iter().map(Lane::new));
        let mut replays = false;
        for lane in lanes {
            // No more than a lane holds: a thread that goes on launching must not hold up the others.
            for _ in 0..CAPACITY {
                let Some(posted) = lane.receiver.take() else { break };
                self.note(lane, &posted);
                replays |= posted.name.kind == Kind::Graph;
                lane.taken.push_back(posted);
            }
        }
        replays
    }

    /// Notes what became part of a graph.
    fn note(&mut self, lane: &Lane, posted: &Posted) {
        let (Ending::Captured { graph, node, capture }, Some(place)) = (posted.ending, lane.receiver.target) else {
            return;
        };
        match posted.replayed() {
            None => self.graphs.captured(place, graph, capture, &[(node, posted.name)]),
            Some(child) => {
                let inside = child.graph().map(|child| self.graphs.inside(place, child)).unwrap_or_default();
                self.graphs.captured(place, graph, capture, &inside);
            }
        }
    }

    /// Tells of what was taken and not told of: nothing more comes.
    pub(super) fn tell_all(&mut self, lane: &mut Lane) {
        while let Some(posted) = lane.taken.pop_front() {
            self.launched(lane, posted);
        }
    }
}
