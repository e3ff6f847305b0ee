//! Launches in the arguments of macros.

use std::collections::VecDeque;

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::visit_mut::VisitMut;
use syn::{Expr, Macro, Token};

use super::Walk;
use crate::calls::{first_argument, is};

impl Walk<'_> {
    /// Looks into the arguments of macros that are known to take expressions, and to do no more with them than to
    /// evaluate them. Other macros may do anything with their tokens.
    pub(super) fn look_into(&mut self, mac: &mut Macro) {
        let mut path = mac.path.segments.iter().map(|segment| segment.ident.to_string());
        let name = path.next_back().unwrap_or_default();
        let of_std = path.next().is_none_or(|first| ["std", "core", "alloc"].contains(&first.as_str()));
        let before = self.met.len();
        let tokens = match name.as_str() {
            // Without a message it shows what its condition is made of.
            "ensure" => self.in_condition(&mac.tokens, Text::Given),
            "assert_matches" | "debug_assert_matches" => self.in_first(&mac.tokens),
            "bail" | "anyhow" | "eyre" | "join" | "try_join" | "trace" | "debug" | "info" | "warn" | "error" => {
                self.in_all(&mac.tokens)
            }
            // `my::assert!` is anybody's.
            _ if !of_std => None,
            "assert" | "debug_assert" => self.in_condition(&mac.tokens, Text::Shown),
            "matches" => self.in_first(&mac.tokens),
            "assert_eq" | "assert_ne" | "debug_assert_eq" | "debug_assert_ne" | "vec" | "format" | "print"
            | "println" | "eprint" | "eprintln" | "write" | "writeln" | "panic" | "todo" | "unreachable"
            | "unimplemented" => self.in_all(&mac.tokens),
            _ => None,
        };
        if let Some(tokens) = tokens.filter(|_| self.met.len() > before && self.kernel.is_some()) {
            mac.tokens = tokens;
        }
    }

    /// All arguments are expressions.
    fn in_all(&mut self, tokens: &TokenStream) -> Option<TokenStream> {
        let mut arguments = expressions(tokens)?;
        arguments.iter_mut().for_each(|argument| self.visit_expr_mut(argument));
        Some(arguments.into_token_stream())
    }

    /// The first argument is an expression; the others, a pattern among them, stay as they are.
    fn in_first(&mut self, tokens: &TokenStream) -> Option<TokenStream> {
        let (first, others) = first_argument(tokens);
        let mut first: Expr = syn::parse2(first).ok()?;
        self.visit_expr_mut(&mut first);
        Some(quote!(#first #others))
    }

    /// The first argument is a condition, and with it alone its text is shown: with a hook in it, the text is given.
    fn in_condition(&mut self, tokens: &TokenStream, text: Text) -> Option<TokenStream> {
        let mut arguments = expressions(tokens)?;
        if arguments.len() == 1 && text == Text::Given {
            return None;
        }
        let before = self.met.len();
        arguments.iter_mut().for_each(|argument| self.visit_expr_mut(argument));
        if arguments.len() == 1 && self.met.len() > before {
            // As it was written: a tree gives its tokens with other spaces.
            let mut condition: VecDeque<TokenTree> = tokens.clone().into_iter().collect();
            if arguments.trailing_punct() {
                condition.pop_back();
            }
            // A message of constants: with `"{}"` alone it would be formatted, and a panic's payload be no `&'static str`.
            let mut shown = "assertion failed: ".to_owned();
            while let Some(TokenTree::Punct(not)) = condition.front().filter(|first| is(first, '!')) {
                shown.push(not.as_char());
                condition.pop_front();
            }
            let condition = TokenStream::from_iter(condition);
            shown.push_str("{}");
            arguments.push(Expr::Verbatim(quote!(#shown)));
            arguments.push(Expr::Verbatim(quote!(::core::stringify!(#condition))));
        }
        Some(arguments.into_token_stream())
    }
}

/// What a macro shows of a condition that fails.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Text {
    /// Its text.
    Shown,
    /// What the message says.
    Given,
}

fn expressions(tokens: &TokenStream) -> Option<Punctuated<Expr, Token![,]>> {
    Punctuated::parse_terminated.parse2(tokens.clone()).ok()
}
