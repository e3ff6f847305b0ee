//! Without a profiler: all parts off, `nvtx`, and what else could stand there.

use launchsite::Parts;
use launchsite_benches::forms::{FORMS, Form};
use launchsite_benches::rounds::{Rounds, Way};
use launchsite_benches::table::{Bars, row, title};
use launchsite_benches::{Failure, Gpu, peers, ways};

/// Short turns: whatever else the machine does falls into few of them.
pub(super) const ROUNDS: u32 = 1500;
pub(super) const LAUNCHES: u32 = 1000;

fn with_parts(gpu: &Gpu, parts: Parts, form: Form) -> Way<'_> {
    let mut way = ways::repeated(gpu, form);
    Box::new(move |times| {
        launchsite::set_parts(parts);
        way(times)
    })
}

pub(super) fn run(bars: &mut Bars) -> Result<(), Failure> {
    let gpu = &Gpu::new()?;
    title("All parts off, and nvtx without a profiler", &["ns bare", "off, ns more", "nvtx, ns more", "off / bare"]);
    let mut worst = [0.0_f64; 2];
    for (name, bare, named) in FORMS {
        let mut all = [
            ("bare", ways::repeated(gpu, bare)),
            ("off", with_parts(gpu, Parts::NONE, named)),
            ("nvtx", with_parts(gpu, Parts::NVTX, named)),
        ];
        let rounds = Rounds::run(&mut all, ROUNDS, LAUNCHES, || Ok(()))?;
        let more = [rounds.more(1, 0), rounds.more(2, 0)];
        let figures = [rounds.time(0), more[0], more[1], rounds.ratio(1, 0)];
        row(name, &figures.map(|figure| format!("{figure:.2}")));
        // A scope is a function more, which is not of the launch.
        if name != "scope" {
            worst = [worst[0].max(more[0]), worst[1].max(more[1])];
        }
    }
    peers_off(gpu)?;
    bars.at_most("2  all parts off, ns more for a launch, the worst form", worst[0], 1.0);
    bars.at_most("3  nvtx without a profiler, ns more, the worst form", worst[1], 3.0);
    Ok(())
}

/// Peers that are built in and have nobody to tell.
fn peers_off(gpu: &Gpu) -> Result<(), Failure> {
    launchsite::set_parts(Parts::NONE);
    puffin::set_scopes_on(false);
    let [(_, bare, named), ..] = FORMS;
    let mut all = vec![
        ("bare", ways::repeated(gpu, bare)),
        ("launchsite, all parts off", ways::repeated(gpu, named)),
        ("tracing::instrument, no subscriber", ways::repeated(gpu, peers::tracing_instrument)),
        ("fastrace::trace, no parent", ways::repeated(gpu, peers::fastrace_trace)),
        ("puffin, scopes off", ways::repeated(gpu, peers::puffin_scope)),
    ];
    #[cfg(feature = "tracy")]
    let _client = tracy_client::Client::start();
    #[cfg(feature = "tracy")]
    all.push(("tracy-client, no viewer", ways::repeated(gpu, peers::tracy_span)));
    #[cfg(feature = "nvtx")]
    all.push(("the nvtx crate, no profiler", super::ranges::in_range(gpu)));
    table("Names, and nobody to tell them to", &mut all)
}

/// Runs the ways, the first of which is bare, and shows what each takes more.
pub(super) fn table(heading: &str, all: &mut [(&str, Way<'_>)]) -> Result<(), Failure> {
    let rounds = Rounds::run(all, ROUNDS, LAUNCHES, || Ok(()))?;
    title(heading, &["ns a launch", "ns more", "/ bare", "/ launchsite"]);
    for (way, name) in rounds.names().iter().enumerate() {
        let figures = [rounds.time(way), rounds.more(way, 0), rounds.ratio(way, 0), rounds.ratio(way, 1)];
        row(name, &figures.map(|figure| format!("{figure:.2}")));
    }
    Ok(())
}
