//! What is asked of a device about graphs: where a captured launch went, what is in a graph, and a copy of one that is timed
//! inside.
//!
//! Beside the calls of a window: a program without graphs never comes here. No call changes a graph of the program's; what
//! is changed are copies of launchsite's own.

use std::fmt;

use super::{Event, Refusal, Stream};

/// Where a launch went that was captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Captured {
    /// The graph that the capture becomes, by its handle.
    pub graph: u64,
    /// The capture, by a number that no other of the process has; its lower half, which is enough to tell two apart that had
    /// one handle.
    pub capture: u32,
    /// The node that the launch became; 0 where nothing tells.
    pub node: u64,
}

/// A graph that is launched: its own handle, and that of its executable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Graph {
    /// What was captured.
    pub graph: u64,
    /// What is launched.
    pub executable: u64,
}

/// What a node of a graph is, as far as it matters to who times the nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// It launches a kernel.
    Kernel,
    /// It keeps the device busy with something else: a copy, say, or another graph.
    Work,
    /// It takes no time.
    Order,
}

/// A node of a graph, and its copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// In the program's graph, by its handle.
    pub own: u64,
    /// In the copy.
    pub copied: u64,
    /// What it is.
    pub kind: NodeKind,
    /// The kernel's own name, where it is one and the driver tells.
    pub kernel: Option<String>,
}

/// A copy of a graph that nobody else knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copied {
    /// The copy, by its handle.
    pub graph: u64,
    /// How the program's executable was made.
    pub flags: u64,
    /// All nodes.
    pub nodes: Vec<Node>,
    /// Which node waits for which: the first for none, by their places in `nodes`; each is one behind another.
    pub edges: Vec<(usize, usize)>,
}

/// Why the nodes of a graph are not timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unfit {
    /// The device refused a call.
    Refused(Refusal),
    /// Nothing tells how the program's executable was made.
    Flags,
    /// The executable can be launched by kernels, and such a graph takes no events.
    DeviceLaunch,
    /// The graph has nodes that a second executable of it cannot have: memory of its own, or a condition.
    Nodes,
    /// The graph has no kernels, or more nodes than are looked at.
    Size,
    /// The program launches it itself, and may have changed the executable since: nothing tells.
    Owned,
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Refused(refusal) => return refusal.fmt(f),
            Self::Flags => "the driver does not tell how the executable was made",
            Self::DeviceLaunch => "the executable can be launched by kernels",
            Self::Nodes => "the graph has nodes of which there can be no second executable",
            Self::Size => "the graph has no kernels, or too many nodes",
            Self::Owned => {
                "the program has the executable itself, and nothing tells whether it is still what was captured"
            }
        })
    }
}

impl From<Refusal> for Unfit {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// So many nodes are looked at: each kernel takes an event or two.
pub const MOST_NODES: usize = 4096;

/// The graphs of a device.
pub trait Graphs: Send + Sync + fmt::Debug + 'static {
    /// Where the last launch in `stream` went, which is being captured. It changes nothing, and is sound in any mode of
    /// capture.
    ///
    /// # Errors
    /// The driver does not say, or the stream is not captured any more.
    fn captured(&self, stream: Stream) -> Result<Captured, Refusal>;

    /// How many kernels are in `graph`, and in the graphs inside it.
    ///
    /// # Errors
    /// The driver does not say.
    fn kernels(&self, graph: u64) -> Result<u32, Refusal>;

    /// Copies a graph of the program's, on a thread that has the graph: none may change or destroy it meanwhile.
    ///
    /// # Errors
    /// There is no copy: the graph's nodes cannot be timed.
    fn copy(&self, graph: Graph) -> Result<Copied, Unfit>;

    /// Adds to a copy a node that records `event`, behind the nodes `after`; gives the node.
    ///
    /// # Errors
    /// The driver refused; the copy is as it was.
    fn add_event(&self, copy: u64, after: &[u64], event: Event) -> Result<u64, Refusal>;

    /// Has the second of each pair of nodes of a copy wait for the first.
    ///
    /// # Errors
    /// The driver refused.
    fn link(&self, copy: u64, pairs: &[(u64, u64)]) -> Result<(), Refusal>;

    /// Takes such a link away.
    ///
    /// # Errors
    /// The driver refused.
    fn unlink(&self, copy: u64, pairs: &[(u64, u64)]) -> Result<(), Refusal>;

    /// Makes a copy an executable, as the program's was made.
    ///
    /// # Errors
    /// The driver refused; there is no executable.
    fn instantiate(&self, copy: u64, flags: u64) -> Result<u64, Refusal>;

    /// Launches an executable of [`instantiate`](Self::instantiate).
    ///
    /// # Errors
    /// The driver refused; nothing was launched.
    fn launch(&self, executable: u64, stream: Stream) -> Result<(), Refusal>;

    /// Destroys a copy.
    fn destroy(&self, copy: u64);

    /// Destroys its executable; one that the device is at work on goes when that is done.
    fn destroy_executable(&self, executable: u64);
}
