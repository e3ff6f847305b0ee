//! A stand-in that plays a model of GPU whose events take time.

use crate::device::Capability;

/// How a model of GPU behaves whose events take time, for a stand-in to [play](super::Script::imitate).
///
/// Between events that have nothing but events and kernels of launchsite's own between them, the stand-in gives the times
/// that are said here; between others the host's clock decides.
#[derive(Clone, Copy, Debug)]
pub struct Imitation {
    /// The model, by the major and minor number of its compute capability.
    pub capability: (u32, u32),
    /// From an event to the next, with nothing between, in nanoseconds.
    pub empty_pair_ns: u32,
    /// From an event to the next, with one empty kernel between.
    pub window_ns: u32,
    /// What each further empty kernel between them adds.
    pub kernel_ns: u32,
    /// Whether a launch may make its stream wait for an argument, as cudarc's do where it keeps track of them.
    pub waits: bool,
}

impl Imitation {
    /// An H200, as it was measured (`BENCHMARKS.md`).
    pub const H200: Self =
        Self { capability: (9, 0), empty_pair_ns: 1280, window_ns: 3390, kernel_ns: 1270, waits: false };

    pub(super) fn model(self) -> Capability {
        Capability(self.capability.0, self.capability.1)
    }

    /// The time between two events, if it is one that is played.
    pub(super) fn between(self, from: &Spot, to: &Spot) -> Option<i64> {
        let same = from.stream == to.stream && from.work == to.work;
        let events = to.events.checked_sub(from.events).filter(|&events| same && events > 0)?;
        let kernels = to.probes.checked_sub(from.probes)?;
        let first = if kernels > 0 { i64::from(self.window_ns) } else { i64::from(self.empty_pair_ns) };
        let others = i64::from(self.kernel_ns) * (kernels - 1).max(0) + i64::from(self.empty_pair_ns) * (events - 1);
        Some(first + others)
    }
}

/// Where an event stands in its stream, by what was put into it before.
#[derive(Clone, Debug, Default)]
pub(super) struct Spot {
    pub(super) stream: u64,
    pub(super) events: i64,
    /// Kernels of launchsite's own.
    pub(super) probes: i64,
    /// Everything else.
    pub(super) work: i64,
}
