//! What can be wrong with an expansion.

use std::any::Any;
use std::fmt;

use crate::run::last_panic;

/// The rule that is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The macro panicked.
    Panic,
    /// What it gave is no item.
    Unparsable,
    /// Without its hooks, what it gave is not the input.
    Changed,
    /// It gave back, without an error, what no attribute of its kind can stand on.
    Accepted,
    /// A hook that `check/hooks.rs` does not know, or one whose form is another.
    Hook,
    /// A hook where none may stand, or one without its declaration.
    Standing,
}

/// What does not hold, and where.
#[derive(Clone, Debug)]
pub struct Fault {
    /// The rule.
    pub kind: Kind,
    /// What was found instead.
    pub told: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:?}: {}", self.kind, self.told)
    }
}

impl Fault {
    pub(super) fn of_panic(panic: &(dyn Any + Send)) -> Self {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no text");
        fault(Kind::Panic, last_panic().unwrap_or_else(|| text.to_owned()))
    }
}

pub(super) fn fault(kind: Kind, told: String) -> Fault {
    Fault { kind, told }
}

/// Where two streams of tokens part.
#[derive(Debug)]
pub(super) struct Told {
    pub(super) wanted: String,
    pub(super) found: String,
}

impl fmt::Display for Told {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "`{}` instead of `{}`", self.found, self.wanted)
    }
}
