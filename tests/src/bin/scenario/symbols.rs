//! Programs whose kernels have symbols of their own where they are launched, on the scripted driver.

#![allow(unsafe_code, reason = "launches")]

use std::sync::{Arc, Barrier};
use std::thread;

use cudarc::driver::sys::{CUfunction_attribute_enum, CUgraphInstantiate_flags, CUresult, CUstreamCaptureMode};
use cudarc::driver::{CudaContext, CudaFunction, CudaStream, DriverError, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use launchsite::{Kernel, Kernels, Parts, gpu_kernel};

use super::cuda::refuse;
use crate::rig::{LONG, say};
use crate::{Args, Failure, Program};

pub(crate) const PROGRAMS: &[(&str, Program)] = &[
    ("symbols_sites", sites),
    ("symbols_refused", refused),
    ("symbols_images", images),
    ("symbols_capture", capture),
    ("symbols_threads", threads),
    ("symbols_attributes", attributes),
    ("symbols_errors", errors),
    ("symbols_toggled", toggled),
];

const PTX: &str = ".version 8.1\n.target sm_60\n.address_size 64\n\
    .global .u32 counter;\n.func twice() { ret; }\n\
    .visible .entry scale(.param .f32 by) { call twice; ret; }\n\
    .visible .entry empty() { ret; }\n\
    .visible .entry count() { red.global.add.u32 [counter], 1; ret; }\n\
    .visible .entry child() { ret; }\n\
    .visible .entry parent() { mov.u64 %rd1, child; ret; }\n";

const ONE: LaunchConfig = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (1, 1, 1), shared_mem_bytes: 0 };

struct Gpu {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    kernels: Kernels,
}

impl Gpu {
    fn new() -> Result<Self, DriverError> {
        let context = CudaContext::new(0)?;
        let kernels = Kernels::from_ptx(&context, PTX)?;
        Ok(Self { stream: context.new_stream()?, context, kernels })
    }
}

#[gpu_kernel]
fn chained(stream: &CudaStream, kernel: &Kernel) -> Result<(), DriverError> {
    // SAFETY: kernels of the scripted driver read nothing.
    unsafe { stream.launch_builder(kernel).arg(&1.0_f32).launch(ONE) }?; // site: chained
    Ok(())
}

#[gpu_kernel]
fn kept(stream: &CudaStream, kernel: &Kernel) -> Result<(), DriverError> {
    let mut builder = stream.launch_builder(kernel); // site: builder
    builder.arg(&2.0_f32);
    // SAFETY: kernels of the scripted driver read nothing.
    unsafe { builder.launch(ONE) }?; // site: kept
    Ok(())
}

#[gpu_kernel]
fn generic<T>(stream: &CudaStream, kernel: &Kernel, _: T) -> Result<(), DriverError> {
    let mut builder = stream.launch_builder(kernel);
    // SAFETY: kernels of the scripted driver read nothing.
    unsafe { builder.launch(ONE) }?; // site: generic
    Ok(())
}

#[gpu_kernel(caller)]
fn helper(stream: &CudaStream, kernel: &Kernel) -> Result<(), DriverError> {
    // SAFETY: kernels of the scripted driver read nothing.
    unsafe { stream.launch_builder(kernel).launch(ONE) }?;
    Ok(())
}

/// Without the attribute the place is the line that makes a `CudaFunction` of the kernel.
fn unnamed(stream: &CudaStream, kernel: &Kernel) -> Result<(), DriverError> {
    let mut builder = stream.launch_builder(kernel); // site: unnamed
    // SAFETY: kernels of the scripted driver read nothing.
    unsafe { builder.launch(ONE) }?;
    Ok(())
}

/// What is no `Kernel` any more.
#[gpu_kernel]
fn by_function(stream: &CudaStream, function: &CudaFunction) -> Result<(), DriverError> {
    // SAFETY: kernels of the scripted driver read nothing.
    unsafe { stream.launch_builder(function).launch(ONE) }?;
    Ok(())
}

/// Launches `scale` three times from each place, fetched anew each time.
fn sites(_: &Args) -> Result<(), Failure> {
    let gpu = Gpu::new()?;
    for _ in 0..3 {
        let scale = &gpu.kernels.get("scale")?;
        chained(&gpu.stream, scale)?;
        kept(&gpu.stream, scale)?;
        generic(&gpu.stream, scale, 1_u8)?;
        generic(&gpu.stream, scale, 1_u16)?;
        helper(&gpu.stream, scale)?; // site: caller
        unnamed(&gpu.stream, scale)?;
        by_function(&gpu.stream, scale)?; // site: function
    }
    say("missing", gpu.kernels.get("nothing").err().map(|error| error.0 as i32));
    say("nul", gpu.kernels.get("scale\0").err().map(|error| error.0 as i32));
    gpu.stream.synchronize()?;
    Ok(launchsite::flush(LONG)?)
}

/// Kernels that keep their names.
fn refused(_: &Args) -> Result<(), Failure> {
    let gpu = Gpu::new()?;
    for _ in 0..2 {
        for name in ["count", "child", "parent", "empty"] {
            chained(&gpu.stream, &gpu.kernels.get(name)?)?;
        }
    }
    Ok(())
}

/// Modules that are no text.
fn images(_: &Args) -> Result<(), Failure> {
    let context = CudaContext::new(0)?;
    std::fs::write("module.ptx", "// any kernel is there")?;
    for image in [Ptx::from_binary(b"\x7fELF\0".to_vec()), Ptx::from_file("module.ptx")] {
        let kernels = Kernels::from_ptx(&context, image)?;
        chained(&context.default_stream(), &kernels.get("scale")?)?;
    }
    Ok(())
}

/// First used while a capture goes on, in the mode that forbids most.
fn capture(_: &Args) -> Result<(), Failure> {
    let gpu = Gpu::new()?;
    let empty = gpu.kernels.get("empty")?;
    gpu.stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_GLOBAL)?;
    chained(&gpu.stream, &empty)?;
    kept(&gpu.stream, &empty)?;
    let graph = gpu.stream.end_capture(CUgraphInstantiate_flags(0))?.expect("a graph");
    for _ in 0..5 {
        graph.launch()?;
    }
    gpu.stream.synchronize()?;
    Ok(())
}

/// Eight threads come to each place at one moment.
fn threads(_: &Args) -> Result<(), Failure> {
    let gpu = Gpu::new()?;
    let together = Barrier::new(8);
    let launch = || {
        let scale = gpu.kernels.get("scale")?;
        together.wait();
        (0..50).try_for_each(|_| chained(&gpu.stream, &scale).and_then(|()| kept(&gpu.stream, &scale)))
    };
    thread::scope(|scope| {
        let all: Vec<_> = (0..8).map(|_| scope.spawn(launch)).collect();
        all.into_iter().try_for_each(|thread| thread.join().expect("it does not panic"))
    })?;
    Ok(())
}

/// An attribute goes for places that were there before and for those that come later.
fn attributes(_: &Args) -> Result<(), Failure> {
    let gpu = Gpu::new()?;
    let empty = gpu.kernels.get("empty")?;
    chained(&gpu.stream, &empty)?;
    empty.set_attribute(CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 65536)?;
    kept(&gpu.stream, &empty)?;
    Ok(())
}

/// An error that cudarc keeps for the program, and a copy that the driver refuses.
fn errors(_: &Args) -> Result<(), Failure> {
    let gpu = Gpu::new()?;
    let empty = gpu.kernels.get("empty")?;
    gpu.context.record_err::<()>(Err(DriverError(CUresult::CUDA_ERROR_INVALID_VALUE)));
    // Fetched, and not launched: a launch takes the error.
    let function: &CudaFunction = &empty; // site: fetched
    say("kept", gpu.context.check_err().err().map(|error| error.0 as i32));
    by_function(&gpu.stream, function)?;
    refuse("cuModuleLoadData", 1, 218);
    for _ in 0..2 {
        chained(&gpu.stream, &empty)?;
    }
    say("error", gpu.context.check_err().err().map(|error| error.0 as i32));
    Ok(())
}

/// Asked for in code, off again, and asked for too late.
fn toggled(_: &Args) -> Result<(), Failure> {
    let late = Gpu::new()?;
    say("set", launchsite::set_parts(Parts::NVTX | Parts::SYMBOLS));
    chained(&late.stream, &late.kernels.get("empty")?)?;
    let gpu = Gpu::new()?;
    let empty = gpu.kernels.get("empty")?;
    for parts in [Parts::SYMBOLS, Parts::NVTX, Parts::ON | Parts::SYMBOLS] {
        launchsite::set_parts(parts);
        chained(&gpu.stream, &empty)?;
    }
    Ok(launchsite::flush(LONG)?)
}
