//! Windows that a program opens and closes itself, around whatever it puts into a stream.

#[cfg(feature = "enabled")]
mod inner;
#[cfg(not(feature = "enabled"))]
mod off;
#[cfg(feature = "enabled")]
mod span;

use std::fmt;

use crate::device::Refusal;
#[cfg(feature = "enabled")]
pub use inner::Profiler;
#[cfg(not(feature = "enabled"))]
pub use off::{Profiler, Span};
#[cfg(feature = "enabled")]
pub use span::Span;

/// A window that is open: of one profiler, and of no other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[must_use = "the window is open until it is stopped or abandoned"]
pub struct Token {
    profiler: u64,
    number: u64,
}

impl Token {
    /// Counts windows of its profiler, from 0 on.
    #[must_use]
    pub fn number(self) -> u64 {
        self.number
    }
}

/// What a window says. It is as the two events have it: what they add is in it (see [`Accuracy`](crate::record::Accuracy)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reading {
    /// From the first event to the second, in nanoseconds.
    pub duration_ns: u64,
    /// When the first was reached, on the clock of the records: in nanoseconds since the session's start.
    pub start_ns: i64,
    /// How far that can be off.
    pub uncertainty_ns: u64,
}

/// Why there is no window, or no time. None is ever a number: it cannot be the least of some times, or spoil a sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProfilerError {
    /// No window of that token is open: it never was, or has been closed or abandoned.
    NotRegistered,
    /// The device refused a call.
    Refused(Refusal),
    /// The stream is being captured into a graph, in which an event would become a node: the call is not made.
    Capturing(&'static str),
    /// The stream is in another context than the profiler.
    OtherContext,
    /// The device gave a time that cannot be: below zero.
    Impossible,
    /// The feature `enabled` is off.
    Off,
}

impl fmt::Display for ProfilerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotRegistered => f.write_str("no such window is open"),
            Self::Refused(refusal) => refusal.fmt(f),
            Self::Capturing(call) => write!(f, "no {call}: the stream is being captured into a graph"),
            Self::OtherContext => f.write_str("the stream is in another context"),
            Self::Impossible => f.write_str("the device gave a time below zero"),
            Self::Off => f.write_str("launchsite is off"),
        }
    }
}

impl std::error::Error for ProfilerError {}

impl From<Refusal> for ProfilerError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

#[cfg(all(test, feature = "enabled"))]
mod tests;
