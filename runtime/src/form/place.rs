//! Looks at a receiver that is a place, without moving or changing it: its own type, or what a pointer of std's to it has.
//!
//! Which trait answers is settled by autoref: a method call tries the receiver as it is first, so the implementation
//! for the most references wins where it exists, and the next one is tried where it does not. The methods have names
//! that no trait of a user's has.
//!
//! A place comes as a pointer: it may be a field of a packed structure, to which there is no reference. What looks makes one
//! where the place's type is known, and has the pointer right in front of the call that takes the place itself.

use std::fmt;
use std::ops::Deref as _;

use super::{Builder, CapturePlace, GraphPlace, Pointer, Seen, SeenGraph, StreamPlace};

/// Whoever looks at a place.
pub trait Looking {
    /// Whether it is worth it.
    #[doc(hidden)]
    fn looks(&mut self) -> bool;
    #[doc(hidden)]
    fn see(&mut self, seen: &Seen);
}

/// One function for all places of a type: a launch has no more of it than a call.
#[cold]
#[inline(never)]
fn look<P>(place: Place<P>, looking: &mut impl Looking, seen: impl FnOnce(&P) -> Option<Seen>) {
    if looking.looks()
        && let Some(seen) = place.get().and_then(seen)
    {
        looking.see(&seen);
    }
}

/// A receiver's place, by a pointer that an expansion takes with `&raw const`: what holds the place outlives the look, and
/// the call behind it uses what is in it.
pub struct Place<P: ?Sized>(pub *const P);

impl<P> Place<P> {
    /// What is in it, unless it is packed away from where its type may stand.
    fn get(&self) -> Option<&P> {
        // SAFETY: a place that the program uses next, taken for this look alone; and it is aligned.
        self.0.is_aligned().then(|| unsafe { &*self.0 })
    }
}

impl<P: ?Sized> Clone for Place<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: ?Sized> Copy for Place<P> {}

impl<P: ?Sized> fmt::Debug for Place<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Place").field(&self.0).finish()
    }
}

/// The place is a builder.
pub trait SeeItself {
    #[doc(hidden)]
    fn launchsite_see(&self, looking: &mut impl Looking);
}

impl<P: Builder> SeeItself for &&&Place<P> {
    #[inline]
    fn launchsite_see(&self, looking: &mut impl Looking) {
        look(****self, looking, P::seen);
    }
}

/// The place is a pointer of std's to a builder. Another's may be a type with a `launch` of its own, which goes elsewhere, and
/// its `deref` may do anything.
pub trait SeeBehind {
    #[doc(hidden)]
    fn launchsite_see(&self, looking: &mut impl Looking);
}

impl<P: Pointer<Target: Builder>> SeeBehind for &&Place<P> {
    #[inline]
    fn launchsite_see(&self, looking: &mut impl Looking) {
        look(***self, looking, |place| place.deref().seen());
    }
}

/// The place is such a pointer to another.
pub trait SeeFarBehind {
    #[doc(hidden)]
    fn launchsite_see(&self, looking: &mut impl Looking);
}

impl<P: Pointer<Target: Pointer<Target: Builder>>> SeeFarBehind for &Place<P> {
    #[inline]
    fn launchsite_see(&self, looking: &mut impl Looking) {
        look(**self, looking, |place| place.deref().deref().seen());
    }
}

/// The place is something else.
pub trait SeeNothing {
    #[doc(hidden)]
    fn launchsite_see(&self, looking: &mut impl Looking);
}

impl<P: ?Sized> SeeNothing for Place<P> {
    #[inline]
    fn launchsite_see(&self, _: &mut impl Looking) {}
}

/// The place is a stream.
pub trait OneStream {
    #[doc(hidden)]
    fn launchsite_stream(&self, looking: &mut impl Looking);
}

impl<P: StreamPlace> OneStream for &Place<P> {
    #[inline]
    fn launchsite_stream(&self, looking: &mut impl Looking) {
        look(**self, looking, |place| Some(place.seen()));
    }
}

/// The place is something else, whatever its `launch_builder` gives.
pub trait NoStream {
    #[doc(hidden)]
    fn launchsite_stream(&self, looking: &mut impl Looking);
}

impl<P: ?Sized> NoStream for Place<P> {
    #[inline]
    fn launchsite_stream(&self, _: &mut impl Looking) {}
}

/// The place is a graph.
pub trait OneGraph {
    #[doc(hidden)]
    fn launchsite_is_graph(&self) -> bool;
    #[doc(hidden)]
    fn launchsite_graph(&self) -> SeenGraph;
}

impl<P: GraphPlace> OneGraph for &Place<P> {
    #[inline]
    fn launchsite_is_graph(&self) -> bool {
        true
    }

    #[inline]
    fn launchsite_graph(&self) -> SeenGraph {
        self.get().map_or(SeenGraph::NOTHING, SeenGraph::of)
    }
}

/// The place is something else, whatever its `launch` does.
pub trait NoGraph {
    #[doc(hidden)]
    fn launchsite_is_graph(&self) -> bool;
    #[doc(hidden)]
    fn launchsite_graph(&self) -> SeenGraph;
}

impl<P: ?Sized> NoGraph for Place<P> {
    #[inline]
    fn launchsite_is_graph(&self) -> bool {
        false
    }

    #[inline]
    fn launchsite_graph(&self) -> SeenGraph {
        SeenGraph::NOTHING
    }
}

/// The place is a stream that makes graphs of what it captures.
pub trait OneCapture {
    #[doc(hidden)]
    fn launchsite_captured(&self);
}

impl<P: CapturePlace> OneCapture for &Place<P> {
    #[inline]
    fn launchsite_captured(&self) {
        if let Some(place) = self.get() {
            place.captured();
        }
    }
}

/// The place is something else.
pub trait NoCapture {
    #[doc(hidden)]
    fn launchsite_captured(&self);
}

impl<P: ?Sized> NoCapture for Place<P> {
    #[inline]
    fn launchsite_captured(&self) {}
}
