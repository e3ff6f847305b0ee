//! The methods of an `impl` block, in the block's own tokens: a printed block is not always the same.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use syn::buffer::Cursor;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, ImplItem, ImplItemFn, Path, Result};

/// An `impl` block, cut where its methods that launch get the attribute.
pub(crate) struct Methods {
    /// In front of the braces.
    head: TokenStream,
    braces: Group,
    /// What is in the braces. The attribute goes between any two.
    pieces: Vec<TokenStream>,
    pub(crate) root: Option<Path>,
    /// The arguments, which are those of each of the methods.
    pub(crate) args: TokenStream,
}

impl Methods {
    /// Cuts `block` behind the attributes of each method for which `launches` holds.
    ///
    /// # Errors
    /// It is no `impl` block.
    pub(crate) fn new(
        block: TokenStream,
        (root, args): (Option<Path>, TokenStream),
        launches: impl Fn(&ImplItemFn) -> bool,
    ) -> Result<Self> {
        let mut head: Vec<TokenTree> = block.into_iter().collect();
        let braces = loop {
            match head.pop() {
                // What a `macro_rules!` was given may stand in a group of its own.
                Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::None => head.extend(group.stream()),
                Some(TokenTree::Group(group)) => break group,
                _ => return Err(syn::Error::new(proc_macro2::Span::call_site(), "no `impl` block")),
            }
        };
        let cut = |input: ParseStream<'_>| pieces(input, &launches);
        let pieces = cut.parse2(braces.stream())?;
        Ok(Self { head: head.into_iter().collect(), braces, pieces, root, args })
    }

    /// Whether none of them launches.
    pub(crate) fn is_empty(&self) -> bool {
        self.pieces.len() < 2
    }

    /// The block with `attribute` on each of them.
    pub(crate) fn with(self, attribute: &TokenStream) -> TokenStream {
        let mut inside = TokenStream::new();
        for (index, piece) in self.pieces.into_iter().enumerate() {
            if index > 0 {
                inside.extend(attribute.clone());
            }
            inside.extend(piece);
        }
        let mut braces = Group::new(self.braces.delimiter(), inside);
        braces.set_span(self.braces.span());
        let mut block = self.head;
        block.extend([TokenTree::Group(braces)]);
        block
    }
}

fn pieces(input: ParseStream<'_>, launches: &impl Fn(&ImplItemFn) -> bool) -> Result<Vec<TokenStream>> {
    let mut pieces = Vec::new();
    let mut begin = input.cursor();
    input.call(Attribute::parse_inner)?;
    while !input.is_empty() {
        let ahead = input.fork();
        ahead.call(Attribute::parse_outer)?;
        if let ImplItem::Fn(method) = input.parse()?
            && launches(&method)
        {
            pieces.push(between(begin, ahead.cursor()));
            begin = ahead.cursor();
        }
    }
    pieces.push(between(begin, input.cursor()));
    Ok(pieces)
}

fn between(begin: Cursor<'_>, end: Cursor<'_>) -> TokenStream {
    let (mut tokens, mut at) = (TokenStream::new(), begin);
    while at < end
        && let Some((tree, behind)) = at.token_tree()
    {
        // What cannot be seen may hold more than is asked for.
        match at.group(Delimiter::None) {
            Some((inside, _, _)) if behind > end => at = inside,
            _ => {
                tokens.extend([tree]);
                at = behind;
            }
        }
    }
    tokens
}
