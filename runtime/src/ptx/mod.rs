//! PTX text: one kernel of a module, with another name.
//!
//! As much of the language is known here as that needs ("PTX ISA", NVIDIA, chapters 4 to 6 and 11): its tokens, where a
//! module's items begin and end, what they define, and what of a body is an operand. What is not understood is refused,
//! and so is what would mean something else in a second copy of the module.

mod copy;
mod item;
mod token;

pub(crate) use copy::{Copy, Reason};

#[cfg(test)]
mod tests;
