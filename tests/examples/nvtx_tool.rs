//! A recording NVTX tool: what `NVTX_INJECTION64_PATH` names in the tests and benches.
//!
//! It writes a line of JSON for each call that reaches it. The environment steers it:
//!
//! * `NVTX_TOOL_LOG=path`: the file to append to; without it nothing is written.
//! * `NVTX_TOOL_INIT=refuse|slow`: decline to start, or take 200 ms about it.
//! * `NVTX_TOOL_PUSH=n`: what push and pop return, in place of the level.
//! * `NVTX_TOOL_QUIET=1`: take every slot, but return at once from every call.
//!
//! A value that it cannot use makes it decline, with a word on stderr, so that a slip is seen.

#![cfg(target_os = "linux")]
#![allow(unsafe_code, reason = "NVTX is a C interface")]

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::fmt::Display;
use std::io::{self, Write as _};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::{env, fs::File, mem::offset_of, process, ptr, slice, thread, time::Duration};

/// A domain's or a string's: a small number, so that whoever dereferences one crashes.
type Handle = usize;
type WideChar = u32;
/// Any of NVTX's functions: the index in its table says which type it is called as.
type Function = *const c_void;
/// Not of functions, but of pointers to the places where NVTX keeps them.
type Table = *const *mut Function;
type GetExportTable = unsafe extern "C" fn(c_uint) -> *const c_void;

const CALLBACKS: c_uint = 1;
const VERSION_INFO: c_uint = 3;
const CORE: c_uint = 1;
const CORE2: c_uint = 5;
const NVTX_VERSION: u32 = 3;
const NO_PUSH_POP_TRACKING: c_int = -2;

#[repr(C)]
struct Callbacks {
    struct_size: usize,
    module_table: Option<unsafe extern "C" fn(c_uint, *mut Table, *mut c_uint) -> c_int>,
}

#[repr(C)]
struct VersionInfo {
    struct_size: usize,
    version: u32,
    reserved: u32,
    set_injection_version: Option<unsafe extern "C" fn(u32)>,
}

/// `nvtxEventAttributes_v2`, with its unions as plain bits; so is the payload logged, of any type.
#[repr(C)]
struct Event {
    version: u16,
    size: u16,
    category: u32,
    color_type: i32,
    color: u32,
    payload_type: i32,
    reserved: i32,
    payload: u64,
    message_type: i32,
    message: *const c_void,
}

const _: () = assert!(offset_of!(Event, payload) == 24 && offset_of!(Event, message) == 40);
const _: () = assert!(size_of::<Event>() == 48);

unsafe extern "C" {
    safe fn gettid() -> c_int;
}

static TOOL: OnceLock<Option<Tool>> = OnceLock::new();
static NEXT_DOMAIN: AtomicUsize = AtomicUsize::new(1);
static NEXT_STRING: AtomicUsize = AtomicUsize::new(1);
static NEXT_RANGE: AtomicU64 = AtomicU64::new(1);
/// By domain too, so that a handle used with a domain that is not its own finds no text.
static STRINGS: Mutex<BTreeMap<(Handle, Handle), String>> = Mutex::new(BTreeMap::new());

thread_local! {
    /// How many ranges are open in each domain. Needs no drop, so it serves a thread's last breath.
    static OPEN: [Cell<c_int>; 64] = const { [const { Cell::new(0) }; 64] };
}

struct Tool {
    log: Option<File>,
    refuse: bool,
    pause: Duration,
    returned: Option<c_int>,
    quiet: bool,
}

impl Tool {
    fn from_env() -> Option<Self> {
        let setting = |name| env::var(name).unwrap_or_default();
        let init = setting("NVTX_TOOL_INIT");
        let push = setting("NVTX_TOOL_PUSH");
        let quiet = setting("NVTX_TOOL_QUIET");
        let returned = push.parse().ok();
        let push_known = push.is_empty() || returned.is_some();
        if !push_known || !matches!(&*init, "" | "refuse" | "slow") || !matches!(&*quiet, "" | "1") {
            complain(format!("cannot use NVTX_TOOL_INIT={init} _PUSH={push} _QUIET={quiet}"));
            return None;
        }
        let append = |path| File::options().append(true).create(true).open(path);
        let log = env::var_os("NVTX_TOOL_LOG").map(append).transpose();
        Some(Self {
            log: log.map_err(complain).ok()?,
            refuse: init == "refuse",
            pause: Duration::from_millis(if init == "slow" { 100 } else { 0 }),
            returned,
            quiet: quiet == "1",
        })
    }

    /// One write to a file in append mode: lines never mix, and an abort right after loses none.
    fn write(&self, call: &str, rest: &str) {
        let line = format!("{{\"call\":\"{call}\",\"thread\":{}{rest}}}\n", gettid());
        let append = |mut log: &File| log.write_all(line.as_bytes());
        if let Some(Err(why)) = self.log.as_ref().map(append) {
            // Going on without the line would let a test that expects no call pass.
            complain(why);
            process::abort();
        }
    }
}

/// Not `eprintln!`, which panics when stderr is closed.
fn complain(why: impl Display) {
    let _ = writeln!(io::stderr(), "nvtx_tool: {why}");
}

/// The tool, unless it is to do nothing.
fn recorder() -> Option<&'static Tool> {
    TOOL.get()?.as_ref().filter(|tool| !tool.quiet)
}

fn record(call: &str, rest: impl FnOnce() -> String) {
    if let Some(tool) = recorder() {
        tool.write(call, &rest());
    }
}

fn strings() -> MutexGuard<'static, BTreeMap<(Handle, Handle), String>> {
    STRINGS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn quoted(text: Option<&str>) -> String {
    let Some(text) = text else {
        return "null".to_owned();
    };
    let mut json = String::from('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => json.extend(['\\', character]),
            '\0'..='\x1f' => json.extend(format!("\\u{:04x}", u32::from(character)).chars()),
            _ => json.push(character),
        }
    }
    json.push('"');
    json
}

trait Text {
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

/// SAFETY: `event` is null, or as long as it says, with a message as it says.
unsafe fn described(domain: Handle, event: *const Event) -> String {
    if event.is_null() {
        return format!(r#","domain":{domain},"size":null"#);
    }
    // SAFETY: every version of the structure starts with these two.
    let [version, size] = unsafe { event.cast::<[u16; 2]>().read_unaligned() };
    let head = format!(r#","domain":{domain},"version":{version},"size":{size}"#);
    if usize::from(size) < size_of::<Event>() {
        return head;
    }
    // SAFETY: it says that it is long enough.
    let event = unsafe { event.read_unaligned() };
    let (category, color_type, color) = (event.category, event.color_type, event.color);
    let look = format!(r#""category":{category},"color_type":{color_type},"color":{color}"#);
    let (payload_type, payload, reserved) = (event.payload_type, event.payload, event.reserved);
    let load = format!(r#""payload_type":{payload_type},"payload":{payload},"reserved":{reserved}"#);
    let (message_type, message) = (event.message_type, event.message);
    let text = match message_type {
        // SAFETY: the message is what its type says.
        1 => unsafe { c_char::copy(message.cast()) },
        // SAFETY: the message is what its type says.
        2 => unsafe { WideChar::copy(message.cast()) },
        3 => strings().get(&(domain, message.addr())).cloned(),
        _ => None,
    };
    let handle = (message_type == 3).then(|| message.addr().to_string());
    let (handle, text) = (handle.as_deref().unwrap_or("null"), quoted(text.as_deref()));
    let tail = format!(r#""message_type":{message_type},"handle":{handle},"text":{text}"#);
    format!("{head},{look},{load},{tail}")
}

/// Opens (1) or closes (-1) a range, and gives its level: -1 where there is none to close.
fn nest(domain: Handle, step: c_int) -> c_int {
    OPEN.with(|open| {
        open.get(domain).map_or(NO_PUSH_POP_TRACKING, |open| {
            let before = open.get();
            open.set(before.saturating_add(step).max(0));
            before + step.min(0)
        })
    })
}

fn answer(level: c_int) -> c_int {
    let tool = TOOL.get().and_then(Option::as_ref);
    tool.and_then(|tool| tool.returned).unwrap_or(level)
}

fn recorded(call: &str, domain: Handle, step: c_int, rest: impl FnOnce() -> String) -> c_int {
    let Some(tool) = recorder() else {
        return answer(0);
    };
    let level = nest(domain, step);
    tool.write(call, &format!(r#"{},"level":{level}"#, rest()));
    answer(level)
}

// SAFETY, of all that follow: NVTX has its callers pass null or a string that ends in a NUL, and
// null or an event that is as long as it says.

unsafe extern "C" fn domain_create<T: Text>(name: *const T) -> Handle {
    let domain = NEXT_DOMAIN.fetch_add(1, Relaxed);
    record("domain_create", || {
        // SAFETY: see above.
        let name = unsafe { T::copy(name) };
        format!(r#","domain":{domain},"name":{}"#, quoted(name.as_deref()))
    });
    domain
}

extern "C" fn domain_destroy(domain: Handle) {
    record("domain_destroy", || {
        strings().retain(|(owner, _), _| *owner != domain);
        format!(r#","domain":{domain}"#)
    });
}

unsafe extern "C" fn register<T: Text>(domain: Handle, text: *const T) -> Handle {
    let handle = NEXT_STRING.fetch_add(1, Relaxed);
    record("register", || {
        // SAFETY: see above.
        let text = unsafe { T::copy(text) };
        let json = quoted(text.as_deref());
        strings().extend(text.map(|text| ((domain, handle), text)));
        format!(r#","domain":{domain},"handle":{handle},"text":{json}"#)
    });
    handle
}

unsafe extern "C" fn category<T: Text>(domain: Handle, id: u32, name: *const T) {
    record("category", || {
        // SAFETY: see above.
        let name = unsafe { T::copy(name) };
        format!(r#","domain":{domain},"id":{id},"name":{}"#, quoted(name.as_deref()))
    });
}

unsafe extern "C" fn push(domain: Handle, event: *const Event) -> c_int {
    // SAFETY: see above.
    recorded("push", domain, 1, || unsafe { described(domain, event) })
}

extern "C" fn pop(domain: Handle) -> c_int {
    recorded("pop", domain, -1, || format!(r#","domain":{domain}"#))
}

unsafe extern "C" fn start(domain: Handle, event: *const Event) -> u64 {
    let id = NEXT_RANGE.fetch_add(1, Relaxed);
    record("start", || {
        // SAFETY: see above.
        let event = unsafe { described(domain, event) };
        format!(r#"{event},"id":{id}"#)
    });
    id
}

extern "C" fn end(domain: Handle, id: u64) {
    record("end", || format!(r#","domain":{domain},"id":{id}"#));
}

unsafe extern "C" fn mark(domain: Handle, event: *const Event) {
    // SAFETY: see above.
    record("mark", || unsafe { described(domain, event) });
}

/// Defines functions of which only the call counts, and lists them by index after the given ones.
macro_rules! functions {
    ($list:ident: [$($given:expr,)*]
     $($index:literal $name:ident($($argument:ty),*) $(-> $result:ty = $value:expr)?;)*) => {
        $(extern "C" fn $name($(_: $argument),*) $(-> $result)? {
            record(stringify!($name), String::new);
            $($value)?
        })*

        fn $list() -> Vec<(usize, Function)> {
            vec![$($given,)* $(($index, $name as Function),)*]
        }
    };
}

functions! { core2_functions: [
        (1, mark as Function),
        (2, start as Function),
        (3, end as Function),
        (4, push as Function),
        (5, pop as Function),
        (8, category::<c_char> as Function),
        (9, category::<WideChar> as Function),
        (10, register::<c_char> as Function),
        (11, register::<WideChar> as Function),
        (12, domain_create::<c_char> as Function),
        (13, domain_create::<WideChar> as Function),
        (14, domain_destroy as Function),
    ]
    6 resource_create(Handle, *mut c_void) -> Handle = 1;
    7 resource_destroy(Handle);
    15 initialize(*const c_void);
}

functions! { core_functions: []
    1 core_mark_ex(*const Event);
    2 core_mark_a(*const c_char);
    3 core_mark_w(*const WideChar);
    4 core_start_ex(*const Event) -> u64 = NEXT_RANGE.fetch_add(1, Relaxed);
    5 core_start_a(*const c_char) -> u64 = NEXT_RANGE.fetch_add(1, Relaxed);
    6 core_start_w(*const WideChar) -> u64 = NEXT_RANGE.fetch_add(1, Relaxed);
    7 core_end(u64);
    8 core_push_ex(*const Event) -> c_int = answer(nest(0, 1));
    9 core_push_a(*const c_char) -> c_int = answer(nest(0, 1));
    10 core_push_w(*const WideChar) -> c_int = answer(nest(0, 1));
    11 core_pop() -> c_int = answer(nest(0, -1));
    12 core_category_a(u32, *const c_char);
    13 core_category_w(u32, *const WideChar);
    14 core_thread_a(u32, *const c_char);
    15 core_thread_w(u32, *const WideChar);
}

/// SAFETY: `table` is null, or starts with its size, is as long as that, and stays.
unsafe fn exported<T>(table: *const c_void) -> Option<&'static T> {
    // SAFETY: it starts with its size.
    let long_enough = !table.is_null() && unsafe { table.cast::<usize>().read() } >= size_of::<T>();
    // SAFETY: it is all there.
    long_enough.then(|| unsafe { &*table.cast() })
}

/// How many entries the module's table has, and how many of the functions it took.
///
/// SAFETY: `callbacks` are NVTX's, and nobody else uses the places that its tables point to.
unsafe fn install(callbacks: &Callbacks, module: c_uint, functions: &[(usize, Function)]) -> (usize, usize) {
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

/// Whether the tool now gets CORE2's calls, and what it saw on the way.
///
/// SAFETY: `get_table` is NVTX's own.
unsafe fn attach(tool: &Tool, get_table: GetExportTable) -> (bool, String) {
    // Half before and half after: a caller that does not wait loses calls, or logs them too early.
    thread::sleep(tool.pause);
    // SAFETY: NVTX answers any number.
    let callbacks = unsafe { get_table(CALLBACKS) };
    // SAFETY: this is the table of that number.
    let Some(callbacks) = (unsafe { exported::<Callbacks>(callbacks) }) else {
        return (false, String::new());
    };
    // SAFETY: NVTX answers any number.
    let info = unsafe { get_table(VERSION_INFO) };
    // SAFETY: this is the table of that number.
    let info = unsafe { exported::<VersionInfo>(info) };
    if let Some(set) = info.and_then(|info| info.set_injection_version) {
        // SAFETY: NVTX asks its tools for this call.
        unsafe { set(NVTX_VERSION) };
    }
    // SAFETY: NVTX lets no call through until the tool has started.
    let (core, taken) = unsafe { install(callbacks, CORE, &core_functions()) };
    let seen = format!(r#","core":{core},"core_taken":{taken}"#);
    // SAFETY: as above.
    let (core2, taken) = unsafe { install(callbacks, CORE2, &core2_functions()) };
    thread::sleep(tool.pause);
    let version = info.map_or(0, |info| info.version);
    (core2 > 0, format!(r#"{seen},"core2":{core2},"core2_taken":{taken},"version":{version}"#))
}

/// What NVTX calls when it has loaded the tool; 1 if the tool started, 0 if not.
///
/// # Safety
///
/// `get_table` must be NVTX's own.
#[unsafe(no_mangle)]
#[allow(non_snake_case, reason = "the name is NVTX's")]
pub unsafe extern "C" fn InitializeInjectionNvtx2(get_table: GetExportTable) -> c_int {
    let Some(tool) = TOOL.get_or_init(Tool::from_env) else {
        return 0;
    };
    // SAFETY: as the caller vouches.
    let attached = (!tool.refuse).then(|| unsafe { attach(tool, get_table) });
    let (accepted, seen) = attached.unwrap_or_default();
    tool.write("init", &format!(r#","accepted":{accepted}{seen}"#));
    c_int::from(accepted)
}
