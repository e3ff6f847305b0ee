//! The job on a GPU, through cudarc.
//!
//! Each operation is a function with `#[gpu_kernel]`, and that is all there is to it: nothing else in here knows about
//! names or times.

#![expect(unsafe_code, reason = "cudarc's launches are unsafe: only the caller knows what a kernel takes")]

use std::sync::Arc;

use cudarc::driver::{
    CudaContext, CudaFunction, CudaModule, CudaSlice, CudaStream, CudaViewMut, DeviceRepr, DriverError, LaunchConfig,
    PushKernelArg, sys,
};
use cudarc::nvrtc::Ptx;
use launchsite::gpu_kernel;

use super::reference::{FADE, Job, KEEP, OFFSET, Outcome, SHARPNESS, STEP};

/// Made from `kernels/quickstart.cu` by `kernels/build.sh`.
const PTX: &str = include_str!("../kernels/quickstart.ptx");

/// Threads in each block.
const BLOCK: u32 = 256;

/// The first GPU, with the job's kernels on it.
pub(crate) struct Gpu {
    name: String,
    stream: Arc<CudaStream>,
    kernels: Kernels,
}

struct Kernels {
    saxpy: CudaFunction,
    scale_f32: CudaFunction,
    scale_f64: CudaFunction,
    map: CudaFunction,
    sum: CudaFunction,
    softmax: CudaFunction,
}

impl Gpu {
    /// Opens the first GPU, or says why there is none to use.
    pub(crate) fn open() -> Result<Self, String> {
        // Asked before anything else: without the library, cudarc's first call panics.
        // SAFETY: it only opens the driver's library and closes it again.
        if !unsafe { sys::is_culib_present() } {
            return Err("there is no CUDA driver on this machine (no libcuda)".to_owned());
        }
        let context = CudaContext::new(0).map_err(|e| format!("the CUDA driver has no GPU for us: {e}"))?;
        let name = context.name().map_err(|e| format!("the GPU does not answer: {e}"))?;
        let refused = |e| format!("{name} cannot run the example's kernels: {e}");
        let module = context.load_module(Ptx::from_src(PTX)).map_err(refused)?;
        let kernels = Kernels::of(&module).map_err(refused)?;
        // The one stream that a context has by itself: with others, cudarc keeps track of what each does with a buffer, and
        // may have one wait for another inside a launch call, so that no time could be calibrated.
        let stream = context.default_stream();
        Ok(Self { name, stream, kernels })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Runs the job and returns when its results are back.
    pub(crate) fn run(&self, job: &Job) -> Result<Outcome, DriverError> {
        let x = self.stream.clone_htod(&job.x)?;
        let mut y = self.stream.clone_htod(&job.y)?;
        let mut decay = self.stream.clone_htod(&job.decay)?;
        let mut logits = self.stream.alloc_zeros::<f32>(job.elements())?;
        let mut probabilities = self.stream.alloc_zeros::<f32>(job.elements())?;
        let mut weights = self.stream.alloc_zeros::<f32>(job.elements())?;
        let mut totals = self.stream.alloc_zeros::<f32>(usize::from(job.steps))?;

        for mut total in totals.as_view_mut().chunks_exact_mut(1) {
            saxpy(self, STEP, &x, &mut y)?;
            scale(self, KEEP, &mut y)?;
            scale(self, FADE, &mut decay)?;
            sum(self, &y, &mut total)?;
            to_logits(self, &y, &mut logits)?;
            softmax(self, job, &logits, &mut probabilities)?;
            to_weights(self, job, &probabilities, &mut weights)?;
        }

        let outcome = Outcome {
            y: self.stream.clone_dtoh(&y)?,
            decay: self.stream.clone_dtoh(&decay)?,
            weights: self.stream.clone_dtoh(&weights)?,
            totals: self.stream.clone_dtoh(&totals)?,
        };
        self.stream.synchronize()?;
        Ok(outcome)
    }
}

impl Kernels {
    fn of(module: &Arc<CudaModule>) -> Result<Self, DriverError> {
        Ok(Self {
            saxpy: module.load_function("saxpy_f32")?,
            scale_f32: module.load_function("scale_f32")?,
            scale_f64: module.load_function("scale_f64")?,
            map: module.load_function("map_kernel")?,
            sum: module.load_function("sum_f32")?,
            softmax: module.load_function("softmax_f32")?,
        })
    }
}

/// A type that there is a `scale` kernel for.
trait Scalar: Copy + DeviceRepr {
    fn scale_kernel(kernels: &Kernels) -> &CudaFunction;
}

impl Scalar for f32 {
    fn scale_kernel(kernels: &Kernels) -> &CudaFunction {
        &kernels.scale_f32
    }
}

impl Scalar for f64 {
    fn scale_kernel(kernels: &Kernels) -> &CudaFunction {
        &kernels.scale_f64
    }
}

/// `blocks` blocks, within what a grid may have; the kernels stride, so that fewer blocks than asked do as well.
fn grid(blocks: usize) -> LaunchConfig {
    let blocks = u32::try_from(blocks).unwrap_or(u32::MAX).clamp(1, 1 << 20);
    LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (BLOCK, 1, 1), shared_mem_bytes: 0 }
}

/// A thread for each of `elements`.
fn per_element(elements: usize) -> LaunchConfig {
    grid(elements.div_ceil(BLOCK as usize))
}

#[gpu_kernel]
fn saxpy(gpu: &Gpu, a: f32, x: &CudaSlice<f32>, y: &mut CudaSlice<f32>) -> Result<(), DriverError> {
    let n = x.len().min(y.len());
    let mut builder = gpu.stream.launch_builder(&gpu.kernels.saxpy);
    builder.arg(&n).arg(&a).arg(x).arg(y);
    // SAFETY: the arguments are those of `saxpy_f32`, and both slices have at least `n` elements.
    unsafe { builder.launch(per_element(n)) }?;
    Ok(())
}

#[gpu_kernel]
fn scale<T: Scalar>(gpu: &Gpu, factor: T, x: &mut CudaSlice<T>) -> Result<(), DriverError> {
    let n = x.len();
    let mut b = gpu.stream.launch_builder(T::scale_kernel(&gpu.kernels));
    b.arg(&n).arg(&factor).arg(x);
    // SAFETY: the arguments are those of `T`'s kernel, and the slice has `n` elements.
    unsafe { b.launch(per_element(n)) }?;
    Ok(())
}

#[gpu_kernel]
fn sum(gpu: &Gpu, x: &CudaSlice<f32>, total: &mut CudaViewMut<'_, f32>) -> Result<(), DriverError> {
    let n = x.len();
    // Every block ends in one atomic addition to the same place, so a few busy blocks beat many short ones.
    let config = grid(n.div_ceil(BLOCK as usize).min(1024));
    // SAFETY: the arguments are those of `sum_f32`; `x` has `n` elements and `total` has one.
    unsafe { gpu.stream.launch_builder(&gpu.kernels.sum).arg(&n).arg(x).arg(total).launch(config) }?;
    Ok(())
}

#[gpu_kernel]
fn softmax(gpu: &Gpu, job: &Job, x: &CudaSlice<f32>, y: &mut CudaSlice<f32>) -> Result<(), DriverError> {
    let (rows, columns) = (usize::from(job.rows), usize::from(job.columns));
    let builder = &mut gpu.stream.launch_builder(&gpu.kernels.softmax);
    // SAFETY: the arguments are those of `softmax_f32`, and both slices have `rows * columns` elements.
    unsafe { builder.arg(&rows).arg(&columns).arg(x).arg(y).launch(grid(rows)) }?;
    Ok(())
}

/// Launches `map_kernel`, as [`to_weights`] does: a profiler alone shows both under that one name.
#[gpu_kernel]
fn to_logits(gpu: &Gpu, y: &CudaSlice<f32>, logits: &mut CudaSlice<f32>) -> Result<(), DriverError> {
    let n = y.len().min(logits.len());
    // SAFETY: the arguments are those of `map_kernel`, and both slices have at least `n` elements.
    unsafe {
        gpu.stream
            .launch_builder(&gpu.kernels.map)
            .arg(&n)
            .arg(&SHARPNESS)
            .arg(&OFFSET)
            .arg(y)
            .arg(logits)
            .launch(per_element(n))
    }?;
    Ok(())
}

#[gpu_kernel]
fn to_weights(gpu: &Gpu, job: &Job, p: &CudaSlice<f32>, weights: &mut CudaSlice<f32>) -> Result<(), DriverError> {
    let (n, columns) = (p.len().min(weights.len()), f32::from(job.columns));
    let mut b = gpu.stream.launch_builder(&gpu.kernels.map);
    b.arg(&n).arg(&columns).arg(&0.0_f32).arg(p).arg(weights);
    // SAFETY: the arguments are those of `map_kernel`, and both slices have at least `n` elements.
    unsafe { b.launch(per_element(n)) }?;
    Ok(())
}
