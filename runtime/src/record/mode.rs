//! What happened to a launch, and why it was not timed.

use std::fmt;

use crate::device::Refusal;

/// What happened to a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Mode {
    /// Events stand around it in the stream.
    Timed,
    /// Timing was not asked for.
    Named,
    /// It went into a graph that is being captured.
    Captured,
    /// It was launched, and could not be timed.
    Refused,
    /// It was not launched: the launch's own error went to the caller. Of a scope: it was left by a panic.
    Failed,
}

impl Mode {
    /// The word for it in records.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Timed => "timed",
            Self::Named => "named",
            Self::Captured => "captured",
            Self::Refused => "refused",
            Self::Failed => "failed",
        }
    }
}

/// Why there is no time where one was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// The device refused a call.
    Refusal(Refusal),
    /// The stream is being captured into a graph: an event would have become part of it.
    Capturing,
    /// Nothing tells which stream the launch goes to.
    StreamUnknown,
    /// The stream that the function was given when it was entered is gone.
    StreamGone,
    /// The thread is in another context than the stream that it was given, and stays there.
    OtherContext,
    /// The launch itself returned an error.
    LaunchFailed,
    /// The launch panicked.
    LaunchPanicked,
    /// The thread is ending, and has no way left to the collector.
    ThreadEnding,
    /// More windows of this thread wait for the GPU than are kept.
    TooManyWindows,
    /// The GPU had not come that far when the process ended.
    NotFinished,
    /// The device gave a time that cannot be: below zero.
    Impossible,
}

#[cfg(feature = "enabled")]
impl Reason {
    /// What happened to a launch that is not timed for this reason.
    pub(crate) fn mode(self) -> Mode {
        match self {
            Self::Capturing => Mode::Captured,
            Self::LaunchFailed | Self::LaunchPanicked => Mode::Failed,
            _ => Mode::Refused,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Refusal(refusal) => return refusal.fmt(f),
            Self::Capturing => "the stream is being captured into a graph",
            Self::StreamUnknown => "nothing tells which stream the launch goes to",
            Self::StreamGone => "the stream that was given is gone",
            Self::OtherContext => "the thread is in another context than the stream",
            Self::LaunchFailed => "the launch returned an error",
            Self::LaunchPanicked => "the launch panicked",
            Self::ThreadEnding => "the thread was ending",
            Self::TooManyWindows => "too many windows of this thread wait for the GPU",
            Self::NotFinished => "the GPU had not come that far when the process ended",
            Self::Impossible => "the device gave a time below zero",
        })
    }
}
