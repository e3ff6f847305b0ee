//! A stand-in of the CUDA driver: what `libcuda.so` is in the tests, for programs that use cudarc where there is no GPU.
//!
//! It has two devices, keeps the driver's rules for contexts, streams, events and captures, and holds device memory on
//! the host. A kernel takes [`driver::KERNEL_NS`] on its stream's own clock, and does nothing else unless the text of its
//! module says so (see [`script`]). It writes a line of JSON for each call into the file that `SCRIPTED_DRIVER_LOG` names.
//! The tool of `nvtx_tool` may append to the same file: both write whole lines, so that the calls of a thread stand in
//! their order, and a launch inside the range that was put around it.
//!
//! Calls are refused where `SCRIPTED_DRIVER_REFUSE` says so, in any thread (`cuEventElapsedTime_v2:1:700` is the first
//! call of it, with status 700, and 0 for 1 is every call; more than one are split at commas), or where the thread asked
//! for it by [`script::scripted_driver_refuse`].

#![cfg(target_os = "linux")]
#![allow(unsafe_code, reason = "the driver is a C interface")]
#![allow(non_snake_case, reason = "the names are CUDA's")]

mod abi;
mod captures;
mod contexts;
mod devices;
mod driver;
mod errors;
mod events;
mod functions;
mod graphs;
mod launches;
mod log;
mod memory;
mod script;
mod streams;
