//! Kernels of our own, for who asks what events add on their GPU.

use std::ffi::{CStr, c_void};
use std::time::Duration;

use cudarc::driver::result;

use super::{Probe, Refusal, Stream, handle, pointer, refused};

/// For every GPU that a driver of CUDA 11.4 or newer knows: PTX of compute capability 6.0 is compiled for any later one.
const PTX: &CStr = c"\
.version 6.0
.target sm_60
.address_size 64

.visible .entry launchsite_empty()
{
    ret;
}

.visible .entry launchsite_spin(
    .param .u64 launchsite_spin_time
)
{
    .reg .pred %p<2>;
    .reg .b64 %rd<5>;

    ld.param.u64 %rd1, [launchsite_spin_time];
    mov.u64 %rd2, %globaltimer;
again:
    mov.u64 %rd3, %globaltimer;
    sub.s64 %rd4, %rd3, %rd2;
    setp.lt.u64 %p1, %rd4, %rd1;
    @%p1 bra again;
    ret;
}
";

pub(super) fn load() -> Result<Probe, Refusal> {
    // SAFETY: a text that ends in NUL, which the driver compiles before it returns.
    let module = unsafe { result::module::load_data(PTX.as_ptr().cast::<c_void>()) };
    let module = module.map_err(refused("cuModuleLoadData"))?;
    let function = |name: &CStr| {
        // SAFETY: the module that was loaded above.
        let function = unsafe { result::module::get_function(module, name.to_owned()) };
        function.map(handle).map_err(refused("cuModuleGetFunction"))
    };
    let functions = function(c"launchsite_empty").and_then(|empty| Ok((empty, function(c"launchsite_spin")?)));
    match functions {
        Ok((empty, spin)) => Ok(Probe { module: handle(module), empty, spin }),
        Err(refusal) => {
            unload(handle(module));
            Err(refusal)
        }
    }
}

pub(super) fn launch(probe: Probe, stream: Stream, busy: Option<Duration>) -> Result<(), Refusal> {
    let one = (1, 1, 1);
    let mut time = busy.map_or(0, |busy| u64::try_from(busy.as_nanos()).unwrap_or(u64::MAX));
    let mut arguments = [(&raw mut time).cast::<c_void>()];
    let (function, arguments) = match busy {
        Some(_) => (probe.spin, arguments.as_mut_slice()),
        None => (probe.empty, [].as_mut_slice()),
    };
    // SAFETY: a function of the probe, with the one u64 that `launchsite_spin` takes, or nothing.
    let launched = unsafe { result::launch_kernel(pointer(function), one, one, 0, pointer(stream.handle), arguments) };
    launched.map_err(refused("cuLaunchKernel"))
}

pub(super) fn unload(module: u64) {
    // SAFETY: loaded by `load`, and given up by its owner.
    let _ = unsafe { result::module::unload(pointer(module)) };
}
