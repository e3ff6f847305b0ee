//! Percentiles of times, in memory that is bounded.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;

/// How many different durations are kept one by one.
const EXACT: usize = 4096;
/// Beyond that a percentile is within this many digits of the duration that it stands for, so within 0.1 %.
const DIGITS: u8 = 3;

/// Durations in nanoseconds. Exact as long as there are at most [`EXACT`] different ones, as most sites have: the GPU's
/// clock has ticks of 32 ns and more. At most some 500 kB then, for durations up to years.
#[derive(Debug)]
pub(super) enum Times {
    Each(BTreeMap<u64, u64>),
    Buckets(Box<Histogram<u64>>),
}

impl Default for Times {
    fn default() -> Self {
        Self::Each(BTreeMap::new())
    }
}

impl Times {
    pub(super) fn add(&mut self, duration_ns: u64) {
        match self {
            Self::Each(counts) => *counts.entry(duration_ns).or_default() += 1,
            Self::Buckets(buckets) => record(buckets, duration_ns, 1),
        }
        if let Self::Each(counts) = self
            && counts.len() > EXACT
            && let Ok(mut buckets) = Histogram::new(DIGITS)
        {
            for (&duration_ns, &count) in &*counts {
                record(&mut buckets, duration_ns, count);
            }
            *self = Self::Buckets(Box::new(buckets));
        }
    }

    pub(super) fn count(&self) -> u64 {
        match self {
            Self::Each(counts) => counts.values().sum(),
            Self::Buckets(buckets) => buckets.len(),
        }
    }

    /// The least duration that `percent` of all do not exceed; `None` where there are none.
    pub(super) fn percentile(&self, percent: u32) -> Option<u64> {
        match self {
            Self::Each(counts) => {
                let wanted = (u128::from(self.count()) * u128::from(percent)).div_ceil(100).max(1);
                let mut seen = 0;
                let reached = counts.iter().find(|(_, count)| {
                    seen += u128::from(**count);
                    seen >= wanted
                });
                reached.map(|(duration_ns, _)| *duration_ns)
            }
            // What stands for a bucket may lie beyond all that is in it.
            Self::Buckets(buckets) => {
                Some(buckets.value_at_percentile(f64::from(percent)).clamp(buckets.min(), buckets.max()))
            }
        }
    }
}

/// The histogram grows as it has to; where memory has no addresses for that, a duration is as long as it can hold.
fn record(buckets: &mut Histogram<u64>, duration_ns: u64, count: u64) {
    if buckets.record_n(duration_ns, count).is_err() {
        buckets.saturating_record_n(duration_ns, count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(durations: impl IntoIterator<Item = u64>) -> Times {
        let mut times = Times::default();
        durations.into_iter().for_each(|duration| times.add(duration));
        times
    }

    #[test]
    fn percentiles_of_few_durations_are_exact() {
        assert_eq!(times([]).percentile(50), None);
        assert_eq!(times([7]).percentile(99), Some(7));
        assert_eq!(times([0, 0, 5]).percentile(50), Some(0));
        let hundred = times((1..=100).map(|n| n * 1_000_001));
        assert_eq!((hundred.percentile(50), hundred.percentile(99)), (Some(50_000_050), Some(99_000_099)));
        let repeated = times((0..1_024_000).map(|n| n % 4096));
        assert!(matches!(repeated, Times::Each(_)) && repeated.percentile(50) == Some(2047));
    }

    #[test]
    fn percentiles_of_many_durations_are_within_a_thousandth() {
        for scale in [1, 977, 1_000_003, 1 << 40] {
            let many = times((1..=100_000).rev().map(|n| n * scale));
            assert!(matches!(many, Times::Buckets(_)) && many.count() == 100_000);
            for (percent, rank) in [(50, 50_000_u64), (99, 99_000)] {
                let (read, is) = (many.percentile(percent).unwrap(), rank * scale);
                assert!(read.abs_diff(is) <= is / 1000, "p{percent} of {scale}: {read}, not {is}");
            }
        }
    }

    #[test]
    fn the_longest_duration_of_all_is_no_trouble() {
        let mut durations: Vec<_> = (0..5000).collect();
        durations.push(u64::MAX);
        let many = times(durations);
        assert_eq!(many.count(), 5001);
        assert!(many.percentile(100).unwrap() > u64::MAX / 1000 * 999);
    }
}
