//! The GPU, for one test at a time, and the records of what the test launches.

use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};
use std::time::Duration;

use cudarc::driver::{CudaContext, CudaFunction, CudaStream, DriverError, LaunchConfig, PushKernelArg, sys};
use cudarc::nvrtc::Ptx;
use launchsite::record::{Accuracy, Mode, Record, Sink};
use launchsite::{Parts, gpu_kernel};

pub(crate) const PTX: &str = include_str!("../../../examples/kernels/quickstart.ptx");
pub(crate) const ONE: LaunchConfig = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (1, 1, 1), shared_mem_bytes: 0 };
pub(crate) const LONG: Duration = Duration::from_secs(20);

/// What the tests need of a record.
#[derive(Clone, Debug)]
pub(crate) enum Seen {
    Launch {
        number: u64,
        name: String,
        mode: Mode,
        reason: Option<String>,
        span_ns: u64,
        stream: Option<u32>,
    },
    Gpu {
        number: u64,
        name: String,
        duration_ns: Result<u64, String>,
        raw_ns: u64,
        accuracy: Option<Accuracy>,
        placed: bool,
    },
}

impl Seen {
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Launch { name, .. } | Self::Gpu { name, .. } => name,
        }
    }
}

/// Each with its kernels.
type Sites = Vec<(String, u32)>;

/// What they need of graphs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graphs {
    /// How many kernels each has, and its sites.
    pub(crate) graphs: Vec<(Option<u32>, Sites)>,
    /// Kernels that were timed inside: the site, and what the events said.
    pub(crate) nodes: Vec<(String, u64)>,
}

static SEEN: Mutex<Vec<Seen>> = Mutex::new(Vec::new());
static GRAPHS: Mutex<Graphs> = Mutex::new(Graphs { graphs: Vec::new(), nodes: Vec::new() });
static SINK: Once = Once::new();
static TURN: Mutex<()> = Mutex::new(());

struct Collect;

impl Sink for Collect {
    fn record(&mut self, record: &Record<'_>) {
        let seen = match record {
            Record::Launch(launch) => Seen::Launch {
                number: launch.number,
                name: launch.label.name.clone(),
                mode: launch.mode,
                reason: launch.reason.map(str::to_owned),
                span_ns: launch.stop_ns - launch.start_ns,
                stream: launch.stream,
            },
            Record::LaunchGpu(timed) => Seen::Gpu {
                number: timed.number,
                name: timed.label.name.clone(),
                duration_ns: timed.time.map(|time| time.duration_ns).map_err(str::to_owned),
                raw_ns: timed.time.map_or(0, |time| time.raw_duration_ns),
                accuracy: timed.time.ok().map(|time| time.accuracy),
                placed: timed.time.is_ok_and(|time| time.start_ns.is_some()),
            },
            Record::Graph(graph) => {
                let sites = graph.sites.iter().map(|site| (site.label.name.clone(), site.kernels)).collect();
                return GRAPHS.lock().unwrap().graphs.push((graph.kernels, sites));
            }
            Record::NodeGpu(node) => {
                let name = node.label.map_or_else(String::new, |label| label.name.clone());
                let raw_ns = node.time.map_or(0, |time| time.raw_duration_ns);
                return GRAPHS.lock().unwrap().nodes.push((name, raw_ns));
            }
            _ => return,
        };
        SEEN.lock().unwrap().push(seen);
    }
}

/// The process's one session, for one test: what it holds is what the test launched.
pub(crate) struct Turn {
    _guard: MutexGuard<'static, ()>,
}

pub(crate) struct Gpu {
    pub(crate) context: Arc<CudaContext>,
    pub(crate) stream: Arc<CudaStream>,
    pub(crate) spin: CudaFunction,
    pub(crate) empty: CudaFunction,
    pub(crate) scale_f32: CudaFunction,
    pub(crate) scale_f64: CudaFunction,
}

/// `None` on a machine without a GPU.
pub(crate) fn turn() -> Option<Turn> {
    // SAFETY: opens the driver's library and closes it again.
    if !unsafe { sys::is_culib_present() } {
        println!("no CUDA driver: not run");
        return None;
    }
    let turn = Turn { _guard: TURN.lock().unwrap_or_else(PoisonError::into_inner) };
    SINK.call_once(|| {
        launchsite::add_sink(Collect);
        assert!(launchsite::set_parts(Parts::ON));
    });
    // What a test that failed left behind.
    launchsite::flush(LONG).expect("the GPU comes to the end");
    SEEN.lock().unwrap_or_else(PoisonError::into_inner).clear();
    *GRAPHS.lock().unwrap_or_else(PoisonError::into_inner) = Graphs::default();
    Some(turn)
}

/// Likewise, with a context of its own.
pub(crate) fn gpu() -> Option<(Turn, Gpu)> {
    turn().map(|turn| (turn, Gpu::new()))
}

impl Turn {
    /// The records of the test so far, once they are complete.
    #[allow(clippy::unused_self)] // they are those of the one who has the turn
    pub(crate) fn records(&self) -> Vec<Seen> {
        launchsite::flush(LONG).expect("the GPU comes to the end");
        SEEN.lock().unwrap().clone()
    }

    /// What was seen of graphs, likewise.
    #[allow(clippy::unused_self)] // as above
    pub(crate) fn graphs(&self) -> Graphs {
        launchsite::flush(LONG).expect("the GPU comes to the end");
        GRAPHS.lock().unwrap().clone()
    }
}

impl Gpu {
    /// With a context that does not keep track of what its streams do with buffers: no launch waits inside its call.
    pub(crate) fn untracked() -> Self {
        let context = CudaContext::new(0).expect("a GPU behind the driver");
        // SAFETY: no test uses a buffer of it on two streams.
        unsafe { context.disable_event_tracking() };
        Self::of(context)
    }

    pub(crate) fn new() -> Self {
        Self::of(CudaContext::new(0).expect("a GPU behind the driver"))
    }

    fn of(context: Arc<CudaContext>) -> Self {
        let module = context.load_module(Ptx::from_src(PTX)).expect("the kernels load");
        let kernel = |name: &str| module.load_function(name).expect("the kernel is there");
        Self {
            stream: context.new_stream().expect("a stream"),
            spin: kernel("spin"),
            empty: kernel("empty"),
            scale_f32: kernel("scale_f32"),
            scale_f64: kernel("scale_f64"),
            context,
        }
    }
}

/// Keeps the GPU busy for so many milliseconds.
#[gpu_kernel]
pub(crate) fn spin(gpu: &Gpu, ms: u64) -> Result<(), DriverError> {
    let ns = ms * 1_000_000;
    // SAFETY: the kernel takes one u64.
    unsafe { gpu.stream.launch_builder(&gpu.spin).arg(&ns).launch(ONE) }?;
    Ok(())
}

/// Does nothing, on any stream.
#[gpu_kernel]
pub(crate) fn empty(gpu: &Gpu, stream: &CudaStream) -> Result<(), DriverError> {
    // SAFETY: the kernel takes nothing.
    unsafe { stream.launch_builder(&gpu.empty).launch(ONE) }?;
    Ok(())
}

pub(crate) fn modes(records: &[Seen]) -> Vec<Mode> {
    let mode = |seen: &Seen| match seen {
        Seen::Launch { mode, .. } => Some(*mode),
        Seen::Gpu { .. } => None,
    };
    records.iter().filter_map(mode).collect()
}

pub(crate) fn durations(records: &[Seen]) -> Vec<u64> {
    let duration = |seen: &Seen| match seen {
        Seen::Gpu { duration_ns, .. } => Some(duration_ns.clone().expect("a time")),
        Seen::Launch { .. } => None,
    };
    records.iter().filter_map(duration).collect()
}
