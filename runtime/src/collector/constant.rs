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
    UnderWay(Asked, Vec<Event>),
    /// The gaps in the last row were too long: another is tried from then on.
    TooLong(Asked, Instant),
    Settled(Result<u64, Doubt>),
}

/// What is asked of a model.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    model: &'static Model,
    /// Rows before this one.
    before: u32,
}

/// Events in the row. What is between two of them is never less than it should be, and more where the device or this thread
/// was held up: on an H200 rows of 33 had a quarter of their gaps above 1.54 us beside a thread that launches, and their
/// least gaps between 1.248 and 1.280. In one process of four the first row had none below 1.4: the GPU had just been woken.
const ROW: usize = 33;
/// So many rows with gaps that are too long, and the GPU is another than its model.
const ROWS: u32 = 8;
/// From one to the next.
const LATER: Duration = Duration::from_millis(20);
/// They take some 50 us.
const PATIENCE: Duration = Duration::from_millis(5);

impl Constant {
    pub(super) fn value(&self) -> Result<u64, Doubt> {
        match *self {
            Self::Settled(value) => value,
            Self::TooLong(..) => Err(Doubt::ModelDiffers),
            Self::UnderWay(Asked { before, .. }, _) if before > 0 => Err(Doubt::ModelDiffers),
            Self::Unasked | Self::UnderWay(..) => Err(Doubt::NotChecked),
        }
    }

    /// Finds it out, as far as it can be had now. The thread is in the context, and `stream` is ours.
    pub(super) fn settle(&mut self, device: &dyn Device, stream: Stream) {
        let asked = match *self {
            Self::Unasked => match device.capability().ok().flatten().and_then(Model::of) {
                Some(model) => Some(Asked { model, before: 0 }),
                None => return *self = Self::Settled(Err(Doubt::UnknownModel)),
            },
            Self::TooLong(asked, from) => Some(asked).filter(|_| Instant::now() >= from),
            Self::UnderWay(..) | Self::Settled(_) => None,
        };
        if let Some(asked) = asked {
            *self = Self::ask(device, stream, asked);
            let began = Instant::now();
            while began.elapsed() < PATIENCE && self.is_ahead(device) {
                std::thread::yield_now();
            }
        }
        if !self.is_ahead(device)
            && let Self::UnderWay(asked, row) = self
        {
            let value = asked.answer(device, row);
            row.drain(..).for_each(|event| device.destroy(event));
            *self = value;
        }
    }

    fn ask(device: &dyn Device, stream: Stream, asked: Asked) -> Self {
        let mut row = Vec::with_capacity(ROW);
        if fill(&mut row, device, stream).is_ok() {
            return Self::UnderWay(asked, row);
        }
        row.drain(..).for_each(|event| device.destroy(event));
        Self::Settled(Err(Doubt::NotChecked))
    }

    /// Whether the device has not come to the row's end.
    fn is_ahead(&self, device: &dyn Device) -> bool {
        match self {
            Self::UnderWay(_, row) => row.last().is_some_and(|&last| matches!(device.elapsed(last, last), Ok(None))),
            Self::Unasked | Self::TooLong(..) | Self::Settled(_) => false,
        }
    }
}

impl Asked {
    /// The model's constant, if an empty pair takes what it takes on that model.
    fn answer(self, device: &dyn Device, row: &[Event]) -> Constant {
        let Self { model, before } = self;
        let gap = |two: &[Event]| device.elapsed(*two.first()?, *two.last()?).ok()?;
        let least = row.windows(2).filter_map(gap).min();
        let Some(pair) = least.and_then(|ns| u64::try_from(ns).ok()) else {
            return Constant::Settled(Err(Doubt::NotChecked));
        };
        if model.has_pair(pair) {
            Constant::Settled(Ok(model.constant_ns))
        } else if model.is_shorter_than(pair) && before + 1 < ROWS {
            Constant::TooLong(Self { model, before: before + 1 }, Instant::now() + LATER)
        } else {
            Constant::Settled(Err(Doubt::ModelDiffers))
        }
    }
}

fn fill(row: &mut Vec<Event>, device: &dyn Device, stream: Stream) -> Result<(), Refusal> {
    for _ in 0..ROW {
        row.push(device.create()?);
    }
    row.iter().try_for_each(|&event| device.record(event, stream))
}
