//! Loads a profiler's library and lets it put its functions into our slots.
//!
//! The slots are what the C headers have as globals: function pointers that a tool overwrites, once, before it returns
//! from its entry point. They are static, since a tool may keep their addresses.

use std::ffi::{OsStr, c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use super::abi::{
    Callbacks, GetExportTable, InitializeInjection, MODULE_CORE2, MODULES, SLOTS, TABLE_CALLBACKS, TABLE_VERSION,
    VERSION, VersionInfo,
};

/// Where a tool puts a function. An atomic has the layout of the pointer that the tool writes.
type Slot = AtomicPtr<c_void>;

/// All modules, though only CORE2 is called: a tool takes over what it knows, and Nsight Compute refuses a client that
/// leaves one out.
static SLOTS_OF: [[Slot; SLOTS]; MODULES.len()] =
    [const { [const { Slot::new(ptr::null_mut()) }; SLOTS] }; MODULES.len()];

/// Addresses of slots, as a tool is handed them: none at 0, and a null behind the last.
struct Table([*const Slot; SLOTS + 1]);

// SAFETY: addresses of statics, which are read only.
unsafe impl Sync for Table {}

static TABLES: [Table; MODULES.len()] = {
    let mut tables = [const { Table([ptr::null(); SLOTS + 1]) }; MODULES.len()];
    let mut module = 1;
    while module < MODULES.len() {
        let mut slot = 1;
        #[allow(clippy::indexing_slicing)] // in a constant, where a wrong index does not compile
        while slot < MODULES[module] {
            tables[module].0[slot] = &raw const SLOTS_OF[module][slot];
            slot += 1;
        }
        module += 1;
    }
    tables
};

static CALLBACKS: Callbacks = Callbacks { struct_size: size_of::<Callbacks>(), module_table };
static VERSION_INFO: VersionInfo =
    VersionInfo { struct_size: size_of::<VersionInfo>(), version: VERSION as u32, reserved: 0, set_injection_version };

unsafe extern "C" fn export_table(id: u32) -> *const c_void {
    match id {
        TABLE_CALLBACKS => (&raw const CALLBACKS).cast(),
        TABLE_VERSION => (&raw const VERSION_INFO).cast(),
        _ => ptr::null(),
    }
}

unsafe extern "C" fn module_table(module: u32, table: *mut *const *mut *mut c_void, size: *mut u32) -> c_int {
    let module = module as usize;
    let (Some(slots), Some(&count)) = (TABLES.get(module), MODULES.get(module).filter(|&&count| count > 0)) else {
        return 0;
    };
    if !size.is_null() {
        // SAFETY: the tool's own variable, by the interface.
        unsafe { size.write(u32::try_from(count).unwrap_or(0)) };
    }
    if !table.is_null() {
        let first: *const *const Slot = slots.0.as_ptr();
        // SAFETY: the tool's own variable, by the interface.
        unsafe { table.write(first.cast()) };
    }
    1
}

unsafe extern "C" fn set_injection_version(_: u32) {}

/// What a tool put into a slot of CORE2; null for what it leaves out.
pub(super) fn function(slot: usize) -> *mut c_void {
    let core2 = SLOTS_OF.get(MODULE_CORE2).and_then(|slots| slots.get(slot));
    core2.map_or(ptr::null_mut(), |slot| slot.load(Ordering::Acquire))
}

/// Loads the library at `path` and starts it. It stays loaded for the rest of the process.
///
/// # Errors
/// It does not load, has no entry point, or refuses to start: in words for the user. Nothing of it is called then.
pub(super) fn start(path: &OsStr) -> Result<(), String> {
    let shown = path.to_string_lossy().into_owned();
    // SAFETY: the user names a profiler's library for this very purpose; its initialisers are its own.
    let library = unsafe { libloading::Library::new(path) };
    let library = library.map_err(|error| format!("{shown} does not load: {error}"))?;
    // SAFETY: the type is the one that the interface gives to this name.
    let entry = unsafe { library.get::<InitializeInjection>(c"InitializeInjectionNvtx2") };
    let Ok(entry) = entry else {
        return Err(format!("{shown} is no NVTX library: it has no InitializeInjectionNvtx2"));
    };
    let get: GetExportTable = export_table;
    // SAFETY: the entry point of a library that is loaded, called once, with what it asks for.
    let started = unsafe { entry(get) } != 0;
    if started {
        // Its functions are in the slots from now on.
        std::mem::forget(library);
        Ok(())
    } else {
        clear();
        Err(format!("{shown} refused to start"))
    }
}

/// The library is unloaded next: what it left must not be called.
fn clear() {
    for slot in SLOTS_OF.iter().flatten() {
        slot.store(ptr::null_mut(), Ordering::Release);
    }
}
