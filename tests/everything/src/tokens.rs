//! A source text as tokens that know their places in it.

use anyhow::{Result, anyhow};
use proc_macro2::{Delimiter, Group, Ident, Literal, Span, TokenStream, TokenTree};

/// A file's tokens. Their places count from `base`, since neither a byte order mark nor a shebang line is a token.
#[derive(Debug)]
pub struct Tokens {
    /// All of them, as a tree of groups.
    pub trees: Vec<TokenTree>,
    base: usize,
}

impl Tokens {
    /// # Errors
    /// `text` is no sequence of Rust's tokens.
    pub fn of(text: &str) -> Result<Self> {
        let mut base = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let rest = text.get(base..).unwrap_or_default();
        if rest.starts_with("#!") && !rest.trim_start_matches("#!").trim_start().starts_with('[') {
            base += rest.find('\n').unwrap_or(rest.len());
        }
        let stream: TokenStream =
            text.get(base..).unwrap_or_default().parse().map_err(|error| anyhow!("no tokens of Rust: {error}"))?;
        Ok(Self { trees: stream.into_iter().collect(), base })
    }

    /// Where `span` begins, in bytes of the text.
    pub fn start(&self, span: Span) -> usize {
        self.base + span.byte_range().start
    }

    /// Where the first item begins: behind the attributes of the file itself.
    pub fn first_item(&self) -> Option<usize> {
        let mut rest = self.trees.as_slice();
        while let [first, second, group, behind @ ..] = rest
            && is_punct(first, '#')
            && is_punct(second, '!')
            && braces(group, Delimiter::Bracket).is_some()
        {
            rest = behind;
        }
        rest.first().map(|tree| self.start(tree.span()))
    }
}

/// Whether `tree` is the mark `mark`.
pub fn is_punct(tree: &TokenTree, mark: char) -> bool {
    matches!(tree, TokenTree::Punct(punct) if punct.as_char() == mark)
}

/// Whether `tree` is the word `word`.
pub fn is_word(tree: &TokenTree, word: &str) -> bool {
    word_of(tree).is_some_and(|ident| ident == word)
}

/// The word that `tree` is.
pub fn word_of(tree: &TokenTree) -> Option<&Ident> {
    match tree {
        TokenTree::Ident(ident) => Some(ident),
        _ => None,
    }
}

/// The group that `tree` is, if it stands in these delimiters.
pub fn braces(tree: &TokenTree, delimiter: Delimiter) -> Option<&Group> {
    match tree {
        TokenTree::Group(group) if group.delimiter() == delimiter => Some(group),
        _ => None,
    }
}

/// The text of a plain string literal.
pub fn text_of(literal: &Literal) -> Option<String> {
    let text = literal.to_string();
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    (!inner.contains('\\')).then(|| inner.to_owned())
}
