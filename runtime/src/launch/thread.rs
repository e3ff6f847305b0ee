//! What a launching thread has for itself.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::lane::{Sender, Target, lane};
use crate::name::Name;
use crate::process;
use crate::sampling::Sampler;
use crate::session::Session;

/// A number that no other launch of the process has. Threads take them by the hundred, so as not to meet on a counter.
pub(super) fn number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    const HANDFUL: u64 = 256;
    THREAD
        .try_with(|thread| {
            let mut thread = thread.try_borrow_mut().ok()?;
            if thread.numbers.is_empty() {
                let first = NEXT.fetch_add(HANDFUL, Ordering::Relaxed);
                thread.numbers = first..first + HANDFUL;
            }
            thread.numbers.next()
        })
        .ok()
        .flatten()
        .unwrap_or_else(|| NEXT.fetch_add(1, Ordering::Relaxed))
}

thread_local! {
    static THREAD: RefCell<Thread> = const { RefCell::new(Thread::new()) };
}

/// What a launching thread has for itself.
pub(super) struct Thread {
    /// The session that the lanes lead to: another one in a fork's child.
    session: Option<&'static Session>,
    numbers: std::ops::Range<u64>,
    /// One for each context that the thread launches in; few.
    senders: Vec<Sender>,
    sampler: Sampler,
}

impl Thread {
    const fn new() -> Self {
        Self { session: None, numbers: 0..0, senders: Vec::new(), sampler: Sampler::new() }
    }

    /// Runs `work` with the thread's lane for `target`; `None` where the thread is ending and has none.
    #[inline]
    pub(super) fn with<T>(target: Target, work: impl FnOnce(&mut Sender, &'static Session) -> T) -> Option<T> {
        let done = THREAD.try_with(|thread| {
            let mut thread = thread.try_borrow_mut().ok()?;
            let session = Session::current()?;
            let lane = thread.lane(target, session);
            thread.senders.get_mut(lane).map(|sender| work(sender, session))
        });
        done.ok().flatten()
    }

    /// Whether the session's budget has the thread's next launch of `name` timed. So it is where there is no budget, and
    /// where the thread is ending and cannot count.
    #[inline]
    pub(super) fn is_due(name: &'static Name) -> bool {
        let due = THREAD.try_with(|thread| {
            let mut thread = thread.try_borrow_mut().ok()?;
            let session = Session::current()?;
            let rule = session.rule.as_ref()?;
            thread.attend(session);
            Some(thread.sampler.is_due(name, rule, |count| session.count(count)))
        });
        due.ok().flatten().unwrap_or(true)
    }

    /// The budget left a launch of `name` out.
    #[inline]
    pub(super) fn leave_out(name: &Name) {
        let _ = THREAD.try_with(|thread| thread.try_borrow_mut().map(|mut thread| thread.sampler.leave_out(name)));
    }

    /// It has a launch of `name` timed: how many it left out since the last.
    #[inline]
    pub(super) fn take(name: &Name) -> u32 {
        let taken = THREAD.try_with(|thread| thread.try_borrow_mut().map(|mut thread| thread.sampler.take(name)));
        taken.ok().and_then(Result::ok).unwrap_or(0)
    }

    #[inline]
    fn lane(&mut self, target: Target, session: &'static Session) -> usize {
        self.attend(session);
        match self.senders.iter().position(|sender| sender.serves(target)) {
            Some(lane) => lane,
            None => self.open(target, session),
        }
    }

    /// Makes what the thread has that of `session`.
    #[inline]
    fn attend(&mut self, session: &'static Session) {
        if !self.session.is_some_and(|own| std::ptr::eq(own, session)) {
            self.senders.clear();
            self.sampler = Sampler::new();
            self.session = Some(session);
        }
    }

    #[cold]
    fn open(&mut self, target: Target, session: &'static Session) -> usize {
        let (sender, receiver) = lane(target, process::thread_id());
        session.register(receiver);
        self.senders.push(sender);
        self.senders.len() - 1
    }
}
