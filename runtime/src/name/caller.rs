//! Where a caller stands, of which no more is known than the compiler's path of its file.

use super::Spot;
use super::file::is_absolute;

/// `inside` with its package in front, where that is known.
pub(super) fn in_package(package: &str, inside: &str) -> String {
    if package.is_empty() { inside.to_owned() } else { format!("{package}/{inside}") }
}

/// The path of a caller's file, `path` as the compiler gave it, inside its package.
///
/// Nothing tells of a caller which package it is of: a path is compared with that of the site that was called, and else
/// cargo's own layout says it. The name of a member's folder stands for that of its package then.
pub(super) fn of_caller(path: &str, site: &Spot) -> String {
    let path = &path.replace('\\', "/");
    let folder = site.file.folder();
    let ours = match folder.as_str() {
        // The site's package is where the compiler runs; others lie below.
        "" => FOLDERS.iter().any(|first| path.starts_with(&format!("{first}/"))).then_some(path.as_str()),
        folder => path.strip_prefix(folder),
    };
    match ours {
        Some(inside) => in_package(site.package, inside),
        None => by_layout(path),
    }
}

/// The path of a file inside its package, by cargo's layout alone.
pub(crate) fn by_layout(path: &str) -> String {
    let path = path.replace('\\', "/");
    let named = package_root(&path).and_then(|root| {
        let inside = path.get(root.len()..)?.strip_prefix('/')?;
        Some((root.rsplit('/').next()?, inside))
    });
    match named {
        Some((package, inside)) if !package.is_empty() => in_package(without_version(package), inside),
        _ if is_absolute(path.as_bytes()) => path.rsplit('/').next().map(str::to_owned).unwrap_or_default(),
        _ => path,
    }
}

/// The folder of the package that a file is in, by cargo's layout alone.
pub(crate) fn package_root(path: &str) -> Option<&str> {
    let parts: Vec<&str> = path.split('/').collect();
    let sources = parts.iter().rposition(|&part| part == "src");
    let others = || parts.iter().rposition(|part| FOLDERS.contains(part));
    let registry = parts.windows(2).position(|pair| pair == ["registry", "src"]).map(|at| at + 3);
    let package = registry.or_else(|| sources.or_else(others).and_then(|at| at.checked_sub(1)))?;
    let end: usize = parts.get(..=package)?.iter().map(|part| part.len() + 1).sum();
    path.get(..end - 1).filter(|root| root.len() < path.len())
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
