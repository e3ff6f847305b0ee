//! What is asked of the driver beyond doing its work: refusals, and what kernels do.
//!
//! The text of a module may have lines for it, which a real driver takes for comments:
//!
//! ```text
//! //! missing rescale          the module has no such kernel; it has one of any other name
//! //! store count_keys 1 64    the kernel stores 64, a u32, where its parameter 1 points to
//! ```
//!
//! A text with kernels in it (`.entry NAME`) has these and no others.

use std::cell::RefCell;
use std::env;
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::abi::{Status, Text};
use crate::log::give_up;

/// The `nth` call of the function, counted down, is refused with the status; every call, where it is 0.
#[derive(Clone, Debug)]
struct Refusal {
    function: String,
    nth: u32,
    status: Status,
}

thread_local! {
    static OF_THREAD: RefCell<Vec<Refusal>> = const { RefCell::new(Vec::new()) };
}

/// The status that this call of the function `name` is refused with, if it is.
pub(crate) fn refusal(name: &str) -> Option<Status> {
    static OF_ALL: OnceLock<Mutex<Vec<Refusal>>> = OnceLock::new();
    let of_all = OF_ALL.get_or_init(|| Mutex::new(from_env()));
    let by_all = count(&mut of_all.lock().unwrap_or_else(PoisonError::into_inner), name);
    // A thread whose storage is gone has asked for nothing.
    let by_thread = OF_THREAD.try_with(|refusals| count(&mut refusals.borrow_mut(), name)).ok().flatten();
    by_thread.or(by_all)
}

fn count(refusals: &mut Vec<Refusal>, name: &str) -> Option<Status> {
    let mut status = None;
    refusals.retain_mut(|refusal| {
        if refusal.function != name {
            return true;
        }
        if refusal.nth <= 1 {
            status = Some(refusal.status);
        }
        let spent = refusal.nth == 1;
        refusal.nth = refusal.nth.saturating_sub(1);
        !spent
    });
    status
}

fn from_env() -> Vec<Refusal> {
    let text = env::var("SCRIPTED_DRIVER_REFUSE").unwrap_or_default();
    let parse = |refusal: &str| {
        let mut parts = refusal.split(':');
        let function = parts.next()?.trim().to_owned();
        let (nth, status) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        Some(Refusal { function, nth, status })
    };
    let refusals = text.split(',').filter(|part| !part.trim().is_empty());
    refusals.map(|part| parse(part).unwrap_or_else(|| give_up(format!("cannot use {part:?}")))).collect()
}

/// Refuses, with `status`, the `nth` call of the function `name` that this thread makes from now on; 0 is every call.
#[unsafe(no_mangle)]
extern "C" fn scripted_driver_refuse(name: Text, nth: u32, status: Status) {
    let refusal = Refusal { function: name.read().unwrap_or_default(), nth, status };
    OF_THREAD.with_borrow_mut(|refusals| refusals.push(refusal));
}

/// Forgets what this thread asked to be refused and has not come to yet.
#[unsafe(no_mangle)]
extern "C" fn scripted_driver_relent() {
    OF_THREAD.with_borrow_mut(Vec::clear);
}

/// What the text of a module says of its kernels.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kernels {
    missing: Vec<String>,
    /// Those of the text; without any, there is one of every name.
    entries: Vec<String>,
    stores: Vec<(String, usize, u32)>,
}

impl Kernels {
    pub(crate) fn parse(text: &str) -> Self {
        let mut kernels = Self::default();
        let name =
            |rest: &str| rest.split_whitespace().next().and_then(|word| word.split('(').next()).map(str::to_owned);
        kernels.entries = text.split(".entry ").skip(1).filter_map(name).collect();
        for line in text.lines().filter_map(|line| line.trim().strip_prefix("//! ")) {
            let words: Vec<_> = line.split_whitespace().collect();
            match words.as_slice() {
                ["missing", name] => kernels.missing.push((*name).to_owned()),
                ["store", name, index, value] => {
                    let (Ok(index), Ok(value)) = (index.parse(), value.parse()) else {
                        give_up(format!("cannot use {line:?}"))
                    };
                    kernels.stores.push(((*name).to_owned(), index, value));
                }
                _ => give_up(format!("cannot use {line:?}")),
            }
        }
        kernels
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        let is = |known: &String| known == name;
        !self.missing.iter().any(is) && (self.entries.is_empty() || self.entries.iter().any(is))
    }

    /// The parameters that the kernel stores through, and what.
    pub(crate) fn stores(&self, name: &str) -> Vec<(usize, u32)> {
        let own = self.stores.iter().filter(|(kernel, ..)| kernel == name);
        own.map(|&(_, index, value)| (index, value)).collect()
    }
}
