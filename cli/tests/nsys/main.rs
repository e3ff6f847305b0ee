//! `launchsite nsys`, run as a program: on a real report, and on reports that the tests write in nsys's own schema.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)] // a test ends where it fails

mod export;
mod graphs;
mod inputs;
mod large;
mod output;
mod rig;
mod sites;
