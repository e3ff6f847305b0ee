//! Under which conditions a statement is there.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Stmt};

/// The `cfg`s that decide whether the statement is there, and with it what was put in front of it. They are the first
/// tokens of it, whichever part of an expression holds them.
pub(super) fn conditions(statement: &Stmt) -> Vec<Attribute> {
    let first = |input: ParseStream<'_>| {
        let attributes = input.call(Attribute::parse_outer)?;
        input.parse::<TokenStream>().map(|_| attributes)
    };
    let attributes = first.parse2(statement.to_token_stream()).unwrap_or_default();
    attributes.into_iter().filter(|attribute| attribute.path().is_ident("cfg")).collect()
}
