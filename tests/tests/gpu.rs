//! The behaviours that need a GPU. Where there is none, each test says so on stdout and passes.
//!
//! They share one process and so one session: each looks at the records of its own sites.

#![allow(unsafe_code)] // launches
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)] // a test ends where it fails
#![allow(clippy::print_stdout)] // what was read, and that nothing was

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};
use std::time::{Duration, Instant};

use cudarc::driver::{
    CudaContext, CudaFunction, CudaSlice, CudaStream, DriverError, LaunchConfig, PushKernelArg, result, sys,
};
use cudarc::nvrtc::Ptx;
use launchsite::record::{Mode, Record, Sink};
use launchsite::{Parts, gpu_kernel};

const PTX: &str = include_str!("../../examples/kernels/quickstart.ptx");
const ONE: LaunchConfig = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (1, 1, 1), shared_mem_bytes: 0 };

/// What the tests need of a record.
#[derive(Clone, Debug)]
enum Seen {
    Launch { number: u64, name: String, mode: Mode, reason: Option<String>, span_ns: u64, stream: Option<u32> },
    Gpu { number: u64, name: String, duration_ns: Result<u64, String>, placed: bool },
}

static SEEN: Mutex<Vec<Seen>> = Mutex::new(Vec::new());
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
                placed: timed.time.is_ok_and(|time| time.start_ns.is_some()),
            },
            _ => return,
        };
        SEEN.lock().unwrap().push(seen);
    }
}

struct Gpu {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    spin: CudaFunction,
    empty: CudaFunction,
    scale_f32: CudaFunction,
    scale_f64: CudaFunction,
    _turn: MutexGuard<'static, ()>,
}

/// The GPU, for one test at a time; `None` on a machine without one.
fn gpu() -> Option<Gpu> {
    // SAFETY: opens the driver's library and closes it again.
    if !unsafe { sys::is_culib_present() } {
        println!("no CUDA driver: not run");
        return None;
    }
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    SINK.call_once(|| {
        launchsite::add_sink(Collect);
        assert!(launchsite::set_parts(Parts::ON));
    });
    let context = CudaContext::new(0).expect("a GPU behind the driver");
    let module = context.load_module(Ptx::from_src(PTX)).expect("the kernels load");
    let kernel = |name: &str| module.load_function(name).expect("the kernel is there");
    Some(Gpu {
        stream: context.new_stream().expect("a stream"),
        spin: kernel("spin"),
        empty: kernel("empty"),
        scale_f32: kernel("scale_f32"),
        scale_f64: kernel("scale_f64"),
        context,
        _turn: turn,
    })
}

/// The records of the sites whose names begin with `function`, once they are complete.
fn records(function: &str) -> Vec<Seen> {
    launchsite::flush(Duration::from_secs(20)).expect("the GPU comes to the end");
    let ours = |name: &String| name.starts_with(function);
    let seen = SEEN.lock().unwrap();
    let kept = seen.iter().filter(|seen| match seen {
        Seen::Launch { name, .. } | Seen::Gpu { name, .. } => ours(name),
    });
    kept.cloned().collect()
}

fn modes(records: &[Seen]) -> Vec<Mode> {
    let mode = |seen: &Seen| match seen {
        Seen::Launch { mode, .. } => Some(*mode),
        Seen::Gpu { .. } => None,
    };
    records.iter().filter_map(mode).collect()
}

fn durations(records: &[Seen]) -> Vec<u64> {
    let duration = |seen: &Seen| match seen {
        Seen::Gpu { duration_ns, .. } => Some(duration_ns.clone().expect("a time")),
        Seen::Launch { .. } => None,
    };
    records.iter().filter_map(duration).collect()
}

#[gpu_kernel]
fn spin_50_ms(gpu: &Gpu) -> Result<(), DriverError> {
    let ns = 50_000_000_u64;
    // SAFETY: the kernel takes one u64.
    unsafe { gpu.stream.launch_builder(&gpu.spin).arg(&ns).launch(ONE) }?;
    Ok(())
}

#[test]
fn s0_4_a_long_kernel_is_launched_at_once_and_timed_on_the_gpu() {
    let Some(gpu) = gpu() else { return };
    for _ in 0..5 {
        spin_50_ms(&gpu).unwrap();
        gpu.stream.synchronize().unwrap();
    }
    let records = records("gpu::spin_50_ms");
    assert_eq!(records.len(), 10, "{records:?}");
    for seen in &records {
        match seen {
            Seen::Launch { span_ns, mode, .. } => {
                assert_eq!(*mode, Mode::Timed);
                assert!(*span_ns < 5_000_000, "the launch call took {span_ns} ns");
            }
            Seen::Gpu { duration_ns, placed, .. } => {
                let duration = *duration_ns.as_ref().unwrap();
                assert!((47_500_000..52_500_000).contains(&duration), "{duration} ns");
                assert!(placed, "the time stands on the host's clock");
            }
        }
    }
    println!("50 ms read as {:?} ns", durations(&records));
}

#[gpu_kernel]
fn one_of_many(gpu: &Gpu) -> Result<(), DriverError> {
    // SAFETY: the kernel takes nothing.
    unsafe { gpu.stream.launch_builder(&gpu.empty).launch(ONE) }?;
    Ok(())
}

#[test]
fn s0_2_ten_thousand_launches_lose_no_record() {
    let Some(gpu) = gpu() else { return };
    for _ in 0..10_000 {
        one_of_many(&gpu).unwrap();
    }
    let records = records("gpu::one_of_many");
    let numbers = |gpu_side: bool| -> HashSet<u64> {
        let number = |seen: &Seen| match seen {
            Seen::Launch { number, .. } if !gpu_side => Some(*number),
            Seen::Gpu { number, .. } if gpu_side => Some(*number),
            _ => None,
        };
        records.iter().filter_map(number).collect()
    };
    assert_eq!(numbers(false).len(), 10_000);
    assert_eq!(numbers(false), numbers(true));
    assert!(durations(&records).iter().all(|&ns| ns > 0));
}

#[gpu_kernel]
fn scale<T>(gpu: &Gpu, kernel: &CudaFunction, x: &mut CudaSlice<T>, factor: &T) -> Result<(), DriverError>
where
    T: cudarc::driver::DeviceRepr,
{
    let n = x.len();
    let mut builder = gpu.stream.launch_builder(kernel);
    builder.arg(&n).arg(factor).arg(x);
    // SAFETY: the kernel takes a length, a factor and so many elements.
    unsafe { builder.launch(LaunchConfig::for_num_elems(1000)) }?;
    Ok(())
}

#[test]
fn s2_4_each_instantiation_has_its_name() {
    let Some(gpu) = gpu() else { return };
    let mut single = gpu.stream.clone_htod(&[1_f32; 1000]).unwrap();
    let mut double = gpu.stream.clone_htod(&[1_f64; 1000]).unwrap();
    for _ in 0..3 {
        scale(&gpu, &gpu.scale_f64, &mut double, &2.0).unwrap();
        scale(&gpu, &gpu.scale_f32, &mut single, &2.0).unwrap();
    }
    assert_eq!(records("gpu::scale<f32> ").len(), 6);
    assert_eq!(records("gpu::scale<f64> ").len(), 6);
}

#[gpu_kernel]
fn into_a_graph(gpu: &Gpu) -> Result<(), DriverError> {
    // SAFETY: the kernel takes nothing.
    unsafe { gpu.stream.launch_builder(&gpu.empty).launch(ONE) }?;
    Ok(())
}

fn nodes(graph: sys::CUgraph) -> usize {
    let mut count = 0;
    // SAFETY: a graph that is alive; without room for nodes the driver gives their number.
    let status = unsafe { sys::cuGraphGetNodes(graph, std::ptr::null_mut(), &raw mut count) };
    status.result().unwrap();
    count
}

#[test]
fn s3_7_a_captured_launch_leaves_the_graph_as_it_was() {
    let Some(gpu) = gpu() else { return };
    let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_GLOBAL;
    let before = records("gpu::into_a_graph").len();
    gpu.stream.begin_capture(mode).unwrap();
    for _ in 0..10 {
        into_a_graph(&gpu).unwrap();
    }
    let flags = sys::CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
    let graph = gpu.stream.end_capture(flags).unwrap().expect("a graph");
    // peak#84: a profiler's events became nodes of the user's graph.
    assert_eq!(nodes(graph.cu_graph()), 10);
    graph.launch().unwrap();
    gpu.stream.synchronize().unwrap();
    into_a_graph(&gpu).unwrap();

    let records = records("gpu::into_a_graph").split_off(before);
    let mut expected = vec![Mode::Captured; 10];
    expected.push(Mode::Timed);
    assert_eq!(modes(&records), expected);
    let Seen::Launch { reason, .. } = &records[0] else { panic!("{records:?}") };
    assert!(reason.as_ref().is_some_and(|reason| reason.contains("captured")), "{reason:?}");
}

#[gpu_kernel]
fn beside_a_capture(gpu: &Gpu, stream: &CudaStream) -> Result<(), DriverError> {
    // SAFETY: the kernel takes nothing.
    unsafe { stream.launch_builder(&gpu.empty).launch(ONE) }?;
    Ok(())
}

/// CUDA.jl#1229, pytorch#158352: reading an unrelated event ended a capture on another thread.
#[test]
fn s3_10_reading_events_leaves_a_capture_on_another_thread_valid() {
    let Some(gpu) = gpu() else { return };
    let other = gpu.context.new_stream().unwrap();
    let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_GLOBAL;
    for round in 0..50 {
        for _ in 0..20 {
            beside_a_capture(&gpu, &other).unwrap();
        }
        gpu.stream.begin_capture(mode).unwrap();
        into_a_graph(&gpu).unwrap();
        // A thread that is new to the context launches beside the capture: it holds the context and makes events. And the
        // collector is made to read, and to let go of the context, while the capture goes on.
        std::thread::scope(|scope| scope.spawn(|| beside_a_capture(&gpu, &other)).join().unwrap()).unwrap();
        launchsite::flush(Duration::from_secs(20)).unwrap();
        into_a_graph(&gpu).unwrap();
        let flags = sys::CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
        let graph = gpu.stream.end_capture(flags).unwrap_or_else(|error| panic!("round {round}: {error:?}"));
        assert_eq!(nodes(graph.expect("a graph").cu_graph()), 2);
    }
    let timed = durations(&records("gpu::beside_a_capture"));
    assert_eq!(timed.len(), 50 * 21);
}

#[gpu_kernel]
fn from_anywhere(gpu: &Gpu, stream: &CudaStream) -> Result<(), DriverError> {
    // SAFETY: the kernel takes nothing.
    unsafe { stream.launch_builder(&gpu.empty).launch(ONE) }?;
    Ok(())
}

/// cuda-api-wrappers#314, cudarc#165: recording without the stream's context on the thread.
#[test]
fn a_thread_that_never_saw_the_context_is_timed() {
    let Some(gpu) = gpu() else { return };
    let per_thread = gpu.context.per_thread_stream();
    let default = gpu.context.default_stream();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for stream in [&gpu.stream, &per_thread, &default] {
                    from_anywhere(&gpu, stream).unwrap();
                }
            });
        }
    });
    let records = records("gpu::from_anywhere");
    assert_eq!(modes(&records), vec![Mode::Timed; 12], "{records:?}");
    let streams: HashSet<_> = records
        .iter()
        .filter_map(|seen| if let Seen::Launch { stream, .. } = seen { Some(stream.expect("a stream")) } else { None })
        .collect();
    // The per-thread stream is another one in each thread, with one handle.
    assert_eq!(streams.len(), 1 + 1 + 4);
}

#[gpu_kernel]
fn behind_an_error(gpu: &Gpu) -> Result<(), DriverError> {
    // SAFETY: the kernel takes nothing.
    unsafe { gpu.stream.launch_builder(&gpu.empty).launch(ONE) }?;
    Ok(())
}

#[test]
fn an_error_that_cudarc_keeps_for_the_user_reaches_the_user() {
    let Some(gpu) = gpu() else { return };
    let error = DriverError(sys::CUresult::CUDA_ERROR_INVALID_VALUE);
    gpu.context.record_err::<()>(Err(error));
    assert_eq!(behind_an_error(&gpu), Err(error));
    assert_eq!(gpu.context.check_err(), Ok(()));
    behind_an_error(&gpu).unwrap();
    gpu.stream.synchronize().unwrap();
    assert_eq!(gpu.context.check_err(), Ok(()), "none of our own came in");
    assert_eq!(modes(&records("gpu::behind_an_error")), [Mode::Failed, Mode::Timed]);
}

#[gpu_kernel]
fn with_too_many_threads(gpu: &Gpu) -> Result<(), DriverError> {
    let config = LaunchConfig { block_dim: (4096, 1, 1), ..ONE };
    // SAFETY: the kernel takes nothing, and the driver refuses the configuration.
    unsafe { gpu.stream.launch_builder(&gpu.empty).launch(config) }?;
    Ok(())
}

#[test]
fn a_failed_launch_keeps_its_error_and_the_threads_context() {
    let Some(gpu) = gpu() else { return };
    let plain = std::thread::scope(|scope| {
        let failing = scope.spawn(|| {
            let error = with_too_many_threads(&gpu).unwrap_err();
            (error, result::ctx::get_current().unwrap().is_some())
        });
        failing.join().unwrap()
    });
    assert_eq!(plain.0, DriverError(sys::CUresult::CUDA_ERROR_INVALID_VALUE));
    assert!(plain.1, "cudarc bound its context, as without the attribute");
    let records = records("gpu::with_too_many_threads");
    assert_eq!(modes(&records), [Mode::Failed]);
    assert_eq!(records.len(), 1, "no GPU record: {records:?}");
}

#[gpu_kernel]
fn busy_while_flushed(gpu: &Gpu) -> Result<(), DriverError> {
    let ns = 50_000_000_u64;
    // SAFETY: the kernel takes one u64.
    unsafe { gpu.stream.launch_builder(&gpu.spin).arg(&ns).launch(ONE) }?;
    Ok(())
}

#[test]
fn s1_10_a_flush_gives_up_in_time_while_the_gpu_works() {
    let Some(gpu) = gpu() else { return };
    busy_while_flushed(&gpu).unwrap();
    let began = Instant::now();
    let pending = launchsite::flush(Duration::from_millis(5));
    assert!(pending.is_err(), "the kernel runs for 50 ms");
    assert!(began.elapsed() < Duration::from_millis(40), "{:?}", began.elapsed());
    launchsite::flush(Duration::from_secs(20)).unwrap();
}

#[gpu_kernel]
fn dropped_behind(gpu: &Gpu) -> Result<(), DriverError> {
    let ns = 5_000_000_u64;
    // SAFETY: the kernel takes one u64.
    unsafe { gpu.stream.launch_builder(&gpu.spin).arg(&ns).launch(ONE) }?;
    Ok(())
}

/// The owner lets go of its context while windows of it wait, and makes a new one, which may have the same handle.
#[test]
fn s0_10_a_context_that_is_dropped_takes_no_event_with_it_that_is_used_again() {
    for _ in 0..4 {
        let Some(gpu) = gpu() else { return };
        for _ in 0..3 {
            dropped_behind(&gpu).unwrap();
        }
    }
    let timed = durations(&records("gpu::dropped_behind"));
    assert_eq!(timed.len(), 12);
    assert!(timed.iter().all(|&ns| ns > 4_500_000), "{timed:?}");
}

#[gpu_kernel]
fn by_the_driver(gpu: &Gpu) -> Result<(), DriverError> {
    let stream = gpu.stream.cu_stream();
    let function = gpu.empty.cu_function();
    // SAFETY: the kernel takes nothing.
    unsafe { result::launch_kernel(function, (2, 1, 1), (32, 1, 1), 0, stream, &mut []) }?;
    let none = std::ptr::null_mut();
    // SAFETY: the kernel takes nothing.
    unsafe { sys::cuLaunchKernel(function, 3, 1, 1, 64, 1, 1, 0, stream, none, std::ptr::null_mut()) }.result()
}

#[test]
fn launches_by_functions_of_the_driver_are_named_and_timed() {
    let Some(gpu) = gpu() else { return };
    by_the_driver(&gpu).unwrap();
    let records = records("gpu::by_the_driver");
    assert_eq!(modes(&records), [Mode::Timed; 2], "{records:?}");
    assert_eq!(durations(&records).len(), 2);
    let name = |seen: &Seen| match seen {
        Seen::Launch { name, .. } | Seen::Gpu { name, .. } => name.clone(),
    };
    let names: HashSet<_> = records.iter().map(name).collect();
    assert_eq!(names.len(), 2, "each call is a site: {names:?}");
}

#[gpu_kernel]
fn behind_a_dead_context(gpu: &Gpu) -> Result<(), DriverError> {
    // SAFETY: the kernel takes nothing.
    unsafe { gpu.stream.launch_builder(&gpu.empty).launch(ONE) }?;
    Ok(())
}

/// The thread is in a context that another destroyed. The driver says nothing of it; but putting such a context back
/// behind a window ended the process at the next change of context.
#[test]
fn a_thread_whose_context_is_gone_launches_in_another() {
    let Some(gpu) = gpu() else { return };
    let mut other: sys::CUcontext = std::ptr::null_mut();
    // SAFETY: makes a context of its own, which is destroyed below.
    unsafe { sys::cuCtxCreate_v4(&raw mut other, std::ptr::null_mut(), 0, 0) }.result().unwrap();
    let handle = other.expose_provenance();
    let (entered, may_destroy) = std::sync::mpsc::channel();
    let (destroyed, may_launch) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        let launching = scope.spawn(|| {
            let (entered, may_launch) = (entered, may_launch);
            // SAFETY: it is alive until this thread has said that it is in it.
            unsafe { result::ctx::set_current(std::ptr::with_exposed_provenance_mut(handle)) }.unwrap();
            entered.send(()).unwrap();
            may_launch.recv().unwrap();
            behind_a_dead_context(&gpu).unwrap();
            gpu.stream.synchronize().unwrap();
            behind_a_dead_context(&gpu).unwrap();
        });
        may_destroy.recv().unwrap();
        // SAFETY: made above; that a thread is in it is what is tried.
        unsafe { sys::cuCtxDestroy_v2(other) }.result().unwrap();
        destroyed.send(()).unwrap();
        launching.join().unwrap();
    });
    assert_eq!(modes(&records("gpu::behind_a_dead_context")), [Mode::Timed; 2]);
}
