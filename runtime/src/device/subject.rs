//! Contexts and streams of the libraries that a program launches with.

use std::sync::Arc;

use super::host::{self, Host};
use super::{Context, Device, Stream};

/// A context of a device: cudarc's `CudaContext`, or a [stand-in](Host).
pub trait Subject {
    /// The device, the context on it, and the device's number.
    #[doc(hidden)]
    fn subject(&self) -> (&'static dyn Device, Context, u32);
}

/// A stream in such a context: cudarc's `CudaStream`, or a stand-in's.
pub trait SubjectStream {
    /// The stream, by context and handle.
    #[doc(hidden)]
    fn stream(&self) -> Stream;
}

impl<T: Subject + ?Sized> Subject for Arc<T> {
    fn subject(&self) -> (&'static dyn Device, Context, u32) {
        T::subject(self)
    }
}

impl<T: SubjectStream + ?Sized> SubjectStream for Arc<T> {
    fn stream(&self) -> Stream {
        T::stream(self)
    }
}

impl Subject for Host {
    fn subject(&self) -> (&'static dyn Device, Context, u32) {
        (self.device(), self.context(), 0)
    }
}

impl SubjectStream for host::Stream {
    fn stream(&self) -> Stream {
        Stream { context: self.host().context(), handle: self.handle() }
    }
}

#[cfg(feature = "cudarc")]
mod with_cudarc {
    use cudarc::driver::{CudaContext, CudaStream};

    use super::{Context, Device, Stream, Subject, SubjectStream};
    use crate::device::cuda;

    impl Subject for CudaContext {
        fn subject(&self) -> (&'static dyn Device, Context, u32) {
            let ordinal = u32::try_from(self.ordinal()).unwrap_or(u32::MAX);
            (cuda::device(), Context(cuda::handle(self.cu_ctx())), ordinal)
        }
    }

    impl SubjectStream for CudaStream {
        fn stream(&self) -> Stream {
            let context = Context(cuda::handle(self.context().cu_ctx()));
            Stream { context, handle: cuda::handle(self.cu_stream()) }
        }
    }
}
