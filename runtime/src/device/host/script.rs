//! What a stand-in does when it is called: refuse, take long, or work; and how often it was called.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::imitation::Imitation;
use super::lock;
use crate::device::Refusal;

/// A call that a script can change, named after what it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Call {
    /// `cuCtxSetCurrent`
    ContextEnter,
    /// `cuThreadExchangeStreamCaptureMode`
    Relax,
    /// `cuStreamCreate`
    StreamCreate,
    /// `cuEventCreate`
    EventCreate,
    /// `cuEventDestroy`
    EventDestroy,
    /// `cuEventRecord`
    EventRecord,
    /// `cuEventElapsedTime`
    EventElapsed,
    /// `cuEventSynchronize`
    EventWait,
    /// `cuStreamIsCapturing`
    IsCapturing,
    /// `cuDevicePrimaryCtxRetain`
    Hold,
    /// `cuDevicePrimaryCtxRelease`
    Release,
    /// `cuLaunchKernel`
    Launch,
    /// `cuGraphLaunch`
    GraphLaunch,
    /// `cuStreamDestroy`
    StreamDestroy,
    /// `cuDeviceGetAttribute`
    Capability,
    /// `cuModuleLoadData`, of launchsite's own
    ProbeLoad,
    /// `cuLaunchKernel`, of launchsite's own
    ProbeLaunch,
    /// `cuModuleUnload`, likewise
    ProbeUnload,
    /// `cuStreamBeginCapture`
    BeginCapture,
    /// `cuStreamEndCapture`
    EndCapture,
    /// `cuStreamGetCaptureInfo`
    CaptureInfo,
    /// `cuGraphGetNodes`
    GraphNodes,
    /// `cuGraphClone`, for a copy of launchsite's own, as are the following
    GraphClone,
    /// `cuGraphAddEventRecordNode`
    GraphAddEvent,
    /// `cuGraphInstantiate`
    GraphInstantiate,
    /// `cuGraphLaunch`
    CopyLaunch,
    /// `cuGraphDestroy`
    GraphDestroy,
    /// `cuGraphExecDestroy`
    GraphExecDestroy,
}

const CALLS: [(Call, &str); 28] = [
    (Call::ContextEnter, "cuCtxSetCurrent"),
    (Call::Relax, "cuThreadExchangeStreamCaptureMode"),
    (Call::StreamCreate, "cuStreamCreate"),
    (Call::EventCreate, "cuEventCreate"),
    (Call::EventDestroy, "cuEventDestroy"),
    (Call::EventRecord, "cuEventRecord"),
    (Call::EventElapsed, "cuEventElapsedTime"),
    (Call::EventWait, "cuEventSynchronize"),
    (Call::IsCapturing, "cuStreamIsCapturing"),
    (Call::Hold, "cuDevicePrimaryCtxRetain"),
    (Call::Release, "cuDevicePrimaryCtxRelease"),
    (Call::Launch, "cuLaunchKernel"),
    (Call::GraphLaunch, "cuGraphLaunch"),
    (Call::StreamDestroy, "cuStreamDestroy"),
    (Call::Capability, "cuDeviceGetAttribute"),
    (Call::ProbeLoad, "cuModuleLoadData"),
    (Call::ProbeLaunch, "cuLaunchKernel"),
    (Call::ProbeUnload, "cuModuleUnload"),
    (Call::BeginCapture, "cuStreamBeginCapture"),
    (Call::EndCapture, "cuStreamEndCapture"),
    (Call::CaptureInfo, "cuStreamGetCaptureInfo"),
    (Call::GraphNodes, "cuGraphGetNodes"),
    (Call::GraphClone, "cuGraphClone"),
    (Call::GraphAddEvent, "cuGraphAddEventRecordNode"),
    (Call::GraphInstantiate, "cuGraphInstantiate"),
    (Call::CopyLaunch, "cuGraphLaunch"),
    (Call::GraphDestroy, "cuGraphDestroy"),
    (Call::GraphExecDestroy, "cuGraphExecDestroy"),
];

impl Call {
    /// The driver's entry point that the call stands for.
    #[must_use]
    pub fn entry_point(self) -> &'static str {
        CALLS.iter().find(|(call, _)| *call == self).map_or("", |(_, name)| name)
    }
}

/// One deviation from working: of some calls, in a row.
///
/// ```
/// use launchsite::host::{Call, Fault, Host};
/// let host = Host::new();
/// // The third and fourth record are refused, the others work.
/// host.script().add(Fault::refuse(Call::EventRecord, 400).after(2).times(2));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    call: Call,
    skip: u64,
    left: u64,
    deed: Deed,
}

#[derive(Clone, Copy, Debug)]
enum Deed {
    Refuse(i32),
    Delay(Duration),
    Answer(i64),
}

impl Fault {
    /// Every `call` is refused with the status `code`.
    #[must_use]
    pub fn refuse(call: Call, code: i32) -> Self {
        Self { call, skip: 0, left: u64::MAX, deed: Deed::Refuse(code) }
    }

    /// Every `call` takes `time` longer.
    #[must_use]
    pub fn delay(call: Call, time: Duration) -> Self {
        Self { call, skip: 0, left: u64::MAX, deed: Deed::Delay(time) }
    }

    /// Every `call` that gives a time gives this one, in nanoseconds.
    #[must_use]
    pub fn answer(call: Call, time: i64) -> Self {
        Self { call, skip: 0, left: u64::MAX, deed: Deed::Answer(time) }
    }

    /// Only after `calls` have gone well.
    #[must_use]
    pub fn after(self, calls: u64) -> Self {
        Self { skip: calls, ..self }
    }

    /// Only `calls` times.
    #[must_use]
    pub fn times(self, calls: u64) -> Self {
        Self { left: calls, ..self }
    }

    fn due(&mut self, call: Call) -> Option<Deed> {
        if self.call != call || self.left == 0 {
            return None;
        }
        if self.skip > 0 {
            self.skip -= 1;
            return None;
        }
        self.left -= 1;
        Some(self.deed)
    }
}

/// The faults of a stand-in, and its counters.
#[derive(Debug, Default)]
pub struct Script {
    faults: Mutex<Vec<Fault>>,
    imitation: Mutex<Option<Imitation>>,
    counts: [AtomicU64; CALLS.len()],
}

impl Script {
    /// Adds a fault; those added before it are looked at first.
    pub fn add(&self, fault: Fault) {
        lock(&self.faults).push(fault);
    }

    /// Takes all faults away: the device works again.
    pub fn clear(&self) {
        lock(&self.faults).clear();
    }

    /// From here on the device plays a model of GPU; by itself it is of none, and nothing is known of its events.
    pub fn imitate(&self, imitation: Imitation) {
        *lock(&self.imitation) = Some(imitation);
    }

    pub(crate) fn imitation(&self) -> Option<Imitation> {
        *lock(&self.imitation)
    }

    pub(super) fn count(&self, call: Call) {
        let index = CALLS.iter().position(|(known, _)| *known == call);
        if let Some(count) = index.and_then(|index| self.counts.get(index)) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts the call, and does what the script has for it.
    pub(super) fn play(&self, call: Call) -> Result<(), Refusal> {
        self.answer(call).map(drop)
    }

    /// As [`play`](Self::play), and gives the answer that the script has for it.
    pub(super) fn answer(&self, call: Call) -> Result<Option<i64>, Refusal> {
        self.count(call);
        let deed = lock(&self.faults).iter_mut().find_map(|fault| fault.due(call));
        match deed {
            Some(Deed::Refuse(code)) => Err(Refusal { call: call.entry_point(), code }),
            Some(Deed::Delay(time)) => {
                std::thread::sleep(time);
                Ok(None)
            }
            Some(Deed::Answer(time)) => Ok(Some(time)),
            None => Ok(None),
        }
    }

    pub(super) fn counts(&self) -> Counts {
        Counts(std::array::from_fn(|index| self.counts.get(index).map_or(0, |count| count.load(Ordering::Relaxed))))
    }
}

/// How often each call was made, refused ones included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts([u64; CALLS.len()]);

impl Counts {
    /// How often `call` was made.
    #[must_use]
    pub fn of(&self, call: Call) -> u64 {
        let index = CALLS.iter().position(|(known, _)| *known == call);
        index.and_then(|index| self.0.get(index)).copied().unwrap_or(0)
    }
}
