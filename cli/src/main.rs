//! The command `launchsite`: what a profiler's report says about each launch site, and which functions launch unnamed.
//!
//! `launchsite nsys REPORT` reads a report of Nsight Systems in two passes. [`host`] goes through what the host's threads
//! did, in the order of time: which site's range was open where a kernel was launched or captured. [`kernels`] goes
//! through the kernels, launch by launch, and adds each to the [`sums`] of its site.

mod args;
mod fault;
mod host;
mod kernels;
mod notes;
mod output;
mod report;
mod sums;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use args::Asked;
use fault::Fault;
use output::Format;
use report::Report;

fn main() -> ExitCode {
    let asked = args::parse(std::env::args_os().skip(1)).map_err(Fault::Usage);
    match asked.and_then(|asked| run(&asked)) {
        Ok(code) => code,
        Err(fault) => fault.tell(),
    }
}

fn run(asked: &Asked) -> Result<ExitCode, Fault> {
    let done = match asked {
        Asked::Help => print(args::HELP),
        Asked::Version => print(concat!("launchsite ", env!("CARGO_PKG_VERSION"), "\n")),
        Asked::Nsys { report, format } => nsys(report, *format),
        Asked::Lint(paths) => return lint(paths),
    };
    done.map(|()| ExitCode::SUCCESS)
}

fn lint(paths: &[PathBuf]) -> Result<ExitCode, Fault> {
    let mut found = String::new();
    for path in paths {
        for unnamed in launchsite_lint::unnamed_launches(path).map_err(Fault::Source)? {
            found.push_str(&unnamed.to_string());
            found.push('\n');
        }
    }
    print(&found)?;
    Ok(if found.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn print(text: &str) -> Result<(), Fault> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(Fault::Output)
}

fn nsys(path: &Path, format: Format) -> Result<(), Fault> {
    let read = Report::open(path).and_then(|report| {
        let host = host::read(&report)?;
        let sums = kernels::read(&report, &host)?;
        let notes = notes::of(&report, &host, &sums)?;
        Ok((sums.rows(&host.sites), notes))
    });
    let (rows, notes) = read.map_err(|why| Fault::Report(path.to_owned(), why))?;
    let written = output::write(&rows, format);
    for note in notes {
        fault::say(&note);
    }
    written.map_err(Fault::Output)
}
