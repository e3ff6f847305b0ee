//! Kernels whose own names say where they are launched.

use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;

use cudarc::driver::{CudaFunction, CudaSlice, CudaStream, DriverError, LaunchConfig, PushKernelArg, sys};
use launchsite::{Kernel, Kernels, Parts, gpu_kernel};

use crate::rig::{Gpu, ONE, PTX, gpu};

const FILE: &str = "launchsite_tests_tests_gpu_symbols_rs";

/// What the driver, and so every tool, calls the function.
fn name_of(function: sys::CUfunction) -> String {
    let mut name: *const c_char = std::ptr::null();
    // SAFETY: a function of a module that is alive.
    unsafe { sys::cuFuncGetName(&raw mut name, function) }.result().unwrap();
    // SAFETY: the driver's, as long as the module is alive.
    unsafe { CStr::from_ptr(name) }.to_str().unwrap().to_owned()
}

/// The names of a graph's kernels, in the order of its nodes.
fn kernels_of(graph: sys::CUgraph) -> Vec<String> {
    let mut count = 0;
    // SAFETY: the graph is alive; without room for nodes the driver gives their number.
    unsafe { sys::cuGraphGetNodes(graph, std::ptr::null_mut(), &raw mut count) }.result().unwrap();
    let mut nodes = vec![std::ptr::null_mut(); count];
    // SAFETY: there is room for so many.
    unsafe { sys::cuGraphGetNodes(graph, nodes.as_mut_ptr(), &raw mut count) }.result().unwrap();
    let name = |node| {
        let mut params = MaybeUninit::<sys::CUDA_KERNEL_NODE_PARAMS>::zeroed();
        // SAFETY: a kernel's node, and room for what is known of it.
        unsafe { sys::cuGraphKernelNodeGetParams_v2(node, params.as_mut_ptr()) }.result().unwrap();
        // SAFETY: numbers and pointers, which the driver has filled in.
        name_of(unsafe { params.assume_init() }.func)
    };
    nodes.into_iter().map(name).collect()
}

fn line(marker: &str) -> usize {
    let comment = format!("// site: {marker}");
    include_str!("symbols.rs").lines().position(|line| line.ends_with(&comment)).unwrap() + 1
}

#[gpu_kernel]
fn double(gpu: &Gpu, kernel: &Kernel, x: &mut CudaSlice<f32>) -> Result<(), DriverError> {
    let n = x.len();
    let mut builder = gpu.stream.launch_builder(kernel);
    builder.arg(&n).arg(&2_f32).arg(x);
    // SAFETY: the kernel takes a length, a factor and so many elements.
    unsafe { builder.launch(LaunchConfig::for_num_elems(1000)) }?;
    Ok(())
}

#[gpu_kernel]
fn first(stream: &CudaStream, kernel: &Kernel) -> Result<(), DriverError> {
    // SAFETY: the kernel takes nothing.
    unsafe { stream.launch_builder(kernel).launch(ONE) }?; // site: first
    Ok(())
}

#[gpu_kernel]
fn second(stream: &CudaStream, kernel: &Kernel) -> Result<(), DriverError> {
    let mut builder = stream.launch_builder(kernel);
    // SAFETY: the kernel takes nothing.
    unsafe { builder.launch(ONE) }?; // site: second
    Ok(())
}

/// Symbols on for the test that has the turn, and off behind it.
struct Symbols;

impl Symbols {
    fn on() -> Self {
        assert!(launchsite::set_parts(Parts::ON | Parts::SYMBOLS));
        Self
    }
}

impl Drop for Symbols {
    fn drop(&mut self) {
        launchsite::set_parts(Parts::ON);
    }
}

#[test]
fn a_kernel_under_a_symbol_does_what_it_does() {
    let Some((_turn, gpu)) = gpu() else { return };
    let _symbols = Symbols::on();
    let kernels = Kernels::from_ptx(&gpu.context, PTX).unwrap();
    let scale = kernels.get("scale_f32").unwrap();
    let mut x = gpu.stream.clone_htod(&[1_f32; 1000]).unwrap();
    for _ in 0..3 {
        double(&gpu, &scale, &mut x).unwrap();
    }
    assert!(gpu.stream.clone_dtoh(&x).unwrap().iter().all(|&value| (value - 8.0).abs() < f32::EPSILON));
    gpu.context.check_err().unwrap();
}

/// In the mode that forbids most, the copies are first needed inside of the capture.
#[test]
fn s2_1_the_nodes_of_a_graph_have_the_names_of_their_sites() {
    let Some((_turn, gpu)) = gpu() else { return };
    let _symbols = Symbols::on();
    let kernels = Kernels::from_ptx(&gpu.context, PTX).unwrap();
    let empty = kernels.get("empty").unwrap();
    gpu.stream.begin_capture(sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_GLOBAL).unwrap();
    for _ in 0..2 {
        first(&gpu.stream, &empty).unwrap();
        second(&gpu.stream, &empty).unwrap();
    }
    let flags = sys::CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
    let graph = gpu.stream.end_capture(flags).unwrap().expect("a graph");
    let names = ["first", "second"].map(|name| format!("symbols_{name}__{FILE}_L{}", line(name)));
    let mut found = kernels_of(graph.cu_graph());
    found.sort();
    let [first, second] = &names;
    assert_eq!(found.iter().collect::<Vec<_>>(), [first, first, second, second]);
    for _ in 0..10 {
        graph.launch().unwrap();
    }
    gpu.stream.synchronize().unwrap();
}

/// Every kernel of a real module, under a symbol and as it is.
#[test]
fn all_kernels_of_a_module_load_under_symbols() {
    let Some((_turn, gpu)) = gpu() else { return };
    let plain = Kernels::from_ptx(&gpu.context, PTX).unwrap();
    let _symbols = Symbols::on();
    let kernels = Kernels::from_ptx(&gpu.context, PTX).unwrap();
    for name in ["saxpy_f32", "scale_f32", "scale_f64", "map_kernel", "sum_f32", "softmax_f32", "spin", "empty"] {
        let function: &CudaFunction = &kernels.get(name).unwrap(); // site: all
        let symbol = format!("{name}__tests_tests_gpu_symbols_rs_L{}", line("all"));
        assert_eq!(name_of(function.cu_function()), symbol);
        let function: &CudaFunction = &plain.get(name).unwrap();
        assert_eq!(name_of(function.cu_function()), name, "loaded before symbols were asked for");
    }
}
