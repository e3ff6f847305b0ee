//! How many launches one core reads, formats and writes in a second, and whether memory stays as it is.

use std::fs;
use std::time::Duration;

use launchsite_benches::forms::named;
use launchsite_benches::table::{Bars, row, title};
use launchsite_benches::{Failure, Gpu};

/// What a thread can launch before the collector has to look; then it is waited for, so that nothing is lost.
const BATCH: u32 = 2000;
const BATCHES: u32 = 250;
/// Batches ahead of the first look at the memory: by then everything has its size.
const WARM: u32 = 25;

pub(super) fn run(bars: &mut Bars) -> Result<(), Failure> {
    let gpu = Gpu::new()?;
    batches(&gpu, WARM)?;
    let (memory, before) = (resident()?, collector_time()?);
    batches(&gpu, BATCHES)?;
    let spent = collector_time()?.saturating_sub(before).as_secs_f64();
    let launches = f64::from(BATCH * BATCHES);
    let (rate, grown) = (launches / spent, resident()? / memory);
    title("The collector and JSON lines", &["launches", "ns each", "a second", "memory grown"]);
    row("one core", &[launches, spent * 1e9 / launches, rate, grown].map(|figure| format!("{figure:.3}")));
    bars.at_least("8  launches a second read, formatted and written", rate, 1e6);
    bars.at_most("8  memory behind 500,000 launches more, to before", grown, 1.05);
    Ok(())
}

fn batches(gpu: &Gpu, count: u32) -> Result<(), Failure> {
    for _ in 0..count {
        for _ in 0..BATCH {
            named::chain(gpu)?;
        }
        launchsite::flush(Duration::from_secs(30))?;
    }
    Ok(())
}

/// How long the collector's thread has been running: the first field of `schedstat` (proc(5)).
fn collector_time() -> Result<Duration, Failure> {
    for task in fs::read_dir("/proc/self/task")? {
        let task = task?.path();
        if fs::read_to_string(task.join("comm"))?.trim_end() == "launchsite" {
            let text = fs::read_to_string(task.join("schedstat"))?;
            let ns = text.split_whitespace().next().ok_or("no time")?.parse()?;
            return Ok(Duration::from_nanos(ns));
        }
    }
    Err("launchsite has no thread".into())
}

/// Pages in memory: the second field of `statm` (proc(5)).
fn resident() -> Result<f64, Failure> {
    let text = fs::read_to_string("/proc/self/statm")?;
    Ok(text.split_whitespace().nth(1).ok_or("no size")?.parse()?)
}
