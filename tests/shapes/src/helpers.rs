//! Shapes of `helpers`.

use std::collections::HashMap;
use std::sync::Arc;

use cudarc::driver::{CudaStream, DevicePtr, LaunchArgs, PushKernelArg, sys};
use launch_shapes::helpers::{
    AnyBuffer, Call, Executor, Node, Stage, butterfly, clamp_any, fold_sum, launch_add_f32, launch_filled,
    launch_mul_i64, run_graph, run_stages, set_by_value, start_engine, unzigzag, window,
};
use launch_shapes::support::Outcome;

use crate::Shape;
use crate::rig::{MODULE, ONE, Rig, all, shown, went};

struct Fixed(&'static str, u32);

impl Stage for Fixed {
    fn name(&self) -> &str {
        self.0
    }

    fn items(&self) -> u32 {
        self.1
    }

    fn push<'a>(&'a self, _: &Arc<CudaStream>, args: &mut LaunchArgs<'a>) -> Outcome<()> {
        args.arg(&self.1);
        Ok(())
    }
}

/// The engine is one for the process, and so is what it stands on.
fn engine() {
    let rig = Rig::new();
    let functions = HashMap::from([("fold_sum", rig.kernel("fold_sum"))]);
    start_engine(rig.stream.clone(), functions);
}

fn node(code: &str, reads: &[usize], writes: usize) -> Node {
    Node { code: code.to_owned(), reads: reads.to_vec(), writes, grid: (4, 1, 1) }
}

pub(crate) const SHAPES: &[Shape] = &[
    ("V59", |rig| {
        let kernel = rig.kernel("filled");
        let mut builder = rig.stream.launch_builder(&kernel);
        builder.arg(&7);
        let spent = launch_filled(&mut builder, ONE, sys::CUevent_flags::CU_EVENT_DEFAULT);
        shown(spent.map(|spent| spent >= 0.02))
    }),
    ("V60", |rig| {
        let (kernel, data) = (rig.kernel("helper"), rig.zeros::<u32>(64));
        let mut executor = Executor { stream: rig.stream.clone(), launched: 0 };
        let launched = executor.launch_kernel(&kernel, 64, |args| {
            args.arg(&data);
        });
        shown((launched, executor.launched))
    }),
    ("V61", |rig| {
        let mut executor = Executor { stream: rig.stream.clone(), launched: 0 };
        let done = went(unzigzag(&mut executor, &rig.kernel("unzigzag"), &rig.zeros(64), &rig.zeros(64)));
        format!("{done}, launched {}", executor.launched)
    }),
    ("V62", |rig| {
        let data = rig.zeros::<f32>(64);
        let (input, _held) = data.device_ptr(&rig.stream);
        all([
            went(unsafe { launch_add_f32(&rig.module, &rig.stream, input, 0.5, 64) }),
            went(unsafe { launch_mul_i64(&rig.module, &rig.stream, input, 3, 32) }),
        ])
    }),
    ("V63", |rig| {
        let buffers =
            [AnyBuffer::Single(rig.zeros(64)), AnyBuffer::Double(rig.zeros(64)), AnyBuffer::Count(rig.zeros(64))];
        all(buffers.map(|mut data| went(clamp_any(&rig.gpu(), &mut data, 0.0, 1.0))))
    }),
    ("V64", |rig| {
        let stages: [Box<dyn Stage>; 2] = [Box::new(Fixed("first_stage", 64)), Box::new(Fixed("second_stage", 32))];
        went(run_stages(&rig.stream, &rig.module, &stages))
    }),
    ("V65", |rig| {
        let kernels = HashMap::from(["scale", "shift"].map(|name| (name.to_owned(), rig.kernel(name))));
        let nodes =
            [node("scale", &[0], 1), node("copy", &[1], 2), node("shift", &[1, 2], 0), node("outputs", &[0], 0)];
        let mut buffers = [(); 3].map(|()| rig.zeros(4));
        shown(run_graph(&rig.stream, &kernels, &nodes, &mut buffers))
    }),
    ("V66", |rig| {
        all([
            went(butterfly(&rig.context, &rig.stream, MODULE, &mut rig.zeros::<f32>(1024), 10)),
            went(butterfly(&rig.context, &rig.stream, MODULE, &mut rig.zeros::<f64>(8), 3)),
        ])
    }),
    ("V67", |rig| went(window(&rig.stream, &rig.kernel("window"), &rig.zeros(64), 3))),
    ("V68", |_| {
        engine();
        Call::new("fold_sum").blocks(2).launch();
        shown(())
    }),
    ("V69", |rig| {
        engine();
        fold_sum(&rig.zeros(512), &mut rig.zeros(512), 2);
        shown(())
    }),
    ("V70", |rig| {
        let kernel = rig.kernel("set_by_value");
        shown(set_by_value(kernel.cu_function(), 7, &mut rig.zeros(64), &rig.stream))
    }),
];
