//! Categories and colours that are none.

use launchsite::gpu_kernel;

#[gpu_kernel(category = "", color = 0x1000000)]
fn empty_and_too_much() {}

#[gpu_kernel(category = "a\0b", color = "green")]
fn cut_and_named() {}

#[gpu_kernel(category, color)]
fn without_values() {}

#[gpu_kernel(category = solver, color = -1)]
fn of_another_kind() {}

#[gpu_kernel(color = 0xffu8, color = 1)]
fn of_another_type() {}

#[gpu_kernel(color = 1, color = 2, category = "a", category = "b")]
fn twice() {}

fn main() {
    empty_and_too_much();
    cut_and_named();
    without_values();
    of_another_kind();
    of_another_type();
    twice();
}
