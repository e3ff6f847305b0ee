//! The forms of launches: by which types a launch is known, and what those types tell about it.
//!
//! One module for each library that launches. Types are compared by their ids with the lifetimes erased, so that no
//! hook asks a user's type to be `'static`, and the answers are constants for the optimiser.

#![allow(unsafe_code)] // reading a value as the type that it was found to be

#[cfg(feature = "cudarc")]
mod cudarc;
mod driver;
mod host;
mod place;

pub use place::{NoStream, OneStream, Place, SeeBehind, SeeFarBehind, SeeItself, SeeNothing};

pub use driver::Part;
pub(crate) use driver::{is_cudarcs_status, is_runtimes_status, is_status, measure, stream_in};

pub(crate) use crate::lane::Geometry;
pub(crate) use crate::launch::Seen;

/// A type of builder that tells where its launch goes.
pub trait Builder {
    #[doc(hidden)]
    fn seen(&self) -> Option<Seen>;
}

/// A stream, or one of std's pointers to it: types without a `launch_builder` of their own that could mean another.
pub trait StreamPlace {
    #[doc(hidden)]
    fn seen(&self) -> Seen;
}

impl<T: StreamPlace + ?Sized> StreamPlace for &T {
    #[inline]
    fn seen(&self) -> Seen {
        T::seen(self)
    }
}

impl<T: StreamPlace + ?Sized> StreamPlace for &mut T {
    #[inline]
    fn seen(&self) -> Seen {
        T::seen(self)
    }
}

impl<T: StreamPlace + ?Sized> StreamPlace for std::sync::Arc<T> {
    #[inline]
    fn seen(&self) -> Seen {
        T::seen(self)
    }
}

/// Whether a call that gives an `R` may be a launch.
#[inline]
pub(crate) fn is_result<R>() -> bool {
    #[cfg(feature = "cudarc")]
    if is::<R, cudarc::Launched>() {
        return true;
    }
    is::<R, host::Launched>()
}

/// Whether the launch that gave `value` went ahead.
#[inline]
pub(crate) fn is_ok<R>(value: &R) -> bool {
    #[cfg(feature = "cudarc")]
    if let Some(launched) = as_type::<R, cudarc::Launched>(value) {
        return launched.is_ok();
    }
    as_type::<R, host::Launched>(value).map(Result::is_ok).or_else(|| driver::is_ok(value)).unwrap_or(true)
}

/// The geometry, if `value` is a launch configuration.
#[inline]
pub(crate) fn geometry<T>(value: &T) -> Option<Geometry> {
    #[cfg(feature = "cudarc")]
    if let Some(config) = as_type::<T, cudarc::Config>(value) {
        return Some(cudarc::geometry(config));
    }
    as_type::<T, host::Config>(value).map(host::geometry)
}

/// Where the launch goes, if `value` is a builder that tells.
#[inline]
pub(crate) fn seen_in<T>(value: &T) -> Option<Seen> {
    #[cfg(feature = "cudarc")]
    {
        if let Some(builder) = as_type::<T, cudarc::Builder<'static>>(value) {
            return cudarc::seen(builder);
        }
        if let Some(builder) = as_type::<T, &'static mut cudarc::Builder<'static>>(value) {
            return cudarc::seen(builder);
        }
    }
    as_type::<T, host::Builder<'static>>(value).map(host::seen)
}

/// Whether `A` is `B`, lifetimes aside.
#[inline]
fn is<A, B>() -> bool {
    typeid::of::<A>() == typeid::of::<B>()
}

/// `value` as a `B`, if that is what it is, lifetimes aside. What is read from it must not outlive the borrow.
#[inline]
fn as_type<A, B>(value: &A) -> Option<&B> {
    // SAFETY: the same type but for lifetimes, which have no part in its layout; the callers copy plain data out.
    is::<A, B>().then(|| unsafe { &*std::ptr::from_ref(value).cast::<B>() })
}
