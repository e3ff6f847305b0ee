//! Shapes of `builders`.

use std::collections::BTreeMap;

use launch_shapes::builders::{
    MaybeBuffer, Slot, Unpacker, blend_layers, crossed, decay_field, replay_slots, scatter_marks, shear_rows,
    soften_edges, stencil_step, timed_pass, two_fields,
};

use crate::Shape;
use crate::rig::{ONE, all, shown, went};

pub(crate) const SHAPES: &[Shape] = &[
    ("V01", |rig| shown(decay_field(&rig.stream, &rig.kernel("decay"), &mut rig.zeros(64), 0.5))),
    ("V02", |rig| shown(shear_rows(&rig.stream, &rig.kernel("shear"), &mut rig.zeros(64), 8, 0.5))),
    ("V03", |rig| {
        let sizes = BTreeMap::from([('a', 3), ('b', 5)]);
        let (layers, mut targets) = ([rig.zeros(8), rig.zeros(8)], [rig.zeros(8), rig.zeros(8)]);
        shown(blend_layers(&rig.stream, &rig.kernel("blend"), &layers, &mut targets, &sizes))
    }),
    ("V04", |rig| shown(stencil_step(&rig.stream, &rig.kernel("stencil"), &mut rig.zeros(12), (3, 4)))),
    ("V05", |rig| shown(soften_edges(&rig.gpu(), &rig.zeros(64)).map(|out| out.len()))),
    ("V06", |rig| {
        let slots = [Slot::Pointer(0), Slot::Count(3), Slot::Weight(0.5)];
        went(replay_slots(&rig.stream, &rig.kernel("replay"), &slots, ONE))
    }),
    ("V07", |rig| {
        let (scatter, marks) = (rig.kernel("scatter"), rig.zeros::<f32>(64));
        all([MaybeBuffer::There(rig.zeros(8)), MaybeBuffer::Absent]
            .map(|index| went(scatter_marks(&rig.stream, &scatter, &marks, &index))))
    }),
    ("V08", |rig| {
        let unpacker = Unpacker { stream: rig.stream.clone(), widen: rig.kernel("widen"), shift: 4 };
        went(unpacker.widen(&rig.zeros(2048), &mut rig.zeros(2048)))
    }),
    ("V09", |rig| {
        let fields = (&mut rig.zeros(64), &mut rig.zeros(64));
        shown(two_fields(&rig.stream, &rig.other, &rig.kernel("relax"), fields))
    }),
    ("V10", |rig| {
        let kernels = (&rig.kernel("push"), &rig.kernel("pull"));
        shown(crossed(&rig.stream, &rig.other, kernels, &rig.zeros(64)))
    }),
    ("V11", |rig| {
        let timed = timed_pass(&rig.stream, &rig.kernel("pass"), &rig.zeros(64));
        // The user's own events, around the kernel alone.
        shown(timed.map(|(done, spent)| (done.is_complete(), spent >= 0.02)))
    }),
];
