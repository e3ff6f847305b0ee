//! What cargo, the compiler and a crate's tests say.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Result, ensure};
use serde_json::Value;

/// How cargo is run.
#[derive(Clone, Debug)]
pub struct Cargo {
    /// Where everything that is built goes, so that dependencies are built once.
    pub target: PathBuf,
    /// Flags for the compiler.
    pub flags: String,
    /// The features of the crate, besides its default ones.
    pub features: Vec<String>,
    /// Further arguments of `cargo test`: which of the package's crates are built and tested.
    pub chosen: Vec<String>,
    /// Whether the examples in the documentation are tested too.
    pub documentation: bool,
}

/// Behind this the tests of a crate hang. GNU's `timeout` ends them with all that they started.
const DEADLINE: &str = "3600";

/// What the compiler had to say.
#[derive(Clone, Debug, Default)]
pub struct Diagnostic {
    /// `error`, `warning`.
    pub level: String,
    /// The lint or the error's number; none for an error that a macro makes.
    pub code: Option<String>,
    /// What is wrong.
    pub message: String,
    /// The crate of the package that it is about.
    pub target: String,
    /// The places that it points at, the main one first, each with those of the macros around it.
    pub places: Vec<Place>,
    /// The main one or, in what a macro becomes, where that is called: what lies inside is told from another place as soon as
    /// any attribute has seen it.
    pub at: Option<Place>,
    /// All of it, as a user reads it.
    pub rendered: String,
}

/// A place in a file of the package.
#[derive(Clone, Debug)]
pub struct Place {
    /// The file's path in the package.
    pub file: PathBuf,
    /// In bytes.
    pub range: Range<usize>,
    /// Its line, counted from 1.
    pub line: u64,
}

/// What a build gave.
#[derive(Debug, Default)]
pub struct Build {
    /// Whether all was built.
    pub built: bool,
    /// What was said about the package's own crates.
    pub diagnostics: Vec<Diagnostic>,
    /// What cargo itself said.
    pub log: String,
}

impl Build {
    /// The warnings, in a form that is equal for the same warning on the same line.
    pub fn warnings(&self) -> BTreeSet<String> {
        let warnings = self.diagnostics.iter().filter(|said| said.level == "warning" && said.at.is_some());
        warnings.map(Diagnostic::summary).collect()
    }
}

impl Diagnostic {
    /// In one line, without a column.
    pub fn summary(&self) -> String {
        let place = self.at.as_ref().map(|place| format!("{}:{}", place.file.display(), place.line));
        format!(
            "{}: {} [{}] {} ({})",
            self.level,
            self.message.replace('\n', " "),
            self.code.as_deref().unwrap_or("-"),
            place.as_deref().unwrap_or("nowhere"),
            self.target
        )
    }

    fn from_json(message: &Value, target: &str) -> Self {
        let text = |key: &str| message[key].as_str().unwrap_or_default().to_owned();
        let mut places = Vec::new();
        let (first, others): (Vec<_>, Vec<_>) =
            message["spans"].as_array().into_iter().flatten().partition(|span| span["is_primary"] == true);
        let mut main = Vec::new();
        first.iter().take(1).for_each(|span| with_macros(span, &mut main));
        first.into_iter().chain(others).for_each(|span| with_macros(span, &mut places));
        Self {
            level: text("level"),
            code: message["code"]["code"].as_str().map(str::to_owned),
            message: text("message"),
            target: target.to_owned(),
            places,
            at: main.pop(),
            rendered: text("rendered"),
        }
    }
}

/// A place, and where the macro was called that it comes from.
fn with_macros(span: &Value, places: &mut Vec<Place>) {
    let byte = |key: &str| span[key].as_u64().and_then(|byte| usize::try_from(byte).ok()).unwrap_or_default();
    if let Some(file) = span["file_name"].as_str() {
        let file = crate::package::normal(Path::new(file));
        let line = span["line_start"].as_u64().unwrap_or_default();
        places.push(Place { file, range: byte("byte_start")..byte("byte_end"), line });
    }
    if span["expansion"].is_object() {
        with_macros(&span["expansion"]["span"], places);
    }
}

/// What became of each test. More than one outcome where it ran more than once.
pub type Outcomes = BTreeMap<String, BTreeSet<String>>;

impl Cargo {
    /// Builds all that `cargo test` builds of the package in `folder`.
    ///
    /// # Errors
    /// Cargo cannot be run.
    pub fn build(&self, folder: &Path) -> Result<Build> {
        let mut command = self.test(folder, &self.chosen);
        command.args(["--no-run", "--message-format=json"]);
        read_build(command, folder)
    }

    /// What clippy says of the same, with the lints of its group `pedantic` too.
    ///
    /// # Errors
    /// Cargo cannot be run.
    pub fn clippy(&self, folder: &Path) -> Result<Build> {
        let mut command = self.command("clippy", folder, &self.chosen);
        command.args(["--message-format=json", "--", "--cap-lints=warn", "-Wclippy::all", "-Wclippy::pedantic"]);
        read_build(command, folder)
    }

    /// Runs the tests of the package in `folder`, which is built, and leaves what they print in `log`.
    ///
    /// # Errors
    /// Cargo cannot be run, or no test is.
    pub fn run(&self, folder: &Path, log: &Path) -> Result<Outcomes> {
        let file = File::create(log)?;
        let mut runs = vec![self.test(folder, &self.chosen)];
        if self.documentation {
            // Cargo takes no list with this in it.
            runs.push(self.test(folder, &["--doc".to_owned()]));
        }
        for mut run in runs {
            let status = run.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file.try_clone()?).status()?;
            ensure!(status.code() != Some(124), "the tests hang: {}", log.display());
        }
        let outcomes = outcomes(&String::from_utf8_lossy(&fs::read(log)?));
        ensure!(!outcomes.is_empty(), "no test was run: {}", log.display());
        Ok(outcomes)
    }

    fn test(&self, folder: &Path, chosen: &[String]) -> Command {
        let mut command = self.command("test", folder, chosen);
        command.arg("--no-fail-fast");
        command
    }

    fn command(&self, act: &str, folder: &Path, chosen: &[String]) -> Command {
        let mut command = Command::new("timeout");
        command.args([DEADLINE, "cargo", act]).args(chosen).current_dir(folder);
        if !self.features.is_empty() {
            command.arg("--features").arg(self.features.join(","));
        }
        command
            .env("CARGO_TARGET_DIR", &self.target)
            .env("RUSTFLAGS", &self.flags)
            // What is compared has no use for them, and they are most of what a build writes.
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .env("CARGO_PROFILE_TEST_DEBUG", "0")
            .env("CARGO_INCREMENTAL", "0")
            .env("CARGO_TERM_COLOR", "never");
        command
    }
}

fn read_build(mut command: Command, folder: &Path) -> Result<Build> {
    let output = command.stdin(Stdio::null()).output()?;
    let mut diagnostics = Vec::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Ok(said) = serde_json::from_str::<Value>(line) else { continue };
        let ours = said["manifest_path"].as_str().is_some_and(|path| Path::new(path).parent() == Some(folder));
        if said["reason"] == "compiler-message" && ours {
            let target = said["target"]["name"].as_str().unwrap_or_default();
            diagnostics.push(Diagnostic::from_json(&said["message"], target));
        }
    }
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    Ok(Build { built: output.status.success(), diagnostics, log })
}

/// Reads what `cargo test` prints: which crate's tests run, each test's outcome, which crate's tests failed.
fn outcomes(text: &str) -> Outcomes {
    let mut outcomes = Outcomes::new();
    let mut within = String::new();
    for line in text.lines() {
        let trimmed = line.trim_start();
        if let Some(rest) = trimmed.strip_prefix("Running ") {
            rest.split(" (").next().unwrap_or_default().clone_into(&mut within);
        } else if trimmed.starts_with("Doc-tests ") {
            trimmed.clone_into(&mut within);
        } else if let Some((name, outcome)) = line.strip_prefix("test ").and_then(|rest| rest.rsplit_once(" ... ")) {
            let outcome = outcome.split(',').next().unwrap_or_default();
            outcomes.entry(format!("{within}: {name}")).or_default().insert(outcome.to_owned());
        } else if let Some((_, target)) = line.split_once("to rerun pass `") {
            outcomes.entry(format!("all of {target}")).or_default().insert("FAILED".to_owned());
        }
    }
    outcomes
}
