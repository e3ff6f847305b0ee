//! Where the device's time stands on the host's clock.

use std::time::{Duration, Instant};

use crate::clock;
use crate::device::{Context, Device, Event, Refusal, Stream};

/// An event whose time on the host's clock is known to half the bracket of two clock reads.
#[derive(Debug)]
pub(super) struct Anchor {
    stream: Stream,
    event: Event,
    at: Option<Moment>,
}

#[derive(Clone, Copy, Debug)]
struct Moment {
    host_ns: i64,
    uncertainty_ns: u64,
    tried: Instant,
}

/// Milliseconds in an `f32`, which is what CUDA gives, are good to 60 ns at a second, and get worse behind it.
const FRESH: Duration = Duration::from_secs(1);
/// An event on an idle stream of its own takes some microseconds; a device that takes longer is asked again later.
const PATIENCE: Duration = Duration::from_millis(50);

impl Anchor {
    /// An anchor in the thread's context, which is `context`. It gets a stream of its own: an event in one of the
    /// user's would wait for the user's work.
    pub(super) fn new(device: &dyn Device, context: Context) -> Result<Self, Refusal> {
        let event = device.create()?;
        let stream = device.open_stream(context).inspect_err(|_| device.destroy(event))?;
        Ok(Self { stream, event, at: None })
    }

    /// Takes the time anew if the last one is old.
    pub(super) fn refresh(&mut self, device: &dyn Device) {
        if self.at.is_some_and(|at| at.tried.elapsed() < FRESH) {
            return;
        }
        let tried = Instant::now();
        let before = clock::now();
        if device.record(self.event, self.stream).is_err() {
            return;
        }
        while tried.elapsed() < PATIENCE {
            match device.elapsed(self.event, self.event) {
                Ok(Some(_)) => {
                    let after = clock::now();
                    let half = (after - before) / 2;
                    let host_ns = (before + half).cast_signed();
                    self.at = Some(Moment { host_ns, uncertainty_ns: half, tried });
                    return;
                }
                Ok(None) => std::hint::spin_loop(),
                Err(_) => break,
            }
        }
        self.at = None;
    }

    pub(super) fn uncertainty_ns(&self) -> Option<u64> {
        self.at.map(|at| at.uncertainty_ns)
    }

    /// When `event` was reached, on the host's clock.
    pub(super) fn place(&self, device: &dyn Device, event: Event) -> Option<i64> {
        let at = self.at?;
        let since = device.elapsed(self.event, event).ok()??;
        Some(at.host_ns + since)
    }
}
