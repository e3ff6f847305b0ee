//! What crosses the border: statuses, handles, and what callers in C point to.

use std::ffi::{CStr, c_char, c_int};
use std::{ptr, slice};

pub(crate) type Status = c_int;
/// An object's: a small number, so that whoever dereferences one crashes.
pub(crate) type Handle = usize;
/// In the memory of a device.
pub(crate) type Address = u64;
/// In the memory of the process.
pub(crate) type HostAddress = usize;

/// Why a call is refused, by the numbers of `cuda.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refused(pub(crate) Status);

pub(crate) type Done<T = ()> = Result<T, Refused>;

pub(crate) const INVALID_VALUE: Refused = Refused(1);
pub(crate) const INVALID_DEVICE: Refused = Refused(101);
pub(crate) const INVALID_CONTEXT: Refused = Refused(201);
pub(crate) const INVALID_HANDLE: Refused = Refused(400);
pub(crate) const NOT_FOUND: Refused = Refused(500);
pub(crate) const NOT_READY: Refused = Refused(600);
pub(crate) const COOPERATIVE_LAUNCH_TOO_LARGE: Refused = Refused(720);
pub(crate) const CAPTURE_UNSUPPORTED: Refused = Refused(900);
pub(crate) const CAPTURE_INVALIDATED: Refused = Refused(901);
pub(crate) const CAPTURE_UNMATCHED: Refused = Refused(903);
pub(crate) const CAPTURE_ISOLATION: Refused = Refused(905);
pub(crate) const CAPTURE_IMPLICIT: Refused = Refused(906);
pub(crate) const CAPTURED_EVENT: Refused = Refused(907);
pub(crate) const CAPTURE_WRONG_THREAD: Refused = Refused(908);

/// Where a caller wants a value. Callers of the driver pass null, or what is good for a read and a write.
#[repr(transparent)]
#[derive(Debug)]
pub(crate) struct Out<T>(*mut T);

impl<T: Copy> Out<T> {
    pub(crate) fn put(&self, value: T) -> Done {
        if self.0.is_null() {
            return Err(INVALID_VALUE);
        }
        // SAFETY: see the type.
        unsafe { self.0.write(value) };
        Ok(())
    }

    /// The `len` values that the caller has there.
    pub(crate) fn read(&self, len: usize) -> Vec<T> {
        // SAFETY: see the type, and the caller has `len` of them.
        (0..len).map(|index| unsafe { self.0.wrapping_add(index).read() }).collect()
    }

    pub(crate) fn is_null(&self) -> bool {
        self.0.is_null()
    }

    /// Where null says that the value is not wanted.
    pub(crate) fn put_if_wanted(&self, value: T) {
        let _ = self.put(value);
    }

    pub(crate) fn get(&self) -> Done<T> {
        // SAFETY: see the type.
        let value = (!self.0.is_null()).then(|| unsafe { self.0.read() });
        value.ok_or(INVALID_VALUE)
    }

    /// Fills the room of `len` values that the caller has there.
    pub(crate) fn fill(&self, values: &[T], len: usize) {
        for (index, value) in values.iter().take(len).enumerate() {
            // SAFETY: see the type, and the caller has room for `len`.
            unsafe { self.0.wrapping_add(index).write(*value) };
        }
    }
}

/// A caller's string: null, or one that ends in a NUL.
#[repr(transparent)]
pub(crate) struct Text(*const c_char);

impl Text {
    pub(crate) fn read(&self) -> Option<String> {
        // SAFETY: see the type.
        let text = (!self.0.is_null()).then(|| unsafe { CStr::from_ptr(self.0) });
        text.map(|text| text.to_string_lossy().into_owned())
    }
}

/// The caller's `len` bytes at `at`, which it vouches for.
pub(crate) fn host_bytes(at: HostAddress, len: usize) -> Done<Vec<u8>> {
    if at == 0 {
        return Err(INVALID_VALUE);
    }
    // SAFETY: a caller of the driver passes what is good for a read of that length.
    let bytes = unsafe { slice::from_raw_parts(ptr::with_exposed_provenance::<u8>(at), len) };
    Ok(bytes.to_vec())
}

/// Likewise, to be overwritten.
pub(crate) fn write_host_bytes(at: HostAddress, bytes: &[u8]) {
    let to = ptr::with_exposed_provenance_mut::<u8>(at);
    // SAFETY: a caller of the driver passes what is good for a write of that length, and is not device memory.
    unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len()) };
}

/// The parameters of a launch, as an array of pointers to them: null where it has none.
#[repr(transparent)]
pub(crate) struct Parameters(*const *const Address);

impl Parameters {
    /// The parameter at `index`, which is an address.
    pub(crate) fn address(&self, index: usize) -> Option<Address> {
        if self.0.is_null() {
            return None;
        }
        // SAFETY: scripts ask for parameters that the kernel has.
        let parameter = unsafe { self.0.wrapping_add(index).read() };
        // SAFETY: each points to its value.
        Some(unsafe { parameter.read_unaligned() })
    }
}

/// `CUlaunchConfig`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaunchConfig {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) shared: u32,
    pub(crate) stream: Handle,
    pub(crate) attributes: HostAddress,
    pub(crate) attribute_count: u32,
}
