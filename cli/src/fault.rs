//! What ends the command early.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use crate::args::USAGE;
use crate::output::plain;
use crate::report::Unreadable;

#[derive(Debug)]
pub(crate) enum Fault {
    /// The arguments ask for nothing.
    Usage(String),
    /// The report cannot be read.
    Report(PathBuf, Unreadable),
    /// A Rust file cannot be looked at.
    Source(launchsite_lint::Error),
    /// The output cannot be written.
    Output(io::Error),
}

impl Fault {
    /// Says so on stderr, in one line and the usage where that helps, and gives the exit code.
    pub(crate) fn tell(&self) -> ExitCode {
        match self {
            Self::Usage(why) => {
                say(why);
                let _ = writeln!(io::stderr(), "{USAGE}");
                ExitCode::from(2)
            }
            Self::Report(path, why) => {
                say(&format!("{}: {why}", path.display()));
                ExitCode::from(2)
            }
            Self::Source(why) => {
                say(&why.to_string());
                ExitCode::from(2)
            }
            // Who reads has enough: `launchsite nsys report.sqlite | head`.
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
            Self::Output(error) => {
                say(&format!("the output cannot be written: {error}"));
                ExitCode::FAILURE
            }
        }
    }
}

/// A line on stderr. Where that is gone too, nobody is left to tell.
pub(crate) fn say(what: &str) {
    let _ = writeln!(io::stderr(), "launchsite: {}", plain(what));
}
