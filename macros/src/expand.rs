//! From the model to tokens. Nothing here can fail.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Attribute, ImplItem, parse_quote};

use crate::body;
use crate::entry;
use crate::model::{Annotated, Kernel, Methods};
use crate::paths::Paths;

pub(crate) fn expand(original: &TokenStream, annotated: Annotated) -> TokenStream {
    match annotated {
        Annotated::Function(kernel) => function(original, &kernel),
        Annotated::Impl(methods) => block(original, *methods),
    }
}

/// The function with a hook at every launch; or as it was, where it has none, or where the runtime is off.
///
/// The runtime decides, not this crate: both versions go through a macro of the runtime that keeps one of them.
fn function(original: &TokenStream, kernel: &Kernel) -> TokenStream {
    if kernel.sites.is_empty() {
        return original.clone();
    }
    let pick = kernel.paths.pick();
    let (attributes, head, body) = (entry::attributes(kernel), head(original), body::rewritten(kernel));
    quote!(#pick { { #original } { #attributes #head #body } })
}

/// All that stands in front of a function's body, as it was written: a printed signature is not always the same.
fn head(function: &TokenStream) -> TokenStream {
    let mut trees: Vec<TokenTree> = function.clone().into_iter().collect();
    // What a `macro_rules!` was given may stand in a group of its own.
    while let Some(TokenTree::Group(group)) = trees.pop()
        && group.delimiter() == Delimiter::None
    {
        trees.extend(group.stream());
    }
    trees.into_iter().collect()
}

/// The block with the attribute on each method that launches.
fn block(original: &TokenStream, methods: Methods) -> TokenStream {
    let Methods { mut item, launching, root, args } = methods;
    if launching.is_empty() {
        return original.clone();
    }
    let path = Paths::new(root.as_ref()).attribute();
    let attribute: Attribute = if args.is_empty() { parse_quote!(#[#path]) } else { parse_quote!(#[#path(#args)]) };
    for index in launching {
        if let Some(ImplItem::Fn(method)) = item.items.get_mut(index) {
            method.attrs.push(attribute.clone());
        }
    }
    item.into_token_stream()
}
