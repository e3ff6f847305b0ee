//! Programs that the tests run: the first argument picks one, the others are its own.
//!
//! Each runs on the host stand-in, those of `cuda` on whatever is the CUDA driver, and says what it saw in lines of JSON on stdout. What it says of itself proves
//! nothing about what launchsite writes: that is read from the outputs, the NVTX tool's log and stderr.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::unnecessary_wraps,
    reason = "programs under test: what goes wrong in them fails the test that ran them"
)]

mod accuracy;
mod api;
mod budgets;
mod cuda;
mod exits;
mod faults;
mod fields;
mod forks;
mod forms;
mod graphs;
mod heap;
mod naming;
mod rig;
mod sinks;
mod sites;
mod stacks;
mod symbols;
mod threads;
mod usual;

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

/// Whatever ends a program early.
type Failure = Box<dyn Error>;
type Program = fn(&Args) -> Result<(), Failure>;

/// What follows the program's name.
struct Args(Vec<String>);

impl Args {
    /// The number at `index`, or `default`.
    fn number(&self, index: usize, default: u64) -> u64 {
        self.0.get(index).map_or(default, |text| text.parse().expect("a number"))
    }

    /// The text at `index`.
    fn text(&self, index: usize) -> &str {
        self.0.get(index).map_or("", String::as_str)
    }
}

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let name = args.next().unwrap_or_default();
    let tables = [
        usual::PROGRAMS,
        faults::PROGRAMS,
        exits::PROGRAMS,
        threads::PROGRAMS,
        sinks::PROGRAMS,
        stacks::PROGRAMS,
        api::PROGRAMS,
        forms::PROGRAMS,
        graphs::PROGRAMS,
        graphs::PROGRAMS,
        naming::PROGRAMS,
        fields::PROGRAMS,
        cuda::PROGRAMS,
        symbols::PROGRAMS,
        accuracy::PROGRAMS,
        budgets::PROGRAMS,
    ];
    let mut programs = tables.into_iter().flatten();
    let Some((_, program)) = programs.find(|(known, _)| *known == name) else {
        return failed(&format!("no scenario is called {name:?}"));
    };
    match program(&Args(args.collect())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => failed(&why.to_string()),
    }
}

fn failed(why: &str) -> ExitCode {
    let _ = writeln!(io::stderr(), "scenario: {why}");
    ExitCode::FAILURE
}
