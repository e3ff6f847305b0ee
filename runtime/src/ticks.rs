//! Times on the launch path: the processor's own counter where the system trusts it as its clock, which takes half as
//! long to read. The collector turns them into the clock's nanoseconds.

use std::sync::atomic::{AtomicU8, Ordering};

use crate::{clock, process};

const UNKNOWN: u8 = 0;
const CLOCK: u8 = 1;
const COUNTER: u8 = 2;

/// Which of the two `now` reads. It is settled once, before the first reading: two kinds do not mix.
static SOURCE: AtomicU8 = AtomicU8::new(UNKNOWN);

/// Settles what [`now`] reads. Linux takes the counter for its clock only where all processors count alike, at all
/// times.
pub(crate) fn settle() {
    let trusted = cfg!(all(target_os = "linux", target_arch = "x86_64"))
        && std::fs::read("/sys/devices/system/clocksource/clocksource0/current_clocksource")
            .is_ok_and(|source| source.trim_ascii() == b"tsc");
    let source = if trusted { COUNTER } else { CLOCK };
    let _ = SOURCE.compare_exchange(UNKNOWN, source, Ordering::Relaxed, Ordering::Relaxed);
}

/// A reading; only the difference to another one means something, and [`Scale`] knows what.
#[inline]
pub(crate) fn now() -> u64 {
    if SOURCE.load(Ordering::Relaxed) == COUNTER { process::counter() } else { clock::now() }
}

/// How readings stand to the clock: a line through two moments, at which both were read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    first: Moment,
    last: Moment,
    ns_per_tick: f64,
}

#[derive(Clone, Copy, Debug)]
struct Moment {
    ticks: u64,
    ns: u64,
    /// So far `ticks` may be from the reading that belongs to `ns`.
    uncertainty: u64,
}

/// The best of so many: a thread that is interrupted between two readings, or a machine, knows nothing of how they belong together.
const TRIES: usize = 5;

impl Moment {
    fn now() -> Self {
        let once = || {
            let before = now();
            let ns = clock::now();
            let half = now().saturating_sub(before) / 2;
            Self { ticks: before + half, ns, uncertainty: half }
        };
        let first = once();
        (1..TRIES)
            .map(|_| once())
            .fold(first, |best, next| if next.uncertainty < best.uncertainty { next } else { best })
    }
}

impl Scale {
    /// From here on. Nothing can be told from one moment: [`refresh`](Self::refresh) comes before the first question.
    pub(crate) fn new() -> Self {
        let first = Moment::now();
        Self { first, last: first, ns_per_tick: 1.0 }
    }

    /// Draws the line to the present moment: what lies between is then as exact as the two moments are.
    #[allow(clippy::cast_precision_loss)] // 53 bits of ticks are a month
    pub(crate) fn refresh(&mut self) {
        let last = Moment::now();
        let ticks = last.ticks.saturating_sub(self.first.ticks);
        if ticks > 0 {
            self.ns_per_tick = last.ns.saturating_sub(self.first.ns) as f64 / ticks as f64;
            self.last = last;
        }
    }

    /// A difference of two readings, in nanoseconds.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates, and is not below zero
    pub(crate) fn span(&self, ticks: f64) -> u64 {
        (ticks * self.ns_per_tick) as u64
    }

    /// The same of an exact difference.
    #[allow(clippy::cast_precision_loss)] // 53 bits of ticks are a month
    pub(crate) fn span_of(&self, ticks: u64) -> u64 {
        self.span(ticks as f64)
    }

    /// How far a [`time`](Self::time) can be off, in nanoseconds, between the two moments of the line.
    pub(crate) fn uncertainty_ns(&self) -> u64 {
        self.span_of(self.first.uncertainty.max(self.last.uncertainty)) + 1
    }

    /// A reading, in the clock's nanoseconds.
    pub(crate) fn time(&self, ticks: u64) -> u64 {
        match ticks.checked_sub(self.first.ticks) {
            Some(since) => self.first.ns + self.span_of(since),
            None => self.first.ns.saturating_sub(self.span_of(self.first.ticks - ticks)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Scale, now, settle};
    use crate::clock;

    #[test]
    fn readings_stand_on_the_clock() {
        settle();
        let mut scale = Scale::new();
        let mut readings = Vec::new();
        for _ in 0..20 {
            std::thread::sleep(std::time::Duration::from_millis(1));
            readings.push((clock::now(), now(), clock::now()));
        }
        scale.refresh();
        for (before, ticks, after) in readings {
            let time = scale.time(ticks);
            // The two moments of the line may each be off by as long as a thread can be kept waiting between two reads.
            let slack = 200_000;
            assert!((before - slack..=after + slack).contains(&time), "{before} {time} {after}");
        }
    }
}
