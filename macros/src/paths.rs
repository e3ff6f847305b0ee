//! The one file that knows where the runtime keeps what an expansion uses.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
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
