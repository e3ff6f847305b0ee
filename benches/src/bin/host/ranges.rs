//! With a profiler that does nothing, and others with somebody to tell.

use fastrace::collector::{Config, Reporter, SpanContext, SpanRecord};
use launchsite::Parts;
use launchsite_benches::forms::FORMS;
use launchsite_benches::rounds::{Rounds, Way};
use launchsite_benches::table::{Bars, row, title};
use launchsite_benches::{Failure, Gpu, peers, range, ways};
#[cfg(feature = "nvtx")]
use tracing_subscriber::layer::SubscriberExt as _;

use super::times::{LAUNCHES, ROUNDS, table};

pub(super) fn run(bars: &mut Bars) -> Result<(), Failure> {
    let gpu = &Gpu::new()?;
    let tool = std::env::var_os("NVTX_INJECTION64_PATH").ok_or("no NVTX_INJECTION64_PATH")?;
    if !range::load(&tool) {
        return Err("the profiler's library does not load".into());
    }
    launchsite::set_parts(Parts::NVTX);
    in_c(gpu, bars)?;
    peers_on(gpu)
}

/// Launchsite's ranges beside those that are pushed and popped in C, of a registered string each.
fn in_c(gpu: &Gpu, bars: &mut Bars) -> Result<(), Failure> {
    title("A profiler that does nothing", &["ns bare", "C, ns more", "ours, ns more", "ours / C"]);
    let (mut ratio, mut plain, mut caller) = (0.0_f64, f64::NAN, f64::NAN);
    for (name, bare, named) in FORMS {
        let mut all =
            [("bare", ways::repeated(gpu, bare)), ("C", ways::ranged(gpu, bare)), ("ours", ways::repeated(gpu, named))];
        let rounds = Rounds::run(&mut all, ROUNDS, LAUNCHES, || Ok(()))?;
        let more = rounds.more(2, 0);
        let figures = [rounds.time(0), rounds.more(1, 0), more, rounds.ratio(2, 1)];
        row(name, &figures.map(|figure| format!("{figure:.2}")));
        match name {
            "chain" => plain = more,
            "caller" => caller = more,
            _ => {}
        }
        ratio = ratio.max(rounds.ratio(2, 1));
    }
    bars.at_most("4  a launch in our range / in C's, the worst form", ratio, 1.1);
    bars.at_most("7  caller, ns more than the launch's own name", caller - plain, 10.0);
    Ok(())
}

/// A launch in a range of the `nvtx` crate.
#[cfg(feature = "nvtx")]
pub(super) fn in_range(gpu: &Gpu) -> Way<'_> {
    let range = peers::NvtxCrate::default();
    Box::new(move |times| {
        for _ in 0..times {
            range.launch(gpu)?;
        }
        Ok(())
    })
}

/// Throws away what it is told.
struct Nobody;

impl Reporter for Nobody {
    fn report(&mut self, _: Vec<SpanRecord>) {}
}

/// Each peer told to somebody, who does as little as can be.
fn peers_on(gpu: &Gpu) -> Result<(), Failure> {
    fastrace::set_reporter(Nobody, Config::default());
    puffin::set_scopes_on(true);
    let [(_, bare, named), ..] = FORMS;
    let mut traced = ways::repeated(gpu, peers::fastrace_trace);
    let mut scoped = ways::repeated(gpu, peers::puffin_scope);
    let mut all: Vec<(&str, Way<'_>)> = vec![
        ("bare", ways::repeated(gpu, bare)),
        ("launchsite, nvtx", ways::repeated(gpu, named)),
        ("a range in C", ways::ranged(gpu, bare)),
        ("tracing::instrument, a registry", subscribed(tracing_subscriber::registry(), gpu)),
        (
            "fastrace::trace, a reporter",
            Box::new(move |times| {
                let root = fastrace::Span::root("turn", SpanContext::random());
                let _parent = root.set_local_parent();
                traced(times)
            }),
        ),
        (
            "puffin, scopes on",
            Box::new(move |times| {
                puffin::GlobalProfiler::lock().new_frame();
                scoped(times)
            }),
        ),
    ];
    #[cfg(feature = "nvtx")]
    {
        let layer = nvtx::tracing::NvtxLayer::default();
        all.push(("tracing::instrument, NvtxLayer", subscribed(tracing_subscriber::registry().with(layer), gpu)));
        all.push(("the nvtx crate", in_range(gpu)));
    }
    table("Names, and somebody to tell them to", &mut all)
}

fn subscribed(subscriber: impl tracing::Subscriber + Send + Sync + 'static, gpu: &Gpu) -> Way<'_> {
    let dispatch = tracing::Dispatch::new(subscriber);
    let mut way = ways::repeated(gpu, peers::tracing_instrument);
    Box::new(move |times| tracing::dispatcher::with_default(&dispatch, || way(times)))
}
