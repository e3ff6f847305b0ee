//! Shapes of `receivers`.

use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex};
use std::thread;

use launch_shapes::receivers::{
    Pending, Ready, Service, Session, Simulation, StreamPool, WorkQueue, grow, initialise, log2_into, seed_noise,
    spread,
};

use crate::Shape;
use crate::rig::{ONE, Rig, all, block_on, shown, went};

pub(crate) const SHAPES: &[Shape] = &[
    ("V36", |rig| {
        let func = Arc::new(rig.kernel("ready"));
        let launched = [Some(ONE), None].map(|cfg| {
            let ready = Ready { func: func.clone(), cfg, words: vec![1, 2] };
            went(ready.launch(&rig.stream))
        });
        format!("{}, owners {}", all(launched), Arc::strong_count(&func))
    }),
    ("V37", |rig| {
        let service = Arc::new(Service { gpu: rig.gpu(), calls: AtomicUsize::new(0) });
        let submitted = [(); 2].map(|()| shown(service.clone().submit(&rig.zeros(64))));
        format!("{}, owners {}", all(submitted), Arc::strong_count(&service))
    }),
    ("V38", |rig| {
        let kernel = rig.kernel("pending");
        shown(block_on(Pending { kernel: Some(&kernel), stream: rig.stream.clone() }))
    }),
    ("V39", |rig| {
        let (state, spare) = (rig.zeros(64), rig.zeros(64));
        let (stream, advance) = (rig.stream.clone(), rig.kernel("advance"));
        let mut simulation = Simulation { stream, advance, state, spare, tick: 0 };
        all([0.5, 0.25].map(|dt| shown(simulation.tick(dt))))
    }),
    ("V40", |rig| went(seed_noise(&rig.gpu(), &rig.kernel("noise"), &mut rig.zeros(64)))),
    ("V41", |rig| {
        let third = rig.context.new_stream().expect("a stream");
        let streams = vec![rig.stream.clone(), rig.other.clone(), third];
        let pool = StreamPool { streams, next: AtomicUsize::new(1) };
        let parts = [(); 5].map(|()| rig.zeros(64));
        let spread = spread(&pool, &rig.kernel("mix"), &parts);
        shown((spread, pool.next))
    }),
    ("V42", |rig| shown(log2_into(&rig.context, &rig.kernel("log2"), &rig.zeros(64)).map(|out| out.len()))),
    ("V43", |rig| {
        let second = Rig::on(1);
        let worker = |rig: &Rig| (rig.context.clone(), rig.kernel("grow"));
        let workers = [worker(rig), worker(&second)];
        let here = [0, 1].map(|number| shown(grow(&workers, number, &[1.0, 2.0])));
        let there = thread::scope(|scope| {
            let grown = scope.spawn(|| shown(grow(&workers, 2, &[3.0])));
            grown.join().expect("a thread that only launches")
        });
        format!("{} | {there}", all(here))
    }),
    ("V44", |rig| {
        let done = went(initialise(&mut rig.zeros(64), [7; 32], rig.stream.clone(), rig.module.clone()));
        // Another stream than the memory's keeps none of these.
        format!("{done}, owners of the module {}", Arc::strong_count(&rig.module))
    }),
    ("V45", |rig| {
        all([Some(rig.kernel("merge")), None].map(|kernel| {
            let session = Session { queue: WorkQueue(rig.stream.clone()), merge: Mutex::new(kernel) };
            shown(session.merge(&rig.zeros(64), &rig.zeros(64)))
        }))
    }),
];
