//! What the tests share: running a program of the `scenario` binary, and reading what it left.
//!
//! A program runs in a folder of its own with an environment of its own, so that tests neither meet each other nor
//! depend on who started them. It says what it saw in lines of JSON on stdout, each with the key `said`.
//!
//! ```ignore
//! let run = scenario!("saxpy", 100).out().run().success();
//! // What holds for all records has been looked at here.
//! let records = run.records();
//! assert_eq!(records.gpu().len(), 100);
//! ```

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    reason = "a test fails by panicking"
)]

mod calls;
mod contract;
mod folder;
mod records;
mod run;

pub use calls::{Calls, scripted_driver, tool};
pub use folder::Folder;
pub use records::Records;
pub use run::{Outcome, Scenario, TRACE};

/// A [`Scenario`] by its name and arguments. A macro, since only a test is told where the binary lies.
#[macro_export]
macro_rules! scenario {
    ($name:expr $(, $argument:expr)* $(,)?) => {
        $crate::Scenario::new(env!("CARGO_BIN_EXE_scenario"), $name)$(.arg(&$argument))*
    };
}

/// The line that holds the comment `// site: marker` in `source`, counted from 1.
pub fn line_of(source: &str, marker: &str) -> u64 {
    let comment = format!("// site: {marker}");
    let mut lines = (1..).zip(source.lines()).filter(|(_, line)| line.ends_with(&comment));
    let (number, _) = lines.next().unwrap_or_else(|| panic!("no line ends with `{comment}`"));
    assert!(lines.next().is_none(), "more than one line ends with `{comment}`");
    number
}
