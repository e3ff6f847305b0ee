//! From tokens to the model: parses, looks for launches, refuses what is wrong.

use proc_macro2::TokenStream;
use syn::{Attribute, Error, ImplItem, Item, ItemFn, ItemImpl, Result};

use crate::args::Args;
use crate::body;
use crate::model::{Annotated, Kernel, Methods};
use crate::origin::Origin;
use crate::paths::Paths;

/// # Errors
/// The arguments are wrong, or the item is nothing that could launch: all that is wrong at once.
pub(crate) fn scan(args: TokenStream, item: TokenStream, origin: Origin) -> Result<Annotated> {
    let args: Result<Args> = syn::parse2(args);
    match (args, parsed(item)) {
        (Ok(args), Ok(Parsed::Function(item))) => Ok(Annotated::Function(Box::new(kernel(args, item, origin)))),
        (Ok(args), Ok(Parsed::Impl(item))) => block(&args, item).map(|methods| Annotated::Impl(Box::new(methods))),
        (Err(mut error), Err(other)) => {
            error.combine(other);
            Err(error)
        }
        (Err(error), _) | (_, Err(error)) => Err(error),
    }
}

fn kernel(args: Args, item: ItemFn, origin: Origin) -> Kernel {
    Kernel {
        sites: body::sites(&item.sig, &item.block),
        paths: Paths::new(args.root.as_ref()),
        name: args.name.map(|name| name.value()),
        origin,
        item,
    }
}

/// The methods of `item` that launch, each to be expanded by itself.
fn block(args: &Args, item: ItemImpl) -> Result<Methods> {
    if let Some(name) = &args.name {
        return Err(Error::new_spanned(name, "a name is for one function: put it on the method that it is for"));
    }
    let launching = |part: &ImplItem| match part {
        ImplItem::Fn(method) if !method.attrs.iter().any(is_ours) => {
            !body::sites(&method.sig, &method.block).is_empty()
        }
        _ => false,
    };
    let indices = item.items.iter().enumerate().filter(|(_, part)| launching(part)).map(|(index, _)| index);
    Ok(Methods { launching: indices.collect(), root: args.root.clone(), item })
}

/// A method that is annotated itself keeps what it says.
fn is_ours(attribute: &Attribute) -> bool {
    attribute.path().segments.last().is_some_and(|last| last.ident == "gpu_kernel")
}

enum Parsed {
    Function(ItemFn),
    Impl(ItemImpl),
}

fn parsed(item: TokenStream) -> Result<Parsed> {
    let error = match syn::parse2(item.clone()) {
        Ok(function) => return Ok(Parsed::Function(function)),
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
        Ok(Item::Impl(item)) => Ok(Parsed::Impl(item)),
        Ok(other) => {
            Err(Error::new_spanned(keyword(&other), "`#[gpu_kernel]` goes on a function, a method or an `impl` block"))
        }
        Err(_) => Err(error),
    }
}

/// The first token that says what the item is, past its attributes and visibility.
fn keyword(item: &Item) -> TokenStream {
    use quote::ToTokens;
    match item {
        Item::Struct(item) => item.struct_token.to_token_stream(),
        Item::Enum(item) => item.enum_token.to_token_stream(),
        Item::Trait(item) => item.trait_token.to_token_stream(),
        Item::Mod(item) => item.mod_token.to_token_stream(),
        Item::Static(item) => item.static_token.to_token_stream(),
        Item::Const(item) => item.const_token.to_token_stream(),
        other => other.to_token_stream(),
    }
}
