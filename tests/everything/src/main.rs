//! Annotates the crates that the command line names, and compares each with itself.

use std::collections::BTreeSet;
use std::fs;
use std::io::{Write as _, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail, ensure};
use launchsite_everything::cargo::{Build, Cargo, Outcomes};
use launchsite_everything::compare::{Differences, add, of_tests};
use launchsite_everything::package::{Asked, Package};
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

/// Lints that are off by default and that a crate may well have on: nothing of launchsite's may set one off.
const LINTS: &str = "-Wunused -Wunused_qualifications -Wunused_results -Wunused_lifetimes -Wsingle_use_lifetimes \
    -Wunreachable_pub -Wmissing_docs -Wmissing_debug_implementations -Wlet_underscore_drop -Wtrivial_casts \
    -Wtrivial_numeric_casts -Wunsafe_code -Wunsafe_op_in_unsafe_fn -Wexplicit_outlives_requirements -Wvariant_size_differences \
    -Wkeyword_idents -Wnon_ascii_idents -Wredundant_lifetimes -Wmeta_variable_misuse -Welided_lifetimes_in_paths";

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
    folder: PathBuf,
    chosen: Vec<String>,
    documentation: bool,
    clippy: bool,
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
        Ok(Self { crates, variants, folder, documentation, clippy, chosen: given.collect() })
    }
}

fn repository() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().nth(2).unwrap_or(package).to_owned()
}

/// Whether every crate is as it was.
fn all(arguments: &Arguments) -> Result<bool> {
    let mut rows = Vec::new();
    for asked in &arguments.crates {
        let package = Package::fetch(asked, &arguments.folder.join("scratch"))?;
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

/// A crate as it was published, built and tested.
struct Plain {
    package: Package,
    folder: PathBuf,
    patch: String,
    cargo: Cargo,
    build: Build,
    /// What clippy says, if it is asked.
    clippy: Option<Build>,
    outcomes: Outcomes,
    /// Tests that do not build as they were published.
    left_out: Vec<String>,
}

fn one(package: &Package, arguments: &Arguments) -> Result<Vec<Row>> {
    progress(&format!("{}: as it is", title(package)))?;
    let mut plain = plain(package, arguments)?;
    let sources = sources(package)?;
    arguments.variants.iter().map(|&variant| row(&mut plain, &sources, variant)).collect()
}

fn plain(package: &Package, arguments: &Arguments) -> Result<Plain> {
    let folder = arguments.folder.join(format!("{}-{}", package.name, package.version));
    let patch = patch(&package.name)?;
    let copy = folder.join("as-it-is");
    package.copy_to(&copy, &BTreeSet::new(), &patch)?;
    let mut cargo = Cargo {
        target: arguments.folder.join("target"),
        flags: LINTS.to_owned(),
        features: package.features.clone(),
        chosen: arguments.chosen.clone(),
        documentation: arguments.documentation && arguments.chosen.is_empty() && package.has_library(),
    };
    if cargo.chosen.is_empty() {
        cargo.chosen = package.all_but(&BTreeSet::new());
    }
    let mut build = cargo.build(&copy)?;
    if !build.built {
        // Some crates deny all warnings in their tests.
        cargo.flags = String::new();
        build = cargo.build(&copy)?;
    }
    let mut left_out = Vec::new();
    if !build.built && arguments.chosen.is_empty() {
        // Some crates leave out a file of a test where they are published, or have one that this compiler refuses.
        let errors = build.diagnostics.iter().filter(|said| said.level == "error");
        let failed: BTreeSet<_> = errors.map(|error| error.target.as_str()).collect();
        cargo.chosen = package.all_but(&failed);
        left_out = failed.into_iter().map(str::to_owned).collect();
        build = cargo.build(&copy)?;
    }
    let first = build.diagnostics.iter().find(|said| said.level == "error").map(|error| error.rendered.clone());
    ensure!(build.built, "it does not build as it is:\n{}{}", first.unwrap_or_default(), build.log);
    let clippy = arguments.clippy.then(|| cargo.clippy(&copy)).transpose()?;
    let outcomes = cargo.run(&copy, &folder.join("as-it-is.log"))?;
    Ok(Plain { package: package.clone(), folder, patch, cargo, build, clippy, outcomes, left_out })
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

/// Tests that come back to their crate by way of another have to find the copy. Launchsite's own dependencies cannot be
/// it: the copy would depend on itself.
fn patch(name: &str) -> Result<String> {
    let lock = fs::read_to_string(repository().join("Cargo.lock"))?;
    let ours = lock.contains(&format!("name = \"{name}\"\n"));
    Ok(if ours { String::new() } else { format!("\n[patch.crates-io.{name}]\npath = \".\"\n") })
}

fn progress(text: &str) -> Result<()> {
    writeln!(std::io::stderr(), "{text}")?;
    Ok(())
}
