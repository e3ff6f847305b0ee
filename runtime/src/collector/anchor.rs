//! Where the device's time stands on the host's clock.

use std::time::{Duration, Instant};

use crate::clock;
use crate::device::{Context, Device, Event, Refusal, Stream};
use crate::window::{Moment, Pair, Placed};

/// The anchor of a context, which is taken anew and anew, and never waited for.
#[derive(Debug)]
pub(super) struct Anchor {
    stream: Stream,
    /// The next one's event, and another: that of the last is none that is recorded, so that it stands until the next is there.
    event: Event,
    other: Event,
    at: Option<Moment>,
    /// When the time is to be taken next.
    due: Instant,
    /// The last record has not been reached, as far as is known.
    under_way: bool,
}

/// By then the two clocks have drifted apart by no more than some times what the bracket leaves open.
const FRESH: Duration = Duration::from_millis(100);
/// An event on an idle stream of its own takes some microseconds. Longer than this and its bracket is of no use: it is
/// left alone for a while, since looking at it again and again would take a core from the program.
const PATIENCE: Duration = Duration::from_millis(5);
/// While there is none, nothing can be told of any time.
const FIRST_PATIENCE: Duration = Duration::from_millis(50);
const LATER: Duration = Duration::from_millis(250);

impl Anchor {
    /// An anchor in the thread's context, which is `context`. It gets a stream of its own: an event in one of the
    /// user's would wait for the user's work.
    pub(super) fn new(device: &dyn Device, context: Context) -> Result<Self, Refusal> {
        let Pair { start: event, stop: other } = Pair::create(device)?;
        let opened = device.open_stream(context);
        let stream = opened.inspect_err(|_| Pair { start: event, stop: other }.destroy(device))?;
        Ok(Self { stream, event, other, at: None, due: Instant::now(), under_way: false })
    }

    /// Takes the time anew if the last one is old. Where it cannot be had now, the last one stands.
    pub(super) fn refresh(&mut self, device: &dyn Device) {
        if Instant::now() < self.due {
            return;
        }
        self.due = Instant::now() + LATER;
        if self.under_way && !self.is_reached(device) {
            return;
        }
        if self.at.is_some_and(|at| at.event == self.event) {
            std::mem::swap(&mut self.event, &mut self.other);
        }
        let before = clock::now();
        if device.record(self.event, self.stream).is_err() {
            return;
        }
        self.under_way = true;
        let began = Instant::now();
        let patience = if self.at.is_none() { FIRST_PATIENCE } else { PATIENCE };
        while began.elapsed() < patience {
            if self.is_reached(device) {
                self.at = Some(Moment::between(self.event, before, clock::now()));
                self.due = Instant::now() + FRESH;
                return;
            }
            std::thread::yield_now();
        }
    }

    fn is_reached(&mut self, device: &dyn Device) -> bool {
        self.under_way = matches!(device.elapsed(self.event, self.event), Ok(None));
        !self.under_way
    }

    pub(super) fn uncertainty_ns(&self) -> Option<u64> {
        self.at.map(|at| at.uncertainty_ns)
    }

    /// When `event` was reached, on the host's clock.
    pub(super) fn place(&self, device: &dyn Device, event: Event) -> Option<Placed> {
        self.at?.place(device, event).ok()?
    }

    /// The stream that the anchor is in.
    pub(super) fn stream(&self) -> Stream {
        self.stream
    }
}
