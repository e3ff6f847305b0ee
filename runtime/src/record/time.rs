//! A time on the GPU, and what it is worth.

use std::fmt;

/// A time on the GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GpuTime {
    /// How long it took, in nanoseconds.
    pub duration_ns: u64,
    /// As the two events had it.
    pub raw_duration_ns: u64,
    /// When it began, on the host's clock, in nanoseconds since the session's start; unknown until the device told
    /// its time. Below zero for work that was queued before the session.
    pub start_ns: Option<i64>,
    /// See `start_ns`.
    pub stop_ns: Option<i64>,
    /// What the duration is worth.
    pub accuracy: Accuracy,
}

/// What a duration is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Accuracy {
    /// The kernel's own time: what the two events add on a busy stream of this GPU has been taken off.
    Calibrated,
    /// The kernel took no longer; the events' own time and gaps in the stream are in it.
    UpperBound(Doubt),
}

impl Accuracy {
    /// The word for it in records.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Calibrated => "calibrated",
            Self::UpperBound(_) => "upper_bound",
        }
    }
}

/// Why what the events add is not known well enough to be taken off a duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Doubt {
    /// Nothing is known of this model of GPU, and [`calibrate`](crate::calibrate) has not been called.
    UnknownModel,
    /// This GPU's events take another time than those of its model that were measured.
    ModelDiffers,
    /// The GPU's events had not been looked at yet.
    NotChecked,
    /// Nothing tells when the GPU began, on the host's clock.
    NotPlaced,
    /// The stream had nothing else to do: the launch itself is in the duration.
    StreamIdle,
    /// Another stream of the device was at work at the same time.
    Overlapped,
    /// Launches were left out, so that another stream may have been at work at the same time.
    Sampled,
    /// cudarc may have had the stream wait for the events of an argument inside the launch call.
    MayWait,
    /// The duration is below what events add where they add it.
    TooShort,
    /// More windows ended at one time than are compared with each other.
    TooMany,
    /// What events add is known for kernels: this is a graph, or a whole call.
    NotAKernel,
    /// Events stand around the kernels inside: this is a graph that was timed there too.
    NodesTimed,
}

impl Doubt {
    /// In words, as records have it.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::UnknownModel => "what events add on this GPU is not known",
            Self::ModelDiffers => "events take another time on this GPU than on others of its model",
            Self::NotChecked => "the time that events take on this GPU was not known yet",
            Self::NotPlaced => "nothing tells when the GPU began",
            Self::StreamIdle => "the stream was idle: the launch is in the time",
            Self::Overlapped => "another stream was at work at the same time",
            Self::Sampled => "launches on other streams were left out",
            Self::MayWait => "cudarc may have had the stream wait for an argument inside the launch call",
            Self::TooShort => "the time is below what events add",
            Self::TooMany => "too many windows ended at one time to be compared",
            Self::NodesTimed => "events stand between the kernels of the graph",
            Self::NotAKernel => "what events add is known for single kernels",
        }
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words())
    }
}
