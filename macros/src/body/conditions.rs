//! Under which conditions a statement is there.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Meta, Stmt, parse_quote};

use crate::calls::first_argument;

/// The `cfg`s that decide whether the statement is there, and with it what was put in front of it. They are the first
/// tokens of it, whichever part of an expression holds them.
pub(super) fn conditions(statement: &Stmt) -> Vec<Attribute> {
    let first = |input: ParseStream<'_>| {
        let attributes = input.call(Attribute::parse_outer)?;
        input.parse::<TokenStream>().map(|_| attributes)
    };
    let attributes = first.parse2(statement.to_token_stream()).unwrap_or_default();
    let decides = |attribute: Attribute| condition(attribute.meta).map(|meta| parse_quote!(#[#meta]));
    attributes.into_iter().filter_map(decides).collect()
}

/// What of an attribute decides whether there is something: all of a `cfg`, and of a `cfg_attr` the `cfg`s that it gives.
fn condition(meta: Meta) -> Option<Meta> {
    if meta.path().is_ident("cfg") {
        return Some(meta);
    }
    let list = meta.require_list().ok().filter(|list| list.path.is_ident("cfg_attr"))?;
    let (predicate, mut rest) = first_argument(&list.tokens);
    let mut given = TokenStream::new();
    while !rest.is_empty() {
        let (next, others) = first_argument(&rest.into_iter().skip(1).collect());
        let condition = syn::parse2(next).ok().and_then(condition);
        given.extend(condition.map(|condition| quote!(, #condition)));
        rest = others;
    }
    let path = &list.path;
    (!given.is_empty()).then(|| parse_quote!(#path(#predicate #given)))
}
