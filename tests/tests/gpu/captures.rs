//! Launches in a stream capture, and beside one.

use cudarc::driver::sys;
use launchsite::record::Mode;

use crate::rig::{LONG, Seen, durations, empty, gpu, modes};

fn nodes(graph: sys::CUgraph) -> usize {
    let mut count = 0;
    // SAFETY: a graph that is alive; without room for nodes the driver gives their number.
    let status = unsafe { sys::cuGraphGetNodes(graph, std::ptr::null_mut(), &raw mut count) };
    status.result().unwrap();
    count
}

#[test]
fn s3_7_a_captured_launch_leaves_the_graph_as_it_was() {
    let Some((turn, gpu)) = gpu() else { return };
    let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_GLOBAL;
    gpu.stream.begin_capture(mode).unwrap();
    for _ in 0..10 {
        empty(&gpu, &gpu.stream).unwrap();
    }
    let flags = sys::CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
    let graph = gpu.stream.end_capture(flags).unwrap().expect("a graph");
    // peak#84: a profiler's events became nodes of the user's graph.
    assert_eq!(nodes(graph.cu_graph()), 10);
    graph.launch().unwrap();
    gpu.stream.synchronize().unwrap();
    empty(&gpu, &gpu.stream).unwrap();

    let records = turn.records();
    let mut expected = vec![Mode::Captured; 10];
    expected.push(Mode::Timed);
    assert_eq!(modes(&records), expected);
    let Seen::Launch { reason, .. } = &records[0] else { panic!("{records:?}") };
    assert!(reason.as_ref().is_some_and(|reason| reason.contains("captured")), "{reason:?}");
}

/// CUDA.jl#1229, pytorch#158352: reading an unrelated event ended a capture on another thread.
#[test]
fn s3_10_reading_events_leaves_a_capture_on_another_thread_valid() {
    let Some((turn, gpu)) = gpu() else { return };
    let other = gpu.context.new_stream().unwrap();
    let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_GLOBAL;
    for round in 0..50 {
        for _ in 0..20 {
            empty(&gpu, &other).unwrap();
        }
        gpu.stream.begin_capture(mode).unwrap();
        empty(&gpu, &gpu.stream).unwrap();
        // A thread that is new to the context launches beside the capture: it holds the context and makes events. And the
        // collector is made to read, and to let go of the context, while the capture goes on.
        std::thread::scope(|scope| scope.spawn(|| empty(&gpu, &other)).join().unwrap()).unwrap();
        launchsite::flush(LONG).unwrap();
        empty(&gpu, &gpu.stream).unwrap();
        let flags = sys::CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
        let graph = gpu.stream.end_capture(flags).unwrap_or_else(|error| panic!("round {round}: {error:?}"));
        assert_eq!(nodes(graph.expect("a graph").cu_graph()), 2);
    }
    let timed = durations(&turn.records());
    assert_eq!(timed.len(), 50 * 21);
}
