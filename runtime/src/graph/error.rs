//! What can go wrong with a graph.

use std::convert::Infallible;
use std::error::Error;
use std::fmt;

/// What went wrong with a graph: `D` is the stream's error, `B` the body's.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GraphError<D, B = Infallible> {
    /// A capture goes on: it has to be ended first.
    Capturing,
    /// There is a graph already: [`update`](crate::Graph::update) makes room for another.
    Created,
    /// No capture goes on that could be ended.
    NotCapturing,
    /// There is no graph that could be launched.
    NotCreated,
    /// The stream is not the one that captured the graph, or captures it.
    OtherStream,
    /// Nothing was captured.
    Empty,
    /// The capture did not begin.
    Begin(D),
    /// The capture had become invalid, or no graph could be made of it.
    End(D),
    /// The graph was not launched.
    Launch(D),
    /// The body's own.
    Body(B),
}

impl<D> GraphError<D> {
    /// The same where a body could have failed too.
    pub(super) fn widen<B>(self) -> GraphError<D, B> {
        match self {
            Self::Capturing => GraphError::Capturing,
            Self::Created => GraphError::Created,
            Self::NotCapturing => GraphError::NotCapturing,
            Self::NotCreated => GraphError::NotCreated,
            Self::OtherStream => GraphError::OtherStream,
            Self::Empty => GraphError::Empty,
            Self::Begin(error) => GraphError::Begin(error),
            Self::End(error) => GraphError::End(error),
            Self::Launch(error) => GraphError::Launch(error),
            Self::Body(never) => match never {},
        }
    }
}

impl<D: fmt::Display, B: fmt::Display> fmt::Display for GraphError<D, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Capturing => f.write_str("a capture of the graph goes on"),
            Self::Created => f.write_str("the graph is there already"),
            Self::NotCapturing => f.write_str("no capture of the graph goes on"),
            Self::NotCreated => f.write_str("the graph is not there yet"),
            Self::OtherStream => f.write_str("another stream captured the graph"),
            Self::Empty => f.write_str("nothing was captured into the graph"),
            Self::Begin(error) => write!(f, "the capture did not begin: {error}"),
            Self::End(error) => write!(f, "the capture gave no graph: {error}"),
            Self::Launch(error) => write!(f, "the graph was not launched: {error}"),
            Self::Body(error) => error.fmt(f),
        }
    }
}

impl<D: Error + 'static, B: Error + 'static> Error for GraphError<D, B> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Begin(error) | Self::End(error) | Self::Launch(error) => Some(error),
            Self::Body(error) => error.source(),
            _ => None,
        }
    }
}
