//! The attribute of `launchsite`: an implementation detail, documented where the runtime crate re-exports it.

mod args;
mod body;
mod calls;
mod closures;
mod depth;
mod driver;
mod entry;
mod expand;
mod fallback;
mod hooks;
mod locals;
mod methods;
mod model;
mod origin;
mod paths;
mod scan;
mod site;
mod text;

#[cfg(test)]
mod tests;

use driver::driver;
use origin::Origin;

/// Documented in `launchsite`, which re-exports it.
#[proc_macro_attribute]
pub fn gpu_kernel(args: proc_macro::TokenStream, item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    driver(args.into(), &item.into(), Origin::of_build()).into()
}
