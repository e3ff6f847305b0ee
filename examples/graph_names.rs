//! Two CUDA graphs whose kernels keep the names of the places that launched them, in any tool: with symbols, a place's
//! kernel has the place's name as its own. One graph has two branches, on two streams; of the other a clone is replayed too.
//! Needs a GPU, and says so where there is none.
//!
//! ```sh
//! cargo build --release -p launchsite-examples --example graph_names
//! nsys profile -t cuda,nvtx --cuda-graph-trace=node -o graphs target/release/examples/graph_names
//! nsys stats -r cuda_gpu_kern_sum graphs.nsys-rep
//! ```

#![expect(unsafe_code, reason = "cudarc's launches are unsafe: only the caller knows what a kernel takes")]

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;

use cudarc::driver::{
    CudaContext, CudaGraph, CudaSlice, CudaStream, DriverError, LaunchConfig, PushKernelArg, result, sys,
};
use launchsite::{Kernel, Kernels, Parts, gpu_kernel};

const PTX: &str = include_str!("kernels/quickstart.ptx");
const ELEMENTS: usize = 4096;
const REPLAYS: u32 = 1000;
const FLAGS: sys::CUgraphInstantiate_flags =
    sys::CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;

/// Kernels in their places: cudarc's functions, but for their type.
struct Job {
    stream: Arc<CudaStream>,
    map: Kernel,
    saxpy: Kernel,
    scale: Kernel,
    x: CudaSlice<f32>,
    left: CudaSlice<f32>,
    sum: CudaSlice<f32>,
    sign: CudaSlice<f32>,
    lifted: CudaSlice<f32>,
}

/// A thread for each element.
fn config() -> LaunchConfig {
    LaunchConfig { grid_dim: (16, 1, 1), block_dim: (256, 1, 1), shared_mem_bytes: 0 }
}

#[gpu_kernel]
fn left_branch(job: &mut Job, side: &CudaStream) -> Result<(), DriverError> {
    // SAFETY: the arguments are those of `map_kernel`, and both slices have so many elements.
    unsafe {
        side.launch_builder(&job.map)
            .arg(&ELEMENTS)
            .arg(&2_f32)
            .arg(&1_f32)
            .arg(&job.x)
            .arg(&mut job.left)
            .launch(config())
    }?;
    Ok(())
}

/// The kernel of [`left_branch`], which tools show apart only by its name here.
#[gpu_kernel]
fn right_branch(job: &mut Job) -> Result<(), DriverError> {
    let mut builder = job.stream.launch_builder(&job.map);
    builder.arg(&ELEMENTS).arg(&3_f32).arg(&-1_f32).arg(&job.x).arg(&mut job.sum);
    // SAFETY: as above.
    unsafe { builder.launch(config()) }?;
    Ok(())
}

#[gpu_kernel]
fn add_branches(job: &mut Job) -> Result<(), DriverError> {
    let mut builder = job.stream.launch_builder(&job.saxpy);
    builder.arg(&ELEMENTS).arg(&1_f32).arg(&job.left).arg(&mut job.sum);
    // SAFETY: the arguments are those of `saxpy_f32`, and both slices have so many elements.
    unsafe { builder.launch(config()) }?;
    Ok(())
}

#[gpu_kernel]
fn flip(job: &mut Job) -> Result<(), DriverError> {
    let builder = &mut job.stream.launch_builder(&job.scale);
    // SAFETY: the arguments are those of `scale_f32`, and the slice has so many elements.
    unsafe { builder.arg(&ELEMENTS).arg(&-1_f32).arg(&mut job.sign).launch(config()) }?;
    Ok(())
}

#[gpu_kernel]
fn lift(job: &mut Job) -> Result<(), DriverError> {
    let mut builder = job.stream.launch_builder(&job.map);
    builder.arg(&ELEMENTS).arg(&1_f32).arg(&4_f32).arg(&job.sign).arg(&mut job.lifted);
    // SAFETY: the arguments are those of `map_kernel`, and both slices have so many elements.
    unsafe { builder.launch(config()) }?;
    Ok(())
}

#[gpu_kernel]
fn replay(graph: &CudaGraph) -> Result<(), DriverError> {
    graph.launch()
}

#[gpu_kernel]
fn replay_clone(executable: sys::CUgraphExec, stream: &CudaStream) -> Result<(), DriverError> {
    // SAFETY: both are alive, and the executable is launched in no other stream.
    unsafe { result::graph::launch(executable, stream.cu_stream()) }
}

impl Job {
    fn new(context: &Arc<CudaContext>) -> Result<Self, DriverError> {
        // Instead of `context.load_module(..)`.
        let kernels = Kernels::from_ptx(context, PTX)?;
        let stream = context.new_stream()?;
        // SAFETY: one stream uses all memory, and another only between being forked from it and joined to it.
        unsafe { context.disable_event_tracking() };
        let zeros = || stream.alloc_zeros::<f32>(ELEMENTS);
        Ok(Self {
            map: kernels.get("map_kernel")?,
            saxpy: kernels.get("saxpy_f32")?,
            scale: kernels.get("scale_f32")?,
            x: stream.clone_htod(&[1_f32; ELEMENTS])?,
            left: zeros()?,
            sum: zeros()?,
            sign: stream.clone_htod(&[1_f32; ELEMENTS])?,
            lifted: zeros()?,
            stream,
        })
    }

    /// `sum = (2 x + 1) + (3 x - 1)`, each in a branch of its own.
    fn branches(&mut self) -> Result<(), DriverError> {
        let side = self.stream.fork()?;
        left_branch(self, &side)?;
        right_branch(self)?;
        self.stream.join(&side)?;
        add_branches(self)
    }

    /// `sign = -sign; lifted = sign + 4`.
    fn chain(&mut self) -> Result<(), DriverError> {
        flip(self)?;
        lift(self)
    }

    /// Runs `work` once, which loads what its places need, and then captures it.
    fn graph(&mut self, work: fn(&mut Self) -> Result<(), DriverError>) -> Result<CudaGraph, Box<dyn Error>> {
        work(self)?;
        self.stream.synchronize()?;
        self.stream.begin_capture(sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)?;
        let captured = work(self);
        let graph = self.stream.end_capture(FLAGS)?;
        captured?;
        graph.ok_or_else(|| "the capture gave no graph".into())
    }

    fn run(&mut self) -> Result<(), Box<dyn Error>> {
        let branches = self.graph(Self::branches)?;
        let chain = self.graph(Self::chain)?;
        let clone = Clone::of(&chain)?;
        for _ in 0..REPLAYS {
            replay(&branches)?;
            replay(&chain)?;
            replay_clone(clone.executable, &self.stream)?;
        }
        self.stream.synchronize()?;
        Ok(())
    }

    /// Whether what came out is what the CPU works out.
    fn check(&self) -> Result<(), Box<dyn Error>> {
        let (sum, lifted) = (self.stream.clone_dtoh(&self.sum)?, self.stream.clone_dtoh(&self.lifted)?);
        // Flipped once, and twice with each turn: the sign is that of an odd number of flips.
        let all = |values: &[f32], right: f32| values.iter().all(|value| (value - right).abs() < f32::EPSILON);
        if all(&sum, 5.0) && all(&lifted, 3.0) { Ok(()) } else { Err("the results are wrong".into()) }
    }
}

/// A clone of a graph, ready to be launched.
struct Clone {
    graph: sys::CUgraph,
    executable: sys::CUgraphExec,
}

impl Clone {
    fn of(graph: &CudaGraph) -> Result<Self, DriverError> {
        let mut clone = std::ptr::null_mut();
        // SAFETY: the graph is alive, and the clone is destroyed with what this gives, or here.
        unsafe { sys::cuGraphClone(&raw mut clone, graph.cu_graph()) }.result()?;
        // SAFETY: made above.
        let executable = unsafe { result::graph::instantiate(clone, FLAGS) };
        // Without an executable the clone is destroyed all the same.
        let this = Self { graph: clone, executable: executable.unwrap_or(std::ptr::null_mut()) };
        executable.map(|_| this)
    }
}

impl Drop for Clone {
    fn drop(&mut self) {
        if !self.executable.is_null() {
            // SAFETY: made by `of`, and not launched any more. There is nothing to do about an error.
            let _ = unsafe { result::graph::exec_destroy(self.executable) };
        }
        // SAFETY: as above.
        let _ = unsafe { result::graph::destroy(self.graph) };
    }
}

fn main() -> ExitCode {
    match graph_names(&mut io::stdout()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Where stderr is gone too, the exit code is all that can be said.
            let _ = writeln!(io::stderr(), "graph_names: {error}");
            ExitCode::FAILURE
        }
    }
}

fn graph_names(out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    // Acts only where LAUNCHSITE and its like have not decided, and before the kernels are loaded.
    launchsite::default_parts(Parts::NVTX | Parts::SYMBOLS);
    // SAFETY: it only opens the driver's library and closes it again.
    if !unsafe { sys::is_culib_present() } {
        writeln!(out, "There is no CUDA driver on this machine (no libcuda): nothing was run.")?;
        return Ok(());
    }
    let context = CudaContext::new(0)?;
    let mut job = Job::new(&context)?;
    job.run()?;
    job.check()?;
    let (once, twice) = (1 + REPLAYS, 1 + 2 * REPLAYS);
    writeln!(
        out,
        "Ran on {}; results agree with the CPU. What a profiler counts with --cuda-graph-trace=node:\n\
         {once:>6}  graph_names::left_branch, graph_names::right_branch, graph_names::add_branches, each\n\
         {twice:>6}  graph_names::flip, graph_names::lift, each",
        context.name()?,
    )?;
    Ok(())
}
