//! Events, and the times that they read.

use crate::abi::{
    CAPTURE_ISOLATION, CAPTURED_EVENT, Done, Handle, INVALID_HANDLE, INVALID_VALUE, NOT_READY, Out, Status,
};
use crate::captures::{Kind, Node};
use crate::driver::{Driver, driver, now, wait_until};
use crate::log::call;
use crate::streams::Key;

const DISABLE_TIMING: u32 = 2;

#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) context: Handle,
    timing: bool,
    recorded: Option<Recorded>,
}

#[derive(Clone, Copy, Debug)]
enum Recorded {
    /// What was in the stream ends then.
    At(u64),
    /// Into a capture: it is a node of a graph, by its place.
    Into(u64, usize),
}

impl Driver {
    fn event(&mut self, event: Handle) -> Done<&mut Event> {
        self.events.get_mut(&event).ok_or(INVALID_HANDLE)
    }

    fn record(&mut self, event: Handle, stream: Handle) -> Done<(Key, bool)> {
        let key = self.key(stream)?;
        if self.event(event)?.context != key.context {
            return Err(INVALID_HANDLE);
        }
        let captured = self.submit(key, Node::idle(Kind::Event))?;
        let stream = self.stream(key);
        let (free_at, capture) = (stream.free_at, stream.capture);
        let at = match capture.and_then(|id| Some((id, self.captures.get(&id)?.nodes.len()))) {
            Some((id, nodes)) => Recorded::Into(id, nodes.saturating_sub(1)),
            None => Recorded::At(free_at),
        };
        self.event(event)?.recorded = Some(at);
        Ok((key, captured))
    }

    /// A graph's own node records the event.
    pub(crate) fn reach(&mut self, event: Handle, at: u64) {
        if let Ok(event) = self.event(event) {
            event.recorded = Some(Recorded::At(at));
        }
    }

    /// The stream takes part in the capture, behind the node.
    fn join(&mut self, key: Key, capture: u64, place: usize) {
        self.stream(key).capture = Some(capture);
        if let Some(capture) = self.captures.get_mut(&capture) {
            capture.tails.entry(key).or_default().push(place);
        }
    }

    /// When the event's work ends; asking endangers captures, as with the driver.
    fn end_of(&mut self, event: Handle) -> Done<u64> {
        let recorded = self.event(event)?.recorded;
        self.check_safe()?;
        match recorded {
            None => Ok(0),
            Some(Recorded::At(at)) => Ok(at),
            Some(Recorded::Into(capture, _)) => {
                self.spoil(capture);
                Err(CAPTURED_EVENT)
            }
        }
    }
}

#[unsafe(no_mangle)]
extern "C" fn cuEventCreate(to: Out<Handle>, flags: u32) -> Status {
    call("cuEventCreate", |told| {
        let mut driver = driver();
        let (context, handle) = (driver.current()?, driver.name());
        let timing = flags & DISABLE_TIMING == 0;
        told.number("event", handle).number("timing", timing);
        driver.events.insert(handle, Event { context, timing, recorded: None });
        to.put(handle)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuEventDestroy_v2(event: Handle) -> Status {
    call("cuEventDestroy_v2", |told| {
        let mut driver = driver();
        let timing = driver.event(event)?.timing;
        told.number("event", event).number("timing", timing);
        driver.events.remove(&event);
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuEventRecord(event: Handle, stream: Handle) -> Status {
    call("cuEventRecord", |told| {
        let mut driver = driver();
        let timing = driver.event(event)?.timing;
        let (key, captured) = driver.record(event, stream)?;
        told.number("event", event).number("timing", timing).stream(key).number("captured", captured);
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuEventQuery(event: Handle) -> Status {
    call("cuEventQuery", |told| {
        told.number("event", event);
        if driver().end_of(event)? <= now() { Ok(()) } else { Err(NOT_READY) }
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuEventSynchronize(event: Handle) -> Status {
    call("cuEventSynchronize", |told| {
        told.number("event", event);
        let end = driver().end_of(event)?;
        wait_until(end);
        Ok(())
    })
}

/// Does captures no harm, and says of an unfinished event that it is not ready.
fn elapsed(milliseconds: &Out<f32>, from: Handle, to: Handle) -> Done {
    let mut driver = driver();
    let mut ends = [0; 2];
    for (end, event) in ends.iter_mut().zip([from, to]) {
        let event = driver.event(event)?;
        *end = match event.recorded {
            Some(Recorded::At(at)) if event.timing => at,
            Some(Recorded::Into(..)) => return Err(CAPTURED_EVENT),
            _ => return Err(INVALID_HANDLE),
        };
    }
    if ends.iter().any(|end| *end > now()) {
        return Err(NOT_READY);
    }
    let [from, to] = ends.map(i128::from);
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "as the driver tells it")]
    milliseconds.put(((to - from) as f64 / 1e6) as f32)
}

#[unsafe(no_mangle)]
extern "C" fn cuEventElapsedTime(milliseconds: Out<f32>, from: Handle, to: Handle) -> Status {
    call("cuEventElapsedTime", |_| elapsed(&milliseconds, from, to))
}

#[unsafe(no_mangle)]
extern "C" fn cuEventElapsedTime_v2(milliseconds: Out<f32>, from: Handle, to: Handle) -> Status {
    call("cuEventElapsedTime_v2", |_| elapsed(&milliseconds, from, to))
}

#[unsafe(no_mangle)]
extern "C" fn cuStreamWaitEvent(stream: Handle, event: Handle, flags: u32) -> Status {
    call("cuStreamWaitEvent", |told| {
        if flags > 1 {
            return Err(INVALID_VALUE);
        }
        let mut driver = driver();
        let key = driver.key(stream)?;
        told.stream(key).number("event", event);
        let recorded = driver.event(event)?.recorded;
        let capturing = driver.stream(key).capture;
        match (recorded, capturing) {
            (None, _) => {}
            (Some(Recorded::At(at)), None) => {
                let stream = driver.stream(key);
                stream.free_at = stream.free_at.max(at);
            }
            // The stream takes part in the capture from here on.
            (Some(Recorded::Into(capture, place)), None) => driver.join(key, capture, place),
            (Some(Recorded::Into(one, place)), Some(other)) if one == other => driver.join(key, one, place),
            (Some(_), Some(capture)) => {
                driver.spoil(capture);
                return Err(CAPTURE_ISOLATION);
            }
        }
        Ok(())
    })
}
