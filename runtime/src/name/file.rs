//! The path of a file inside its package, worked out in a constant: the folder of the checkout stays out of the binary.

use super::Spot;

/// Where the part that is the same in every checkout begins in `file`, which is what `file!()` gave.
///
/// Cargo hands the compiler a path relative to the workspace for its members (`relative` is the package's folder in
/// it), and an absolute one for crates of a registry or of git (`absolute` is the package's folder). What a build
/// script generated lies below `generated`. A path outside of all is cut to the file's name, unless it is relative
/// already.
#[must_use]
pub const fn start(file: &str, relative: &str, absolute: &str, generated: &str) -> usize {
    let file = file.as_bytes();
    if let Some(start) = below(file, generated.as_bytes()) {
        return start;
    }
    if let Some(start) = below(file, absolute.as_bytes()) {
        return start;
    }
    if let Some(start) = below(file, relative.as_bytes()) {
        return start;
    }
    if is_absolute(file) { last_part(file) } else { 0 }
}

/// How much of `file` is the package's folder as the compiler sees it from its own: nothing of an absolute path, which is
/// a build machine's business.
#[must_use]
pub const fn folder(file: &str, start: usize) -> usize {
    if is_absolute(file.as_bytes()) { 0 } else { start }
}

/// `inside` with its package in front, where that is known.
pub(super) fn in_package(package: &str, inside: &str) -> String {
    if package.is_empty() { inside.to_owned() } else { format!("{package}/{inside}") }
}

/// The path of a caller's file, `path` as the compiler gave it, inside its package.
///
/// Nothing tells of a caller which package it is of: a path is compared with that of the site that was called, and else
/// cargo's own layout says it. The name of a member's folder stands for that of its package then.
pub(super) fn of_caller(path: &str, site: &Spot) -> String {
    let path = path.replace('\\', "/");
    let folder = String::from_utf8_lossy(site.folder);
    let ours = match folder.as_ref() {
        // The site's package is where the compiler runs; others lie below.
        "" => FOLDERS.iter().any(|first| path.starts_with(&format!("{first}/"))).then_some(path.as_str()),
        folder => path.strip_prefix(folder),
    };
    if let Some(inside) = ours {
        return in_package(site.package, inside);
    }
    let parts: Vec<&str> = path.split('/').collect();
    let sources = parts.iter().rposition(|&part| part == "src");
    let others = || parts.iter().rposition(|part| FOLDERS.contains(part));
    let registry = parts.windows(2).position(|pair| pair == ["registry", "src"]).map(|at| at + 3);
    let package = registry.or_else(|| sources.or_else(others).and_then(|at| at.checked_sub(1)));
    let named = package.and_then(|at| Some((parts.get(at)?, parts.get(at + 1..)?)));
    match named {
        Some((package, inside)) if !package.is_empty() => in_package(without_version(package), &inside.join("/")),
        _ if is_absolute(path.as_bytes()) => parts.last().map(|&last| last.to_owned()).unwrap_or_default(),
        _ => path,
    }
}

/// Where cargo looks for sources in a package.
const FOLDERS: [&str; 4] = ["src", "tests", "examples", "benches"];

/// `regex-1.11.1` is `regex`.
fn without_version(folder: &str) -> &str {
    let version = |(_, rest): &(&str, &str)| {
        let behind = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        behind.len() < rest.len() && behind.starts_with('.')
    };
    let cut = folder.match_indices('-').map(|(at, _)| (folder.split_at(at).0, folder.split_at(at + 1).1)).find(version);
    cut.map_or(folder, |(name, _)| name)
}

/// The bytes of `text` from `start` on, as an array of its own: a slice would keep all of `text`.
#[must_use]
pub const fn copied<const N: usize>(text: &str, start: usize) -> [u8; N] {
    let text = text.as_bytes();
    let mut part = [0; N];
    let mut index = 0;
    while index < N {
        #[allow(clippy::indexing_slicing)] // in a constant, where a wrong index does not compile
        let byte = text[start + index];
        #[allow(clippy::indexing_slicing)] // as above
        {
            // One spelling on every system.
            part[index] = if byte == b'\\' { b'/' } else { byte };
        }
        index += 1;
    }
    part
}

/// Where the rest begins, if `file` lies in `folder`.
const fn below(file: &[u8], folder: &[u8]) -> Option<usize> {
    if folder.is_empty() || file.len() <= folder.len() + 1 {
        return None;
    }
    let mut index = 0;
    while index < folder.len() {
        #[allow(clippy::indexing_slicing)] // within both, by the lengths above
        if file[index] != folder[index] {
            return None;
        }
        index += 1;
    }
    #[allow(clippy::indexing_slicing)] // as above
    if is_separator(file[folder.len()]) { Some(folder.len() + 1) } else { None }
}

const fn is_absolute(file: &[u8]) -> bool {
    match file {
        [first, ..] if is_separator(*first) => true,
        [_, b':', ..] => true,
        _ => false,
    }
}

const fn last_part(file: &[u8]) -> usize {
    let mut index = file.len();
    while index > 0 {
        #[allow(clippy::indexing_slicing)] // within, by the condition
        if is_separator(file[index - 1]) {
            return index;
        }
        index -= 1;
    }
    0
}

const fn is_separator(byte: u8) -> bool {
    byte == b'/' || byte == b'\\'
}
