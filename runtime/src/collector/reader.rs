//! Windows that wait for the GPU, and their times once it has come that far.

use std::collections::{HashMap, VecDeque};

use super::anchor::Anchor;
use crate::device::{Context, Device, Refusal, Stream};
use crate::lane::{Pair, Posted, Receiver};
use crate::record::{Accuracy, GpuTime, Reason};

/// The windows of one lane, by stream: in one stream they end in order, so only the oldest is asked for.
#[derive(Debug)]
pub(super) struct Lane {
    pub(super) receiver: Receiver,
    waiting: HashMap<Stream, VecDeque<Waiting>>,
}

/// A window that the GPU has not come to the end of, as far as is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub(super) posted: Posted,
    pair: Pair,
    /// Counts windows from 0 on, over all lanes.
    order: u64,
}

/// A window's end.
pub(super) type Read = (Posted, Result<GpuTime, Reason>);

impl Lane {
    pub(super) fn new(receiver: Receiver) -> Self {
        Self { receiver, waiting: HashMap::new() }
    }

    /// Keeps a window to be read.
    pub(super) fn wait_for(&mut self, posted: Posted, order: u64) {
        if let (Some(pair), Some(stream)) = (posted.pair, posted.stream) {
            let window = Waiting { posted, pair, order };
            self.waiting.entry(stream).or_default().push_back(window);
        }
    }

    /// The oldest window that waits.
    pub(super) fn oldest(&self) -> Option<u64> {
        self.waiting.values().filter_map(|queue| queue.front()).map(|window| window.order).min()
    }

    pub(super) fn waiting(&self) -> u64 {
        self.waiting.values().map(|queue| queue.len() as u64).sum()
    }

    /// Reads what has ended, and gives the events back.
    pub(super) fn read(&mut self, anchors: &mut Anchors, mut read: impl FnMut(Read)) {
        let Some((device, context)) = self.receiver.target else { return };
        if self.waiting.is_empty() {
            return;
        }
        // The thread is ours: nothing has to be put back.
        let entered = device.enter(context);
        let anchor = if entered.is_ok() { anchors.of(device, context) } else { None };
        for queue in self.waiting.values_mut() {
            while let Some(window) = queue.front() {
                let time = match entered {
                    Ok(_) => time(device, anchor, window.pair),
                    Err(refusal) => Some(Err(Reason::Refusal(refusal))),
                };
                let Some(time) = time else { break };
                read((window.posted, time));
                self.receiver.give_back(window.pair);
                queue.pop_front();
            }
        }
        self.waiting.retain(|_, queue| !queue.is_empty());
    }

    /// What has not ended, for the last record of each.
    pub(super) fn give_up(&mut self, mut read: impl FnMut(Read)) {
        for window in self.waiting.drain().flat_map(|(_, queue)| queue) {
            read((window.posted, Err(Reason::NotFinished)));
        }
    }

    /// Destroys the events of a lane whose thread is gone, once none of them is needed; false before.
    pub(super) fn is_over(&mut self) -> bool {
        self.waiting.is_empty() && self.receiver.is_over()
    }

    pub(super) fn destroy(self) {
        let Some((device, context)) = self.receiver.target else { return };
        let pairs = self.receiver.into_pairs();
        if pairs.is_empty() || device.enter(context).is_err() {
            return;
        }
        for pair in pairs {
            device.destroy(pair.start);
            device.destroy(pair.stop);
        }
    }
}

/// The time between a pair's events; `None` while the GPU has not come to the second.
fn time(device: &dyn Device, anchor: Option<&Anchor>, pair: Pair) -> Option<Result<GpuTime, Reason>> {
    let elapsed = match device.elapsed(pair.start, pair.stop) {
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
pub(super) struct Anchors(Vec<(Context, &'static dyn Device, Result<Anchor, Refusal>)>);

impl Anchors {
    /// The anchor of the thread's context, which is `context`, as fresh as it has to be.
    pub(super) fn of(&mut self, device: &'static dyn Device, context: Context) -> Option<&Anchor> {
        let known = self.0.iter().position(|(known, of, _)| *known == context && std::ptr::addr_eq(*of, device));
        let index = known.unwrap_or_else(|| {
            // This thread may read events while another captures, from here on.
            let anchor = device.relax().and_then(|()| Anchor::new(device, context));
            self.0.push((context, device, anchor));
            self.0.len() - 1
        });
        let anchor = self.0.get_mut(index)?.2.as_mut().ok()?;
        anchor.refresh(device);
        Some(anchor)
    }
}
