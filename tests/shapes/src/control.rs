//! Shapes of `control`.

use std::panic::{AssertUnwindSafe, catch_unwind};

use cudarc::nvrtc::Ptx;
use launch_shapes::control::{
    Reduced, adjoint, anneal, build_index, compact, extremum, quantise_rows, random_factors, rescale, scan_up, squash,
};

use crate::rig::{Rig, all, shown, went};
use crate::{Shape, message};

pub(crate) const SHAPES: &[Shape] = &[
    ("V19", |rig| {
        let kernel = rig.kernel("compact");
        let of_length = |len| shown(compact(&rig.stream, &kernel, &rig.of_length(len), &mut rig.zeros(64)));
        all([0, u32::MAX as usize + 1, 16].map(of_length))
    }),
    ("V20", |rig| {
        all([true, false].map(|index| {
            let reduced = extremum(&rig.gpu(), &rig.zeros::<f32>(64), index);
            shown(reduced.map(|reduced| matches!(reduced, Reduced::Index(_))))
        }))
    }),
    ("V21", |rig| {
        all([(false, false), (true, false), (false, true), (true, true)].map(|there| one_adjoint(rig, there)))
    }),
    ("V22", |rig| {
        // Three chunks.
        let rows = 2 * 65_535 + 1;
        went(
            rig.gpu()
                .kernel("quantise")
                .and_then(|kernel| quantise_rows(&kernel, &rig.zeros(rows), &mut rig.zeros(rows), (rows, 1))),
        )
    }),
    ("V23", |rig| {
        // The first goes on for all its cycles, of which one launches nothing; the second breaks off.
        all(["score", "score_of_nothing"].map(|score| {
            let kernels = (&rig.kernel(score), &rig.kernel("swap"));
            shown(anneal(&rig.stream, kernels, &mut rig.zeros(64), 2))
        }))
    }),
    ("V24", |rig| {
        let (factors, mut out) = (rig.zeros(64), rig.zeros(64));
        let without = rig.context.load_module(Ptx::from_src("//! missing rescale")).expect("a module");
        let mut one = |module, factors| shown(rescale(&rig.stream, module, factors, &mut out));
        all([one(&rig.module, None), one(&without, Some(&factors)), one(&rig.module, Some(&factors))])
    }),
    ("V25", |rig| shown(build_index(&rig.stream, &rig.module, &rig.zeros(64)).map(|index| index.len()))),
    ("V26", |rig| {
        let kernels = (&rig.kernel("scan"), &rig.kernel("add"));
        shown(scan_up(&rig.stream, kernels, &mut rig.zeros(1536), 1536))
    }),
    ("V27", |rig| {
        let mut factors = [rig.zeros(64), rig.zeros(32), rig.zeros(16)];
        went(random_factors(&rig.stream, &rig.kernel("fill"), &mut factors, 7))
    }),
    ("V28", |rig| went(squash(&rig.gpu(), &rig.zeros(64), &rig.zeros(64)))),
];

/// The last case panics.
fn one_adjoint(rig: &Rig, (input, output): (bool, bool)) -> String {
    let (x, y) = (rig.zeros(64), rig.zeros(64));
    let sides = (input.then_some(&x), output.then_some(&y));
    let run = || shown(adjoint(&rig.stream, &rig.kernel("adjoint"), sides, &mut rig.zeros(64)));
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| message(&*panic).to_owned())
}
