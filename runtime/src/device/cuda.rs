//! CUDA, over the driver API as cudarc binds it.
//!
//! Not over cudarc's safe layer: that takes and clears errors which it stores for the user, and would hand the user ours.
//! Only entry points that every driver since CUDA 11.4 has are called through cudarc, which panics where one is missing;
//! the others are looked up.

#![allow(unsafe_code)] // the driver

mod graphs;
mod probe;
mod symbols;

use std::ffi::CStr;
use std::sync::OnceLock;
use std::time::Duration;

use cudarc::driver::{DriverError, result, sys};

use symbols::{library, symbol};

use super::{Capability, Capture, Context, Description, Device, Event, Life, Probe, Refusal, Stream};

#[derive(Debug)]
struct Cuda;

/// The one CUDA device; contexts tell GPUs apart.
pub(crate) fn device() -> &'static dyn Device {
    &Cuda
}

/// The driver's pointer for a handle that came from it.
fn pointer<T>(handle: u64) -> *mut T {
    std::ptr::with_exposed_provenance_mut(usize::try_from(handle).unwrap_or(0))
}

/// The number of a pointer of the driver's; [`pointer`] gives it back.
pub(crate) fn handle<T>(pointer: *mut T) -> u64 {
    pointer.expose_provenance() as u64
}

/// Runs `work`, in which the thread may do what a capture of the program's would not survive in another mode: it goes on,
/// and gets nothing of it.
pub(crate) fn relaxed<T>(work: impl FnOnce() -> T) -> T {
    let mut mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
    // SAFETY: exchanges the mode of this thread alone, and puts the one that it had into `mode`.
    let exchanged = unsafe { sys::cuThreadExchangeStreamCaptureMode(&raw mut mode) }.result().is_ok();
    let done = work();
    if exchanged {
        // SAFETY: as above, back to what it was.
        let _ = unsafe { sys::cuThreadExchangeStreamCaptureMode(&raw mut mode) };
    }
    done
}

fn refused(call: &'static str) -> impl Fn(DriverError) -> Refusal {
    move |error| Refusal { call, code: error.0 as i32 }
}

impl Device for Cuda {
    fn describe(&self) -> Result<Vec<Description>, Refusal> {
        let count = result::device::get_count().map_err(refused("cuDeviceGetCount"))?;
        let one = |ordinal: i32| {
            let device = result::device::get(ordinal).map_err(refused("cuDeviceGet"))?;
            let name = result::device::get_name(device).map_err(refused("cuDeviceGetName"))?;
            let uuid = result::device::get_uuid(device).ok();
            Ok(Description {
                device: ordinal.cast_unsigned(),
                name,
                uuid: uuid.map(|uuid| uuid::Uuid::from_bytes(uuid.bytes.map(i8::cast_unsigned)).to_string()),
            })
        };
        (0..count).map(one).collect()
    }

    fn stream_kind(&self, stream: Stream) -> &'static str {
        match stream.handle {
            0 | 1 => "legacy_default",
            2 => "per_thread_default",
            _ => "stream",
        }
    }

    fn per_thread(&self, stream: Stream) -> bool {
        stream.handle == 2
    }

    #[inline]
    fn enter(&self, context: Context) -> Result<(), Refusal> {
        if current_context()? == context {
            return Ok(());
        }
        // SAFETY: the context of a stream that the user is launching on, or one that is held.
        unsafe { result::ctx::set_current(pointer(context.0)) }.map_err(refused("cuCtxSetCurrent"))
    }

    fn current(&self) -> Result<Option<Context>, Refusal> {
        current_context().map(|context| (context.0 != 0).then_some(context))
    }

    fn leave(&self) {
        // SAFETY: null is no context. A refusal leaves nothing to be done.
        let _ = unsafe { result::ctx::set_current(std::ptr::null_mut()) };
    }

    fn relax(&self) -> Result<(), Refusal> {
        let mut mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
        // SAFETY: exchanges the mode of this thread alone.
        let status = unsafe { sys::cuThreadExchangeStreamCaptureMode(&raw mut mode) };
        status.result().map_err(refused("cuThreadExchangeStreamCaptureMode"))
    }

    fn create(&self) -> Result<Event, Refusal> {
        // With timing: cudarc's own default is without.
        let event = result::event::create(sys::CUevent_flags::CU_EVENT_DEFAULT);
        event.map(|event| Event(handle(event))).map_err(refused("cuEventCreate"))
    }

    fn destroy(&self, event: Event) {
        // SAFETY: made by `create`, and given up by its owner. A driver that is gone answers with an error.
        let _ = unsafe { result::event::destroy(pointer(event.0)) };
    }

    #[inline]
    fn record(&self, event: Event, stream: Stream) -> Result<(), Refusal> {
        // SAFETY: an event of `create` that has not been destroyed, and the handle of the stream that the user is
        // launching on.
        let recorded = unsafe { result::event::record(pointer(event.0), pointer(stream.handle)) };
        recorded.map_err(refused("cuEventRecord"))
    }

    #[inline]
    fn capturing(&self, stream: Stream) -> Result<Capture, Refusal> {
        // SAFETY: the handle of the stream that the user is launching on.
        let status = unsafe { result::stream::is_capturing(pointer(stream.handle)) };
        match status.map_err(refused("cuStreamIsCapturing"))? {
            sys::CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE => Ok(Capture::None),
            _ => Ok(Capture::Capturing),
        }
    }

    /// By the second version where the driver has it (CUDA 12.8): the first also looks for errors of pending work, in
    /// which it contends with threads that launch. Where every launch is read, that was a fifth of a launch's cost.
    fn elapsed(&self, from: Event, to: Event) -> Result<Option<i64>, Refusal> {
        static SECOND: OnceLock<Option<ElapsedTime>> = OnceLock::new();
        match *SECOND.get_or_init(|| symbol(c"cuEventElapsedTime_v2")) {
            Some(second) => elapsed(Some(second), from, to),
            None => self.elapsed_or_error(from, to),
        }
    }

    fn elapsed_or_error(&self, from: Event, to: Event) -> Result<Option<i64>, Refusal> {
        static FIRST: OnceLock<Option<ElapsedTime>> = OnceLock::new();
        elapsed(*FIRST.get_or_init(|| symbol(c"cuEventElapsedTime")), from, to)
    }

    fn wait(&self, event: Event) -> Result<(), Refusal> {
        // SAFETY: an event of `create` that has not been destroyed.
        unsafe { result::event::synchronize(pointer(event.0)) }.map_err(refused("cuEventSynchronize"))
    }

    fn open_stream(&self, context: Context) -> Result<Stream, Refusal> {
        let stream = result::stream::create(result::stream::StreamKind::NonBlocking);
        stream.map(|stream| Stream { context, handle: handle(stream) }).map_err(refused("cuStreamCreate"))
    }

    fn close_stream(&self, stream: Stream) {
        // SAFETY: made by `open_stream`, and given up by its owner.
        let _ = unsafe { result::stream::destroy(pointer(stream.handle)) };
    }

    fn capability(&self) -> Result<Option<Capability>, Refusal> {
        let device = current_device()?;
        let number = |attribute| {
            // SAFETY: the device of the thread's context; the driver writes the number, or fails.
            let number = unsafe { result::device::get_attribute(device, attribute) };
            number.map(i32::cast_unsigned).map_err(refused("cuDeviceGetAttribute"))
        };
        let major = number(sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
        let minor = number(sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        Ok(Some(Capability(major, minor)))
    }

    fn load_probe(&self) -> Result<Probe, Refusal> {
        probe::load()
    }

    fn launch_probe(&self, probe: Probe, stream: Stream, busy: Option<Duration>) -> Result<(), Refusal> {
        probe::launch(probe, stream, busy)
    }

    fn unload_probe(&self, probe: Probe) {
        probe::unload(probe.module);
    }

    fn explain(&self, refusal: Refusal) -> String {
        let Refusal { call, code } = refusal;
        format!("{call}: {} ({code})", error_name(code).unwrap_or("unknown error"))
    }

    /// A primary context is held by its reference count. Another is destroyed when its owner says so, held or not.
    fn hold(&self, context: Context) -> Result<Life, Refusal> {
        const RETAIN: &str = "cuDevicePrimaryCtxRetain";
        let device = current_device()?;
        // Asked first: retaining one that is not there would make it.
        let is_there = result_of("cuDevicePrimaryCtxGetState", |flags, active| {
            // SAFETY: the driver writes both, or fails.
            unsafe { sys::cuDevicePrimaryCtxGetState(device, flags, active) }
        })?;
        let other_kind = Refusal { call: RETAIN, code: sys::CUresult::CUDA_ERROR_INVALID_CONTEXT as i32 };
        if !is_there {
            return Err(other_kind);
        }
        // SAFETY: a device of the driver's.
        let primary = unsafe { result::primary_ctx::retain(device) }.map_err(refused(RETAIN))?;
        let life = Life { device, id: context_id(primary) };
        if handle(primary) == context.0 {
            return Ok(life);
        }
        self.release(life);
        Err(other_kind)
    }

    fn release(&self, life: Life) {
        // Where contexts have no ids, one that was held stays held: its events could be taken for another's.
        if life.id != UNKNOWN_LIFE {
            // SAFETY: retained by `hold`.
            let _ = unsafe { result::primary_ctx::release(life.device) };
        }
    }

    fn graphs(&self) -> &dyn super::graph::Graphs {
        self
    }
}

/// The context that a stream is in, which has to be the thread's, and the number of its device.
///
/// A function of the driver is called in the context that the thread is in: it is not changed for a look at another.
pub(crate) fn context_of(stream: u64) -> Option<(Context, u32)> {
    // A function of that name may be anybody's, in a program without a driver: cudarc's first call would panic.
    library()?;
    let current = current_context().ok().filter(|context| context.0 != 0)?;
    let mut own: sys::CUcontext = std::ptr::null_mut();
    // A default stream is in whatever context the thread is in.
    if stream > 2 {
        // SAFETY: the stream that the user is launching on; the driver writes its context, or fails.
        unsafe { sys::cuStreamGetCtx(pointer(stream), &raw mut own) }.result().ok()?;
        if handle(own) != current.0 {
            return None;
        }
    }
    current_device().ok().map(|device| (current, device.cast_unsigned()))
}

/// The context that the thread is in; 0 where it is in none.
#[inline]
fn current_context() -> Result<Context, Refusal> {
    let mut current: sys::CUcontext = std::ptr::null_mut();
    // SAFETY: the driver writes the thread's context, null where it has none, or fails.
    let status = unsafe { sys::cuCtxGetCurrent(&raw mut current) };
    status.result().map(|()| Context(handle(current))).map_err(refused("cuCtxGetCurrent"))
}

/// The device of the thread's context.
fn current_device() -> Result<sys::CUdevice, Refusal> {
    let mut device = 0;
    // SAFETY: the driver writes the device of the thread's context, or fails.
    let status = unsafe { sys::cuCtxGetDevice(&raw mut device) };
    status.result().map_err(refused("cuCtxGetDevice")).map(|()| device)
}

/// Whether the second of the two values that `ask` has the driver write is not 0.
fn result_of(call: &'static str, ask: impl FnOnce(*mut u32, *mut i32) -> sys::CUresult) -> Result<bool, Refusal> {
    let (mut flags, mut active) = (0, 0);
    ask(&raw mut flags, &raw mut active).result().map_err(refused(call))?;
    Ok(active != 0)
}

/// Stands for the id of a context where the driver has none: before CUDA 12.0.
const UNKNOWN_LIFE: u64 = 0;

type GetId = unsafe extern "C" fn(sys::CUcontext, *mut u64) -> sys::CUresult;

fn context_id(context: sys::CUcontext) -> u64 {
    static FOUND: OnceLock<Option<GetId>> = OnceLock::new();
    let Some(get_id) = *FOUND.get_or_init(|| symbol(c"cuCtxGetId")) else {
        return UNKNOWN_LIFE;
    };
    let mut id = UNKNOWN_LIFE;
    // SAFETY: the driver's function of that name, with a context that is held; it writes the id, or fails.
    let status = unsafe { get_id(context, &raw mut id) };
    if status == sys::CUresult::CUDA_SUCCESS { id } else { UNKNOWN_LIFE }
}

/// The driver's resolution is half a microsecond, and a `f32` holds that for some seconds.
#[allow(clippy::cast_possible_truncation)] // saturates, far beyond any time between two events
fn nanoseconds(milliseconds: f32) -> i64 {
    (f64::from(milliseconds) * 1e6).round() as i64
}

type ElapsedTime = unsafe extern "C" fn(*mut f32, sys::CUevent, sys::CUevent) -> sys::CUresult;
type GetErrorName = unsafe extern "C" fn(i32, *mut *const std::ffi::c_char) -> sys::CUresult;

/// cudarc binds one of the two versions, by the CUDA version that it is built for, and a driver may have only the other:
/// so both are looked up.
fn elapsed(function: Option<ElapsedTime>, from: Event, to: Event) -> Result<Option<i64>, Refusal> {
    const CALL: &str = "cuEventElapsedTime";
    let Some(function) = function else {
        return Err(Refusal { call: CALL, code: sys::CUresult::CUDA_ERROR_NOT_FOUND as i32 });
    };
    let mut milliseconds = 0_f32;
    // SAFETY: the driver's function, with events of `create` that have not been destroyed.
    let status = unsafe { function(&raw mut milliseconds, pointer(from.0), pointer(to.0)) };
    match status {
        sys::CUresult::CUDA_SUCCESS => Ok(Some(nanoseconds(milliseconds))),
        sys::CUresult::CUDA_ERROR_NOT_READY => Ok(None),
        error => Err(Refusal { call: CALL, code: error as i32 }),
    }
}

fn error_name(code: i32) -> Option<&'static str> {
    static FOUND: OnceLock<Option<GetErrorName>> = OnceLock::new();
    let function = (*FOUND.get_or_init(|| symbol(c"cuGetErrorName")))?;
    let mut name = std::ptr::null();
    // SAFETY: the driver's function of that name; it writes a string of its own, or fails.
    let status = unsafe { function(code, &raw mut name) };
    if status != sys::CUresult::CUDA_SUCCESS || name.is_null() {
        return None;
    }
    // SAFETY: a constant of the driver's, which ends in NUL.
    unsafe { CStr::from_ptr(name) }.to_str().ok()
}
