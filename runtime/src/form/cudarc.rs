//! Launches through cudarc's `LaunchArgs`.

use std::fmt::{self, Write};

use std::sync::{Arc, PoisonError, RwLock, Weak};

use ::cudarc::driver::{CudaEvent, CudaGraph, CudaStream, DriverError, LaunchArgs, LaunchConfig, sys};

use super::{Geometry, GraphPlace, Part, Seen, SeenGraph, as_type, is, words};
use crate::device::graph::Graph;
use crate::device::{Context, cuda};
use crate::entry::Owner;
use crate::lane::Place;

pub(super) type Launched = Result<Option<(CudaEvent, CudaEvent)>, DriverError>;
pub(super) type Config = LaunchConfig;
pub(super) type Builder<'a> = LaunchArgs<'a>;

pub(super) fn geometry(config: &Config) -> Geometry {
    Geometry { grid: config.grid_dim.into(), block: config.block_dim.into(), shared_mem_bytes: config.shared_mem_bytes }
}

/// A builder keeps its stream to itself; only its derived `Debug` text shows it. Its first fields are the stream's
/// handle and context, so the text is given up behind these. Should cudarc ever change it, the stream is unknown.
pub(super) fn seen(builder: &Builder<'_>) -> Option<Seen> {
    let mut reader = Reader::default();
    // It ends in the reader's own error, once there is enough.
    let _ = write!(reader, "{builder:?}");
    let (Some(handle), Some(ordinal), Some(context)) = (reader.handle, reader.device, reader.context) else {
        return None;
    };
    let place = Place { device: cuda::device(), context: Context(context), ordinal };
    Some(Seen { place, stream: handle, kernel: None, may_wait: reader.may_wait(), owner: None })
}

impl super::Builder for LaunchArgs<'_> {
    fn seen(&self) -> Option<Seen> {
        seen(self)
    }
}

fn stream(stream: &CudaStream) -> Seen {
    let context = stream.context();
    let place = Place {
        device: cuda::device(),
        context: Context(cuda::handle(context.cu_ctx())),
        ordinal: u32::try_from(context.ordinal()).unwrap_or(u32::MAX),
    };
    let may_wait = context.is_managing_stream_synchronization();
    Seen { place, stream: cuda::handle(stream.cu_stream()), kernel: None, may_wait, owner: None }
}

impl super::StreamPlace for CudaStream {
    fn seen(&self) -> Seen {
        stream(self)
    }
}

impl super::AsStream for CudaStream {
    fn seen(&self) -> Option<Seen> {
        Some(stream(self))
    }
}

/// Streams that captured a graph, or were told at a function's entry, each by its `Arc`. A graph keeps that, and nothing tells
/// of it; a function may let go of it. The weak count keeps its place from being given to another, so whatever has the same
/// pointer in it has the same stream.
static KNOWN: RwLock<Vec<(Weak<CudaStream>, Seen)>> = RwLock::new(Vec::new());

/// The machine word that a pointer to a stream is.
fn token(pointer: &Weak<CudaStream>) -> usize {
    let [word] = words::<_, 1>(pointer);
    *word
}

fn note(told: &Arc<CudaStream>) {
    let ours = Arc::downgrade(told);
    let is_ours = |(known, _): &(Weak<CudaStream>, Seen)| known.ptr_eq(&ours);
    if KNOWN.read().unwrap_or_else(PoisonError::into_inner).iter().any(is_ours) {
        return;
    }
    let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
    known.retain(|(known, _)| known.strong_count() > 0);
    if !known.iter().any(is_ours) {
        known.push((ours, stream(told)));
    }
}

/// Runs `work` while somebody holds the stream, this thread too; false where nobody does any more.
fn while_held(owner: Owner, work: &mut dyn FnMut()) -> bool {
    let same = |(known, seen): &&(Weak<CudaStream>, Seen)| token(known) == owner.token && seen.stream == owner.stream;
    let held = KNOWN.try_read().ok().and_then(|known| known.iter().find(same).and_then(|(known, _)| known.upgrade()));
    let there = held.is_some();
    if there {
        work();
    }
    there
}

impl super::AsStream for Arc<CudaStream> {
    fn seen(&self) -> Option<Seen> {
        note(self);
        let seen = stream(self);
        let owner = Owner { token: token(&Arc::downgrade(self)), stream: seen.stream, with: while_held };
        Some(Seen { owner: Some(owner), ..seen })
    }
}

impl super::CapturePlace for Arc<CudaStream> {
    #[cold]
    fn captured(&self) {
        note(self);
    }
}

impl GraphPlace for CudaGraph {
    fn seen(&self) -> Option<Seen> {
        let parts: &[usize; 3] = words(self);
        // Held by a thread that ends a capture, and for a moment: then it is not known this time.
        let known = KNOWN.try_read().ok()?;
        known.iter().find(|(known, _)| parts.contains(&token(known))).map(|&(_, seen)| seen)
    }

    fn handles(&self) -> Graph {
        Graph { graph: cuda::handle(self.cu_graph()), executable: cuda::handle(self.cu_graph_exec()) }
    }
}

impl SeenGraph {
    /// What is seen of a graph that `stream` is said to have captured, which it launches in: the graph keeps that to itself.
    pub(crate) fn on(stream: &Arc<CudaStream>, graph: &CudaGraph) -> Self {
        let parts: &[usize; 3] = words(graph);
        let is_there = parts.contains(&token(&Arc::downgrade(stream)));
        let seen = is_there.then(|| self::stream(stream));
        Self { seen, graph: Some(graph.handles()) }
    }
}

#[inline]
pub(super) fn is_graph<T>() -> bool {
    is::<T, CudaGraph>() || is::<T, &'static CudaGraph>() || is::<T, Arc<CudaGraph>>()
}

/// The graph that `value` is or points to.
#[inline]
pub(super) fn graph_in<T>(value: &T) -> Option<SeenGraph> {
    let own = as_type::<T, CudaGraph>(value).or_else(|| as_type::<T, &'static CudaGraph>(value).copied());
    let graph = own.or_else(|| as_type::<T, Arc<CudaGraph>>(value).map(AsRef::as_ref));
    graph.map(SeenGraph::of)
}

/// What functions of the driver give, as they are bound and as cudarc's thin layer has it.
#[inline]
pub(super) fn is_status<R>() -> bool {
    is::<R, sys::CUresult>() || is::<R, Result<(), DriverError>>()
}

#[inline]
pub(super) fn is_status_ok<R>(value: &R) -> Option<bool> {
    let status = as_type::<R, sys::CUresult>(value).map(|&status| status == sys::CUresult::CUDA_SUCCESS);
    status.or_else(|| as_type::<R, Result<(), DriverError>>(value).map(Result::is_ok))
}

/// The stream of a bare handle; its context is asked of the driver.
#[inline]
pub(super) fn stream_in<T>(part: Part, value: &T) -> Option<Seen> {
    let own = as_type::<T, sys::CUstream>(value).map(|&stream| cuda::handle(stream));
    // A stream of the runtime library is the driver's, by another name.
    let other = as_type::<T, *mut std::ffi::c_void>(value).filter(|_| part == Part::RuntimeStream);
    handle(own.or_else(|| other.map(|&stream| cuda::handle(stream)))?)
}

/// The stream of that handle; its context is asked of the driver.
pub(super) fn handle(stream: u64) -> Option<Seen> {
    let (context, ordinal) = cuda::context_of(stream)?;
    Some(Seen {
        place: Place { device: cuda::device(), context, ordinal },
        stream,
        kernel: None,
        may_wait: false,
        owner: None,
    })
}

/// Reads `LaunchArgs { stream: CudaStream { cu_stream: 0x…, ctx: CudaContext { cu_device: …, cu_ctx: 0x…, … num_streams: …,
/// event_tracking: …` as it is written, piece by piece.
#[derive(Default)]
struct Reader {
    /// How much of [`LABELS`] has been met.
    met: usize,
    handle: Option<u64>,
    /// A `CUdevice` is the device's number.
    device: Option<u32>,
    context: Option<u64>,
    /// Pieces behind the context that told nothing.
    passed: usize,
    /// What `is_managing_stream_synchronization` of the context would say.
    manages: Option<bool>,
}

/// The names of types and fields on the way, in their order. Whatever comes in another is another text.
const LABELS: [&str; 7] = ["LaunchArgs", "stream", "CudaStream", "cu_stream", "ctx", "CudaContext", "cu_device"];
const LAST_LABEL: &str = "cu_ctx";
/// Fields behind it: how many streams there are beside the default one, and whether uses of arguments are kept track of.
const STREAMS: &str = "num_streams";
const TRACKING: &str = "event_tracking";
/// So many pieces behind the context the two are not looked for any more.
const FAR: usize = 16;

impl Reader {
    /// Whether cudarc may make the stream wait inside the launch; so too where the text does not tell.
    fn may_wait(&self) -> bool {
        self.manages.unwrap_or(true)
    }

    /// A piece behind the context; an error once all is known that matters.
    fn behind(&mut self, piece: &str) -> fmt::Result {
        match self.met {
            8 if piece == STREAMS => self.met = 9,
            9 if piece == "0" => self.manages = Some(false),
            9 => self.met = 10,
            10 if piece == TRACKING => self.met = 11,
            11 => self.manages = Some(piece != "false"),
            _ => self.passed += 1,
        }
        if self.manages.is_some() || self.passed > FAR { Err(fmt::Error) } else { Ok(()) }
    }
}

impl Write for Reader {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        match piece {
            " { " | ", " | ": " | "0x" | "" => return Ok(()),
            _ => {}
        }
        if LABELS.get(self.met) == Some(&piece) {
            self.met += 1;
            return Ok(());
        }
        match self.met {
            // Behind `cu_stream`, its digits.
            4 if self.handle.is_none() => self.handle = Some(digits(piece)?),
            // Behind `cu_device` its number, and then the last label and its digits.
            7 if self.device.is_none() => self.device = Some(piece.parse().map_err(|_| fmt::Error)?),
            7 if piece == LAST_LABEL => self.met = 8,
            8 if self.context.is_none() => self.context = Some(digits(piece)?),
            8.. => return self.behind(piece),
            _ => return Err(fmt::Error),
        }
        Ok(())
    }
}

fn digits(piece: &str) -> Result<u64, fmt::Error> {
    let digits = piece.strip_prefix("0x").unwrap_or(piece);
    u64::from_str_radix(digits, 16).map_err(|_| fmt::Error)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::Reader;

    /// The derived `Debug` of types with the same fields as cudarc's.
    mod shapes {
        use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize};

        #[derive(Debug)]
        #[allow(dead_code)]
        pub(super) struct LaunchArgs<'a> {
            pub(super) stream: &'a CudaStream,
            pub(super) func: u8,
        }
        #[derive(Debug)]
        #[allow(dead_code)]
        pub(super) struct CudaStream {
            pub(super) cu_stream: *mut u8,
            pub(super) ctx: std::sync::Arc<CudaContext>,
            pub(super) owned: bool,
        }
        #[derive(Debug)]
        #[allow(dead_code)]
        pub(super) struct CudaContext {
            pub(super) cu_device: i32,
            pub(super) cu_ctx: *mut u8,
            pub(super) ordinal: usize,
            pub(super) has_async_alloc: bool,
            pub(super) is_primary: bool,
            pub(super) num_streams: AtomicUsize,
            pub(super) event_tracking: AtomicBool,
            pub(super) error_state: AtomicU32,
        }
    }

    #[allow(clippy::arc_with_non_send_sync)] // as it stands in cudarc
    fn read(handle: usize, context: usize, device: i32, streams: usize, tracking: bool) -> Reader {
        let ctx = shapes::CudaContext {
            cu_device: device,
            cu_ctx: std::ptr::without_provenance_mut(context),
            ordinal: 1,
            has_async_alloc: true,
            is_primary: true,
            num_streams: streams.into(),
            event_tracking: tracking.into(),
            error_state: 0.into(),
        };
        let stream = shapes::CudaStream {
            cu_stream: std::ptr::without_provenance_mut(handle),
            ctx: std::sync::Arc::new(ctx),
            owned: true,
        };
        let mut reader = Reader::default();
        let text = write!(reader, "{:?}", shapes::LaunchArgs { stream: &stream, func: 7 });
        assert!(text.is_err(), "the reader gives up once it has enough");
        reader
    }

    #[test]
    fn handle_and_context_are_read() {
        for (handle, context, device) in [(0x55d0_1234_5678, 0x7f00_0000_1000, 0_i32), (0, 0x10, 3), (2, 1, 11)] {
            let reader = read(handle, context, device, 1, true);
            let expected = (Some(handle as u64), Some(device.cast_unsigned()), Some(context as u64));
            assert_eq!((reader.handle, reader.device, reader.context), expected);
        }
    }

    #[test]
    fn s0_12_a_context_that_keeps_track_of_arguments_may_wait() {
        for (streams, tracking, waits) in [(0, true, false), (0, false, false), (1, false, false), (12, true, true)] {
            assert_eq!(read(7, 9, 0, streams, tracking).may_wait(), waits, "{streams} {tracking}");
        }
        // A text that does not say it.
        let mut reader = Reader::default();
        let context = "LaunchArgs|stream|CudaStream|cu_stream|0x1|ctx|CudaContext|cu_device|0|cu_ctx|0x2";
        for piece in context.split('|').chain(["other"; 40]) {
            if reader.write_str(piece).is_err() {
                break;
            }
        }
        assert_eq!((reader.handle, reader.context), (Some(1), Some(2)));
        assert!(reader.may_wait() && reader.passed <= 17);
    }

    #[test]
    fn another_text_gives_nothing() {
        for text in ["", "LaunchArgs { func: 1 }", "Builder { stream: 1 }", "0x10", "LaunchArgs { stream: 0x10 }"] {
            let mut reader = Reader::default();
            let _ = write!(reader, "{text}");
            assert_eq!((reader.handle, reader.context), (None, None), "{text}");
        }
    }
}
