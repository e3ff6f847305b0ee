//! Graphs that are entered once an iteration, and what is known and timed of graphs.

#![allow(clippy::float_cmp)] // numbers that a float has exactly

use std::sync::Arc;

use cudarc::driver::{CudaSlice, CudaStream, DriverError, LaunchConfig, PushKernelArg, sys};
use launchsite::record::Mode;
use launchsite::{Entered, Graph, GraphError, GraphState, Parts, gpu_kernel};

use crate::rig::{Gpu, Seen, Turn, turn};

const ELEMENTS: usize = 256;
const CONFIG: LaunchConfig = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (256, 1, 1), shared_mem_bytes: 0 };

struct Rig {
    gpu: Gpu,
    stream: Arc<CudaStream>,
    x: CudaSlice<f32>,
    bodies: u32,
}

impl Rig {
    fn new() -> Self {
        let gpu = Gpu::untracked();
        let stream = Arc::clone(&gpu.stream);
        let x = stream.clone_htod(&[1_f32; ELEMENTS]).unwrap();
        stream.synchronize().unwrap();
        Self { gpu, stream, x, bodies: 0 }
    }

    /// Scales all by a factor, which is an argument by value.
    #[gpu_kernel]
    fn scale(&mut self, by: f32) -> Result<(), DriverError> {
        let mut builder = self.stream.launch_builder(&self.gpu.scale_f32);
        builder.arg(&ELEMENTS).arg(&by).arg(&mut self.x);
        // SAFETY: a length, a factor, and so many elements.
        unsafe { builder.launch(CONFIG) }?;
        Ok(())
    }

    fn enter(
        &mut self,
        graph: &mut Graph<Arc<CudaStream>>,
        by: f32,
    ) -> Result<Entered, GraphError<DriverError, DriverError>> {
        let stream = Arc::clone(&self.stream);
        graph.run(&stream, || {
            self.bodies += 1;
            self.scale(by)
        })
    }

    fn x(&self) -> f32 {
        let x = self.stream.clone_dtoh(&self.x).unwrap();
        assert!(x.iter().all(|value| value.to_bits() == x[0].to_bits()));
        x[0]
    }
}

fn rig() -> Option<(Turn, Rig)> {
    turn().map(|turn| (turn, Rig::new()))
}

fn replays(records: &[Seen]) -> usize {
    let replay =
        |record: &&Seen| matches!(record, Seen::Launch { mode: Mode::Timed, .. }) && record.name().contains("graph of");
    records.iter().filter(replay).count()
}

#[test]
fn s3_1_s3_2_ten_iterations_run_the_body_twice_and_launch_the_graph_nine_times() {
    let Some((turn, mut rig)) = rig() else { return };
    let mut graph = Graph::named("graph of ten");
    for iteration in 0..10 {
        assert_eq!(graph.created(), iteration >= 2, "at the entry of iteration {iteration}");
        rig.enter(&mut graph, 2.0).unwrap();
    }
    assert_eq!((rig.x(), rig.bodies, graph.launches()), (1024.0, 2, 9));
    assert_eq!(replays(&turn.records()), 9, "each launch has its record, under the graph's name");
}

#[test]
fn s3_3_a_copy_is_captured_with_the_rest() {
    let Some((_turn, mut rig)) = rig() else { return };
    let (mut graph, stream) = (Graph::new(), Arc::clone(&rig.stream));
    let ones = stream.clone_htod(&[1_f32; ELEMENTS]).unwrap();
    stream.synchronize().unwrap();
    for _ in 0..10 {
        let entered = graph.run(&stream, || {
            stream.memcpy_dtod(&ones, &mut rig.x)?;
            rig.scale(3.0)
        });
        entered.unwrap();
    }
    assert_eq!(rig.x(), 3.0);
}

#[test]
fn s3_4_what_waits_in_a_capture_is_an_error_and_the_stream_can_be_used_afterwards() {
    let Some((_turn, mut rig)) = rig() else { return };
    for notices in [true, false] {
        for blocking_copy in [true, false] {
            let (mut graph, stream) = (Graph::new(), Arc::clone(&rig.stream));
            rig.enter(&mut graph, 1.0).unwrap();
            let failed = graph.run(&stream, || {
                rig.scale(1.0)?;
                let mut host = [0_f32; ELEMENTS];
                let waited = if blocking_copy {
                    // To memory that is not pinned.
                    stream.memcpy_dtoh(&rig.x, &mut host).and_then(|()| stream.synchronize())
                } else {
                    stream.synchronize()
                };
                if notices { waited } else { Ok(()) }
            });
            let failed = failed.expect_err("it waits");
            println!("{notices} {blocking_copy}: {failed:?}");
            assert!(matches!(failed, GraphError::Body(_) | GraphError::End(_)), "{failed:?}");
            assert_eq!((graph.created(), graph.state()), (false, GraphState::Warm));
            stream.synchronize().unwrap();
            assert_eq!(rig.enter(&mut graph, 1.0), Ok(Entered::Captured));
            assert_eq!(rig.x(), 1.0);
        }
    }
}

#[test]
fn s3_5_what_comes_in_another_order_is_a_typed_error() {
    let Some((_turn, mut rig)) = rig() else { return };
    let (mut graph, stream) = (Graph::new(), Arc::clone(&rig.stream));
    assert_eq!(graph.launch(&stream), Err(GraphError::NotCreated));
    assert_eq!(graph.end(&stream), Err(GraphError::NotCapturing));
    graph.begin(&stream).unwrap();
    assert_eq!(graph.begin(&stream), Err(GraphError::Capturing));
    rig.scale(2.0).unwrap();
    graph.end(&stream).unwrap();
    assert_eq!(graph.begin(&stream), Err(GraphError::Created));
    let other = rig.gpu.context.new_stream().unwrap();
    assert_eq!(graph.launch(&other), Err(GraphError::OtherStream));
    graph.launch(&stream).unwrap();
    assert_eq!(rig.x(), 2.0);
}

#[test]
fn s3_6_an_error_of_the_body_discards_what_was_captured() {
    let Some((_turn, mut rig)) = rig() else { return };
    let (mut graph, stream) = (Graph::new(), Arc::clone(&rig.stream));
    rig.enter(&mut graph, 2.0).unwrap();
    let failed = graph.run(&stream, || rig.scale(100.0).map_err(drop).and(Err::<(), ()>(())));
    assert_eq!(failed, Err(GraphError::Body(())));
    assert_eq!((rig.x(), graph.launches()), (2.0, 0));
    assert_eq!(rig.enter(&mut graph, 2.0), Ok(Entered::Captured));
    assert_eq!(rig.x(), 4.0);
}

#[test]
fn s3_9_a_scalar_keeps_its_captured_value_until_the_graph_is_captured_anew() {
    let Some((_turn, mut rig)) = rig() else { return };
    let mut graph = Graph::new();
    for by in [1.0, 2.0, 100.0] {
        rig.enter(&mut graph, by).unwrap();
    }
    assert_eq!(rig.x(), 4.0);
    graph.update();
    assert_eq!(rig.enter(&mut graph, 0.5), Ok(Entered::Captured));
    assert_eq!(rig.enter(&mut graph, 100.0), Ok(Entered::Replayed));
    assert_eq!(rig.x(), 1.0);
}

#[test]
fn s3_11_what_is_done_once_is_done_before_the_capture() {
    let Some((_turn, mut rig)) = rig() else { return };
    let mut graph = Graph::named("graph of first uses");
    let before = launchsite::__private::names_worked_out();
    let entered = [(); 4].map(|()| (rig.enter(&mut graph, 2.0).unwrap(), launchsite::__private::names_worked_out()));
    // The context is new, and so are the module, its kernels and the collector's lane to it: all are there by the capture.
    let first = entered[0].1;
    assert!(first > before, "the graph's own name is new");
    assert_eq!(entered.map(|(_, worked_out)| worked_out), [first; 4]);
    assert_eq!(entered.map(|(entered, _)| entered)[..2], [Entered::Ran, Entered::Captured]);
    assert_eq!(rig.x(), 16.0);
}

/// A graph, launched a thousand times, with its second executable among these: what it works out is the same.
#[test]
fn nodes_change_no_result_and_tell_each_kernel_its_site() {
    let Some((turn, mut rig)) = rig() else { return };
    assert!(launchsite::set_parts(Parts::NODES));
    let (mut graph, stream) = (Graph::named("graph of nodes"), Arc::clone(&rig.stream));
    let side = rig.gpu.context.new_stream().unwrap();
    for iteration in 0..1001 {
        // Each has the sign turned once: a launch that was left out, or made twice, would be seen.
        let entered = graph.run(&stream, || {
            let event = stream.record_event(None)?;
            side.wait(&event)?;
            crate::rig::empty(&rig.gpu, &side)?;
            rig.scale(-2.0)?;
            stream.join(&side)?;
            rig.scale(0.5)
        });
        entered.unwrap();
        if iteration % 100 == 99 {
            assert_eq!(rig.x(), 1.0, "{iteration}");
        }
        if iteration % 64 == 0 {
            // The second executable is launched again only when the collector has read what it left.
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
    }
    assert_eq!(rig.x(), -1.0);
    let nodes = turn.graphs().nodes;
    assert!(launchsite::set_parts(Parts::ON));
    assert!(nodes.len() >= 3 * 10, "every 64th of 1000 launches: {}", nodes.len());
    let of = |site: &str| nodes.iter().filter(|(name, _)| name.contains(site)).count();
    assert_eq!((of("scale "), of("empty ")), (nodes.len() / 3 * 2, nodes.len() / 3));
    assert!(nodes.iter().all(|(_, raw_ns)| (500..1_000_000).contains(raw_ns)), "{nodes:?}");
}

/// The graph of a program of its own has as many nodes and edges with launchsite as without, and its sites are known.
#[test]
fn s3_7_s3_8_a_programs_own_graph_is_as_it_was_and_its_sites_are_known() {
    let Some((turn, mut rig)) = rig() else { return };
    let stream = Arc::clone(&rig.stream);
    let mut sizes = Vec::new();
    for parts in [Parts::NONE, Parts::ON, Parts::ON | Parts::NODES] {
        assert!(launchsite::set_parts(parts));
        stream.begin_capture(sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).unwrap();
        (0..3).for_each(|_| rig.scale(1.0).unwrap());
        let graph = stream.end_capture(sys::CUgraphInstantiate_flags(0)).unwrap().unwrap();
        replay(&graph, &stream).unwrap();
        let (mut nodes, mut edges, null) = (0, 0, std::ptr::null_mut());
        // SAFETY: the graph is there; the driver writes how many nodes it has.
        unsafe { sys::cuGraphGetNodes(graph.cu_graph(), null, &raw mut nodes) }.result().unwrap();
        let nowhere = std::ptr::null_mut();
        // SAFETY: as above, of edges.
        unsafe { sys::cuGraphGetEdges_v2(graph.cu_graph(), null, null, nowhere, &raw mut edges) }.result().unwrap();
        sizes.push((nodes, edges));
    }
    stream.synchronize().unwrap();
    assert_eq!(sizes, [(3, 2); 3]);
    let graphs = turn.graphs().graphs;
    assert!(launchsite::set_parts(Parts::ON));
    assert!(!graphs.is_empty());
    for (kernels, sites) in graphs {
        assert_eq!((kernels, sites.len(), sites[0].1), (Some(3), 1, 3), "{sites:?}");
        assert!(sites[0].0.contains("scale "), "{sites:?}");
    }
}

#[gpu_kernel(stream = stream)]
fn replay(graph: &cudarc::driver::CudaGraph, stream: &Arc<CudaStream>) -> Result<(), DriverError> {
    let _ = stream;
    graph.launch()
}
