//! What a window is made of, whoever opens it: two events around work in a stream, and an anchor that places them on the host's
//! clock. A launch's windows and a [`Profiler`](crate::Profiler)'s are these.

use crate::device::{Capture, Device, Event, Refusal, Stream};

/// Two events that are recorded around work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) start: Event,
    pub(crate) stop: Event,
}

impl Pair {
    /// A new one in the thread's context.
    pub(crate) fn create(device: &dyn Device) -> Result<Self, Refusal> {
        let start = device.create()?;
        let stop = device.create().inspect_err(|_| device.destroy(start))?;
        Ok(Self { start, stop })
    }

    pub(crate) fn destroy(self, device: &dyn Device) {
        device.destroy(self.start);
        device.destroy(self.stop);
    }
}

/// Where pairs come from, and where they go back to where nothing comes of a window.
pub(crate) trait Pairs {
    /// Why there is none.
    type Error;

    /// A pair of the thread's context.
    fn take(&mut self, device: &dyn Device) -> Result<Pair, Self::Error>;

    fn give_back(&mut self, device: &dyn Device, pair: Pair);
}

/// Why a window did not open.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Unopened<E> {
    /// The device refused a call.
    Refused(Refusal),
    /// The stream is being captured: an event would become part of the graph.
    Capturing,
    /// There was no pair.
    NoPair(E),
}

/// Opens a window in `stream`: its first event, in the stream's context, which the thread is in from then on.
#[inline]
pub(crate) fn open<P: Pairs>(device: &dyn Device, stream: Stream, pairs: &mut P) -> Result<Pair, Unopened<P::Error>> {
    // Before anything else: a default stream is one of the context that the thread is in.
    device.enter(stream.context).map_err(Unopened::Refused)?;
    match device.capturing(stream).map_err(Unopened::Refused)? {
        Capture::None => {}
        Capture::Capturing => return Err(Unopened::Capturing),
    }
    let pair = pairs.take(device).map_err(Unopened::NoPair)?;
    device.record(pair.start, stream).map(|()| pair).map_err(|refusal| {
        pairs.give_back(device, pair);
        Unopened::Refused(refusal)
    })
}

/// Closes it: its second event, likewise.
#[inline]
pub(crate) fn close(device: &dyn Device, stream: Stream, pair: Pair) -> Result<(), Refusal> {
    device.enter(stream.context)?;
    device.record(pair.stop, stream)
}

/// An anchor: an event whose time on the host's clock is known to half the bracket of two readings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    pub(crate) event: Event,
    host_ns: i64,
    pub(crate) uncertainty_ns: u64,
}

/// Another event's time on the host's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Placed {
    pub(crate) at_ns: i64,
    pub(crate) uncertainty_ns: u64,
    /// By which anchor: the times of two events by one are to each other as the device had them.
    pub(crate) anchor: i64,
}

/// Two crystals of 50 ppm, which is what such are sold as, drift apart by one part in so many at most: the further another
/// event is from the anchor, the less is known of its time.
const DRIFT: u64 = 10_000;

impl Moment {
    /// `event` was recorded behind one reading and had been reached at the other.
    pub(crate) fn between(event: Event, before_ns: u64, after_ns: u64) -> Self {
        let half = after_ns.saturating_sub(before_ns) / 2;
        Self { event, host_ns: (before_ns + half).cast_signed(), uncertainty_ns: half }
    }

    /// When `event` was reached; `None` while it has not been.
    pub(crate) fn place(&self, device: &dyn Device, event: Event) -> Result<Option<Placed>, Refusal> {
        let since = device.elapsed(self.event, event)?;
        Ok(since.map(|since| Placed {
            at_ns: self.host_ns + since,
            uncertainty_ns: self.uncertainty_ns + since.unsigned_abs() / DRIFT,
            anchor: self.host_ns,
        }))
    }
}
