//! A step like a transformer's: 24 layers of ten launches each, of 5 to 50 us on an H200.

use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaFunction, CudaSlice, CudaStream, DriverError, LaunchConfig};
use cudarc::nvrtc::Ptx;
use launchsite_benches::PTX;

const LAYERS: usize = 24;
const MIB: usize = 1 << 20;
/// The longest, in elements.
const MOST: usize = 12 * MIB;
const COLUMNS: usize = 2048;

/// The kernels and what they work on.
pub(crate) struct Model {
    pub(crate) context: Arc<CudaContext>,
    pub(crate) stream: Arc<CudaStream>,
    scale: CudaFunction,
    map: CudaFunction,
    saxpy: CudaFunction,
    sum: CudaFunction,
    softmax: CudaFunction,
    x: CudaSlice<f32>,
    y: CudaSlice<f32>,
    total: CudaSlice<f32>,
}

/// Launches one kernel on so many elements.
pub(crate) type Op = fn(&Model, usize) -> Result<(), DriverError>;

/// The operations of a layer, in the order of [`layer`].
pub(crate) struct Ops {
    scale: Op,
    map: Op,
    saxpy: Op,
    sum: Op,
    softmax: Op,
}

/// What a layer launches: a norm, attention, and the two halves of an MLP, by their sizes.
fn layer(ops: &Ops) -> [(Op, usize); 10] {
    [
        (ops.scale, MIB),
        (ops.map, 4 * MIB),
        (ops.map, 4 * MIB),
        (ops.softmax, 4 * MIB),
        (ops.saxpy, 4 * MIB),
        (ops.sum, 4 * MIB),
        (ops.map, MOST),
        (ops.scale, MOST),
        (ops.saxpy, 4 * MIB),
        (ops.map, MIB),
    ]
}

impl Model {
    pub(crate) fn new() -> Result<Self, DriverError> {
        let context = CudaContext::new(0)?;
        // SAFETY: one stream, so that there is nothing to wait for; candle does the same.
        unsafe { context.disable_event_tracking() };
        let (stream, module) = (context.new_stream()?, context.load_module(Ptx::from_src(PTX))?);
        let function = |name| module.load_function(name);
        Ok(Self {
            scale: function("scale_f32")?,
            map: function("map_kernel")?,
            saxpy: function("saxpy_f32")?,
            sum: function("sum_f32")?,
            softmax: function("softmax_f32")?,
            x: stream.alloc_zeros(MOST)?,
            y: stream.alloc_zeros(MOST)?,
            total: stream.alloc_zeros(1)?,
            context,
            stream,
        })
    }

    /// One step, which ends when the GPU has done it; `launch` is what makes each launch.
    pub(crate) fn step(
        &self,
        ops: &Ops,
        mut launch: impl FnMut(Op, usize) -> Result<(), DriverError>,
    ) -> Result<(), DriverError> {
        for _ in 0..LAYERS {
            for (op, elements) in layer(ops) {
                launch(op, elements)?;
            }
        }
        self.stream.synchronize()
    }
}

fn config(elements: usize) -> LaunchConfig {
    let blocks = u32::try_from(elements.div_ceil(256)).unwrap_or(u32::MAX);
    LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (256, 1, 1), shared_mem_bytes: 0 }
}

/// The same operations twice, with and without an attribute.
macro_rules! ops {
    ($module:ident $(, #[$attribute:meta])?) => {
        pub(crate) mod $module {
            use cudarc::driver::{DriverError, PushKernelArg};
            #[allow(unused_imports, reason = "of the annotated")]
            use launchsite::gpu_kernel;

            use super::{COLUMNS, Model, Ops, config};

            pub(crate) const OPS: Ops = Ops { scale, map, saxpy, sum, softmax };

            $(#[$attribute])?
            fn scale(on: &Model, elements: usize) -> Result<(), DriverError> {
                let mut builder = on.stream.launch_builder(&on.scale);
                builder.arg(&elements).arg(&0.5_f32).arg(&on.x);
                // SAFETY: the kernel's parameters, and as many elements as there are.
                unsafe { builder.launch(config(elements)) }?;
                Ok(())
            }

            $(#[$attribute])?
            fn map(on: &Model, elements: usize) -> Result<(), DriverError> {
                let mut builder = on.stream.launch_builder(&on.map);
                builder.arg(&elements).arg(&0.5_f32).arg(&1.0_f32).arg(&on.x).arg(&on.y);
                // SAFETY: as above.
                unsafe { builder.launch(config(elements)) }?;
                Ok(())
            }

            $(#[$attribute])?
            fn saxpy(on: &Model, elements: usize) -> Result<(), DriverError> {
                let mut builder = on.stream.launch_builder(&on.saxpy);
                builder.arg(&elements).arg(&0.5_f32).arg(&on.x).arg(&on.y);
                // SAFETY: as above.
                unsafe { builder.launch(config(elements)) }?;
                Ok(())
            }

            $(#[$attribute])?
            fn sum(on: &Model, elements: usize) -> Result<(), DriverError> {
                let mut builder = on.stream.launch_builder(&on.sum);
                builder.arg(&elements).arg(&on.x).arg(&on.total);
                // SAFETY: as above.
                unsafe { builder.launch(config(elements / 16)) }?;
                Ok(())
            }

            $(#[$attribute])?
            fn softmax(on: &Model, elements: usize) -> Result<(), DriverError> {
                let rows = elements / COLUMNS;
                let mut builder = on.stream.launch_builder(&on.softmax);
                builder.arg(&rows).arg(&COLUMNS).arg(&on.x).arg(&on.y);
                // SAFETY: as above; a block for each row.
                unsafe { builder.launch(config(rows * 256)) }?;
                Ok(())
            }
        }
    };
}

ops!(bare);
ops!(named, #[gpu_kernel]);
