//! From the model to tokens. Nothing here can fail.

use proc_macro2::TokenStream;
use quote::quote;

use crate::body::Body;
use crate::model::Kernel;

/// The function with a hook at every launch; or as it was, where it has none, or where the runtime is off.
///
/// The runtime decides, not this crate: both versions go through a macro of the runtime that keeps one of them.
pub(crate) fn expand(original: &TokenStream, kernel: Kernel) -> TokenStream {
    if kernel.sites.is_empty() {
        return original.clone();
    }
    let pick = kernel.paths.pick();
    let rewritten = Body::rewrite(kernel);
    quote!(#pick { { #original } { #rewritten } })
}
