//! The job on launchsite's host stand-in: the same operations in the same order, each kernel a closure that a worker
//! thread runs. Names, times and outputs come about as they do on a GPU.

use std::ops::MulAssign;
use std::sync::{Arc, Mutex, PoisonError};

use launchsite::gpu_kernel;
use launchsite::host::{Error, Host, LaunchConfig, Stream};

use super::reference::{FADE, Job, KEEP, OFFSET, Outcome, SHARPNESS, STEP};

/// Memory of the stand-in: launches that still wait in the stream hold on to it, as they do to a GPU's.
struct Buffer<T>(Arc<Mutex<Vec<T>>>);

impl<T> Clone for Buffer<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Buffer<T> {
    fn new(values: Vec<T>) -> Self {
        Self(Arc::new(Mutex::new(values)))
    }

    fn with<R>(&self, work: impl FnOnce(&mut [T]) -> R) -> R {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn read(&self) -> Vec<T>
    where
        T: Clone,
    {
        self.with(|values| values.to_vec())
    }
}

/// The stand-in for a GPU.
pub(crate) struct StandIn {
    stream: Stream,
}

impl StandIn {
    pub(crate) fn open() -> Self {
        Self { stream: Host::new().stream() }
    }

    /// Runs the job and returns when its results are there.
    pub(crate) fn run(&self, job: &Job) -> Result<Outcome, Error> {
        let x = Buffer::new(job.x.clone());
        let y = Buffer::new(job.y.clone());
        let decay = Buffer::new(job.decay.clone());
        let [logits, probabilities, weights] = [(); 3].map(|()| Buffer::new(vec![0.0; job.elements()]));
        let totals = Buffer::new(vec![0.0; usize::from(job.steps)]);

        for step in 0..usize::from(job.steps) {
            saxpy(self, STEP, &x, &y)?;
            scale(self, KEEP, &y)?;
            scale(self, FADE, &decay)?;
            sum(self, &y, &totals, step)?;
            to_logits(self, &y, &logits)?;
            softmax(self, job, &logits, &probabilities)?;
            to_weights(self, job, &probabilities, &weights)?;
        }

        self.stream.synchronize()?;
        Ok(Outcome { y: y.read(), decay: decay.read(), weights: weights.read(), totals: totals.read() })
    }
}

/// A type that there is a `scale` kernel for.
trait Scalar: Copy + MulAssign + Send + Sync + 'static {
    const SCALE_KERNEL: &'static str;
}

impl Scalar for f32 {
    const SCALE_KERNEL: &'static str = "scale_f32";
}

impl Scalar for f64 {
    const SCALE_KERNEL: &'static str = "scale_f64";
}

/// The stand-in has no use for a grid, but its records show one as a GPU's do.
fn config() -> LaunchConfig {
    LaunchConfig { grid_dim: (1, 1, 1), block_dim: (1, 1, 1), shared_mem_bytes: 0 }
}

/// Does `work` on each element of `y` and the element of `x` at the same place.
fn zip(x: &Buffer<f32>, y: &Buffer<f32>, work: impl Fn(f32, &mut f32)) {
    x.with(|x| y.with(|y| x.iter().zip(y).for_each(|(&x, y)| work(x, y))));
}

#[gpu_kernel]
fn saxpy(on: &StandIn, a: f32, x: &Buffer<f32>, y: &Buffer<f32>) -> Result<(), Error> {
    let (x, y) = (x.clone(), y.clone());
    let b = on.stream.launch_builder("saxpy_f32", move || zip(&x, &y, |x, y| *y += a * x));
    b.launch(config())?;
    Ok(())
}

#[gpu_kernel]
fn scale<T: Scalar>(on: &StandIn, factor: T, x: &Buffer<T>) -> Result<(), Error> {
    let x = x.clone();
    let b = on.stream.launch_builder(T::SCALE_KERNEL, move || {
        x.with(|x| x.iter_mut().for_each(|x| *x *= factor));
    });
    b.launch(config())?;
    Ok(())
}

#[gpu_kernel]
fn sum(on: &StandIn, x: &Buffer<f32>, totals: &Buffer<f32>, step: usize) -> Result<(), Error> {
    let (x, totals) = (x.clone(), totals.clone());
    let work = move || {
        // In parts, as a GPU's blocks do it: one long chain of f32 additions would lose digits.
        let total = x.with(|x| x.chunks(256).map(|part| part.iter().sum::<f32>()).sum::<f32>());
        totals.with(|totals| {
            if let Some(place) = totals.get_mut(step) {
                *place += total;
            }
        });
    };
    on.stream.launch_builder("sum_f32", work).launch(config())
}

#[gpu_kernel]
fn softmax(on: &StandIn, job: &Job, x: &Buffer<f32>, y: &Buffer<f32>) -> Result<(), Error> {
    let (x, y, columns) = (x.clone(), y.clone(), usize::from(job.columns).max(1));
    let work = move || {
        x.with(|x| {
            y.with(|y| {
                for (x, y) in x.chunks(columns).zip(y.chunks_mut(columns)) {
                    softmax_row(x, y);
                }
            });
        });
    };
    on.stream.launch_builder("softmax_f32", work).launch(config())
}

fn softmax_row(x: &[f32], y: &mut [f32]) {
    // Taking the largest value out keeps exp from overflowing and changes no result.
    let largest = x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for (x, y) in x.iter().zip(&mut *y) {
        *y = (x - largest).exp();
        sum += *y;
    }
    let inverse = 1.0 / sum;
    for y in y {
        *y *= inverse;
    }
}

/// Launches `map_kernel`, as [`to_weights`] does: a profiler alone shows both under that one name.
#[gpu_kernel]
fn to_logits(on: &StandIn, y: &Buffer<f32>, logits: &Buffer<f32>) -> Result<(), Error> {
    let (y, logits) = (y.clone(), logits.clone());
    on.stream
        .launch_builder("map_kernel", move || {
            zip(&y, &logits, |y, logit| *logit = SHARPNESS * y + OFFSET);
        })
        .launch(config())
}

#[gpu_kernel]
fn to_weights(on: &StandIn, job: &Job, p: &Buffer<f32>, weights: &Buffer<f32>) -> Result<(), Error> {
    let (p, weights, columns) = (p.clone(), weights.clone(), f32::from(job.columns));
    let b = on.stream.launch_builder("map_kernel", move || {
        zip(&p, &weights, |p, weight| *weight = columns * p);
    });
    b.launch(config())?;
    Ok(())
}
