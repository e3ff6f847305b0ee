//! The API with the feature off: the same items, empty.

use std::time::Duration;

use crate::Parts;
use crate::calibration::{CalibrateError, Calibration};
use crate::pending::Pending;
use crate::record::Sink;
use crate::summary::Summary;

/// Does nothing: the feature `enabled` is off.
#[inline]
#[allow(clippy::must_use_candidate)] // as with the feature on
pub fn set_parts(_: Parts) -> bool {
    false
}

/// No part is on: the feature `enabled` is off.
#[inline]
#[must_use]
pub fn parts() -> Parts {
    Parts::NONE
}

/// Does nothing: the feature `enabled` is off.
#[inline]
#[allow(clippy::must_use_candidate)] // as with the feature on
pub fn default_parts(_: Parts) -> bool {
    false
}

/// Has nothing to wait for: the feature `enabled` is off.
///
/// # Errors
/// None.
#[inline]
pub fn flush(_: Duration) -> Result<(), Pending> {
    Ok(())
}

/// An empty table: the feature `enabled` is off.
#[inline]
#[must_use]
pub fn summary() -> Summary {
    Summary::default()
}

/// Measures nothing, whatever `context` is: the feature `enabled` is off.
///
/// # Errors
/// Always [`CalibrateError::Off`].
#[inline]
pub fn calibrate<C: ?Sized>(_context: &C) -> Result<Calibration, CalibrateError> {
    Err(CalibrateError::Off)
}

/// Drops the sink: the feature `enabled` is off.
#[inline]
pub fn add_sink(_: impl Sink + 'static) {}

/// Does nothing: the feature `enabled` is off.
#[derive(Debug)]
#[must_use = "it flushes when it is dropped; bind it to a name, not to `_`"]
pub struct Guard(());

/// A [`Guard`].
#[inline]
pub fn guard() -> Guard {
    Guard(())
}
