//! A graph's name with the feature off: none.

use std::panic::Location;

use super::CaptureStream;

#[derive(Debug, Default)]
pub(super) struct Named(());

impl Named {
    #[inline]
    #[allow(clippy::unused_self)] // as with the feature on
    pub(super) fn settle(&mut self, _: Option<&str>, _: &'static Location<'static>, _: fn() -> &'static str) {}

    #[inline]
    #[allow(clippy::unused_self)] // as with the feature on
    pub(super) fn launch<S: CaptureStream>(&mut self, stream: &S, graph: &S::Graph) -> Result<(), S::Error> {
        stream.launch(graph)
    }

    #[inline]
    #[allow(clippy::unused_self)] // as with the feature on
    pub(super) fn forget(&mut self) {}
}
