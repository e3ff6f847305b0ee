//! Launches through the driver's own functions.

pub unsafe fn raw(f: sys::CUfunction, s: sys::CUstream, params: &mut [*mut c_void]) -> Result<(), DriverError> {
    sys::cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, s, params.as_mut_ptr(), std::ptr::null_mut()).result()
}

fn thin(q: &Queue, k: &Kernel) -> Result<(), DriverError> {
    let mut params = k.params();
    unsafe { result::launch_kernel(k.raw, (k.blocks(), 1, 1), (128, 1, 1), k.shared::<f32>(), q.raw, &mut params) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn run(s: cudaStream_t, dims: dim3, args: *mut *mut c_void) -> c_int {
    match unsafe { cudaLaunchKernel(kernel as *const _, dims, dim3 { x: 32, y: 1, z: 1 }, args, 0, s) } {
        cudaError::cudaSuccess => 0,
        code => code as c_int,
    }
}

fn extended(k: &Kernel, cfg: &sys::CUlaunchConfig) -> bool {
    let launched = unsafe { sys::cuLaunchKernelEx(cfg, k.raw, k.params().as_mut_ptr(), std::ptr::null_mut()) };
    assert!(launched == sys::CUresult::CUDA_SUCCESS, "{launched:?}");
    assert!(unsafe { sys::cuLaunchCooperativeKernel(k.raw, 1, 1, 1, 1, 1, 1, 0, k.s, k.p) }.result().is_ok());
    true
}
