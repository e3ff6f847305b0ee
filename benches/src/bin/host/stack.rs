//! Names from the call stack, four frames up: the launching function, two of its library, and the program's own.

use std::hint::black_box;
use std::time::Instant;

use cudarc::driver::DriverError;
use launchsite::Parts;
use launchsite_benches::forms::named;
use launchsite_benches::rounds::Rounds;
use launchsite_benches::table::{Bars, row, title};
use launchsite_benches::{Failure, Gpu, deep, ways};

use super::times::{LAUNCHES, ROUNDS};

/// What the launches are named after.
#[inline(never)]
fn fourth(gpu: &Gpu) -> Result<(), DriverError> {
    black_box(deep::third(black_box(gpu)))
}

/// The same work, and named after its own place: a function of the program's own that launches has no need of its stack.
#[inline(never)]
fn own(gpu: &Gpu) -> Result<(), DriverError> {
    black_box(named::chain(black_box(gpu)))
}

/// Whether the program is built with frame pointers, as its first lines were told.
const BY_FRAME_POINTERS: bool = option_env!("LAUNCHSITE_BENCH_FRAME_POINTERS").is_some();

pub(super) fn run(bars: &mut Bars) -> Result<(), Failure> {
    let gpu = &Gpu::new()?;
    launchsite::set_parts(Parts::NVTX);
    own(gpu)?;
    let began = Instant::now();
    fourth(gpu)?;
    let first = began.elapsed();
    let began = Instant::now();
    deep::third(gpu)?;
    let next = began.elapsed();
    let mut all = [("own", ways::repeated(gpu, own)), ("stack", ways::repeated(gpu, fourth))];
    let rounds = Rounds::run(&mut all, ROUNDS, LAUNCHES, || Ok(()))?;
    title("Names from the stack, four frames up", &["ns own name", "stack, ns more", "us the first", "us another"]);
    let figures = [rounds.time(0), rounds.more(1, 0), first.as_secs_f64() * 1e6, next.as_secs_f64() * 1e6];
    row(
        if BY_FRAME_POINTERS { "with frame pointers" } else { "without" },
        &figures.map(|figure| format!("{figure:.1}")),
    );
    let (bar, what) = if BY_FRAME_POINTERS { (150.0, "with frame pointers") } else { (2000.0, "by unwinding") };
    bars.at_most(&format!("12 a cached name from the stack {what}, ns more"), rounds.more(1, 0), bar);
    Ok(())
}
