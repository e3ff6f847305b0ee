//! Launches with one thing to do, which most are: a budget leaves them out, or a range is all that is asked for. They are not made
//! a [`Launch`](super::Launch) of, which takes longer than the one thing.

use super::{open, thread};
use crate::name::Name;
use crate::own::own;
use crate::parts::Parts;
use crate::session::Active;
use crate::site::{Instance, Known, Site};

/// What it is, and the name.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Short {
    /// Counted already.
    LeftOut(&'static Known),
    Range(&'static Known),
}

impl Short {
    /// Whether a launch may be one, by what there is to do.
    #[inline]
    pub(crate) fn may_be(active: Active) -> bool {
        active.only_pushes() || active.only_samples()
    }

    /// Whether the next launch at `site` is one, as far as is known when it begins.
    #[inline]
    pub(crate) fn of(site: &'static Site, instance: Instance, active: Active) -> Option<Self> {
        if active.only_pushes() {
            let known = site.known(instance).filter(|known| known.allowed.contains(Parts::NVTX))?;
            return Some(Self::Range(known));
        }
        if !active.only_samples() {
            return None;
        }
        thread::leaves_out(site, instance).map(Self::LeftOut)
    }

    /// The same, once it is known of what name.
    #[inline]
    pub(crate) fn of_name(known: &'static Known, active: Active) -> Option<Self> {
        if active.only_pushes() {
            return known.allowed.contains(Parts::NVTX).then_some(Self::Range(known));
        }
        thread::leaves_out_as(known).then_some(Self::LeftOut(known))
    }

    /// A launch that was counted was not made.
    #[cold]
    pub(crate) fn take_back(known: &Known) {
        known.name.pace.take_back();
    }

    /// Right before the call: false without a range.
    #[inline]
    pub(crate) fn push(name: &Name) -> bool {
        own(|| open::push(name, thread::number())).unwrap_or(false)
    }

    /// Right after it.
    #[inline]
    pub(crate) fn pop() {
        own(open::pop);
    }
}
