//! Annotates the crates that the command line names, and compares each with itself.

use std::fs;
use std::io::{Write as _, stdout};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail, ensure};
use launchsite_everything::cargo::Outcomes;
use launchsite_everything::compare::{Differences, add, of_tests};
use launchsite_everything::package::{Asked, Package};
use launchsite_everything::plain::{Choice, Plain, repository};
use launchsite_everything::report::{HEAD, Row, title};
use launchsite_everything::variant::{Source, Variant, annotated, sources};

const USAGE: &str = "\
usage: run.sh [--only VARIANT,..] [--no-doc] [--clippy] [--first] [--folder FOLDER] CRATE.. [-- ARGUMENTS OF CARGO TEST]
  CRATE    name[@version][/feature,feature]
  VARIANT  plain-off, plain-on, scope-off, scope-on; all, if not given
  --no-doc leaves out the examples in the documentation, each of which is a program of its own
  --clippy compares what clippy says too, pedantic and all
  --first  puts the attribute in front of a function's others, not behind them
  FOLDER   where everything is built, and stays";

fn main() -> ExitCode {
    match Arguments::read(std::env::args().skip(1)).and_then(|arguments| all(&arguments)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            // Nobody to tell where stderr is closed.
            let _ = writeln!(std::io::stderr(), "{error:#}");
            ExitCode::from(2)
        }
    }
}

struct Arguments {
    crates: Vec<Asked>,
    variants: Vec<Variant>,
    choice: Choice,
}

impl Arguments {
    fn read(mut given: impl Iterator<Item = String>) -> Result<Self> {
        let mut variants: Vec<_> = [false, true]
            .iter()
            .flat_map(|&scope| [false, true].map(|enabled| Variant { scope, enabled, first: false }))
            .collect();
        let mut folder = repository().join("target/everything");
        let mut crates = Vec::new();
        let (mut documentation, mut clippy) = (true, false);
        while let Some(argument) = given.next() {
            match argument.as_str() {
                "--" => break,
                "--no-doc" => documentation = false,
                "--clippy" => clippy = true,
                "--first" => variants.iter_mut().for_each(|variant| variant.first = true),
                "--folder" => folder = std::path::absolute(given.next().context(USAGE)?)?,
                "--only" => {
                    let only = given.next().context(USAGE)?;
                    let only: Vec<_> = only.split(',').collect();
                    variants.retain(|variant| only.contains(&variant.name().as_str()));
                    ensure!(variants.len() == only.len(), "{USAGE}");
                }
                option if option.starts_with('-') => bail!("{USAGE}"),
                asked => crates.push(asked.parse()?),
            }
        }
        ensure!(!crates.is_empty(), "{USAGE}");
        let choice = Choice { folder, tests: given.collect(), documentation, clippy };
        Ok(Self { crates, variants, choice })
    }
}

/// Whether every crate is as it was.
fn all(arguments: &Arguments) -> Result<bool> {
    let mut rows = Vec::new();
    for asked in &arguments.crates {
        let package = Package::fetch(asked, &arguments.choice.folder.join("scratch"))?;
        rows.extend(one(&package, arguments).with_context(|| title(&package))?);
    }
    let mut out = stdout().lock();
    writeln!(out, "{HEAD}")?;
    for row in &rows {
        writeln!(out, "{}", row.line())?;
    }
    writeln!(out)?;
    for row in &rows {
        write!(out, "{}", row.details())?;
    }
    Ok(rows.iter().all(Row::is_good))
}

fn one(package: &Package, arguments: &Arguments) -> Result<Vec<Row>> {
    progress(&format!("{}: as it is", title(package)))?;
    let mut plain = Plain::new(package, &arguments.choice)?;
    let sources = sources(package)?;
    arguments.variants.iter().map(|&variant| row(&mut plain, &sources, variant)).collect()
}

fn row(plain: &mut Plain, sources: &[Source], variant: Variant) -> Result<Row> {
    let package = title(&plain.package);
    progress(&format!("{package}: {}", variant.name()))?;
    let copy = plain.folder.join(variant.name());
    let runtime = repository().join("runtime");
    plain.package.copy_to(&copy, &plain.package.files()?, &(variant.dependency(&runtime) + &plain.patch))?;
    let lock = copy.join("Cargo.lock");
    if !lock.exists() {
        fs::copy(plain.folder.join("as-it-is/Cargo.lock"), lock).context("the versions of its dependencies")?;
    }

    let annotated = annotated(sources, &copy, variant, &plain.cargo)?;
    let mut differences = Differences::default();
    differences.add_builds(&plain.build, &annotated.build);
    let mut outcomes = Outcomes::new();
    if annotated.build.built {
        if let Some(clippy) = &plain.clippy {
            differences.add_builds(clippy, &plain.cargo.clippy(&copy)?);
        }
        let log = plain.folder.join(format!("{}.log", variant.name()));
        outcomes = plain.cargo.run(&copy, &log)?;
        if !of_tests(&plain.outcomes, &outcomes).is_empty() {
            // Some tests do not always end alike by themselves: each side has a second try.
            add(&mut outcomes, plain.cargo.run(&copy, &log.with_extension("again.log"))?);
            let again = plain.folder.join("as-it-is.again.log");
            add(&mut plain.outcomes, plain.cargo.run(&plain.folder.join("as-it-is"), &again)?);
        }
        differences.tests = of_tests(&plain.outcomes, &outcomes);
    }
    let builds = [Some(&plain.build), plain.clippy.as_ref()];
    let warnings = builds.into_iter().flatten().map(|build| build.warnings().len()).sum();
    let left_out = plain.left_out.clone();
    let row = Row { package, variant, annotated, warnings, outcomes, differences, left_out };
    progress(&format!("{}\n{}", row.line(), row.details().trim_end()))?;
    Ok(row)
}

fn progress(text: &str) -> Result<()> {
    writeln!(std::io::stderr(), "{text}")?;
    Ok(())
}
