//! Random functions for the attribute, and what must hold of what it makes of each.
//!
//! An [`Input`] is what stands behind `#[gpu_kernel` and below it. It comes out of bytes: a grammar writes it, or a real
//! function is changed token by token. [`check()`] expands it and compares. The bytes come from a seed, so that a run can
//! be repeated anywhere, or from libFuzzer.

// A proc-macro crate gives away nothing but its macros, so that its modules are compiled here once more.
#[path = "../../src"]
mod expansion {
    pub(crate) mod args;
    pub(crate) mod body;
    pub(crate) mod calls;
    pub(crate) mod closures;
    pub(crate) mod depth;
    pub(crate) mod driver;
    pub(crate) mod entry;
    pub(crate) mod expand;
    pub(crate) mod fallback;
    pub(crate) mod hooks;
    pub(crate) mod locals;
    pub(crate) mod methods;
    pub(crate) mod model;
    pub(crate) mod origin;
    pub(crate) mod paths;
    pub(crate) mod scan;
    pub(crate) mod site;
    pub(crate) mod text;
}
// By which they know each other.
use expansion::{
    args, body, calls, closures, depth, driver, entry, expand, fallback, hooks, locals, methods, model, origin, paths,
    scan, site, text,
};

mod check;
mod entropy;
mod grammar;
mod input;
mod mutate;
mod run;
mod seeds;
mod shrink;

pub use check::{Fault, Kind, Outcome, check, expanded, verdict};
pub use entropy::Entropy;
pub use input::Input;
pub use run::{Found, Report, Run};
pub use seeds::Seeds;
pub use shrink::shrunk;
