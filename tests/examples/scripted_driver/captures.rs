//! Captures of streams.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::c_int;
use std::sync::Arc;

use crate::abi::{
    CAPTURE_IMPLICIT, CAPTURE_INVALIDATED, CAPTURE_UNMATCHED, CAPTURE_UNSUPPORTED, CAPTURE_WRONG_THREAD, Done, Handle,
    INVALID_VALUE, Out, Status,
};
use crate::driver::{Driver, driver};
use crate::graphs::tell;
use crate::log::{call, thread_id};
use crate::streams::Key;

const GLOBAL: u32 = 0;
const RELAXED: u32 = 2;

thread_local! {
    /// What the thread's own calls may do while there are captures.
    static MODE: Cell<u32> = const { Cell::new(GLOBAL) };
}

type Work = Arc<dyn Fn(&mut Driver) + Send + Sync>;

/// Something that a stream does, or a graph.
#[derive(Clone)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    pub(crate) work: Option<Work>,
    /// The event that the node records whenever it is run.
    pub(crate) event: Option<Handle>,
    /// The function that it launches.
    pub(crate) function: Option<Handle>,
    /// The nodes of its graph that come before it, by their places.
    pub(crate) after: Vec<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Kernel,
    Event,
    Other,
}

impl Node {
    pub(crate) fn new(kind: Kind, work: impl Fn(&mut Driver) + Send + Sync + 'static) -> Self {
        Self { kind, work: Some(Arc::new(work)), event: None, function: None, after: Vec::new() }
    }

    pub(crate) fn idle(kind: Kind) -> Self {
        Self { kind, work: None, event: None, function: None, after: Vec::new() }
    }
}

pub(crate) struct Capture {
    mode: u32,
    thread: c_int,
    pub(crate) origin: Key,
    pub(crate) nodes: Vec<Node>,
    /// The graph that it becomes.
    pub(crate) graph: Handle,
    /// What comes next in a stream comes behind these.
    pub(crate) tails: BTreeMap<Key, Vec<usize>>,
    valid: bool,
}

impl Capture {
    /// Puts `node` behind what is in the stream; gives its place.
    pub(crate) fn push(&mut self, key: Key, mut node: Node) -> usize {
        let place = self.nodes.len();
        node.after = self.tails.insert(key, vec![place]).unwrap_or_default();
        self.nodes.push(node);
        place
    }
}

impl Driver {
    /// The capture that takes what is put into the stream.
    pub(crate) fn capture_for(&mut self, key: Key) -> Done<Option<&mut Capture>> {
        if let Some(capture) = self.endangered_by(key) {
            self.spoil(capture);
            return Err(CAPTURE_IMPLICIT);
        }
        let Some(id) = self.stream(key).capture else { return Ok(None) };
        match self.captures.get_mut(&id) {
            Some(capture) if capture.valid => Ok(Some(capture)),
            _ => Err(CAPTURE_INVALIDATED),
        }
    }

    /// The legacy stream waits for all streams that are not apart from it, and cannot for one that is captured.
    fn endangered_by(&self, key: Key) -> Option<u64> {
        let others = self.streams.iter().filter(|(other, _)| key.is_legacy() && other.context == key.context);
        others.filter(|(_, stream)| !stream.apart).find_map(|(_, stream)| stream.capture)
    }

    pub(crate) fn spoil(&mut self, capture: u64) {
        if let Some(capture) = self.captures.get_mut(&capture) {
            capture.valid = false;
        }
    }

    /// Refuses a call that may disturb a capture, and ends the capture by it: what asks about an event, or may wait.
    pub(crate) fn check_safe(&mut self) -> Done {
        let (mode, thread) = (MODE.get(), thread_id());
        if mode == RELAXED {
            return Ok(());
        }
        let disturbs = |capture: &&mut Capture| {
            let own = capture.thread == thread && capture.mode != RELAXED;
            own || (mode == GLOBAL && capture.mode == GLOBAL)
        };
        let mut safe = true;
        for capture in self.captures.values_mut().filter(disturbs) {
            capture.valid = false;
            safe = false;
        }
        if safe { Ok(()) } else { Err(CAPTURE_UNSUPPORTED) }
    }

    /// Refuses to wait for a stream that does not run.
    pub(crate) fn check_not_capturing(&mut self, key: Key) -> Done {
        let Some(capture) = self.stream(key).capture else { return Ok(()) };
        self.spoil(capture);
        Err(CAPTURE_UNSUPPORTED)
    }

    /// Ends the capture that began in the stream.
    fn end_capture(&mut self, key: Key) -> Done<Capture> {
        let id = self.stream(key).capture.ok_or(INVALID_VALUE)?;
        let capture = self.captures.get(&id).ok_or(INVALID_VALUE)?;
        if capture.origin != key {
            return Err(CAPTURE_UNMATCHED);
        }
        if capture.thread != thread_id() && capture.mode != RELAXED {
            return Err(CAPTURE_WRONG_THREAD);
        }
        for stream in self.streams.values_mut().filter(|stream| stream.capture == Some(id)) {
            stream.capture = None;
        }
        let capture = self.captures.remove(&id).filter(|capture| capture.valid);
        capture.ok_or(CAPTURE_INVALIDATED)
    }
}

#[unsafe(no_mangle)]
extern "C" fn cuThreadExchangeStreamCaptureMode(mode: Out<u32>) -> Status {
    call("cuThreadExchangeStreamCaptureMode", |_| mode.put(MODE.replace(mode.get()?)))
}

#[unsafe(no_mangle)]
extern "C" fn cuStreamBeginCapture_v2(stream: Handle, mode: u32) -> Status {
    call("cuStreamBeginCapture_v2", |told| {
        let mut driver = driver();
        let (origin, id, graph) = (driver.key(stream)?, driver.name() as u64, driver.name());
        told.stream(origin);
        if origin.is_legacy() {
            return Err(CAPTURE_UNSUPPORTED);
        }
        if mode > RELAXED || driver.stream(origin).capture.is_some() {
            return Err(INVALID_VALUE);
        }
        driver.stream(origin).capture = Some(id);
        let (nodes, tails) = (Vec::new(), BTreeMap::new());
        let capture = Capture { mode, thread: thread_id(), origin, nodes, graph, tails, valid: true };
        driver.captures.insert(id, capture);
        Ok(())
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuStreamEndCapture(stream: Handle, graph: Out<Handle>) -> Status {
    call("cuStreamEndCapture", |told| {
        let mut driver = driver();
        let key = driver.key(stream)?;
        told.stream(key);
        let capture = driver.end_capture(key);
        // Null where there is none.
        graph.put(0)?;
        let Capture { nodes, graph: handle, .. } = capture?;
        tell(told, &nodes);
        driver.graphs.insert(handle, nodes);
        graph.put(handle)
    })
}

#[unsafe(no_mangle)]
extern "C" fn cuStreamIsCapturing(stream: Handle, to: Out<u32>) -> Status {
    call("cuStreamIsCapturing", |told| {
        let mut driver = driver();
        let key = driver.key(stream)?;
        told.stream(key);
        if driver.endangered_by(key).is_some() {
            return Err(CAPTURE_IMPLICIT);
        }
        let capture = driver.stream(key).capture.and_then(|id| driver.captures.get(&id));
        to.put(capture.map_or(0, |capture| if capture.valid { 1 } else { 2 }))
    })
}

/// A node's handle is its graph's and its number.
pub(crate) fn node(graph: Handle, place: usize) -> Handle {
    (graph << 16) + place + 1
}

/// What is behind a stream is the driver's until something else is asked for.
#[unsafe(no_mangle)]
extern "C" fn cuStreamGetCaptureInfo_v2(
    stream: Handle,
    status: Out<u32>,
    id: Out<u64>,
    graph: Out<Handle>,
    behind: Out<*const Handle>,
    count: Out<usize>,
) -> Status {
    thread_local! {
        static BEHIND: std::cell::RefCell<Vec<Handle>> = const { std::cell::RefCell::new(Vec::new()) };
    }
    call("cuStreamGetCaptureInfo_v2", |_| {
        let mut driver = driver();
        let key = driver.key(stream)?;
        let number = driver.stream(key).capture;
        let Some((number, capture)) = number.and_then(|number| Some((number, driver.captures.get(&number)?))) else {
            return status.put(0);
        };
        status.put(if capture.valid { 1 } else { 2 })?;
        id.put_if_wanted(number);
        graph.put_if_wanted(capture.graph);
        let tail = capture.tails.get(&key).cloned().unwrap_or_default();
        count.put_if_wanted(tail.len());
        BEHIND.with_borrow_mut(|kept| {
            *kept = tail.into_iter().map(|place| node(capture.graph, place)).collect();
            behind.put_if_wanted(kept.as_ptr());
        });
        Ok(())
    })
}
