//! Tokens of an expansion, with what the macro may have added or left out marked.

use proc_macro2::{Delimiter, Literal, Punct, Spacing, TokenStream, TokenTree};
use syn::Expr;

/// A token of an expansion without its hooks.
#[derive(Debug)]
pub(super) enum Node {
    Leaf(TokenTree),
    Group(Delimiter, Vec<Node>),
    /// Its delimiters stand on one of the two sides alone, or on both: a receiver loses its parentheses in a hook, a
    /// closure's expression gets braces.
    Loose(Delimiter, Vec<Node>),
}

impl Node {
    /// Makes a group one that may be there without its delimiters.
    pub(super) fn loosened(self) -> Self {
        match self {
            Self::Group(delimiter, inside) => Self::Loose(delimiter, inside),
            other => other,
        }
    }
}

/// `trees` as they are.
pub(super) fn exact(trees: &[TokenTree]) -> Vec<Node> {
    let node = |tree: &TokenTree| match tree {
        TokenTree::Group(group) => Node::Group(group.delimiter(), exact(&inside(tree))),
        leaf => Node::Leaf(leaf.clone()),
    };
    trees.iter().map(node).collect()
}

/// The tokens in a group; none where `tree` is none.
pub(super) fn inside(tree: &TokenTree) -> Vec<TokenTree> {
    match tree {
        TokenTree::Group(group) => read(group.stream()),
        _ => Vec::new(),
    }
}

/// The tokens of `stream`. `t.0.1` is read as five, the way every parser reads it in the end. What stands in a group that
/// cannot be seen is read without it, but where it keeps operators together.
pub(super) fn read(stream: TokenStream) -> Vec<TokenTree> {
    let mut found = Vec::new();
    for tree in stream {
        let after_dot = found.last().is_some_and(|last| is_punct(last, '.'));
        match &tree {
            TokenTree::Group(group) if group.delimiter() == Delimiter::None && !is_tight(group.stream()) => {
                found.extend(read(group.stream()));
            }
            TokenTree::Literal(_) if after_dot => match fields(&tree) {
                Some(fields) => found.extend(fields),
                None => found.push(tree),
            },
            _ => found.push(tree),
        }
    }
    found
}

/// Whether `stream` is an expression that would mean something else without what is around it.
fn is_tight(stream: TokenStream) -> bool {
    let operators = |expr| matches!(expr, Expr::Binary(_) | Expr::Cast(_) | Expr::Range(_) | Expr::Assign(_));
    syn::parse2(stream).is_ok_and(operators)
}

/// `0.1`, which stands for two fields, as three tokens.
fn fields(tree: &TokenTree) -> Option<[TokenTree; 3]> {
    let text = tree.to_string();
    let (one, other) = text.split_once('.')?;
    let number = |text: &str| text.parse().ok().map(|number| TokenTree::from(Literal::usize_unsuffixed(number)));
    Some([number(one)?, TokenTree::from(Punct::new('.', Spacing::Alone)), number(other)?])
}

pub(super) fn is_punct(tree: &TokenTree, mark: char) -> bool {
    matches!(tree, TokenTree::Punct(punct) if punct.as_char() == mark)
}

pub(super) fn is_ident(tree: &TokenTree, name: &str) -> bool {
    matches!(tree, TokenTree::Ident(ident) if ident == name)
}

pub(super) fn is_group(tree: &TokenTree, delimiter: Delimiter) -> bool {
    matches!(tree, TokenTree::Group(group) if group.delimiter() == delimiter)
}

/// Whether `trees` begins with the tokens that `pattern` names: marks one by one, words between spaces.
pub(super) fn begins(trees: &[TokenTree], pattern: &str) -> bool {
    let mut trees = trees.iter();
    pattern.split_whitespace().all(|word| trees.next().is_some_and(|tree| is_word(tree, word)))
}

fn is_word(tree: &TokenTree, word: &str) -> bool {
    match tree {
        TokenTree::Ident(ident) => ident == word,
        TokenTree::Punct(punct) => word.chars().eq([punct.as_char()]),
        TokenTree::Literal(literal) => literal.to_string() == word,
        TokenTree::Group(group) => match group.delimiter() {
            Delimiter::Parenthesis => word == "()",
            Delimiter::Brace => word == "{}",
            Delimiter::Bracket => word == "[]",
            Delimiter::None => false,
        },
    }
}

/// Whether two tokens that are no groups are the same. How a mark is joined to the next is left out: two marks that
/// belong together are put side by side by every printer, and a parser tells where they are not.
pub(super) fn equal(one: &TokenTree, other: &TokenTree) -> bool {
    match (one, other) {
        (TokenTree::Ident(one), TokenTree::Ident(other)) => one == other,
        (TokenTree::Punct(one), TokenTree::Punct(other)) => one.as_char() == other.as_char(),
        (TokenTree::Literal(one), TokenTree::Literal(other)) => one.to_string() == other.to_string(),
        _ => false,
    }
}
