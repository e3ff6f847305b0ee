//! The whole of the attribute, on tokens that need no compiler around them.

use proc_macro2::TokenStream;

use crate::origin::Origin;
use crate::{expand, fallback, scan};

pub(crate) fn driver(args: TokenStream, item: &TokenStream, origin: Origin) -> TokenStream {
    match scan::scan(args, item.clone(), origin) {
        Ok(annotated) => expand::expand(item, annotated),
        Err(error) => fallback::expand(item, &error),
    }
}
