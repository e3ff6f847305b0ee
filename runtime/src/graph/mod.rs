//! A graph that a program enters once an iteration: work that is run, then captured, then replayed.

#[cfg(any(feature = "kernels", feature = "graphs", all(feature = "enabled", feature = "cudarc")))]
mod cudarc;
mod error;
mod host;
#[cfg_attr(not(feature = "enabled"), path = "unnamed.rs")]
mod named;
mod stream;

use std::fmt;
use std::panic::Location;

pub use error::GraphError;
use named::Named;
pub use stream::CaptureStream;

/// Work that is the same in each iteration, as a graph: run once, then captured, then replayed.
///
/// [`run`](Self::run) is entered once an iteration. The first time it runs the body as it is, so that whatever is done once,
/// such as loading modules, is done before the capture; the second time it captures the body and launches the graph; from then
/// on it launches the graph, and the body is not run any more. Ten iterations of `x += 3` add 30: the body was run twice and
/// the graph launched nine times.
///
/// What the body passes to its launches by value is part of the graph: a scalar that changes later has its captured value in
/// every replay, and so have pointers. Where such have changed, [`update`](Self::update) has the next entry capture anew.
///
/// With the feature `enabled` off it does the same, without names and times. On cudarc's streams it needs `enabled` or the
/// feature `graphs`: a library that uses it on these asks for `graphs`, which brings cudarc.
///
/// # Names and times
///
/// Each launch of the graph has one range, which carries the graph's name: the one that it was [given](Self::named), or that of
/// the function that enters it, with the file and the line. What is captured inside has its own names, and a record of the
/// replay says which sites these are.
///
/// # Examples
///
/// ```
/// use launchsite::{Graph, gpu_kernel, host};
/// # use std::sync::{Arc, atomic::{AtomicU32, Ordering}};
///
/// #[gpu_kernel]
/// fn step(stream: &host::Stream, x: &Arc<AtomicU32>) -> Result<(), host::Error> {
///     let x = Arc::clone(x);
///     let add = move || { x.fetch_add(3, Ordering::Relaxed); };
///     stream.launch_builder("add", add).launch(host::LaunchConfig::for_num_elems(1))
/// }
///
/// let (stream, x) = (host::Host::new().stream(), Arc::new(AtomicU32::new(0)));
/// let mut graph = Graph::named("step");
/// for _ in 0..10 {
///     graph.run(&stream, || step(&stream, &x))?;
/// }
/// stream.synchronize()?;
/// assert_eq!(x.load(Ordering::Relaxed), 30);
/// assert_eq!(graph.launches(), 9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Graph<S: CaptureStream> {
    state: State<S::Graph>,
    /// The stream that captured it, by its handle.
    stream: u64,
    launches: u64,
    given: Option<String>,
    named: Named,
}

enum State<G> {
    Fresh,
    Warm,
    Capturing,
    Created(G),
}

/// How far a graph has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GraphState {
    /// Nothing has been run: the next entry runs the body.
    Fresh,
    /// The body has been run: the next entry captures it.
    Warm,
    /// A capture goes on.
    Capturing,
    /// There is a graph: the next entry launches it.
    Created,
}

/// What an entry did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Entered {
    /// It ran the body.
    Ran,
    /// It captured the body, and launched the graph.
    Captured,
    /// It launched the graph.
    Replayed,
}

impl<S: CaptureStream> Graph<S> {
    /// A graph without anything in it, which is named after the function that enters it.
    #[must_use]
    pub fn new() -> Self {
        Self { state: State::Fresh, stream: 0, launches: 0, given: None, named: Named::default() }
    }

    /// The same with a name of its own. A program can give 4096 names; graphs beyond are named after the function.
    #[must_use]
    pub fn named(name: impl Into<String>) -> Self {
        Self { given: Some(name.into()), ..Self::new() }
    }

    /// Whether there is a graph: from the end of the entry on that captured it.
    #[must_use]
    pub fn created(&self) -> bool {
        matches!(self.state, State::Created(_))
    }

    /// How far it has come.
    #[must_use]
    pub fn state(&self) -> GraphState {
        match self.state {
            State::Fresh => GraphState::Fresh,
            State::Warm => GraphState::Warm,
            State::Capturing => GraphState::Capturing,
            State::Created(_) => GraphState::Created,
        }
    }

    /// How often a graph was launched.
    #[must_use]
    pub fn launches(&self) -> u64 {
        self.launches
    }

    /// One iteration: runs the body, or captures it and launches the graph, or launches the graph.
    ///
    /// # Errors
    /// The body's own error: where it was run, the next entry runs it again; where it was captured, the capture is ended and
    /// what it gathered is dropped, nothing is launched, and the next entry captures again. A panic in the body does the same.
    ///
    /// An error of the capture, of which there is no graph then; so it is where the body does what a capture does not survive,
    /// such as waiting for the stream, even if the body takes no notice. The stream can be used as before, and the next entry
    /// captures again.
    ///
    /// An error of the launch; the graph stays.
    #[track_caller]
    pub fn run<B, F>(&mut self, stream: &S, body: F) -> Result<Entered, GraphError<S::Error, B>>
    where
        F: FnOnce() -> Result<(), B>,
    {
        self.named.settle(self.given.as_deref(), Location::caller(), std::any::type_name::<F>);
        match self.state {
            State::Fresh => {
                body().map_err(GraphError::Body)?;
                self.state = State::Warm;
                Ok(Entered::Ran)
            }
            State::Warm => {
                self.capture(stream, body)?;
                self.launch(stream).map_err(GraphError::widen)?;
                Ok(Entered::Captured)
            }
            State::Capturing => Err(GraphError::Capturing),
            State::Created(_) => self.launch(stream).map(|()| Entered::Replayed).map_err(GraphError::widen),
        }
    }

    fn capture<B>(&mut self, stream: &S, body: impl FnOnce() -> Result<(), B>) -> Result<(), GraphError<S::Error, B>> {
        stream.begin().map_err(GraphError::Begin)?;
        let ends = Ends(stream);
        // Dropped with the capture that it ends, where this fails or panics.
        body().map_err(GraphError::Body)?;
        std::mem::forget(ends);
        self.created_by(stream, stream.end().map_err(GraphError::End)?.ok_or(GraphError::Empty)?);
        Ok(())
    }

    fn created_by(&mut self, stream: &S, graph: S::Graph) {
        self.state = State::Created(graph);
        self.stream = stream.handle();
    }

    /// Begins a capture, for a program that does not enter by [`run`](Self::run). It goes on until [`end`](Self::end): a graph that
    /// is dropped before leaves its stream captured, since it keeps no stream. [`run`](Self::run) ends what it began on
    /// every way out.
    ///
    /// # Errors
    /// [`GraphError::Capturing`] and [`GraphError::Created`] where a capture goes on, or there is a graph; nothing is changed
    /// then. An error of the stream: there is no capture.
    pub fn begin(&mut self, stream: &S) -> Result<(), GraphError<S::Error>> {
        match self.state {
            State::Capturing => return Err(GraphError::Capturing),
            State::Created(_) => return Err(GraphError::Created),
            State::Fresh | State::Warm => {}
        }
        stream.begin().map_err(GraphError::Begin)?;
        self.state = State::Capturing;
        self.stream = stream.handle();
        Ok(())
    }

    /// Ends the capture: there is a graph then.
    ///
    /// # Errors
    /// [`GraphError::NotCapturing`] where none goes on, and [`GraphError::OtherStream`] where it goes on in another stream; nothing
    /// is changed then. An error of the capture, or [`GraphError::Empty`]: there is no graph, the stream can be used as before,
    /// and another capture can begin.
    pub fn end(&mut self, stream: &S) -> Result<(), GraphError<S::Error>> {
        if !matches!(self.state, State::Capturing) {
            return Err(GraphError::NotCapturing);
        }
        if stream.handle() != self.stream {
            return Err(GraphError::OtherStream);
        }
        self.state = State::Warm;
        self.created_by(stream, stream.end().map_err(GraphError::End)?.ok_or(GraphError::Empty)?);
        Ok(())
    }

    /// Takes over a graph that the program captured itself, by `stream`: its launches are this one's from then on. Its
    /// executable is not to be changed by anybody else, through a handle that was kept, say: it is what was captured, and is
    /// taken for that where it is timed inside.
    ///
    /// # Errors
    /// [`GraphError::Capturing`] and [`GraphError::Created`] where a capture goes on, or there is a graph; `graph` is dropped.
    pub fn adopt(&mut self, stream: &S, graph: S::Graph) -> Result<(), GraphError<S::Error>> {
        match self.state {
            State::Capturing => return Err(GraphError::Capturing),
            State::Created(_) => return Err(GraphError::Created),
            State::Fresh | State::Warm => {}
        }
        self.created_by(stream, graph);
        Ok(())
    }

    /// Launches the graph.
    ///
    /// # Errors
    /// [`GraphError::NotCreated`] where there is none, and [`GraphError::OtherStream`] where `stream` did not capture it. An
    /// error of the stream; the graph stays.
    #[track_caller]
    pub fn launch(&mut self, stream: &S) -> Result<(), GraphError<S::Error>> {
        self.named.settle(self.given.as_deref(), Location::caller(), || "");
        let State::Created(graph) = &self.state else { return Err(GraphError::NotCreated) };
        if stream.handle() != self.stream {
            return Err(GraphError::OtherStream);
        }
        self.named.launch(stream, graph).map_err(GraphError::Launch)?;
        self.launches += 1;
        Ok(())
    }

    /// Shapes or pointers have changed: drops the graph, and the next entry captures anew. What the device has of it still runs.
    /// A capture that goes on is left alone.
    pub fn update(&mut self) {
        if self.created() {
            self.state = State::Warm;
            self.named.forget();
        }
    }
}

impl<S: CaptureStream> Default for Graph<S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: CaptureStream> fmt::Debug for Graph<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut told = f.debug_struct("Graph");
        told.field("state", &self.state()).field("launches", &self.launches).field("named", &self.given);
        told.finish_non_exhaustive()
    }
}

/// Ends a capture whose body left it.
struct Ends<'s, S: CaptureStream>(&'s S);

impl<S: CaptureStream> Drop for Ends<'_, S> {
    fn drop(&mut self) {
        // What was gathered is dropped, and so is an error of the capture: the body's own comes first.
        let _ = self.0.end();
    }
}

#[cfg(test)]
mod tests;
