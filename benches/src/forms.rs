//! The forms that launches are written in, bare and annotated.

#![expect(clippy::missing_errors_doc, reason = "each gives what its launch gives")]

use cudarc::driver::{DriverError, PushKernelArg};
use launchsite::gpu_kernel;

use crate::{Gpu, ONE};

/// A launch.
pub type Form = fn(&Gpu) -> Result<(), DriverError>;

/// Each form by its name, bare and annotated.
pub const FORMS: [(&str, Form, Form); 5] = [
    ("chain", bare::chain, named::chain),
    ("builder in a local", bare::local, named::local),
    ("method", Gpu::bare_method, Gpu::named_method),
    ("scope", bare::chain, scoped),
    ("caller", bare::chain, called),
];

/// The same functions twice, with and without an attribute.
macro_rules! forms {
    ($module:ident, $method:ident $(, #[$attribute:meta])?) => {
        pub mod $module {
            use super::{DriverError, Gpu, ONE, PushKernelArg};
            #[allow(unused_imports, reason = "of the annotated")]
            use launchsite::gpu_kernel;

            #[inline(never)]
            $(#[$attribute])?
            pub fn chain(gpu: &Gpu) -> Result<(), DriverError> {
                // SAFETY: the kernel takes one u64.
                unsafe { gpu.stream.launch_builder(&gpu.spin).arg(&0_u64).launch(ONE) }?;
                Ok(())
            }

            #[inline(never)]
            $(#[$attribute])?
            pub fn local(gpu: &Gpu) -> Result<(), DriverError> {
                let mut builder = gpu.stream.launch_builder(&gpu.spin);
                builder.arg(&0_u64);
                // SAFETY: the kernel takes one u64.
                unsafe { builder.launch(ONE) }?;
                Ok(())
            }
        }

        impl Gpu {
            #[inline(never)]
            $(#[$attribute])?
            pub fn $method(&self) -> Result<(), DriverError> {
                let mut builder = self.stream.launch_builder(&self.spin);
                builder.arg(&0_u64);
                // SAFETY: the kernel takes one u64.
                unsafe { builder.launch(ONE) }?;
                Ok(())
            }
        }
    };
}

forms!(bare, bare_method);
forms!(named, named_method, #[gpu_kernel]);

/// The launch inside is bare: what is seen is what the scope costs.
#[inline(never)]
#[gpu_kernel(scope, stream = &gpu.stream)]
pub fn scoped(gpu: &Gpu) -> Result<(), DriverError> {
    bare::chain(gpu)
}

/// Named after this place.
pub fn called(gpu: &Gpu) -> Result<(), DriverError> {
    by_caller(gpu)
}

#[inline(never)]
#[gpu_kernel(caller)]
fn by_caller(gpu: &Gpu) -> Result<(), DriverError> {
    // SAFETY: the kernel takes one u64.
    unsafe { gpu.stream.launch_builder(&gpu.spin).arg(&0_u64).launch(ONE) }?;
    Ok(())
}
