use launchsite::gpu_kernel;

#[gpu_kernel(name = "")]
fn empty() {}

#[gpu_kernel(name = "  ")]
fn blank() {}

#[gpu_kernel(name = "gemm {m}")]
fn braces() {}

#[gpu_kernel(name = "a\0b")]
fn nul() {}

#[gpu_kernel(name = 7)]
fn no_text() {}

#[gpu_kernel(name)]
fn no_value() {}

fn main() {}
