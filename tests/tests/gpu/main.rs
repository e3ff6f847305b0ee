//! The behaviours that need a GPU. Where there is none, each test says so on stdout and passes.
//!
//! They share one process and so one session: they take turns, and each sees the records of its own launches.

#![allow(unsafe_code)] // launches
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)] // a test ends where it fails
#![allow(clippy::print_stdout)] // what was read, and that nothing was

mod accuracy;
mod captures;
mod contexts;
mod forms;
mod graphs;
mod names;
mod profiler;
mod reports;
mod rig;
mod symbols;
mod times;
