//! Crates as their authors published them: fetched through cargo, copied, and given what they need to stand alone.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::str::FromStr;

use anyhow::{Context as _, Result, anyhow, ensure};
use serde_json::Value;

use crate::modules::files_of;

/// What the command line asks for: `tokio`, `tokio@1.50.0`, `tokio@1.50.0/full,test-util`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The crate's name.
    pub name: String,
    /// Its exact version; the newest, if none is given.
    pub version: Option<String>,
    /// The features to build it with, besides its default ones.
    pub features: Vec<String>,
}

impl FromStr for Asked {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let (named, features) = text.split_once('/').unwrap_or((text, ""));
        let (name, version) = named.split_once('@').map_or((named, None), |(name, version)| (name, Some(version)));
        ensure!(!name.is_empty(), "`{text}` names no crate: name[@version][/feature,feature]");
        let features = features.split(',').filter(|feature| !feature.is_empty()).map(str::to_owned).collect();
        Ok(Self { name: name.to_owned(), version: version.map(str::to_owned), features })
    }
}

/// A published crate.
#[derive(Clone, Debug)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its edition.
    pub edition: String,
    /// The features it is built with, besides its default ones.
    pub features: Vec<String>,
    /// Where cargo keeps it.
    source: PathBuf,
    /// Its library, programs, examples and tests.
    targets: Vec<Target>,
}

/// One of the crates of a package.
#[derive(Clone, Debug)]
struct Target {
    name: String,
    kind: String,
    /// The root's path in the package.
    root: PathBuf,
}

impl Package {
    /// Has cargo fetch it, by way of a package in `scratch` that depends on it.
    ///
    /// # Errors
    /// There is no such crate, or cargo cannot have it.
    pub fn fetch(asked: &Asked, scratch: &Path) -> Result<Self> {
        let version = asked.version.as_ref().map_or("*".to_owned(), |version| format!("={version}"));
        let manifest = format!(
            "[workspace]\n[package]\nname = \"scratch\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\
             [dependencies]\n{} = \"{version}\"\n",
            asked.name
        );
        write(&scratch.join("Cargo.toml"), manifest.as_bytes())?;
        write(&scratch.join("src/lib.rs"), b"")?;
        let output = Command::new("cargo")
            .args(["metadata", "--format-version", "1", "--manifest-path"])
            .arg(scratch.join("Cargo.toml"))
            .output()?;
        ensure!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
        let metadata: Value = serde_json::from_slice(&output.stdout)?;
        let packages = metadata["packages"].as_array().into_iter().flatten();
        let mut ours = packages.filter(|package| package["name"] == asked.name.as_str());
        let found = ours.next().ok_or_else(|| anyhow!("cargo knows no `{}`", asked.name))?;
        Self::from_metadata(found, asked.features.clone())
    }

    fn from_metadata(package: &Value, features: Vec<String>) -> Result<Self> {
        let text = |key: &str| package[key].as_str().unwrap_or_default().to_owned();
        let manifest = PathBuf::from(text("manifest_path"));
        let source = manifest.parent().context("a manifest lies in a folder")?.to_owned();
        let targets = package["targets"].as_array().into_iter().flatten();
        let target = |target: &Value| {
            let root = Path::new(target["src_path"].as_str()?).strip_prefix(&source).ok()?.to_owned();
            let text = |value: &Value| value.as_str().map(str::to_owned);
            Some(Target { name: text(&target["name"])?, kind: text(&target["kind"][0])?, root })
        };
        // Build scripts cannot use a dependency of the package, and benches are not built by `cargo test`.
        let built = |target: &Target| target.kind != "custom-build" && target.kind != "bench";
        let targets = targets.filter_map(target).filter(built).collect();
        Ok(Self { name: text("name"), version: text("version"), edition: text("edition"), features, source, targets })
    }

    /// Whether there is a library, and so documentation with examples that can be tested.
    pub fn has_library(&self) -> bool {
        self.targets.iter().any(|target| !["test", "example", "bin"].contains(&target.kind.as_str()))
    }

    /// The arguments that have `cargo test` build all but the tests and examples of these names.
    pub fn all_but(&self, names: &BTreeSet<&str>) -> Vec<String> {
        let mut arguments = Vec::new();
        for target in self.targets.iter().filter(|target| !names.contains(target.name.as_str())) {
            match target.kind.as_str() {
                "test" | "example" | "bin" => arguments.extend([format!("--{}", target.kind), target.name.clone()]),
                _ => arguments.push("--lib".to_owned()),
            }
        }
        arguments
    }

    /// Whether `file`, a path in the package, is a crate's root.
    pub fn is_root(&self, file: &Path) -> bool {
        self.targets.iter().any(|target| target.root == file)
    }

    /// The files that its crates are made of, by their paths in the package.
    ///
    /// # Errors
    /// A file cannot be read, or is no Rust.
    pub fn files(&self) -> Result<BTreeSet<PathBuf>> {
        let mut files = BTreeSet::new();
        for target in &self.targets {
            files_of(&self.source.join(&target.root), &mut files)?;
        }
        Ok(files.iter().filter_map(|file| normal(file).strip_prefix(&self.source).ok().map(PathBuf::from)).collect())
    }

    /// What `file` holds as it was published.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn text(&self, file: &Path) -> Result<String> {
        fs::read_to_string(self.source.join(file)).with_context(|| format!("reading {}", file.display()))
    }

    /// Copies it to `folder` but for the files `except`, with `more` at the end of its manifest. What is there already is
    /// not touched, so that nothing is built again.
    ///
    /// # Errors
    /// The file system refuses.
    pub fn copy_to(&self, folder: &Path, except: &BTreeSet<PathBuf>, more: &str) -> Result<()> {
        self.copy(Path::new(""), folder, except)?;
        let path = Path::new("Cargo.toml");
        let mut manifest = self.text(path)?;
        if !manifest.lines().any(|line| line.trim() == "[workspace]") {
            manifest.push_str("\n[workspace]\n");
        }
        manifest.push_str(more);
        write(&folder.join(path), manifest.as_bytes())
    }

    fn copy(&self, part: &Path, folder: &Path, except: &BTreeSet<PathBuf>) -> Result<()> {
        for entry in fs::read_dir(self.source.join(part))? {
            let entry = entry?;
            let path = part.join(entry.file_name());
            let ours = ["Cargo.toml", "Cargo.lock", ".cargo-ok"].iter().any(|name| path == Path::new(name));
            if entry.file_type()?.is_dir() {
                self.copy(&path, folder, except)?;
            } else if !ours && !except.contains(&path) {
                write(&folder.join(path), &fs::read(entry.path())?)?;
            }
        }
        Ok(())
    }
}

/// Without `.` and `..`, as `#[path = "../x.rs"]` leaves them.
pub fn normal(path: &Path) -> PathBuf {
    let mut parts = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir => {
                parts.pop();
            }
            std::path::Component::CurDir => {}
            part => parts.push(part),
        }
    }
    parts
}

/// Writes a file where it differs, and the folders it lies in.
///
/// # Errors
/// The file system refuses.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    if fs::read(path).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, bytes).with_context(|| format!("writing {}", path.display()))
}
