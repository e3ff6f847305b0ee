//! The runtime's queues, over loom's atomics and cells: `cargo test --release --manifest-path tests/loom/Cargo.toml`.
//!
//! Loom runs a model again for each order in which its threads can see each other's writes under the C11 memory model, and fails
//! where a slot is read while it is written, or before its value can be seen.

#![cfg(test)]
#![allow(dead_code)] // what a model does not use

mod cell;
#[path = "../../../runtime/src/queue/ring.rs"]
mod ring;
#[path = "../../../runtime/src/queue/stack.rs"]
mod stack;

mod models;
