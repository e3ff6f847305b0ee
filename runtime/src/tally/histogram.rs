//! Quantiles of times in bounded memory.

/// Counts of values, in buckets whose width grows with the value: 128 to each power of two, so that a quantile is
/// within 1 % of the value that it stands for. (The scheme of `HdrHistogram`, by Gil Tene.) Grows with the largest value,
/// to 7424 buckets at most.
#[derive(Clone, Debug, Default)]
pub(super) struct Histogram {
    counts: Vec<u64>,
    count: u64,
    least: u64,
    most: u64,
}

const STEPS: u64 = 128;
const STEP_BITS: u32 = STEPS.trailing_zeros();

impl Histogram {
    pub(super) fn add(&mut self, value: u64) {
        let bucket = bucket(value);
        if self.counts.len() <= bucket {
            self.counts.resize(bucket + 1, 0);
        }
        if let Some(count) = self.counts.get_mut(bucket) {
            *count += 1;
            self.least = if self.count == 0 { value } else { self.least.min(value) };
            self.most = self.most.max(value);
            self.count += 1;
        }
    }

    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// The least value that `part` of `whole` of all values do not exceed; `None` where there are none.
    pub(super) fn quantile(&self, part: u64, whole: u64) -> Option<u64> {
        let wanted = (self.count * part).div_ceil(whole).max(1);
        let mut seen = 0;
        let reached = self.counts.iter().position(|count| {
            seen += count;
            seen >= wanted
        });
        // What stands for a bucket may lie beyond all values that are in it.
        reached.map(|bucket| middle(bucket).clamp(self.least, self.most))
    }
}

/// Values below [`STEPS`] have buckets of their own.
fn bucket(value: u64) -> usize {
    let power = value.max(1).ilog2().saturating_sub(STEP_BITS);
    let step = value >> power;
    usize::try_from(u64::from(power) * STEPS + step).unwrap_or(usize::MAX)
}

fn middle(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    if bucket < 2 * STEPS {
        return bucket;
    }
    let power = bucket / STEPS - 1;
    let step = bucket - power * STEPS;
    (step << power) + ((1 << power) >> 1)
}

#[cfg(test)]
mod tests {
    use super::{Histogram, bucket, middle};

    #[test]
    fn a_bucket_stands_for_its_values_within_one_percent() {
        for value in (0..2000).chain((0..63).map(|bit| (1 << bit) + (1 << bit) / 3)).chain([u64::MAX]) {
            let stands_for = middle(bucket(value));
            assert!(stands_for.abs_diff(value) <= value / 100, "{value}: {stands_for}");
        }
    }

    #[test]
    fn buckets_are_in_the_order_of_their_values() {
        let mut last = 0;
        for value in 0..100_000 {
            let bucket = bucket(value);
            assert!(bucket == last || bucket == last + 1, "{value}: {last} {bucket}");
            last = bucket;
        }
    }

    #[test]
    fn quantiles() {
        let mut times = Histogram::default();
        assert_eq!(times.quantile(50, 100), None);
        (1..=100).for_each(|value| times.add(value));
        assert_eq!((times.quantile(50, 100), times.quantile(99, 100)), (Some(50), Some(99)));
        let mut one = Histogram::default();
        one.add(99_900);
        assert_eq!((one.quantile(50, 100), one.quantile(99, 100)), (Some(99_900), Some(99_900)));
        times.add(0);
        assert_eq!((times.quantile(0, 100), times.quantile(100, 100)), (Some(0), Some(100)));
    }
}
