//! NVTX ranges, which profilers take kernels' names from: the handshake of version 3 in Rust, without a C library.

#![allow(unsafe_code)] // functions that a profiler's library gave us

mod abi;
mod handshake;

use std::ffi::{CStr, CString, OsStr, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::process;

/// A profiler's functions, and our domain in it.
#[derive(Debug)]
pub(crate) struct Tool {
    state: AtomicU8,
    /// The thread that loads the tool; a launch of its own, from inside the loading, does not wait for itself.
    loader: AtomicU64,
    domain: AtomicPtr<c_void>,
}

const UNKNOWN: u8 = 0;
const LOADING: u8 = 1;
const ABSENT: u8 = 2;
const PRESENT: u8 = 3;

/// How long a launch waits for another thread that loads the tool: longer than any takes, and no hang.
const LOADING_AT_MOST: Duration = Duration::from_secs(5);

/// What a range's message is: a string that the tool keeps once it has been registered, or the text itself where the
/// tool keeps none. Null before.
#[derive(Debug, Default)]
pub(crate) struct Handle {
    message: AtomicPtr<c_void>,
    is_text: AtomicBool,
}

/// How a range looks in a profiler.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    pub(crate) category: u32,
    /// Alpha, red, green, blue.
    pub(crate) argb: u32,
}

impl Tool {
    pub(crate) const fn new() -> Self {
        Self { state: AtomicU8::new(UNKNOWN), loader: AtomicU64::new(0), domain: AtomicPtr::new(ptr::null_mut()) }
    }

    /// Loads the tool, the first time; every thread that comes here goes on when it is there, as with NVIDIA's own
    /// headers: a launch before that would have no name.
    pub(crate) fn load(&self, path: Option<&OsStr>) {
        let claim = self.state.compare_exchange(UNKNOWN, LOADING, Ordering::AcqRel, Ordering::Acquire);
        match (claim, path) {
            (Ok(_), None) => self.state.store(ABSENT, Ordering::Release),
            (Ok(_), Some(path)) => {
                self.loader.store(process::thread_id(), Ordering::Relaxed);
                let state = if self.attach(path) { PRESENT } else { ABSENT };
                self.state.store(state, Ordering::Release);
            }
            (Err(LOADING), _) => self.wait(),
            (Err(_), _) => {}
        }
    }

    /// For a fork's child, where the thread that was loading is not.
    pub(crate) fn abandon(&self) {
        let _ = self.state.compare_exchange(LOADING, ABSENT, Ordering::AcqRel, Ordering::Acquire);
    }

    fn wait(&self) {
        if self.loader.load(Ordering::Relaxed) == process::thread_id() {
            return;
        }
        let began = Instant::now();
        while self.state.load(Ordering::Acquire) == LOADING && began.elapsed() < LOADING_AT_MOST {
            std::thread::sleep(Duration::from_micros(50));
        }
    }

    fn attach(&self, path: &OsStr) -> bool {
        if let Err(why) = handshake::start(path) {
            process::complain(&format!("NVTX_INJECTION64_PATH: {why}; going on without ranges"));
            return false;
        }
        if let Some(initialize) = slot::<abi::Initialize>(abi::INITIALIZE) {
            // SAFETY: the tool's own function; the argument is reserved.
            unsafe { initialize(ptr::null()) };
        }
        let Some(create) = slot::<abi::DomainCreate>(abi::DOMAIN_CREATE_A) else { return false };
        // SAFETY: the tool's own function, with a string that ends in NUL.
        let domain = unsafe { create(c"launchsite".as_ptr()) };
        self.domain.store(domain, Ordering::Release);
        // One without the other would leave ranges open.
        slot::<abi::RangePushEx>(abi::DOMAIN_RANGE_PUSH_EX).is_some()
            && slot::<abi::RangePop>(abi::DOMAIN_RANGE_POP).is_some()
    }

    #[inline]
    pub(crate) fn is_present(&self) -> bool {
        self.state.load(Ordering::Acquire) == PRESENT
    }

    /// Opens a range on this thread, and says whether there is one to [pop](Self::pop): whatever the tool returns,
    /// since one that does not count levels returns a negative number for a range that it did open.
    #[inline]
    pub(crate) fn push(&self, text: &str, category: &str, handle: &Handle, look: Look, payload: u64) -> bool {
        if !self.is_present() {
            return false;
        }
        let Some(push) = slot::<abi::RangePushEx>(abi::DOMAIN_RANGE_PUSH_EX) else { return false };
        let domain = self.domain.load(Ordering::Relaxed);
        let mut message = handle.message.load(Ordering::Acquire);
        if message.is_null() {
            message = register(domain, text, category, handle, look);
        }
        let attributes = abi::EventAttributes {
            version: abi::VERSION,
            size: abi::SIZE,
            category: look.category,
            color_type: abi::COLOR_ARGB,
            color: look.argb,
            payload_type: abi::PAYLOAD_U64,
            reserved: 0,
            payload,
            message_type: if handle.is_text.load(Ordering::Relaxed) {
                abi::MESSAGE_ASCII
            } else {
                abi::MESSAGE_REGISTERED
            },
            message,
        };
        // SAFETY: the tool's own function, with attributes of the size that they say.
        unsafe { push(domain, &raw const attributes) };
        true
    }

    /// Closes the range that [`push`](Self::push) opened last on this thread.
    #[inline]
    pub(crate) fn pop(&self) {
        if let Some(pop) = slot::<abi::RangePop>(abi::DOMAIN_RANGE_POP) {
            // SAFETY: the tool's own function; a range of this thread is open.
            unsafe { pop(self.domain.load(Ordering::Relaxed)) };
        }
    }
}

/// Racing threads may each register the text; the first handle is the one that all use from then on.
#[cold]
fn register(domain: abi::Domain, text: &str, category: &str, handle: &Handle, look: Look) -> abi::Registered {
    if let Some(name) = slot::<abi::NameCategory>(abi::DOMAIN_NAME_CATEGORY_A) {
        let category = c_string(category);
        // SAFETY: the tool's own function, with a string that ends in NUL; it copies what it keeps.
        unsafe { name(domain, look.category, category.as_ptr()) };
    }
    // A tool may keep the pointer instead of a copy, and it is once a name: the text stays.
    let text: &'static CStr = Box::leak(c_string(text).into_boxed_c_str());
    let registered = slot::<abi::RegisterString>(abi::DOMAIN_REGISTER_STRING_A).map(|register| {
        // SAFETY: the tool's own function, with a string that ends in NUL.
        unsafe { register(domain, text.as_ptr()) }
    });
    let ours = registered.filter(|registered| !registered.is_null()).unwrap_or_else(|| {
        handle.is_text.store(true, Ordering::Relaxed);
        text.as_ptr().cast_mut().cast()
    });
    match handle.message.compare_exchange(ptr::null_mut(), ours, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => ours,
        Err(first) => first,
    }
}

fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', " ")).unwrap_or_default()
}

/// A function of the tool, if it gave one for `slot`.
#[inline]
fn slot<F: Copy>(slot: usize) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
    let function = handshake::function(slot);
    if function.is_null() {
        return None;
    }
    // SAFETY: `F` is the type that the interface gives to the slot, and the tool put its function there.
    Some(unsafe { std::mem::transmute_copy::<*mut c_void, F>(&function) })
}
