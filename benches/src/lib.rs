//! What launchsite costs, beside what a user could take instead: what the programs of this package have in common.

pub mod deep;
pub mod forms;
pub mod pairs;
pub mod peers;
pub mod range;
pub mod rounds;
pub mod table;
pub mod ways;

use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaFunction, CudaStream, DriverError, LaunchConfig};
use cudarc::nvrtc::Ptx;

/// Whatever ends a program early.
pub type Failure = Box<dyn std::error::Error>;

/// The kernels of the examples.
pub const PTX: &str = include_str!("../../examples/kernels/quickstart.ptx");

/// One thread.
pub const ONE: LaunchConfig = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (1, 1, 1), shared_mem_bytes: 0 };

/// Where launches go, and of what: a kernel that takes a u64, for how long it spins.
#[derive(Debug)]
pub struct Gpu {
    pub context: Arc<CudaContext>,
    pub stream: Arc<CudaStream>,
    pub spin: CudaFunction,
}

impl Gpu {
    /// On the first device, in a stream of its own.
    ///
    /// # Errors
    /// The driver's.
    pub fn new() -> Result<Self, DriverError> {
        Self::in_context(CudaContext::new(0)?)
    }

    /// In another stream of the context.
    ///
    /// # Errors
    /// The driver's.
    pub fn in_context(context: Arc<CudaContext>) -> Result<Self, DriverError> {
        let module = context.load_module(Ptx::from_src(PTX))?;
        Ok(Self { stream: context.new_stream()?, spin: module.load_function("spin")?, context })
    }
}
