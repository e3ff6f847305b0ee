//! An `impl` block on which the attribute stands.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, ImplItem, ItemImpl, Meta};

use super::nodes::{inside, is_ident, is_punct};
use crate::input::Input;

/// The block of an expansion less the attributes that `original` does not have. They stand behind a method's own.
pub(super) fn without_attributes(original: &[TokenTree], expanded: &[TokenTree]) -> Vec<TokenTree> {
    let mut kept = expanded.to_vec();
    if let (Some(was), Some(is @ TokenTree::Group(group))) = (original.last(), expanded.last()) {
        let group = Group::new(group.delimiter(), less(&inside(was), &inside(is)).into_iter().collect());
        kept.pop();
        kept.push(group.into());
    }
    kept
}

fn less(original: &[TokenTree], expanded: &[TokenTree]) -> Vec<TokenTree> {
    let (mut kept, mut rest) = (Vec::new(), expanded);
    while let Some((first, after)) = rest.split_first() {
        let begins = original.get(kept.len()).is_some_and(|next| is_punct(next, '#'));
        if !begins && is_punct(first, '#') && after.first().is_some_and(is_ours) {
            rest = after.get(1..).unwrap_or_default();
        } else {
            kept.push(first.clone());
            rest = after;
        }
    }
    kept
}

/// What is in an attribute's brackets.
fn is_ours(brackets: &TokenTree) -> bool {
    inside(brackets).iter().any(|word| is_ident(word, "gpu_kernel"))
}

/// The methods that were given the attribute, with its arguments.
pub(super) fn given(original: TokenStream, expanded: TokenStream) -> syn::Result<Vec<Input>> {
    let (original, expanded): (ItemImpl, ItemImpl) = (syn::parse2(original)?, syn::parse2(expanded)?);
    let mut given = Vec::new();
    for (was, is) in original.items.iter().zip(expanded.items) {
        let (ImplItem::Fn(was), ImplItem::Fn(mut is)) = (was, is) else { continue };
        let outer =
            |attrs: &[Attribute]| attrs.iter().filter(|attr| matches!(attr.style, syn::AttrStyle::Outer)).count();
        let last = outer(&is.attrs).checked_sub(1).filter(|last| *last == outer(&was.attrs));
        let Some(index) = last else { continue };
        let args = match is.attrs.remove(index).meta {
            Meta::List(meta) => meta.tokens,
            _ => TokenStream::new(),
        };
        given.push(Input { args, item: is.to_token_stream() });
    }
    Ok(given)
}
