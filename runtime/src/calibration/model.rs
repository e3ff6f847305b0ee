//! Models of GPU that were measured, and what is made of times.

use super::Calibration;
use crate::device::Capability;

/// A model of GPU whose events have been compared with another clock's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Model {
    capability: Capability,
    /// What two events add to the time of the kernel between them, on a stream that is never idle.
    pub(crate) constant_ns: u64,
    /// From one event to the next with nothing between: what can be looked at without a kernel.
    empty_pair_ns: u64,
    /// What they add to a kernel's time inside a graph, where that was measured: there the device is at work on its own.
    pub(crate) in_graph_ns: Option<u64>,
}

/// Models that were measured, and no others: what is not here is not guessed.
const MODELS: &[Model] = &[
    // NVIDIA H200, driver 580.159, CUDA 13.0, November 2026: the means of pairs on a busy stream less those of CUPTI's kernel
    // records, which were taken in a run of their own, were 2.83, 2.86, 2.85, 2.86 and 2.87 us for kernels of 0.6 to 51 us;
    // an empty pair on a private stream read 1.28 us. Inside a graph, likewise, December 2026, on two
    // machines: 2.36, 2.34, 2.40, 2.49 and 2.21, 2.24, 2.28, 2.32 us for kernels of 2.7, 5.7, 10.7 and 50.7 us.
    Model { capability: Capability(9, 0), constant_ns: 2850, empty_pair_ns: 1280, in_graph_ns: Some(2330) },
];

impl Model {
    pub(crate) fn of(capability: Capability) -> Option<&'static Self> {
        MODELS.iter().find(|model| model.capability == capability)
    }

    /// Whether an empty pair of the model is shorter than one that was read: that one may have been held up.
    pub(crate) fn is_shorter_than(&self, empty_pair_ns: u64) -> bool {
        self.empty_pair_ns < empty_pair_ns
    }

    /// Whether an empty pair that was read on a GPU is that of its model: within a tenth.
    pub(crate) fn has_pair(&self, empty_pair_ns: u64) -> bool {
        empty_pair_ns.abs_diff(self.empty_pair_ns) * 10 <= self.empty_pair_ns
    }
}

/// What is read of a device, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Times {
    pub(crate) empty_pair: u64,
    pub(crate) window: u64,
    pub(crate) kernel: u64,
}

impl Times {
    pub(crate) fn calibration(self, model: Option<&Model>) -> Calibration {
        let Self { empty_pair, window, kernel } = self;
        let bounds = window.saturating_sub(kernel)..=window;
        let agrees = |model: &&Model| model.has_pair(empty_pair) && bounds.contains(&model.constant_ns);
        let model = model.filter(agrees);
        Calibration {
            constant_ns: model.map_or(window.saturating_sub(kernel / 2), |model| model.constant_ns),
            at_least_ns: *bounds.start(),
            at_most_ns: window,
            empty_pair_ns: empty_pair,
            of_model: model.is_some(),
        }
    }
}
