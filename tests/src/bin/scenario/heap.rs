//! An allocator with a scope in it: launchsite itself allocates, and does not come round to itself by that.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, Ordering};

static SCOPED: AtomicBool = AtomicBool::new(false);

/// Whether each allocation is a scope.
pub(crate) fn scoped(on: bool) {
    SCOPED.store(on, Ordering::Relaxed);
}

struct Heap;

#[global_allocator]
static HEAP: Heap = Heap;

#[allow(unsafe_code, reason = "what an allocator is")]
// SAFETY: hands everything on to the system's.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if SCOPED.load(Ordering::Relaxed) {
            allocation();
        }
        // SAFETY: as the caller has it.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller has it.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[launchsite::gpu_kernel(scope)]
fn allocation() {}
