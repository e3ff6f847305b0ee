//! The stand-in's streams.

use super::CaptureStream;
#[cfg(feature = "enabled")]
use crate::form::SeenGraph;
use crate::host::{Error, Graph, Stream};

impl CaptureStream for Stream {
    type Graph = Graph;
    type Error = Error;

    fn begin(&self) -> Result<(), Error> {
        self.begin_capture()
    }

    fn end(&self) -> Result<Option<Graph>, Error> {
        self.end_capture().map(|graph| Some(graph).filter(|graph| !graph.is_empty()))
    }

    fn handle(&self) -> u64 {
        Stream::handle(self)
    }

    fn launch(&self, graph: &Graph) -> Result<(), Error> {
        graph.launch()
    }

    #[cfg(feature = "enabled")]
    fn __seen(&self, graph: &Graph) -> SeenGraph {
        SeenGraph::of(graph)
    }
}
