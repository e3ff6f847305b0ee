//! A thread that runs what it is given, in order.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use super::lock;

pub(super) type Job = Box<dyn FnOnce() + Send>;

/// The work of one stream. Its thread ends when the queue is closed and empty.
#[derive(Default)]
pub(super) struct Queue {
    work: Mutex<Work>,
    changed: Condvar,
}

#[derive(Default)]
struct Work {
    jobs: VecDeque<Job>,
    running: bool,
    closed: bool,
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Queue").field("waiting", &lock(&self.work).jobs.len()).finish_non_exhaustive()
    }
}

impl Queue {
    /// A queue with its thread. Where none can be started, [`push`](Self::push) runs the work itself.
    pub(super) fn start(name: String) -> Arc<Self> {
        let queue = Arc::new(Self::default());
        let worker = Arc::clone(&queue);
        let thread = std::thread::Builder::new().name(name);
        if thread.spawn(move || worker.run()).is_err() {
            queue.close();
        }
        queue
    }

    pub(super) fn push(&self, job: Job) {
        let mut work = lock(&self.work);
        if work.closed {
            drop(work);
            return job();
        }
        work.jobs.push_back(job);
        self.changed.notify_all();
    }

    pub(super) fn close(&self) {
        lock(&self.work).closed = true;
        self.changed.notify_all();
    }

    /// Waits until everything that was pushed before has run.
    pub(super) fn drain(&self) {
        let mut work = lock(&self.work);
        while work.running || !work.jobs.is_empty() {
            work = self.changed.wait(work).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn run(&self) {
        while let Some(job) = self.next() {
            // A kernel that panics must not end the stream: later work would never be reached.
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(job));
        }
    }

    fn next(&self) -> Option<Job> {
        let mut work = lock(&self.work);
        work.running = false;
        self.changed.notify_all();
        loop {
            if let Some(job) = work.jobs.pop_front() {
                work.running = true;
                return Some(job);
            }
            if work.closed {
                return None;
            }
            work = self.changed.wait(work).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
