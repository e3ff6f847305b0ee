//! Graphs that are timed inside: their second executables, and what those tell.

use super::Worker;
use crate::collector::nodes::{Request, Timed, worth};
use crate::collector::reader::{Raw, Read};
use crate::device::Life;
use crate::device::graph::Unfit;
use crate::lane::{Ending, Place, Replayed, Target};
use crate::record::{Accuracy, Doubt, GpuTime, Kind, NodeGpu, Record};

impl Worker {
    /// Makes a second executable, or says why there is none.
    pub(super) fn second(&mut self, request: Request) {
        let Request { graph, place, copied } = request;
        // What is known so far is written: to make an executable of many nodes takes long, and the process may end meanwhile.
        self.outputs.flush();
        let relaxed = self.relax(place);
        let made = copied.and_then(|(second, copied)| self.nodes.make(graph, second, &copied, relaxed));
        if let Err(why) = made {
            let words = match why {
                Unfit::Refused(refusal) => place.device.explain(refusal),
                other => other.to_string(),
            };
            self.graphs.is_unfit(place, graph, words);
        }
    }

    /// What was timed inside a window that is being read: its context is entered and held.
    pub(super) fn inside(&mut self, target: Target, life: Life, read: &Read, raw: Option<&Raw>) -> Vec<Timed> {
        let (Some(place), Some(replayed)) = (target, read.posted.replayed()) else { return Vec::new() };
        let call_ns = self.scale.span_of(read.posted.span);
        let nodes = match (replayed.copy(), raw, read.posted.ending) {
            (Some(second), Some(raw), Ending::Timed(pair)) => {
                let share = self.collector.terms.rule.and_then(|rule| rule.share);
                self.nodes.read(second, pair, share, (raw.duration_ns, call_ns))
            }
            (Some(second), _, _) => {
                self.nodes.give_up(second);
                Vec::new()
            }
            (None, Some(raw), _) => {
                replayed.graph().into_iter().for_each(|graph| self.nodes.plain(graph, raw.duration_ns, call_ns));
                Vec::new()
            }
            (None, None, _) => Vec::new(),
        };
        self.nodes.clear(place, life);
        nodes
    }

    /// Tells of what was timed inside a launch of a graph.
    pub(super) fn tell_nodes(&mut self, place: Place, read: &Read, raw: &Raw, nodes: &[Timed], doubt: Option<Doubt>) {
        if read.posted.name.kind != Kind::Graph || nodes.is_empty() {
            return;
        }
        let Some((handle, kernels)) = read.posted.replayed().and_then(|of: Replayed| Some((of.graph()?, of.kernels())))
        else {
            return;
        };
        let (graph, _) = self.graphs.replayed(place, handle, kernels);
        for (node, timed) in (0..).zip(nodes) {
            let name = self.graphs.site(place, handle, timed.node);
            let label = name.map(|name| &name.label);
            let words = timed.time.err().map(|reason| self.words(reason, Some(place)));
            let time = timed.time.map(|time| gpu_time(time, raw, timed.added, timed.doubt.or(doubt)));
            if let (Some(name), Ok(time)) = (name, time) {
                self.tally(|tally| tally.timed_inside(name, time));
            }
            let told = NodeGpu {
                parent: read.posted.number,
                graph: graph.graph,
                node,
                label,
                kernel: timed.kernel.as_deref(),
                device: place.ordinal,
                stream: read.stream,
                time: time.map_err(|_| words.as_deref().unwrap_or_default()),
            };
            self.outputs.tell(&Record::NodeGpu(&told));
        }
    }
}

fn gpu_time((raw_ns, since_ns): (u64, i64), raw: &Raw, added: Option<u64>, doubt: Option<Doubt>) -> GpuTime {
    let (duration_ns, doubt) = worth(raw_ns, added, raw.constant, doubt);
    let start_ns = raw.start.map(|start| start.at_ns + since_ns);
    GpuTime {
        duration_ns,
        raw_duration_ns: raw_ns,
        start_ns,
        stop_ns: start_ns.map(|start| start + raw_ns.cast_signed()),
        accuracy: doubt.map_or(Accuracy::Calibrated, Accuracy::UpperBound),
    }
}
