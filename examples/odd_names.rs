//! Launches with names as long and as odd as they come, for a profiler to import: `nsys profile -t cuda,nvtx odd_names`.
//!
//! Says on stdout how many launches there were. Needs a GPU.

#![allow(clippy::print_stdout, reason = "a program that says what it did")]

use std::error::Error;
use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaFunction, CudaStream, DriverError, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use launchsite::gpu_kernel;

const PTX: &str = include_str!("kernels/quickstart.ptx");
const ONE: LaunchConfig = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (1, 1, 1), shared_mem_bytes: 0 };

#[allow(unsafe_code, reason = "a kernel's arguments are its own")]
#[gpu_kernel(name = "{text}")]
fn shown(stream: &Arc<CudaStream>, spin: &CudaFunction, text: &str) -> Result<(), DriverError> {
    // SAFETY: the kernel takes one u64.
    unsafe { stream.launch_builder(spin).arg(&100_u64).launch(ONE) }?;
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let context = CudaContext::new(0)?;
    let stream = context.default_stream();
    let spin = context.load_module(Ptx::from_src(PTX))?.load_function("spin")?;
    let long = [1, 255, 256, 1023, 1024, 1025, 4096, 65_536].map(|bytes| "x".repeat(bytes));
    // A character of four bytes at each place around the cut.
    let cut = (1018..1026).map(|bytes| "x".repeat(bytes) + "𝄞𝄞𝄞");
    let odd = ["", " ", "\0", "a\0b", "a\nb", "größe 𝄞", "\u{200b}", "{braces}", "%s %n \\ \"quoted\"", "<a&b;c,d>"]
        .map(String::from);
    let all: Vec<_> = long.into_iter().chain(cut).chain(odd).collect();
    for text in &all {
        shown(&stream, &spin, text)?;
    }
    stream.synchronize()?;
    println!("{}", all.len());
    Ok(())
}
