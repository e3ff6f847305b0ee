//! Windows that wait for the GPU, and their times once it has come that far.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use super::anchor::Anchor;
use crate::device::{Device, Life, Refusal};
use crate::lane::{Orphans, Pair, Place, Posted, Receiver};
use crate::record::{Accuracy, GpuTime, Reason};

/// How often windows that wait are asked for whether an error keeps them waiting.
const LONG: Duration = Duration::from_millis(250);

/// The windows of one lane, by stream: in one stream they end in order, so only the oldest is asked for.
#[derive(Debug)]
pub(super) struct Lane {
    pub(super) receiver: Receiver,
    waiting: HashMap<u64, VecDeque<Waiting>>,
    /// When a window that waits was last asked for in earnest.
    asked: Instant,
}

/// A window that the GPU has not come to the end of, as far as is known.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    posted: Posted,
    pair: Pair,
    /// The stream's number.
    stream: Option<u32>,
    /// Counts windows from 0 on, over all lanes.
    order: u64,
}

/// A window's end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Read {
    pub(super) posted: Posted,
    pub(super) stream: Option<u32>,
    pub(super) time: Result<GpuTime, Reason>,
}

impl Waiting {
    fn read(&self, time: Result<GpuTime, Reason>) -> Read {
        Read { posted: self.posted, stream: self.stream, time }
    }
}

/// What a reading is for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    /// Somebody wants to know when it was, beside how long.
    pub(super) placed: bool,
    /// The process ends. Contexts stay held then: destroying one takes the driver a while, and the process none.
    pub(super) last: bool,
}

impl Lane {
    pub(super) fn new(receiver: Receiver) -> Self {
        Self { receiver, waiting: HashMap::new(), asked: Instant::now() }
    }

    /// Keeps a window to be read.
    pub(super) fn wait_for(&mut self, posted: Posted, pair: Pair, stream: Option<u32>, order: u64) {
        self.waiting.entry(posted.stream).or_default().push_back(Waiting { posted, pair, stream, order });
    }

    /// The oldest window that waits.
    pub(super) fn oldest(&self) -> Option<u64> {
        self.waiting.values().filter_map(|queue| queue.front()).map(|window| window.order).min()
    }

    pub(super) fn waiting(&self) -> u64 {
        self.waiting.values().map(|queue| queue.len() as u64).sum()
    }

    /// Reads what has ended, and gives the events back.
    pub(super) fn read(&mut self, anchors: &mut Anchors, asked: Asked, mut read: impl FnMut(Read)) {
        let Some(place) = self.receiver.target.filter(|_| !self.waiting.is_empty()) else { return };
        let device = place.device;
        // The context is held by the windows that wait. The thread is ours: nothing has to be put back.
        let entered = device.enter(place.context);
        let anchor = match entered {
            Ok(()) if asked.placed => anchors.of(place, self.receiver.life()),
            _ => None,
        };
        let in_earnest = self.asked.elapsed() >= LONG;
        if in_earnest {
            self.asked = Instant::now();
        }
        let mut windows = 0;
        for queue in self.waiting.values_mut() {
            while let Some(window) = queue.front() {
                let time = match entered {
                    Ok(()) => time(device, anchor, window.pair, in_earnest),
                    Err(refusal) => Some(Err(Reason::Refusal(refusal))),
                };
                let Some(time) = time else { break };
                read(window.read(time));
                self.receiver.give_back(window.pair);
                windows += 1;
                queue.pop_front();
            }
        }
        self.waiting.retain(|_, queue| !queue.is_empty());
        if windows > 0 && !asked.last {
            // The driver may destroy the context in this, if its owner has let go of it: no thread should be in it.
            device.leave();
            self.receiver.let_go(device, windows);
        }
    }

    /// What has not ended, for the last record of each.
    pub(super) fn give_up(&mut self, mut read: impl FnMut(Read)) {
        for window in self.waiting.drain().flat_map(|(_, queue)| queue) {
            read(window.read(Err(Reason::NotFinished)));
        }
    }

    /// Whether nothing waits, and nothing will: the thread is gone.
    pub(super) fn is_over(&mut self) -> bool {
        self.waiting.is_empty() && self.receiver.is_over()
    }

    /// The events of a lane that [is over](Self::is_over), for others in the same context.
    pub(super) fn into_orphans(self) -> Option<Orphans> {
        self.receiver.into_orphans()
    }
}

/// The time between a pair's events; `None` while the GPU has not come to the second.
fn time(device: &dyn Device, anchor: Option<&Anchor>, pair: Pair, in_earnest: bool) -> Option<Result<GpuTime, Reason>> {
    let elapsed = match device.elapsed(pair.start, pair.stop) {
        Ok(None) if in_earnest => device.elapsed_or_error(pair.start, pair.stop),
        elapsed => elapsed,
    };
    let elapsed = match elapsed {
        Ok(elapsed) => elapsed?,
        Err(refusal) => return Some(Err(Reason::Refusal(refusal))),
    };
    let Ok(duration) = u64::try_from(elapsed) else {
        return Some(Err(Reason::Impossible));
    };
    let start = anchor.and_then(|anchor| anchor.place(device, pair.start));
    Some(Ok(GpuTime {
        duration_ns: duration,
        raw_duration_ns: duration,
        start_ns: start,
        stop_ns: start.map(|start| start + elapsed),
        accuracy: Accuracy::UpperBound,
    }))
}

/// An anchor for each context that windows were read in.
#[derive(Debug, Default)]
pub(super) struct Anchors(Vec<Known>);

#[derive(Debug)]
struct Known {
    device: &'static dyn Device,
    life: Life,
    anchor: Result<Anchor, Refusal>,
}

impl Anchors {
    /// The anchor of the thread's context, which is in its `life` and is held, as fresh as it has to be.
    pub(super) fn of(&mut self, place: Place, life: Life) -> Option<&Anchor> {
        let same = |known: &Known| known.life == life && std::ptr::addr_eq(known.device, place.device);
        let index = self.0.iter().position(same).unwrap_or_else(|| {
            let anchor = Anchor::new(place.device, place.context);
            self.0.push(Known { device: place.device, life, anchor });
            self.0.len() - 1
        });
        let anchor = self.0.get_mut(index)?.anchor.as_mut().ok()?;
        anchor.refresh(place.device);
        Some(anchor)
    }
}
