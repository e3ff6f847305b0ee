//! The forms of launches: by which types a launch is known, and what those types tell about it.
//!
//! One module for each library that launches. Types are compared by their ids with the lifetimes erased, so that no
//! hook asks a user's type to be `'static`, and the answers are constants for the optimiser.

#![allow(unsafe_code)] // reading a value as the type that it was found to be

use std::ops::Deref;

#[cfg(feature = "cudarc")]
mod cudarc;
mod driver;
mod field;
mod graph;
mod host;
mod place;
mod result;
mod stream;

pub use graph::SeenGraph;
pub(crate) use graph::{CapturePlace, GraphPlace};
pub(crate) use place::Looking;
pub use place::{
    NoCapture, NoGraph, NoStream, OneCapture, OneGraph, OneStream, Place, SeeBehind, SeeFarBehind, SeeItself,
    SeeNothing,
};
pub use result::{Outcome, SomeResult, SomeValue};
pub(crate) use stream::AsStream;
pub use stream::stream_of;

pub use driver::Part;
pub(crate) use driver::{config_in, is_cudarcs_status, is_runtimes_status, is_status, measure, stream_in};
pub use field::{field, work};

pub(crate) use crate::entry::Seen;
pub(crate) use crate::lane::Geometry;

/// A type of builder that tells where its launch goes.
pub trait Builder {
    #[doc(hidden)]
    fn seen(&self) -> Option<Seen>;
}

/// A pointer of std's: it has no `launch` of its own, and to look through it does nothing else.
pub trait Pointer: Deref {}

impl<T: ?Sized> Pointer for &T {}
impl<T: ?Sized> Pointer for &mut T {}
impl<T: ?Sized> Pointer for Box<T> {}
impl<T: ?Sized> Pointer for std::rc::Rc<T> {}
impl<T: ?Sized> Pointer for std::sync::Arc<T> {}
impl<T: ?Sized> Pointer for std::cell::Ref<'_, T> {}
impl<T: ?Sized> Pointer for std::cell::RefMut<'_, T> {}
impl<T: ?Sized> Pointer for std::sync::MutexGuard<'_, T> {}
impl<T: ?Sized> Pointer for std::sync::RwLockReadGuard<'_, T> {}
impl<T: ?Sized> Pointer for std::sync::RwLockWriteGuard<'_, T> {}
impl<T: ?Sized> Pointer for std::mem::ManuallyDrop<T> {}
impl<P: Pointer> Pointer for std::pin::Pin<P> {}

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

/// Whether `T` is the type of a launch configuration.
#[inline]
pub(crate) fn is_config<T>() -> bool {
    #[cfg(feature = "cudarc")]
    if is::<T, cudarc::Config>() {
        return true;
    }
    is::<T, host::Config>()
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

/// Whether a `T` is a graph, or points to one.
#[inline]
pub(crate) fn is_graph<T>() -> bool {
    #[cfg(feature = "cudarc")]
    if cudarc::is_graph::<T>() {
        return true;
    }
    is::<T, host::Graph>() || is::<T, &'static host::Graph>()
}

/// What `value` tells, if it is a graph.
#[inline]
pub(crate) fn graph_in<T>(value: &T) -> SeenGraph {
    #[cfg(feature = "cudarc")]
    if let Some(seen) = cudarc::graph_in(value) {
        return seen;
    }
    let graph = as_type::<T, host::Graph>(value).or_else(|| as_type::<T, &'static host::Graph>(value).copied());
    graph.map_or(SeenGraph::NOTHING, SeenGraph::of)
}

/// The machine words that `value` consists of; `None` where it is no longer of so many.
#[cfg(feature = "cudarc")]
fn words<T, const N: usize>(value: &T) -> Option<&[usize; N]> {
    let fits = size_of::<T>() == N * size_of::<usize>() && align_of::<T>() == align_of::<usize>();
    // SAFETY: as large and aligned as that many words. The callers' types consist of pointers, so there is no padding.
    fits.then(|| unsafe { &*std::ptr::from_ref(value).cast() })
}

/// What the pointer that `value` is points to, as far as its type's name tells that it is a pointer to a `name`.
///
/// Where a structure of C's stands behind a pointer, its type is one of many bindings', which is not known here; the
/// driver itself reads it in the call that follows.
#[inline]
fn behind<T, C: Copy>(value: &T, name: &str) -> Option<C> {
    let type_name = std::any::type_name::<T>();
    let path = ["*const ", "*mut ", "&mut ", "&"].iter().find_map(|pointer| type_name.strip_prefix(pointer))?;
    let last = path.rsplit("::").next()?;
    if last.trim_end_matches("_st").trim_end_matches("_t") != name || size_of::<T>() != size_of::<usize>() {
        return None;
    }
    // SAFETY: a thin pointer or reference, by its name and size.
    let pointer = unsafe { *std::ptr::from_ref(value).cast::<*const C>() };
    // SAFETY: null, or the structure of that name, which the caller of the driver hands it as valid to read.
    (!pointer.is_null() && pointer.is_aligned()).then(|| unsafe { *pointer })
}

/// `value` as the structure of C's that has this name, by its size and alignment.
#[inline]
fn named<T, C: Copy>(value: &T, name: &str) -> Option<C> {
    let last = std::any::type_name::<T>().rsplit("::").next();
    let fits = last == Some(name) && size_of::<T>() == size_of::<C>() && align_of::<T>() == align_of::<C>();
    // SAFETY: plain numbers in C's layout, as the name says in every binding, and of that size.
    fits.then(|| unsafe { *std::ptr::from_ref(value).cast::<C>() })
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
