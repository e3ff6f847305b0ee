use launchsite::gpu_kernel;

#[gpu_kernel(nmae = "gemm")]
fn misspelled() {}

#[gpu_kernel(name = "gemm", verbose)]
fn one_of_two() {}

fn main() {
    // The functions are kept: these calls are no further errors.
    misspelled();
    one_of_two();
}
