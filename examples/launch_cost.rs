//! What a launch costs with launchsite, beside what it costs by hand: an empty kernel in a launch-bound loop, on a GPU.
//!
//! ```sh
//! cargo run --release -p launchsite-examples --example launch_cost
//! ```
//!
//! Each round measures every way once, in turn, and the ratios are taken within a round: a machine's clock drifts by more
//! than what is looked for.

#![expect(unsafe_code, reason = "cudarc's launches are unsafe: only the caller knows what a kernel takes")]

use std::error::Error;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use cudarc::driver::{CudaContext, CudaFunction, CudaStream, DriverError, LaunchConfig, PushKernelArg, result, sys};
use cudarc::nvrtc::Ptx;
use launchsite::{Parts, gpu_kernel};

const PTX: &str = include_str!("kernels/quickstart.ptx");
const ROUNDS: usize = 25;
const LAUNCHES: u32 = 10_000;
/// As many as launchsite keeps for a thread.
const PAIRS: usize = 4096;

struct Gpu {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    spin: CudaFunction,
}

const ONE: LaunchConfig = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (1, 1, 1), shared_mem_bytes: 0 };

#[inline(never)]
fn bare(gpu: &Gpu) -> Result<(), DriverError> {
    // SAFETY: the kernel takes one u64: for how long it spins.
    unsafe { gpu.stream.launch_builder(&gpu.spin).arg(&0_u64).launch(ONE) }?;
    Ok(())
}

#[inline(never)]
#[gpu_kernel]
fn annotated(gpu: &Gpu) -> Result<(), DriverError> {
    // SAFETY: as above.
    unsafe { gpu.stream.launch_builder(&gpu.spin).arg(&0_u64).launch(ONE) }?;
    Ok(())
}

#[inline(never)]
#[gpu_kernel]
fn annotated_local(gpu: &Gpu) -> Result<(), DriverError> {
    let mut builder = gpu.stream.launch_builder(&gpu.spin);
    builder.arg(&0_u64);
    // SAFETY: as above.
    unsafe { builder.launch(ONE) }?;
    Ok(())
}

/// Record, launch, record, by hand: pooled events, and a thread that reads them every 20 ms.
struct ByHand {
    shared: Arc<Shared>,
    reader: JoinHandle<()>,
}

struct Shared {
    events: Vec<usize>,
    recorded: AtomicUsize,
    read: AtomicUsize,
    over: AtomicBool,
}

impl Shared {
    fn pair(&self, index: usize) -> (sys::CUevent, sys::CUevent) {
        let event = |at: usize| self.events.get(at).map_or(std::ptr::null_mut(), |&event| event as sys::CUevent);
        let first = index % PAIRS * 2;
        (event(first), event(first + 1))
    }

    fn read(&self) {
        let mut index = self.read.load(Ordering::Relaxed);
        while index < self.recorded.load(Ordering::Acquire) {
            let (start, stop) = self.pair(index);
            // SAFETY: events that are never destroyed, and have been recorded.
            if unsafe { result::event::elapsed(start, stop) }.is_err() {
                return;
            }
            index += 1;
            self.read.store(index, Ordering::Release);
        }
    }
}

impl ByHand {
    fn new(context: &Arc<CudaContext>) -> Result<Self, DriverError> {
        let event = |_| result::event::create(sys::CUevent_flags::CU_EVENT_DEFAULT).map(|event| event as usize);
        let shared = Arc::new(Shared {
            events: (0..2 * PAIRS).map(event).collect::<Result<_, _>>()?,
            recorded: AtomicUsize::new(0),
            read: AtomicUsize::new(0),
            over: AtomicBool::new(false),
        });
        let (context, reading) = (Arc::clone(context), Arc::clone(&shared));
        let reader = std::thread::spawn(move || {
            let bound = context.bind_to_thread().is_ok();
            while bound && !reading.over.load(Ordering::Relaxed) {
                reading.read();
                std::thread::park_timeout(Duration::from_millis(20));
            }
        });
        Ok(Self { shared, reader })
    }

    fn launch(&self, gpu: &Gpu) -> Result<(), DriverError> {
        let index = self.shared.recorded.load(Ordering::Relaxed);
        let waiting = || index - self.shared.read.load(Ordering::Acquire);
        if waiting() == PAIRS / 2 {
            self.reader.thread().unpark();
        }
        while waiting() >= PAIRS {
            std::thread::yield_now();
        }
        let (start, stop) = self.shared.pair(index);
        // SAFETY: an event that is never destroyed, and a stream that is alive.
        unsafe { result::event::record(start, gpu.stream.cu_stream()) }?;
        bare(gpu)?;
        // SAFETY: as above.
        unsafe { result::event::record(stop, gpu.stream.cu_stream()) }?;
        self.shared.recorded.store(index + 1, Ordering::Release);
        Ok(())
    }

    fn finish(self) {
        self.shared.over.store(true, Ordering::Relaxed);
        self.reader.thread().unpark();
        // A reader that panicked has said so.
        let _ = self.reader.join();
    }
}

fn time(gpu: &Gpu, launch: impl Fn(&Gpu) -> Result<(), DriverError>) -> Result<f64, Box<dyn Error>> {
    gpu.stream.synchronize()?;
    launchsite::flush(Duration::from_secs(5))?;
    let began = Instant::now();
    for _ in 0..LAUNCHES {
        launch(gpu)?;
    }
    Ok(began.elapsed().as_secs_f64() * 1e9 / f64::from(LAUNCHES))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = io::stdout();
    // SAFETY: it only opens the driver's library and closes it again.
    if !unsafe { sys::is_culib_present() } {
        writeln!(out, "there is no CUDA driver on this machine: nothing to measure")?;
        return Ok(());
    }
    let context = CudaContext::new(0)?;
    let module = context.load_module(Ptx::from_src(PTX))?;
    let gpu = Gpu { stream: context.new_stream()?, spin: module.load_function("spin")?, context };
    let by_hand = ByHand::new(&gpu.context)?;

    let names = ["bare", "pair by hand, read back", "all parts off", "nvtx", "time", "time, builder in a local"];
    let mut rounds: [Vec<f64>; 6] = Default::default();
    for _ in 0..ROUNDS {
        let annotated_with = |parts: Parts| {
            launchsite::set_parts(parts);
            annotated
        };
        launchsite::set_parts(Parts::NONE);
        let times = [
            time(&gpu, bare)?,
            time(&gpu, |gpu| by_hand.launch(gpu))?,
            time(&gpu, annotated_with(Parts::NONE))?,
            time(&gpu, annotated_with(Parts::NVTX))?,
            time(&gpu, annotated_with(Parts::TIME))?,
            time(&gpu, annotated_local)?,
        ];
        for (all, time) in rounds.iter_mut().zip(times) {
            all.push(time);
        }
    }
    by_hand.finish();

    writeln!(out, "{ROUNDS} rounds of {LAUNCHES} launches; medians, ratios taken within a round")?;
    writeln!(out, "{:<28}{:>12}{:>10}{:>10}", "", "ns a launch", "/ bare", "/ pair")?;
    let [bare, pair, ..] = &rounds;
    for (name, times) in names.iter().zip(&rounds) {
        let to = |other: &[f64]| median(times.iter().zip(other).map(|(time, other)| time / other).collect());
        writeln!(out, "{name:<28}{:>12.0}{:>10.3}{:>10.3}", median(times.clone()), to(bare), to(pair))?;
    }
    Ok(())
}
