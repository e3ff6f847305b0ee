//! Fields that are none.

use launchsite::gpu_kernel;

#[gpu_kernel(fields)]
fn without_names() {}

#[gpu_kernel(fields())]
fn empty() {}

#[gpu_kernel(fields(a, b = 1, a = 2))]
fn two_of_a_name(a: u32) {
    let _ = a;
}

#[gpu_kernel(fields(a = next()?))]
fn leaves() -> Option<u32> {
    next()
}

#[gpu_kernel(fields(a), fields(b = 1))]
fn twice(a: u32) {
    let _ = a;
}

#[gpu_kernel(fields("a" = 1))]
fn not_a_name() {}

fn next() -> Option<u32> {
    None
}

fn main() {
    without_names();
    empty();
    two_of_a_name(1);
    let _ = leaves();
    twice(2);
    not_a_name();
}
