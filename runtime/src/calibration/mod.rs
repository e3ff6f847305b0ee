//! What a pair of events adds to a kernel on a busy stream, for each model of GPU and as measured on one.

#[cfg(feature = "enabled")]
mod measure;
#[cfg(feature = "enabled")]
mod model;

use std::fmt;

use crate::device::Refusal;
#[cfg(feature = "enabled")]
pub(crate) use measure::measured;
#[cfg(feature = "enabled")]
pub(crate) use model::Model;

/// What was measured of a GPU's events, in nanoseconds.
///
/// A kernel on a stream that is never idle reads its own time and `constant_ns`. Three times are measured, as medians,
/// behind a kernel that keeps the stream busy until all has been queued: `e` between two events with nothing between, `w`
/// between two events with one empty kernel between, and `k` that each further empty kernel adds.
///
/// The constant is `w` less the time of an empty kernel itself, which no event shows. It is more than nothing, and no more
/// than `k`, since kernels of one stream do not overlap. So the constant lies between `w - k` and `w`; where nothing else
/// is known the middle is taken, `w - k / 2`, which is wrong by `k / 2` at most. On the one GPU where it was compared with
/// CUPTI's kernel times, an H200, `w` is 3.39 us and `k` 1.27 us: the middle is 2.76 us, and CUPTI's answer 2.85 us.
///
/// Where the GPU's model is known and agrees (`e` within a tenth, its constant within the bounds), the model's constant
/// holds, since it was compared with CUPTI's times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Calibration {
    /// What is taken off a pair's time from here on.
    pub constant_ns: u64,
    /// It is no less than this,
    pub at_least_ns: u64,
    /// and no more than this.
    pub at_most_ns: u64,
    /// From an event to the next with nothing between.
    pub empty_pair_ns: u64,
    /// The constant is that of the GPU's model, which the measurement agrees with.
    pub of_model: bool,
}

/// Why nothing was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CalibrateError {
    /// The device refused a call.
    Refused(Refusal),
    /// The times do not agree with each other: the device or the host had other things to do.
    Disturbed,
    /// There is no thread to measure on.
    NoThread,
    /// `LAUNCHSITE=off` is final, or the feature `enabled` is off.
    Off,
}

impl fmt::Display for CalibrateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refusal) => refusal.fmt(f),
            Self::Disturbed => f.write_str("the device was not quiet enough to be measured"),
            Self::NoThread => f.write_str("there is no thread to measure on"),
            Self::Off => f.write_str("launchsite is off"),
        }
    }
}

impl std::error::Error for CalibrateError {}

impl From<Refusal> for CalibrateError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

#[cfg(all(test, feature = "enabled"))]
mod tests;
