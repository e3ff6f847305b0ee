//! The profiler, and what its windows share.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::{ProfilerError, Span, Token};
use crate::clock;
use crate::device::{Capture, Context, Device, Event, Life, Refusal, Stream, Subject, SubjectStream};
use crate::window::{self, Moment, Pair, Pairs, Unopened};

/// An anchor that is older is taken anew. Milliseconds in an `f32`, which is what CUDA gives, are good to 60 ns at a second,
/// and get worse behind it.
const FRESH: Duration = Duration::from_secs(1);
/// Stands where a device did not do what it was given to do.
const UNTOLD: Refusal = Refusal { call: "cuThreadExchangeStreamCaptureMode", code: 999 };
/// What is not called on a stream that is captured.
const RECORD: &str = "cuEventRecord";

/// Windows around whatever a program puts into its streams: two events each, read when somebody asks.
///
/// Windows may overlap and lie in each other, and may be closed by another thread than the one that opened them. Each
/// is timed on the stream that it was opened on. Nothing is synchronised: [`start`](Self::start) waits for an event on a stream
/// of its own, once a second, to know where the device's clock stands, and [`Span::resolve`] waits for the window's end.
///
/// Launches need none of this: `#[gpu_kernel]` gives each a window of the same kind, without any waiting.
///
/// ```
/// use launchsite::{Profiler, host};
/// # if launchsite::ENABLED {
/// // On a GPU: cudarc's `Arc<CudaContext>` and `Arc<CudaStream>`.
/// let host = host::Host::new();
/// let stream = host.stream();
/// let profiler = Profiler::new(&host);
///
/// let whole = profiler.start(&stream)?;
/// let config = host::LaunchConfig::for_num_elems(1);
/// let (launched, inner) = profiler.measure(&stream, || stream.launch_builder("work", || {}).launch(config));
/// launched?;
/// let whole = profiler.stop(whole)?.resolve()?;
/// assert!(inner?.resolve()?.duration_ns <= whole.duration_ns);
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// It holds its context, which has to be the device's primary one, from the first window on until it and every [`Span`] of it
/// are dropped.
#[derive(Debug)]
pub struct Profiler(Arc<Shared>);

/// What a profiler and the windows that it closed have together.
#[derive(Debug)]
pub(super) struct Shared {
    /// Tells profilers apart.
    number: u64,
    pub(super) device: &'static dyn Device,
    pub(super) context: Context,
    state: Mutex<State>,
}

/// An anchor, for as long as a window needs it.
pub(super) type Anchored = Arc<Moment>;

#[derive(Debug, Default)]
pub(super) struct State {
    /// The next window's number.
    next: u64,
    open: HashMap<Token, Open>,
    /// Windows that a failure closed, until they are asked for.
    failed: HashMap<Token, ProfilerError>,
    /// Pairs for the next windows.
    free: Vec<Pair>,
    /// The context's life that is held, and a stream of our own in it, once there was a window.
    own: Option<(Life, Stream)>,
    anchor: Option<(Anchored, Instant)>,
    /// Anchors that windows may still need.
    older: Vec<Anchored>,
    /// Events for the next anchors.
    events: Vec<Event>,
}

#[derive(Debug)]
struct Open {
    stream: Stream,
    pair: Pair,
    anchor: Anchored,
}

impl Profiler {
    /// A profiler of the windows in `context`. Nothing is asked of the device before the first one.
    #[must_use]
    pub fn new<C: Subject + ?Sized>(context: &C) -> Self {
        static NUMBERS: AtomicU64 = AtomicU64::new(0);
        let (device, context, _) = context.subject();
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        Self(Arc::new(Shared { number, device, context, state: Mutex::default() }))
    }

    /// Opens a window: what is put into `stream` from here on is in it, and so is the time for which the stream has nothing
    /// to do. The thread is in the profiler's context behind it.
    ///
    /// # Errors
    /// The stream is being captured, or in another context; or the device refused a call. Nothing is open then.
    pub fn start<S: SubjectStream + ?Sized>(&self, stream: &S) -> Result<Token, ProfilerError> {
        let stream = stream.stream();
        if stream.context != self.0.context {
            return Err(ProfilerError::OtherContext);
        }
        let device = self.0.device;
        let fresh = self.0.state().fresh();
        let anchor = if let Some(anchor) = fresh {
            anchor
        } else {
            not_capturing(device, stream)?;
            self.0.take_anchor()?
        };
        let mut state = self.0.state();
        let pair = window::open(device, stream, &mut *state).map_err(|unopened| match unopened {
            Unopened::Refused(refusal) | Unopened::NoPair(refusal) => ProfilerError::Refused(refusal),
            Unopened::Capturing => ProfilerError::Capturing(RECORD),
        })?;
        let token = Token { profiler: self.0.number, number: state.next };
        state.next += 1;
        state.open.insert(token, Open { stream, pair, anchor });
        Ok(token)
    }

    /// Closes a window, from any thread: behind what has been put into the stream that it was opened on. Returns at once.
    ///
    /// # Errors
    /// [`ProfilerError::NotRegistered`] where no such window is open; what [`failure`](Self::failure) was told; the stream is
    /// being captured by now; or the device refused the event. The window is gone then.
    pub fn stop(&self, token: Token) -> Result<Span, ProfilerError> {
        let (device, mut state) = (self.0.device, self.0.state());
        if let Some(error) = state.failed.remove(&token) {
            return Err(error);
        }
        let Open { stream, pair, anchor } = state.open.remove(&token).ok_or(ProfilerError::NotRegistered)?;
        let closed = close(device, stream, pair).inspect_err(|_| state.give_back(pair));
        drop(state);
        closed.map(|()| Span::new(Arc::clone(&self.0), pair, anchor))
    }

    /// Forgets a window that is open.
    ///
    /// # Errors
    /// [`ProfilerError::NotRegistered`] where no such window is open.
    pub fn abandon(&self, token: Token) -> Result<(), ProfilerError> {
        let mut state = self.0.state();
        let failed = state.failed.remove(&token).map(drop);
        let open = state.open.remove(&token).map(|open| state.give_back(open.pair));
        failed.or(open).ok_or(ProfilerError::NotRegistered)
    }

    /// Something went wrong that every open window is part of: to close one gives `error` from here on. Windows that are
    /// opened later are not concerned.
    pub fn failure(&self, error: ProfilerError) {
        let mut state = self.0.state();
        for (token, open) in std::mem::take(&mut state.open) {
            state.give_back(open.pair);
            state.failed.insert(token, error);
        }
    }

    /// Does `work` in a window, and gives its value. Where it panics, the window is forgotten and the panic goes on as it was.
    pub fn measure<S, T>(&self, stream: &S, work: impl FnOnce() -> T) -> (T, Result<Span, ProfilerError>)
    where
        S: SubjectStream + ?Sized,
    {
        /// Forgets the window, unless it is taken before.
        struct Forgets<'p>(&'p Profiler, Option<Token>);

        impl Drop for Forgets<'_> {
            fn drop(&mut self) {
                if let Some(token) = self.1.take() {
                    // Whatever it is, the panic says more.
                    let _ = self.0.abandon(token);
                }
            }
        }

        let started = self.start(stream);
        let mut forgets = Forgets(self, started.ok());
        let value = work();
        forgets.1 = None;
        (value, started.and_then(|token| self.stop(token)))
    }
}

/// The window's second event, unless the stream is being captured.
fn close(device: &dyn Device, stream: Stream, pair: Pair) -> Result<(), ProfilerError> {
    not_capturing(device, stream)?;
    Ok(window::close(device, stream, pair)?)
}

fn not_capturing(device: &dyn Device, stream: Stream) -> Result<(), ProfilerError> {
    // A default stream is one of the context that the thread is in.
    device.enter(stream.context)?;
    match device.capturing(stream)? {
        Capture::None => Ok(()),
        Capture::Capturing => Err(ProfilerError::Capturing(RECORD)),
    }
}

impl Pairs for State {
    type Error = Refusal;

    fn take(&mut self, device: &dyn Device) -> Result<Pair, Refusal> {
        self.free.pop().map_or_else(|| Pair::create(device), Ok)
    }

    fn give_back(&mut self, _: &dyn Device, pair: Pair) {
        self.free.push(pair);
    }
}

impl State {
    pub(super) fn give_back(&mut self, pair: Pair) {
        self.free.push(pair);
    }

    /// The anchor for a window that begins now, while it is good.
    fn fresh(&self) -> Option<Anchored> {
        self.anchor.as_ref().filter(|(_, taken)| taken.elapsed() <= FRESH).map(|(anchor, _)| Arc::clone(anchor))
    }

    /// An event for an anchor, and the stream to put it into.
    fn begin_anchor(&mut self, device: &dyn Device, context: Context) -> Result<(Event, Stream), Refusal> {
        let stream = self.own(device, context)?;
        self.sweep();
        Ok((self.events.pop().map_or_else(|| device.create(), Ok)?, stream))
    }

    /// A stream of our own, and the context held.
    fn own(&mut self, device: &dyn Device, context: Context) -> Result<Stream, Refusal> {
        if let Some((_, stream)) = self.own {
            return Ok(stream);
        }
        let life = device.hold(context)?;
        let stream = device.open_stream(context).inspect_err(|_| device.release(life))?;
        self.own = Some((life, stream));
        Ok(stream)
    }

    /// Events of anchors that no window needs any more.
    fn sweep(&mut self) {
        let events = &mut self.events;
        self.older.retain(|anchor| {
            let needed = Arc::strong_count(anchor) > 1;
            if !needed {
                events.push(anchor.event);
            }
            needed
        });
    }
}

impl Shared {
    /// A new anchor, in the thread's context from here on. Nobody else waits while this thread does.
    fn take_anchor(&self) -> Result<Anchored, Refusal> {
        let device = self.device;
        device.enter(self.context)?;
        let mut taken = Err(UNTOLD);
        device.relaxed(&mut || taken = self.reached());
        let anchor = taken?;
        let mut state = self.state();
        let older = state.anchor.replace((Arc::clone(&anchor), Instant::now()));
        state.older.extend(older.map(|(older, _)| older));
        Ok(anchor)
    }

    /// An event that the device has come to, and when.
    fn reached(&self) -> Result<Anchored, Refusal> {
        let device = self.device;
        let begun = self.state().begin_anchor(device, self.context);
        let (event, stream) = begun?;
        let before = clock::now();
        let reached = device.record(event, stream).and_then(|()| device.wait(event));
        reached.inspect_err(|_| self.state().events.push(event))?;
        Ok(Arc::new(Moment::between(event, before, clock::now())))
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        // Nothing in here leaves it half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The last window is gone: each event is destroyed once.
impl Drop for Shared {
    fn drop(&mut self) {
        let device = self.device;
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        let open = state.open.drain().map(|(_, open)| open.pair);
        for pair in state.free.drain(..).chain(open) {
            pair.destroy(device);
        }
        let anchors = state.older.drain(..).chain(state.anchor.take().map(|(anchor, _)| anchor));
        for event in state.events.drain(..).chain(anchors.map(|anchor| anchor.event)) {
            device.destroy(event);
        }
        if let Some((life, stream)) = state.own.take() {
            device.close_stream(stream);
            device.release(life);
        }
    }
}
