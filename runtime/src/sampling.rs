//! Which launches are timed where a budget leaves some out, and how many are left out: decided by each thread for itself, so
//! that threads never meet on a count.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::config::Budget;
use crate::name::Name;
use crate::site::{Instance, Known, Site};

/// Of each site under a share, timed before any other rule: what runs seldom is seen, and its cost is known.
const FIRST: u32 = 4;

/// What a budget says of a launch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    /// Every so manieth launch of a name, while nothing else has been settled for it.
    stride: u32,
    /// Launches of a name that are timed in any case.
    first: u32,
    /// The collector settles how seldom each name is timed, from what timing costs.
    pub(crate) share: Option<f64>,
}

impl Rule {
    /// The rule for `budget`; `None` where every launch is timed.
    pub(crate) fn of(budget: Budget) -> Option<Self> {
        match budget {
            Budget::All | Budget::Every(..=1) => None,
            Budget::Every(stride) => Some(Self { stride, first: 1, share: None }),
            // A timed launch takes less than twice as long: so seldom, the share is kept before anything is known.
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates, and is above zero
            Budget::Share(share) => {
                Some(Self { stride: (1.0 / share).ceil().max(1.0) as u32, first: FIRST, share: Some(share) })
            }
        }
    }

    /// Every so manieth launch of a graph is timed inside, while nothing else has been settled for it.
    pub(crate) fn stride_of_nodes(&self) -> Option<u32> {
        self.share.is_none().then_some(self.stride)
    }

    #[inline]
    fn stride(&self, name: &Name) -> u32 {
        name.pace.stride().unwrap_or(self.stride)
    }
}

/// The launches of a name that one thread has left out. Only that thread writes it.
#[derive(Debug)]
pub(crate) struct LeftOut {
    pub(crate) name: &'static Name,
    count: AtomicU64,
}

impl LeftOut {
    pub(crate) fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// Not `fetch_add`: nobody else writes it.
    #[inline]
    fn add(&self) {
        self.count.store(self.count.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }
}

/// One thread's counts.
#[derive(Debug)]
pub(crate) struct Sampler {
    /// By the name's number.
    turns: Vec<Option<Turn>>,
    ahead: [Ahead; PLACES],
}

const PLACES: usize = 16;
/// Of a site, it is looked at so often whether the collector has settled something else.
const AT_ONCE: u32 = 64;

/// Launches at a site, in one instantiation, that are left out whatever comes: to count one takes no look at anything but this
/// and the count. The driver has put other things into the caches by then, and each line that is looked at may be a miss.
#[derive(Debug)]
struct Ahead {
    of: Place,
    left: u32,
    /// Those that were left out and are not in the turn yet.
    used: u32,
    known: Option<(&'static Known, Arc<LeftOut>)>,
}

/// What launches are known by before their name is, by address: the site and the instantiation, or a name that depends on more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place(usize, usize);

impl Place {
    #[inline]
    pub(crate) fn of(site: &'static Site, instance: Instance) -> Self {
        Self(std::ptr::from_ref(site).addr(), instance as usize)
    }

    #[inline]
    pub(crate) fn of_name(known: &'static Known) -> Self {
        Self(std::ptr::from_ref(known).addr(), 0)
    }

    /// The upper bits of a product with a large odd number depend on all of both.
    #[inline]
    fn index(self) -> usize {
        let mixed = (self.0 ^ self.1.rotate_right(7)).wrapping_mul((usize::MAX / 0x1_9e37) | 1);
        mixed >> (usize::BITS - PLACES.ilog2())
    }
}

impl Ahead {
    const NONE: Self = Self { of: Place(0, 0), left: 0, used: 0, known: None };
}

#[derive(Debug)]
struct Turn {
    /// Launches since one was timed, or what stands for them at the beginning.
    since: u32,
    /// Those of them that were left out.
    out: u32,
    /// Launches that are timed in any case.
    first: u32,
    shared: Arc<LeftOut>,
}

impl Turn {
    #[inline]
    fn is_due(&self, stride: u32) -> bool {
        self.first > 0 || self.since >= stride - 1
    }

    #[inline]
    fn leave_out(&mut self) {
        self.since = self.since.saturating_add(1);
        self.out = self.out.saturating_add(1);
        self.shared.add();
    }
}

impl Sampler {
    pub(crate) const fn new() -> Self {
        Self { turns: Vec::new(), ahead: [const { Ahead::NONE }; PLACES] }
    }

    /// Whether the thread's next launch of `name` is to be timed. `register` is given the count of a name that is new.
    #[inline]
    pub(crate) fn is_due(&mut self, name: &'static Name, rule: &Rule, register: impl FnOnce(Arc<LeftOut>)) -> bool {
        self.settle();
        match self.turns.get(name.index) {
            Some(Some(turn)) => turn.is_due(rule.stride(name)),
            _ => self.enter(name, rule, register),
        }
    }

    /// Whether the thread's next launch there is left out, as far as that was known before; then it is counted.
    #[inline]
    pub(crate) fn leaves_out(&mut self, of: Place) -> Option<&'static Known> {
        let ahead = self.ahead.get_mut(of.index()).filter(|ahead| ahead.of == of && ahead.left > 0)?;
        let (known, shared) = ahead.known.as_ref()?;
        ahead.left -= 1;
        ahead.used += 1;
        shared.add();
        Some(known)
    }

    /// The same, found out now. False for a name that is new.
    pub(crate) fn leaves_out_next(&mut self, of: Place, known: &'static Known, rule: &Rule) -> bool {
        self.settle();
        let Some(Some(turn)) = self.turns.get_mut(known.name.index) else { return false };
        let stride = rule.stride(known.name);
        if turn.is_due(stride) {
            return false;
        }
        turn.leave_out();
        let left = (stride - 1 - turn.since).min(AT_ONCE);
        if let Some(ahead) = self.ahead.get_mut(of.index()) {
            *ahead = Ahead { of, left, used: 0, known: Some((known, Arc::clone(&turn.shared))) };
        }
        true
    }

    /// Brings the turns up to date, and leaves nothing ahead.
    fn settle(&mut self) {
        for ahead in &mut self.ahead {
            ahead.left = 0;
            let used = std::mem::take(&mut ahead.used);
            if let (1.., Some((known, _))) = (used, &ahead.known)
                && let Some(Some(turn)) = self.turns.get_mut(known.name.index)
            {
                turn.since = turn.since.saturating_add(used);
                turn.out = turn.out.saturating_add(used);
            }
        }
    }

    /// The first launch of `name` on this thread. Threads begin at different places of the stride: of many that launch
    /// once each, one in so many is timed too.
    #[cold]
    fn enter(&mut self, name: &'static Name, rule: &Rule, register: impl FnOnce(Arc<LeftOut>)) -> bool {
        let number = name.pace.enter(std::process::id());
        let stride = rule.stride(name);
        let first = if number == 0 { rule.first } else { 0 };
        let since = stride - 1 - number % stride;
        let shared = Arc::new(LeftOut { name, count: AtomicU64::new(0) });
        register(Arc::clone(&shared));
        if self.turns.len() <= name.index {
            self.turns.resize_with(name.index + 1, || None);
        }
        if let Some(place) = self.turns.get_mut(name.index) {
            *place = Some(Turn { since, out: 0, first, shared });
        }
        first > 0 || since >= stride - 1
    }

    /// A launch of `name` was left out.
    #[inline]
    pub(crate) fn leave_out(&mut self, name: &Name) {
        if let Some(Some(turn)) = self.turns.get_mut(name.index) {
            turn.leave_out();
        }
    }

    /// A launch of `name` is timed, or would have been: how many were left out since the last.
    #[inline]
    pub(crate) fn take(&mut self, name: &Name) -> u32 {
        self.settle();
        let Some(Some(turn)) = self.turns.get_mut(name.index) else { return 0 };
        turn.since = 0;
        turn.first = turn.first.saturating_sub(1);
        std::mem::take(&mut turn.out)
    }
}

#[cfg(test)]
mod tests;
