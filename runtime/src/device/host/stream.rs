//! Streams of the stand-in, and what capturing one gives.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use super::imitation::Spot;
use super::launch::{LaunchArgs, Work};
use super::queue::Queue;
use super::{Call, Error, Host, code, lock};
use crate::device::{Capture, Refusal};

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

    /// Waits until everything in the stream has run.
    ///
    /// # Errors
    /// The stream is being captured: then the capture is invalid, as on a GPU.
    pub fn synchronize(&self) -> Result<(), Error> {
        let line = self.host.0.streams.line("cuStreamSynchronize", self.handle)?;
        if line.captured().is_some() {
            let call = "cuStreamSynchronize";
            return Err(Error(Refusal { call, code: code::CAPTURE_UNSUPPORTED }));
        }
        line.queue.drain();
        Ok(())
    }

    /// From here on launches are put into a graph and do not run.
    ///
    /// # Errors
    /// The stream is being captured already.
    pub fn begin_capture(&self) -> Result<(), Error> {
        let call = "cuStreamBeginCapture";
        let line = self.host.0.streams.line(call, self.handle)?;
        let mut captured = line.captured();
        if captured.is_some() {
            return Err(Error(Refusal { call, code: code::CAPTURE_ILLEGAL }));
        }
        *captured = Some(Vec::new());
        Ok(())
    }

    /// Ends the capture; the stream runs its work again.
    ///
    /// # Errors
    /// The stream is not being captured.
    pub fn end_capture(&self) -> Result<Graph, Error> {
        let call = "cuStreamEndCapture";
        let line = self.host.0.streams.line(call, self.handle)?;
        let nodes = line.captured().take();
        let (host, stream) = (self.host, self.handle);
        nodes.map(|nodes| Graph { nodes, host, stream }).ok_or(Error(Refusal { call, code: code::CAPTURE_ILLEGAL }))
    }

    /// The device that the stream is on.
    #[must_use]
    pub fn host(&self) -> Host {
        self.host
    }

    #[cfg(feature = "enabled")]
    pub(crate) fn handle(&self) -> u64 {
        self.handle
    }

    pub(super) fn submit(&self, work: Work) -> Result<(), Error> {
        self.host.0.script.play(Call::Launch)?;
        Ok(self.host.0.streams.submit(self.handle, work, false)?)
    }
}

impl Drop for Stream {
    /// What is in the stream still runs, as on a GPU.
    fn drop(&mut self) {
        self.host.0.streams.close(self.handle);
    }
}

/// What a capture gathered.
#[derive(Clone)]
pub struct Graph {
    nodes: Vec<Work>,
    host: Host,
    stream: u64,
}

impl Graph {
    /// How many launches the graph holds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Puts everything that the graph holds into the stream that captured it, and returns at once.
    ///
    /// # Errors
    /// The script refuses it, or the stream is gone; nothing was put into it.
    pub fn launch(&self) -> Result<(), Error> {
        self.host.0.script.play(Call::GraphLaunch)?;
        let line = self.host.0.streams.line("cuGraphLaunch", self.stream)?;
        let nodes = self.nodes.clone();
        match &mut *line.captured() {
            Some(captured) => captured.extend(nodes),
            None => line.queue.push(Box::new(move || nodes.iter().for_each(|work| work()))),
        }
        Ok(())
    }

    #[cfg(feature = "enabled")]
    pub(crate) fn stream(&self) -> (Host, u64) {
        (self.host, self.stream)
    }

    /// Whether nothing was launched in the capture.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Graph").field("nodes", &self.nodes.len()).finish_non_exhaustive()
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
    captured: Mutex<Option<Vec<Work>>>,
    /// What has been put into it.
    spot: Mutex<Spot>,
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Line").field("queue", &self.queue).finish_non_exhaustive()
    }
}

impl Line {
    fn captured(&self) -> std::sync::MutexGuard<'_, Option<Vec<Work>>> {
        lock(&self.captured)
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
    pub(super) fn submit(&self, handle: u64, work: Work, probe: bool) -> Result<(), Refusal> {
        let line = self.line("cuLaunchKernel", handle)?;
        if let Some(nodes) = &mut *line.captured() {
            nodes.push(work);
            return Ok(());
        }
        let mut spot = lock(&line.spot);
        *(if probe { &mut spot.probes } else { &mut spot.work }) += 1;
        line.queue.push(Box::new(move || work()));
        Ok(())
    }

    /// Where an event stands that is put into the stream now.
    pub(super) fn next_event(&self, handle: u64) -> Spot {
        let Ok(line) = self.line("cuEventRecord", handle) else { return Spot::default() };
        let mut spot = lock(&line.spot);
        spot.events += 1;
        spot.clone()
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

    pub(super) fn capturing(&self, handle: u64) -> Result<Capture, Refusal> {
        let line = self.line("cuStreamIsCapturing", handle)?;
        let captured = line.captured().is_some();
        Ok(if captured { Capture::Capturing } else { Capture::None })
    }

    fn line(&self, call: &'static str, handle: u64) -> Result<Arc<Line>, Refusal> {
        let line = lock(&self.open).get(&handle).cloned();
        line.ok_or(Refusal { call, code: code::INVALID_HANDLE })
    }
}
