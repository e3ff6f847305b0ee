//! An `impl` block on which the attribute stands.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{ImplItem, ItemImpl, Meta};

use crate::input::Input;

/// The block of an expansion less the attributes that `original` does not have, and these with their methods.
pub(super) fn without_attributes(
    original: TokenStream,
    expanded: TokenStream,
) -> syn::Result<(TokenStream, Vec<Input>)> {
    let (original, mut expanded): (ItemImpl, ItemImpl) = (syn::parse2(original)?, syn::parse2(expanded)?);
    let mut given = Vec::new();
    for (was, is) in original.items.iter().zip(&mut expanded.items) {
        let (ImplItem::Fn(was), ImplItem::Fn(is)) = (was, is) else { continue };
        if was.attrs.len() + 1 != is.attrs.len() {
            continue;
        }
        let ours =
            is.attrs.iter().rposition(|attr| attr.path().segments.last().is_some_and(|s| s.ident == "gpu_kernel"));
        let Some(index) = ours else { continue };
        let args = match is.attrs.remove(index).meta {
            Meta::List(list) => list.tokens,
            _ => TokenStream::new(),
        };
        given.push(Input { args, item: is.to_token_stream() });
    }
    Ok((expanded.into_token_stream(), given))
}
