//! Launches of one thread, and of eight threads on eight streams.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use launchsite::Parts;
use launchsite_benches::forms::{bare, named};
use launchsite_benches::pairs::ByHand;
use launchsite_benches::rounds::median;
use launchsite_benches::table::{Bars, row, title};
use launchsite_benches::{Failure, Gpu};

const THREADS: usize = 8;
const ROUNDS: usize = 15;
const LAUNCHES: u32 = 10_000;

/// What is launched how, by how many threads.
const WAYS: [&str; 3] = ["bare", "pair by hand, read back", "launchsite, nvtx,time"];
const COUNTS: [usize; 2] = [1, THREADS];

/// What the threads are told, and where they meet before and behind each turn.
struct Turn {
    way: AtomicUsize,
    threads: AtomicUsize,
    over: AtomicBool,
    failed: AtomicBool,
    meet: Barrier,
}

fn launches(way: usize, gpu: &Gpu, pairs: &ByHand) -> Result<(), Failure> {
    for _ in 0..LAUNCHES {
        match way {
            0 => bare::chain(gpu)?,
            1 => pairs.around(&gpu.stream, || bare::chain(gpu))?,
            _ => named::chain(gpu)?,
        }
    }
    Ok(())
}

fn work(index: usize, turn: &Turn, gpu: &Gpu, pairs: &ByHand) {
    loop {
        turn.meet.wait();
        if turn.over.load(Ordering::Relaxed) {
            return;
        }
        let ours = index < turn.threads.load(Ordering::Relaxed);
        if ours && launches(turn.way.load(Ordering::Relaxed), gpu, pairs).is_err() {
            turn.failed.store(true, Ordering::Relaxed);
        }
        turn.meet.wait();
    }
}

/// Launches a second in one turn.
fn rate(turn: &Turn, way: usize, threads: usize, gpus: &[(Gpu, ByHand)]) -> Result<f64, Failure> {
    for (gpu, _) in gpus {
        gpu.stream.synchronize()?;
    }
    launchsite::set_parts(if way == 2 { Parts::ON } else { Parts::NONE });
    launchsite::flush(Duration::from_secs(10))?;
    turn.way.store(way, Ordering::Relaxed);
    turn.threads.store(threads, Ordering::Relaxed);
    turn.meet.wait();
    let began = Instant::now();
    turn.meet.wait();
    let launched = f64::from(LAUNCHES) * f64::from(u32::try_from(threads)?);
    Ok(launched / began.elapsed().as_secs_f64())
}

pub(crate) fn run(bars: &mut Bars) -> Result<(), Failure> {
    let first = Gpu::new()?;
    let context = &first.context;
    let gpus = (0..THREADS).map(|_| Ok((Gpu::in_context(context.clone())?, ByHand::new(context)?)));
    let gpus: Vec<_> = gpus.collect::<Result<_, Failure>>()?;
    let turn = Turn {
        way: AtomicUsize::new(0),
        threads: AtomicUsize::new(0),
        over: AtomicBool::new(false),
        failed: AtomicBool::new(false),
        meet: Barrier::new(THREADS + 1),
    };
    let mut rates: [[Vec<f64>; 2]; 3] = Default::default();
    let done = thread::scope(|scope| {
        for (index, (gpu, pairs)) in gpus.iter().enumerate() {
            let turn = &turn;
            scope.spawn(move || work(index, turn, gpu, pairs));
        }
        let done = turns(&turn, &gpus, &mut rates);
        turn.over.store(true, Ordering::Relaxed);
        turn.meet.wait();
        done
    });
    done?;
    if turn.failed.load(Ordering::Relaxed) {
        return Err("a launch failed".into());
    }
    title("Launches a second", &["one thread", "eight threads", "scaling", "/ bare's"]);
    let scaling = |way: &[Vec<f64>; 2]| {
        let [one, eight] = way;
        median(one.iter().zip(eight).map(|(one, eight)| eight / one).collect())
    };
    let [plain, _, ours] = &rates;
    for (name, way) in WAYS.iter().zip(&rates) {
        let [one, eight] = way;
        let figures = [median(one.clone()), median(eight.clone()), scaling(way), scaling(way) / scaling(plain)];
        row(name, &figures.map(|figure| format!("{figure:.3}")));
    }
    bars.at_least("6  scaling with nvtx,time / bare's", scaling(ours) / scaling(plain), 0.95);
    Ok(())
}

/// Each way with one thread and with all, in turn; the first round warms up.
fn turns(turn: &Turn, gpus: &[(Gpu, ByHand)], rates: &mut [[Vec<f64>; 2]; 3]) -> Result<(), Failure> {
    for round in 0..=ROUNDS {
        for (way, rates) in rates.iter_mut().enumerate() {
            for (threads, rates) in COUNTS.into_iter().zip(rates) {
                let rate = rate(turn, way, threads, gpus)?;
                if round > 0 {
                    rates.push(rate);
                }
            }
        }
    }
    Ok(())
}
