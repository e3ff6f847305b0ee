//! Streams of the stand-in, and what capturing one gives.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use super::events::Events;
use super::graph::{Capture, Graph, Node, What};
use super::imitation::Spot;
use super::launch::{LaunchArgs, Work};
use super::queue::Queue;
use super::{Call, Error, Host, code, lock};
use crate::device::graph::Captured;
use crate::device::{self, Refusal};

/// A stream of a stand-in: work put into it runs in order, on a thread of its own, while the caller goes on.
#[derive(Debug)]
pub struct Stream {
    host: Host,
    handle: u64,
}

impl Stream {
    /// A builder of one launch. `kernel` is the name that the GPU's side would have for it.
    pub fn launch_builder(&self, kernel: &'static str, work: impl Fn() + Send + Sync + 'static) -> LaunchArgs<'_> {
        LaunchArgs::new(self, kernel, Arc::new(work))
    }

    /// Puts a copy into the stream, or whatever else is no kernel, and returns at once: `work` does it. A capture takes it.
    ///
    /// # Errors
    /// The stream's capture has become invalid.
    pub fn copy(&self, work: impl Fn() + Send + Sync + 'static) -> Result<(), Error> {
        Ok(self.host.0.streams.submit("cuMemcpyAsync", self.handle, What::Copy(Arc::new(work)), false)?)
    }

    /// The same, and waits for it: a blocking copy.
    ///
    /// # Errors
    /// As of [`synchronize`](Self::synchronize); nothing was put into the stream.
    pub fn copy_and_wait(&self, work: impl Fn() + Send + Sync + 'static) -> Result<(), Error> {
        self.can_wait("cuMemcpy")?;
        self.copy(work)?;
        self.synchronize()
    }

    /// Waits until everything in the stream has run.
    ///
    /// # Errors
    /// The stream is being captured: then the capture is invalid, as on a GPU.
    pub fn synchronize(&self) -> Result<(), Error> {
        self.can_wait("cuStreamSynchronize")?.queue.drain();
        Ok(())
    }

    /// The stream's line, unless it is captured: waiting for what does not run makes the capture invalid.
    fn can_wait(&self, call: &'static str) -> Result<Arc<Line>, Error> {
        let line = self.host.0.streams.line(call, self.handle)?;
        if let Some(capture) = &mut *line.captured() {
            capture.valid = false;
            return Err(Error(Refusal { call, code: code::CAPTURE_UNSUPPORTED }));
        }
        Ok(line)
    }

    /// From here on launches are put into a graph and do not run.
    ///
    /// # Errors
    /// The script refuses it, or the stream is being captured already.
    pub fn begin_capture(&self) -> Result<(), Error> {
        let call = "cuStreamBeginCapture";
        self.host.0.script.play(Call::BeginCapture)?;
        let line = self.host.0.streams.line(call, self.handle)?;
        let mut captured = line.captured();
        if captured.is_some() {
            return Err(Error(Refusal { call, code: code::CAPTURE_ILLEGAL }));
        }
        *captured = Some(Capture::new());
        Ok(())
    }

    /// Ends the capture; the stream runs its work again.
    ///
    /// # Errors
    /// The stream is not being captured, or its capture had become invalid; then there is no graph.
    pub fn end_capture(&self) -> Result<Graph, Error> {
        let call = "cuStreamEndCapture";
        let line = self.host.0.streams.line(call, self.handle)?;
        let capture = line.captured().take().ok_or(Error(Refusal { call, code: code::CAPTURE_ILLEGAL }))?;
        // Whatever comes of it, the stream runs its work again.
        self.host.0.script.play(Call::EndCapture)?;
        if !capture.valid {
            return Err(Error(Refusal { call, code: code::CAPTURE_INVALIDATED }));
        }
        Ok(Graph::new(capture, self.host, self.handle))
    }

    /// The device that the stream is on.
    #[must_use]
    pub fn host(&self) -> Host {
        self.host
    }

    pub(crate) fn handle(&self) -> u64 {
        self.handle
    }

    pub(super) fn submit(&self, kernel: &'static str, work: Work) -> Result<(), Error> {
        self.host.0.script.play(Call::Launch)?;
        Ok(self.host.0.streams.submit("cuLaunchKernel", self.handle, What::Kernel(kernel, work), false)?)
    }
}

impl Drop for Stream {
    /// What is in the stream still runs, as on a GPU.
    fn drop(&mut self) {
        self.host.0.streams.close(self.handle);
    }
}

/// The streams that are open, by handle.
#[derive(Debug, Default)]
pub(super) struct Streams {
    next: AtomicU64,
    open: Mutex<HashMap<u64, Arc<Line>>>,
}

/// One stream's work, and its capture if one is going on.
pub(super) struct Line {
    queue: Arc<Queue>,
    captured: Mutex<Option<Capture>>,
    /// What has been put into it.
    spot: Mutex<Spot>,
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Line").field("queue", &self.queue).finish_non_exhaustive()
    }
}

impl Line {
    fn captured(&self) -> std::sync::MutexGuard<'_, Option<Capture>> {
        lock(&self.captured)
    }

    fn next_event(&self) -> Spot {
        let mut spot = lock(&self.spot);
        spot.events += 1;
        spot.clone()
    }
}

impl Streams {
    pub(super) fn open(&self, host: Host) -> Stream {
        Stream { host, handle: self.open_unowned() }
    }

    /// A stream that nothing closes.
    pub(super) fn open_unowned(&self) -> u64 {
        let handle = self.next.fetch_add(1, Ordering::Relaxed) + 1;
        let line = Line {
            queue: Queue::start(format!("host-stream-{handle}")),
            captured: Mutex::default(),
            spot: Mutex::new(Spot { stream: handle, ..Spot::default() }),
        };
        lock(&self.open).insert(handle, Arc::new(line));
        handle
    }

    /// Puts `work` into the stream, or into the graph that it is captured into; `probe` is a kernel of launchsite's own.
    pub(super) fn submit(&self, call: &'static str, handle: u64, what: What, probe: bool) -> Result<(), Refusal> {
        let line = self.line(call, handle)?;
        if let Some(capture) = &mut *line.captured() {
            if !capture.valid {
                return Err(Refusal { call, code: code::CAPTURE_INVALIDATED });
            }
            capture.push(what);
            return Ok(());
        }
        let (What::Kernel(_, work) | What::Copy(work)) = what else { return Ok(()) };
        let mut spot = lock(&line.spot);
        *(if probe { &mut spot.probes } else { &mut spot.work }) += 1;
        line.queue.push(Box::new(move || work()));
        Ok(())
    }

    /// Puts the nodes of a graph into the stream, one behind the other, or into the graph that it is captured into.
    pub(super) fn run(&self, handle: u64, nodes: &[Node], events: &Events) -> Result<(), Refusal> {
        let line = self.line("cuGraphLaunch", handle)?;
        if let Some(capture) = &mut *line.captured() {
            for node in nodes {
                capture.push(node.what.clone());
            }
            return Ok(());
        }
        let mut jobs: Vec<Work> = Vec::with_capacity(nodes.len());
        for node in nodes {
            jobs.push(match &node.what {
                What::Kernel(_, work) | What::Copy(work) => {
                    lock(&line.spot).work += 1;
                    Arc::clone(work)
                }
                What::Event(event) => {
                    let stamp = events.record(*event, line.next_event())?;
                    Arc::new(move || stamp.reach())
                }
            });
        }
        line.queue.push(Box::new(move || jobs.iter().for_each(|job| job())));
        Ok(())
    }

    /// Where the last launch went that was captured.
    pub(super) fn captured(&self, handle: u64) -> Result<Captured, Refusal> {
        let call = Call::CaptureInfo.entry_point();
        let line = self.line(call, handle)?;
        let captured = line.captured().as_ref().map(Capture::captured);
        captured.ok_or(Refusal { call, code: code::CAPTURE_ILLEGAL })
    }

    /// Where an event stands that is put into the stream now.
    pub(super) fn next_event(&self, handle: u64) -> Spot {
        self.line("cuEventRecord", handle).map(|line| line.next_event()).unwrap_or_default()
    }

    pub(super) fn close(&self, handle: u64) {
        if let Some(line) = lock(&self.open).remove(&handle) {
            line.queue.close();
        }
    }

    pub(super) fn push(&self, handle: u64, job: impl FnOnce() + Send + 'static) -> Result<(), Refusal> {
        let line = self.line("cuEventRecord", handle)?;
        if line.captured().is_none() {
            line.queue.push(Box::new(job));
        }
        Ok(())
    }

    pub(super) fn capturing(&self, handle: u64) -> Result<device::Capture, Refusal> {
        let line = self.line("cuStreamIsCapturing", handle)?;
        let captured = line.captured().is_some();
        Ok(if captured { device::Capture::Capturing } else { device::Capture::None })
    }

    fn line(&self, call: &'static str, handle: u64) -> Result<Arc<Line>, Refusal> {
        let line = lock(&self.open).get(&handle).cloned();
        line.ok_or(Refusal { call, code: code::INVALID_HANDLE })
    }
}
