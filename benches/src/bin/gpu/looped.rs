//! An empty kernel in a launch-bound loop.

use std::time::Duration;

use launchsite::Parts;
use launchsite_benches::forms::{Form, bare, named};
use launchsite_benches::pairs::ByHand;
use launchsite_benches::rounds::{Rounds, Way};
use launchsite_benches::table::{Bars, row, say, title};
use launchsite_benches::{Failure, Gpu, peers, ways};

use crate::cupti;

const ROUNDS: u32 = 25;
const LAUNCHES: u32 = 10_000;

pub(crate) fn with_parts(gpu: &Gpu, parts: Parts, form: Form) -> Way<'_> {
    let mut way = ways::repeated(gpu, form);
    Box::new(move |times| {
        launchsite::set_parts(parts);
        way(times)
    })
}

pub(crate) fn by_hand<'w>(gpu: &'w Gpu, pairs: &'w ByHand) -> Way<'w> {
    Box::new(move |times| {
        for _ in 0..times {
            pairs.around(&gpu.stream, || bare::chain(gpu))?;
        }
        Ok(())
    })
}

/// cudarc's own events, read when all are there: reading one waits for it.
fn cudarcs(gpu: &Gpu) -> Way<'_> {
    Box::new(move |times| {
        let events: Vec<_> = (0..times).map(|_| peers::record_kernel_launch(gpu)).collect::<Result<_, _>>()?;
        for (start, stop) in events.iter().flatten() {
            start.elapsed_ms(stop)?;
        }
        Ok(())
    })
}

/// Nothing of one turn is left when the next begins.
fn settled(gpu: &Gpu) -> Result<(), Failure> {
    gpu.stream.synchronize()?;
    Ok(launchsite::flush(Duration::from_secs(10))?)
}

fn measured(gpu: &Gpu, heading: &str, all: &mut [(&str, Way<'_>)], rounds: u32) -> Result<Rounds, Failure> {
    let rounds = Rounds::run(all, rounds, LAUNCHES, || settled(gpu))?;
    title(heading, &["ns a launch", "/ bare", "/ pair"]);
    let pair = rounds.names().iter().position(|name| name.starts_with("pair"));
    for (way, name) in rounds.names().iter().enumerate() {
        let to_pair = pair.map_or(f64::NAN, |pair| rounds.ratio(way, pair));
        row(
            name,
            &[format!("{:.0}", rounds.time(way)), format!("{:.3}", rounds.ratio(way, 0)), format!("{to_pair:.3}")],
        );
    }
    Ok(rounds)
}

pub(crate) fn run(bars: &mut Bars) -> Result<(), Failure> {
    let gpu = &Gpu::new()?;
    let pairs = &ByHand::new(&gpu.context)?;
    let mut all = [
        ("bare", ways::repeated(gpu, bare::chain)),
        ("pair by hand, read back", by_hand(gpu, pairs)),
        ("launchsite, all parts off", with_parts(gpu, Parts::NONE, named::chain)),
        ("launchsite, nvtx, no profiler", with_parts(gpu, Parts::NVTX, named::chain)),
        ("launchsite, nvtx,time", with_parts(gpu, Parts::ON, named::chain)),
        ("the same, the builder in a local", with_parts(gpu, Parts::ON, named::local)),
        ("cudarc's record_kernel_launch, elapsed_ms", cudarcs(gpu)),
    ];
    let rounds = measured(gpu, "An empty kernel in a launch-bound loop", &mut all, ROUNDS)?;
    bars.at_most("5  nvtx,time / pair by hand", rounds.ratio(4, 1), 1.08);
    bars.at_most("5  nvtx,time / cudarc's own events", rounds.ratio(4, 6), 1.0);
    Ok(())
}

/// Run with a budget in the environment.
pub(crate) fn budget(_: &mut Bars) -> Result<(), Failure> {
    let gpu = &Gpu::new()?;
    let pairs = &ByHand::new(&gpu.context)?;
    let mut all = [
        ("bare", ways::repeated(gpu, bare::chain)),
        ("pair by hand, read back", by_hand(gpu, pairs)),
        ("launchsite, nvtx,time, LAUNCHSITE_BUDGET=1%", with_parts(gpu, Parts::ON, named::chain)),
    ];
    measured(gpu, "The same loop with a budget", &mut all, ROUNDS).map(|_| ())
}

/// CUPTI beside it: it stays in a process that it was in.
pub(crate) fn activity(_: &mut Bars) -> Result<(), Failure> {
    let Some(cupti) = cupti::Activity::new() else {
        say("\nno libcupti on the library path: nothing to compare with");
        return Ok(());
    };
    let gpu = &Gpu::new()?;
    let mut traced = ways::repeated(gpu, bare::chain);
    let mut all: [(&str, Way<'_>); 2] = [
        ("bare", ways::repeated(gpu, bare::chain)),
        ("CUPTI kernel activity", Box::new(|times| cupti.around(|| traced(times)))),
    ];
    measured(gpu, "The same loop with CUPTI", &mut all, ROUNDS)?;
    say(format_args!("{} kernels recorded", cupti.kernels()));
    Ok(())
}
