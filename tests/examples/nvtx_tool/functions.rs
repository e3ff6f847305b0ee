//! The functions that NVTX's callers reach.

use std::collections::BTreeMap;
use std::ffi::{c_char, c_int, c_void};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::abi::{Event, Function, Handle, Text, WideChar};
use crate::tool::{answer, nest, quoted, record, recorded};

static NEXT_DOMAIN: AtomicUsize = AtomicUsize::new(1);
static NEXT_STRING: AtomicUsize = AtomicUsize::new(1);
static NEXT_RANGE: AtomicU64 = AtomicU64::new(1);
/// By domain too, so that a handle used with a domain that is not its own finds no text.
static STRINGS: Mutex<BTreeMap<(Handle, Handle), String>> = Mutex::new(BTreeMap::new());

fn strings() -> MutexGuard<'static, BTreeMap<(Handle, Handle), String>> {
    STRINGS.lock().unwrap_or_else(PoisonError::into_inner)
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

        pub(crate) fn $list() -> Vec<(usize, Function)> {
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
