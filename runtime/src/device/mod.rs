//! What the timing core asks of a device.
//!
//! Streams, memory and kernels are not here: the program has its own library for them. The trait is what an event
//! window is made of, so that the core can be tested without a GPU and every refusal of a driver can be played to it.

use std::fmt;
use std::time::Duration;

#[cfg(all(feature = "enabled", feature = "cudarc"))]
pub(crate) mod cuda;
pub mod graph;
pub mod host;
#[cfg(feature = "enabled")]
mod subject;

#[cfg(feature = "enabled")]
pub use subject::{Subject, SubjectStream};

/// A context of a device. With the feature `enabled` off nothing is asked of it, and anything is one.
#[cfg(not(feature = "enabled"))]
pub trait Subject {}
#[cfg(not(feature = "enabled"))]
impl<T: ?Sized> Subject for T {}
/// A stream in such a context; likewise.
#[cfg(not(feature = "enabled"))]
pub trait SubjectStream {}
#[cfg(not(feature = "enabled"))]
impl<T: ?Sized> SubjectStream for T {}

/// A device context, by its handle: events belong to one, and streams are told apart by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Context(pub u64);

/// A stream, by context and handle: a default stream has the same handle in every context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stream {
    /// The context that the stream belongs to.
    pub context: Context,
    /// The stream's handle; for CUDA 0 and 1 are the legacy default stream, 2 is the thread's default stream.
    pub handle: u64,
}

/// A timing event, by its handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Event(pub u64);

/// A model of GPU, by its compute capability: major and minor number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Capability(pub u32, pub u32);

/// Two kernels of our own, by the handles of their module and of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// The module that both are in.
    pub module: u64,
    /// Does nothing.
    pub empty: u64,
    /// Spins for as many nanoseconds as its one argument says.
    pub spin: u64,
}

/// Whether a stream records its work into a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Capture {
    /// The stream runs what it is given.
    None,
    /// The stream is captured, or its capture has become invalid: an event would become part of the user's graph.
    Capturing,
}

/// A device that the program can see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// The device's number, as the program counts.
    pub device: u32,
    /// What it calls itself.
    pub name: String,
    /// Its unique id, where it has one.
    pub uuid: Option<String>,
}

/// A call that a device refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Refusal {
    /// The entry point: `cuEventRecord`.
    pub call: &'static str,
    /// Its status.
    pub code: i32,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} returned {}", self.call, self.code)
    }
}

impl std::error::Error for Refusal {}

/// The calls that an event window is made of.
///
/// No call but [`wait`](Self::wait) waits for the device, and none touches a stream's work but [`record`](Self::record). An implementation
/// gives each refusal back as it came: it ends up in the record of the launch that was to be timed.
pub trait Device: Send + Sync + fmt::Debug + 'static {
    /// The devices of this kind that the program can see.
    ///
    /// # Errors
    /// The driver refused to list them.
    fn describe(&self) -> Result<Vec<Description>, Refusal>;

    /// What kind of stream `handle` is, in the words of its library.
    fn stream_kind(&self, stream: Stream) -> &'static str;

    /// Whether the same handle means another queue in each thread.
    fn per_thread(&self, stream: Stream) -> bool;

    /// Makes `context` the calling thread's.
    ///
    /// On a launching thread what was there before is not put back: a launch binds its context anyway, and the one before
    /// may be gone, which no driver call tells (putting it back ended the process at the next change of context).
    ///
    /// # Errors
    /// The context is gone; the thread's own is unchanged.
    fn enter(&self, context: Context) -> Result<(), Refusal>;

    /// The calling thread's context; `None` where it is in none.
    ///
    /// # Errors
    /// The driver does not say.
    fn current(&self) -> Result<Option<Context>, Refusal>;

    /// Leaves the calling thread without a context.
    fn leave(&self);

    /// Lets the calling thread read events while another thread captures; asked once by the reading thread.
    ///
    /// # Errors
    /// The driver refused; then reading could invalidate a capture.
    fn relax(&self) -> Result<(), Refusal>;

    /// Runs `work`, once, in which the calling thread may wait for events though something is captured: a capture goes on, and
    /// gets nothing of it.
    fn relaxed(&self, work: &mut dyn FnMut()) {
        work();
    }

    /// Makes an event that can time, in the thread's context.
    ///
    /// # Errors
    /// The driver refused; no event was made.
    fn create(&self) -> Result<Event, Refusal>;

    /// Destroys an event. What the driver says is not asked: at the end of a process it may be gone.
    fn destroy(&self, event: Event);

    /// Puts `event` into `stream`, behind the work that is there.
    ///
    /// # Errors
    /// The driver refused; the stream is unchanged.
    fn record(&self, event: Event, stream: Stream) -> Result<(), Refusal>;

    /// Whether `stream` is being captured.
    ///
    /// # Errors
    /// The driver does not say; then no event may be recorded either.
    fn capturing(&self, stream: Stream) -> Result<Capture, Refusal>;

    /// Nanoseconds from one event to another, or `None` while one of them is ahead of the device.
    ///
    /// # Errors
    /// The driver cannot tell; asking again will not help.
    fn elapsed(&self, from: Event, to: Event) -> Result<Option<i64>, Refusal>;

    /// As [`elapsed`](Self::elapsed), and an error of the device's that keeps the events from ever being reached is told
    /// too. It may cost the threads that launch something: it is for windows that wait long.
    ///
    /// # Errors
    /// As above, and the device's own.
    fn elapsed_or_error(&self, from: Event, to: Event) -> Result<Option<i64>, Refusal> {
        self.elapsed(from, to)
    }

    /// Waits until the device has come to `event`. Never called on a launching thread but by a [`Profiler`](crate::Profiler).
    ///
    /// # Errors
    /// The driver refused, or the device has an error of its own.
    fn wait(&self, event: Event) -> Result<(), Refusal>;

    /// Opens a stream of our own in the thread's context, which waits for no other.
    ///
    /// # Errors
    /// The driver refused; there is no stream.
    fn open_stream(&self, context: Context) -> Result<Stream, Refusal>;

    /// Closes a stream of [`open_stream`](Self::open_stream); what is in it still runs.
    fn close_stream(&self, stream: Stream);

    /// Which model of the table of constants the device of the thread's context is; `None` where it is of none.
    ///
    /// # Errors
    /// The driver does not say.
    fn capability(&self) -> Result<Option<Capability>, Refusal>;

    /// Loads two kernels of our own in the thread's context: it may hold up every thread of the program that launches,
    /// and is only for who [asks for it](crate::calibrate).
    ///
    /// # Errors
    /// The driver refused; nothing is loaded.
    fn load_probe(&self) -> Result<Probe, Refusal>;

    /// Puts a kernel of one thread into the stream: it keeps the stream busy for so long, or for `None` does nothing.
    ///
    /// # Errors
    /// The driver refused; nothing was put into the stream.
    fn launch_probe(&self, probe: Probe, stream: Stream, busy: Option<Duration>) -> Result<(), Refusal>;

    /// Unloads them again, once the stream has come to their end.
    fn unload_probe(&self, probe: Probe);

    /// The status in words.
    fn explain(&self, refusal: Refusal) -> String;

    /// Keeps `context`, which is the calling thread's, alive until it is [released](Self::release): events are of it,
    /// and reading one whose context is gone may end the process. It can be held more than once.
    ///
    /// # Errors
    /// The driver refused, or the context is of a kind that cannot be held; it is not held then.
    fn hold(&self, context: Context) -> Result<Life, Refusal>;

    /// Lets go of what one [`hold`](Self::hold) gave.
    fn release(&self, life: Life);

    /// Its graphs.
    fn graphs(&self) -> &dyn graph::Graphs;
}

/// One life of a context that is held: a driver may give the same handle to another context later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Life {
    /// The device that the context is on, by the driver's own handle.
    pub device: i32,
    /// No other context has it, alive or gone.
    pub id: u64,
}
