//! The stand-in's streams.

use super::CaptureStream;
#[cfg(feature = "enabled")]
use crate::form::{GraphPlace, SeenGraph};
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

    fn captured(&self, graph: &Graph) -> bool {
        graph.is_of(self)
    }

    fn launch(&self, graph: &Graph) -> Result<(), Error> {
        graph.launch()
    }

    #[cfg(feature = "enabled")]
    fn __seen(&self, graph: &Graph) -> SeenGraph {
        SeenGraph { seen: graph.seen(), graph: Some(graph.handles()) }
    }
}
