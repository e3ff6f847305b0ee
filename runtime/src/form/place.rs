//! Looks at a receiver that is a place, without moving or changing it: its own type, or what it derefs to.
//!
//! Which trait answers is settled by autoref: a method call tries the receiver as it is first, so the implementation
//! for the most references wins where it exists, and the next one is tried where it does not.

use std::ops::Deref;

use super::Builder;
use crate::call::Call;

/// A borrowed receiver.
#[derive(Debug)]
pub struct Place<'p, P: ?Sized>(pub &'p P);

/// The place is a builder.
pub trait SeeItself {
    #[doc(hidden)]
    fn see(&self, call: &mut Call);
}

impl<P: Builder + ?Sized> SeeItself for &&&Place<'_, P> {
    #[inline]
    fn see(&self, call: &mut Call) {
        self.0.tell(call);
    }
}

/// The place derefs to a builder: `&mut LaunchArgs`, a guard, a wrapper.
pub trait SeeBehind {
    #[doc(hidden)]
    fn see(&self, call: &mut Call);
}

impl<P: Deref<Target: Builder> + ?Sized> SeeBehind for &&Place<'_, P> {
    #[inline]
    fn see(&self, call: &mut Call) {
        self.0.deref().tell(call);
    }
}

/// The place derefs to something that derefs to a builder.
pub trait SeeFarBehind {
    #[doc(hidden)]
    fn see(&self, call: &mut Call);
}

impl<P: Deref<Target: Deref<Target: Builder>> + ?Sized> SeeFarBehind for &Place<'_, P> {
    #[inline]
    fn see(&self, call: &mut Call) {
        self.0.deref().deref().tell(call);
    }
}

/// The place is something else.
pub trait SeeNothing {
    #[doc(hidden)]
    fn see(&self, call: &mut Call);
}

impl<P: ?Sized> SeeNothing for Place<'_, P> {
    #[inline]
    fn see(&self, _: &mut Call) {}
}
