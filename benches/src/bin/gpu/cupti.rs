//! A CUPTI session that records kernels, and does nothing with the records but count them.

use std::alloc::{Layout, alloc, dealloc};
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

use cudarc::cupti::result::activity;
use cudarc::cupti::sys::{self, CUpti_ActivityKind};
use cudarc::driver;
use launchsite_benches::Failure;

/// As large as CUPTI's samples have it.
const BUFFER: Option<Layout> = match Layout::from_size_align(8 << 20, 8) {
    Ok(layout) => Some(layout),
    Err(_) => None,
};
const KERNELS: CUpti_ActivityKind = CUpti_ActivityKind::CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
static COUNT: AtomicU64 = AtomicU64::new(0);

extern "C" fn requested(buffer: *mut *mut u8, size: *mut usize, most: *mut usize) {
    let Some(layout) = BUFFER else { return };
    // SAFETY: the layout has a size; the buffer comes back to `completed`.
    let memory = unsafe { alloc(layout) };
    // SAFETY: CUPTI's own variables.
    unsafe { buffer.write(memory) };
    // SAFETY: as above.
    unsafe { size.write(if memory.is_null() { 0 } else { layout.size() }) };
    // SAFETY: as above; 0 is as many as fit.
    unsafe { most.write(0) };
}

extern "C" fn completed(_: driver::sys::CUcontext, _: u32, buffer: *mut u8, _: usize, valid: usize) {
    let mut record = ptr::null_mut();
    // SAFETY: a buffer of `requested`, with as much in it as CUPTI says.
    while unsafe { activity::get_next_record(buffer, valid, &raw mut record) }.is_ok() {
        COUNT.fetch_add(1, Ordering::Relaxed);
    }
    if let Some(layout) = BUFFER {
        // SAFETY: from `requested`, and given back once.
        unsafe { dealloc(buffer, layout) };
    }
}

/// The session, which the process has from then on.
pub(crate) struct Activity {
    kind: CUpti_ActivityKind,
    /// Kernels that it has told of.
    count: &'static AtomicU64,
}

impl Activity {
    /// Where CUPTI's library is found and takes us.
    pub(crate) fn new() -> Option<Self> {
        // SAFETY: it only opens the library and closes it again.
        let found = unsafe { sys::is_culib_present() };
        (found && activity::register_callbacks(Some(requested), Some(completed)).is_ok())
            .then_some(Self { kind: KERNELS, count: &COUNT })
    }

    /// Records the kernels of `work`, and gives them back behind it.
    pub(crate) fn around(&self, work: impl FnOnce() -> Result<(), Failure>) -> Result<(), Failure> {
        activity::enable(self.kind).map_err(|_| "CUPTI does not record kernels")?;
        let done = work();
        activity::disable(self.kind).map_err(|_| "CUPTI does not end")?;
        done
    }

    /// How many kernels it has told of.
    pub(crate) fn kernels(&self) -> u64 {
        // What is not there at the end is not counted.
        let _ = activity::flush_all(sys::CUpti_ActivityFlag::CUPTI_ACTIVITY_FLAG_FLUSH_FORCED as u32);
        self.count.load(Ordering::Relaxed)
    }
}
