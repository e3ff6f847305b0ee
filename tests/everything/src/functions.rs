//! The functions of a source text, and where an attribute on each of them goes.
//!
//! Found by their tokens alone: `fn`, a name, and a body. So the same rule finds those in the body of a `macro_rules!`,
//! which parses as nothing before it is used.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, Group, TokenTree};

use crate::tokens::{Tokens, braces, is_punct, is_word, word_of};

/// A function with a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Where an attribute goes, in bytes: behind its other attributes, in front of its visibility and qualifiers.
    pub at: usize,
    /// Where its first attribute begins, the documentation included: an attribute goes there as well.
    pub first: usize,
    /// Where its body begins.
    pub body: usize,
    /// Its name as it stands there; `$name` in a macro.
    pub name: String,
    /// Its line, counted from 1.
    pub line: usize,
    /// What it is written in.
    pub within: Within,
}

/// Where the tokens of a function stand.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Within {
    /// In the code itself.
    Code,
    /// In what this `macro_rules!` of the crate's own becomes.
    Rules(String),
    /// Among the arguments of this macro.
    Arguments(String),
}

/// What a text holds.
#[derive(Debug, Default)]
pub struct Found {
    /// Those that are to be annotated.
    pub functions: Vec<Function>,
    /// Those among the arguments of a macro of somebody else, who may do with them what they like: quote them, say.
    pub foreign: Vec<Function>,
}

/// Macros of others that hand the items they are given on.
const PASSING: [&str; 3] = ["cfg_if", "proptest", "quickcheck"];

/// Words in front of `!(..)` that are no macro's name.
const KEYWORDS: [&str; 9] = ["as", "break", "else", "if", "in", "match", "move", "return", "while"];

/// The names of the macros that `trees` define by `macro_rules!`.
pub fn rules_of(trees: &[TokenTree], names: &mut BTreeSet<String>) {
    for (index, tree) in trees.iter().enumerate() {
        if let Some((name, _)) = rules_at(trees, index) {
            names.insert(name);
        }
        if let TokenTree::Group(group) = tree {
            rules_of(&trees_of(group), names);
        }
    }
}

/// The functions of `tokens`, where `own` are the macros that the crate itself defines.
pub fn functions_of(tokens: &Tokens, own: &BTreeSet<String>) -> Found {
    let mut search = Search { tokens, own, found: Found::default() };
    search.look(&tokens.trees, &Within::Code, true);
    search.found
}

struct Search<'t> {
    tokens: &'t Tokens,
    own: &'t BTreeSet<String>,
    found: Found,
}

impl Search<'_> {
    /// `ours`: no macro of somebody else stands around `trees`.
    fn look(&mut self, trees: &[TokenTree], within: &Within, ours: bool) {
        let mut index = 0;
        while let Some(tree) = trees.get(index) {
            index += 1;
            if is_punct(tree, '#') {
                index += attribute_length(trees.get(index..).unwrap_or_default());
            } else if let Some((name, group)) = rules_at(trees, index - 1) {
                self.look_into_rules(&name, group, ours);
                index += 3;
            } else if let Some((name, group, length)) = call_at(trees, index - 1) {
                let passing = self.own.contains(&name) || PASSING.contains(&name.as_str());
                // What a macro's own body hands on is part of that body.
                let inner = if *within == Within::Code { Within::Arguments(name) } else { within.clone() };
                self.look(&trees_of(group), &inner, ours && passing);
                index += length;
            } else if let TokenTree::Group(group) = tree {
                self.look(&trees_of(group), within, ours);
            } else if let Some(function) = self.function_at(trees, index - 1, within) {
                if ours { &mut self.found.functions } else { &mut self.found.foreign }.push(function);
            }
        }
    }

    /// What the rules of a `macro_rules!` become, not what they match: the group behind each `=>`.
    fn look_into_rules(&mut self, name: &str, rules: &Group, ours: bool) {
        for window in trees_of(rules).windows(3) {
            if let [equals, greater, TokenTree::Group(becomes)] = window
                && is_punct(equals, '=')
                && is_punct(greater, '>')
            {
                self.look(&trees_of(becomes), &Within::Rules(name.to_owned()), ours);
            }
        }
    }

    fn function_at(&self, trees: &[TokenTree], index: usize, within: &Within) -> Option<Function> {
        let keyword = trees.get(index).filter(|tree| is_word(tree, "fn"))?;
        let name = match (trees.get(index + 1)?, trees.get(index + 2)?) {
            (TokenTree::Ident(name), _) => name.to_string(),
            (mark, TokenTree::Ident(name)) if is_punct(mark, '$') => format!("${name}"),
            _ => return None, // a pointer's type
        };
        let body = body_of(trees.get(index + 1..)?)?;
        let at = qualifiers_of(trees.get(..index)?);
        let first = attributes_of(trees.get(..at)?);
        Some(Function {
            at: self.tokens.start(trees.get(at)?.span()),
            first: self.tokens.start(trees.get(first)?.span()),
            body: self.tokens.start(body.span()),
            name,
            line: keyword.span().start().line,
            within: within.clone(),
        })
    }
}

/// The body of the function whose name `trees` begin with; none where it is only declared.
fn body_of(trees: &[TokenTree]) -> Option<&TokenTree> {
    let mut angles = 0_usize;
    let mut before: [Option<&TokenTree>; 2] = [None, None];
    for tree in trees {
        let follows = |mark| before[1].is_some_and(|tree| is_punct(tree, mark));
        if is_punct(tree, '<') {
            angles += 1;
        } else if is_punct(tree, '>') && !follows('-') && !follows('=') {
            angles = angles.saturating_sub(1);
        } else if angles == 0 && is_punct(tree, ';') {
            return fragment(before);
        } else if angles == 0 && braces(tree, Delimiter::Brace).is_some() {
            return Some(tree);
        }
        before = [before[1], Some(tree)];
    }
    fragment(before)
}

/// A body that a macro was given whole, as `$body`: the last two tokens of the function.
fn fragment(last: [Option<&TokenTree>; 2]) -> Option<&TokenTree> {
    let [Some(mark), Some(TokenTree::Ident(_))] = last else { return None };
    is_punct(mark, '$').then_some(mark)
}

/// The index of the first token of the visibility and the qualifiers that `trees` end with.
fn qualifiers_of(trees: &[TokenTree]) -> usize {
    let mut rest = trees;
    loop {
        rest = match rest {
            [before @ .., word] if is_qualifier(word) => before,
            [before @ .., word, TokenTree::Literal(_)] if is_word(word, "extern") => before,
            [before @ .., word, places] if is_word(word, "pub") && braces(places, Delimiter::Parenthesis).is_some() => {
                before
            }
            [before @ .., mark, TokenTree::Ident(name)] if is_punct(mark, '$') && says_qualifier(&name.to_string()) => {
                before
            }
            [before @ .., mark, TokenTree::Group(group), _] if is_punct(mark, '$') && only_qualifiers(group) => before,
            _ => return rest.len(),
        };
    }
}

fn is_qualifier(tree: &TokenTree) -> bool {
    ["pub", "default", "const", "async", "unsafe", "extern"].iter().any(|word| is_word(tree, word))
}

/// Whether a macro's variable of this name is likely to be one, such as `$vis`.
fn says_qualifier(name: &str) -> bool {
    ["vis", "pub", "const", "async", "unsafe", "safety", "extern", "abi", "qual"].iter().any(|word| name.contains(word))
}

/// Whether a repetition in a macro, such as `$($vis)?` or `$(async)?`, repeats nothing else.
fn only_qualifiers(group: &Group) -> bool {
    let trees = trees_of(group);
    !trees.is_empty() && qualifiers_of(&trees) == 0
}

/// The index of the first token of the attributes that `trees` end with.
fn attributes_of(trees: &[TokenTree]) -> usize {
    let mut rest = trees;
    while let [before @ .., mark, attribute] = rest
        && is_punct(mark, '#')
        && braces(attribute, Delimiter::Bracket).is_some()
    {
        rest = before;
    }
    rest.len()
}

/// The trees of an attribute behind its `#`.
fn attribute_length(trees: &[TokenTree]) -> usize {
    match trees {
        [group, ..] if braces(group, Delimiter::Bracket).is_some() => 1,
        [mark, group, ..] if is_punct(mark, '!') && braces(group, Delimiter::Bracket).is_some() => 2,
        _ => 0,
    }
}

/// The `macro_rules!` that begins at `index`.
fn rules_at(trees: &[TokenTree], index: usize) -> Option<(String, &Group)> {
    match trees.get(index..)? {
        [word, mark, name, TokenTree::Group(rules), ..] if is_word(word, "macro_rules") && is_punct(mark, '!') => {
            Some((word_of(name)?.to_string(), rules))
        }
        _ => None,
    }
}

/// The call of a macro that begins at `index` with the last part of the macro's path, and how many trees follow that.
fn call_at(trees: &[TokenTree], index: usize) -> Option<(String, &Group, usize)> {
    let (name, group, length) = match trees.get(index..)? {
        [TokenTree::Ident(name), mark, TokenTree::Group(group), ..] if is_punct(mark, '!') => (name, group, 2),
        [TokenTree::Ident(name), mark, TokenTree::Ident(_), TokenTree::Group(group), ..] if is_punct(mark, '!') => {
            (name, group, 3)
        }
        _ => return None,
    };
    let name = name.to_string();
    (!KEYWORDS.contains(&name.as_str())).then_some((name, group, length))
}

fn trees_of(group: &Group) -> Vec<TokenTree> {
    group.stream().into_iter().collect()
}
