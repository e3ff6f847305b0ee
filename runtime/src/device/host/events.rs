//! Events that a stream's thread stamps with the host's clock.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::imitation::{Imitation, Spot};
use super::{code, lock};
use crate::clock;
use crate::device::{Event, Refusal};

/// The events that are alive.
#[derive(Debug, Default)]
pub(super) struct Events {
    next: AtomicU64,
    alive: Mutex<HashMap<u64, Arc<Stamp>>>,
}

/// When an event was reached. A record in flight makes it unreached, as on a GPU.
#[derive(Debug, Default)]
pub(super) struct Stamp {
    recorded: AtomicU64,
    reached: AtomicU64,
    at: AtomicU64,
    /// Where it stands in its stream.
    spot: Mutex<Spot>,
}

impl Stamp {
    pub(super) fn reach(&self) {
        self.at.store(clock::now(), Ordering::Relaxed);
        self.reached.fetch_add(1, Ordering::Release);
    }

    /// `Ok(None)` while a record is in flight.
    fn time(&self, call: &'static str) -> Result<Option<u64>, Refusal> {
        match self.recorded.load(Ordering::Acquire) {
            0 => Err(Refusal { call, code: code::INVALID_HANDLE }),
            recorded if self.reached.load(Ordering::Acquire) < recorded => Ok(None),
            _ => Ok(Some(self.at.load(Ordering::Relaxed))),
        }
    }
}

impl Events {
    pub(super) fn create(&self) -> Event {
        let id = self.next.fetch_add(1, Ordering::Relaxed) + 1;
        lock(&self.alive).insert(id, Arc::default());
        Event(id)
    }

    pub(super) fn destroy(&self, event: Event) {
        lock(&self.alive).remove(&event.0);
    }

    /// The stamp to be reached by the stream that the event goes into.
    pub(super) fn record(&self, event: Event, spot: Spot) -> Result<Arc<Stamp>, Refusal> {
        let stamp = self.stamp(event, "cuEventRecord")?;
        *lock(&stamp.spot) = spot;
        stamp.recorded.fetch_add(1, Ordering::Release);
        Ok(stamp)
    }

    pub(super) fn elapsed(&self, from: Event, to: Event, as_on: Option<Imitation>) -> Result<Option<i64>, Refusal> {
        let call = "cuEventElapsedTime";
        let (first, second) = (self.stamp(from, call)?, self.stamp(to, call)?);
        let (Some(from), Some(to)) = (first.time(call)?, second.time(call)?) else {
            return Ok(None);
        };
        // One after the other: they may be the same event's.
        let first_spot = lock(&first.spot).clone();
        let second_spot = lock(&second.spot).clone();
        let played = as_on.and_then(|imitation| imitation.between(&first_spot, &second_spot));
        Ok(Some(played.unwrap_or(to.cast_signed() - from.cast_signed())))
    }

    /// A stream that is reached soon: it is looked at again and again.
    pub(super) fn wait(&self, event: Event) -> Result<(), Refusal> {
        let call = "cuEventSynchronize";
        let stamp = self.stamp(event, call)?;
        while stamp.time(call)?.is_none() {
            std::thread::sleep(Duration::from_micros(20));
        }
        Ok(())
    }

    fn stamp(&self, event: Event, call: &'static str) -> Result<Arc<Stamp>, Refusal> {
        let stamp = lock(&self.alive).get(&event.0).cloned();
        stamp.ok_or(Refusal { call, code: code::INVALID_HANDLE })
    }
}
