//! What a function is entered with: what its launches are to know of it, and the scope around all of it.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, ExprReference, Token, parse_quote_spanned};

use crate::args::Field;
use crate::hooks::respanned;
use crate::model::Kernel;
use crate::site::{Site, noted};

/// What the function begins with: what its launches are to know of its arguments, and the scope around all of it.
pub(crate) fn entry(kernel: &Kernel) -> Option<TokenStream> {
    let paths = &kernel.paths;
    let [entry_type, enter_text] = ["Entry", "enter_text"].map(|name| paths.private(name));
    let entry = noted();
    let mut statements = TokenStream::new();
    if kernel.has_entry() {
        let caller = kernel.caller.map(|_| quote!(.called_at(::core::panic::Location::caller())));
        let stream = kernel.stream.as_ref().map(|stream| {
            let stream_of = respanned(paths.private("stream_of"), stream.span());
            let borrowed = reference(stream);
            quote!(if #entry_type::wants_records() { #entry_type::goes_to(&mut #entry, #stream_of(#borrowed)); })
        });
        let fields = fields(kernel);
        let text = kernel.name.as_ref().filter(|name| !name.placeholders.is_empty());
        let text = text.map(|text| {
            let literal = &text.literal;
            quote!(#enter_text!(#entry, ::core::format_args!(#literal));)
        });
        let mutable = (stream.is_some() || text.is_some() || fields.is_some()).then(|| quote!(mut));
        statements.extend(quote!(let #mutable #entry = #entry_type::NONE #caller; #stream #fields #text));
    }
    if let Some(span) = kernel.scope {
        let scope = paths.private("Scope");
        let site = Site { kernel, index: 0, span, entered: true };
        let [held, guard] =
            ["launchsite_scope", "_launchsite_entered"].map(|name| Ident::new(name, Span::mixed_site()));
        let (place, noted) = (site.place("Scope"), site.entry());
        statements
            .extend(quote!(let mut #held = #scope::new(); let #guard = #scope::enter(&mut #held, #place, #noted);));
    }
    (!statements.is_empty()).then_some(statements)
}

/// The fields with their values, and the work, each looked at where it stands.
fn fields(kernel: &Kernel) -> Option<TokenStream> {
    let [entry_type, field, work] = ["Entry", "field", "work"].map(|name| kernel.paths.private(name));
    let entry = noted();
    let pairs = kernel.fields.iter().map(|Field { name, value }| {
        let (name, looked_at) = (name.to_string(), reference(value));
        let field = respanned(field.clone(), value.span());
        quote!(#field(#name, #looked_at))
    });
    let works = [("flops", &kernel.flops), ("bytes", &kernel.bytes)];
    let works = works.into_iter().filter_map(|(name, value)| {
        let value = value.as_ref()?;
        let (work, looked_at) = (respanned(work.clone(), value.span()), reference(value));
        Some(quote!(#work(#name, #looked_at)))
    });
    let pairs = pairs.chain(works);
    let all = quote!(if #entry_type::wants_records() { #entry_type::has_fields(&mut #entry, &[#(#pairs),*]); });
    kernel.has_fields().then_some(all)
}

/// Attributes that the rewritten function needs beside its own.
pub(crate) fn attributes(kernel: &Kernel) -> Option<Attribute> {
    let has = kernel.item.attrs.iter().any(|attribute| attribute.path().is_ident("track_caller"));
    kernel.caller.filter(|_| !has).map(|at| parse_quote_spanned!(at=> #[track_caller]))
}

/// A look at an expression, with its own span; in brackets, where it needs them.
fn reference(expr: &Expr) -> Expr {
    Expr::Reference(ExprReference {
        attrs: Vec::new(),
        and_token: Token![&](expr.span()),
        mutability: None,
        expr: Box::new(expr.clone()),
    })
}
