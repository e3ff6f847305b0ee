//! Shapes of `lookalikes`.

use std::collections::HashMap;
use std::sync::Mutex;

use launch_shapes::lookalikes::{
    Actors, Client, Grid, Saxpy, Tail, Wire, axpy_chain, gather, microseconds, mirror_then_run, next_tail, start_cells,
    start_program,
};
use launch_shapes::support::ShapeError;

use crate::Shape;
use crate::rig::{all, block_on, shown, went};

pub(crate) const SHAPES: &[Shape] = &[
    ("V78", |rig| {
        let mut actors = Actors { names: Vec::new() };
        let started = block_on(start_cells(&mut actors, &rig.gpu(), &mut rig.zeros(64))).0;
        shown((started, actors.names))
    }),
    ("V79", |_| {
        all([(Some(3), true), (Some(3), false), (None, true)].map(|(ahead, look_ahead)| {
            let mut tail = Tail { ahead };
            let replay = next_tail(&mut tail, look_ahead);
            shown((replay.map(|replay| replay.launch), tail.ahead))
        }))
    }),
    ("V80", |_| shown(start_program("program ", &["one", "two"]).map_err(|error| error.to_string()))),
    ("V81", |rig| {
        let mut turns = 0;
        let timed = microseconds(&rig.stream, 4, || {
            turns += 1;
            Ok(turns)
        });
        let failed = microseconds(&rig.stream, 4, || Err::<(), _>(ShapeError::Code(7)));
        all([shown(timed.map(|spent| spent >= 0.0)), shown(turns), went(failed)])
    }),
    ("V82", |_| {
        let client = Client { queued: Mutex::new(Vec::new()) };
        let queued = gather(&client, &[1, 2, 3]);
        shown((queued, client.queued))
    }),
    ("V83", |_| {
        const BLOCKS: u32 = Grid::<64>::blocks(100);
        shown(BLOCKS)
    }),
    ("V84", |rig| shown(Grid::<128>::run(&rig.stream, &rig.kernel("run"), &rig.zeros(64)))),
    ("V85", |rig| {
        let (mut wire, streams) = (Wire { sent: Vec::new() }, HashMap::from([(1, rig.stream.clone())]));
        let mirrored = mirror_then_run(&mut wire, &streams, &rig.kernel("mirror"), &rig.zeros(64));
        shown((mirrored, wire.sent))
    }),
    ("V86", |rig| {
        let saxpy = Saxpy { stream: &rig.stream, func: &rig.kernel("saxpy") };
        shown(saxpy.launch(2.0, &rig.zeros(64), &mut rig.zeros(64)))
    }),
    ("V87", |rig| {
        let saxpy = Saxpy { stream: &rig.stream, func: &rig.kernel("saxpy") };
        went(axpy_chain(&saxpy, &rig.zeros(64), &mut [rig.zeros(64), rig.zeros(64)]))
    }),
];
