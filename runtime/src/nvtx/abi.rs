//! The binary interface of NVTX version 3, as its headers have it (`nvtxTypes.h`, `nvToolsExt.h`).

use std::ffi::{c_char, c_int, c_void};

/// How many functions each module has that a tool may take over, by the module's number, counting the place 0 that
/// none stands at: CORE, CUDA, OPENCL, CUDART, CORE2 and SYNC from 1 on.
pub(super) const MODULES: [usize; 7] = [0, 16, 9, 15, 7, 16, 7];
pub(super) const MODULE_CORE2: usize = 5;

/// What a tool may ask a client for.
pub(super) const TABLE_CALLBACKS: u32 = 1;
pub(super) const TABLE_VERSION: u32 = 3;

/// The most that a module has.
pub(super) const SLOTS: usize = 16;

/// Places of functions in module CORE2.
pub(super) const DOMAIN_RANGE_PUSH_EX: usize = 4;
pub(super) const DOMAIN_RANGE_POP: usize = 5;
pub(super) const DOMAIN_NAME_CATEGORY_A: usize = 8;
pub(super) const DOMAIN_REGISTER_STRING_A: usize = 10;
pub(super) const DOMAIN_CREATE_A: usize = 12;
pub(super) const INITIALIZE: usize = 15;

/// A domain of the tool.
pub(super) type Domain = *mut c_void;
/// A string that the tool keeps.
pub(super) type Registered = *mut c_void;

pub(super) type GetExportTable = unsafe extern "C" fn(u32) -> *const c_void;
pub(super) type InitializeInjection = unsafe extern "C" fn(GetExportTable) -> c_int;
pub(super) type RangePushEx = unsafe extern "C" fn(Domain, *const EventAttributes) -> c_int;
pub(super) type RangePop = unsafe extern "C" fn(Domain) -> c_int;
pub(super) type NameCategory = unsafe extern "C" fn(Domain, u32, *const c_char);
pub(super) type RegisterString = unsafe extern "C" fn(Domain, *const c_char) -> Registered;
pub(super) type DomainCreate = unsafe extern "C" fn(*const c_char) -> Domain;
pub(super) type Initialize = unsafe extern "C" fn(*const c_void);

/// `NvtxExportTableCallbacks`
#[repr(C)]
pub(super) struct Callbacks {
    pub(super) struct_size: usize,
    pub(super) module_table: unsafe extern "C" fn(u32, *mut *const *mut *mut c_void, *mut u32) -> c_int,
}

/// `NvtxExportTableVersionInfo`
#[repr(C)]
pub(super) struct VersionInfo {
    pub(super) struct_size: usize,
    pub(super) version: u32,
    pub(super) reserved: u32,
    pub(super) set_injection_version: unsafe extern "C" fn(u32),
}

/// `nvtxEventAttributes_t`, with the payload as an unsigned integer and the message as a registered string.
#[repr(C)]
pub(super) struct EventAttributes {
    pub(super) version: u16,
    pub(super) size: u16,
    pub(super) category: u32,
    pub(super) color_type: i32,
    pub(super) color: u32,
    pub(super) payload_type: i32,
    pub(super) reserved: i32,
    pub(super) payload: u64,
    pub(super) message_type: i32,
    pub(super) message: *const c_void,
}

pub(super) const VERSION: u16 = 3;
#[allow(clippy::cast_possible_truncation)] // 48
pub(super) const SIZE: u16 = size_of::<EventAttributes>() as u16;
pub(super) const COLOR_ARGB: i32 = 1;
pub(super) const PAYLOAD_U64: i32 = 1;
pub(super) const MESSAGE_ASCII: i32 = 1;
pub(super) const MESSAGE_REGISTERED: i32 = 3;

// The sizes and places that a tool built from NVIDIA's headers reads.
const _: () = {
    assert!(size_of::<EventAttributes>() == 48 || size_of::<usize>() != 8);
    assert!(std::mem::offset_of!(EventAttributes, payload) == 24);
    assert!(std::mem::offset_of!(EventAttributes, message) == 40 || size_of::<usize>() != 8);
    assert!(size_of::<Callbacks>() == 2 * size_of::<usize>());
};
