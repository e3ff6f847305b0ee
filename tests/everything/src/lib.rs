//! Puts launchsite's attribute on every function of a crate that others wrote, and compares what becomes of it with the
//! crate as it was: the same warnings, the same tests with the same outcomes.
//!
//! `run.sh` beside the manifest runs it; `README.md` says what is compared and how to read the table.

#![allow(clippy::indexing_slicing)] // of JSON, where what is not there is null
#![allow(clippy::must_use_candidate)] // the parts of one program

pub mod annotate;
pub mod cargo;
pub mod compare;
pub mod functions;
pub mod modules;
pub mod package;
pub mod plain;
pub mod report;
pub mod tokens;
pub mod variant;
