//! What a function notes when it is entered, for the launches inside: its `stream`, its caller, its name's placeholders.

use std::fmt;
use std::panic::{Location, RefUnwindSafe, UnwindSafe};

use crate::fields::{Fields, Given};
use crate::lane::Place;
use crate::name::{Texts, Variant};
use crate::own::own;
use crate::session::Active;

/// Where a launch goes, as far as its types tell.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    pub(crate) place: Place,
    pub(crate) stream: u64,
    pub(crate) kernel: Option<&'static str>,
    /// The call may make the stream wait for another's work before it launches.
    pub(crate) may_wait: bool,
    /// Who knows whether the stream is there: where it was told at a function's entry, the function may have let go of it
    /// since. `None` where it is there for as long as it is used.
    pub(crate) owner: Option<Owner>,
}

/// Knows whether a stream is there.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "cudarc"), allow(dead_code))] // the stand-in refuses the handle of a stream that is gone
pub(crate) struct Owner {
    pub(crate) token: usize,
    pub(crate) stream: u64,
    /// Runs the work while the stream is kept from going; false where it is gone.
    pub(crate) with: fn(Self, &mut dyn FnMut()) -> bool,
}

impl Seen {
    /// Runs `work` while the stream is there; `None` where it is gone.
    pub(crate) fn while_there<T>(&self, work: impl FnOnce() -> T) -> Option<T> {
        let Some(owner) = self.owner else { return Some(work()) };
        let (mut work, mut done) = (Some(work), None);
        (owner.with)(owner, &mut || done = work.take().map(|work| work()));
        done
    }
}

/// What was noted. A copy goes into each closure that moves what it captures, to whatever thread.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    stream: Option<Seen>,
    variant: Variant,
    fields: Fields,
}

// A device is shared by all threads as it is.
impl UnwindSafe for Entry {}
impl RefUnwindSafe for Entry {}

// Closures and futures that hold one stay what they were.
const _: () = {
    const fn is_shared<T: Send + Sync + UnwindSafe + RefUnwindSafe + Copy + 'static>() {}
    is_shared::<Entry>();
};

impl Entry {
    /// Nothing was noted.
    pub const NONE: Self = Self { stream: None, variant: Variant::NONE, fields: Fields::NONE };

    /// Launches are named after this place.
    #[inline]
    #[must_use]
    pub fn called_at(mut self, caller: &'static Location<'static>) -> Self {
        self.variant.caller = Some(caller);
        self
    }

    /// Whether the stream and fields are wanted: something records.
    #[inline]
    #[must_use]
    pub fn wants_records() -> bool {
        settled().is_some_and(Active::records)
    }

    /// Whether a name is wanted.
    #[inline]
    #[must_use]
    pub fn wants_text() -> bool {
        settled().is_some()
    }

    /// Launches go there, if nothing else tells.
    pub fn goes_to(&mut self, seen: Option<Seen>) {
        self.stream = seen;
    }

    /// Launches have these fields.
    pub fn has_fields(&mut self, given: &[(&'static str, Given<'_>)]) {
        self.fields = own(|| Fields::NONE.and(given)).unwrap_or_default();
    }

    /// The fields that hold on this thread, and these.
    #[must_use]
    pub fn with_fields(given: &[(&'static str, Given<'_>)]) -> Fields {
        let fields = Fields::current();
        own(|| fields.and(given)).unwrap_or(fields)
    }

    /// Launches have this name, if there is room for it among those of the function.
    pub fn is_called(&mut self, texts: &'static Texts, text: fmt::Arguments<'_>) {
        if let Some(text) = texts.keep(text) {
            self.variant.text = Some(text);
        }
    }

    #[inline]
    pub(crate) fn stream(&self) -> Option<Seen> {
        self.stream
    }

    #[inline]
    pub(crate) fn fields(&self) -> Fields {
        self.fields
    }

    #[inline]
    pub(crate) fn variant(&self) -> Variant {
        self.variant
    }
}

/// What there is to do, where there is anything.
#[inline]
fn settled() -> Option<Active> {
    let active = Active::load();
    if active.is_nothing() {
        return None;
    }
    own(|| active.settled()).filter(|active| !active.is_nothing())
}
