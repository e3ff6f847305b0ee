//! What is known and timed of CUDA graphs, on a GPU: which sites are in which, what their times cost, and how good those of
//! single kernels are beside CUPTI's.
//!
//! ```sh
//! cargo run --release -p launchsite-examples --example graph_times
//! ```
//!
//! CUPTI lengthens what it measures and takes one subscriber, so its times come from another run of this program: with
//! `--cupti` it measures without launchsite and prints them, and without the argument it is run and read here.

#![expect(unsafe_code, reason = "cudarc's launches are unsafe: only the caller knows what a kernel takes")]

#[path = "accuracy/cupti.rs"]
mod cupti;

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use cudarc::driver::{
    CudaContext, CudaFunction, CudaGraph, CudaSlice, CudaStream, DriverError, LaunchConfig, PushKernelArg, sys,
};
use cudarc::nvrtc::Ptx;
use launchsite::record::{Accuracy, Kind, NodeGpu, Record, Sink};
use launchsite::{Graph, Parts, gpu_kernel};

const PTX: &str = include_str!("kernels/quickstart.ptx");
const LONG: Duration = Duration::from_secs(60);
const ELEMENTS: usize = 4096;
const REPLAYS: u32 = 1000;
const FLAGS: sys::CUgraphInstantiate_flags =
    sys::CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
const MODE: sys::CUstreamCaptureMode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;

/// Kernels that spin for so many nanoseconds, each in a grid of its own size: CUPTI's records are told apart by it.
const SPINS: [(&str, u64, u32); 4] =
    [("2 us", 2_000, 2), ("5 us", 5_000, 3), ("10 us", 10_000, 4), ("50 us", 50_000, 5)];

struct Gpu {
    stream: Arc<CudaStream>,
    side: Arc<CudaStream>,
    spin: CudaFunction,
    scale: CudaFunction,
    x: CudaSlice<f32>,
}

impl Gpu {
    fn open() -> Result<Self, DriverError> {
        let context = CudaContext::new(0)?;
        // SAFETY: a buffer is used on one stream alone.
        unsafe { context.disable_event_tracking() };
        let module = context.load_module(Ptx::from_src(PTX))?;
        let stream = context.new_stream()?;
        let x = stream.clone_htod(&[1_f32; ELEMENTS])?;
        stream.synchronize()?;
        let kernel = |name| module.load_function(name);
        Ok(Self { side: context.new_stream()?, spin: kernel("spin")?, scale: kernel("scale_f32")?, x, stream })
    }

    #[gpu_kernel]
    fn spin(&self, stream: &CudaStream, ns: u64, blocks: u32) -> Result<(), DriverError> {
        let config = LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (1, 1, 1), shared_mem_bytes: 0 };
        // SAFETY: the kernel takes one u64.
        unsafe { stream.launch_builder(&self.spin).arg(&ns).launch(config) }?;
        Ok(())
    }

    #[gpu_kernel]
    fn scale(&mut self, by: f32) -> Result<(), DriverError> {
        let config = LaunchConfig { grid_dim: (16, 1, 1), block_dim: (256, 1, 1), shared_mem_bytes: 0 };
        let mut builder = self.stream.launch_builder(&self.scale);
        builder.arg(&ELEMENTS).arg(&by).arg(&mut self.x);
        // SAFETY: the arguments are those of `scale_f32`, and the slice has so many elements.
        unsafe { builder.launch(config) }?;
        Ok(())
    }

    #[gpu_kernel]
    fn left_branch(&self, side: &CudaStream) -> Result<(), DriverError> {
        let config = LaunchConfig { grid_dim: (6, 1, 1), block_dim: (1, 1, 1), shared_mem_bytes: 0 };
        // SAFETY: the kernel takes one u64.
        unsafe { side.launch_builder(&self.spin).arg(&20_000_u64).launch(config) }?;
        Ok(())
    }

    /// One kernel after the other, of each length.
    fn chain(&self) -> Result<(), DriverError> {
        SPINS.iter().try_for_each(|&(_, ns, blocks)| self.spin(&self.stream, ns, blocks))
    }

    /// Two branches, on two streams, and what follows both.
    fn branches(&mut self) -> Result<(), DriverError> {
        let event = self.stream.record_event(None)?;
        self.side.wait(&event)?;
        self.left_branch(&self.side.clone())?;
        self.scale(2.0)?;
        self.stream.join(&self.side)?;
        self.scale(0.5)
    }

    fn captured(&mut self, work: impl Fn(&mut Self) -> Result<(), DriverError>) -> Result<CudaGraph, Box<dyn Error>> {
        work(self)?;
        self.stream.synchronize()?;
        self.stream.begin_capture(MODE)?;
        let captured = work(self);
        let graph = end_capture(&self.stream);
        captured?;
        graph?.ok_or_else(|| "the capture gave no graph".into())
    }

    fn sum(&self) -> Result<f32, DriverError> {
        Ok(self.stream.clone_dtoh(&self.x)?.iter().sum())
    }
}

/// Where a capture ends in an annotated function, launchsite knows the stream of the graph.
#[gpu_kernel(scope)]
fn end_capture(stream: &Arc<CudaStream>) -> Result<Option<CudaGraph>, DriverError> {
    stream.end_capture(FLAGS)
}

#[gpu_kernel]
fn replay(graph: &CudaGraph) -> Result<(), DriverError> {
    graph.launch()
}

/// In us: as the events had it, and what was made of that; and whether that is calibrated.
type Time = (f64, f64, bool);

/// What is kept of records.
#[derive(Default)]
struct Seen {
    /// Each graph, in words.
    graphs: Vec<String>,
    /// Graph launches whose graph was not known.
    unknown: u32,
    replays: Vec<f64>,
    /// By the graph's number, and the kernel's in it.
    nodes: BTreeMap<(u32, u32), Vec<Time>>,
    names: BTreeMap<(u32, u32), String>,
    reasons: BTreeMap<&'static str, u32>,
}

static SEEN: Mutex<Option<Seen>> = Mutex::new(None);

struct Collect;

impl Sink for Collect {
    fn record(&mut self, record: &Record<'_>) {
        let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = seen.get_or_insert_default();
        match record {
            Record::Graph(graph) => {
                let sites = graph.sites.iter().map(|site| format!("{} x {}", site.kernels, site.label.function));
                let sites: Vec<_> = sites.collect();
                let nodes = graph.nodes_reason.as_deref().unwrap_or_default();
                seen.graphs.push(format!(
                    "graph {}: {:?} kernels: {} {nodes}",
                    graph.graph,
                    graph.kernels,
                    sites.join(", ")
                ));
            }
            Record::Launch(launch) if launch.kind == Kind::Graph => seen.unknown += u32::from(launch.graph.is_none()),
            Record::LaunchGpu(timed) if timed.kind == Kind::Graph => {
                seen.replays.extend(timed.time.ok().map(|time| us(time.raw_duration_ns)));
            }
            Record::NodeGpu(node) => seen.node(node),
            _ => {}
        }
    }
}

impl Seen {
    fn node(&mut self, node: &NodeGpu<'_>) {
        let Ok(time) = node.time else { return };
        let key = (node.graph, node.node);
        if let Accuracy::UpperBound(doubt) = time.accuracy {
            *self.reasons.entry(doubt.words()).or_default() += 1;
        }
        let calibrated = time.accuracy == Accuracy::Calibrated;
        let name = node.label.map_or_else(|| "?".to_owned(), |label| label.name.clone());
        self.names.insert(key, name);
        self.nodes.entry(key).or_default().push((us(time.raw_duration_ns), us(time.duration_ns), calibrated));
    }

    fn take() -> Result<Self, Box<dyn Error>> {
        launchsite::flush(LONG)?;
        Ok(SEEN.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default())
    }
}

#[expect(clippy::cast_precision_loss, reason = "far below that")]
fn us(ns: u64) -> f64 {
    ns as f64 / 1e3
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / f64::from(u32::try_from(values.len()).unwrap_or(u32::MAX))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = io::stdout();
    // SAFETY: it only opens the driver's library and closes it again.
    if !unsafe { sys::is_culib_present() } {
        writeln!(out, "There is no CUDA driver on this machine (no libcuda): nothing was run.")?;
        return Ok(());
    }
    if std::env::args().any(|argument| argument == "--cupti") {
        return reference(&mut out);
    }
    launchsite::add_sink(Collect);
    sites(&mut out)?;
    kernels(&mut out)?;
    cost(&mut out)
}

/// Which sites are in which graph, one of which has branches; one is cloned by the driver.
fn sites(out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    launchsite::set_parts(Parts::TIME);
    let mut gpu = Gpu::open()?;
    let branches = gpu.captured(Gpu::branches)?;
    let chain = gpu.captured(|gpu| gpu.chain())?;
    for _ in 0..REPLAYS {
        replay(&branches)?;
        replay(&chain)?;
    }
    gpu.stream.synchronize()?;
    let seen = Seen::take()?;
    writeln!(out, "{} launches of two graphs, {} of an unknown one", seen.replays.len(), seen.unknown)?;
    seen.graphs.iter().try_for_each(|graph| writeln!(out, "  {graph}"))?;
    Ok(())
}

/// The time of each kernel in a graph, beside CUPTI's.
fn kernels(out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let run = std::process::Command::new(std::env::current_exe()?).arg("--cupti").output()?;
    io::stderr().write_all(&run.stderr)?;
    let text = String::from_utf8(run.stdout)?;
    let line = |line: &str| Some((line.split('\t').next()?.to_owned(), line.split('\t').nth(1)?.parse::<f64>().ok()?));
    let reference: BTreeMap<String, f64> = text.lines().filter_map(line).collect();

    launchsite::set_parts(Parts::NODES);
    let gpu = Gpu::open()?;
    let mut chain = Graph::named("chain");
    for _ in 0..64 * 200 {
        chain.run(&gpu.stream, || gpu.chain())?;
    }
    gpu.stream.synchronize()?;
    let seen = Seen::take()?;
    seen.graphs.iter().try_for_each(|graph| writeln!(out, "\n{graph}"))?;
    writeln!(out, "\nkernels of a graph, timed inside; means in us\n")?;
    writeln!(
        out,
        "{:<8}{:>8}{:>10}{:>10}{:>14}{:>12}{:>10}{:>12}",
        "kernel", "times", "CUPTI", "raw", "raw - CUPTI", "calibrated", "of them", "difference"
    )?;
    for ((&key, times), (name, ..)) in seen.nodes.iter().zip(SPINS) {
        let raw: Vec<f64> = times.iter().map(|time| time.0).collect();
        let own: Vec<f64> = times.iter().filter(|time| time.2).map(|time| time.1).collect();
        let cupti = reference.get(name).copied().unwrap_or(f64::NAN);
        let (raw, mean_own, count) = (mean(&raw), mean(&own), own.len());
        let label = seen.names.get(&key).map_or("", String::as_str);
        let (added, off, all) = (raw - cupti, mean_own - cupti, times.len());
        writeln!(
            out,
            "{name:<8}{all:>8}{cupti:>10.3}{raw:>10.3}{added:>14.3}{mean_own:>12.3}{count:>10}{off:>12.3}  {label}"
        )?;
    }
    writeln!(out, "{:?}", seen.reasons)?;

    // Branches, and results that are the same: each entry scales by two and by a half.
    let mut gpu = Gpu::open()?;
    let (mut branches, stream) = (Graph::named("branches"), Arc::clone(&gpu.stream));
    for _ in 0..64 * 20 {
        branches.run(&stream, || gpu.branches())?;
    }
    stream.synchronize()?;
    let seen = Seen::take()?;
    seen.graphs.iter().try_for_each(|graph| writeln!(out, "\n{graph}"))?;
    for (key, times) in &seen.nodes {
        let raw: Vec<f64> = times.iter().map(|time| time.0).collect();
        let label = seen.names.get(key).map_or("", String::as_str);
        writeln!(out, "{:>8}{:>10.3}  {label}", times.len(), mean(&raw))?;
    }
    writeln!(out, "{:?}; the sum is {} (as it was: {ELEMENTS})", seen.reasons, gpu.sum()?)?;
    Ok(())
}

/// CUPTI's means, a line each, without launchsite.
fn reference(out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    launchsite::set_parts(Parts::NONE);
    let cupti = cupti::Cupti::start()?;
    let gpu = Gpu::open()?;
    let mut chain = Graph::named("chain");
    for _ in 0..2000 {
        chain.run(&gpu.stream, || gpu.chain())?;
    }
    gpu.stream.synchronize()?;
    let times = cupti.take()?;
    for (name, _, blocks) in SPINS {
        let own: Vec<f64> = times.iter().filter(|time| time.0 == blocks).map(|time| us(time.1)).collect();
        writeln!(out, "{name}\t{:.3}\t{}", mean(&own), own.len())?;
    }
    Ok(())
}

/// One kernel of a graph, by its turn.
type Kernel = fn(&mut Gpu, u32) -> Result<(), DriverError>;

/// What a launch of a graph of 100 small kernels takes, with what is asked for turned on in turn, and with two events of the
/// program's own around each.
fn cost(out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let least: Kernel = |gpu, turn| gpu.scale(if turn % 2 == 0 { 2.0 } else { 0.5 });
    let small: Kernel = |gpu, _| gpu.spin(&gpu.stream, 2_000, 2);
    cost_of(out, "next to nothing", least)?;
    cost_of(out, "2 us", small)
}

fn cost_of(out: &mut impl Write, each: &str, kernel: Kernel) -> Result<(), Box<dyn Error>> {
    const ROUNDS: usize = 21;
    const LAUNCHES: u32 = 1280;
    let asked = [Parts::NONE, Parts::TIME, Parts::NODES];
    let mut gpu = Gpu::open()?;
    launchsite::set_parts(Parts::NODES);
    let stream = Arc::clone(&gpu.stream);
    let mut graph = Graph::named("hundred");
    // Through its first entries, and the making of its second executable.
    for _ in 0..200 {
        graph.run(&stream, || (0..100).try_for_each(|turn| kernel(&mut gpu, turn)))?;
    }
    launchsite::flush(LONG)?;
    let plain = gpu.captured(|gpu| (0..100).try_for_each(|turn| kernel(gpu, turn)))?;
    let pair = || stream.context().new_event(Some(sys::CUevent_flags::CU_EVENT_DEFAULT));
    let pairs = (0..LAUNCHES).map(|_| Ok((pair()?, pair()?))).collect::<Result<Vec<_>, DriverError>>()?;
    let (mut bare, mut by_hand, mut with) = (Vec::new(), Vec::new(), [(); 3].map(|()| Vec::new()));
    let timed = |launch: &mut dyn FnMut(usize) -> Result<(), Box<dyn Error>>| -> Result<f64, Box<dyn Error>> {
        let began = Instant::now();
        (0..pairs.len()).try_for_each(launch)?;
        stream.synchronize()?;
        Ok(began.elapsed().as_secs_f64() * 1e6 / f64::from(LAUNCHES))
    };
    for _ in 0..ROUNDS {
        launchsite::set_parts(Parts::NONE);
        bare.push(timed(&mut |_| Ok(plain.launch()?))?);
        by_hand.push(timed(&mut |turn| {
            let (start, stop) = pairs.get(turn).ok_or("no pair")?;
            start.record(&stream)?;
            plain.launch()?;
            Ok(stop.record(&stream)?)
        })?);
        for (parts, times) in asked.iter().zip(&mut with) {
            launchsite::set_parts(*parts);
            times.push(timed(&mut |_| Ok(graph.run(&stream, || Ok::<(), DriverError>(())).map(drop)?))?);
            launchsite::flush(LONG)?;
        }
    }
    let (seen, bare) = (Seen::take()?, median(bare));
    let heading = format!("a launch of a graph of 100 kernels of {each}, medians of {ROUNDS} rounds of {LAUNCHES}, us");
    writeln!(out, "\n{heading}\n\n{:<24}{bare:>10.2}", "without launchsite")?;
    let named = std::iter::once(("two events by hand".to_owned(), by_hand));
    for (what, times) in named.chain(asked.iter().map(ToString::to_string).zip(with)) {
        let own = median(times);
        writeln!(out, "{what:<24}{own:>10.2}{:>8.2} %", 100.0 * (own / bare - 1.0))?;
    }
    let timed: usize = seen.nodes.values().map(Vec::len).sum();
    let (reasons, sum) = (seen.reasons, gpu.sum()?);
    writeln!(out, "kernels timed inside: {timed}; {reasons:?}; the sum is {sum} (as it was: {ELEMENTS})")?;
    Ok(())
}
