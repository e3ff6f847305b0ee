//! A profiler's library that takes over the ranges of NVTX 3 and does nothing with them.

use std::ffi::{c_char, c_int, c_void};
use std::ptr;

/// `NvtxExportTableCallbacks`
#[repr(C)]
struct Callbacks {
    _struct_size: usize,
    module_table: unsafe extern "C" fn(u32, *mut *const *mut *mut c_void, *mut u32) -> c_int,
}

const TABLE_CALLBACKS: u32 = 1;
/// Ranges and strings in a domain.
const MODULE_CORE2: u32 = 5;
const OBJECT: *mut c_void = ptr::without_provenance_mut(0x1000);

extern "C" fn push(_: *mut c_void, _: *const c_void) -> c_int {
    0
}

extern "C" fn pop(_: *mut c_void) -> c_int {
    0
}

extern "C" fn name_category(_: *mut c_void, _: u32, _: *const c_char) {}

extern "C" fn register(_: *mut c_void, _: *const c_char) -> *mut c_void {
    OBJECT
}

extern "C" fn create(_: *const c_char) -> *mut c_void {
    OBJECT
}

/// Puts `functions` into the module's slots.
///
/// # Safety
/// `module_table` is a client's, by the interface.
unsafe fn take_over(callbacks: &Callbacks, module: u32, functions: &[(usize, *mut c_void)]) -> bool {
    let (mut table, mut size) = (ptr::null(), 0);
    // SAFETY: the client's function, with variables of ours.
    let known = unsafe { (callbacks.module_table)(module, &raw mut table, &raw mut size) } != 0;
    if !known || table.is_null() {
        return false;
    }
    for &(slot, function) in functions.iter().filter(|(slot, _)| *slot < size as usize) {
        // SAFETY: the table has `size` addresses.
        let entry = unsafe { table.add(slot) };
        // SAFETY: one of them.
        let place = unsafe { entry.read() };
        // SAFETY: each is a variable of the client's.
        unsafe { place.write(function) };
    }
    true
}

/// # Safety
/// Called once by a client of NVTX 3, with its own table.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn InitializeInjectionNvtx2(export: unsafe extern "C" fn(u32) -> *const c_void) -> c_int {
    // SAFETY: as the interface has it.
    let callbacks = unsafe { export(TABLE_CALLBACKS) }.cast::<Callbacks>();
    // SAFETY: null, or the client's static.
    let Some(callbacks) = (unsafe { callbacks.as_ref() }) else { return 0 };
    let core2 = [
        (4, push as *mut c_void),
        (5, pop as *mut c_void),
        (8, name_category as *mut c_void),
        (9, name_category as *mut c_void),
        (10, register as *mut c_void),
        (11, register as *mut c_void),
        (12, create as *mut c_void),
        (13, create as *mut c_void),
    ];
    // SAFETY: the client's own table.
    let taken = unsafe { take_over(callbacks, MODULE_CORE2, &core2) };
    c_int::from(taken)
}
