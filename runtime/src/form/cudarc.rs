//! Launches through cudarc's `LaunchArgs`.

mod reader;

use std::cell::RefCell;
use std::fmt::Write;
use std::sync::{Arc, PoisonError, RwLock, Weak};

use ::cudarc::driver::{CudaEvent, CudaGraph, CudaStream, DriverError, LaunchArgs, LaunchConfig, sys};

use super::{Geometry, GraphPlace, Part, Seen, SeenGraph, as_type, is, words};
use crate::device::graph::Graph;
use crate::device::{Context, cuda};
use crate::entry::Owner;
use crate::lane::Place;
use reader::Reader;

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
    words::<_, 1>(pointer).map_or(0, |&[word]| word)
}

thread_local! {
    /// Those that this thread was told of lately, which it needs to ask nobody about.
    static LATELY: RefCell<Lately> = const { RefCell::new(Lately { known: Vec::new(), next: 0 }) };
}

struct Lately {
    known: Vec<(Weak<CudaStream>, Seen)>,
    /// The place of the next that is new.
    next: usize,
}

impl Lately {
    /// A thread that uses more streams than these in turn asks all.
    const MOST: usize = 8;

    /// Whether it is new to the thread.
    fn note(&mut self, told: &Arc<CudaStream>) -> bool {
        if self.known.iter().any(|(known, _)| std::ptr::eq(known.as_ptr(), Arc::as_ptr(told))) {
            return false;
        }
        let one = (Arc::downgrade(told), stream(told));
        match self.known.get_mut(self.next) {
            Some(place) => *place = one,
            None => self.known.push(one),
        }
        self.next = (self.next + 1) % Self::MOST;
        true
    }
}

fn note(told: &Arc<CudaStream>) {
    let is_new = LATELY.try_with(|lately| lately.try_borrow_mut().map_or(true, |mut lately| lately.note(told)));
    if !is_new.unwrap_or(true) {
        return;
    }
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
    let same = |(known, seen): &(Weak<CudaStream>, Seen)| token(known) == owner.token && seen.stream == owner.stream;
    let upgraded =
        |known: &[(Weak<CudaStream>, Seen)]| known.iter().find(|one| same(one)).map(|(known, _)| known.upgrade());
    // A launch that another thread makes of what was told to this one asks all, and may have to wait for who adds to them.
    let own =
        LATELY.try_with(|lately| lately.try_borrow().ok().and_then(|lately| upgraded(&lately.known))).ok().flatten();
    let held = own.or_else(|| upgraded(&KNOWN.read().unwrap_or_else(PoisonError::into_inner))).flatten();
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
        let parts: &[usize; 3] = words(self)?;
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
        let is_there = words::<_, 3>(graph).is_some_and(|parts| parts.contains(&token(&Arc::downgrade(stream))));
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
