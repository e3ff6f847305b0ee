//! From tokens to the model: parses, looks for launches, refuses what is wrong.

use proc_macro2::{Span, TokenStream};
use syn::visit::{self, Visit};
use syn::{Error, ExprConst, ExprMethodCall, ExprRepeat, Item, ItemFn, Result};

use crate::args::Args;
use crate::model::{Kernel, Launch};
use crate::origin::Origin;
use crate::paths::Paths;

/// # Errors
/// The arguments are wrong, or the item is no function with a body.
pub(crate) fn scan(args: TokenStream, item: TokenStream, origin: Origin) -> Result<Kernel> {
    let args: Result<Args> = syn::parse2(args);
    let item: Result<ItemFn> = function(item);
    let (args, item) = match (args, item) {
        (Ok(args), Ok(item)) => (args, item),
        (Err(mut error), Err(other)) => {
            error.combine(other);
            return Err(error);
        }
        (Err(error), _) | (_, Err(error)) => return Err(error),
    };
    let mut found = Found(Vec::new());
    // A launch cannot run at compile time: whatever a `const fn` calls `launch` is something else.
    if item.sig.constness.is_none() {
        found.visit_block(&item.block);
    }
    Ok(Kernel {
        sites: found.0,
        paths: Paths::new(args.root.as_ref()),
        name: args.name.map(|name| name.value()),
        origin,
        item,
    })
}

fn function(item: TokenStream) -> Result<ItemFn> {
    let error = match syn::parse2(item.clone()) {
        Ok(function) => return Ok(function),
        Err(error) => error,
    };
    if let Ok(method) = syn::parse2::<syn::TraitItemFn>(item.clone())
        && method.default.is_none()
    {
        return Err(Error::new_spanned(
            &method.sig.ident,
            "this method has no body that could launch a kernel: annotate its implementations",
        ));
    }
    match syn::parse2::<Item>(item) {
        Ok(other) => Err(Error::new_spanned(keyword(&other), "`#[gpu_kernel]` goes on a function or a method")),
        Err(_) => Err(error),
    }
}

/// The first token that says what the item is, past its attributes and visibility.
fn keyword(item: &Item) -> TokenStream {
    use quote::ToTokens;
    match item {
        Item::Struct(item) => item.struct_token.to_token_stream(),
        Item::Enum(item) => item.enum_token.to_token_stream(),
        Item::Impl(item) => item.impl_token.to_token_stream(),
        Item::Trait(item) => item.trait_token.to_token_stream(),
        Item::Mod(item) => item.mod_token.to_token_stream(),
        Item::Static(item) => item.static_token.to_token_stream(),
        Item::Const(item) => item.const_token.to_token_stream(),
        other => other.to_token_stream(),
    }
}

/// The spans of the method names of all launches, in the order in which [`crate::body`] meets them.
struct Found(Vec<Span>);

impl<'ast> Visit<'ast> for Found {
    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        visit::visit_expr_method_call(self, call);
        if Launch::of(call).is_some() {
            self.0.push(call.method.span());
        }
    }

    // What these hold is not the function's own code, or runs at compile time.
    fn visit_item(&mut self, _: &'ast Item) {}
    fn visit_expr_const(&mut self, _: &'ast ExprConst) {}
    fn visit_expr_repeat(&mut self, repeat: &'ast ExprRepeat) {
        self.visit_expr(&repeat.expr);
    }
}
