//! Launches in the arguments of macros.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::visit_mut::VisitMut;
use syn::{Expr, Macro, Token};

use super::Walk;
use crate::calls::first_argument;

/// Macros of std's whose arguments are all expressions.
const STDS: [&str; 17] = [
    "assert_eq",
    "assert_ne",
    "debug_assert_eq",
    "debug_assert_ne",
    "vec",
    "format",
    "format_args",
    "print",
    "println",
    "eprint",
    "eprintln",
    "write",
    "writeln",
    "panic",
    "todo",
    "unreachable",
    "unimplemented",
];

impl Walk<'_> {
    /// Looks into the arguments of macros that are known to take expressions, and to do no more with them than to
    /// evaluate them: std's, and by their paths those of a few libraries, whose names a program's own may well have. Other
    /// macros may do anything with their tokens.
    pub(super) fn look_into(&mut self, mac: &mut Macro) {
        let mut path = mac.path.segments.iter().map(|segment| segment.ident.to_string());
        let name = path.next_back().unwrap_or_default();
        let first = path.next().unwrap_or_default();
        let before = self.met.len();
        let tokens = match (first.as_str(), name.as_str()) {
            // Without a message they show what their condition is made of.
            ("" | "std" | "core", "assert" | "debug_assert") | ("anyhow" | "eyre" | "color_eyre", "ensure") => {
                self.in_condition(&mac.tokens)
            }
            ("" | "std" | "core", "matches")
            | ("assert_matches" | "std" | "core", "assert_matches" | "debug_assert_matches") => {
                self.in_first(&mac.tokens)
            }
            ("" | "std" | "core" | "alloc", name) if STDS.contains(&name) => self.in_all(&mac.tokens),
            ("anyhow" | "eyre" | "color_eyre", "bail" | "anyhow" | "eyre")
            | ("tokio" | "futures" | "futures_util", "join" | "try_join")
            | ("log" | "tracing", "trace" | "debug" | "info" | "warn" | "error") => self.in_all(&mac.tokens),
            _ => None,
        };
        if let Some(tokens) = tokens.filter(|_| self.met.len() > before && self.kernel.is_some()) {
            mac.tokens = tokens;
        }
    }

    /// All arguments are expressions, or one and how many there are to be of it.
    fn in_all(&mut self, tokens: &TokenStream) -> Option<TokenStream> {
        if let Some(mut arguments) = expressions(tokens) {
            arguments.iter_mut().for_each(|argument| self.visit_expr_mut(argument));
            return Some(arguments.into_token_stream());
        }
        let repeated = |input: ParseStream<'_>| Ok((input.parse()?, input.parse::<Token![;]>()?, input.parse()?));
        let (mut value, semi, mut count): (Expr, _, Expr) = repeated.parse2(tokens.clone()).ok()?;
        self.visit_expr_mut(&mut value);
        self.visit_expr_mut(&mut count);
        Some(quote!(#value #semi #count))
    }

    /// The first argument is an expression; the others, a pattern among them, stay as they are.
    fn in_first(&mut self, tokens: &TokenStream) -> Option<TokenStream> {
        let (first, others) = first_argument(tokens);
        let mut first: Expr = syn::parse2(first).ok()?;
        self.visit_expr_mut(&mut first);
        Some(quote!(#first #others))
    }

    /// A condition with a message: with it alone its text would be shown, which is not to be that of a hook.
    fn in_condition(&mut self, tokens: &TokenStream) -> Option<TokenStream> {
        let arguments = expressions(tokens)?;
        if arguments.len() < 2 { None } else { self.in_all(tokens) }
    }
}

fn expressions(tokens: &TokenStream) -> Option<Punctuated<Expr, Token![,]>> {
    Punctuated::parse_terminated.parse2(tokens.clone()).ok()
}
