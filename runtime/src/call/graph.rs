//! The hooks around a graph's launch.

use std::marker::PhantomData;

use super::{Call, Slot, Start, done, enter};
use crate::entry::Entry;
use crate::form;
use crate::site::{Instance, Site};

impl Slot {
    #[cold]
    #[inline(never)]
    fn replays(&mut self, seen: &form::SeenGraph) {
        let Some(launch) = self.whole() else { return };
        if let Some(seen) = seen.seen {
            launch.see(seen);
        }
        if let Some(graph) = seen.graph {
            launch.replays(graph);
        }
    }
}

impl Call<'_> {
    /// Begins a graph's launch, if there is anything to do for one.
    #[inline]
    pub fn enters(&mut self, site: &'static Site, instance: Instance, entry: &Entry) -> bool {
        self.begin(site, instance);
        enter(self, entry);
        self.is_on()
    }

    /// Right before a graph's launch.
    #[inline]
    pub fn open_graph(&mut self, seen: form::SeenGraph) {
        self.slot.replays(&seen);
        self.open();
    }
}

/// Around a graph that is a value, right before its launch.
#[inline]
pub fn recv_graph<T>(call: &mut Call<'_>, value: T, site: &'static Site, instance: Instance, entry: &Entry) -> T {
    if form::is_graph::<T>() && call.enters(site, instance, entry) {
        call.open_graph(form::graph_in(&value));
    }
    value
}

/// Around a graph's launch: takes its value and gives it back.
#[inline]
pub fn done_graph<R>(_seen: (), value: R, call: &mut Call<'_>) -> R {
    done(Start(PhantomData), (), value, call)
}
