//! A CUDA driver whose calls return at once and do nothing: what is left of a launch is what the host spends around it.
//! Every event is over as soon as it is recorded, 5 us behind the one before.

#![allow(non_snake_case, reason = "the driver's names")]
#![allow(clippy::too_many_arguments, reason = "the driver's functions")]

use std::ffi::{c_char, c_int, c_uchar, c_uint, c_void};
use std::ptr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

type Status = c_int;
type Handle = *mut c_void;

const DONE: Status = 0;
/// What an object's handle is: nobody looks behind it.
const OBJECT: Handle = ptr::without_provenance_mut(0x1000);

/// Writes `value` where the caller wants it.
fn give<T>(to: *mut T, value: T) -> Status {
    if !to.is_null() {
        // SAFETY: callers of the driver pass null, or what is good for a write.
        unsafe { to.write(value) };
    }
    DONE
}

/// A function whose first argument is where the caller wants a value.
macro_rules! gives {
    ($($name:ident ( $type:ty = $value:expr $(, $rest:ty)* );)*) => {$(
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(to: *mut $type $(, _: $rest)*) -> Status {
            give(to, $value)
        }
    )*};
}

/// A function that does nothing.
macro_rules! idle {
    ($($name:ident ( $($argument:ty),* );)*) => {$(
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($(_: $argument),*) -> Status {
            DONE
        }
    )*};
}

gives! {
    cuDriverGetVersion(c_int = 13_000);
    cuDeviceGet(c_int = 0, c_int);
    cuDeviceGetCount(c_int = 1);
    cuDeviceGetAttribute(c_int = 1, c_uint, c_int);
    cuDevicePrimaryCtxRetain(Handle = OBJECT, c_int);
    cuCtxGetCurrent(Handle = OBJECT);
    cuCtxGetDevice(c_int = 0);
    cuStreamCreate(Handle = OBJECT, c_uint);
    cuStreamCreateWithPriority(Handle = OBJECT, c_uint, c_int);
    cuModuleLoadData(Handle = OBJECT, *const c_void);
    cuModuleLoad(Handle = OBJECT, *const c_char);
    cuModuleGetFunction(Handle = OBJECT, Handle, *const c_char);
    cuFuncGetName(*const c_char = c"spin".as_ptr(), Handle);
    cuMemAlloc_v2(u64 = 0x1000, usize);
    cuMemAllocAsync(u64 = 0x1000, usize, Handle);
    cuThreadExchangeStreamCaptureMode(c_int = 0);
}

idle! {
    cuInit(c_uint);
    cuDevicePrimaryCtxRelease(c_int);
    cuDevicePrimaryCtxRelease_v2(c_int);
    cuCtxSetCurrent(Handle);
    cuCtxSynchronize();
    cuStreamDestroy(Handle);
    cuStreamDestroy_v2(Handle);
    cuStreamSynchronize(Handle);
    cuStreamWaitEvent(Handle, Handle, c_uint);
    cuEventDestroy(Handle);
    cuEventDestroy_v2(Handle);
    cuEventQuery(Handle);
    cuEventSynchronize(Handle);
    cuMemFree_v2(u64);
    cuMemFreeAsync(u64, Handle);
    cuMemsetD8Async(u64, c_uchar, usize, Handle);
    cuMemsetD8_v2(u64, c_uchar, usize);
    cuModuleUnload(Handle);
    cuLaunchKernel(
        Handle, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, Handle, *mut Handle, *mut Handle
    );
}

/// When each event was recorded, in steps of [`STEP_MS`]: an event's handle is its place here.
static RECORDED: [AtomicU64; 1 << 16] = [const { AtomicU64::new(0) }; 1 << 16];
static EVENTS: AtomicUsize = AtomicUsize::new(1);
static STEPS: AtomicU64 = AtomicU64::new(1);
const STEP_MS: f32 = 0.005;

#[unsafe(no_mangle)]
pub extern "C" fn cuEventCreate(to: *mut Handle, _: c_uint) -> Status {
    give(to, ptr::without_provenance_mut(EVENTS.fetch_add(1, Ordering::Relaxed)))
}

fn recorded(event: Handle) -> Option<&'static AtomicU64> {
    RECORDED.get(event.addr() % RECORDED.len())
}

#[unsafe(no_mangle)]
pub extern "C" fn cuEventRecord(event: Handle, _: Handle) -> Status {
    if let Some(recorded) = recorded(event) {
        recorded.store(STEPS.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
    }
    DONE
}

#[unsafe(no_mangle)]
pub extern "C" fn cuEventElapsedTime_v2(to: *mut f32, from: Handle, until: Handle) -> Status {
    let step = |event| recorded(event).map_or(0, |recorded| recorded.load(Ordering::Relaxed));
    #[allow(clippy::cast_precision_loss, reason = "the driver's own type has no more")]
    give(to, step(until).wrapping_sub(step(from)).cast_signed() as f32 * STEP_MS)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuEventElapsedTime(to: *mut f32, from: Handle, until: Handle) -> Status {
    cuEventElapsedTime_v2(to, from, until)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamIsCapturing(_: Handle, to: *mut c_int) -> Status {
    give(to, 0)
}

/// A primary context of the device 0, and one life of it.
#[unsafe(no_mangle)]
pub extern "C" fn cuDevicePrimaryCtxGetState(_: c_int, flags: *mut c_uint, active: *mut c_int) -> Status {
    give(flags, 0);
    give(active, 1)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuCtxGetId(_: Handle, to: *mut u64) -> Status {
    give(to, 1)
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamGetCtx(_: Handle, to: *mut Handle) -> Status {
    give(to, OBJECT)
}

/// # Safety
/// There is room for `length` bytes at `to`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetName(to: *mut c_char, length: c_int, _: c_int) -> Status {
    let text = c"a driver that does nothing".to_bytes_with_nul();
    let fitting = text.len().min(usize::try_from(length).unwrap_or(0));
    // SAFETY: the caller has room for `length`.
    unsafe { ptr::copy_nonoverlapping(text.as_ptr().cast(), to, fitting) };
    DONE
}

/// A `CUuuid`, which has sixteen bytes.
#[unsafe(no_mangle)]
pub extern "C" fn cuDeviceGetUuid(to: *mut [u8; 16], _: c_int) -> Status {
    give(to, [7; 16])
}

#[unsafe(no_mangle)]
pub extern "C" fn cuDeviceGetUuid_v2(to: *mut [u8; 16], _: c_int) -> Status {
    give(to, [7; 16])
}

/// No status but success is ever given.
#[unsafe(no_mangle)]
pub extern "C" fn cuGetErrorString(_: Status, to: *mut *const c_char) -> Status {
    give(to, c"an error".as_ptr())
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGetErrorName(_: Status, to: *mut *const c_char) -> Status {
    give(to, c"AN_ERROR".as_ptr())
}
