//! Where the device's time stands on the host's clock.

use std::time::{Duration, Instant};

use crate::clock;
use crate::device::{Context, Device, Event, Refusal, Stream};

/// An event whose time on the host's clock is known to half the bracket of two clock reads.
///
/// The further another event is from it, the less is known of that one's time: the two clocks run on crystals of their own.
#[derive(Debug)]
pub(super) struct Anchor {
    stream: Stream,
    event: Event,
    at: Option<Moment>,
    /// When the time is to be taken next.
    due: Instant,
    /// The last record has not been reached, as far as is known.
    under_way: bool,
}

#[derive(Clone, Copy, Debug)]
struct Moment {
    host_ns: i64,
    uncertainty_ns: u64,
}

/// An event's time on the host's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Placed {
    pub(super) at_ns: i64,
    pub(super) uncertainty_ns: u64,
    /// By which anchor: the times of two events by one are to each other as the device had them.
    pub(super) anchor: i64,
}

/// Until then the clocks have drifted apart by no more than what the bracket leaves open, or some times that.
const FRESH: Duration = Duration::from_millis(100);
/// Two crystals of 50 ppm, which is what such are sold as, drift apart by one part in so many at most.
const DRIFT: u64 = 10_000;
/// An event on an idle stream of its own takes some microseconds. Longer than this and its bracket is of no use: it is
/// left alone for a while, since looking at it again and again would take a core from the program.
const PATIENCE: Duration = Duration::from_millis(5);
const LATER: Duration = Duration::from_millis(250);

impl Anchor {
    /// An anchor in the thread's context, which is `context`. It gets a stream of its own: an event in one of the
    /// user's would wait for the user's work.
    pub(super) fn new(device: &dyn Device, context: Context) -> Result<Self, Refusal> {
        let event = device.create()?;
        let stream = device.open_stream(context).inspect_err(|_| device.destroy(event))?;
        Ok(Self { stream, event, at: None, due: Instant::now(), under_way: false })
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
        let before = clock::now();
        if device.record(self.event, self.stream).is_err() {
            return;
        }
        self.under_way = true;
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            if self.is_reached(device) {
                let half = (clock::now() - before) / 2;
                self.at = Some(Moment { host_ns: (before + half).cast_signed(), uncertainty_ns: half });
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
        let at = self.at.filter(|_| !self.under_way)?;
        let since = device.elapsed(self.event, event).ok()??;
        Some(Placed {
            at_ns: at.host_ns + since,
            uncertainty_ns: at.uncertainty_ns + since.unsigned_abs() / DRIFT,
            anchor: at.host_ns,
        })
    }

    /// The stream that the anchor is in.
    pub(super) fn stream(&self) -> Stream {
        self.stream
    }
}
