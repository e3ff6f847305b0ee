//! What a pair of events adds on the device of a context: from the table of models, once an empty pair has been looked at.

use std::time::{Duration, Instant};

use crate::calibration::Model;
use crate::device::{Device, Event, Refusal, Stream};
use crate::record::Doubt;

/// The constant of one context's device, as far as it is known.
#[derive(Debug)]
pub(super) enum Constant {
    /// Nobody has asked for it.
    Unasked,
    /// Events stand in a row in a stream of our own, and have not been reached yet.
    UnderWay(&'static Model, Vec<Event>),
    Settled(Result<u64, Doubt>),
}

/// Events in the row. What is between two of them is never less than it should be, and more where the device or this thread
/// was held up: on an H200 rows of 33 had a quarter of their gaps above 1.54 us beside a thread that launches, and their
/// least gaps between 1.248 and 1.280.
const ROW: usize = 33;
/// They take some 50 us.
const PATIENCE: Duration = Duration::from_millis(5);

impl Constant {
    pub(super) fn value(&self) -> Result<u64, Doubt> {
        match *self {
            Self::Settled(value) => value,
            Self::Unasked | Self::UnderWay(..) => Err(Doubt::NotChecked),
        }
    }

    /// Finds it out, as far as it can be had now. The thread is in the context, and `stream` is ours.
    pub(super) fn settle(&mut self, device: &dyn Device, stream: Stream) {
        if let Self::Unasked = self {
            *self = Self::ask(device, stream);
            let began = Instant::now();
            while began.elapsed() < PATIENCE && self.is_ahead(device) {
                std::thread::yield_now();
            }
        }
        if !self.is_ahead(device)
            && let Self::UnderWay(model, row) = self
        {
            let value = checked(device, model, row);
            row.drain(..).for_each(|event| device.destroy(event));
            *self = Self::Settled(value);
        }
    }

    fn ask(device: &dyn Device, stream: Stream) -> Self {
        let model = device.capability().ok().flatten().and_then(Model::of);
        let Some(model) = model else { return Self::Settled(Err(Doubt::UnknownModel)) };
        let mut row = Vec::with_capacity(ROW);
        if fill(&mut row, device, stream).is_ok() {
            return Self::UnderWay(model, row);
        }
        row.drain(..).for_each(|event| device.destroy(event));
        Self::Settled(Err(Doubt::NotChecked))
    }

    /// Whether the device has not come to the row's end.
    fn is_ahead(&self, device: &dyn Device) -> bool {
        match self {
            Self::UnderWay(_, row) => row.last().is_some_and(|&last| matches!(device.elapsed(last, last), Ok(None))),
            Self::Unasked | Self::Settled(_) => false,
        }
    }
}

fn fill(row: &mut Vec<Event>, device: &dyn Device, stream: Stream) -> Result<(), Refusal> {
    for _ in 0..ROW {
        row.push(device.create()?);
    }
    row.iter().try_for_each(|&event| device.record(event, stream))
}

/// The model's constant, if an empty pair takes what it takes on that model.
fn checked(device: &dyn Device, model: &Model, row: &[Event]) -> Result<u64, Doubt> {
    let gap = |two: &[Event]| device.elapsed(*two.first()?, *two.last()?).ok()?;
    let least = row.windows(2).filter_map(gap).min();
    let pair = least.and_then(|ns| u64::try_from(ns).ok()).ok_or(Doubt::NotChecked)?;
    if model.has_pair(pair) { Ok(model.constant_ns) } else { Err(Doubt::ModelDiffers) }
}
