use launchsite::gpu_kernel;

#[gpu_kernel(name = "")]
fn empty() {}

#[gpu_kernel(name = "  ")]
fn blank() {}

#[gpu_kernel(name = "a\0b")]
fn nul() {}

#[gpu_kernel(name = 7)]
fn no_text() {}

#[gpu_kernel(name)]
fn no_value() {}

#[gpu_kernel(name = "gemm {k}")]
fn no_such_argument(m: u32, (n, _): (u32, u32)) {}

#[gpu_kernel(name = "gemm {m}")]
fn no_argument() {}

#[gpu_kernel(name = "gemm {}")]
fn no_name(m: u32) {}

#[gpu_kernel(name = "gemm {m")]
fn not_closed(m: u32) {}

#[gpu_kernel(name = "gemm m}")]
fn not_opened(m: u32) {}

#[gpu_kernel(name = "gemm {r#type}")]
fn raw(r#type: u32) {}

fn main() {}
