//! Choices out of bytes.

use arbitrary::Unstructured;

/// Bytes that decide. Where they have run out, every choice is the first one: what is offered first must be an end.
#[derive(Debug)]
pub struct Entropy<'b>(Unstructured<'b>);

impl<'b> Entropy<'b> {
    /// Choices by `bytes`, from the front.
    #[must_use]
    pub fn new(bytes: &'b [u8]) -> Self {
        Self(Unstructured::new(bytes))
    }

    /// A number below `bound`; 0 where there is none.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0.int_in_range(0..=bound.saturating_sub(1)).unwrap_or(0)
    }

    /// True once in `times`.
    pub fn once_in(&mut self, times: usize) -> bool {
        times > 0 && self.below(times) == times - 1
    }

    /// One of `choices`; nothing where there are none.
    pub fn pick<'c, T>(&mut self, choices: &'c [T]) -> Option<&'c T> {
        let index = self.below(choices.len());
        choices.get(index)
    }

    /// Whether all bytes are used up.
    #[must_use]
    pub fn is_spent(&self) -> bool {
        self.0.is_empty()
    }
}
