//! cudarc's streams.

use std::sync::Arc;

use ::cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode};
use ::cudarc::driver::{CudaGraph, CudaStream, DriverError};

use super::CaptureStream;
#[cfg(all(feature = "enabled", feature = "cudarc"))]
use crate::form::SeenGraph;

impl CaptureStream for Arc<CudaStream> {
    type Graph = CudaGraph;
    type Error = DriverError;

    /// What other threads do meanwhile is no part of it, and does it no harm.
    fn begin(&self) -> Result<(), DriverError> {
        self.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)
    }

    /// What a body allocates and does not free is freed when the graph is launched again.
    fn end(&self) -> Result<Option<CudaGraph>, DriverError> {
        self.end_capture(CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH)
    }

    fn handle(&self) -> u64 {
        self.cu_stream().addr() as u64
    }

    fn launch(&self, graph: &CudaGraph) -> Result<(), DriverError> {
        graph.launch()
    }

    #[cfg(all(feature = "enabled", feature = "cudarc"))]
    fn __seen(&self, graph: &CudaGraph) -> SeenGraph {
        SeenGraph::on(self, graph)
    }
}
