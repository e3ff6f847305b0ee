//! Functions of the driver, by their names.

use std::ffi::CStr;
use std::sync::OnceLock;

/// A function of the driver.
pub(super) fn symbol<F: Copy>(name: &CStr) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<*const ()>()) };
    // SAFETY: `F` is the type that the driver's headers give to the name.
    let found = unsafe { library()?.get::<F>(name) };
    found.ok().map(|symbol| *symbol)
}

/// The driver's library, if the process has loaded it: asking for it again loads nothing.
pub(super) fn library() -> Option<&'static libloading::Library> {
    static LIBRARY: OnceLock<Option<libloading::Library>> = OnceLock::new();
    let open = |name: &str| {
        let flags = libloading::os::unix::RTLD_NOW | libc::RTLD_NOLOAD;
        // SAFETY: it is in the process already, or it is not opened.
        unsafe { libloading::os::unix::Library::open(Some(name), flags) }.ok().map(libloading::Library::from)
    };
    if let Some(library) = LIBRARY.get() {
        return library.as_ref();
    }
    // Not remembered while it is not there: the program may load it later.
    let found = ["libcuda.so.1", "libcuda.so"].into_iter().find_map(open)?;
    LIBRARY.get_or_init(|| Some(found)).as_ref()
}
