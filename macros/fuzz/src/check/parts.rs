//! The parts of hooks, read off the front of tokens.

use proc_macro2::{Delimiter, TokenTree};

use super::hooks::STATE;
use super::nodes::{begins, inside, is_group, is_punct};

/// Attributes at the front, each without its delimiters, and what is behind them.
pub(super) fn attributes(trees: &[TokenTree]) -> (Vec<Vec<TokenTree>>, &[TokenTree]) {
    let (mut found, mut rest) = (Vec::new(), trees);
    while let [hash, group, after @ ..] = rest
        && is_punct(hash, '#')
        && is_group(group, Delimiter::Bracket)
    {
        found.push(inside(group));
        rest = after;
    }
    (found, rest)
}

/// `launchsite_N`: N, and what is behind it.
pub(super) fn number(trees: &[TokenTree]) -> Option<(usize, &[TokenTree])> {
    let (TokenTree::Ident(name), rest) = trees.split_first()? else { return None };
    Some((name.to_string().strip_prefix(STATE)?.parse().ok()?, rest))
}

/// `&mut launchsite_N`: N, and what is behind it.
pub(super) fn borrowed(trees: &[TokenTree]) -> Option<(usize, &[TokenTree])> {
    begins(trees, "& mut").then(|| trees.get(2..).and_then(number))?
}

/// Names and fields: looking at these twice is looking once.
pub(super) fn is_place(trees: &[TokenTree]) -> bool {
    let part = |tree: &TokenTree| match tree {
        TokenTree::Ident(_) | TokenTree::Literal(_) => true,
        TokenTree::Punct(mark) => mark.as_char() == '.',
        TokenTree::Group(group) => match group.delimiter() {
            // An attribute may stand in parentheses with it.
            Delimiter::Parenthesis | Delimiter::None => is_place(attributes(&inside(tree)).1),
            _ => false,
        },
    };
    !trees.is_empty() && trees.iter().all(part)
}

/// The condition of an `assert!` to which its text was added, and the text's tokens.
pub(super) fn with_text(trees: &[TokenTree]) -> Option<(&[TokenTree], Vec<TokenTree>)> {
    let (condition, end) = trees.split_at_checked(trees.len().checked_sub(11)?)?;
    if !begins(end, ", \"{}\" , : : core : : concat ! ()") {
        return None;
    }
    let parts = inside(end.last()?);
    // The first is a text with a space in it, which a pattern cannot name.
    let (first, rest) = parts.split_first()?;
    let ours = first.to_string() == "\"assertion failed: \"" && begins(rest, ", : : core : : stringify ! ()");
    ours.then(|| rest.last().map(|text| (condition, inside(text))))?
}
