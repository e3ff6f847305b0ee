//! Shapes of `generics`.

use cudarc::driver::{LaunchArgs, PushKernelArg};
use launch_shapes::generics::{Arena, Elementwise, Lift, Run, Tile, Unary, checksum, with_arguments};

use crate::Shape;
use crate::rig::{ONE, all, shown, went};

struct Negate;

impl Unary for Negate {
    const KERNEL: &'static str = "negate";
}

fn fill<'b, 'c>(args: &'c mut LaunchArgs<'b>) -> &'c mut LaunchArgs<'b> {
    static SEVEN: u32 = 7;
    args.arg(&SEVEN)
}

pub(crate) const SHAPES: &[Shape] = &[
    ("V29", |rig| went(Lift(1.0, 2.0).announce(&rig.gpu(), &mut rig.zeros(1)))),
    ("V30", |rig| {
        let (lift, gpu) = (Lift(1.0, 2.0), rig.gpu());
        all([
            shown(lift.apply::<f32>(&rig.zeros(64), &gpu).map(|out| out.len())),
            shown(lift.apply::<f64>(&rig.zeros(32), &gpu).map(|out| out.len())),
        ])
    }),
    ("V31", |rig| {
        let tile = Tile::<f32, 2, 3> { cells: rig.zeros(6), stream: rig.stream.clone() };
        let mut out = Tile::<f64, 3, 2> { cells: rig.zeros(6), stream: rig.other.clone() };
        shown(tile.transpose_into::<f64, 8>(&rig.kernel("transpose"), &mut out))
    }),
    ("V32", |rig| {
        let data = rig.zeros::<u8>(64);
        all([
            went(checksum(&rig.stream, &rig.kernel("checksum"), &data, "whole")),
            went(checksum(&rig.stream, &rig.kernel("checksum"), &data.slice(0..16), String::from("part"))),
        ])
    }),
    ("V33", |rig| shown(with_arguments(&rig.stream, &rig.kernel("with_arguments"), ONE, fill))),
    ("V34", |rig| {
        let mut arena = Arena { stream: &rig.stream, clear: rig.kernel("clear"), pages: rig.zeros(64) };
        shown(arena.cleared(16..48, "tag").map(|(page, tag)| (page.len(), tag)))
    }),
    ("V35", |rig| {
        let gpu = rig.gpu();
        all([
            shown(Negate.run::<f32>(&gpu, &rig.zeros(64)).map(|out| out.len())),
            shown(Negate.run::<f64>(&gpu, &rig.zeros(32)).map(|out| out.len())),
        ])
    }),
];
