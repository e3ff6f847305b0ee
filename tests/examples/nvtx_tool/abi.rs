//! NVTX's side: its types, what it hands out, and the tables that a tool fills.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::{mem::offset_of, ptr, slice};

/// A domain's or a string's: a small number, so that whoever dereferences one crashes.
pub(crate) type Handle = usize;
pub(crate) type WideChar = u32;
/// Any of NVTX's functions: the index in its table says which type it is called as.
pub(crate) type Function = *const c_void;
/// Not of functions, but of pointers to the places where NVTX keeps them.
pub(crate) type Table = *const *mut Function;
pub(crate) type GetExportTable = unsafe extern "C" fn(c_uint) -> *const c_void;

pub(crate) const CALLBACKS: c_uint = 1;
pub(crate) const VERSION_INFO: c_uint = 3;
pub(crate) const CORE: c_uint = 1;
pub(crate) const CORE2: c_uint = 5;
pub(crate) const NVTX_VERSION: u32 = 3;
pub(crate) const NO_PUSH_POP_TRACKING: c_int = -2;

#[repr(C)]
pub(crate) struct Callbacks {
    pub(crate) struct_size: usize,
    pub(crate) module_table: Option<unsafe extern "C" fn(c_uint, *mut Table, *mut c_uint) -> c_int>,
}

#[repr(C)]
pub(crate) struct VersionInfo {
    pub(crate) struct_size: usize,
    pub(crate) version: u32,
    pub(crate) reserved: u32,
    pub(crate) set_injection_version: Option<unsafe extern "C" fn(u32)>,
}

/// `nvtxEventAttributes_v2`, with its unions as plain bits; so is the payload logged, of any type.
#[repr(C)]
pub(crate) struct Event {
    pub(crate) version: u16,
    pub(crate) size: u16,
    pub(crate) category: u32,
    pub(crate) color_type: i32,
    pub(crate) color: u32,
    pub(crate) payload_type: i32,
    pub(crate) reserved: i32,
    pub(crate) payload: u64,
    pub(crate) message_type: i32,
    pub(crate) message: *const c_void,
}

const _: () = assert!(offset_of!(Event, payload) == 24 && offset_of!(Event, message) == 40);
const _: () = assert!(size_of::<Event>() == 48);

pub(crate) trait Text {
    /// SAFETY: `text` is null or ends in a NUL.
    unsafe fn copy(text: *const Self) -> Option<String>;
}

impl Text for c_char {
    unsafe fn copy(text: *const Self) -> Option<String> {
        // SAFETY: not null, so it ends in a NUL.
        let text = (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) });
        text.map(|text| text.to_string_lossy().into_owned())
    }
}

impl Text for WideChar {
    unsafe fn copy(text: *const Self) -> Option<String> {
        let mut next = text;
        let units = std::iter::from_fn(|| {
            // SAFETY: the walk has not passed the NUL.
            let unit = unsafe { next.read_unaligned() };
            next = next.wrapping_add(1);
            (unit != 0).then(|| char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER))
        });
        (!text.is_null()).then(|| units.collect())
    }
}

/// SAFETY: `table` is null, or starts with its size, is as long as that, and stays.
pub(crate) unsafe fn exported<T>(table: *const c_void) -> Option<&'static T> {
    // SAFETY: it starts with its size.
    let long_enough = !table.is_null() && unsafe { table.cast::<usize>().read() } >= size_of::<T>();
    // SAFETY: it is all there.
    long_enough.then(|| unsafe { &*table.cast() })
}

/// How many entries the module's table has, and how many of the functions it took.
///
/// SAFETY: `callbacks` are NVTX's, and nobody else uses the places that its tables point to.
pub(crate) unsafe fn install(callbacks: &Callbacks, module: c_uint, functions: &[(usize, Function)]) -> (usize, usize) {
    let (mut table, mut size): (Table, c_uint) = (ptr::null(), 0);
    // SAFETY: both pointers are good for a write.
    let ask = |get: unsafe extern "C" fn(_, _, _) -> _| unsafe { get(module, &raw mut table, &raw mut size) };
    let known = callbacks.module_table.map_or(0, ask);
    let size = usize::try_from(size).unwrap_or(0);
    if known == 0 || table.is_null() {
        return (0, 0);
    }
    // SAFETY: NVTX said that the table has so many entries.
    let places = unsafe { slice::from_raw_parts(table, size) };
    let mut taken = 0;
    for (index, function) in functions {
        if let Some(place) = places.get(*index).filter(|place| !place.is_null()) {
            // SAFETY: an entry that is not null points to a place for a function.
            unsafe { place.write(*function) };
            taken += 1;
        }
    }
    (size, taken)
}
