//! Graphs, and the streams that capture them.

use std::cell::{Ref, RefMut};
use std::rc::Rc;
use std::sync::{Arc, MutexGuard, RwLockReadGuard, RwLockWriteGuard};

use super::Seen;
use crate::device::graph::Graph;

/// A graph, or one of std's pointers to it: types without a `launch` of their own that could mean something else.
pub trait GraphPlace {
    /// Where its launch goes, if that is known.
    #[doc(hidden)]
    fn seen(&self) -> Option<Seen>;

    /// The graph and its executable.
    #[doc(hidden)]
    fn handles(&self) -> Graph;
}

/// What is seen of a graph: where its launch goes, if that is known, and which graph it is.
#[derive(Clone, Copy, Debug)]
pub struct SeenGraph {
    pub(crate) seen: Option<Seen>,
    pub(crate) graph: Option<Graph>,
}

impl SeenGraph {
    /// Nothing is seen of it.
    pub(crate) const NOTHING: Self = Self { seen: None, graph: None };

    pub(crate) fn of<G: GraphPlace + ?Sized>(graph: &G) -> Self {
        Self { seen: graph.seen(), graph: Some(graph.handles()) }
    }
}

/// A stream that a graph keeps once it has captured it, or one of std's pointers to it.
pub trait CapturePlace {
    #[doc(hidden)]
    fn captured(&self);
}

macro_rules! pointers {
    ($($pointer:ty)*) => { $(
        impl<T: GraphPlace + ?Sized> GraphPlace for $pointer {
            #[inline]
            fn seen(&self) -> Option<Seen> {
                T::seen(self)
            }

            #[inline]
            fn handles(&self) -> Graph {
                T::handles(self)
            }
        }
    )* };
}

pointers!(&T &mut T Box<T> Rc<T> Arc<T> MutexGuard<'_, T> RwLockReadGuard<'_, T> RwLockWriteGuard<'_, T> Ref<'_, T>
    RefMut<'_, T>);

impl<T: CapturePlace + ?Sized> CapturePlace for &T {
    #[inline]
    fn captured(&self) {
        T::captured(self);
    }
}

impl<T: CapturePlace + ?Sized> CapturePlace for &mut T {
    #[inline]
    fn captured(&self) {
        T::captured(self);
    }
}
