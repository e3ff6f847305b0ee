//! What a launching thread has for itself: numbers, lanes, and the scope that it is in.

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::lane::{Sender, Target, lane};
use crate::process;
use crate::session::Session;

thread_local! {
    static THREAD: RefCell<Thread> = const { RefCell::new(Thread::new()) };
    static SCOPE: Cell<u64> = const { Cell::new(0) };
}

/// A number that no other launch of the process has. Threads take them by the hundred, so as not to meet on a counter.
pub(super) fn number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    const HANDFUL: u64 = 256;
    let own = THREAD.try_with(|thread| {
        let mut thread = thread.try_borrow_mut().ok()?;
        if thread.numbers.is_empty() {
            let first = NEXT.fetch_add(HANDFUL, Ordering::Relaxed);
            thread.numbers = first..first + HANDFUL;
        }
        thread.numbers.next()
    });
    own.ok().flatten().unwrap_or_else(|| NEXT.fetch_add(1, Ordering::Relaxed))
}

/// The number of the scope that the thread is in; 0 outside of any.
#[inline]
pub(super) fn scope() -> u64 {
    SCOPE.get()
}

/// Enters the scope of that number; gives the one around it.
#[inline]
pub(super) fn enter_scope(number: u64) -> u64 {
    SCOPE.replace(number)
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

struct Thread {
    /// The session that the lanes lead to: another one in a fork's child.
    session: Option<&'static Session>,
    numbers: Range<u64>,
    /// One for each context that the thread launches in; few.
    senders: Vec<Sender>,
}

impl Thread {
    const fn new() -> Self {
        Self { session: None, numbers: 0..0, senders: Vec::new() }
    }

    #[inline]
    fn lane(&mut self, target: Target, session: &'static Session) -> usize {
        let ours = self.session.is_some_and(|own| std::ptr::eq(own, session));
        match self.senders.iter().position(|sender| sender.serves(target)) {
            Some(lane) if ours => lane,
            _ => self.open(target, session),
        }
    }

    #[cold]
    fn open(&mut self, target: Target, session: &'static Session) -> usize {
        if !self.session.is_some_and(|own| std::ptr::eq(own, session)) {
            self.senders.clear();
            self.session = Some(session);
        }
        let (sender, receiver) = lane(target, process::thread_id());
        session.register(receiver);
        self.senders.push(sender);
        self.senders.len() - 1
    }
}
