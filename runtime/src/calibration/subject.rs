//! What can be calibrated.

use std::sync::Arc;

use crate::device::{Context, Device, host::Host};

/// A context of a device: cudarc's `CudaContext`, or a [stand-in](Host).
pub trait Calibrate {
    /// The device, the context on it, and the device's number.
    #[doc(hidden)]
    fn subject(&self) -> (&'static dyn Device, Context, u32);
}

impl<T: Calibrate + ?Sized> Calibrate for Arc<T> {
    fn subject(&self) -> (&'static dyn Device, Context, u32) {
        T::subject(self)
    }
}

impl Calibrate for Host {
    fn subject(&self) -> (&'static dyn Device, Context, u32) {
        (self.device(), self.context(), 0)
    }
}

#[cfg(feature = "cudarc")]
impl Calibrate for cudarc::driver::CudaContext {
    fn subject(&self) -> (&'static dyn Device, Context, u32) {
        use crate::device::cuda;
        let ordinal = u32::try_from(self.ordinal()).unwrap_or(u32::MAX);
        (cuda::device(), Context(cuda::handle(self.cu_ctx())), ordinal)
    }
}
