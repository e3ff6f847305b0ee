//! What launches of different forms are called.

use std::collections::HashSet;

use cudarc::driver::{CudaFunction, CudaSlice, DeviceRepr, DriverError, LaunchConfig, PushKernelArg, result, sys};
use launchsite::gpu_kernel;
use launchsite::record::Mode;

use crate::rig::{Gpu, Seen, durations, gpu, modes};

#[gpu_kernel]
fn scale<T>(gpu: &Gpu, kernel: &CudaFunction, x: &mut CudaSlice<T>, factor: &T) -> Result<(), DriverError>
where
    T: DeviceRepr,
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
    let Some((turn, gpu)) = gpu() else { return };
    let mut single = gpu.stream.clone_htod(&[1_f32; 1000]).unwrap();
    let mut double = gpu.stream.clone_htod(&[1_f64; 1000]).unwrap();
    for _ in 0..3 {
        scale(&gpu, &gpu.scale_f64, &mut double, &2.0).unwrap();
        scale(&gpu, &gpu.scale_f32, &mut single, &2.0).unwrap();
    }
    let records = turn.records();
    for name in ["names::scale<f32> ", "names::scale<f64> "] {
        assert_eq!(records.iter().filter(|seen| seen.name().starts_with(name)).count(), 6, "{name}: {records:?}");
    }
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
    let Some((turn, gpu)) = gpu() else { return };
    by_the_driver(&gpu).unwrap();
    let records = turn.records();
    assert_eq!(modes(&records), [Mode::Timed; 2], "{records:?}");
    assert_eq!(durations(&records).len(), 2);
    let names: HashSet<_> = records.iter().map(Seen::name).collect();
    assert_eq!(names.len(), 2, "each call is a site: {names:?}");
}
