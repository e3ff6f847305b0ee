//! How deep an item's expressions may be for what parses and walks them: each of their levels has its frames on the stack.
//!
//! The compiler's own parser takes more stack where it needs it, which a library's cannot. A macro runs on the compiler's
//! thread, in 8 MB, and is compiled without optimisation: there a parse overflows at some 2200 calls in a chain, or at 320
//! closures in one another.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// Levels that are parsed.
const DEEPEST: usize = 1200;

/// What a group in a group has of the stack, in calls of a chain.
const GROUP: usize = 4;

/// Whether `item` can be parsed. Tells too much rather than too little: what may be one expression counts as one.
pub(crate) fn fits(item: TokenStream) -> bool {
    fits_in(item, DEEPEST)
}

fn fits_in(tokens: TokenStream, left: usize) -> bool {
    let (mut levels, mut behind_block) = (0_usize, false);
    for token in tokens {
        let begins = begins_anew(&token);
        if std::mem::take(&mut behind_block) && begins {
            levels = 0;
        }
        match token {
            TokenTree::Group(group) => {
                levels += 1;
                behind_block = group.delimiter() == Delimiter::Brace;
                let left = left.checked_sub(levels + GROUP);
                if !left.is_some_and(|left| fits_in(group.stream(), left)) {
                    return false;
                }
            }
            TokenTree::Punct(mark) if matches!(mark.as_char(), ';' | ',') => levels = 0,
            TokenTree::Punct(_) => levels += 1,
            TokenTree::Ident(word) => levels += usize::from(continues(&word)),
            TokenTree::Literal(_) => {}
        }
        if levels > left {
            return false;
        }
    }
    true
}

/// Whether what begins with this behind a block is no part of the block's expression.
fn begins_anew(token: &TokenTree) -> bool {
    match token {
        TokenTree::Ident(word) => !continues(word),
        TokenTree::Literal(_) => true,
        TokenTree::Punct(mark) => mark.as_char() == '#',
        TokenTree::Group(_) => false,
    }
}

/// Words with an expression on both sides, or one behind them.
fn continues(word: &proc_macro2::Ident) -> bool {
    ["else", "as", "return", "break"].iter().any(|known| word == known)
}
