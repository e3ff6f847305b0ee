//! Record, launch, record, by hand: pooled events, and a thread that reads them every 20 ms.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use cudarc::driver::{CudaContext, CudaStream, DriverError, result, sys};

/// As many as launchsite keeps for a thread.
const PAIRS: usize = 4096;

/// Pairs of one launching thread.
#[derive(Debug)]
pub struct ByHand {
    shared: Arc<Shared>,
    reader: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    events: Vec<usize>,
    recorded: AtomicUsize,
    read: AtomicUsize,
    over: AtomicBool,
}

impl Shared {
    fn pair(&self, index: usize) -> (sys::CUevent, sys::CUevent) {
        let event = |at: usize| self.events.get(at).map_or(std::ptr::null_mut(), |&event| event as sys::CUevent);
        let first = index % PAIRS * 2;
        (event(first), event(first + 1))
    }

    fn read(&self) {
        let mut index = self.read.load(Ordering::Relaxed);
        while index < self.recorded.load(Ordering::Acquire) {
            let (start, stop) = self.pair(index);
            // SAFETY: events that are never destroyed, and have been recorded.
            if unsafe { result::event::elapsed(start, stop) }.is_err() {
                return;
            }
            index += 1;
            self.read.store(index, Ordering::Release);
        }
    }
}

impl ByHand {
    /// Makes the events, and starts the thread that reads them.
    ///
    /// # Errors
    /// The driver's.
    pub fn new(context: &Arc<CudaContext>) -> Result<Self, DriverError> {
        let event = |_| result::event::create(sys::CUevent_flags::CU_EVENT_DEFAULT).map(|event| event as usize);
        let shared = Arc::new(Shared {
            events: (0..2 * PAIRS).map(event).collect::<Result<_, _>>()?,
            recorded: AtomicUsize::new(0),
            read: AtomicUsize::new(0),
            over: AtomicBool::new(false),
        });
        let (context, reading) = (Arc::clone(context), Arc::clone(&shared));
        let reader = std::thread::spawn(move || {
            let bound = context.bind_to_thread().is_ok();
            while bound && !reading.over.load(Ordering::Relaxed) {
                reading.read();
                std::thread::park_timeout(Duration::from_millis(20));
            }
        });
        Ok(Self { shared, reader: Some(reader) })
    }

    /// `launch` with two events around it. Called by one thread.
    ///
    /// # Errors
    /// The launch's, or the driver's.
    #[inline]
    pub fn around(
        &self,
        stream: &CudaStream,
        launch: impl FnOnce() -> Result<(), DriverError>,
    ) -> Result<(), DriverError> {
        let index = self.shared.recorded.load(Ordering::Relaxed);
        let waiting = || index - self.shared.read.load(Ordering::Acquire);
        if waiting() == PAIRS / 2 {
            self.wake();
        }
        while waiting() >= PAIRS {
            std::thread::yield_now();
        }
        let (start, stop) = self.shared.pair(index);
        // SAFETY: an event that is never destroyed, and a stream that is alive.
        unsafe { result::event::record(start, stream.cu_stream()) }?;
        launch()?;
        // SAFETY: as above.
        unsafe { result::event::record(stop, stream.cu_stream()) }?;
        self.shared.recorded.store(index + 1, Ordering::Release);
        Ok(())
    }

    fn wake(&self) {
        if let Some(reader) = &self.reader {
            reader.thread().unpark();
        }
    }
}

impl Drop for ByHand {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::Relaxed);
        self.wake();
        // A reader that panicked has said so.
        let _ = self.reader.take().map(JoinHandle::join);
    }
}
