//! How good GPU times are: kernels of known kinds, launchsite's times beside those of CUPTI, on a GPU.
//!
//! ```sh
//! cargo run --release -p launchsite-examples --example accuracy
//! ```
//!
//! CUPTI is NVIDIA's profiling library. It lengthens windows itself, so its times come from a run of their own, of the same
//! binary and the same launches: `accuracy --cupti` prints them, and without the argument it is run and read here. Where
//! there is no CUPTI, its column is empty. `CUPTI_LIBRARY` says where it is, if it is not where CUDA puts it.

#![expect(unsafe_code, reason = "cudarc's launches are unsafe: only the caller knows what a kernel takes")]

#[path = "accuracy/cupti.rs"]
mod cupti;

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use cudarc::driver::{CudaContext, CudaFunction, CudaSlice, CudaStream, DriverError, LaunchConfig, PushKernelArg, sys};
use cudarc::nvrtc::Ptx;
use launchsite::record::{Accuracy, GpuTime, Record, Sink};
use launchsite::{Parts, gpu_kernel};

const PTX: &str = include_str!("kernels/quickstart.ptx");
/// What is measured has two blocks, and what keeps a stream busy has one: so CUPTI's records are told apart.
const MEASURED: LaunchConfig = LaunchConfig { grid_dim: (2, 1, 1), block_dim: (1, 1, 1), shared_mem_bytes: 0 };
const HOLDING: LaunchConfig = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (1, 1, 1), shared_mem_bytes: 0 };
const LONG: Duration = Duration::from_secs(60);
/// Launches behind each other on a stream that is kept busy until all are there, and how often.
const BATCH: u32 = 100;
const BATCHES: u32 = 20;
/// A loop that is bound by its launches is looked at so many times.
const LOOPS: u32 = 20;

/// What a kernel does.
#[derive(Clone, Copy)]
enum Kernel {
    Empty,
    /// Spins for so many nanoseconds.
    Spin(u64),
}

const KERNELS: [(&str, Kernel); 6] = [
    ("empty", Kernel::Empty),
    ("2 us", Kernel::Spin(2_000)),
    ("5 us", Kernel::Spin(5_000)),
    ("10 us", Kernel::Spin(10_000)),
    ("50 us", Kernel::Spin(50_000)),
    ("1 ms", Kernel::Spin(1_000_000)),
];

struct Gpu {
    context: Arc<CudaContext>,
    spin: CudaFunction,
    empty: CudaFunction,
    scale: CudaFunction,
}

impl Gpu {
    fn open() -> Result<Self, DriverError> {
        let context = CudaContext::new(0)?;
        let module = context.load_module(Ptx::from_src(PTX))?;
        let kernel = |name| module.load_function(name);
        Ok(Self { spin: kernel("spin")?, empty: kernel("empty")?, scale: kernel("scale_f32")?, context })
    }

    /// Not recorded: keeps the stream busy for so many milliseconds.
    fn hold(&self, stream: &CudaStream, ms: u64) -> Result<(), DriverError> {
        let ns = ms * 1_000_000;
        // SAFETY: the kernel takes one u64.
        unsafe { stream.launch_builder(&self.spin).arg(&ns).launch(HOLDING) }?;
        Ok(())
    }

    #[gpu_kernel]
    fn launch(&self, stream: &CudaStream, kernel: Kernel) -> Result<(), DriverError> {
        match kernel {
            // SAFETY: the kernel takes nothing.
            Kernel::Empty => unsafe { stream.launch_builder(&self.empty).launch(MEASURED) }?,
            // SAFETY: the kernel takes one u64.
            Kernel::Spin(ns) => unsafe { stream.launch_builder(&self.spin).arg(&ns).launch(MEASURED) }?,
        };
        Ok(())
    }

    /// One that cudarc has wait for what another stream does with `x`.
    #[gpu_kernel]
    fn launch_on(&self, stream: &CudaStream, x: &mut CudaSlice<f32>) -> Result<(), DriverError> {
        let n = x.len();
        // SAFETY: the kernel takes a length, a factor and so many elements.
        unsafe { stream.launch_builder(&self.scale).arg(&n).arg(&1.0_f32).arg(x).launch(MEASURED) }?;
        Ok(())
    }

    /// Launches behind each other, queued while the stream is busy.
    fn busy(&self, stream: &CudaStream, kernel: Kernel) -> Result<(), DriverError> {
        for _ in 0..BATCHES {
            self.hold(stream, 3)?;
            for _ in 0..BATCH {
                self.launch(stream, kernel)?;
            }
            stream.synchronize()?;
        }
        Ok(())
    }
}

/// The times since the last look.
static TIMES: Mutex<Vec<GpuTime>> = Mutex::new(Vec::new());

struct Times;

impl Sink for Times {
    fn record(&mut self, record: &Record<'_>) {
        if let Record::LaunchGpu(timed) = record
            && let Ok(time) = timed.time
        {
            TIMES.lock().unwrap_or_else(PoisonError::into_inner).push(time);
        }
    }
}

/// What was read of one kind of launch.
struct Seen(Vec<GpuTime>);

#[expect(clippy::cast_precision_loss, reason = "means of times far below that")]
impl Seen {
    /// Of all that was launched since the last.
    fn take() -> Result<Self, Box<dyn Error>> {
        launchsite::flush(LONG)?;
        Ok(Self(std::mem::take(&mut *TIMES.lock().unwrap_or_else(PoisonError::into_inner))))
    }

    fn calibrated(&self) -> Vec<&GpuTime> {
        self.0.iter().filter(|time| time.accuracy == Accuracy::Calibrated).collect()
    }

    fn mean(times: impl ExactSizeIterator<Item = u64>) -> f64 {
        let count = times.len();
        times.map(|ns| ns as f64).sum::<f64>() / count as f64 / 1e3
    }

    /// In percent.
    fn share(&self) -> f64 {
        100.0 * self.calibrated().len() as f64 / self.0.len() as f64
    }

    fn reasons(&self) -> String {
        let mut found: BTreeMap<&str, usize> = BTreeMap::new();
        for time in &self.0 {
            if let Accuracy::UpperBound(doubt) = time.accuracy {
                *found.entry(doubt.words()).or_default() += 1;
            }
        }
        found.iter().map(|(why, count)| format!("{count} {why}")).collect::<Vec<_>>().join("; ")
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = io::stdout();
    // SAFETY: it only opens the driver's library and closes it again.
    if !unsafe { sys::is_culib_present() } {
        writeln!(out, "there is no CUDA driver on this machine: nothing to measure")?;
        return Ok(());
    }
    if std::env::args().any(|argument| argument == "--cupti") {
        return reference(&mut out);
    }
    launchsite::add_sink(Times);
    launchsite::set_parts(Parts::TIME);
    kernels(&mut out)?;
    streams(&mut out)?;
    let gpu = Gpu::open()?;
    writeln!(out, "\n{:?}", launchsite::calibrate(&gpu.context)?)?;
    Ok(())
}

/// The means by CUPTI, a line each, without launchsite.
fn reference(out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    launchsite::set_parts(Parts::NONE);
    // Before there is a context, as its manual asks.
    let cupti = cupti::Cupti::start()?;
    let gpu = Gpu::open()?;
    let stream = gpu.context.new_stream()?;
    for (name, kernel) in KERNELS {
        gpu.busy(&stream, kernel)?;
        let times = cupti.take()?.into_iter().filter(|(blocks, _)| *blocks == MEASURED.grid_dim.0).map(|(_, ns)| ns);
        let times: Vec<u64> = times.collect();
        writeln!(out, "{name}\t{}\t{:.3}", times.len(), Seen::mean(times.into_iter()))?;
    }
    Ok(())
}

/// What `--cupti` prints, by the kernel's name; nothing where there is no CUPTI.
fn by_cupti() -> Result<BTreeMap<String, f64>, Box<dyn Error>> {
    let run = std::process::Command::new(std::env::current_exe()?).arg("--cupti").output()?;
    io::stderr().write_all(&run.stderr)?;
    let text = String::from_utf8(run.stdout)?;
    let mean = |line: &str| Some((line.split('\t').next()?.to_owned(), line.split('\t').nth(2)?.parse().ok()?));
    Ok(text.lines().filter_map(mean).collect())
}

fn kernels(out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let reference = by_cupti()?;
    let gpu = Gpu::open()?;
    // SAFETY: no buffer is used on two streams.
    unsafe { gpu.context.disable_event_tracking() };
    let stream = gpu.context.new_stream()?;
    writeln!(out, "kernels on a busy stream, {} each; means in us\n", BATCH * BATCHES)?;
    writeln!(
        out,
        "{:<8}{:>10}{:>12}{:>14}{:>10}{:>12}",
        "kernel", "raw", "calibrated", "calibrated %", "CUPTI", "difference"
    )?;
    for (name, kernel) in KERNELS {
        gpu.busy(&stream, kernel)?;
        let seen = Seen::take()?;
        let raw = Seen::mean(seen.0.iter().map(|time| time.raw_duration_ns));
        let own =
            Seen::mean(seen.calibrated().into_iter().map(|time| time.duration_ns).collect::<Vec<_>>().into_iter());
        let cupti = reference.get(name).copied().unwrap_or(f64::NAN);
        let (share, off) = (seen.share(), own - cupti);
        writeln!(out, "{name:<8}{raw:>10.3}{own:>12.3}{share:>14.1}{cupti:>10.3}{off:>12.3}  {}", seen.reasons())?;
    }
    Ok(())
}

fn streams(out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let gpu = Gpu::open()?;
    // SAFETY: as above.
    unsafe { gpu.context.disable_event_tracking() };
    let kernel = Kernel::Spin(5_000);
    let stream = gpu.context.new_stream()?;
    writeln!(out, "\nkernels of 5 us where the constant does not hold; means in us\n")?;
    let mut row = |name: &str| -> Result<(), Box<dyn Error>> {
        let seen = Seen::take()?;
        let (raw, share) = (Seen::mean(seen.0.iter().map(|time| time.raw_duration_ns)), seen.share());
        let calibrated = seen.calibrated();
        writeln!(out, "{name:<16}{:>8}{raw:>10.3}{share:>10.2} % calibrated  {}", seen.0.len(), seen.reasons())?;
        if !calibrated.is_empty() {
            let raw = Seen::mean(calibrated.iter().map(|time| time.raw_duration_ns));
            writeln!(out, "{:>40}{} raw, mean of those {raw:.3}", "", calibrated.len())?;
        }
        Ok(())
    };
    for _ in 0..1000 {
        gpu.launch(&stream, kernel)?;
        stream.synchronize()?;
    }
    row("idle")?;
    for round in 1..=LOOPS {
        for _ in 0..2000 {
            gpu.launch(&stream, Kernel::Empty)?;
        }
        row(&format!("launch-bound, {round}"))?;
    }
    let streams = (0..4).map(|_| gpu.context.new_stream()).collect::<Result<Vec<_>, _>>()?;
    for _ in 0..BATCHES {
        streams.iter().try_for_each(|stream| gpu.hold(stream, 5))?;
        for _ in 0..BATCH {
            streams.iter().try_for_each(|stream| gpu.launch(stream, kernel))?;
        }
        streams.iter().try_for_each(|stream| stream.synchronize())?;
    }
    row("4 streams")?;
    drop(streams);

    // A context that keeps track of what its streams do with buffers.
    let gpu = Gpu::open()?;
    let (one, two) = (gpu.context.new_stream()?, gpu.context.new_stream()?);
    let mut x = one.alloc_zeros::<f32>(2)?;
    for _ in 0..1000 {
        gpu.hold(&one, 1)?;
        gpu.launch_on(&one, &mut x)?;
        gpu.launch_on(&two, &mut x)?;
        two.synchronize()?;
    }
    row("waiting stream")
}
