//! What a user could take instead: the same bare launch, in a span or a scope of another library, or with its events.

#![expect(clippy::missing_errors_doc, reason = "each gives what its launch gives")]

use cudarc::driver::{CudaEvent, DriverError, PushKernelArg, sys};

use crate::forms::bare::chain;
use crate::{Gpu, ONE};

/// A span of `tracing`.
#[inline(never)]
#[tracing::instrument(skip_all)]
pub fn tracing_instrument(gpu: &Gpu) -> Result<(), DriverError> {
    chain(gpu)
}

/// A span of `fastrace`.
#[inline(never)]
#[fastrace::trace]
pub fn fastrace_trace(gpu: &Gpu) -> Result<(), DriverError> {
    chain(gpu)
}

/// A scope of `puffin`.
#[inline(never)]
pub fn puffin_scope(gpu: &Gpu) -> Result<(), DriverError> {
    puffin::profile_function!();
    chain(gpu)
}

/// A span of `tracy-client`.
#[cfg(feature = "tracy")]
#[inline(never)]
pub fn tracy_span(gpu: &Gpu) -> Result<(), DriverError> {
    let _span = tracy_client::span!("chain");
    chain(gpu)
}

/// A range of the `nvtx` crate, with a string that was registered before.
#[cfg(feature = "nvtx")]
#[derive(Debug)]
pub struct NvtxCrate {
    domain: &'static nvtx::Domain,
    text: nvtx::domain::RegisteredString<'static>,
}

#[cfg(feature = "nvtx")]
impl Default for NvtxCrate {
    /// A domain, which the process keeps.
    fn default() -> Self {
        let domain: &'static _ = Box::leak(Box::new(nvtx::Domain::new(nvtx::Str::from_str_lossy("peer"))));
        Self { domain, text: domain.register_string(nvtx::Str::from_str_lossy("forms::chain")) }
    }
}

#[cfg(feature = "nvtx")]
impl NvtxCrate {
    /// A launch in a range.
    #[inline(never)]
    pub fn launch(&self, gpu: &Gpu) -> Result<(), DriverError> {
        let _range = self.domain.range(self.text);
        chain(gpu)
    }
}

/// cudarc's own events, which it makes for the launch.
#[inline(never)]
pub fn record_kernel_launch(gpu: &Gpu) -> Result<Option<(CudaEvent, CudaEvent)>, DriverError> {
    let mut builder = gpu.stream.launch_builder(&gpu.spin);
    builder.record_kernel_launch(sys::CUevent_flags::CU_EVENT_DEFAULT).arg(&0_u64);
    // SAFETY: the kernel takes one u64.
    unsafe { builder.launch(ONE) }
}
