//! The two ways by which launching threads hand something to the collector without waiting for it.

mod cell;
mod ring;
mod stack;

pub(crate) use ring::{Consumer, Producer, ring};
pub(crate) use stack::Stack;

#[cfg(test)]
mod tests;
