//! What a name depends on beside its site and the function's types.

use std::panic::Location;

/// What was noted when the function was entered.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Variant {
    /// Nothing: the site has one name in each instantiation.
    #[default]
    None,
    /// The place that called it.
    Caller(&'static Location<'static>),
    /// A text that was made of its arguments and is kept, and the place that called it, if that matters too.
    Text(&'static str, Option<&'static Location<'static>>),
}

impl Variant {
    /// Those of one key are the same; the same may have several, as a place has that the compiler noted twice.
    #[inline]
    pub(crate) fn key(self) -> [usize; 2] {
        let of = |place: Option<&'static Location<'static>>| place.map_or(0, |place| std::ptr::from_ref(place).addr());
        match self {
            Self::None => [0, 0],
            Self::Caller(caller) => [0, of(Some(caller))],
            // A text that is kept is the only one of its kind.
            Self::Text(text, caller) => [text.as_ptr().addr(), of(caller)],
        }
    }

    pub(crate) fn caller(self) -> Option<&'static Location<'static>> {
        match self {
            Self::None => None,
            Self::Caller(caller) => Some(caller),
            Self::Text(_, caller) => caller,
        }
    }

    /// Whether both give the same name.
    pub(crate) fn is(self, other: Self) -> bool {
        let text = |variant: Self| match variant {
            Self::Text(text, _) => Some(text),
            _ => None,
        };
        text(self) == text(other) && self.caller() == other.caller()
    }
}
