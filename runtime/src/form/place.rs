//! Looks at a receiver that is a place, without moving or changing it: its own type, or what it derefs to.
//!
//! Which trait answers is settled by autoref: a method call tries the receiver as it is first, so the implementation
//! for the most references wins where it exists, and the next one is tried where it does not. The methods have names
//! that no trait of a user's has.

use std::ops::Deref;

use super::{Builder, CapturePlace, GraphPlace, Seen, SeenGraph, StreamPlace};

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
fn look<P: ?Sized>(place: &P, looking: &mut impl Looking, seen: impl FnOnce(&P) -> Option<Seen>) {
    if looking.looks()
        && let Some(seen) = seen(place)
    {
        looking.see(&seen);
    }
}

/// A borrowed receiver.
#[derive(Debug)]
pub struct Place<'p, P: ?Sized>(pub &'p P);

/// The place is a builder.
pub trait SeeItself {
    #[doc(hidden)]
    fn launchsite_see(&self, looking: &mut impl Looking);
}

impl<P: Builder + ?Sized> SeeItself for &&&Place<'_, P> {
    #[inline]
    fn launchsite_see(&self, looking: &mut impl Looking) {
        look(self.0, looking, P::seen);
    }
}

/// The place derefs to a builder: `&mut LaunchArgs`, a guard, a wrapper.
pub trait SeeBehind {
    #[doc(hidden)]
    fn launchsite_see(&self, looking: &mut impl Looking);
}

impl<P: Deref<Target: Builder> + ?Sized> SeeBehind for &&Place<'_, P> {
    #[inline]
    fn launchsite_see(&self, looking: &mut impl Looking) {
        look(self.0, looking, |place| place.deref().seen());
    }
}

/// The place derefs to something that derefs to a builder.
pub trait SeeFarBehind {
    #[doc(hidden)]
    fn launchsite_see(&self, looking: &mut impl Looking);
}

impl<P: Deref<Target: Deref<Target: Builder>> + ?Sized> SeeFarBehind for &Place<'_, P> {
    #[inline]
    fn launchsite_see(&self, looking: &mut impl Looking) {
        look(self.0, looking, |place| place.deref().deref().seen());
    }
}

/// The place is something else.
pub trait SeeNothing {
    #[doc(hidden)]
    fn launchsite_see(&self, looking: &mut impl Looking);
}

impl<P: ?Sized> SeeNothing for Place<'_, P> {
    #[inline]
    fn launchsite_see(&self, _: &mut impl Looking) {}
}

/// The place is a stream.
pub trait OneStream {
    #[doc(hidden)]
    fn launchsite_stream(&self, looking: &mut impl Looking);
}

impl<P: StreamPlace + ?Sized> OneStream for &Place<'_, P> {
    #[inline]
    fn launchsite_stream(&self, looking: &mut impl Looking) {
        look(self.0, looking, |place| Some(place.seen()));
    }
}

/// The place is something else, whatever its `launch_builder` gives.
pub trait NoStream {
    #[doc(hidden)]
    fn launchsite_stream(&self, looking: &mut impl Looking);
}

impl<P: ?Sized> NoStream for Place<'_, P> {
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

impl<P: GraphPlace + ?Sized> OneGraph for &Place<'_, P> {
    #[inline]
    fn launchsite_is_graph(&self) -> bool {
        true
    }

    #[inline]
    fn launchsite_graph(&self) -> SeenGraph {
        SeenGraph::of(self.0)
    }
}

/// The place is something else, whatever its `launch` does.
pub trait NoGraph {
    #[doc(hidden)]
    fn launchsite_is_graph(&self) -> bool;
    #[doc(hidden)]
    fn launchsite_graph(&self) -> SeenGraph;
}

impl<P: ?Sized> NoGraph for Place<'_, P> {
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

impl<P: CapturePlace + ?Sized> OneCapture for &Place<'_, P> {
    #[inline]
    fn launchsite_captured(&self) {
        self.0.captured();
    }
}

/// The place is something else.
pub trait NoCapture {
    #[doc(hidden)]
    fn launchsite_captured(&self);
}

impl<P: ?Sized> NoCapture for Place<'_, P> {
    #[inline]
    fn launchsite_captured(&self) {}
}
