//! Graphs, scopes, and launches whose stream is behind a pointer.

use std::ffi::c_void;
use std::sync::Arc;

use cudarc::driver::{CudaGraph, DriverError, PushKernelArg, sys};
use launchsite::gpu_kernel;
use launchsite::record::Mode;

use crate::rig::{Gpu, ONE, Seen, gpu, modes, spin};

const MS: u64 = 1_000_000;

/// The times of the records whose name begins with `function`.
fn times(records: &[Seen], function: &str) -> Vec<u64> {
    let time = |seen: &Seen| match seen {
        Seen::Gpu { duration_ns, .. } if seen.name().starts_with(function) => {
            Some(duration_ns.clone().expect("a time"))
        }
        _ => None,
    };
    records.iter().filter_map(time).collect()
}

#[gpu_kernel]
fn captured_and_replayed(gpu: &Gpu, kernels: usize, replays: usize) -> Result<CudaGraph, DriverError> {
    gpu.stream.begin_capture(sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED)?;
    for _ in 0..kernels {
        // SAFETY: the kernel takes one u64.
        unsafe { gpu.stream.launch_builder(&gpu.spin).arg(&MS).launch(ONE) }?;
    }
    let flags = sys::CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
    let graph = gpu.stream.end_capture(flags)?.expect("a graph");
    for _ in 0..replays {
        graph.launch()?;
    }
    Ok(graph)
}

/// In another function, behind a pointer, long after the capture.
#[gpu_kernel]
fn replayed(graph: &Arc<CudaGraph>) -> Result<(), DriverError> {
    graph.launch()
}

#[test]
fn s3_8_a_graphs_launch_is_timed_on_the_stream_that_captured_it() {
    let Some((turn, gpu)) = gpu() else { return };
    #[allow(clippy::arc_with_non_send_sync)] // as programs keep it
    let graph = Arc::new(captured_and_replayed(&gpu, 5, 3).unwrap());
    replayed(&graph).unwrap();
    let records = turn.records();
    let mut expected = vec![Mode::Captured; 5];
    expected.extend([Mode::Timed; 4]);
    assert_eq!(modes(&records), expected);
    let mut all = times(&records, "forms::captured_and_replayed");
    all.extend(times(&records, "forms::replayed"));
    assert_eq!(all.len(), 4);
    assert!(all.iter().all(|ns| (5 * MS..8 * MS).contains(ns)), "five kernels of 1 ms: {all:?}");
}

#[gpu_kernel(scope, stream = gpu.stream)]
fn four_kernels(gpu: &Gpu) -> Result<(), DriverError> {
    (0..4).try_for_each(|_| spin(gpu, 2))
}

#[test]
fn s1_11_a_scope_is_as_long_as_what_is_inside() {
    let Some((turn, gpu)) = gpu() else { return };
    for _ in 0..5 {
        four_kernels(&gpu).unwrap();
    }
    let records = turn.records();
    let (outer, inner) = (times(&records, "forms::four_kernels"), times(&records, "rig::spin"));
    assert_eq!((outer.len(), inner.len()), (5, 20));
    for (outer, inner) in outer.iter().zip(inner.chunks(4)) {
        let sum: u64 = inner.iter().sum();
        assert!(sum <= *outer && *outer < 2 * sum, "{sum} in {outer}");
    }
}

#[gpu_kernel]
fn behind_a_pointer(gpu: &Gpu, ns: &mut u64) -> Result<(), DriverError> {
    let mut params = [std::ptr::from_mut(ns).cast::<c_void>()];
    let config = sys::CUlaunchConfig {
        gridDimX: 1,
        gridDimY: 1,
        gridDimZ: 1,
        blockDimX: 1,
        blockDimY: 1,
        blockDimZ: 1,
        sharedMemBytes: 0,
        hStream: gpu.stream.cu_stream(),
        attrs: std::ptr::null_mut(),
        numAttrs: 0,
    };
    // SAFETY: the kernel takes one u64; the configuration outlives the call.
    unsafe {
        sys::cuLaunchKernelEx(&raw const config, gpu.spin.cu_function(), params.as_mut_ptr(), std::ptr::null_mut())
    }
    .result()
}

#[test]
fn a_stream_behind_a_pointer_is_read() {
    let Some((turn, gpu)) = gpu() else { return };
    gpu.context.bind_to_thread().unwrap();
    behind_a_pointer(&gpu, &mut (3 * MS)).unwrap();
    let records = turn.records();
    assert_eq!(modes(&records), [Mode::Timed]);
    let times = times(&records, "forms::behind_a_pointer");
    assert!((3 * MS..5 * MS).contains(&times[0]), "{times:?}");
}
