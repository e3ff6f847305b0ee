//! The files that a crate is made of, found by its `mod name;`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use proc_macro2::{Delimiter, TokenTree};

use crate::tokens::{Tokens, braces, is_punct, is_word, text_of};

/// All files that the crate with this root may be made of, whatever its `cfg`s say.
///
/// # Errors
/// A file cannot be read, or is no Rust.
pub fn files_of(root: &Path, files: &mut BTreeSet<PathBuf>) -> Result<()> {
    let folder = root.parent().unwrap_or(Path::new("")).to_owned();
    follow(root, &folder, files)
}

/// `folder` is where the modules of `file` lie.
fn follow(file: &Path, folder: &Path, files: &mut BTreeSet<PathBuf>) -> Result<()> {
    if !files.insert(file.to_owned()) {
        return Ok(());
    }
    let text = std::fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))?;
    let tokens = Tokens::of(&text).with_context(|| format!("in {}", file.display()))?;
    let beside = file.parent().unwrap_or(Path::new(""));
    let mut children = Vec::new();
    collect(&tokens.trees, &Place { beside, folder: folder.to_owned(), inline: false }, &mut children);
    for (child, folder) in children {
        if child.is_file() {
            follow(&child, &folder, files)?;
        }
    }
    Ok(())
}

struct Place<'f> {
    /// The folder of the file.
    beside: &'f Path,
    /// Where the modules of this place lie.
    folder: PathBuf,
    /// Whether a module in the file stands around this place.
    inline: bool,
}

/// The files that may be meant, each with the folder of its own modules.
fn collect(trees: &[TokenTree], place: &Place<'_>, found: &mut Vec<(PathBuf, PathBuf)>) {
    for (index, tree) in trees.iter().enumerate() {
        match trees.get(index..).unwrap_or_default() {
            [word, TokenTree::Ident(name), mark, ..] if is_word(word, "mod") && is_punct(mark, ';') => {
                let name = name.to_string().trim_start_matches("r#").to_owned();
                let inner = place.folder.join(&name);
                found.push((inner.with_extension("rs"), inner.clone()));
                found.push((inner.join("mod.rs"), inner));
                for path in paths(trees.get(..index).unwrap_or_default()) {
                    let file = if place.inline { &place.folder } else { place.beside }.join(path);
                    let folder = file.parent().unwrap_or(Path::new("")).to_owned();
                    found.push((file, folder));
                }
            }
            [word, TokenTree::Ident(name), TokenTree::Group(body), ..]
                if is_word(word, "mod") && body.delimiter() == Delimiter::Brace =>
            {
                let folder = place.folder.join(name.to_string().trim_start_matches("r#"));
                let inner = Place { beside: place.beside, folder, inline: true };
                collect(&body.stream().into_iter().collect::<Vec<_>>(), &inner, found);
            }
            [word, mark, TokenTree::Group(given), ..] if is_word(word, "include") && is_punct(mark, '!') => {
                if let [TokenTree::Literal(path)] = given.stream().into_iter().collect::<Vec<_>>().as_slice()
                    && let Some(path) = text_of(path)
                {
                    found.push((place.beside.join(path), place.folder.clone()));
                }
            }
            _ => {}
        }
        let named = index.checked_sub(2).and_then(|before| trees.get(before));
        if let TokenTree::Group(group) = tree
            && !named.is_some_and(|word| is_word(word, "mod"))
        {
            collect(&group.stream().into_iter().collect::<Vec<_>>(), place, found);
        }
    }
}

/// What the attributes that `trees` end with say about a module's file.
fn paths(trees: &[TokenTree]) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = trees;
    loop {
        rest = match rest {
            [before @ .., mark, attribute] if is_punct(mark, '#') => {
                if let Some(attribute) = braces(attribute, Delimiter::Bracket) {
                    values(&attribute.stream().into_iter().collect::<Vec<_>>(), &mut found);
                }
                before
            }
            [before @ .., word] if is_word(word, "pub") => before,
            [before @ .., word, TokenTree::Group(_)] if is_word(word, "pub") => before,
            _ => return found,
        };
    }
}

/// Each `path = ".."`, in a `cfg_attr` too.
fn values(trees: &[TokenTree], found: &mut Vec<String>) {
    for window in trees.windows(3) {
        if let [word, equals, TokenTree::Literal(value)] = window
            && is_word(word, "path")
            && is_punct(equals, '=')
        {
            found.extend(text_of(value));
        }
    }
    for tree in trees {
        if let TokenTree::Group(group) = tree {
            values(&group.stream().into_iter().collect::<Vec<_>>(), found);
        }
    }
}
