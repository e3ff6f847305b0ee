//! What is recorded of a launch, and who is told: records go to every [`Sink`], in order, from one thread.

mod mode;
mod time;

pub use mode::{Mode, Reason};
pub use time::{Accuracy, Doubt, GpuTime};

use crate::device::Description;
use crate::fields::Fields;

/// What it is that a site does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// It launches a kernel.
    #[default]
    Kernel,
    /// It launches a graph, with all that was captured into it.
    Graph,
    /// It is a whole call of a function, with all that is launched inside.
    Scope,
}

impl Kind {
    /// The word for its record on the host's side; on the GPU's, `_gpu` follows.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Kernel => "launch",
            Self::Graph => "graph_launch",
            Self::Scope => "scope",
        }
    }
}

/// What a site is called, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Label {
    /// As profilers show it: `ops::saxpy my-crate/src/ops.rs:42`.
    pub name: String,
    /// The last module, or the type, and the function: `ops::saxpy`.
    pub function: String,
    /// The module's full path.
    pub module: &'static str,
    /// The package's name and the path inside it.
    pub file: String,
    /// The line of the launch call.
    pub line: u32,
    /// Its column.
    pub column: u32,
    /// The place that called the function, where the site is named after it: the package's name, the path inside it and
    /// the line.
    pub caller: Option<String>,
}

/// The session: once, before everything else.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Session {
    /// Unique to this process.
    pub session: String,
    /// The process id.
    pub pid: u32,
    /// The host's name.
    pub host: String,
    /// The number of this process among those that were started together.
    pub rank: Option<u64>,
    /// Nanoseconds since 1970 at the moment that all other times count from.
    pub start_unix_ns: u64,
    /// How far the GPU's times, placed on the host's clock, can be off; unknown until a device told its time.
    pub anchor_uncertainty_ns: Option<u64>,
    /// The devices that the program can see.
    pub devices: Vec<Description>,
}

/// A stream, when it is first seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stream {
    /// The stream's number in this session.
    pub stream: u32,
    /// The device that it is on; unknown where the driver does not say.
    pub device: Option<u32>,
    /// What kind of stream it is.
    pub kind: &'static str,
}

/// A graph, before its first launch.
///
/// It is known by what was captured into it: launches of annotated functions, while times were asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Graph {
    /// The graph's number in this session.
    pub graph: u32,
    /// The device that it is launched on.
    pub device: u32,
    /// How many kernels are in it, those of graphs inside it too; unknown where the driver does not say.
    pub kernels: Option<u32>,
    /// Why its kernels are not timed, exactly where that was asked for and cannot be.
    pub nodes_reason: Option<String>,
    /// The sites that were captured into it, in the order in which they first were. Together they may have launched fewer
    /// kernels than there are: others were captured where no function is annotated, or left out by a budget.
    pub sites: Vec<GraphSite>,
}

/// A site in a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GraphSite {
    /// What the site is called.
    pub label: &'static Label,
    /// How often it launched a kernel into the graph.
    pub kernels: u32,
}

/// How a launch is spread over the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Geometry {
    /// Blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y and z.
    pub block: [u32; 3],
    /// Dynamic shared memory of a block, in bytes.
    pub shared_mem_bytes: u32,
}

/// The host's side of a launch, of a kernel or a graph, or of a scope.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Launch<'s> {
    /// Which of these it is.
    pub kind: Kind,
    /// Unique in this process; the payload of the NVTX range.
    pub number: u64,
    /// The number of the scope around it, if there is one.
    pub parent: Option<u64>,
    /// What the site is called.
    pub label: &'static Label,
    /// The system's id of the thread.
    pub thread: u64,
    /// When the launch call began and ended, in nanoseconds since the session's start.
    pub start_ns: u64,
    /// See `start_ns`.
    pub stop_ns: u64,
    /// What launchsite itself took around the call, in nanoseconds.
    pub overhead_ns: u64,
    /// The device, where the stream is known.
    pub device: Option<u32>,
    /// The stream's number, where it is known.
    pub stream: Option<u32>,
    /// The kernel's own name, where it is known.
    pub kernel: Option<&'s str>,
    /// How it is spread over the device, where that is known.
    pub geometry: Option<Geometry>,
    /// The graph that was launched, where that is known.
    pub graph: Option<&'s Graph>,
    /// Why it is not known, in words, exactly where a graph was launched and it is not.
    pub graph_reason: Option<&'s str>,
    /// What happened.
    pub mode: Mode,
    /// Why it was not timed, in words, exactly where timing was asked for and is not there.
    pub reason: Option<&'s str>,
    /// What the program says of it.
    pub fields: Fields,
}

impl Launch<'_> {
    /// Floating-point operations of the launch, as `flops = expr` says.
    #[must_use]
    pub fn flops(&self) -> Option<f64> {
        self.fields.work().flops
    }

    /// Bytes that the launch reads and writes, as `bytes = expr` says.
    #[must_use]
    pub fn bytes(&self) -> Option<f64> {
        self.fields.work().bytes
    }
}

/// The GPU's side of a launch that was timed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LaunchGpu<'s> {
    /// What was launched.
    pub kind: Kind,
    /// The launch's number.
    pub number: u64,
    /// What the site is called.
    pub label: &'static Label,
    /// The device.
    pub device: Option<u32>,
    /// The stream's number.
    pub stream: Option<u32>,
    /// What the program says of it.
    pub fields: Fields,
    /// The time, or in words why there is none.
    pub time: Result<GpuTime, &'s str>,
}

/// The time of one kernel in a launch of a graph. What starts where is as the graph has it: kernels of a graph may be at work
/// side by side.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NodeGpu<'s> {
    /// The number of the graph's launch.
    pub parent: u64,
    /// The graph's number.
    pub graph: u32,
    /// The kernel's number in the graph, from 0 on: the same in each launch of it.
    pub node: u32,
    /// The site that launched it into the graph, where that is known.
    pub label: Option<&'static Label>,
    /// The kernel's own name, where the driver tells it.
    pub kernel: Option<&'s str>,
    /// The device.
    pub device: u32,
    /// The number of the stream that the graph was launched in.
    pub stream: Option<u32>,
    /// The time, or in words why there is none.
    pub time: Result<GpuTime, &'s str>,
}

/// Launches of a site that `LAUNCHSITE_BUDGET` left out: once for each site that has some, before the end.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct SampledOut {
    /// What the site is called.
    pub label: &'static Label,
    /// How many.
    pub count: u64,
}

/// The end of the session: once, after everything else. `launches` is the sum of launch records, `sampled_out` and `lost`;
/// launches of graphs and scopes are counted by themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct End {
    /// Launches that passed a site while records were wanted.
    pub launches: u64,
    /// Those that events were put around.
    pub timed: u64,
    /// Those that sampling left out.
    pub sampled_out: u64,
    /// Those that left no record.
    pub lost: u64,
    /// Why they did not.
    pub lost_by_reason: Vec<(&'static str, u64)>,
    /// Records of graph launches.
    pub graph_launches: u64,
    /// Records of scopes.
    pub scopes: u64,
    /// Graph launches and scopes that left no record.
    pub lost_beside: u64,
}

/// A record of a session.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Record<'r> {
    /// First.
    Session(&'r Session),
    /// Before the first launch on the stream.
    Stream(Stream),
    /// Before the first launch of the graph, and again where what is known of it has changed.
    Graph(&'r Graph),
    /// Each launch and each scope, when it is over.
    Launch(&'r Launch<'r>),
    /// Each launch whose mode is [`Mode::Timed`], after its launch record.
    LaunchGpu(&'r LaunchGpu<'r>),
    /// Each kernel of a launch of a graph that was timed inside, behind the launch's own record.
    NodeGpu(&'r NodeGpu<'r>),
    /// What a budget left out, before the end.
    SampledOut(SampledOut),
    /// Last.
    End(&'r End),
}

/// Takes records: from one thread, each once, those of a launching thread in their order, and never while a launch waits for it
/// (a `flush` of the program's does). What it launches itself is recorded too: a sink that launches for each record never ends.
///
/// A sink that panics is removed, with a line on stderr; the program and the other sinks go on.
pub trait Sink: Send {
    /// Takes one record.
    fn record(&mut self, record: &Record<'_>);

    /// What was taken should be where it belongs now: in the file, say. Called whenever the collector has nothing
    /// more to do at once, in `flush`, and at the end.
    fn flush(&mut self) {}
}
