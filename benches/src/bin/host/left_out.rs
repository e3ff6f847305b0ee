//! A launch that a budget leaves out: it is counted, and that is all.

use launchsite::Parts;
use launchsite_benches::forms::FORMS;
use launchsite_benches::rounds::Rounds;
use launchsite_benches::table::{Bars, row, title};
use launchsite_benches::{Failure, Gpu, ways};

use super::times::{LAUNCHES, ROUNDS};

pub(super) fn run(_: &mut Bars) -> Result<(), Failure> {
    let gpu = &Gpu::new()?;
    launchsite::set_parts(Parts::TIME);
    title("A launch that a budget leaves out", &["ns bare", "left out, ns more"]);
    for (name, bare, named) in FORMS.into_iter().filter(|(name, ..)| *name != "scope") {
        let mut all = [("bare", ways::repeated(gpu, bare)), ("left out", ways::repeated(gpu, named))];
        let rounds = Rounds::run(&mut all, ROUNDS, LAUNCHES, || Ok(()))?;
        row(name, &[rounds.time(0), rounds.more(1, 0)].map(|figure| format!("{figure:.2}")));
    }
    Ok(())
}
