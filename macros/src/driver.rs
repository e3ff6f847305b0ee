//! The whole of the attribute, on tokens that need no compiler around them.

use proc_macro2::TokenStream;

use crate::args::Args;
use crate::origin::Origin;
use crate::{depth, expand, fallback, scan};

pub(crate) fn driver(args: TokenStream, item: &TokenStream, origin: Origin) -> TokenStream {
    // Left as it is, with its launches, but for what is wrong with the arguments.
    if !depth::fits(item.clone()) {
        let wrong = Args::read(args).1.finish();
        return wrong.map_or_else(|error| fallback::expand(item, &error), |()| item.clone());
    }
    match scan::scan(args, item.clone(), origin) {
        Ok(annotated) => expand::expand(item, annotated),
        Err(error) => fallback::expand(item, &error),
    }
}
