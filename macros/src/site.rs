//! One launch site in an expansion: its state, and what is said of its place.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use crate::model::Kernel;
use crate::text::Text;

/// One of the kernel's sites.
pub(crate) struct Site<'k> {
    pub(crate) kernel: &'k Kernel,
    pub(crate) index: usize,
    pub(crate) span: Span,
    /// Whether what was noted at the function's entry can be reached from here.
    pub(crate) entered: bool,
}

impl Site<'_> {
    /// The variable that follows one launch from its start to its end.
    pub(crate) fn state(&self) -> Ident {
        Ident::new(&format!("launchsite_{}", self.index), Span::mixed_site())
    }

    /// The statements that declare it; they go in front of the statement around the launch.
    pub(crate) fn declarations(&self) -> [TokenStream; 2] {
        let [call, slot_type] = ["Call", "Slot"].map(|name| self.kernel.paths.private(name));
        let (state, slot) = (self.state(), Ident::new(&format!("launchsite_slot_{}", self.index), Span::mixed_site()));
        [quote!(let mut #slot = #slot_type::new();), quote!(let mut #state = #call::new(&mut #slot);)]
    }

    fn has_entry(&self) -> bool {
        self.entered && self.kernel.has_entry()
    }

    /// What was noted at the function's entry, as an argument.
    pub(crate) fn entry(&self) -> TokenStream {
        if self.has_entry() {
            let entry = noted();
            return quote!(&#entry);
        }
        let entry = self.kernel.paths.private("Entry");
        quote!(&#entry::NONE)
    }

    /// Tells the launch of it, where there is something.
    pub(crate) fn enter(&self) -> TokenStream {
        if !self.has_entry() {
            return TokenStream::new();
        }
        let (enter, state, entry) = (self.kernel.paths.private("enter"), self.state(), noted());
        quote!(#enter(&mut #state, &#entry);)
    }

    /// Where the launch stands, and in which instantiation of the function: two arguments, which are constants.
    pub(crate) fn place(&self, kind: &str) -> TokenStream {
        let (kernel, index) = (self.kernel, self.index);
        let [site, instance, kinds, bys] = ["site", "instance", "Kind", "By"].map(|name| kernel.paths.private(name));
        let [kind, by] = [kind, kernel.by].map(|name| Ident::new(name, Span::call_site()));
        let name = kernel.name.as_ref().map(Text::plain).unwrap_or_default();
        let category = kernel.category.as_deref().unwrap_or_default();
        let color = option(kernel.color);
        let function = kernel.item.sig.ident.to_string();
        let origin = &kernel.origin;
        let package = &origin.package;
        // With the launch's own span: these tell where their own tokens stand, or the outermost macro call around.
        let [file, line, column] = ["file", "line", "column"].map(|name| kernel.paths.located(name, self.span));
        let only = kernel.sites.len() == 1;
        let twin = if only { quote!(&[], 0) } else { quote!(&LAUNCHSITE_PLACES, #index) };
        let (relative, absolute, generated) = (&origin.relative, &origin.absolute, &origin.generated);
        quote! {
            #site!(#kinds::#kind, #function, #name, #category, #color, #package, #file, #line, #column, #twin, #relative, #absolute, #generated, #bys::#by),
            #instance(&|| ())
        }
    }
}

fn option(value: Option<u32>) -> TokenStream {
    value.map_or_else(|| quote!(::core::option::Option::None), |value| quote!(::core::option::Option::Some(#value)))
}

/// Lines and columns of all sites, for those that need more than a line to be told apart.
pub(crate) fn places(kernel: &Kernel) -> Option<TokenStream> {
    let count = kernel.sites.len();
    let places = kernel.sites.iter().map(|&span| {
        let [line, column] = ["line", "column"].map(|name| kernel.paths.located(name, span));
        quote!((#line, #column))
    });
    (count > 1).then(|| quote!(const LAUNCHSITE_PLACES: [(u32, u32); #count] = [#(#places),*];))
}

/// The variable that holds what was noted at the function's entry.
pub(crate) fn noted() -> Ident {
    Ident::new("launchsite_entry", Span::mixed_site())
}
