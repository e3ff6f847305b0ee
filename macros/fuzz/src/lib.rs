//! Random functions for the attribute, and what must hold of what it makes of each.
//!
//! An [`Input`] is what stands behind `#[gpu_kernel` and below it. It comes out of bytes: a grammar writes it, or a real
//! function is changed token by token. [`check()`] expands it and compares. The bytes come from a seed, so that a run can
//! be repeated anywhere, or from libFuzzer.

// A proc-macro crate gives away nothing but its macros, so that its modules are compiled here once more.
#[path = "../../src/args.rs"]
mod args;
#[path = "../../src/body.rs"]
mod body;
#[path = "../../src/driver.rs"]
mod driver;
#[path = "../../src/expand.rs"]
mod expand;
#[path = "../../src/fallback.rs"]
mod fallback;
#[path = "../../src/hooks.rs"]
mod hooks;
#[path = "../../src/locals.rs"]
mod locals;
#[path = "../../src/model.rs"]
mod model;
#[path = "../../src/origin.rs"]
mod origin;
#[path = "../../src/paths.rs"]
mod paths;
#[path = "../../src/scan.rs"]
mod scan;

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
