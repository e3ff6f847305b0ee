//! What is emitted after an error.

use proc_macro2::TokenStream;
use quote::quote;

/// The error, and the item unchanged: its other users see no follow-up errors, and an editor keeps completing in it.
pub(crate) fn expand(item: &TokenStream, error: &syn::Error) -> TokenStream {
    let error = error.to_compile_error();
    quote!(#error #item)
}
