//! Functions whose call is no stretch of time on one thread.

use launchsite::gpu_kernel;

#[gpu_kernel(scope)]
async fn on_any_thread() {}

#[gpu_kernel(scope)]
const fn when_compiled() {}

#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
#[gpu_kernel(scope)]
extern "C" fn without_a_body() {
    core::arch::naked_asm!("ret")
}

fn main() {}
