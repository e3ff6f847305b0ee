//! A stand-in for a GPU: streams that run closures in order on threads of their own, and stamp events with the host's
//! clock.
//!
//! It serves machines without a GPU, and tests: a [`Script`] makes any call fail or take long, and [`Counts`] tell
//! what was asked of it. Its API has the shape of cudarc's, and `#[gpu_kernel]` finds its launches:
//!
//! ```
//! use launchsite::{gpu_kernel, host};
//! use std::sync::{Arc, atomic::{AtomicU32, Ordering}};
//!
//! #[gpu_kernel]
//! fn count(stream: &host::Stream, cell: &Arc<AtomicU32>) -> Result<(), host::Error> {
//!     let cell = Arc::clone(cell);
//!     let config = host::LaunchConfig::for_num_elems(1);
//!     stream.launch_builder("count", move || { cell.fetch_add(1, Ordering::Relaxed); }).launch(config)
//! }
//!
//! let (stream, cell) = (host::Host::new().stream(), Arc::new(AtomicU32::new(0)));
//! count(&stream, &cell)?;
//! stream.synchronize()?;
//! assert_eq!(cell.load(Ordering::Relaxed), 1);
//! # Ok::<(), host::Error>(())
//! ```

mod events;
mod graph;
mod imitation;
mod launch;
mod queue;
mod script;
mod stream;

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub use graph::Graph;
pub use imitation::Imitation;
pub use launch::{LaunchArgs, LaunchConfig};
pub use script::{Call, Counts, Fault, Script};
pub use stream::Stream;

use super::{Capability, Capture, Context, Description, Device, Event, Life, Probe, Refusal};
use events::Events;
use graph::{Graphs, What};
use stream::Streams;

/// A stand-in device. Copies are the same device; it lives as long as the process.
#[derive(Clone, Copy, Debug)]
pub struct Host(pub(crate) &'static State);

/// The parts of one stand-in.
#[derive(Debug)]
pub(crate) struct State {
    #[cfg_attr(not(feature = "enabled"), allow(dead_code))] // what windows are made in
    context: Context,
    pub(crate) script: Script,
    events: Events,
    streams: Streams,
    graphs: Graphs,
}

/// A call of the stand-in that was refused, by a script or by rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Error(pub Refusal);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the host stand-in refused: {} ({})", self.0, meaning(self.0.code))
    }
}

impl std::error::Error for Error {}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        Self(refusal)
    }
}

/// CUDA's numbers for what the stand-in refuses by itself.
pub(crate) mod code {
    pub(crate) const INVALID_HANDLE: i32 = 400;
    pub(crate) const CAPTURE_UNSUPPORTED: i32 = 900;
    pub(crate) const CAPTURE_INVALIDATED: i32 = 901;
    pub(crate) const CAPTURE_ILLEGAL: i32 = 907;
}

fn meaning(code: i32) -> &'static str {
    match code {
        code::INVALID_HANDLE => "invalid handle",
        code::CAPTURE_UNSUPPORTED => "not permitted while a stream captures",
        code::CAPTURE_INVALIDATED => "the capture has become invalid",
        code::CAPTURE_ILLEGAL => "the event was recorded into a capture",
        _ => "scripted",
    }
}

impl Default for Host {
    fn default() -> Self {
        Self::new()
    }
}

impl Host {
    /// A device of its own, with a context, no streams, and an empty script.
    #[must_use]
    pub fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        // Windows hold the device for as long as they are read, which may be up to the end of the process.
        Self(Box::leak(Box::new(State {
            context: Context(NEXT.fetch_add(1, Ordering::Relaxed)),
            script: Script::default(),
            events: Events::default(),
            streams: Streams::default(),
            graphs: Graphs::default(),
        })))
    }

    /// A new stream, with a thread that runs its work in order.
    #[must_use]
    pub fn stream(&self) -> Stream {
        self.0.script.count(Call::StreamCreate);
        self.0.streams.open(*self)
    }

    /// What the device does when it is called.
    #[must_use]
    pub fn script(&self) -> &Script {
        &self.0.script
    }

    /// How often each call was made so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.0.script.counts()
    }

    #[cfg(feature = "enabled")]
    pub(crate) fn device(self) -> &'static dyn Device {
        self.0
    }

    #[cfg(feature = "enabled")]
    pub(crate) fn context(self) -> Context {
        self.0.context
    }
}

impl Device for State {
    fn describe(&self) -> Result<Vec<Description>, Refusal> {
        Ok(vec![Description { device: 0, name: "host stand-in".into(), uuid: None }])
    }

    fn stream_kind(&self, _: super::Stream) -> &'static str {
        "host"
    }

    fn per_thread(&self, _: super::Stream) -> bool {
        false
    }

    fn enter(&self, _: Context) -> Result<(), Refusal> {
        self.script.play(Call::ContextEnter)
    }

    fn current(&self) -> Result<Option<Context>, Refusal> {
        Ok(Some(self.context))
    }

    fn leave(&self) {}

    fn relax(&self) -> Result<(), Refusal> {
        self.script.play(Call::Relax)
    }

    fn create(&self) -> Result<Event, Refusal> {
        self.script.play(Call::EventCreate)?;
        Ok(self.events.create())
    }

    fn destroy(&self, event: Event) {
        self.script.count(Call::EventDestroy);
        self.events.destroy(event);
    }

    fn record(&self, event: Event, stream: super::Stream) -> Result<(), Refusal> {
        self.script.play(Call::EventRecord)?;
        let stamp = self.events.record(event, self.streams.next_event(stream.handle))?;
        self.streams.push(stream.handle, move || stamp.reach())
    }

    fn capturing(&self, stream: super::Stream) -> Result<Capture, Refusal> {
        self.script.play(Call::IsCapturing)?;
        self.streams.capturing(stream.handle)
    }

    fn elapsed(&self, from: Event, to: Event) -> Result<Option<i64>, Refusal> {
        if let Some(answer) = self.script.answer(Call::EventElapsed)? {
            return Ok(Some(answer));
        }
        self.events.elapsed(from, to, self.script.imitation())
    }

    fn wait(&self, event: Event) -> Result<(), Refusal> {
        self.script.play(Call::EventWait)?;
        self.events.wait(event)
    }

    fn open_stream(&self, context: Context) -> Result<super::Stream, Refusal> {
        self.script.play(Call::StreamCreate)?;
        let handle = self.streams.open_unowned();
        Ok(super::Stream { context, handle })
    }

    fn close_stream(&self, stream: super::Stream) {
        self.script.count(Call::StreamDestroy);
        self.streams.close(stream.handle);
    }

    fn capability(&self) -> Result<Option<Capability>, Refusal> {
        self.script.play(Call::Capability)?;
        Ok(self.script.imitation().map(Imitation::model))
    }

    fn load_probe(&self) -> Result<Probe, Refusal> {
        self.script.play(Call::ProbeLoad)?;
        Ok(Probe { module: 1, empty: 1, spin: 2 })
    }

    fn launch_probe(&self, _: Probe, stream: super::Stream, busy: Option<Duration>) -> Result<(), Refusal> {
        self.script.play(Call::ProbeLaunch)?;
        let work: launch::Work = match busy {
            Some(time) => Arc::new(move || std::thread::sleep(time)),
            None => Arc::new(|| {}),
        };
        self.streams.submit("cuLaunchKernel", stream.handle, What::Kernel("launchsite", work), busy.is_none())
    }

    fn unload_probe(&self, _: Probe) {
        self.script.count(Call::ProbeUnload);
    }

    fn explain(&self, refusal: Refusal) -> String {
        format!("{}: {} ({})", refusal.call, meaning(refusal.code), refusal.code)
    }

    fn hold(&self, context: Context) -> Result<Life, Refusal> {
        self.script.play(Call::Hold)?;
        Ok(Life { device: 0, id: context.0 })
    }

    fn release(&self, _: Life) {
        self.script.count(Call::Release);
    }

    fn graphs(&self) -> &dyn super::graph::Graphs {
        self
    }
}

/// A panic in a user's closure leaves the stand-in's own tables whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
