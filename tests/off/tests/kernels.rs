//! `Kernels` with the feature off: what cudarc does and nothing else. Where there is no CUDA driver, the test passes by;
//! `.ci/run` has it run on the scripted one.

use cudarc::driver::{CudaContext, CudaFunction, CudaStream, DriverError, LaunchConfig, PushKernelArg, sys};
use launchsite::{Kernel, Kernels, gpu_kernel};

const PTX: &str = ".version 8.1\n.target sm_60\n.address_size 64\n\
    .visible .entry first(.param .u32 n) { ret; }\n.visible .entry second(.param .u32 n) { ret; }\n";

#[gpu_kernel]
fn launch(stream: &CudaStream, kernel: &Kernel) -> Result<(), DriverError> {
    let mut builder = stream.launch_builder(kernel);
    builder.arg(&1_u32);
    // SAFETY: the kernel takes one u32.
    unsafe { builder.launch(LaunchConfig::for_num_elems(1)) }?;
    Ok(())
}

#[test]
fn kernels_are_loaded_as_they_are() {
    // SAFETY: opens the driver's library and closes it again.
    if !unsafe { sys::is_culib_present() } {
        println!("no CUDA driver: not run");
        return;
    }
    let context = CudaContext::new(0).unwrap();
    let kernels = Kernels::from_ptx(&context, PTX).unwrap();
    let [first, second] = ["first", "second"].map(|name| kernels.get(name).unwrap());
    let here: &CudaFunction = &first;
    let there: &CudaFunction = &first;
    assert_eq!(here.cu_function(), there.cu_function());
    assert_ne!(here.cu_function(), second.cu_function());
    assert_eq!(kernels.get("first").unwrap().cu_function(), here.cu_function());
    let missing = kernels.get("third").unwrap_err();
    assert_eq!(missing, DriverError(sys::CUresult::CUDA_ERROR_NOT_FOUND));
    let stream = context.default_stream();
    for kernel in [&first, &second] {
        launch(&stream, kernel).unwrap();
    }
    stream.synchronize().unwrap();
}
