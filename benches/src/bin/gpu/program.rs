//! A step of a program that keeps the GPU busy.

use std::time::Duration;

use launchsite::Parts;
use launchsite_benches::Failure;
use launchsite_benches::pairs::ByHand;
use launchsite_benches::rounds::{Rounds, Way};
use launchsite_benches::table::{Bars, row, say, title};

use crate::cupti;
use crate::model::{Model, Ops, bare, named};

const ROUNDS: u32 = 60;
const STEPS: u32 = 4;

fn steps<'w>(model: &'w Model, ops: &'w Ops, parts: Parts) -> Way<'w> {
    Box::new(move |times| {
        launchsite::set_parts(parts);
        for _ in 0..times {
            model.step(ops, |op, elements| op(model, elements))?;
        }
        Ok(())
    })
}

fn by_hand<'w>(model: &'w Model, pairs: &'w ByHand) -> Way<'w> {
    Box::new(move |times| {
        for _ in 0..times {
            model.step(&bare::OPS, |op, elements| pairs.around(&model.stream, || op(model, elements)))?;
        }
        Ok(())
    })
}

fn measured(heading: &str, all: &mut [(&str, Way<'_>)]) -> Result<Rounds, Failure> {
    let rounds = Rounds::run(all, ROUNDS, STEPS, || Ok(launchsite::flush(Duration::from_secs(10))?))?;
    title(heading, &["us a step", "/ bare"]);
    for (way, name) in rounds.names().iter().enumerate() {
        row(name, &[format!("{:.1}", rounds.time(way) / 1e3), format!("{:.4}", rounds.ratio(way, 0))]);
    }
    Ok(rounds)
}

pub(crate) fn run(bars: &mut Bars) -> Result<(), Failure> {
    let model = &Model::new()?;
    let pairs = &ByHand::new(&model.context)?;
    let mut all = [
        ("bare", steps(model, &bare::OPS, Parts::NONE)),
        ("pair by hand, read back", by_hand(model, pairs)),
        ("launchsite, all parts off", steps(model, &named::OPS, Parts::NONE)),
        ("launchsite, nvtx, no profiler", steps(model, &named::OPS, Parts::NVTX)),
        ("launchsite, nvtx,time", steps(model, &named::OPS, Parts::ON)),
    ];
    let rounds = measured("A step of 240 launches of 5 to 50 us", &mut all)?;
    bars.at_most("9  nvtx / bare", rounds.ratio(3, 0), 1.005);
    bars.at_most("9  nvtx,time / pair by hand", rounds.ratio(4, 1), 1.05);
    Ok(())
}

/// Run with a budget in the environment.
pub(crate) fn budget(bars: &mut Bars) -> Result<(), Failure> {
    let model = &Model::new()?;
    let mut all = [
        ("bare", steps(model, &bare::OPS, Parts::NONE)),
        ("launchsite, nvtx,time, LAUNCHSITE_BUDGET=1%", steps(model, &named::OPS, Parts::ON)),
    ];
    let rounds = measured("The same step with a budget", &mut all)?;
    bars.at_most("9  LAUNCHSITE_BUDGET=1% / bare", rounds.ratio(1, 0), 1.015);
    Ok(())
}

/// CUPTI beside it: it stays in a process that it was in.
pub(crate) fn activity(_: &mut Bars) -> Result<(), Failure> {
    let Some(cupti) = cupti::Activity::new() else {
        say("\nno libcupti on the library path: nothing to compare with");
        return Ok(());
    };
    let model = &Model::new()?;
    let mut traced = steps(model, &bare::OPS, Parts::NONE);
    let mut all: [(&str, Way<'_>); 2] = [
        ("bare", steps(model, &bare::OPS, Parts::NONE)),
        ("CUPTI kernel activity", Box::new(|times| cupti.around(|| traced(times)))),
    ];
    measured("The same step with CUPTI", &mut all)?;
    say(format_args!("{} kernels recorded", cupti.kernels()));
    Ok(())
}
