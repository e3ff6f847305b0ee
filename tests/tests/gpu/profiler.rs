//! Windows that a program opens itself.

use std::time::{Duration, Instant};

use cudarc::driver::{CudaStream, PushKernelArg, sys};
use launchsite::{Profiler, ProfilerError};

use crate::rig::{Gpu, ONE, gpu};

fn work(gpu: &Gpu, stream: &CudaStream, ns: u64) {
    // SAFETY: the kernel takes one u64.
    unsafe { stream.launch_builder(&gpu.spin).arg(&ns).launch(ONE) }.unwrap();
}

#[test]
fn s1_7_s1_11_windows_have_the_kernels_time_and_may_lie_in_each_other() {
    let Some((_turn, gpu)) = gpu() else { return };
    let profiler = Profiler::new(&gpu.context);
    let outer = profiler.start(&gpu.stream).unwrap();
    let inner: Vec<_> =
        (0..4).map(|_| profiler.measure(&gpu.stream, || work(&gpu, &gpu.stream, 5_000_000)).1.unwrap()).collect();
    let outer = profiler.stop(outer).unwrap();
    let inner: Vec<_> = inner.into_iter().map(|span| span.resolve().unwrap()).collect();
    let outer = outer.resolve().unwrap();
    println!("{outer:?} around {inner:?}");
    let sum: u64 = inner.iter().map(|read| read.duration_ns).sum();
    assert!(inner.iter().all(|read| (4_900_000..6_000_000).contains(&read.duration_ns)), "{inner:?}");
    assert!(sum <= outer.duration_ns && outer.duration_ns < 2 * sum, "{sum} in {outer:?}");
    assert!(inner.windows(2).all(|two| two[0].start_ns + 4_900_000 <= two[1].start_ns), "{inner:?}");
}

#[test]
fn s1_10_to_close_a_window_waits_for_nothing_on_a_gpu() {
    let Some((_turn, gpu)) = gpu() else { return };
    let profiler = Profiler::new(&gpu.context);
    profiler.abandon(profiler.start(&gpu.stream).unwrap()).unwrap();
    work(&gpu, &gpu.stream, 100_000_000);
    let token = profiler.start(&gpu.stream).unwrap();
    let began = Instant::now();
    let span = profiler.stop(token).unwrap();
    assert!(began.elapsed() < Duration::from_millis(5), "{:?}", began.elapsed());
    let empty = span.resolve().unwrap();
    println!("an empty pair behind 100 ms: {} ns", empty.duration_ns);
    assert!(began.elapsed() > Duration::from_millis(50) && empty.duration_ns < 1_000_000);
}

#[test]
fn s1_14_no_event_goes_into_a_capture_on_a_gpu() {
    let Some((_turn, gpu)) = gpu() else { return };
    let profiler = Profiler::new(&gpu.context);
    let open = profiler.start(&gpu.stream).unwrap();
    gpu.stream.begin_capture(sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_GLOBAL).unwrap();
    let refused = ProfilerError::Capturing("cuEventRecord");
    assert_eq!(profiler.start(&gpu.stream), Err(refused));
    work(&gpu, &gpu.stream, 1000);
    assert_eq!(profiler.stop(open).map(drop), Err(refused));
    let flags = sys::CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
    let graph = gpu.stream.end_capture(flags).unwrap().expect("a graph");
    graph.launch().unwrap();
    let token = profiler.start(&gpu.stream).unwrap();
    profiler.stop(token).unwrap().resolve().unwrap();
}
