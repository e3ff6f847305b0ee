//! From the model to tokens. Nothing here can fail.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::quote;

use crate::body;
use crate::entry;
use crate::methods::Methods;
use crate::model::{Annotated, Kernel};
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
    let pick = kernel.paths.pick();
    if kernel.sites.is_empty() {
        let passed_on = entry::attributes(kernel).filter(|_| kernel.is_internal);
        return passed_on
            .map_or_else(|| original.clone(), |attribute| quote!(#pick { { #original } { #attribute #original } }));
    }
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
    if methods.is_empty() {
        return original.clone();
    }
    let (path, args) = (Paths::new(methods.root.as_ref()).attribute(), &methods.args);
    let attribute = if args.is_empty() { quote!(#[#path]) } else { quote!(#[#path(#args)]) };
    methods.with(&attribute)
}
