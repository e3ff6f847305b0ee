//! A window that has been closed, and its time once somebody asks for it.

use std::sync::Arc;

use super::inner::{Anchored, Shared};
use super::{ProfilerError, Reading};
use crate::window::Pair;

/// A window that has been closed. Its time is read when [it is asked for](Self::resolve), by any thread; where it is dropped
/// instead, its events go back to the profiler.
#[derive(Debug)]
#[must_use = "its time is read by `resolve`"]
pub struct Span {
    shared: Arc<Shared>,
    /// Gone once it has been given back.
    pair: Option<Pair>,
    anchor: Anchored,
}

impl Span {
    pub(super) fn new(shared: Arc<Shared>, pair: Pair, anchor: Anchored) -> Self {
        Self { shared, pair: Some(pair), anchor }
    }

    /// The time, for which it waits until the device has come to the window's end. The thread is in the profiler's context
    /// behind it.
    ///
    /// # Errors
    /// The device refused a call, or gave a time that cannot be. The events go back in any case.
    pub fn resolve(self) -> Result<Reading, ProfilerError> {
        let Some(pair) = self.pair else { return Err(ProfilerError::NotRegistered) };
        let device = self.shared.device;
        device.enter(self.shared.context)?;
        let mut reached = Ok(());
        device.relaxed(&mut || reached = device.wait(pair.start).and_then(|()| device.wait(pair.stop)));
        reached?;
        // Both have been reached: what is not there now will not come.
        let start = self.anchor.place(device, pair.start)?.ok_or(ProfilerError::Impossible)?;
        let elapsed = device.elapsed(pair.start, pair.stop)?.ok_or(ProfilerError::Impossible)?;
        Ok(Reading {
            duration_ns: u64::try_from(elapsed).map_err(|_| ProfilerError::Impossible)?,
            start_ns: start.at_ns,
            uncertainty_ns: start.uncertainty_ns,
        })
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        if let Some(pair) = self.pair.take() {
            self.shared.state().give_back(pair);
        }
    }
}
