//! A range that is pushed and popped in C.

use std::ffi::{CString, OsStr, c_char, c_int};
use std::os::unix::ffi::OsStrExt;

unsafe extern "C" {
    fn bare_range_load(path: *const c_char, text: *const c_char) -> c_int;
    safe fn bare_range_push(payload: u64);
    safe fn bare_range_pop();
}

/// Loads the profiler's library at `path`; false where that fails.
#[must_use]
pub fn load(path: &OsStr) -> bool {
    let Ok(path) = CString::new(path.as_bytes()) else { return false };
    // SAFETY: two strings that end in NUL.
    unsafe { bare_range_load(path.as_ptr(), c"forms::chain launchsite-benches/src/forms.rs:33".as_ptr()) != 0 }
}

/// Opens a range; nothing is done without a profiler's library.
#[inline]
pub fn push(payload: u64) {
    bare_range_push(payload);
}

/// Closes it.
#[inline]
pub fn pop() {
    bare_range_pop();
}
