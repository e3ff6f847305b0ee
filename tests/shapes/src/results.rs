//! Shapes of `results`.

use launch_shapes::results::{
    erode_twice, fold_limbs, guarded_update, hash_blocks, normalise, probe_report, warm_caches,
};

use crate::Shape;
use crate::rig::{all, shown, went};

pub(crate) const SHAPES: &[Shape] = &[
    ("V12", |rig| went(hash_blocks(&rig.stream, &rig.kernel("hash"), &rig.zeros(64), "blocks"))),
    ("V13", |rig| went(erode_twice(&rig.gpu(), &mut rig.zeros(64)))),
    ("V14", |rig| shown(normalise(&rig.stream, &rig.kernel("normalise"), &rig.zeros(64), &mut rig.zeros(64), 1e-6))),
    ("V15", |rig| {
        warm_caches(&rig.stream, &rig.kernel("touch"), &rig.zeros(64));
        shown(())
    }),
    ("V16", |rig| probe_report(&rig.stream, &rig.kernel("probe"), &rig.zeros(64))),
    ("V17", |rig| {
        all([true, false].map(|wanted| {
            let mut busy = true;
            let updated = guarded_update(&rig.gpu(), &mut rig.zeros(64), &mut busy, wanted);
            shown((updated, busy))
        }))
    }),
    ("V18", |rig| shown(fold_limbs(&rig.stream, &rig.kernel("fold"), &mut rig.zeros(64), 64))),
];
