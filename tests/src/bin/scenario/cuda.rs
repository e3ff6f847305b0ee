//! Programs that launch through cudarc, on the scripted driver.

#![allow(unsafe_code, reason = "launches")]

use std::ffi::CString;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;

use cudarc::driver::{CudaContext, CudaFunction, CudaStream, DriverError, LaunchConfig, PushKernelArg, result, sys};
use cudarc::nvrtc::Ptx;
use launchsite::{Graph, gpu_kernel};

use crate::rig::{LONG, say};
use crate::{Args, Failure, Program};

pub(crate) const PROGRAMS: &[(&str, Program)] = &[
    ("cuda_streams", streams),
    ("cuda_driver_calls", driver_calls),
    ("cuda_capture", capture),
    ("cuda_captures_beside", captures_beside),
    ("cuda_windows_beside_capture", windows_beside_capture),
    ("cuda_forked_capture", forked_capture),
    ("cuda_legacy_beside_capture", legacy_beside_capture),
    ("cuda_refused", refused),
    ("cuda_contexts", contexts),
    ("cuda_devices", devices),
    ("cuda_scope_elsewhere", scope_elsewhere),
    ("cuda_stream_let_go", stream_let_go),
    ("cuda_threads", threads),
    ("cuda_stream_that_waits", stream_that_waits),
    ("cuda_graph_entered", graph_entered),
    ("cuda_graph_fails", graph_fails),
    ("cuda_graph_by_handle", graph_by_handle),
];

const CONFIG: LaunchConfig = LaunchConfig { grid_dim: (7, 2, 1), block_dim: (32, 4, 3), shared_mem_bytes: 48 };

struct Gpu {
    context: Arc<CudaContext>,
    kernel: CudaFunction,
}

impl Gpu {
    fn new(device: usize) -> Result<Self, DriverError> {
        Self::of(CudaContext::new(device)?)
    }

    fn of(context: Arc<CudaContext>) -> Result<Self, DriverError> {
        let module = context.load_module(Ptx::from_src("// any kernel is there"))?;
        Ok(Self { kernel: module.load_function("scale")?, context })
    }
}

#[gpu_kernel]
fn scale(stream: &CudaStream, kernel: &CudaFunction, by: f32) -> Result<(), DriverError> {
    let mut builder = stream.launch_builder(kernel);
    builder.arg(&by);
    // SAFETY: kernels of the scripted driver read nothing.
    unsafe { builder.launch(CONFIG) }?; // site: scale
    Ok(())
}

#[gpu_kernel]
fn scale_by_handle(stream: sys::CUstream, kernel: sys::CUfunction) -> Result<(), DriverError> {
    let (grid, block) = (CONFIG.grid_dim, CONFIG.block_dim);
    // SAFETY: kernels of the scripted driver read nothing.
    unsafe { result::launch_kernel(kernel, grid, block, CONFIG.shared_mem_bytes, stream, &mut []) } // site: by_handle
}

/// Launches `N` times on each kind of stream.
fn streams(args: &Args) -> Result<(), Failure> {
    let Gpu { context, kernel } = &Gpu::new(0)?;
    let streams = [
        context.new_stream()?,
        context.new_stream_with_priority(-1)?,
        context.default_stream(),
        context.per_thread_stream(),
    ];
    for _ in 0..args.number(0, 1) {
        for stream in &streams {
            scale(stream, kernel, 2.0)?;
        }
    }
    launchsite::flush(LONG)?;
    say("error", context.check_err().err().map(|error| error.to_string()));
    Ok(())
}

/// The same through handles, which know no context: that of the thread is asked for.
fn driver_calls(_: &Args) -> Result<(), Failure> {
    let Gpu { context, kernel } = &Gpu::new(0)?;
    for stream in [context.new_stream()?, context.default_stream()] {
        scale_by_handle(stream.cu_stream(), kernel.cu_function())?;
    }
    Ok(launchsite::flush(LONG)?)
}

fn capture_mode(number: u64) -> sys::CUstreamCaptureMode {
    use sys::CUstreamCaptureMode::{
        CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_RELAXED, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
    };
    match number {
        0 => CU_STREAM_CAPTURE_MODE_GLOBAL,
        1 => CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
        _ => CU_STREAM_CAPTURE_MODE_RELAXED,
    }
}

/// Windows of a profiler's own, the first of which comes while another stream is captured in the mode `N`.
fn windows_beside_capture(args: &Args) -> Result<(), Failure> {
    let Gpu { context, kernel } = &Gpu::new(0)?;
    let [captured, other] = [context.new_stream()?, context.new_stream()?];
    let profiler = launchsite::Profiler::new(context);
    captured.begin_capture(capture_mode(args.number(0, 0)))?;
    say("captured", profiler.start(&captured).err().map(|error| error.to_string()));
    let token = profiler.start(&other)?;
    scale(&other, kernel, 2.0)?;
    let span = profiler.stop(token)?;
    scale(&captured, kernel, 2.0)?;
    say("duration_ns", span.resolve()?.duration_ns);
    let graph = captured.end_capture(sys::CUgraphInstantiate_flags(0))?;
    say("graph", graph.is_some());
    Ok(launchsite::flush(LONG)?)
}

/// Captures four launches in the mode `N`, so many times, on two streams; four other threads launch meanwhile.
fn captures_beside(args: &Args) -> Result<(), Failure> {
    let (mode, rounds) = (capture_mode(args.number(0, 0)), args.number(1, 1));
    let Gpu { context, kernel } = &Gpu::new(0)?;
    let [captured, side] = [context.new_stream()?, context.new_stream()?];
    let streams = [context.new_stream()?, context.new_stream()?, context.new_stream()?, context.new_stream()?];
    let over = AtomicBool::new(false);
    let launched = thread::scope(|scope| {
        let launching = streams.each_ref().map(|stream| {
            let over = &over;
            scope.spawn(move || {
                let mut launched = 0_u64;
                while !over.load(Ordering::Relaxed) {
                    scale(stream, kernel, 1.0)?;
                    launched += 1;
                    thread::sleep(Duration::from_micros(500));
                }
                Ok::<_, DriverError>(launched)
            })
        });
        let done = (0..rounds).try_for_each(|_| {
            captured.begin_capture(mode)?;
            scale(&captured, kernel, 2.0)?;
            side.join(&captured)?;
            scale(&side, kernel, 3.0)?;
            // Longer than the collector rests between two looks.
            thread::sleep(Duration::from_millis(5));
            captured.join(&side)?;
            scale(&captured, kernel, 4.0)?;
            scale(&captured, kernel, 5.0)?;
            captured.end_capture(sys::CUgraphInstantiate_flags(0)).map(drop)
        });
        over.store(true, Ordering::Relaxed);
        let launched = launching.map(|thread| thread.join().expect("it does not panic"));
        done.and_then(|()| launched.into_iter().sum::<Result<u64, _>>())
    })?;
    say("launched", launched);
    Ok(launchsite::flush(LONG)?)
}

/// Captures two launches in the mode `N`, launches beside it, and replays the graph.
fn capture(args: &Args) -> Result<(), Failure> {
    let mode = capture_mode(args.number(0, 0));
    let Gpu { context, kernel } = &Gpu::new(0)?;
    let [captured, beside] = [context.new_stream()?, context.new_stream()?];
    scale(&beside, kernel, 1.0)?;
    captured.begin_capture(mode)?;
    scale(&captured, kernel, 2.0)?;
    scale(&beside, kernel, 3.0)?;
    // The collector reads while the capture goes on.
    launchsite::flush(LONG)?;
    scale(&captured, kernel, 4.0)?;
    replay(&captured, 3)?;
    captured.synchronize()?;
    Ok(launchsite::flush(LONG)?)
}

/// Captures a launch on a stream that takes part in another's capture.
fn forked_capture(_: &Args) -> Result<(), Failure> {
    let Gpu { context, kernel } = &Gpu::new(0)?;
    let captured = context.new_stream()?;
    captured.begin_capture(sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)?;
    let side = captured.fork()?;
    scale(&captured, kernel, 1.0)?;
    scale(&side, kernel, 2.0)?;
    captured.join(&side)?;
    replay(&captured, 1)?;
    // The capture is over for both.
    scale(&side, kernel, 3.0)?;
    Ok(launchsite::flush(LONG)?)
}

/// Where the capture ends, the graph's stream is told: a graph keeps it to itself.
#[gpu_kernel]
fn replay(captured: &Arc<CudaStream>, times: usize) -> Result<(), DriverError> {
    let graph = captured.end_capture(sys::CUgraphInstantiate_flags(0))?.expect("a graph");
    for _ in 0..times {
        graph.launch()?; // site: replay
    }
    Ok(())
}

/// Launches on a stream that captures, while the legacy stream would have to wait for it.
fn legacy_beside_capture(_: &Args) -> Result<(), Failure> {
    let Gpu { context, kernel } = &Gpu::new(0)?;
    let handle = result::stream::create(result::stream::StreamKind::Default)?;
    // SAFETY: made above, and not destroyed while it is in use.
    let blocking = unsafe { context.wrap_borrowed_stream(handle) };
    blocking.begin_capture(sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED)?;
    scale(&blocking, kernel, 1.0)?;
    let graph = blocking.end_capture(sys::CUgraphInstantiate_flags(0));
    say("captured", graph.is_ok_and(|graph| graph.is_some()));
    blocking.begin_capture(sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED)?;
    let launched = scale(&context.default_stream(), kernel, 2.0);
    say("launched", launched.err().map(|error| error.0 as i32));
    let graph = blocking.end_capture(sys::CUgraphInstantiate_flags(0));
    say("spoilt", graph.err().map(|error| error.0 as i32));
    Ok(launchsite::flush(LONG)?)
}

/// Three launches: of the second, the driver refuses the call that the first argument names, its `n`-th of that name,
/// with the status that is the third.
fn refused(args: &Args) -> Result<(), Failure> {
    let Gpu { context, kernel } = &Gpu::new(0)?;
    let stream = context.new_stream()?;
    for turn in 0..3 {
        if turn == 1 {
            refuse(args.text(0), args.number(1, 1), args.number(2, 700));
        }
        let launched = scale(&stream, kernel, 2.0);
        say("launched", launched.err().map(|error| error.0 as i32));
    }
    stream.synchronize()?;
    launchsite::flush(LONG)?;
    say("error", context.check_err().err().map(|error| error.to_string()));
    Ok(())
}

/// Has the driver refuse the `nth` call of `function` that this thread makes from now on.
pub(crate) fn refuse(function: &str, nth: u64, status: u64) {
    type Refuse = unsafe extern "C" fn(*const std::ffi::c_char, u32, i32);
    // SAFETY: the driver is loaded already.
    let library = unsafe { sys::culib() };
    // SAFETY: the scripted driver's, of this type.
    let refuse = unsafe { library.get::<Refuse>(b"scripted_driver_refuse") }.expect("the scripted driver");
    let function = CString::new(function).expect("a name");
    let (nth, status) = (u32::try_from(nth).expect("small"), i32::try_from(status).expect("small"));
    // SAFETY: the name ends in a NUL.
    unsafe { refuse(function.as_ptr(), nth, status) };
}

/// Launches in a device's primary context and in another one of the same device, and goes from one to the other.
fn contexts(_: &Args) -> Result<(), Failure> {
    let primary = Gpu::new(0)?;
    let mut handle = std::ptr::null_mut();
    // SAFETY: makes a context, which its wrapper destroys.
    unsafe { sys::cuCtxCreate_v4(&raw mut handle, std::ptr::null_mut(), 0, 0) }.result()?;
    // SAFETY: made above, and given away.
    let other = unsafe { CudaContext::from_raw_context(0, 0, handle) }?;
    let other = Gpu::of(other)?;
    let streams = [&primary, &other].map(|gpu| (gpu.context.default_stream(), &gpu.kernel));
    for _ in 0..2 {
        for (stream, kernel) in &streams {
            scale(stream, kernel, 2.0)?;
        }
    }
    launchsite::flush(LONG)?;
    let current = result::ctx::get_current()?;
    say("context_is_the_last_launches", current == Some(other.context.cu_ctx()));
    Ok(())
}

/// Launches on the default streams of two devices, which have one handle.
fn devices(_: &Args) -> Result<(), Failure> {
    for device in [0, 1, 0] {
        let Gpu { context, kernel } = &Gpu::new(device)?;
        scale(&context.default_stream(), kernel, 2.0)?;
        launchsite::flush(LONG)?;
    }
    Ok(())
}

/// A scope on a stream of another device than the thread's, on one of its own, and on one where the thread is in none.
fn scope_elsewhere(_: &Args) -> Result<(), Failure> {
    let [here, there] = [CudaContext::new(0)?, CudaContext::new(1)?];
    let streams = [here.new_stream()?, there.new_stream()?];
    for own in [Some(here.cu_ctx()), None] {
        // SAFETY: a context that is there, or none.
        unsafe { result::ctx::set_current(own.unwrap_or(std::ptr::null_mut())) }?;
        for stream in &streams {
            let inside = library_call(stream)?;
            say("context_is_left_alone", inside == own && result::ctx::get_current()? == own);
        }
    }
    Ok(launchsite::flush(LONG)?)
}

#[gpu_kernel(scope, stream = stream)]
fn library_call(stream: &CudaStream) -> Result<Option<sys::CUcontext>, DriverError> {
    let _ = stream;
    result::ctx::get_current()
}

/// A stream that a function is given and lets go of, before its scope ends and in the place of another.
fn stream_let_go(_: &Args) -> Result<(), Failure> {
    let gpu = Gpu::new(0)?;
    lets_go(gpu.context.new_stream()?)?;
    Ok(launchsite::flush(LONG)?)
}

#[gpu_kernel(scope, stream = stream)]
fn lets_go(stream: Arc<CudaStream>) -> Result<(), DriverError> {
    let context = stream.context().clone();
    drop(stream);
    context.new_stream().map(drop)
}

/// Two threads launch on their default streams, which have one handle.
fn threads(_: &Args) -> Result<(), Failure> {
    let gpu = Gpu::new(0)?;
    let together = Barrier::new(2);
    let launch = || {
        together.wait();
        let stream = gpu.context.per_thread_stream();
        scale(&stream, &gpu.kernel, 2.0).and_then(|()| scale(&stream, &gpu.kernel, 3.0))
    };
    thread::scope(|scope| {
        let both = [scope.spawn(launch), scope.spawn(launch)];
        both.into_iter().try_for_each(|thread| thread.join().expect("it does not panic"))
    })?;
    Ok(launchsite::flush(LONG)?)
}

/// Launches on memory that another stream is still writing: cudarc has the stream wait.
fn stream_that_waits(_: &Args) -> Result<(), Failure> {
    let Gpu { context, kernel } = &Gpu::new(0)?;
    let [one, other] = [context.new_stream()?, context.new_stream()?];
    let mut data = one.alloc_zeros::<u32>(64)?;
    for _ in 0..50 {
        write(&one, kernel, &mut data)?;
    }
    write(&other, kernel, &mut data)?;
    say("data", other.clone_dtoh(&data)?.iter().sum::<u32>());
    Ok(launchsite::flush(LONG)?)
}

#[gpu_kernel]
fn write(
    stream: &CudaStream,
    kernel: &CudaFunction,
    data: &mut cudarc::driver::CudaSlice<u32>,
) -> Result<(), DriverError> {
    // SAFETY: kernels of the scripted driver read nothing.
    unsafe { stream.launch_builder(kernel).arg(data).launch(CONFIG) }?;
    Ok(())
}

#[gpu_kernel]
fn left(side: &CudaStream, kernel: &CudaFunction) -> Result<(), DriverError> {
    // SAFETY: kernels of the scripted driver read nothing.
    unsafe { side.launch_builder(kernel).launch(CONFIG) }?; // site: left
    Ok(())
}

#[gpu_kernel]
fn right(stream: &CudaStream, kernel: &CudaFunction) -> Result<(), DriverError> {
    for _ in 0..2 {
        // SAFETY: as above.
        unsafe { stream.launch_builder(kernel).launch(CONFIG) }?; // site: right
    }
    Ok(())
}

/// Two branches, on two streams, and what follows both.
fn branches(stream: &Arc<CudaStream>, kernel: &CudaFunction) -> Result<(), DriverError> {
    let side = stream.fork()?;
    left(&side, kernel)?;
    right(stream, kernel)?;
    stream.join(&side)?;
    scale(stream, kernel, 2.0)
}

/// Enters a graph with branches `N` times.
fn graph_entered(args: &Args) -> Result<(), Failure> {
    let Gpu { context, kernel } = &Gpu::new(0)?;
    let stream = context.new_stream()?;
    let mut graph = Graph::named("branches");
    for turn in 0..args.number(0, 10) {
        graph.run(&stream, || branches(&stream, kernel))?;
        if turn % 16 == 15 {
            stream.synchronize()?;
            launchsite::flush(LONG)?;
        }
    }
    stream.synchronize()?;
    say("launches", graph.launches());
    launchsite::flush(LONG)?;
    say("error", context.check_err().err().map(|error| error.to_string()));
    Ok(())
}

/// Waits for the stream in a capture, in each mode of taking notice of it, and enters again.
fn graph_fails(_: &Args) -> Result<(), Failure> {
    let Gpu { context, kernel } = &Gpu::new(0)?;
    let stream = context.new_stream()?;
    for notices in [true, false] {
        let mut graph = Graph::new();
        graph.run(&stream, || scale(&stream, kernel, 1.0))?;
        let failed = graph.run(&stream, || {
            scale(&stream, kernel, 2.0)?;
            let waited = stream.synchronize();
            if notices { waited } else { Ok(()) }
        });
        say("failed", failed.err().map(|error| error.to_string()));
        say("created", graph.created());
        graph.run(&stream, || scale(&stream, kernel, 3.0))?;
        say("created", graph.created());
    }
    stream.synchronize()?;
    Ok(launchsite::flush(LONG)?)
}

#[gpu_kernel]
fn replay_by_handle(executable: sys::CUgraphExec, stream: &CudaStream) -> Result<(), DriverError> {
    // SAFETY: both are alive.
    unsafe { result::graph::launch(executable, stream.cu_stream()) } // site: replay_by_handle
}

/// Launches a graph by the handle of its executable.
fn graph_by_handle(_: &Args) -> Result<(), Failure> {
    let Gpu { context, kernel } = &Gpu::new(0)?;
    let stream = context.new_stream()?;
    stream.begin_capture(sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)?;
    scale(&stream, kernel, 1.0)?;
    let graph = stream.end_capture(sys::CUgraphInstantiate_flags(0))?.expect("a graph");
    replay_by_handle(graph.cu_graph_exec(), &stream)?;
    stream.synchronize()?;
    Ok(launchsite::flush(LONG)?)
}
