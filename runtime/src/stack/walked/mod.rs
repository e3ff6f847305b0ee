//! Whose launch it is: the first function on the call stack that is the user's own.
//!
//! On each launch addresses are walked, by what the program's own tables say of them, as far as the frame that is shown,
//! and looked up by their hash in a table of the thread's. What is not there is worked out once: [`rules`] says how a frame
//! is left, [`symbols`] which functions an address is in, as the [`program`]'s file says, [`whose`] which of these is shown.
//!
//! A rule comes from `.eh_frame`, the table that unwinding goes by, and is exact at its address. It may say that a frame is
//! found by the frame pointer or by the stack's: either takes two reads of the thread's own stack, between the present
//! frame and the stack's end. No frame pointer is believed that no rule vouches for, and where there is no rule that is
//! understood the walk ends and nothing is claimed. So a walk takes no lock and no call of the system, and cannot fault.

mod known;
mod program;
mod rules;
mod symbols;
mod trail;
mod walk;
mod whose;

use std::panic::Location;

use crate::name::Frame;
use crate::site::{Instance, Search, Site};

/// What is looked for.
#[derive(Clone, Copy, Debug)]
struct Sought {
    site: &'static Site,
    search: Search,
    /// The place that called the function, or the one outside of the helpers that it is behind.
    caller: Option<&'static Location<'static>>,
    instance: Instance,
}

/// The frame that a launch in the function is named after, where the stack tells.
pub(crate) fn frame(
    site: &'static Site,
    search: Search,
    caller: Option<&'static Location<'static>>,
    instance: Instance,
) -> Option<&'static Frame> {
    walk::frame(&Sought { site, search, caller, instance })
}

#[cfg(test)]
mod tests;
