//! Finds functions that launch kernels and have no `#[gpu_kernel]`.
//!
//! Launches are those that the attribute would see: the same code looks for them. In a crate's own tests, with this crate as
//! a dev-dependency:
//!
//! ```
//! # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
//! let unnamed = launchsite_lint::unnamed_launches(folder).unwrap();
//! assert!(unnamed.is_empty(), "{unnamed:#?}");
//! ```
//!
//! or from a shell, `launchsite lint src`.
//!
//! Types decide what a launch is, and here are only tokens: a method `launch` is looked at where its file has something of
//! CUDA in it (`cudarc`, `LaunchConfig`, `launch_builder` and the like), and a function that only looks like one that launches is
//! passed over with the comment `// launchsite: no launch` in the line of its `fn`, or in the line above. Tests are passed
//! over, and so is what a macro expands to.

mod file;

// A proc-macro crate gives away nothing but its macros, so that its modules are compiled here once more.
#[path = "../../src"]
#[allow(dead_code, reason = "what makes an expansion is not asked for")]
mod expansion {
    pub(crate) mod args;
    pub(crate) mod body;
    pub(crate) mod calls;
    pub(crate) mod closures;
    pub(crate) mod entry;
    pub(crate) mod hooks;
    pub(crate) mod locals;
    pub(crate) mod methods;
    pub(crate) mod model;
    pub(crate) mod origin;
    pub(crate) mod paths;
    pub(crate) mod site;
    pub(crate) mod text;
}
// By which they know each other.
use expansion::{args, body, calls, closures, entry, hooks, locals, methods, model, origin, paths, site, text};

use std::fmt;
use std::path::{Path, PathBuf};

/// A function that launches, and says nothing of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unnamed {
    /// Its file, below the path that was asked for.
    pub file: PathBuf,
    /// The line of its name.
    pub line: usize,
    /// The column of its name, counted from 1.
    pub column: usize,
    /// Its name, behind that of its type where it is a method.
    pub function: String,
    /// Others can call it: it is `pub`, or a trait's method.
    pub is_public: bool,
    /// The lines of its launches.
    pub launches: Vec<usize>,
}

impl fmt::Display for Unnamed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, column, function, .. } = self;
        let public = if self.is_public { "public " } else { "" };
        let lines: Vec<_> = self.launches.iter().map(usize::to_string).collect();
        let word = if lines.len() == 1 { "line" } else { "lines" };
        let lines = lines.join(", ");
        write!(
            f,
            "{}:{line}:{column}: {public}`{function}` launches in {word} {lines} without `#[gpu_kernel]`",
            file.display()
        )
    }
}

/// What could not be looked at.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A file or a folder cannot be read.
    Unreadable(PathBuf, std::io::Error),
    /// A file is no Rust that is understood: the line, and what is wrong.
    NotRust(PathBuf, usize, String),
    /// There is no Rust file at the path, or below it.
    Nothing(PathBuf),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(path, why) => write!(f, "{}: {why}", path.display()),
            Self::NotRust(path, line, why) => write!(f, "{}:{line}: {why}", path.display()),
            Self::Nothing(path) => write!(f, "{}: no Rust file", path.display()),
        }
    }
}

impl std::error::Error for Error {}

/// The functions in a file, or in all files below a folder, that launch without the attribute; in the order of files and
/// lines. Folders that are hidden or called `target` are passed over, and links to folders are not followed.
///
/// # Errors
/// A file cannot be read or is no Rust, or there is none. Nothing is said of the others then.
pub fn unnamed_launches(path: impl AsRef<Path>) -> Result<Vec<Unnamed>, Error> {
    let path = path.as_ref();
    let mut files = Vec::new();
    if path.is_dir() {
        collect(path, &mut files)?;
    } else {
        files.push(path.to_owned());
    }
    if files.is_empty() {
        return Err(Error::Nothing(path.to_owned()));
    }
    files.sort();
    let mut unnamed = Vec::new();
    for file in files {
        let bytes = std::fs::read(&file).map_err(|why| Error::Unreadable(file.clone(), why))?;
        let text = String::from_utf8_lossy(&bytes);
        unnamed.extend(file::unnamed(&file, &text).map_err(|(line, why)| Error::NotRust(file.clone(), line, why))?);
    }
    Ok(unnamed)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Error> {
    let unreadable = |why| Error::Unreadable(folder.to_owned(), why);
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let (path, kind) = (entry.path(), entry.file_type().map_err(unreadable)?);
        let name = entry.file_name();
        if kind.is_dir() && name != "target" && !name.to_string_lossy().starts_with('.') {
            collect(&path, files)?;
        } else if !kind.is_dir() && path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
    Ok(())
}
