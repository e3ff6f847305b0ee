use launchsite::gpu_kernel;

#[gpu_kernel(name = "a", name = "b")]
fn named_twice() {}

#[gpu_kernel(crate = ::launchsite, crate = launchsite)]
fn rooted_twice() {}

fn main() {
    named_twice();
    rooted_twice();
}
