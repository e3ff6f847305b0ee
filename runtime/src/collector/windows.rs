//! Windows that have ended, kept until it is known whether another stream of the device was at work at the same time.
//!
//! A window is let go in the first turn that begins [`LATE`] behind its end. By then every window that began before it
//! ended has been handed over, but for those of launch calls that take longer than that: such a one is overlooked. A window
//! that has been handed over and has not ended is asked whether it has begun.

use std::cell::Cell;
use std::collections::{HashMap, HashSet, VecDeque};

use super::nodes::Timed;
use super::reader::{Raw, Read};
use crate::lane::Place;
use crate::record::{Accuracy, Doubt, Kind};
use crate::window::Placed;

/// From a window's first event to its launch being handed over: a launch call takes some microseconds.
pub(super) const LATE: i64 = 1_000_000;
/// So many windows of a device are compared with each other; more are let go as they are.
const MOST: usize = 1 << 14;

/// So far the GPU has to be behind the host for a stream to be busy.
///
/// That it came to a window behind the launch call's return says little: on an idle stream that is a matter of a microsecond or two
/// either way, and of more when the device was held up by something else. Then what stands in the stream is not fetched ahead as in a
/// busy one, and a loop that is bound by its launches is still one. On an H200, which has some 1 us to spare for each launch of such
/// a loop, that lasted for 170 launches of 2000 once in eight runs. Work that keeps a GPU busy is queued by the millisecond.
const BEHIND: i64 = 100_000;

/// When the second event of a window had been put into the stream, behind all else of it, on the host's clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Queued {
    pub(super) at_ns: i64,
    pub(super) uncertainty_ns: u64,
}

/// A window that has ended, with its place on the host's clock.
#[derive(Clone, Debug)]
pub(super) struct Ended {
    pub(super) place: Place,
    pub(super) read: Read,
    pub(super) raw: Raw,
    pub(super) start: Placed,
    /// What was timed inside.
    pub(super) nodes: Vec<Timed>,
    overlapped: Cell<bool>,
}

/// A window that has begun and has not ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Running {
    pub(super) place: Place,
    pub(super) stream: Option<u32>,
    pub(super) start: Placed,
}

impl Ended {
    pub(super) fn new(place: Place, read: Read, raw: Raw, start: Placed) -> Self {
        Self { place, read, raw, start, nodes: Vec::new(), overlapped: Cell::new(false) }
    }

    /// With what was timed inside.
    pub(super) fn with(self, nodes: Vec<Timed>) -> Self {
        Self { nodes, ..self }
    }

    pub(super) fn stop_ns(&self) -> i64 {
        self.start.at_ns + self.raw.duration_ns.cast_signed()
    }

    /// The duration, and what it is worth, for a window that was in the stream as a whole at `queued`.
    pub(super) fn worth(&self, queued: Queued, doubt: Option<Doubt>) -> (u64, Accuracy) {
        let raw = self.raw.duration_ns;
        match doubt.map_or_else(|| self.constant(queued), Err) {
            Ok(constant) => (raw - constant, Accuracy::Calibrated),
            Err(doubt) => (raw, Accuracy::UpperBound(doubt)),
        }
    }

    /// What the events added.
    fn constant(&self, queued: Queued) -> Result<u64, Doubt> {
        if self.read.is_timed_inside() {
            return Err(Doubt::NodesTimed);
        }
        if self.read.posted.name.kind != Kind::Kernel {
            return Err(Doubt::NotAKernel);
        }
        if self.read.posted.beside.may_wait() {
            return Err(Doubt::MayWait);
        }
        let constant = self.raw.constant?;
        if self.overlapped.get() {
            return Err(Doubt::Overlapped);
        }
        // All of it waited in the stream for long before the GPU came to it.
        let uncertainty_ns = (self.start.uncertainty_ns + queued.uncertainty_ns).cast_signed();
        if self.start.at_ns - queued.at_ns <= BEHIND + uncertainty_ns {
            return Err(Doubt::StreamIdle);
        }
        if self.raw.duration_ns <= constant { Err(Doubt::TooShort) } else { Ok(constant) }
    }

    /// Whether another stream of the device was at work at the same time.
    pub(super) fn is_overlapped(&self) -> bool {
        self.overlapped.get()
    }

    /// Whether the two streams were, or may have been, at work at the same time.
    fn meets(&self, other: &Self) -> bool {
        let margin = margin(self.start, other.start);
        self.start.at_ns < other.stop_ns() + margin && other.start.at_ns < self.stop_ns() + margin
    }
}

/// Windows that lie so close to each other are taken to meet: the device is at the events of one while the other begins, or
/// ends. On an H200, of 8000 windows on four streams that were launched in turn up to six met no other by their times alone, and
/// one of 16,000 lay more than 10 us from all others.
const NEAR_NS: i64 = 50_000;

/// How close two windows have to be to meet: beside that, as far as their times can be off against each other.
fn margin(one: Placed, other: Placed) -> i64 {
    if one.anchor == other.anchor {
        return NEAR_NS;
    }
    NEAR_NS + (one.uncertainty_ns + other.uncertainty_ns).cast_signed()
}

/// The windows of all devices.
#[derive(Debug, Default)]
pub(super) struct Windows {
    /// By library and number.
    devices: HashMap<(usize, u32), OnDevice>,
    /// There are launches without a window, which may have been on another stream.
    sampled: bool,
}

#[derive(Debug, Default)]
struct OnDevice {
    held: VecDeque<Ended>,
    /// All that are held have been compared with each other.
    compared: bool,
    /// Streams in which a window that had not ended met another, and the time up to which such windows began.
    met: HashMap<u32, i64>,
    /// Streams of which a window without a place has ended, and the time by which it had.
    blind: HashMap<Option<u32>, i64>,
    /// All that had windows.
    streams: HashSet<u32>,
}

impl OnDevice {
    fn add(&mut self, ended: Ended) {
        self.streams.extend(ended.read.stream);
        let met = ended.read.stream.and_then(|stream| self.met.get(&stream));
        let began_by = |until: &i64| ended.start.at_ns <= *until;
        let beside_blind = || self.blind.iter().any(|(stream, until)| *stream != ended.read.stream && began_by(until));
        if met.is_some_and(began_by) || beside_blind() {
            ended.overlapped.set(true);
        }
        self.held.push_back(ended);
        self.compared = false;
    }

    /// Marks all that met a window of another stream.
    fn compare(&mut self) {
        if std::mem::replace(&mut self.compared, true) {
            return;
        }
        // So they come from one stream.
        if !self.held.iter().is_sorted_by_key(|window| window.start.at_ns) {
            self.held.make_contiguous().sort_by_key(|window| window.start.at_ns);
        }
        // Few: those that had not ended when the next began.
        let mut open: Vec<&Ended> = Vec::new();
        for window in &self.held {
            open.retain(|other| other.stop_ns() + margin(other.start, window.start) > window.start.at_ns);
            for other in &open {
                if other.read.stream != window.read.stream && other.meets(window) {
                    other.overlapped.set(true);
                    window.overlapped.set(true);
                }
            }
            open.push(window);
        }
    }

    fn meet(&mut self, running: &Running, now_ns: i64) {
        let begun = |window: &&Ended| window.stop_ns() + margin(window.start, running.start) > running.start.at_ns;
        let others = self.held.iter().filter(|window| window.read.stream != running.stream);
        let mut met = false;
        for window in others.filter(begun) {
            window.overlapped.set(true);
            met = true;
        }
        if let (true, Some(stream)) = (met, running.stream) {
            self.met.insert(stream, now_ns);
        }
    }
}

impl Windows {
    /// `sampled` says that launches without a window are among those with one.
    pub(super) fn new(sampled: bool) -> Self {
        Self { devices: HashMap::new(), sampled }
    }

    /// Keeps a window.
    pub(super) fn add(&mut self, ended: Ended) {
        self.on(ended.place).add(ended);
    }

    /// A window in `stream` that had ended by `now_ns` has no place on the clock: it may have met any of the others.
    pub(super) fn unplaced(&mut self, place: Place, stream: Option<u32>, now_ns: i64) {
        let device = self.on(place);
        device.blind.insert(stream, now_ns);
        for window in device.held.iter().filter(|window| window.read.stream != stream) {
            window.overlapped.set(true);
        }
    }

    /// Compares what is kept with each other and with what has not ended, as asked before `now_ns`.
    pub(super) fn compare(&mut self, running: &[Running], now_ns: i64) {
        self.devices.values_mut().for_each(OnDevice::compare);
        for window in running {
            self.on(window.place).meet(window, now_ns);
        }
    }

    /// Gives what had ended [`LATE`] before `began_ns`, when a turn began in which all was taken that had been handed over; in
    /// the order in which they began.
    pub(super) fn release(&mut self, began_ns: i64, mut give: impl FnMut(&Ended, Option<Doubt>)) {
        for device in self.devices.values_mut() {
            let known = |window: &Ended| window.stop_ns() <= began_ns.saturating_sub(LATE);
            let surplus = device.held.iter().filter(|window| !known(window)).count().saturating_sub(MOST);
            let doubt = (self.sampled && device.streams.len() > 1).then_some(Doubt::Sampled);
            // Most: they ended in the order in which they began.
            while let Some(window) = device.held.front().filter(|window| known(window)) {
                give(window, doubt);
                device.held.pop_front();
            }
            if surplus == 0 && !device.held.iter().any(known) {
                continue;
            }
            let mut given_up = 0;
            device.held.retain(|window| {
                if known(window) {
                    give(window, doubt);
                } else if given_up < surplus {
                    given_up += 1;
                    give(window, Some(Doubt::TooMany));
                } else {
                    return true;
                }
                false
            });
        }
    }

    pub(super) fn len(&self) -> u64 {
        self.devices.values().map(|device| device.held.len() as u64).sum()
    }

    /// The one that was handed over first.
    pub(super) fn oldest(&self) -> Option<u64> {
        self.devices.values().flat_map(|device| &device.held).map(|window| window.read.order).min()
    }

    fn on(&mut self, place: Place) -> &mut OnDevice {
        let device = std::ptr::from_ref(place.device).cast::<()>().addr();
        self.devices.entry((device, place.ordinal)).or_default()
    }
}

#[cfg(test)]
mod tests;
