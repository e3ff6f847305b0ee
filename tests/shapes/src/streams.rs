//! Shapes of `streams`.

use std::time::Duration;

use launch_shapes::streams::{
    Blas, Shape3, broadcast, captured, dense, greet_from_threads, histogram, notify_after, overlap,
};

use crate::Shape;
use crate::rig::{Rig, shown};

pub(crate) const SHAPES: &[Shape] = &[
    ("V71", |rig| {
        let kernels = (&rig.kernel("bulk"), &rig.kernel("rim"), &rig.kernel("close"));
        shown(overlap(&rig.stream, kernels, &mut rig.zeros(64)).map(|last| last.synchronize()))
    }),
    ("V72", |rig| shown(histogram(&rig.stream, &rig.kernel("tally"), &[1, 2, 3], &mut rig.zeros(4)))),
    ("V73", |rig| {
        let second = Rig::on(1);
        let device = |rig: &Rig| (rig.context.clone(), rig.context.default_stream(), rig.module.clone());
        let copies = broadcast(&[device(rig), device(&second)], &[1, 2, 3]);
        shown(copies.map(|copies| copies.iter().map(|copy| copy.ordinal()).collect::<Vec<_>>()))
    }),
    ("V74", |rig| shown(greet_from_threads(&rig.context, &rig.module, 3))),
    ("V75", |rig| {
        // cudarc's own events have no place in a capture: they stand for work from before it.
        unsafe { rig.context.disable_event_tracking() };
        let cells = rig.zeros(64);
        let graph = captured(&rig.stream, (&rig.kernel("up"), &rig.kernel("down")), &cells, 2);
        let graph = shown(graph.map(|graph| !graph.cu_graph().is_null()));
        // Whatever happened, the capture is over.
        format!("{graph}, {:?}", rig.stream.synchronize())
    }),
    ("V76", |rig| {
        let blas = Blas { stream: rig.other.clone() };
        let (x, w, shape) = (rig.zeros(6), rig.zeros(6), Shape3 { m: 2, n: 2, k: 3 });
        let bias = rig.gpu().kernel("bias");
        shown(bias.and_then(|bias| dense(&blas, &rig.stream, &bias, (&x, &w), shape)).map(|y| y.len()))
    }),
    ("V77", |rig| {
        let gpu = rig.gpu();
        let told = gpu.kernel("notify").and_then(|kernel| notify_after(&gpu, &kernel, &rig.zeros(64)));
        shown(told.map(|told| told.recv_timeout(Duration::from_secs(20))))
    }),
];
