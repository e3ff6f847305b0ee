//! Rounds in which each way has its turn, and ratios that are taken within a round.
//!
//! Neither criterion nor divan: both measure one way after the other, and between two of them a machine's clock and its
//! other work move by more than what is looked for.

use std::time::Instant;

use crate::Failure;

/// A way to do the same work: runs it so many times.
pub type Way<'w> = Box<dyn FnMut(u32) -> Result<(), Failure> + 'w>;

/// What each way took, in ns for each time, in the order of the rounds.
#[derive(Debug)]
pub struct Rounds {
    names: Vec<String>,
    times: Vec<Vec<f64>>,
}

impl Rounds {
    /// Runs each way `times` times in each of `rounds`, in turn. `between` runs ahead of each and is not measured.
    ///
    /// # Errors
    /// A way's or `between`'s.
    pub fn run(
        ways: &mut [(&str, Way<'_>)],
        rounds: u32,
        times: u32,
        mut between: impl FnMut() -> Result<(), Failure>,
    ) -> Result<Self, Failure> {
        let names = ways.iter().map(|(name, _)| (*name).to_owned()).collect();
        let mut all = vec![Vec::new(); ways.len()];
        for round in 0..=rounds {
            for ((_, way), all) in ways.iter_mut().zip(&mut all) {
                between()?;
                let began = Instant::now();
                way(times)?;
                let took = began.elapsed().as_secs_f64() * 1e9 / f64::from(times);
                // The first warms up.
                if round > 0 {
                    all.push(took);
                }
            }
        }
        Ok(Self { names, times: all })
    }

    /// The names of the ways.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    fn of(&self, way: usize) -> &[f64] {
        self.times.get(way).map_or(&[], Vec::as_slice)
    }

    /// The median of what the way took, in ns.
    #[must_use]
    pub fn time(&self, way: usize) -> f64 {
        median(self.of(way).to_vec())
    }

    /// The median of the ratios of a way to another one.
    #[must_use]
    pub fn ratio(&self, way: usize, to: usize) -> f64 {
        median(self.of(way).iter().zip(self.of(to)).map(|(time, other)| time / other).collect())
    }

    /// The median of what the way took more than another one, in ns.
    #[must_use]
    pub fn more(&self, way: usize, than: usize) -> f64 {
        median(self.of(way).iter().zip(self.of(than)).map(|(time, other)| time - other).collect())
    }
}

/// The middle of `values`; NaN where there is none.
#[must_use]
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
