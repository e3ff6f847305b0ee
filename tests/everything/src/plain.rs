//! A crate as it was published: what an annotated one is compared with.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};

use crate::cargo::{Build, Cargo, Outcomes};
use crate::package::Package;

/// Lints that are off by default and that a crate may well have on: nothing of launchsite's may set one off.
const LINTS: &str = "-Wunused -Wunused_qualifications -Wunused_results -Wunused_lifetimes -Wsingle_use_lifetimes \
    -Wunreachable_pub -Wmissing_docs -Wmissing_debug_implementations -Wlet_underscore_drop -Wtrivial_casts \
    -Wtrivial_numeric_casts -Wunsafe_code -Wunsafe_op_in_unsafe_fn -Wexplicit_outlives_requirements -Wvariant_size_differences \
    -Wkeyword_idents -Wnon_ascii_idents -Wredundant_lifetimes -Wmeta_variable_misuse -Welided_lifetimes_in_paths";

/// A crate as it was published, built and tested.
#[derive(Debug)]
pub struct Plain {
    /// The crate.
    pub package: Package,
    /// Where its copies are.
    pub folder: PathBuf,
    /// What its manifest needs so that its tests find the copy.
    pub patch: String,
    /// How it is built.
    pub cargo: Cargo,
    /// Its build.
    pub build: Build,
    /// What clippy says, if it is asked.
    pub clippy: Option<Build>,
    /// What its tests gave.
    pub outcomes: Outcomes,
    /// Tests that do not build as they were published.
    pub left_out: Vec<String>,
}

/// What of a crate is looked at.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The folder of all crates.
    pub folder: PathBuf,
    /// Arguments of `cargo test`; all of the crate, if there are none.
    pub tests: Vec<String>,
    /// The examples in the documentation too.
    pub documentation: bool,
    /// What clippy says too.
    pub clippy: bool,
}

impl Plain {
    /// Copies `package`, builds it and runs its tests.
    ///
    /// # Errors
    /// It does not build, or has no tests.
    pub fn new(package: &Package, choice: &Choice) -> Result<Self> {
        let folder = choice.folder.join(format!("{}-{}", package.name, package.version));
        let patch = patch(&package.name)?;
        let copy = folder.join("as-it-is");
        package.copy_to(&copy, &BTreeSet::new(), &patch)?;
        let all = choice.tests.is_empty();
        let mut cargo = Cargo {
            target: choice.folder.join("target"),
            flags: LINTS.to_owned(),
            features: package.features.clone(),
            chosen: if all { package.all_but(&BTreeSet::new()) } else { choice.tests.clone() },
            documentation: choice.documentation && all && package.has_library(),
        };
        let mut build = with_most_lints(&mut cargo, &copy)?;
        let mut left_out = Vec::new();
        if !build.built && all {
            // Some crates leave out a file of a test where they are published, or have a test that this compiler refuses.
            let errors = build.diagnostics.iter().filter(|said| said.level == "error");
            let failed: BTreeSet<_> = errors.map(|error| error.target.as_str()).collect();
            cargo.chosen = package.all_but(&failed);
            left_out = failed.into_iter().map(str::to_owned).collect();
            build = with_most_lints(&mut cargo, &copy)?;
        }
        let first = build.diagnostics.iter().find(|said| said.level == "error").map(|error| error.rendered.as_str());
        ensure!(build.built, "it does not build as it is:\n{}{}", first.unwrap_or_default(), build.log);
        let clippy = choice.clippy.then(|| cargo.clippy(&copy)).transpose()?;
        let outcomes = cargo.run(&copy, &folder.join("as-it-is.log"))?;
        Ok(Self { package: package.clone(), folder, patch, cargo, build, clippy, outcomes, left_out })
    }
}

/// Builds with further lints, or without where they get in the way: some crates deny all warnings in their tests.
fn with_most_lints(cargo: &mut Cargo, copy: &Path) -> Result<Build> {
    LINTS.clone_into(&mut cargo.flags);
    let build = cargo.build(copy)?;
    if build.built {
        return Ok(build);
    }
    cargo.flags.clear();
    cargo.build(copy)
}

/// Where launchsite is.
pub fn repository() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().nth(2).unwrap_or(package).to_owned()
}

/// Tests that come back to their crate by way of another have to find the copy. Launchsite's own dependencies cannot be
/// it: the copy would depend on itself.
fn patch(name: &str) -> Result<String> {
    let lock = fs::read_to_string(repository().join("Cargo.lock"))?;
    let ours = lock.contains(&format!("name = \"{name}\"\n"));
    Ok(if ours { String::new() } else { format!("\n[patch.crates-io.{name}]\npath = \".\"\n") })
}
