//! What the shapes are called with, and what is asked of the driver.

use std::ffi::{CString, c_char};
use std::fmt::Debug;
use std::fs::File;
use std::future::Future;
use std::io::Write;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use cudarc::driver::{
    CudaContext, CudaFunction, CudaModule, CudaSlice, CudaStream, DeviceRepr, LaunchConfig, ValidAsZeroBits, sys,
};
use cudarc::nvrtc::Ptx;
use launch_shapes::support::{Gpu, Outcome};

/// The scripted driver has all kernels, and these do something.
pub(crate) const MODULE: &str = "\
    //! store count_keys 1 64\n\
    //! store score 0 3\n\
    //! store score_of_nothing 0 0\n";
pub(crate) const ONE: LaunchConfig = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (32, 1, 1), shared_mem_bytes: 0 };

/// A context with two streams that nothing else uses.
pub(crate) struct Rig {
    pub(crate) context: Arc<CudaContext>,
    pub(crate) stream: Arc<CudaStream>,
    pub(crate) other: Arc<CudaStream>,
    pub(crate) module: Arc<CudaModule>,
}

impl Rig {
    pub(crate) fn new() -> Self {
        Self::on(0)
    }

    pub(crate) fn on(device: usize) -> Self {
        let context = CudaContext::new(device).expect("a device");
        let module = context.load_module(Ptx::from_src(MODULE)).expect("a module");
        let [stream, other] = [(); 2].map(|()| context.new_stream().expect("a stream"));
        Self { context, stream, other, module }
    }

    pub(crate) fn gpu(&self) -> Gpu {
        Gpu { ctx: self.context.clone(), stream: self.stream.clone(), module: self.module.clone() }
    }

    pub(crate) fn kernel(&self, name: &str) -> CudaFunction {
        self.module.load_function(name).expect("the driver has any kernel")
    }

    pub(crate) fn zeros<T: DeviceRepr + ValidAsZeroBits>(&self, len: usize) -> CudaSlice<T> {
        self.stream.alloc_zeros(len).expect("memory")
    }

    /// Memory that says it is of another length, as no allocation can be.
    pub(crate) fn of_length(&self, len: usize) -> CudaSlice<u8> {
        let memory = unsafe { cudarc::driver::result::malloc_async(self.stream.cu_stream(), 16) }.expect("memory");
        unsafe { self.stream.upgrade_device_ptr(memory, len) }
    }
}

/// What a call gave, without what is another each time.
pub(crate) fn shown(given: impl Debug) -> String {
    format!("{given:?}")
}

/// Whether it went well; its value is no text.
pub(crate) fn went<T>(outcome: Outcome<T>) -> String {
    shown(outcome.map(|_| ()))
}

/// What all of them gave.
pub(crate) fn all(given: impl IntoIterator<Item = String>) -> String {
    given.into_iter().collect::<Vec<_>>().join(" | ")
}

/// Polls the future until it is ready; how often that took, too.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> (T, usize) {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    let mut polls = 0;
    loop {
        polls += 1;
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return (value, polls);
        }
    }
}

/// The driver's own functions, and its log.
pub(crate) struct Script {
    log: File,
}

impl Script {
    pub(crate) fn new() -> Self {
        let path = std::env::var_os("SCRIPTED_DRIVER_LOG").expect("SCRIPTED_DRIVER_LOG names the driver's log");
        Self { log: File::options().append(true).create(true).open(path).expect("the log can be written") }
    }

    /// What the driver writes from here on is of the shape.
    pub(crate) fn mark(&self, shape: &str, round: &str) {
        let line = format!("{{\"call\":\"shape\",\"shape\":\"{shape}\",\"round\":\"{round}\"}}\n");
        (&self.log).write_all(line.as_bytes()).expect("the log can be written");
    }

    /// Of each function that launches, the next call that this thread makes.
    pub(crate) fn refuse_next_launch(&self) {
        for function in ["cuLaunchKernel", "cuLaunchKernelEx", "cuLaunchCooperativeKernel", "cuGraphLaunch"] {
            let function = CString::new(function).expect("a name");
            type Refuse = unsafe extern "C" fn(*const c_char, u32, i32);
            unsafe { symbol::<Refuse>("scripted_driver_refuse")(function.as_ptr(), 1, 701) };
        }
    }

    pub(crate) fn relent(&self) {
        unsafe { symbol::<unsafe extern "C" fn()>("scripted_driver_relent")() };
    }
}

fn symbol<F: Copy>(name: &str) -> F {
    *unsafe { sys::culib().get::<F>(name.as_bytes()) }.expect("the scripted driver is the driver")
}
