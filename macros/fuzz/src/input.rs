//! What the attribute is put on, and with which arguments.

use std::fmt;

use proc_macro2::TokenStream;

use crate::entropy::Entropy;
use crate::grammar;
use crate::mutate;
use crate::seeds::Seeds;

/// The arguments of the attribute, and the tokens that it stands on.
#[derive(Clone, Debug)]
pub struct Input {
    /// What stands between the parentheses of `#[gpu_kernel(..)]`.
    pub args: TokenStream,
    /// What stands below the attribute. Need not be an item: then the attribute has to refuse it.
    pub item: TokenStream,
}

impl Input {
    /// Written by the grammar, or one of `seeds`, changed or as it is.
    pub fn new(entropy: &mut Entropy<'_>, seeds: &Seeds) -> Self {
        let args = grammar::args(entropy);
        let written = entropy.below(8) < 5;
        let item = if written { grammar::item(entropy) } else { seeds.pick(entropy) };
        // A grammar that is wrong is seen by the tests; here its tokens are as good as any.
        let (args, item) = (tokens(&args), tokens(&item));
        // Of what the grammar writes, few are changed: most of what is changed no longer parses.
        let changed = if written { entropy.once_in(4) } else { !entropy.once_in(8) };
        let item = if changed { mutate::mutated(item, entropy, seeds) } else { item };
        Self { args, item }
    }
}

/// As it stands in a file.
impl fmt::Display for Input {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.args.is_empty() {
            return write!(out, "#[gpu_kernel]\n{}", self.item);
        }
        write!(out, "#[gpu_kernel({})]\n{}", self.args, self.item)
    }
}

/// `text` as tokens; empty where it is none.
pub(crate) fn tokens(text: &str) -> TokenStream {
    text.parse().unwrap_or_default()
}
