//! The parts of hooks, read off the front of tokens.

use proc_macro2::{Delimiter, TokenTree};

use super::hooks::STATE;
use super::nodes::{begins, equal, inside, is_group, is_punct};

/// Reads tokens from the front. What is not there is `None`, and ends the reading.
pub(super) struct Reader<'r, 't> {
    /// The runtime's path, as the expansion names it.
    pub(super) root: &'r [TokenTree],
    pub(super) rest: &'t [TokenTree],
}

impl<'t> Reader<'_, 't> {
    /// Marks one by one, words between spaces.
    pub(super) fn tokens(&mut self, pattern: &str) -> Option<()> {
        let count = begins(self.rest, pattern).then(|| pattern.split_whitespace().count())?;
        self.rest = self.rest.get(count..)?;
        Some(())
    }

    pub(super) fn tree(&mut self) -> Option<&'t TokenTree> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    /// What is in the group in front.
    pub(super) fn group(&mut self, delimiter: Delimiter) -> Option<Vec<TokenTree>> {
        self.tree().filter(|tree| is_group(tree, delimiter)).map(inside)
    }

    /// `root::__private::name`: the name.
    pub(super) fn any_private(&mut self) -> Option<String> {
        let (root, rest) = self.rest.split_at_checked(self.root.len())?;
        let ours = root.iter().zip(self.root).all(|(one, other)| equal(one, other));
        let (TokenTree::Ident(name), rest) =
            (ours && begins(rest, ": : __private : :")).then(|| rest.get(5..)?.split_first())??
        else {
            return None;
        };
        self.rest = rest;
        Some(name.to_string())
    }

    pub(super) fn private(&mut self, name: &str) -> Option<()> {
        self.any_private().filter(|found| found == name).map(drop)
    }

    /// `&mut launchsite_N`: N.
    pub(super) fn borrowed(&mut self) -> Option<usize> {
        self.tokens("& mut")?;
        self.number(STATE)
    }

    /// A name that is `prefix` and a number.
    pub(super) fn number(&mut self, prefix: &str) -> Option<usize> {
        let TokenTree::Ident(name) = self.tree()? else { return None };
        name.to_string().strip_prefix(prefix)?.parse().ok()
    }

    pub(super) fn end(&self) -> Option<()> {
        self.rest.is_empty().then_some(())
    }
}

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

/// What of an attribute says whether there is something at all: all of a `cfg`, the `cfg`s of a `cfg_attr`.
pub(super) fn condition(attribute: &[TokenTree]) -> Option<Vec<TokenTree>> {
    // What no parser reads as an attribute is left out on both sides.
    let whole = matches!(attribute, [_] | [_, TokenTree::Group(_)]) || begins(attribute, "cfg =");
    if begins(attribute, "cfg") && whole {
        return Some(attribute.to_vec());
    }
    let [name, given @ TokenTree::Group(_)] = attribute else { return None };
    begins(attribute, "cfg_attr ()").then_some(())?;
    let trees = inside(given);
    let mut parts = between_commas(&trees).into_iter();
    let mut kept = parts.next()?.to_vec();
    let cfgs: Vec<_> = parts.filter_map(condition).collect();
    for one in &cfgs {
        kept.extend(",".parse::<proc_macro2::TokenStream>().into_iter().flatten());
        kept.extend(one.iter().cloned());
    }
    let group = proc_macro2::Group::new(Delimiter::Parenthesis, kept.into_iter().collect());
    (!cfgs.is_empty()).then(|| vec![name.clone(), group.into()])
}

/// The parts of `trees` that commas make, but for those in groups.
pub(super) fn between_commas(trees: &[TokenTree]) -> Vec<&[TokenTree]> {
    trees.split(|tree| is_punct(tree, ',')).collect()
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
