//! What a function notes when it is entered, for the launches inside: its `stream`, its caller, its name's placeholders.

use std::fmt;
use std::panic::Location;

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
}

/// What was noted. A copy goes into each closure that moves what it captures, to whatever thread.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    stream: Option<Seen>,
    variant: Variant,
}

// Closures and futures that hold one stay `Send` and `Sync` where they were.
const _: () = {
    const fn is_shared<T: Send + Sync + Copy + 'static>() {}
    is_shared::<Entry>();
};

impl Entry {
    /// Nothing was noted.
    pub const NONE: Self = Self { stream: None, variant: Variant::None };

    /// Launches are named after this place.
    #[inline]
    #[must_use]
    pub fn called_at(mut self, caller: &'static Location<'static>) -> Self {
        self.variant = Variant::Caller(caller);
        self
    }

    /// Whether the stream is wanted: something records.
    #[inline]
    #[must_use]
    pub fn wants_stream() -> bool {
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

    /// Launches have this name, if there is room for it among those of the function.
    pub fn is_called(&mut self, texts: &'static Texts, text: fmt::Arguments<'_>) {
        if let Some(text) = texts.keep(text) {
            self.variant = Variant::Text(text, self.caller());
        }
    }

    fn caller(&self) -> Option<&'static Location<'static>> {
        match self.variant {
            Variant::Caller(caller) | Variant::Text(_, Some(caller)) => Some(caller),
            Variant::Text(_, None) | Variant::None => None,
        }
    }

    #[inline]
    pub(crate) fn stream(&self) -> Option<Seen> {
        self.stream
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
