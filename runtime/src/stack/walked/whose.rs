//! Which functions are shown.

use std::path::Path;

use crate::name::{Frame, naming};

/// Whose function it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    /// Shown.
    User,
    /// Of a crate that the user says is internal.
    Internal,
    /// Of Rust's libraries, the C library, cudarc or launchsite.
    Nobody,
}

/// Crates that are never the user's own.
const CRATES: [&str; 6] = ["std", "core", "alloc", "cudarc", "launchsite", "rustc_std_workspace_core"];

impl Whose {
    /// `name` is the whole name of the function, where that is known, and else `of_crate` its crate where that is; `file`
    /// its file as the compiler was given it, `module` the library that it is in.
    pub(super) fn of(name: Option<&str>, of_crate: Option<&str>, file: &str, frame: &Frame, module: &Path) -> Self {
        let in_rust = file.starts_with("/rustc/") || file.contains("/lib/rustlib/src/rust/library/");
        // What the compiler puts between a pointer and the function that it points to.
        let is_shim = name.is_some_and(|name| name.ends_with("shim}}") || name.contains("{shim:"));
        let is_plain = name.is_none_or(|name| !name.contains("::"));
        if in_rust || is_shim || is_systems(module) || (file.is_empty() && is_plain) {
            return Self::Nobody;
        }
        let Some(name) = name.filter(|_| !is_plain) else { return Self::by_file(of_crate, frame) };
        let heads = Heads::of(name);
        if heads.all(|path| CRATES.contains(&first(path))) {
            return Self::Nobody;
        }
        let internal = &naming().internal;
        let by_path = |path: &str| CRATES.contains(&first(path)) || internal.has_path(path);
        // Where a type of an internal module is given a trait of the same crate, the module is the one that does so.
        let of_trait = |path: &str| by_path(path) || first(path) == first(heads.of_type);
        let is_internal =
            internal.has_file(&frame.file) || (by_path(heads.of_type) && heads.of_trait.is_none_or(of_trait));
        if is_internal { Self::Internal } else { Self::User }
    }

    /// Of a function without a path: its file tells, and cargo's layout which module that is.
    fn by_file(of_crate: Option<&str>, frame: &Frame) -> Self {
        let (package, inside) = frame.file.split_once('/').unwrap_or_default();
        let of_crate = of_crate.map_or_else(|| package.replace('-', "_"), str::to_owned);
        if CRATES.contains(&&*of_crate) {
            return Self::Nobody;
        }
        let inside = inside.strip_prefix("src/").unwrap_or_default().trim_end_matches(".rs");
        let modules = inside.split('/').filter(|module| !["lib", "main", "mod"].contains(module));
        let path = modules.fold(of_crate, |path, module| path + "::" + module);
        let internal = &naming().internal;
        if internal.has_path(&path) || internal.has_file(&frame.file) { Self::Internal } else { Self::User }
    }
}

/// Whether it is of the C library or the loader.
pub(super) fn is_systems(module: &Path) -> bool {
    let name = module.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    ["libc.so", "libc-", "libpthread", "ld-", "ld.so", "linux-vdso", "libgcc_s", "ld-musl"]
        .iter()
        .any(|start| name.starts_with(start))
}

/// The paths that tell where a function stands: `app::Lin` and `app::Forward` of `<app::Lin as app::Forward>::forward`.
struct Heads<'n> {
    /// The function's own path, or that of its type. Empty where it is a type of the language.
    of_type: &'n str,
    of_trait: Option<&'n str>,
}

impl<'n> Heads<'n> {
    fn of(name: &'n str) -> Self {
        let Some(inner) = name.strip_prefix('<') else { return Self { of_type: path(name), of_trait: None } };
        let inner = inner.get(..end(inner)).unwrap_or(inner);
        match between(inner, " as ") {
            Some((of_type, of_trait)) => Self { of_type: path(of_type), of_trait: Some(path(of_trait)) },
            None => Self { of_type: path(inner), of_trait: None },
        }
    }

    fn all(&self, is: impl Fn(&str) -> bool) -> bool {
        // A type of the language stands in Rust's libraries, and so does a type argument.
        let of = |path: &str| path.is_empty() || !path.contains("::") || is(path);
        of(self.of_type) && self.of_trait.is_none_or(of)
    }
}

/// The crate of a path.
fn first(path: &str) -> &str {
    path.split("::").next().unwrap_or_default()
}

/// The path that a type begins with: past references, pointers and what else stands in front.
fn path(text: &str) -> &str {
    let mut text = text.trim_start_matches(['&', '*', '[', '(', ' ']);
    for word in ["mut ", "const ", "dyn ", "impl "] {
        text = text.strip_prefix(word).unwrap_or(text);
    }
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).unwrap_or(text.len());
    text.get(..end).unwrap_or_default().trim_end_matches(':')
}

/// Where the bracket closes that is open at the beginning.
fn end(text: &str) -> usize {
    let (mut depth, mut before) = (1_usize, ' ');
    for (index, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            '>' if before != '-' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return index;
        }
        before = c;
    }
    text.len()
}

/// Around the first `word` that is in no bracket.
fn between<'t>(text: &'t str, word: &str) -> Option<(&'t str, &'t str)> {
    let (mut depth, mut before) = (0_usize, b' ');
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            b'<' | b'(' | b'[' => depth += 1,
            b'>' if before == b'-' => {}
            b'>' | b')' | b']' => depth = depth.saturating_sub(1),
            _ if depth == 0 && text.get(index..).is_some_and(|rest| rest.starts_with(word)) => {
                return Some((text.get(..index)?, text.get(index + word.len()..)?));
            }
            _ => {}
        }
        before = byte;
    }
    None
}
