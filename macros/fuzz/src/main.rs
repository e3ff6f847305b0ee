//! Checks the attribute on many inputs, and tells what it found.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use launchsite_macros_fuzz::{Report, Run, Seeds, check, shrunk};
use lexopt::prelude::*;

const USAGE: &str = "\
launchsite-macros-fuzz [--inputs N] [--seed S] [--threads T] [--seeds FOLDER].. [--only NUMBER]

  --inputs N       how many inputs (20000)
  --seed S         which ones (1)
  --threads T      on how many threads (2); the inputs are the same
  --seeds FOLDER   changes the functions of the Rust files below it too
  --only NUMBER    shows this input and what is wrong with it, as small as it gets

Ends with 1 where a fault was found.
";

struct Options {
    inputs: u64,
    seed: u64,
    threads: usize,
    folders: Vec<PathBuf>,
    only: Option<u64>,
    help: bool,
}

fn options() -> Result<Options, lexopt::Error> {
    let mut given = Options { inputs: 20_000, seed: 1, threads: 2, folders: Vec::new(), only: None, help: false };
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("inputs") => given.inputs = parser.value()?.parse()?,
            Long("seed") => given.seed = parser.value()?.parse()?,
            Long("threads") => given.threads = parser.value()?.parse()?,
            Long("seeds") => given.folders.push(parser.value()?.into()),
            Long("only") => given.only = Some(parser.value()?.parse()?),
            Long("help") => given.help = true,
            other => return Err(other.unexpected()),
        }
    }
    Ok(given)
}

fn main() -> ExitCode {
    let mut out = io::stdout();
    match whole(&mut out) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            // Where standard output is gone, nobody is left to tell.
            drop(writeln!(out, "{error}\n\n{USAGE}"));
            ExitCode::from(2)
        }
    }
}

/// Whether all inputs were as they should be.
fn whole(out: &mut impl Write) -> Result<bool, Box<dyn std::error::Error>> {
    let options = options()?;
    if options.help {
        write!(out, "{USAGE}")?;
        return Ok(true);
    }
    let mut seeds = Seeds::own();
    for folder in &options.folders {
        seeds.read(folder)?;
    }
    let run = Run { seed: options.seed, inputs: options.inputs, threads: options.threads.max(1), seeds: &seeds };
    if let Some(number) = options.only {
        return one(&run, number, out);
    }
    let start = Instant::now();
    let report = run.report();
    told(&run, &report, start.elapsed().as_secs_f64(), out)?;
    Ok(report.faulty == 0 && report.inputs == run.inputs)
}

fn one(run: &Run<'_>, number: u64, out: &mut impl Write) -> Result<bool, Box<dyn std::error::Error>> {
    let input = run.input(number);
    writeln!(out, "{input}\n\n{:?}", check(&input))?;
    if let Some((smallest, fault)) = shrunk(&input) {
        writeln!(out, "\n{smallest}\n\n{fault}")?;
        return Ok(false);
    }
    Ok(true)
}

fn told(run: &Run<'_>, report: &Report, seconds: f64, out: &mut impl Write) -> io::Result<()> {
    #[allow(clippy::cast_precision_loss)] // a rate
    let rate = report.inputs as f64 / seconds;
    writeln!(
        out,
        "{} inputs of seed {} (and {} functions to change) in {seconds:.0} s, {rate:.0} inputs/s\n\
         {} hooked with {} launches, {} blocks, {} untouched, {} refused\n{} with a fault",
        report.inputs,
        run.seed,
        run.seeds.len(),
        report.hooked,
        report.launches,
        report.blocks,
        report.untouched,
        report.refused,
        report.faulty,
    )?;
    for found in report.found.values() {
        writeln!(out, "\n--only {}: {}", found.number, found.fault)?;
        if let Some((smallest, fault)) = shrunk(&run.input(found.number)) {
            writeln!(out, "{smallest}\n{fault}")?;
        }
    }
    Ok(())
}
