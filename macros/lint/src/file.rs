//! One file: its functions, and which of them launch.

use std::path::Path;

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    Attribute, Block, ImplItemFn, ItemFn, ItemImpl, ItemMod, ItemTrait, Signature, TraitItemFn, Type, Visibility,
};

use crate::Unnamed;
use crate::body;
use crate::calls::DriverCall;

/// # Errors
/// The line that is no Rust, and what is wrong with it.
pub(crate) fn unnamed(path: &Path, text: &str) -> Result<Vec<Unnamed>, (usize, String)> {
    let file = syn::parse_file(text).map_err(|error| (error.span().start().line, error.to_string()))?;
    let mut functions = Functions {
        path,
        lines: text.lines().collect(),
        is_of_cuda: tells_of_cuda(file.to_token_stream()),
        owner: None,
        is_public: false,
        found: Vec::new(),
    };
    functions.visit_file(&file);
    Ok(functions.found)
}

/// What a file has that launches something: names of crates, and of what they launch with.
const NAMES: [&str; 10] = [
    "cudarc",
    "cust",
    "launchsite",
    "launch_builder",
    "LaunchArgs",
    "LaunchConfig",
    "CudaStream",
    "CudaFunction",
    "CudaGraph",
    "CudaContext",
];

fn tells_of_cuda(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|tree| match tree {
        TokenTree::Ident(name) => NAMES.iter().any(|known| name == known),
        TokenTree::Group(group) => tells_of_cuda(group.stream()),
        _ => false,
    })
}

struct Functions<'f> {
    path: &'f Path,
    lines: Vec<&'f str>,
    /// Without, a method that is called `launch` launches something else.
    is_of_cuda: bool,
    /// The type or the trait around.
    owner: Option<String>,
    /// A trait's methods are, where they are implemented too.
    is_public: bool,
    found: Vec<Unnamed>,
}

impl Functions<'_> {
    fn look(&mut self, attributes: &[Attribute], is_public: bool, signature: &Signature, block: &Block) {
        let name = &signature.ident;
        if attributes.iter().any(|attribute| is_ours(attribute) || is_test(attribute)) || self.is_excused(name) {
            return;
        }
        let spans = body::sites(signature, block, None);
        let mut launches: Vec<_> = spans.iter().map(|span| span.start().line).collect();
        if !self.is_of_cuda {
            // The driver's functions are known by their names.
            let mut driver = DriverCalls(Vec::new());
            driver.visit_block(block);
            launches.retain(|line| driver.0.contains(line));
        }
        launches.dedup();
        if launches.is_empty() {
            return;
        }
        let start = name.span().start();
        let function = match &self.owner {
            Some(owner) => format!("{owner}::{name}"),
            None => name.to_string(),
        };
        let (file, line, column) = (self.path.to_owned(), start.line, start.column + 1);
        self.found.push(Unnamed { file, line, column, function, is_public: is_public || self.is_public, launches });
    }

    /// Whether a comment says that it launches nothing.
    fn is_excused(&self, name: &Ident) -> bool {
        let line = name.span().start().line;
        let text = |line: usize| self.lines.get(line).copied().unwrap_or_default().trim();
        let says = "// launchsite: no launch";
        text(line.wrapping_sub(1)).contains(says) || text(line.wrapping_sub(2)).starts_with(says)
    }

    fn inside(&mut self, owner: String, is_public: bool, walk: impl FnOnce(&mut Self)) {
        let outer = (self.owner.replace(owner), std::mem::replace(&mut self.is_public, is_public));
        walk(self);
        (self.owner, self.is_public) = outer;
    }

    fn outside(&mut self, walk: impl FnOnce(&mut Self)) {
        let outer = (self.owner.take(), std::mem::take(&mut self.is_public));
        walk(self);
        (self.owner, self.is_public) = outer;
    }
}

impl<'ast> Visit<'ast> for Functions<'_> {
    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        self.outside(|functions| {
            functions.look(&item.attrs, is_public(&item.vis), &item.sig, &item.block);
            visit::visit_item_fn(functions, item);
        });
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.look(&item.attrs, is_public(&item.vis), &item.sig, &item.block);
        self.outside(|functions| visit::visit_impl_item_fn(functions, item));
    }

    fn visit_trait_item_fn(&mut self, item: &'ast TraitItemFn) {
        if let Some(block) = &item.default {
            self.look(&item.attrs, true, &item.sig, block);
        }
        self.outside(|functions| visit::visit_trait_item_fn(functions, item));
    }

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        // The attribute on the block is one on each of its methods.
        if item.attrs.iter().any(is_ours) || item.attrs.iter().any(is_test) {
            return;
        }
        let owner = owner(&item.self_ty);
        self.inside(owner, item.trait_.is_some(), |functions| visit::visit_item_impl(functions, item));
    }

    fn visit_item_trait(&mut self, item: &'ast ItemTrait) {
        self.inside(item.ident.to_string(), true, |functions| visit::visit_item_trait(functions, item));
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if !item.attrs.iter().any(is_test) {
            visit::visit_item_mod(self, item);
        }
    }
}

struct DriverCalls(Vec<usize>);

impl<'ast> Visit<'ast> for DriverCalls {
    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        if let Some((_, at)) = DriverCall::of(call) {
            self.0.push(at.start().line);
        }
        visit::visit_expr_call(self, call);
    }
}

/// A type without its arguments.
fn owner(of: &Type) -> String {
    match of {
        Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default(),
        Type::Reference(reference) => owner(&reference.elem),
        other => other.span().source_text().unwrap_or_default(),
    }
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

/// `#[gpu_kernel]` by any path, under a condition too.
fn is_ours(attribute: &Attribute) -> bool {
    let last = attribute.path().segments.last();
    let conditional = attribute.path().is_ident("cfg_attr") && names(attribute, "gpu_kernel");
    conditional || last.is_some_and(|last| last.ident == "gpu_kernel")
}

/// `#[test]` by any path, and `#[cfg(test)]`.
fn is_test(attribute: &Attribute) -> bool {
    let last = attribute.path().segments.last().is_some_and(|last| last.ident == "test");
    last || (attribute.path().is_ident("cfg") && names(attribute, "test") && !names(attribute, "not"))
}

fn names(attribute: &Attribute, name: &str) -> bool {
    fn has(tokens: TokenStream, name: &str) -> bool {
        tokens.into_iter().any(|tree| match tree {
            TokenTree::Ident(ident) => ident == name,
            TokenTree::Group(group) => has(group.stream(), name),
            _ => false,
        })
    }
    attribute.meta.require_list().is_ok_and(|list| has(list.tokens.clone(), name))
}
