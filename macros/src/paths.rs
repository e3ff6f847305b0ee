//! The one file that knows where the runtime keeps what an expansion uses.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use syn::Path;

/// Paths into the runtime crate.
pub(crate) struct Paths {
    root: TokenStream,
}

impl Paths {
    /// `::launchsite`, or what `crate = path` names.
    pub(crate) fn new(root: Option<&Path>) -> Self {
        Self { root: root.map_or_else(|| quote!(::launchsite), |path| quote!(#path)) }
    }

    /// A hook or type that only expansions use.
    pub(crate) fn private(&self, name: &str) -> TokenStream {
        let (root, name) = (&self.root, Ident::new(name, Span::call_site()));
        quote!(#root::__private::#name)
    }

    /// `file!`, `line!` or `column!` with all its tokens at `span`, which is what it tells of. By way of the runtime: in a crate
    /// of the first edition there is no `::core` at such a place.
    pub(crate) fn located(&self, name: &str, span: Span) -> TokenStream {
        let at_span = |mut token: TokenTree| {
            // This one says by its span which crate it means.
            if token.to_string() != "$crate" {
                token.set_span(span);
            }
            token
        };
        let path: TokenStream = self.private(name).into_iter().map(at_span).collect();
        quote_spanned!(span=> #path!())
    }

    /// The attribute itself.
    pub(crate) fn attribute(&self) -> TokenStream {
        let root = &self.root;
        quote!(#root::gpu_kernel)
    }

    /// The macro that keeps one of two versions, by the runtime's feature.
    pub(crate) fn pick(&self) -> TokenStream {
        let root = &self.root;
        quote!(#root::__pick!)
    }
}
