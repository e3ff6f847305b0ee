//! Graphs: what is captured into them, and `launchsite::Graph`. A comment behind each launch lets a test find its line.

use launchsite::host::{Call, Error, Fault, Graph as HostGraph, Stream};
use launchsite::{Graph, Parts, gpu_kernel};

use crate::rig::{Cell, LONG, Rig, config, say};
use crate::{Args, Failure, Program};

pub(crate) const PROGRAMS: &[(&str, Program)] = &[
    ("graph_sites", sites),
    ("graph_threads", threads),
    ("graph_again", again),
    ("graph_entered", entered),
    ("graph_nodes", nodes),
    ("graph_nodes_refused", nodes_refused),
    ("graph_update", update),
];

#[gpu_kernel]
fn first(stream: &Stream, cell: &Cell) -> Result<(), Error> {
    stream.launch_builder("up", cell.adds(1)).launch(config()) // site: first
}

#[gpu_kernel]
fn second(stream: &Stream, cell: &Cell) -> Result<(), Error> {
    stream.launch_builder("down", cell.adds(2)).launch(config()) // site: second
}

/// Nobody annotated it.
fn hidden(stream: &Stream, cell: &Cell) -> Result<(), Error> {
    stream.launch_builder("hidden", cell.adds(4)).launch(config())
}

#[gpu_kernel]
fn replay(graph: &HostGraph) -> Result<(), Error> {
    graph.launch() // site: replay
}

/// Two launches of the first site, one of the second, one that is not annotated, and a copy.
fn body(stream: &Stream, cell: &Cell) -> Result<(), Error> {
    first(stream, cell)?;
    second(stream, cell)?;
    hidden(stream, cell)?;
    stream.copy(cell.adds(8))?;
    first(stream, cell)
}

fn capture(stream: &Stream, work: impl FnOnce() -> Result<(), Error>) -> Result<HostGraph, Error> {
    stream.begin_capture()?;
    let captured = work();
    let graph = stream.end_capture();
    captured.and(graph)
}

/// Captures, and replays `N` times, by the graph, a clone of it, and a graph that it is inside of.
fn sites(args: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    let graph = capture(&rig.stream, || body(&rig.stream, &rig.cell))?;
    let clone = graph.clone();
    say("nodes", graph.len());
    for _ in 0..args.number(0, 1) {
        replay(&graph)?;
        replay(&clone)?;
    }
    let outer = capture(&rig.stream, || {
        second(&rig.stream, &rig.cell)?;
        replay(&graph)
    })?;
    replay(&outer)?;
    Ok(rig.finish()?)
}

/// One thread captures, and another one launches what it captured, again and again.
fn threads(args: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    let (send, graphs) = std::sync::mpsc::channel::<HostGraph>();
    let (replayed, done) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(move || graphs.into_iter().try_for_each(|graph| replayed.send(replay(&graph))));
        for turn in 0..args.number(0, 1) {
            let graph = capture(&rig.stream, || {
                first(&rig.stream, &rig.cell)?;
                (0..turn % 3).try_for_each(|_| second(&rig.stream, &rig.cell))
            })?;
            send.send(graph).map_err(|_| "the other thread is gone")?;
            done.recv()??;
        }
        drop(send);
        Ok::<(), Failure>(())
    })?;
    Ok(rig.finish()?)
}

/// A graph is dropped, and another one captured.
fn again(_: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    for turn in 0..2 {
        let graph = capture(&rig.stream, || match turn {
            0 => first(&rig.stream, &rig.cell),
            _ => second(&rig.stream, &rig.cell),
        })?;
        replay(&graph)?;
    }
    let foreign = capture(&rig.stream, || hidden(&rig.stream, &rig.cell))?;
    replay(&foreign)?;
    Ok(rig.finish()?)
}

/// Enters a graph `N` times; the second argument names it.
fn entered(args: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    let mut graph = if args.text(1).is_empty() { Graph::new() } else { Graph::named(args.text(1)) };
    let mut bodies = 0;
    let mut worked_out = Vec::new();
    for _ in 0..args.number(0, 10) {
        #[rustfmt::skip]
        graph.run(&rig.stream, || { bodies += 1; body(&rig.stream, &rig.cell) })?; // site: entered
        worked_out.push(launchsite::__private::names_worked_out());
    }
    say("bodies", bodies);
    say("launches", graph.launches());
    say("worked_out", worked_out);
    Ok(rig.finish()?)
}

/// Enters a graph `N` times, or one that was captured before, with time for its second executable to be made.
fn nodes(args: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    let mut graph = Graph::named("nodes");
    if args.text(1) == "adopted" {
        graph.adopt(&rig.stream, capture(&rig.stream, || body(&rig.stream, &rig.cell))?)?;
    }
    for turn in 0..args.number(0, 200) {
        graph.run(&rig.stream, || body(&rig.stream, &rig.cell))?;
        if turn % 16 == 15 {
            launchsite::flush(LONG)?;
        }
    }
    let counts = rig.host.counts();
    say("clones", counts.of(Call::GraphClone));
    say("seconds", counts.of(Call::CopyLaunch));
    say("graph_launches", counts.of(Call::GraphLaunch));
    say("launches", graph.launches());
    Ok(rig.finish()?)
}

/// The same where the device refuses a call of those that a second executable takes.
fn nodes_refused(args: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    let call = match args.text(0) {
        "clone" => Call::GraphClone,
        "event" => Call::GraphAddEvent,
        "instantiate" => Call::GraphInstantiate,
        _ => Call::CopyLaunch,
    };
    rig.host.script().add(Fault::refuse(call, 801));
    let mut graph = Graph::named("nodes");
    for turn in 0..200 {
        graph.run(&rig.stream, || body(&rig.stream, &rig.cell))?;
        if turn % 16 == 15 {
            launchsite::flush(LONG)?;
        }
    }
    let counts = rig.host.counts();
    say("destroyed", counts.of(Call::GraphDestroy));
    say("graph_launches", counts.of(Call::GraphLaunch));
    Ok(rig.finish()?)
}

/// A graph that is captured anew while it is timed inside, and then dropped; parts go off and on meanwhile.
fn update(_: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    let mut graph = Graph::named("nodes");
    for turn in 0..1000 {
        if turn % 250 == 249 {
            graph.update();
        }
        if turn % 100 == 50 {
            launchsite::set_parts(Parts::NONE);
        } else if turn % 100 == 60 {
            launchsite::set_parts(Parts::NODES);
        }
        graph.run(&rig.stream, || first(&rig.stream, &rig.cell))?;
        if turn % 16 == 15 {
            launchsite::flush(LONG)?;
        }
    }
    drop(graph);
    let mut other = Graph::new();
    for _ in 0..8 {
        other.run(&rig.stream, || second(&rig.stream, &rig.cell))?;
        launchsite::flush(LONG)?;
    }
    let counts = rig.host.counts();
    say("made", counts.of(Call::GraphClone));
    say("destroyed", counts.of(Call::GraphDestroy));
    Ok(rig.finish()?)
}
