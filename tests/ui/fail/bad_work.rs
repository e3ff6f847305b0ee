//! Work that is none.

use launchsite::gpu_kernel;

#[gpu_kernel(flops)]
fn without_value() {}

#[gpu_kernel(flops = 1, bytes = 2, flops = 3)]
fn twice() {}

#[gpu_kernel(bytes = next()?)]
fn leaves() -> Option<u32> {
    next()
}

#[gpu_kernel(caller, stack)]
fn after_two_things() {}

#[gpu_kernel(stack = 1)]
fn with_value() {}

fn next() -> Option<u32> {
    None
}

fn main() {
    without_value();
    twice();
    let _ = leaves();
    after_two_things();
    with_value();
}
