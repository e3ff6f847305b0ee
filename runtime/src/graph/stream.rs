//! What a stream has to be able to do for its work to become a graph.

/// A stream that can be captured: cudarc's `Arc<CudaStream>`, or one of the [stand-in](crate::host).
///
/// A program with streams of its own can implement it for these: [`Graph`](crate::Graph) then works on them, and its launches
/// are named and not timed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no stream that can be captured",
    label = "an `Arc<CudaStream>` or a stream of the host stand-in",
    note = "for cudarc's streams, launchsite needs its feature `graphs`, or `enabled`"
)]
pub trait CaptureStream {
    /// What a capture becomes, ready to be launched.
    type Graph;
    /// What goes wrong.
    type Error;

    /// Begins to capture the stream, for this thread alone where the library can tell threads apart.
    ///
    /// # Errors
    /// The stream is not captured then.
    fn begin(&self) -> Result<(), Self::Error>;

    /// Ends the capture, whatever has come of it; `None` where nothing was captured.
    ///
    /// # Errors
    /// The capture had become invalid, or no graph can be made of it. It is ended all the same.
    fn end(&self) -> Result<Option<Self::Graph>, Self::Error>;

    /// Tells this stream from others: its handle.
    fn handle(&self) -> u64;

    /// Launches a graph that this stream has captured, in it.
    ///
    /// # Errors
    /// Nothing was launched.
    fn launch(&self, graph: &Self::Graph) -> Result<(), Self::Error>;

    /// What is seen of the launch, for whoever times it.
    #[cfg(feature = "enabled")]
    #[doc(hidden)]
    fn __seen(&self, _graph: &Self::Graph) -> crate::__private::SeenGraph {
        crate::__private::SeenGraph::NOTHING
    }
}
