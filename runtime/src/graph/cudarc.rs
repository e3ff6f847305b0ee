//! cudarc's streams.

use std::sync::Arc;

use ::cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode};
use ::cudarc::driver::{CudaGraph, CudaStream, DriverError};

use super::CaptureStream;
#[cfg(all(feature = "enabled", feature = "cudarc"))]
use crate::form::{AsStream, GraphPlace, SeenGraph};

/// A graph, and the stream that captured it: cudarc keeps that to itself.
pub struct Captured {
    graph: CudaGraph,
    stream: Arc<CudaStream>,
}

impl std::fmt::Debug for Captured {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Captured").field("graph", &self.graph.cu_graph()).finish_non_exhaustive()
    }
}

impl CaptureStream for Arc<CudaStream> {
    type Graph = Captured;
    type Error = DriverError;

    /// What other threads do meanwhile is no part of it, and does it no harm.
    fn begin(&self) -> Result<(), DriverError> {
        self.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)
    }

    /// What a body allocates and does not free is freed when the graph is launched again.
    fn end(&self) -> Result<Option<Captured>, DriverError> {
        let flags = CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
        let graph = self.end_capture(flags)?;
        Ok(graph.map(|graph| Captured { graph, stream: Arc::clone(self) }))
    }

    fn captured(&self, graph: &Captured) -> bool {
        Arc::ptr_eq(self, &graph.stream)
            || (self.cu_stream() == graph.stream.cu_stream() && self.context() == graph.stream.context())
    }

    fn launch(&self, graph: &Captured) -> Result<(), DriverError> {
        graph.graph.launch()
    }

    #[cfg(all(feature = "enabled", feature = "cudarc"))]
    fn __seen(&self, graph: &Captured) -> SeenGraph {
        SeenGraph { seen: CudaStream::seen(self), graph: Some(graph.graph.handles()) }
    }
}
