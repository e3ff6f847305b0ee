//! As much of CUPTI as tells how long kernels took: its activity records, in buffers of ours.

use std::ffi::c_void;
use std::sync::{Mutex, PoisonError};

use libloading::Library;

/// `CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL` of `cupti_activity.h`.
const KERNEL: u32 = 10;
/// `CUPTI_SUCCESS`.
const SUCCESS: u32 = 0;
const BUFFER: usize = 1 << 20;
/// What the header asks buffers to be aligned to.
const ALIGNED: std::alloc::Layout = match std::alloc::Layout::from_size_align(BUFFER, 8) {
    Ok(layout) => layout,
    Err(_) => std::alloc::Layout::new::<u64>(),
};
const PLACES: [&str; 6] = [
    "libcupti.so",
    "libcupti.so.13",
    "libcupti.so.12",
    "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so",
    "/usr/local/cuda/lib64/libcupti.so",
    "/usr/local/cuda/targets/x86_64-linux/lib/libcupti.so",
];

/// The beginning of a kernel's record: the same in all versions since CUDA 9 (`CUpti_ActivityKernel4` to `13`).
#[repr(C)]
struct KernelRecord {
    kind: u32,
    _caches: [u32; 3],
    start: u64,
    end: u64,
    _completed: u64,
    _device_context_stream: [u32; 3],
    grid_x: i32,
}

type Status = u32;
type Request = unsafe extern "C" fn(*mut *mut u8, *mut usize, *mut usize);
type Complete = unsafe extern "C" fn(*mut c_void, u32, *mut u8, usize, usize);
type NextRecord = unsafe extern "C" fn(*mut u8, usize, *mut *mut KernelRecord) -> Status;

/// Kernels that have been told of: blocks in x, nanoseconds.
static TOLD: Mutex<Vec<(i32, u64)>> = Mutex::new(Vec::new());
static NEXT: Mutex<Option<NextRecord>> = Mutex::new(None);

pub(crate) struct Cupti(Library);

impl Cupti {
    /// From here on kernels are recorded.
    pub(crate) fn start() -> Result<Self, String> {
        let named = std::env::var("CUPTI_LIBRARY").ok();
        let places = named.iter().map(String::as_str).chain(PLACES);
        // SAFETY: NVIDIA's library, which does nothing when it is loaded.
        let library =
            places.into_iter().find_map(|place| unsafe { Library::new(place) }.ok()).ok_or("there is no CUPTI")?;
        let cupti = Self(library);
        *NEXT.lock().unwrap_or_else(PoisonError::into_inner) = Some(cupti.function(b"cuptiActivityGetNextRecord")?);
        let register: unsafe extern "C" fn(Request, Complete) -> Status =
            cupti.function(b"cuptiActivityRegisterCallbacks")?;
        // SAFETY: two functions that live as long as the program.
        said("cuptiActivityRegisterCallbacks", unsafe { register(request, complete) })?;
        let enable: unsafe extern "C" fn(u32) -> Status = cupti.function(b"cuptiActivityEnable")?;
        // SAFETY: a kind of the header's.
        said("cuptiActivityEnable", unsafe { enable(KERNEL) })?;
        Ok(cupti)
    }

    /// The times of kernels that have ended since the last look, each with its blocks, in nanoseconds.
    pub(crate) fn take(&self) -> Result<Vec<(u32, u64)>, String> {
        let flush: unsafe extern "C" fn(u32) -> Status = self.function(b"cuptiActivityFlushAll")?;
        // SAFETY: `CUPTI_ACTIVITY_FLAG_FLUSH_FORCED`: buffers that are not full are given too.
        said("cuptiActivityFlushAll", unsafe { flush(1) })?;
        let told = std::mem::take(&mut *TOLD.lock().unwrap_or_else(PoisonError::into_inner));
        Ok(told.into_iter().filter_map(|(blocks, ns)| Some((u32::try_from(blocks).ok()?, ns))).collect())
    }

    fn function<F: Copy>(&self, name: &[u8]) -> Result<F, String> {
        // SAFETY: the type is that of the header's function of that name.
        let found = unsafe { self.0.get::<F>(name) };
        found.map(|function| *function).map_err(|error| error.to_string())
    }
}

fn said(call: &str, status: Status) -> Result<(), String> {
    if status == SUCCESS { Ok(()) } else { Err(format!("{call} returned {status}")) }
}

unsafe extern "C" fn request(buffer: *mut *mut u8, size: *mut usize, records: *mut usize) {
    // SAFETY: a size above zero; null where there is no memory, which CUPTI takes for none.
    let memory = unsafe { std::alloc::alloc(ALIGNED) };
    // SAFETY: CUPTI's own variables, to be written.
    unsafe { buffer.write(memory) };
    // SAFETY: as above.
    unsafe { size.write(BUFFER) };
    // SAFETY: as above; 0 is as many as fit.
    unsafe { records.write(0) };
}

unsafe extern "C" fn complete(_: *mut c_void, _: u32, buffer: *mut u8, _: usize, valid: usize) {
    let next = *NEXT.lock().unwrap_or_else(PoisonError::into_inner);
    let mut told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
    let mut record: *mut KernelRecord = std::ptr::null_mut();
    while let Some(next) = next
        // SAFETY: the buffer that CUPTI gives back, and the record before, null at first.
        && unsafe { next(buffer, valid, &raw mut record) } == SUCCESS
        // SAFETY: a record of the buffer's; every kind begins with its kind.
        && let Some(kernel) = unsafe { record.as_ref() }
    {
        if kernel.kind == KERNEL {
            told.push((kernel.grid_x, kernel.end - kernel.start));
        }
    }
    // SAFETY: allocated by `request`, with the same layout.
    unsafe { std::alloc::dealloc(buffer, ALIGNED) };
}
