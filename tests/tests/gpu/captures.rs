//! Launches in a stream capture, and beside one.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use cudarc::driver::{CudaStream, sys};
use launchsite::Parts;
use launchsite::record::Mode;

use crate::rig::{Gpu, LONG, Seen, durations, empty, gpu, modes};

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
        thread::scope(|scope| scope.spawn(|| empty(&gpu, &other)).join().unwrap()).unwrap();
        launchsite::flush(LONG).unwrap();
        empty(&gpu, &gpu.stream).unwrap();
        let flags = sys::CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
        let graph = gpu.stream.end_capture(flags).unwrap_or_else(|error| panic!("round {round}: {error:?}"));
        assert_eq!(nodes(graph.expect("a graph").cu_graph()), 2);
    }
    let timed = durations(&turn.records());
    assert_eq!(timed.len(), 50 * 21);
}

/// The nodes of a capture of five launches, in the stream of the GPU and on one that takes part.
fn captured(gpu: &Gpu, side: &CudaStream, mode: sys::CUstreamCaptureMode) -> usize {
    gpu.stream.begin_capture(mode).unwrap();
    for _ in 0..3 {
        empty(gpu, &gpu.stream).unwrap();
    }
    side.join(&gpu.stream).unwrap();
    empty(gpu, side).unwrap();
    gpu.stream.join(side).unwrap();
    empty(gpu, &gpu.stream).unwrap();
    let flags = sys::CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
    let graph = gpu.stream.end_capture(flags).unwrap_or_else(|error| panic!("{mode:?}: {error:?}"));
    nodes(graph.expect("a graph").cu_graph())
}

#[test]
fn s3_10_a_thousand_captures_in_each_mode_are_as_without_us_while_four_threads_launch() {
    const ROUNDS: usize = 1000;
    use sys::CUstreamCaptureMode::{
        CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_RELAXED, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
    };
    let modes = [CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, CU_STREAM_CAPTURE_MODE_RELAXED];
    let Some((turn, gpu)) = gpu() else { return };
    let side = gpu.context.new_stream().unwrap();
    launchsite::set_parts(Parts::NONE);
    let bare = modes.map(|mode| captured(&gpu, &side, mode));
    launchsite::set_parts(Parts::ON);
    let streams: Vec<_> = (0..4).map(|_| gpu.context.new_stream().unwrap()).collect();
    let (over, launched) = (AtomicBool::new(false), AtomicUsize::new(0));
    thread::scope(|scope| {
        // Whatever comes, the threads are told.
        let _over = Over(&over);
        for stream in &streams {
            let (gpu, over, launched) = (&gpu, &over, &launched);
            scope.spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    for _ in 0..10 {
                        empty(gpu, stream).unwrap();
                    }
                    launched.fetch_add(10, Ordering::Relaxed);
                    // The collector reads all the time, and what is kept for the test stays bounded.
                    thread::sleep(Duration::from_micros(300));
                }
            });
        }
        for (mode, bare) in modes.into_iter().zip(bare) {
            for round in 0..ROUNDS {
                assert_eq!(captured(&gpu, &side, mode), bare, "{mode:?}, round {round}");
            }
        }
    });
    let records = turn.records();
    let seen = self::modes(&records);
    let count = |mode: Mode| seen.iter().filter(|seen| **seen == mode).count();
    let launched = launched.into_inner();
    println!("{bare:?} nodes a graph, {ROUNDS} captures in each mode, {launched} launches beside them");
    assert_eq!((count(Mode::Captured), count(Mode::Timed)), (3 * ROUNDS * 5, launched));
    assert_eq!(durations(&records).len(), launched);
}

struct Over<'o>(&'o AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
