//! Which launches are timed where a budget leaves some out, and how many are left out: decided by each thread for itself, so
//! that threads never meet on a count.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::config::Budget;
use crate::name::Name;

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
}

/// One thread's counts, by the name's number.
#[derive(Debug)]
pub(crate) struct Sampler(Vec<Option<Turn>>);

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
        // Not `fetch_add`: nobody else writes it.
        let count = self.shared.count.load(Ordering::Relaxed);
        self.shared.count.store(count + 1, Ordering::Relaxed);
    }
}

impl Sampler {
    pub(crate) const fn new() -> Self {
        Self(Vec::new())
    }

    /// Whether the thread's next launch of `name` is to be timed. `register` is given the count of a name that is new.
    #[inline]
    pub(crate) fn is_due(&mut self, name: &'static Name, rule: &Rule, register: impl FnOnce(Arc<LeftOut>)) -> bool {
        let stride = rule.stride(name);
        match self.0.get(name.index) {
            Some(Some(turn)) => turn.is_due(stride),
            _ => self.enter(name, rule, register),
        }
    }

    /// Whether the thread's next launch of `name` is left out, and then it is counted. False for a name that is new.
    #[inline]
    pub(crate) fn leaves_out(&mut self, name: &'static Name, rule: &Rule) -> bool {
        let Some(Some(turn)) = self.0.get_mut(name.index) else { return false };
        let out = !turn.is_due(rule.stride(name));
        if out {
            turn.leave_out();
        }
        out
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
        if self.0.len() <= name.index {
            self.0.resize_with(name.index + 1, || None);
        }
        if let Some(place) = self.0.get_mut(name.index) {
            *place = Some(Turn { since, out: 0, first, shared });
        }
        first > 0 || since >= stride - 1
    }

    /// A launch of `name` was left out.
    #[inline]
    pub(crate) fn leave_out(&mut self, name: &Name) {
        if let Some(Some(turn)) = self.0.get_mut(name.index) {
            turn.leave_out();
        }
    }

    /// A launch of `name` is timed, or would have been: how many were left out since the last.
    #[inline]
    pub(crate) fn take(&mut self, name: &Name) -> u32 {
        let Some(Some(turn)) = self.0.get_mut(name.index) else { return 0 };
        turn.since = 0;
        turn.first = turn.first.saturating_sub(1);
        std::mem::take(&mut turn.out)
    }
}

#[cfg(test)]
mod tests;
