//! Shapes of `low_level`.

use cudarc::driver::sys;
use launch_shapes::low_level::tripled::{Module, Stream};
use launch_shapes::low_level::{
    Compiled, RawQueue, Renderer, clustered, execute, fire, fold_digests, run_host_stub, sort_tiles, sweep_all,
};

use crate::Shape;
use crate::rig::{all, shown, went};

pub(crate) const SHAPES: &[Shape] = &[
    ("V51", |rig| {
        let mut queue = RawQueue { sys: rig.stream.cu_stream() };
        let kernel = rig.kernel("execute");
        let compiled = Compiled { handle: kernel.cu_function(), shared: 1024, block: (32, 1, 1) };
        went(execute(&mut queue, &compiled, (4, 1, 1), &mut []))
    }),
    ("V52", |rig| went(unsafe { fire(rig.kernel("fire").cu_function(), 4, &mut []) })),
    ("V53", |rig| {
        let kernel = rig.kernel("clustered");
        all([1, 2].map(|cluster| shown(clustered(&rig.stream, &kernel, (4, cluster), &rig.zeros(64)))))
    }),
    ("V54", |rig| {
        let kernel = rig.kernel("host_stub");
        went(run_host_stub(kernel.cu_function().cast(), 4, rig.stream.cu_stream().cast(), 7))
    }),
    ("V55", |rig| went(fold_digests(&rig.stream, &mut rig.zeros(64), 4))),
    ("V56", |rig| {
        let kernels = ["scale_frame", "despeckle"].map(|name| (name, rig.kernel(name)));
        let functions: Vec<(_, sys::CUfunction)> =
            kernels.iter().map(|(name, kernel)| (*name, kernel.cu_function())).collect();
        let stream = Stream(rig.stream.cu_stream());
        let mut renderer = Renderer { module: Module(functions), stream, frame: (64, 64) };
        all([false, true].map(|denoise| shown(renderer.frame(0, 0, denoise))))
    }),
    ("V57", |rig| shown(sweep_all(&rig.stream, &rig.kernel("sweep"), &mut rig.zeros(64)))),
    ("V58", |rig| {
        let sort = rig.kernel("sort");
        all([
            shown(sort_tiles::<1024>(&rig.context, &rig.stream, &sort, &mut rig.zeros(2048))),
            shown(sort_tiles::<256>(&rig.context, &rig.stream, &sort, &mut rig.zeros(2048))),
        ])
    }),
];
