//! Where the annotated function's package lies, so that a file can be named the same in every checkout.

use std::path::{Path, PathBuf};

/// The package that is being compiled, as cargo tells it.
///
/// The file itself is not known here: where a function was made by a macro, only the compiler knows the outermost
/// call, and it tells by `file!()` and `line!()` alone. So the expansion carries these, and what to take off the
/// path; the runtime does that in a constant, and nothing of the folder gets into the binary.
#[derive(Clone, Default)]
pub(crate) struct Origin {
    /// The package's name; empty where something else than cargo builds it.
    pub(crate) package: String,
    /// The package's folder as it stands in front of a relative path: seen from where the compiler runs.
    pub(crate) relative: String,
    /// The package's folder as it stands in front of an absolute path.
    pub(crate) absolute: String,
    /// Where the package's build script writes: below a folder whose name holds a hash.
    pub(crate) generated: String,
}

impl Origin {
    pub(crate) fn of_build() -> Self {
        let cwd = std::env::current_dir().unwrap_or_default();
        let absolute = variable("CARGO_MANIFEST_DIR");
        Self {
            package: variable("CARGO_PKG_NAME"),
            relative: below(Path::new(&absolute), &cwd),
            generated: variable("OUT_DIR"),
            absolute,
        }
    }
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

/// `folder` seen from `root`; empty where it is not below it.
pub(crate) fn below(folder: &Path, root: &Path) -> String {
    let rest = folder.strip_prefix(root).map(PathBuf::from);
    rest.unwrap_or_default().to_string_lossy().into_owned()
}
