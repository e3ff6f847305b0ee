//! What the job is, and what it gives when the CPU works it out.
//!
//! The job repeats one step on a state `y`, and works out a row-wise softmax of it each time:
//!
//! | launch | what it does |
//! |---|---|
//! | `saxpy` | `y += STEP * x` |
//! | `scale<f32>` | `y *= KEEP` |
//! | `scale<f64>` | `decay *= FADE` |
//! | `sum` | adds `y` up, into this step's place in `totals` |
//! | `to_logits` | `logits = SHARPNESS * y + OFFSET` |
//! | `softmax` | each row of `logits` into probabilities |
//! | `to_weights` | `weights = columns * probabilities`, so that they average 1 |

use std::fmt::{self, Display};

pub(crate) const STEP: f32 = 0.5;
pub(crate) const KEEP: f32 = 0.75;
pub(crate) const FADE: f64 = 0.999;
pub(crate) const SHARPNESS: f32 = 4.0;
pub(crate) const OFFSET: f32 = -2.0;

/// The inputs, and how often the step is repeated.
pub(crate) struct Job {
    pub(crate) rows: u16,
    pub(crate) columns: u16,
    pub(crate) steps: u16,
    pub(crate) x: Vec<f32>,
    pub(crate) y: Vec<f32>,
    pub(crate) decay: Vec<f64>,
}

impl Job {
    pub(crate) fn new(rows: u16, columns: u16, steps: u16) -> Self {
        let elements = u64::from(rows) * u64::from(columns);
        Self {
            rows,
            columns,
            steps,
            x: (0..elements).map(|i| 0.5 + fraction(i)).collect(),
            y: (0..elements).map(|i| 0.5 + fraction(elements + i)).collect(),
            decay: (0..elements).map(|i| f64::from(1.0 + fraction(i))).collect(),
        }
    }

    /// How many elements each of the job's matrices has.
    pub(crate) fn elements(&self) -> usize {
        usize::from(self.rows) * usize::from(self.columns)
    }
}

/// A number in `0.0..1.0` that depends on `seed` alone, so that every run has the same inputs.
fn fraction(seed: u64) -> f32 {
    let mixed = (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let [.., low, high] = mixed.to_le_bytes();
    f32::from(u16::from_le_bytes([low, high])) / 65536.0
}

/// What a device gave for a [`Job`].
pub(crate) struct Outcome {
    pub(crate) y: Vec<f32>,
    pub(crate) decay: Vec<f64>,
    pub(crate) weights: Vec<f32>,
    /// The sum of `y` after each step.
    pub(crate) totals: Vec<f32>,
}

/// What the CPU gives for a [`Job`], in double precision.
pub(crate) struct Expected {
    y: Vec<f64>,
    decay: Vec<f64>,
    weights: Vec<f64>,
    totals: Vec<f64>,
}

impl Expected {
    pub(crate) fn of(job: &Job) -> Self {
        // Each step is linear in `x` and `y`, so it is enough to follow what `y` has of each of the two: that takes two
        // numbers a step where the device goes through every element.
        let (mut of_y, mut of_x, mut of_decay) = (1.0, 0.0, 1.0);
        let [x_sum, y_sum] = [&job.x, &job.y].map(|v| v.iter().copied().map(f64::from).sum::<f64>());
        let mut totals = Vec::with_capacity(usize::from(job.steps));
        for _ in 0..job.steps {
            of_x = f64::from(KEEP) * (of_x + f64::from(STEP));
            of_y *= f64::from(KEEP);
            of_decay *= FADE;
            totals.push(of_x * x_sum + of_y * y_sum);
        }

        let pairs = job.x.iter().zip(&job.y);
        let y: Vec<f64> = pairs.map(|(&x, &y)| of_x * f64::from(x) + of_y * f64::from(y)).collect();
        Self {
            weights: weights(&y, job.columns),
            decay: job.decay.iter().map(|decay| of_decay * decay).collect(),
            y,
            totals,
        }
    }

    /// Whether a device's results are these, apart from rounding.
    pub(crate) fn check(&self, got: &Outcome) -> Result<(), Mismatch> {
        agree("y", &got.y, &self.y, 1e-5)?;
        agree("decay", &got.decay, &self.decay, 1e-12)?;
        agree("weights", &got.weights, &self.weights, 1e-4)?;
        agree("totals", &got.totals, &self.totals, 1e-4)
    }
}

fn weights(y: &[f64], columns: u16) -> Vec<f64> {
    let mut weights = Vec::with_capacity(y.len());
    for row in y.chunks(usize::from(columns).max(1)) {
        let powers = row.iter().map(|y| (f64::from(SHARPNESS) * y + f64::from(OFFSET)).exp());
        let inverse = f64::from(columns) / powers.clone().sum::<f64>();
        weights.extend(powers.map(|power| power * inverse));
    }
    weights
}

/// Where a device's result is not the CPU's.
#[derive(Debug)]
pub(crate) enum Mismatch {
    Length { what: &'static str, got: usize, want: usize },
    Value { what: &'static str, index: usize, got: f64, want: f64, wrong: usize, of: usize },
}

impl Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { what, got, want } => {
                write!(f, "{what} has {got} elements where the CPU has {want}")
            }
            Self::Value { what, index, got, want, wrong, of } => {
                write!(f, "{wrong} of {of} elements of {what} differ, first [{index}]: {got} where the CPU has {want}")
            }
        }
    }
}

impl std::error::Error for Mismatch {}

/// Compares relative to the size of what is wanted.
fn agree<T: Copy + Into<f64>>(what: &'static str, got: &[T], want: &[f64], tolerance: f64) -> Result<(), Mismatch> {
    if got.len() != want.len() {
        return Err(Mismatch::Length { what, got: got.len(), want: want.len() });
    }
    let mut wrong = got.iter().zip(want).enumerate().filter_map(|(index, (&got, &want))| {
        let got = got.into();
        // Asked this way round, a NaN does not pass.
        let close = (got - want).abs() <= tolerance * want.abs();
        (!close).then_some((index, got, want))
    });
    match wrong.next() {
        None => Ok(()),
        Some((index, value, wanted)) => {
            Err(Mismatch::Value { what, index, got: value, want: wanted, wrong: 1 + wrong.count(), of: got.len() })
        }
    }
}
