//! Fields: what the program knows of its launches, such as the number of a layer or of a query, for their records.

#[cfg(feature = "enabled")]
mod kept;
mod set;

use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};

#[cfg(feature = "enabled")]
pub(crate) use kept::Given;
#[cfg(feature = "enabled")]
pub(crate) use kept::beyond;
#[cfg(not(feature = "enabled"))]
pub use set::__shown;

/// Fields with their values, as [`with_fields!`](crate::with_fields) sets them and records have them.
///
/// A copy is a number. Sets of fields are kept for as long as the process runs, each once, and at most 32,768 of them: what
/// is set beyond is left out, and [`Summary::without_fields`](crate::Summary::without_fields) counts how often.
///
/// What is set holds on a thread. A thread or a task that goes on with its work takes them along:
///
/// ```
/// use launchsite::{Fields, with_fields};
///
/// let _query = with_fields!(query_id = 7);
/// let fields = Fields::current();
/// std::thread::spawn(move || {
///     let _query = fields.enter();
///     // launches here are of query 7 too
/// });
/// let _task = fields.follow(async { /* and here, whichever thread runs it */ });
/// ```
#[derive(Clone, Copy, Default)]
pub struct Fields {
    #[cfg(feature = "enabled")]
    place: Option<kept::Place>,
}

/// How much a launch does.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Work {
    /// Floating-point operations.
    pub(crate) flops: Option<f64>,
    /// Bytes that are read and written.
    pub(crate) bytes: Option<f64>,
}

impl Work {
    /// Its names among the fields, which no identifier of a program's is.
    pub(crate) const FLOPS: &'static str = "launchsite.flops";
    pub(crate) const BYTES: &'static str = "launchsite.bytes";

    fn is(key: &str) -> bool {
        key == Self::FLOPS || key == Self::BYTES
    }
}

/// The value of a field.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// A `bool`.
    Bool(bool),
    /// An integer that may be below zero.
    Signed(i64),
    /// An integer that may not.
    Unsigned(u64),
    /// A number with a fraction.
    Float(f64),
    /// What anything else shows.
    Text(String),
}

impl Fields {
    /// None.
    pub const NONE: Self = Self {
        #[cfg(feature = "enabled")]
        place: None,
    };

    /// Those that hold on this thread.
    #[inline]
    #[must_use]
    pub fn current() -> Self {
        #[cfg(feature = "enabled")]
        return kept::current();
        #[cfg(not(feature = "enabled"))]
        Self::NONE
    }

    /// Makes them those that hold on this thread, in the place of all others, until the guard is dropped.
    #[inline]
    pub fn enter(self) -> FieldsGuard {
        FieldsGuard {
            #[cfg(feature = "enabled")]
            before: kept::replace(self),
            thread: PhantomData,
        }
    }

    /// `task` with them, on whichever thread it is polled: what it sets for itself ends with each poll.
    pub fn follow<F: Future>(self, task: F) -> Following<F> {
        Following { fields: self, task: Box::pin(task) }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    /// Names and values, in the order in which they were set.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &'static Value)> + use<> {
        self.pairs().iter().map(|(key, value)| (*key, value)).filter(|(key, _)| !Work::is(key))
    }

    /// What `flops` and `bytes` say of the launch: on its way like a field.
    pub(crate) fn work(self) -> Work {
        let amount = |work: &str| {
            let (_, value) = self.pairs().iter().find(|(key, _)| *key == work)?;
            let Value::Float(amount) = value else { return None };
            (amount.is_finite() && *amount >= 0.0).then_some(*amount)
        };
        Work { flops: amount(Work::FLOPS), bytes: amount(Work::BYTES) }
    }

    /// The value of the field `key`.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&'static Value> {
        self.iter().find(|(known, _)| *known == key).map(|(_, value)| value)
    }

    #[cfg(feature = "enabled")]
    fn pairs(self) -> &'static [(&'static str, Value)] {
        self.place.map_or(&[], kept::pairs)
    }

    #[cfg(not(feature = "enabled"))]
    #[allow(clippy::unused_self)] // as with the feature on
    fn pairs(self) -> &'static [(&'static str, Value)] {
        &[]
    }
}

impl fmt::Debug for Fields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl PartialEq for Fields {
    fn eq(&self, other: &Self) -> bool {
        self.pairs() == other.pairs()
    }
}

/// Fields that hold on this thread until it is dropped; then those hold that did before.
#[derive(Debug)]
#[must_use = "the fields hold until it is dropped; bind it to a name, not to `_`"]
pub struct FieldsGuard {
    #[cfg(feature = "enabled")]
    before: Fields,
    /// It is of its thread.
    thread: PhantomData<*const ()>,
}

impl Drop for FieldsGuard {
    #[inline]
    fn drop(&mut self) {
        #[cfg(feature = "enabled")]
        kept::replace(self.before);
    }
}

/// A task with the fields that it [follows](Fields::follow).
#[derive(Debug)]
#[must_use = "a task does nothing unless it is polled"]
pub struct Following<F> {
    fields: Fields,
    task: Pin<Box<F>>,
}

impl<F: Future> Future for Following<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let _entered = self.fields.enter();
        self.task.as_mut().poll(context)
    }
}
