//! A library that launches behind functions of its own: what a launch is named after lies so many frames up its stack.

#![expect(clippy::missing_errors_doc, reason = "each gives what its launch gives")]

use std::hint::black_box;

use cudarc::driver::{DriverError, PushKernelArg};
use launchsite::gpu_kernel;

use crate::{Gpu, ONE};

/// The launch itself, in a function that says nothing of what it is named after: with `LAUNCHSITE_NAMES=stack` and this
/// module in `LAUNCHSITE_INTERNAL`, after who calls from outside.
#[inline(never)]
#[gpu_kernel]
pub fn launches(gpu: &Gpu) -> Result<(), DriverError> {
    // SAFETY: the kernel takes one u64.
    unsafe { gpu.stream.launch_builder(&gpu.spin).arg(&0_u64).launch(ONE) }?;
    Ok(())
}

/// The same, from one of this module's functions.
#[inline(never)]
pub fn second(gpu: &Gpu) -> Result<(), DriverError> {
    // Not the last thing that it does: a call in that place leaves no frame.
    black_box(launches(black_box(gpu)))
}

/// The same, from a function that calls one.
#[inline(never)]
pub fn third(gpu: &Gpu) -> Result<(), DriverError> {
    black_box(second(black_box(gpu)))
}
