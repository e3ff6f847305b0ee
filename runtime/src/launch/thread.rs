//! What a launching thread has for itself: numbers, lanes, what a budget left out, and the scope that it is in.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicU64, Ordering};

use super::graphs::Replays;
use crate::lane::{Sender, Target, lane};
use crate::name::Name;
use crate::own;
use crate::parts::Parts;
use crate::process;
use crate::sampling::{Place, Sampler};
use crate::session::Session;
use crate::site::{Instance, Known, Site};

thread_local! {
    static THREAD: RefCell<Thread> = const { RefCell::new(Thread::new()) };
    static SCOPE: Cell<Around> = const { Cell::new(None) };
    static RANGE: Cell<bool> = const { Cell::new(false) };
    /// The launch's that was numbered last.
    static NUMBER: Cell<u64> = const { Cell::new(0) };
}

/// A number that no other launch of the process has. Threads take them by the hundred, so as not to meet on a counter.
#[inline]
pub(super) fn number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    const HANDFUL: u64 = 256;
    NUMBER.with(|last| {
        let mut number = last.get();
        if number % HANDFUL == 0 {
            number = NEXT.fetch_add(1, Ordering::Relaxed) * HANDFUL;
        }
        // One handful ends where the next one may begin: that is another thread's.
        last.set(number + 1);
        number + 1
    })
}

/// A scope that a thread is in, and its session: what a fork's parent has open is nothing of the child's.
pub(super) type Around = Option<(u64, &'static Session)>;

/// The number of the scope that the thread is in; 0 outside of any.
#[inline]
pub(super) fn scope() -> u64 {
    SCOPE.get().filter(|&(_, session)| is_current(Some(session))).map_or(0, |(number, _)| number)
}

/// Enters a scope; gives the one around it.
#[inline]
pub(super) fn enter_scope(scope: Around) -> Around {
    SCOPE.replace(scope)
}

/// Whether `session` is the process's.
#[inline]
pub(super) fn is_current(session: Option<&'static Session>) -> bool {
    session.map(std::ptr::from_ref) == Session::current().map(std::ptr::from_ref)
}

/// Enters the outermost range; false inside of one.
#[inline]
pub(super) fn enter_range() -> bool {
    !RANGE.replace(true)
}

/// Leaves the outermost range.
#[inline]
pub(super) fn leave_range() {
    RANGE.set(false);
}

/// Runs `work` with the thread's lane for `target`; `None` where the thread is ending and has none.
#[inline]
pub(super) fn with<T>(target: Target, work: impl FnOnce(&mut Sender, &'static Session) -> T) -> Option<T> {
    let done = with_thread(|thread| {
        let session = Session::current()?;
        let lane = thread.lane(target, session);
        thread.senders.get_mut(lane).map(|sender| work(sender, session))
    });
    done.flatten()
}

/// Whether the session's budget has the thread's next launch of `name` timed. So it is where there is no budget, and
/// where the thread is ending and cannot count.
#[inline]
pub(super) fn is_due(name: &'static Name) -> bool {
    let due = with_thread(|thread| {
        let session = Session::current()?;
        let rule = session.rule.as_ref()?;
        thread.attend(session);
        Some(thread.sampler.is_due(name, rule, |count| session.count(count)))
    });
    due.flatten().unwrap_or(true)
}

/// Whether the session's budget leaves the thread's next launch at `site` out, and to count it is all that there is to do: then
/// it is counted.
#[inline]
pub(super) fn leaves_out(site: &'static Site, instance: Instance) -> Option<&'static Known> {
    with_thread(|thread| {
        let session = Session::current()?;
        if !thread.session.is_some_and(|own| std::ptr::eq(own, session)) {
            return None;
        }
        let of = Place::of(site, instance);
        let known = thread.sampler.leaves_out(of);
        known.or_else(|| site.known(instance).filter(|known| thread.leaves_out_next(of, known, session)))
    })
    .flatten()
}

/// The same of a name that depends on more.
#[inline]
pub(super) fn leaves_out_as(known: &'static Known) -> bool {
    let left_out = with_thread(|thread| {
        let session = Session::current()?;
        thread.session.filter(|own| std::ptr::eq(*own, session))?;
        let of = Place::of_name(known);
        Some(thread.sampler.leaves_out(of).is_some() || thread.leaves_out_next(of, known, session))
    });
    left_out.flatten().unwrap_or(false)
}

/// The budget left a launch of `name` out.
#[inline]
pub(super) fn leave_out(name: &Name) {
    let _ = with_thread(|thread| thread.sampler.leave_out(name));
}

/// It has a launch of `name` timed: how many it left out since the last.
#[inline]
pub(super) fn take(name: &Name) -> u32 {
    with_thread(|thread| thread.sampler.take(name)).unwrap_or(0)
}

/// Runs `work` with what the thread knows of graphs.
#[inline]
pub(super) fn with_replays<T>(work: impl FnOnce(&mut Replays) -> T) -> Option<T> {
    with_thread(|thread| work(&mut thread.replays))
}

/// Runs `work` with what the thread has; `None` where the thread is ending and has nothing.
#[inline]
fn with_thread<T>(work: impl FnOnce(&mut Thread) -> T) -> Option<T> {
    THREAD.try_with(|thread| thread.try_borrow_mut().ok().map(|mut thread| work(&mut thread))).ok().flatten()
}

struct Thread {
    /// The session that the lanes lead to: another one in a fork's child.
    session: Option<&'static Session>,
    /// One for each context that the thread launches in; few.
    senders: Vec<Sender>,
    sampler: Sampler,
    replays: Replays,
}

impl Thread {
    const fn new() -> Self {
        Self { session: None, senders: Vec::new(), sampler: Sampler::new(), replays: Replays::new() }
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
            self.begin(session);
        }
    }

    #[cold]
    #[inline(never)]
    fn leaves_out_next(&mut self, of: Place, known: &'static Known, session: &'static Session) -> bool {
        // What is launched inside of our own work is nothing to us.
        let may_be_timed = !own::is_at_work() && known.allowed.contains(Parts::TIME);
        let rule = session.rule.as_ref().filter(|_| may_be_timed);
        rule.is_some_and(|rule| self.sampler.leaves_out_next(of, known, rule))
    }

    #[cold]
    #[inline(never)]
    fn begin(&mut self, session: &'static Session) {
        self.senders.clear();
        self.sampler = Sampler::new();
        self.replays = Replays::new();
        self.session = Some(session);
    }

    #[cold]
    fn open(&mut self, target: Target, session: &'static Session) -> usize {
        let (sender, receiver) = lane(target, process::thread_id());
        session.register(receiver);
        self.senders.push(sender);
        self.senders.len() - 1
    }
}
