use launchsite::gpu_kernel;

#[gpu_kernel(nmae = "a", name = "b", name = "", colour = 3)]
fn four_mistakes() {}

fn main() {
    four_mistakes();
}
