//! The measurement: chains of events and empty kernels in a stream of our own, queued while the stream is kept busy.

use std::time::{Duration, Instant};

use super::model::{Model, Times};
use super::{CalibrateError, Calibration};
use crate::device::{Context, Device, Event, Probe, Stream};
use crate::process;

/// Windows of one empty kernel, and empty kernels in one window.
const LENGTH: usize = 64;
/// Events in a row.
const ROW: usize = 33;
/// How often it is tried to read times that agree with each other.
const ROUNDS: u32 = 8;
/// For how long the stream is kept busy in the first round, while some 250 calls are made; longer where that was too short.
const BUSY: Duration = Duration::from_millis(5);
/// Behind this the device does not come to it at all.
const PATIENCE: Duration = Duration::from_secs(5);

/// Measures the device of `context` on a thread that is new, and so leaves the caller's as it is. Waits for the device.
pub(crate) fn measured(device: &'static dyn Device, context: Context) -> Result<Calibration, CalibrateError> {
    let inside = move || {
        // Another thread may be capturing.
        device.relax()?;
        device.enter(context)?;
        let life = device.hold(context)?;
        let calibration = measure(device, context).and_then(|times| {
            let model = device.capability()?.and_then(Model::of);
            Ok(times.calibration(model))
        });
        device.leave();
        device.release(life);
        calibration
    };
    let thread = std::thread::Builder::new().name("launchsite-bench".into());
    let thread = process::without_signals(|| thread.spawn(inside)).map_err(|_| CalibrateError::NoThread)?;
    thread.join().unwrap_or(Err(CalibrateError::NoThread))
}

/// Measures the thread's context, which is `context` and is held.
pub(super) fn measure(device: &dyn Device, context: Context) -> Result<Times, CalibrateError> {
    let mut bench = Bench { device, stream: None, probe: None, events: Vec::new() };
    let stream = *bench.stream.insert(device.open_stream(context)?);
    let probe = *bench.probe.insert(device.load_probe()?);
    for _ in 0..2 * LENGTH + ROW + 2 {
        bench.events.push(device.create()?);
    }
    let mut busy = BUSY;
    for _ in 0..ROUNDS {
        match bench.round(stream, probe, busy)? {
            Round::Agrees(times) => return Ok(times),
            Round::Differs => {}
            Round::TooShort => busy *= 2,
        }
    }
    Err(CalibrateError::Disturbed)
}

/// What is made for a measurement, and is gone behind it.
struct Bench<'d> {
    device: &'d dyn Device,
    stream: Option<Stream>,
    probe: Option<Probe>,
    events: Vec<Event>,
}

enum Round {
    Agrees(Times),
    Differs,
    /// The stream was not busy until all had been queued.
    TooShort,
}

impl Bench<'_> {
    fn round(&self, stream: Stream, probe: Probe, busy: Duration) -> Result<Round, CalibrateError> {
        let [held, end, rest @ ..] = self.events.as_slice() else { return Ok(Round::Differs) };
        let (row, pairs) = rest.split_at(ROW.min(rest.len()));
        let device = self.device;
        device.launch_probe(probe, stream, Some(busy))?;
        device.record(*held, stream)?;
        for &event in row {
            device.record(event, stream)?;
        }
        for pair in pairs.chunks_exact(2) {
            device.record(*pair.first().unwrap_or(held), stream)?;
            device.launch_probe(probe, stream, None)?;
            device.record(*pair.last().unwrap_or(held), stream)?;
        }
        for _ in 0..LENGTH {
            device.launch_probe(probe, stream, None)?;
        }
        device.record(*end, stream)?;
        let in_time = device.elapsed(*held, *held)?.is_none();
        self.wait_for(*end)?;
        if !in_time {
            return Ok(Round::TooShort);
        }
        self.read(row, pairs, *end)
    }

    fn wait_for(&self, event: Event) -> Result<(), CalibrateError> {
        let began = Instant::now();
        while self.device.elapsed_or_error(event, event)?.is_none() {
            if began.elapsed() > PATIENCE {
                return Err(CalibrateError::Disturbed);
            }
            std::thread::sleep(Duration::from_micros(100));
        }
        Ok(())
    }

    fn read(&self, row: &[Event], pairs: &[Event], end: Event) -> Result<Round, CalibrateError> {
        let between = |from: &Event, to: &Event| {
            let elapsed = self.device.elapsed(*from, *to)?;
            elapsed.and_then(|ns| u64::try_from(ns).ok()).ok_or(CalibrateError::Disturbed)
        };
        let gaps = row.windows(2).filter_map(|two| Some(between(two.first()?, two.last()?)));
        let gaps = Sorted::of(gaps.collect::<Result<_, _>>()?);
        let windows = pairs.chunks_exact(2).filter_map(|two| Some(between(two.first()?, two.last()?)));
        let windows = Sorted::of(windows.collect::<Result<_, _>>()?);
        // From the last pair's second event on, the kernels of the chain stand in one window.
        let chain = between(pairs.last().unwrap_or(&end), &end)?;
        let (gap, window) = (gaps.median(), windows.median());
        let kernel = chain.saturating_sub(window) / (LENGTH as u64 - 1);
        let sound = gaps.agree() && windows.agree() && gap > 0 && (1..window).contains(&kernel);
        let times = Times { empty_pair: gap, window, kernel };
        Ok(if sound { Round::Agrees(times) } else { Round::Differs })
    }
}

impl Drop for Bench<'_> {
    fn drop(&mut self) {
        for event in self.events.drain(..) {
            self.device.destroy(event);
        }
        if let Some(stream) = self.stream {
            self.device.close_stream(stream);
        }
        if let Some(probe) = self.probe {
            self.device.unload_probe(probe);
        }
    }
}

/// Values in their order.
struct Sorted(Vec<u64>);

impl Sorted {
    fn of(mut values: Vec<u64>) -> Self {
        values.sort_unstable();
        Self(values)
    }

    fn quarter(&self, quarters: usize) -> u64 {
        self.0.get(self.0.len() * quarters / 4).copied().unwrap_or(0)
    }

    fn median(&self) -> u64 {
        self.quarter(2)
    }

    /// Whether the middle half of the values lies within a tenth of the median.
    fn agree(&self) -> bool {
        (self.quarter(3) - self.quarter(1)) * 10 <= self.median()
    }
}
