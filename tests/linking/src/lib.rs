//! A user's crate that names its own CUDA version and its own way of linking: launchsite's must give way to both.

use cudarc::driver::{CudaFunction, CudaStream, DriverError, LaunchArgs, LaunchConfig, PushKernelArg, result, sys};
use launchsite::{Kernel, gpu_kernel};

/// # Safety
/// `f` takes a `u32`.
#[gpu_kernel]
pub unsafe fn each_form(s: &CudaStream, f: &CudaFunction, n: u32, b: &mut LaunchArgs<'_>) -> Result<(), DriverError> {
    let config = LaunchConfig::for_num_elems(n);
    let none = std::ptr::null_mut();
    unsafe {
        s.launch_builder(f).arg(&n).launch(config)?;
        b.launch_cooperative(config)?;
        result::launch_kernel(f.cu_function(), (1, 1, 1), (n, 1, 1), 0, s.cu_stream(), &mut [])?;
        sys::cuLaunchKernel(f.cu_function(), 1, 1, 1, n, 1, 1, 0, s.cu_stream(), none, std::ptr::null_mut()).result()
    }
}

/// # Safety
/// `k` takes a `u32`.
#[gpu_kernel]
pub unsafe fn by_kernel(s: &CudaStream, k: &Kernel, n: u32) -> Result<(), DriverError> {
    let mut builder = s.launch_builder(k);
    builder.arg(&n);
    unsafe { builder.launch(LaunchConfig::for_num_elems(n)) }?;
    Ok(())
}
