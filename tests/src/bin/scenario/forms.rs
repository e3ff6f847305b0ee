//! Forms of launches beside the builder, and what the attribute can be told. A comment behind each lets a test find its
//! line.

#![allow(clippy::redundant_closure_call, reason = "a form that programs have: a closure stands in for a try block")]

use std::fmt;

use launchsite::gpu_kernel;
use launchsite::host::{Error, Graph, LaunchArgs, LaunchConfig, Stream};
use serde_json::json;

use crate::rig::{Cell, LONG, Rig, config, say};
use crate::{Args, Failure, Program, heap};

pub(crate) const PROGRAMS: &[(&str, Program)] = &[
    ("graph", graph),
    ("stream_argument", stream_argument),
    ("stream_wrong", stream_wrong),
    ("scopes", scopes),
    ("scope_ends", scope_ends),
    ("scope_capture", scope_capture),
    ("callers", callers),
    ("texts", texts),
    ("texts_that_fail", texts_that_fail),
    ("cust", cust),
    ("cust_rounds", cust_rounds),
    ("captured_builders", captured_builders),
    ("allocations", allocations),
];

/// A builder that shows nothing.
struct Opaque<'s>(LaunchArgs<'s>);

impl Opaque<'_> {
    fn launch(self, config: LaunchConfig) -> Result<(), Error> {
        self.0.launch(config)
    }
}

fn opaque<'s>(stream: &'s Stream, cell: &Cell) -> Opaque<'s> {
    Opaque(stream.launch_builder("hidden", cell.adds(1)))
}

#[gpu_kernel]
fn make_graph(stream: &Stream, cell: &Cell) -> Result<Graph, Error> {
    stream.begin_capture()?;
    let first = stream.launch_builder("up", cell.adds(1)).launch(config()); // site: captured_first
    let second = stream.launch_builder("down", cell.adds(2)).launch(config()); // site: captured_second
    let graph = stream.end_capture()?;
    first.and(second).map(|()| graph)
}

struct Held {
    graph: Option<Graph>,
}

impl Held {
    /// A field, and a value.
    #[gpu_kernel]
    fn replay(&self, whole: &Graph) -> Result<(), Error> {
        whole.launch()?; // site: graph_place
        self.graph.as_ref().expect("made before").launch() // site: graph_value
    }
}

/// What has a graph's tokens and is none.
struct Tail(u64);

impl Tail {
    fn launch(&self) -> Result<(), Error> {
        let _ = self.0;
        Ok(())
    }
}

#[gpu_kernel]
fn no_graph(tail: &Tail) -> Result<(), Error> {
    tail.launch()?;
    Tail(2).launch()
}

fn graph(args: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    let graph = make_graph(&rig.stream, &rig.cell)?;
    let held = Held { graph: Some(graph.clone()) };
    for _ in 0..args.number(0, 1) {
        held.replay(&graph)?;
    }
    no_graph(&Tail(1))?;
    Ok(rig.finish()?)
}

fn other<'s>(asked: &mut u64, stream: &'s Stream) -> &'s Stream {
    *asked += 1;
    stream
}

#[gpu_kernel(stream = other(asked, stream))]
fn told(asked: &mut u64, stream: &Stream, cell: &Cell) -> Result<(), Error> {
    opaque(stream, cell).launch(config())?; // site: told_first
    // A closure that moves what it takes knows what the function was told; so does one that is called at once.
    let cell = cell.clone();
    let moved = move || opaque(stream, &cell).launch(config()); // site: told_moved
    moved()?;
    (|| opaque(stream, &Cell::default()).launch(config()))() // site: told_called
}

fn stream_argument(args: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    let mut asked = 0;
    for _ in 0..args.number(0, 1) {
        told(&mut asked, &rig.stream, &rig.cell)?;
    }
    say("asked", asked);
    Ok(rig.finish()?)
}

/// The builder knows better.
#[gpu_kernel(stream = wrong)]
fn told_wrong(wrong: &Stream, stream: &Stream, cell: &Cell) -> Result<(), Error> {
    let builder = stream.launch_builder("known", cell.adds(1));
    builder.launch(config())?; // site: told_wrong
    opaque(wrong, cell).launch(config()) // site: told_right
}

fn stream_wrong(_: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    let second = rig.host.stream();
    told_wrong(&second, &rig.stream, &rig.cell)?;
    second.synchronize()?;
    Ok(rig.finish()?)
}

#[gpu_kernel(scope, stream = stream)]
#[rustfmt::skip]
fn timed_scope(stream: &Stream, cell: &Cell) -> Result<u64, Error> { // site: timed_scope
    stream.launch_builder("one", cell.adds(1)).launch(config())?; // site: in_scope
    inner_scope(stream, cell)
}

#[gpu_kernel(scope)]
#[rustfmt::skip]
fn inner_scope(stream: &Stream, cell: &Cell) -> Result<u64, Error> { // site: inner_scope
    stream.launch_builder("two", cell.adds(2)).launch(config()).map(|()| 2) // site: in_inner_scope
}

#[gpu_kernel]
fn beside(stream: &Stream, cell: &Cell) -> Result<(), Error> {
    stream.launch_builder("beside", cell.adds(4)).launch(config()) // site: beside_scope
}

fn scopes(args: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    for _ in 0..args.number(0, 1) {
        timed_scope(&rig.stream, &rig.cell)?;
        beside(&rig.stream, &rig.cell)?;
    }
    Ok(rig.finish()?)
}

/// Every way out of a function.
#[gpu_kernel(scope, stream = stream)]
#[rustfmt::skip]
fn leaves(stream: &Stream, how: &str) -> Result<u64, Failure> { // site: leaves
    if how == "return" {
        return Ok(1);
    }
    if how == "err" {
        Err("question mark")?;
    }
    assert!(how != "panic", "a panic of the program's");
    Ok(2)
}

fn scope_ends(args: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    let left = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| leaves(&rig.stream, args.text(0))));
    say(
        "left",
        json!(format!("{:?}", left.map_err(|panic| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())))),
    );
    beside(&rig.stream, &rig.cell)?;
    Ok(rig.finish()?)
}

#[gpu_kernel(scope, stream = stream)]
fn begins_a_capture(stream: &Stream) -> Result<(), Error> {
    stream.begin_capture()
}

fn scope_capture(_: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    begins_a_capture(&rig.stream)?;
    beside(&rig.stream, &rig.cell)?;
    say("nodes", rig.stream.end_capture()?.len());
    beside(&rig.stream, &rig.cell)?;
    Ok(rig.finish()?)
}

#[gpu_kernel(caller)]
#[rustfmt::skip]
fn fill(stream: &Stream, cell: &Cell) -> Result<(), Error> { // site: fill
    stream.launch_builder("fill", cell.adds(1)).launch(config())
}

/// A helper over a helper: the place that counts is the one outside of both.
#[gpu_kernel(internal)]
fn fill_twice(stream: &Stream, cell: &Cell) -> Result<(), Error> {
    stream.launch_builder("fill", cell.adds(1)).launch(config())?;
    fill(stream, cell)
}

/// A helper without a launch of its own.
#[gpu_kernel(internal)]
fn passes_on(stream: &Stream, cell: &Cell) -> Result<(), Error> {
    fill(stream, cell)
}

fn callers(_: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    for _ in 0..3 {
        fill(&rig.stream, &rig.cell)?; // site: caller_first
    }
    fill(&rig.stream, &rig.cell)?; // site: caller_second
    fill_twice(&rig.stream, &rig.cell)?; // site: caller_of_both
    passes_on(&rig.stream, &rig.cell)?; // site: caller_of_one_without
    // What a pointer calls is called by the pointer's own code: the function itself is named then.
    let pointer: fn(&Stream, &Cell) -> Result<(), Error> = fill;
    pointer(&rig.stream, &rig.cell)?;
    say("names_worked_out", launchsite::__private::names_worked_out());
    Ok(rig.finish()?)
}

#[gpu_kernel(name = "gemm {m}x{n:02} {{}}")]
fn gemm(stream: &Stream, cell: &Cell, m: u64, n: u64) -> Result<(), Error> {
    stream.launch_builder("gemm", cell.adds(1)).launch(config()) // site: text
}

fn texts(args: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    for round in 0..2 {
        for m in 0..args.number(0, 3) {
            gemm(&rig.stream, &rig.cell, m, round)?;
            // Seldom enough for the names alone to be what is counted.
            if m % 512 == 511 {
                launchsite::flush(LONG)?;
            }
        }
    }
    say("names_worked_out", launchsite::__private::names_worked_out());
    say("not_filled_in", launchsite::summary().not_filled_in);
    Ok(rig.finish()?)
}

/// Launches when it is shown, or cannot be shown.
struct Shown<'s>(&'s str, &'s Stream, &'s Cell);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            "panic" => panic!("it cannot be shown"),
            "error" => return Err(fmt::Error),
            _ => gemm(self.1, self.2, 1, 1).map_err(|_| fmt::Error)?,
        }
        f.write_str("shown")
    }
}

#[gpu_kernel(name = "k {shown}")]
fn shows(stream: &Stream, cell: &Cell, shown: &Shown<'_>) -> Result<(), Error> {
    stream.launch_builder("shows", cell.adds(8)).launch(config()) // site: shows
}

fn texts_that_fail(args: &Args) -> Result<(), Failure> {
    std::panic::set_hook(Box::new(|_| {}));
    let rig = Rig::new();
    shows(&rig.stream, &rig.cell, &Shown(args.text(0), &rig.stream, &rig.cell))?;
    let _ = std::panic::take_hook();
    Ok(rig.finish()?)
}

struct Module;

impl Module {
    fn get_function(name: &'static str) -> Result<&'static str, u32> {
        if name == "missing" { Err(500) } else { Ok(name) }
    }
}

/// As cust's.
macro_rules! launch {
    ($module:ident . $function:ident <<< $grid:expr, $block:expr, $shared:expr, $stream:ident >>> ( $($arg:expr),* $(,)? )) => {
        match $module::get_function(stringify!($function)) {
            Ok(found) => launch!(found <<< $grid, $block, $shared, $stream >>> ($($arg),*)),
            Err(code) => Err(code),
        }
    };
    ($function:ident <<< $grid:expr, $block:expr, $shared:expr, $stream:ident >>> ( $($arg:expr),* $(,)? )) => {{
        let config = LaunchConfig { grid_dim: ($grid, 1, 1), block_dim: ($block, 1, 1), shared_mem_bytes: $shared };
        $(let _ = &$arg;)*
        $stream.0.launch_builder($function, $stream.1.adds(1)).launch(config).map_err(|error| error.0.code.unsigned_abs())
    }};
}

#[gpu_kernel(stream = stream.0)]
fn frame(stream: &(&Stream, &Cell), refused: Option<u32>) -> Result<(), u32> {
    launch!(Module.scale<<<8, 64, 0, stream>>>(1_u32))?; // site: cust_module
    let despeckle = "despeckle";
    launch!(despeckle<<<8 * 2, 64, 1024, stream>>>(2_u32, refused.ok_or(7_u32)?))?; // site: cust_function
    launch!(Module.missing<<<1, 1, 0, stream>>>(3_u32)) // site: cust_missing
}

/// Goes on from inside the arguments, and leaves from there.
#[gpu_kernel(stream = stream.0)]
fn rounds(stream: &(&Stream, &Cell)) -> Result<(), Error> {
    let mut values = 0_u32..5;
    'rounds: while launch!(Module.scale<<<8, 64, 0, stream>>>(match values.next() { // site: rounds
        Some(1 | 2) => continue 'rounds,
        Some(4) => break 'rounds,
        value => value,
    }))
    .is_ok()
    {}
    // Behind whatever is still open.
    stream.0.launch_builder("behind", stream.1.adds(8)).launch(config()) // site: behind_rounds
}

fn cust_rounds(_: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    rounds(&(&rig.stream, &rig.cell))?;
    Ok(rig.finish()?)
}

fn cust(args: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    let refused = (args.text(0) != "leave").then_some(1);
    say("frame", format!("{:?}", frame(&(&rig.stream, &rig.cell), refused)));
    Ok(rig.finish()?)
}

#[gpu_kernel]
fn captured(stream: &Stream, cell: &Cell) -> Result<(), Error> {
    let builder = stream.launch_builder("moved", cell.adds(1));
    let moved = move || builder.launch(config()); // site: moved
    let builder = stream.launch_builder("called", cell.adds(2));
    (|| builder.launch(config()))()?; // site: called
    let builder = stream.launch_builder("awaited", cell.adds(4));
    let awaited = async move { builder.launch(config()) }; // site: awaited
    let builder = stream.launch_builder("kept", cell.adds(8));
    let kept = async { builder.launch(config()) }; // site: kept
    moved()?;
    crate::usual::block_on(awaited)?;
    crate::usual::block_on(kept)
}

fn captured_builders(_: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    captured(&rig.stream, &rig.cell)?;
    Ok(rig.finish()?)
}

fn allocations(args: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    heap::scoped(true);
    let kept: Vec<_> = (0..args.number(0, 1)).map(Box::new).collect();
    for _ in 0..3 {
        beside(&rig.stream, &rig.cell)?;
    }
    heap::scoped(false);
    say("kept", kept.len());
    Ok(rig.finish()?)
}
