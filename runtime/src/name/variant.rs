//! What a name depends on beside its site and the function's types.

use std::panic::Location;

use super::Frame;

/// What was noted when the function was entered, and what is asked for of the launch itself.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Variant {
    /// A text that was made of the function's arguments, and is kept.
    pub(crate) text: Option<&'static str>,
    /// The place that called the function.
    pub(crate) caller: Option<&'static Location<'static>>,
    /// The kernel's own name, where names are to show it.
    pub(crate) kernel: Option<&'static str>,
    /// The frame that the launch is named after, where the stack is asked and tells: in the caller's place.
    pub(crate) frame: Option<&'static Frame>,
}

/// Those of one key are the same; the same may have several, as a place has that the compiler noted twice.
pub(crate) type Key = [usize; 3];

impl Variant {
    /// Nothing: the site has one name in each instantiation.
    pub(crate) const NONE: Self = Self { text: None, caller: None, kernel: None, frame: None };

    #[inline]
    pub(crate) fn is_none(&self) -> bool {
        self.text.is_none() && self.caller.is_none() && self.kernel.is_none() && self.frame.is_none()
    }

    #[inline]
    pub(crate) fn key(&self) -> Key {
        // A text that is kept is the only one of its kind.
        let of = |text: Option<&'static str>| text.map_or(0, |text| text.as_ptr().addr());
        let frame = self.frame.map_or(0, |frame| std::ptr::from_ref(frame).addr());
        // One of them, if any: a frame stands in the caller's place.
        let caller = self.caller.map_or(frame, |place| std::ptr::from_ref(place).addr());
        [of(self.text), caller, of(self.kernel)]
    }

    /// Whether both give the same name.
    pub(crate) fn is(&self, other: &Self) -> bool {
        let is_same = self.text == other.text && self.caller == other.caller && self.kernel == other.kernel;
        is_same && self.frame == other.frame
    }
}
