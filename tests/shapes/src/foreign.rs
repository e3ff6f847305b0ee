//! What nvcc would have linked: the runtime library's launch, and a launcher of a program's own.

use std::ffi::{c_char, c_int, c_void};
use std::ptr;

use cudarc::driver::sys;
use launch_shapes::low_level::runtime::{cudaStream_t, dim3};

/// The kernel's stub is the driver's handle of it.
#[unsafe(no_mangle)]
extern "C" fn cudaLaunchKernel(
    stub: *const c_void,
    grid: dim3,
    block: dim3,
    parameters: *mut *mut c_void,
    shared: usize,
    stream: cudaStream_t,
) -> c_int {
    let function = stub.cast_mut().cast();
    let status = unsafe {
        sys::cuLaunchKernel(
            function,
            grid.x,
            grid.y,
            grid.z,
            block.x,
            block.y,
            block.z,
            shared as u32,
            stream.cast(),
            parameters,
            ptr::null_mut(),
        )
    };
    status as c_int
}

/// Finds its kernel where nothing else does: it launches none of the module's.
#[unsafe(no_mangle)]
extern "C" fn shapes_fold_digests(stream: sys::CUstream, _digests: u64, count: u32) -> *const c_char {
    let launch = || -> Result<(), sys::CUresult> {
        let ok = |status| if status == sys::CUresult::CUDA_SUCCESS { Ok(()) } else { Err(status) };
        let (mut module, mut function) = (ptr::null_mut(), ptr::null_mut());
        ok(unsafe { sys::cuModuleLoadData(&raw mut module, c"".as_ptr().cast()) })?;
        ok(unsafe { sys::cuModuleGetFunction(&raw mut function, module, c"fold_digests".as_ptr()) })?;
        let nothing = ptr::null_mut();
        ok(unsafe { sys::cuLaunchKernel(function, count, 1, 1, 32, 1, 1, 0, stream, nothing, ptr::null_mut()) })
    };
    launch().map_or(c"the launcher failed".as_ptr(), |()| ptr::null())
}
