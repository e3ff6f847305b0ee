//! `Graph` on cudarc's streams with the feature off: it captures and launches, and nothing else. Where there is no CUDA driver,
//! the test passes by; `.ci/run` has it run on the scripted one.

use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaFunction, CudaStream, DriverError, LaunchConfig, sys};
use cudarc::nvrtc::Ptx;
use launchsite::{Entered, Graph, GraphError, GraphState, gpu_kernel};

#[gpu_kernel]
fn launch(stream: &CudaStream, kernel: &CudaFunction) -> Result<(), DriverError> {
    // SAFETY: the kernel takes nothing.
    unsafe { stream.launch_builder(kernel).launch(LaunchConfig::for_num_elems(1)) }?;
    Ok(())
}

#[test]
fn s3_1_a_graph_is_captured_and_launched_with_the_feature_off_too() {
    // SAFETY: opens the driver's library and closes it again.
    if !unsafe { sys::is_culib_present() } {
        println!("no CUDA driver: not run");
        return;
    }
    let context = CudaContext::new(0).unwrap();
    let text = ".version 8.1\n.target sm_60\n.address_size 64\n.visible .entry empty() { ret; }\n";
    let kernel = context.load_module(Ptx::from_src(text)).unwrap().load_function("empty").unwrap();
    let stream: Arc<CudaStream> = context.new_stream().unwrap();
    let (mut graph, mut bodies) = (Graph::named("named"), 0);
    let mut entered = Vec::new();
    for _ in 0..4 {
        let one = graph.run(&stream, || {
            bodies += 1;
            launch(&stream, &kernel)
        });
        entered.push(one.unwrap());
    }
    assert_eq!(entered, [Entered::Ran, Entered::Captured, Entered::Replayed, Entered::Replayed]);
    assert_eq!((bodies, graph.launches(), graph.state()), (2, 3, GraphState::Created));
    assert_eq!(graph.begin(&stream), Err(GraphError::Created));
    stream.synchronize().unwrap();
}
