//! What the process is asked for beside std: its end, its forks, its threads' ids, its terminal.

#![allow(unsafe_code)] // the C library

use std::ffi::c_void;
use std::io::IsTerminal;
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicPtr, Ordering};

/// A value that each process makes once, on first use, and a fork's child makes anew.
///
/// Nobody waits: racing threads may each make one, and all use the one that was first. What a value replaces is never
/// freed, since a reference to it may be anywhere.
#[derive(Debug)]
pub(crate) struct PerProcess<T: 'static>(AtomicPtr<T>);

impl<T: Sync> PerProcess<T> {
    pub(crate) const fn new() -> Self {
        Self(AtomicPtr::new(std::ptr::null_mut()))
    }

    #[inline]
    pub(crate) fn get(&self) -> Option<&'static T> {
        let value = self.0.load(Ordering::Acquire);
        // SAFETY: null, or from a box of `get_or_make`: valid and shared for the rest of the process.
        unsafe { value.as_ref() }
    }

    /// The value, and whether this call put it there.
    pub(crate) fn get_or_make(&self, make: impl FnOnce() -> T) -> (&'static T, bool) {
        if let Some(value) = self.get() {
            return (value, false);
        }
        let ours = Box::into_raw(Box::new(make()));
        let null = std::ptr::null_mut();
        match self.0.compare_exchange(null, ours, Ordering::AcqRel, Ordering::Acquire) {
            // SAFETY: from the box above, never freed, and shared from here on.
            Ok(_) => (unsafe { &*ours }, true),
            Err(first) => {
                // SAFETY: from the box above, and nobody else has seen it.
                drop(unsafe { Box::from_raw(ours) });
                // SAFETY: another thread's, which it never frees.
                (unsafe { &*first }, false)
            }
        }
    }

    /// For a fork's child, which shares nothing with its parent.
    pub(crate) fn forget(&self) {
        self.0.store(std::ptr::null_mut(), Ordering::Release);
    }
}

/// Runs `handler` at the end of the process: when `main` returns, and in `std::process::exit`.
pub(crate) fn at_exit(handler: extern "C" fn()) {
    // SAFETY: a plain function that lives as long as the code; where there is no room it is not called.
    unsafe { libc::atexit(handler) };
}

/// Runs `handler` in each fork's child, before anything else runs there.
pub(crate) fn in_forked_child(handler: extern "C" fn()) {
    // SAFETY: the handlers only store to atomics, which a child may do between fork and exec.
    unsafe { libc::pthread_atfork(None, None, Some(handler)) };
}

/// Runs `spawn` with all signals blocked in this thread: a thread that it starts never takes one, which are the program's.
pub(crate) fn without_signals<T>(spawn: impl FnOnce() -> T) -> T {
    let mut all = std::mem::MaybeUninit::<libc::sigset_t>::uninit();
    let mut before = std::mem::MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: fills the set that it is given.
    unsafe { libc::sigfillset(all.as_mut_ptr()) };
    // SAFETY: the first set is filled, and the second is written.
    let blocked = unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr()) } == 0;
    let spawned = spawn();
    if blocked {
        // SAFETY: written above, as the call said.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), std::ptr::null_mut()) };
    }
    spawned
}

/// Waits until `file` takes bytes again.
pub(crate) fn wait_to_write(file: &std::fs::File) {
    let mut poll = libc::pollfd { fd: file.as_raw_fd(), events: libc::POLLOUT, revents: 0 };
    // SAFETY: one descriptor, which the file holds open.
    unsafe { libc::poll(&raw mut poll, 1, -1) };
}

/// The system's id of the calling thread.
pub(crate) fn thread_id() -> u64 {
    #[cfg(target_os = "linux")]
    // SAFETY: takes nothing and cannot fail.
    let id = unsafe { libc::gettid() };
    #[cfg(not(target_os = "linux"))]
    // SAFETY: takes nothing and cannot fail.
    let id = unsafe { libc::pthread_self() } as usize;
    u64::try_from(id).unwrap_or(0)
}

/// The processor's counter; 0 where it has none that is understood.
#[inline]
pub(crate) fn counter() -> u64 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every processor of this architecture has it.
    let counter = unsafe { std::arch::x86_64::_rdtsc() };
    #[cfg(not(target_arch = "x86_64"))]
    let counter = 0;
    counter
}

/// Whether the process runs with raised privileges: then the environment is somebody else's word.
pub(crate) fn is_secure() -> bool {
    #[cfg(target_os = "linux")]
    // SAFETY: reads a value that the kernel gave the process.
    let secure = unsafe { libc::getauxval(libc::AT_SECURE) } != 0;
    #[cfg(not(target_os = "linux"))]
    // SAFETY: takes nothing and cannot fail.
    let secure = unsafe { libc::issetugid() } != 0;
    secure
}

/// The host's name as the system gives it; empty where it has none.
pub(crate) fn host_name() -> String {
    let mut name = [0_u8; 256];
    // SAFETY: writes at most the length given, which is that of the array less one for the end.
    let status = unsafe { libc::gethostname(name.as_mut_ptr().cast(), name.len() - 1) };
    let end = name.iter().position(|&byte| byte == 0).unwrap_or(0);
    let text = name.get(..end).filter(|_| status == 0).unwrap_or_default();
    String::from_utf8_lossy(text).into_owned()
}

/// One line on stderr, whole: never through Rust's lock, which a stopped thread may hold, and never a panic.
pub(crate) fn complain(line: &str) {
    let text = format!("launchsite: {line}\n");
    write_stderr(text.as_bytes());
}

pub(crate) fn write_stderr(mut text: &[u8]) {
    while !text.is_empty() {
        // SAFETY: the pointer and the length are those of a slice; the descriptor may be closed, which is an error.
        let written = unsafe { libc::write(2, text.as_ptr().cast::<c_void>(), text.len()) };
        match usize::try_from(written) {
            Ok(written) if written > 0 => text = text.get(written..).unwrap_or_default(),
            // A signal came between; whatever else it is, the rest is not shown.
            _ if std::io::Error::last_os_error().kind() == std::io::ErrorKind::Interrupted => {}
            _ => return,
        }
    }
}

/// Columns of the terminal that stderr is; `None` where it is none.
pub(crate) fn stderr_width() -> Option<usize> {
    if !std::io::stderr().is_terminal() {
        return None;
    }
    let mut size = libc::winsize { ws_row: 0, ws_col: 0, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: the request writes one `winsize`.
    let status = unsafe { libc::ioctl(2, libc::TIOCGWINSZ, &raw mut size) };
    let columns = usize::from(size.ws_col);
    (status == 0 && columns > 0).then_some(columns)
}
