//! Graphs of the stand-in: what captures become, and copies that are timed inside.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};

use super::launch::Work;
use super::{Call, Error, Host, State, code, lock};
use crate::device::graph::{self, Captured, Copied, MOST_NODES, NodeKind, Unfit};
use crate::device::{Event, Refusal, Stream};

/// Something that a graph does.
#[derive(Clone)]
pub(super) struct Node {
    id: u64,
    pub(super) what: What,
    /// The nodes that come before it.
    after: Vec<u64>,
}

#[derive(Clone)]
pub(super) enum What {
    /// With its name.
    Kernel(&'static str, Work),
    Copy(Work),
    Event(Event),
}

/// A capture that goes on.
pub(super) struct Capture {
    pub(super) nodes: Vec<Node>,
    /// The graph that it becomes, which has the capture's own number.
    graph: u64,
    /// Nothing was done in it that a capture does not survive.
    pub(super) valid: bool,
}

impl Capture {
    pub(super) fn new() -> Self {
        Self { nodes: Vec::new(), graph: fresh(), valid: true }
    }

    /// Puts a node behind what is there.
    pub(super) fn push(&mut self, what: What) {
        let after = self.nodes.last().map(|last| last.id).into_iter().collect();
        self.nodes.push(Node { id: fresh(), what, after });
    }

    #[allow(clippy::cast_possible_truncation)] // its lower half, as the field says
    pub(super) fn captured(&self) -> Captured {
        let node = self.nodes.last().map_or(0, |last| last.id);
        Captured { graph: self.graph, capture: self.graph as u32, node }
    }
}

/// A handle that nothing else has.
fn fresh() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

type Nodes = Arc<Vec<Node>>;

/// What a capture gathered. A clone is the same graph.
#[derive(Clone)]
pub struct Graph {
    nodes: Nodes,
    /// Its own handle, which is that of its executable too.
    #[cfg_attr(not(feature = "enabled"), allow(dead_code))] // what a replay is known by
    id: u64,
    host: Host,
    stream: u64,
}

impl Graph {
    pub(super) fn new(capture: Capture, host: Host, stream: u64) -> Self {
        let (nodes, id) = (Arc::new(capture.nodes), capture.graph);
        let mut captured = lock(&host.0.graphs.captured);
        captured.retain(|_, nodes| nodes.strong_count() > 0);
        captured.insert(id, Arc::downgrade(&nodes));
        drop(captured);
        Self { nodes, id, host, stream }
    }

    /// How many launches and copies the graph holds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether nothing was put into the stream in the capture.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Puts everything that the graph holds into the stream that captured it, and returns at once.
    ///
    /// # Errors
    /// The script refuses it, or the stream is gone; nothing was put into it.
    pub fn launch(&self) -> Result<(), Error> {
        self.host.0.script.play(Call::GraphLaunch)?;
        Ok(self.host.0.streams.run(self.stream, &self.nodes, &self.host.0.events)?)
    }

    #[cfg(feature = "enabled")]
    pub(crate) fn stream(&self) -> (Host, u64) {
        (self.host, self.stream)
    }

    #[cfg(feature = "enabled")]
    pub(crate) fn handles(&self) -> graph::Graph {
        graph::Graph { graph: self.id, executable: self.id }
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Graph").field("nodes", &self.nodes.len()).finish_non_exhaustive()
    }
}

/// The graphs of a stand-in, by handle.
#[derive(Default)]
pub(super) struct Graphs {
    captured: Mutex<HashMap<u64, Weak<Vec<Node>>>>,
    copies: Mutex<HashMap<u64, Vec<Node>>>,
    executables: Mutex<HashMap<u64, Nodes>>,
}

impl fmt::Debug for Graphs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Graphs").field("copies", &lock(&self.copies).len()).finish_non_exhaustive()
    }
}

impl Graphs {
    fn nodes(&self, call: &'static str, graph: u64) -> Result<Nodes, Refusal> {
        let nodes = lock(&self.captured).get(&graph).and_then(Weak::upgrade);
        nodes.ok_or(Refusal { call, code: code::INVALID_HANDLE })
    }

    fn change<T>(
        &self,
        call: &'static str,
        copy: u64,
        change: impl FnOnce(&mut Vec<Node>) -> Option<T>,
    ) -> Result<T, Refusal> {
        let done = lock(&self.copies).get_mut(&copy).and_then(change);
        done.ok_or(Refusal { call, code: code::INVALID_HANDLE })
    }
}

/// The nodes of `nodes`, each behind those that it waits for; of those that wait for nothing more, in their order.
fn in_order(nodes: &[Node]) -> Vec<Node> {
    let mut left: Vec<&Node> = nodes.iter().collect();
    let mut done: Vec<Node> = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let is_done = |id: &u64| done.iter().any(|node| node.id == *id);
        let Some(next) = left.iter().position(|node| node.after.iter().all(is_done)) else { break };
        done.push(left.remove(next).clone());
    }
    done
}

impl graph::Graphs for State {
    fn captured(&self, stream: Stream) -> Result<Captured, Refusal> {
        self.script.play(Call::CaptureInfo)?;
        self.streams.captured(stream.handle)
    }

    fn kernels(&self, graph: u64) -> Result<u32, Refusal> {
        self.script.play(Call::GraphNodes)?;
        let nodes = self.graphs.nodes(Call::GraphNodes.entry_point(), graph)?;
        let kernels = nodes.iter().filter(|node| matches!(node.what, What::Kernel(..))).count();
        Ok(u32::try_from(kernels).unwrap_or(u32::MAX))
    }

    fn copy(&self, graph: graph::Graph) -> Result<Copied, Unfit> {
        self.script.play(Call::GraphClone)?;
        let own = self.graphs.nodes(Call::GraphClone.entry_point(), graph.graph)?;
        if own.len() > MOST_NODES {
            return Err(Unfit::Size);
        }
        let kind = |node: &Node| match node.what {
            What::Kernel(..) => NodeKind::Kernel,
            What::Copy(_) => NodeKind::Work,
            What::Event(_) => NodeKind::Order,
        };
        let ids: HashMap<u64, u64> = own.iter().map(|node| (node.id, fresh())).collect();
        let id = |of: &u64| ids.get(of).copied().unwrap_or_default();
        let kernel = |node: &Node| match node.what {
            What::Kernel(name, _) => Some(name.to_owned()),
            _ => None,
        };
        let nodes = own.iter().map(|node| graph::Node {
            own: node.id,
            copied: id(&node.id),
            kind: kind(node),
            kernel: kernel(node),
        });
        let place = |of: &u64| own.iter().position(|node| node.id == *of);
        let edges = own
            .iter()
            .enumerate()
            .flat_map(|(to, node)| node.after.iter().filter_map(move |from| place(from).map(|from| (from, to))));
        let copied = Copied { graph: fresh(), flags: 0, nodes: nodes.collect(), edges: edges.collect() };
        let nodes = own.iter().map(|node| Node {
            id: id(&node.id),
            what: node.what.clone(),
            after: node.after.iter().map(id).collect(),
        });
        lock(&self.graphs.copies).insert(copied.graph, nodes.collect());
        Ok(copied)
    }

    fn add_event(&self, copy: u64, after: &[u64], event: Event) -> Result<u64, Refusal> {
        self.script.play(Call::GraphAddEvent)?;
        self.graphs.change(Call::GraphAddEvent.entry_point(), copy, |nodes| {
            let id = fresh();
            nodes.push(Node { id, what: What::Event(event), after: after.to_vec() });
            Some(id)
        })
    }

    fn link(&self, copy: u64, pairs: &[(u64, u64)]) -> Result<(), Refusal> {
        self.graphs.change("cuGraphAddDependencies", copy, |nodes| {
            for (from, to) in pairs {
                nodes.iter_mut().find(|node| node.id == *to)?.after.push(*from);
            }
            Some(())
        })
    }

    fn unlink(&self, copy: u64, pairs: &[(u64, u64)]) -> Result<(), Refusal> {
        self.graphs.change("cuGraphRemoveDependencies", copy, |nodes| {
            for (from, to) in pairs {
                let after = &mut nodes.iter_mut().find(|node| node.id == *to)?.after;
                let at = after.iter().position(|id| id == from)?;
                after.remove(at);
            }
            Some(())
        })
    }

    fn instantiate(&self, copy: u64, _: u64) -> Result<u64, Refusal> {
        self.script.play(Call::GraphInstantiate)?;
        let nodes = self.graphs.change(Call::GraphInstantiate.entry_point(), copy, |nodes| Some(in_order(nodes)))?;
        let executable = fresh();
        lock(&self.graphs.executables).insert(executable, Arc::new(nodes));
        Ok(executable)
    }

    fn launch(&self, executable: u64, stream: Stream) -> Result<(), Refusal> {
        self.script.play(Call::CopyLaunch)?;
        let nodes = lock(&self.graphs.executables).get(&executable).cloned();
        let nodes = nodes.ok_or(Refusal { call: Call::CopyLaunch.entry_point(), code: code::INVALID_HANDLE })?;
        self.streams.run(stream.handle, &nodes, &self.events)
    }

    fn destroy(&self, copy: u64) {
        self.script.count(Call::GraphDestroy);
        lock(&self.graphs.copies).remove(&copy);
    }

    fn destroy_executable(&self, executable: u64) {
        self.script.count(Call::GraphExecDestroy);
        lock(&self.graphs.executables).remove(&executable);
    }
}
