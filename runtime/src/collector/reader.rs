//! Windows that wait for the GPU, and their times once it has come that far.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use super::anchor::Anchor;
use super::contexts::Contexts;
use super::windows::Running;
use crate::device::Device;
use crate::lane::{Orphans, Posted, Receiver};
use crate::record::{Doubt, Kind, Reason};
use crate::window::{Pair, Placed};

/// How often windows that wait are asked for whether an error keeps them waiting.
const LONG: Duration = Duration::from_millis(250);

/// The windows of one lane, by stream: in one stream they end in order, so only the oldest is asked for.
#[derive(Debug)]
pub(super) struct Lane {
    pub(super) receiver: Receiver,
    /// Taken, and not told of.
    pub(super) taken: VecDeque<Posted>,
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

/// A window that has been read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Read {
    pub(super) posted: Posted,
    pub(super) stream: Option<u32>,
    pub(super) order: u64,
}

impl Read {
    /// It is a graph that was launched by its second executable.
    pub(super) fn is_timed_inside(&self) -> bool {
        self.posted.replayed().is_some_and(|replayed| replayed.copy().is_some())
    }
}

/// What its events say.
#[derive(Clone, Copy, Debug)]
pub(super) struct Raw {
    pub(super) duration_ns: u64,
    /// When it began, on the host's clock.
    pub(super) start: Option<Placed>,
    /// What events add on its device.
    pub(super) constant: Result<u64, Doubt>,
}

/// What is known of the context that windows are in.
type Known<'c> = Option<(&'c Anchor, Result<u64, Doubt>)>;

impl Waiting {
    fn read(&self) -> Read {
        Read { posted: self.posted, stream: self.stream, order: self.order }
    }
}

/// What a reading may do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    /// Find out when windows began, which takes an event of our own, and what events add.
    pub(super) placed: bool,
    /// Somebody wants to know when windows began, beside how long they are.
    pub(super) told: bool,
    /// The process ends. Contexts stay held then: destroying one takes the driver a while, and the process none.
    pub(super) last: bool,
}

impl Lane {
    pub(super) fn new(receiver: Receiver) -> Self {
        Self { receiver, taken: VecDeque::new(), waiting: HashMap::new(), asked: Instant::now() }
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
        self.taken.len() as u64 + self.waiting.values().map(|queue| queue.len() as u64).sum::<u64>()
    }

    /// Reads what has ended, and gives the events back; then says which windows have begun and not ended.
    pub(super) fn read(
        &mut self,
        contexts: &mut Contexts,
        asked: Asked,
        running: &mut Vec<Running>,
        mut read: impl FnMut(Read, Result<Raw, Reason>),
    ) {
        let Some(place) = self.receiver.target.filter(|_| !self.waiting.is_empty()) else { return };
        let device = place.device;
        // The context is held by the windows that wait. The thread is ours: nothing has to be put back.
        let entered = device.enter(place.context);
        let known = match entered {
            Ok(()) if asked.placed => contexts.of(place, self.receiver.life()),
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
                    Ok(()) => time(device, known, window, Question { told: asked.told, in_earnest }),
                    Err(refusal) => Some(Err(Reason::Refusal(refusal))),
                };
                let Some(time) = time else { break };
                read(window.read(), time);
                self.receiver.give_back(window.pair);
                windows += 1;
                queue.pop_front();
            }
            // A scope is no work of its own: what is in it has windows that are compared.
            let work = queue.iter().find(|window| window.posted.name.kind != Kind::Scope);
            if let (Some(window), Some((anchor, _))) = (work, known)
                && let Some(start) = anchor.place(device, window.pair.start)
            {
                running.push(Running { place, stream: window.stream, start });
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
            read(window.read());
        }
    }

    /// Whether nothing waits, and nothing will: the thread is gone.
    pub(super) fn is_over(&mut self) -> bool {
        self.taken.is_empty() && self.waiting.is_empty() && self.receiver.is_over()
    }

    /// The events of a lane that [is over](Self::is_over), for others in the same context.
    pub(super) fn into_orphans(self) -> Option<Orphans> {
        self.receiver.into_orphans()
    }
}

/// How a pair is asked for.
#[derive(Clone, Copy)]
struct Question {
    /// Somebody wants to know when the window began.
    told: bool,
    /// An error that keeps it waiting is looked for too.
    in_earnest: bool,
}

/// What there is between a pair's events; `None` while the GPU has not come to the second.
fn time(device: &dyn Device, known: Known<'_>, window: &Waiting, asked: Question) -> Option<Result<Raw, Reason>> {
    let Question { told, in_earnest } = asked;
    let Waiting { posted, pair, .. } = window;
    let elapsed = match device.elapsed(pair.start, pair.stop) {
        Ok(None) if in_earnest => device.elapsed_or_error(pair.start, pair.stop),
        elapsed => elapsed,
    };
    let elapsed = match elapsed {
        Ok(elapsed) => elapsed?,
        Err(refusal) => return Some(Err(Reason::Refusal(refusal))),
    };
    let Ok(duration_ns) = u64::try_from(elapsed) else {
        return Some(Err(Reason::Impossible));
    };
    // Another question to the driver: where nobody wants the answer, and nothing could be taken off, it is spared.
    let of_use = known.filter(|(_, constant)| told || (constant.is_ok() && !posted.beside.may_wait()));
    let start = of_use.and_then(|(anchor, _)| anchor.place(device, pair.start));
    Some(Ok(Raw { duration_ns, start, constant: known.map_or(Err(Doubt::NotPlaced), |(_, constant)| constant) }))
}
