//! A naked function has no place for a range.

#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
#[launchsite::gpu_kernel(scope)]
extern "C" fn assembly() {
    core::arch::naked_asm!("ret")
}

fn main() {}
