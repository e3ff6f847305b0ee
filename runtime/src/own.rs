//! What is launchsite's own work on a thread of the program's.

use std::cell::Cell;

thread_local! {
    static OWN: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work`, which is launchsite's own: what the program's code does inside, such as its allocator, is not recorded, and
/// does not come here again. `None` where that is where the call comes from.
#[inline]
pub(crate) fn own<T>(work: impl FnOnce() -> T) -> Option<T> {
    if OWN.replace(true) {
        return None;
    }
    // Should `work` panic, which it does not, the flag still comes down.
    let _done = Done;
    Some(work())
}

/// Whether the calling thread is in such work.
#[inline]
pub(crate) fn is_at_work() -> bool {
    OWN.get()
}

/// The calling thread is launchsite's own, for good.
pub(crate) fn is_own() {
    OWN.set(true);
}

/// Runs `work`, which is the program's own, on a thread of launchsite's.
pub(crate) fn lent<T>(work: impl FnOnce() -> T) -> T {
    OWN.set(false);
    let _back = Back;
    work()
}

struct Back;

impl Drop for Back {
    fn drop(&mut self) {
        OWN.set(true);
    }
}

struct Done;

impl Drop for Done {
    #[inline]
    fn drop(&mut self) {
        OWN.set(false);
    }
}
