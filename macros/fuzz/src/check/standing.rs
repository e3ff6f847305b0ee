//! Where in a function a hook may stand: in code of the function's own that runs when it is called.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{Attribute, ExprAsync, ExprClosure, ExprConst, ExprRepeat, Item, ItemFn, Pat, Type};

use super::fault::{Fault, Kind, fault};
use super::hooks::STATE;

/// # Errors
/// A hook in what runs at compile time or belongs to another function, or one that a closure would capture.
pub(super) fn check(function: &ItemFn) -> Result<(), Fault> {
    let mut walk = Walk::default();
    walk.visit_block(&function.block);
    let rest = [function.attrs.iter().map(ToTokens::to_token_stream).collect(), function.sig.to_token_stream()];
    for tokens in rest {
        walk.refuse("the signature", tokens);
    }
    walk.wrong.map_or(Ok(()), |told| Err(fault(Kind::Standing, told)))
}

#[derive(Default)]
struct Walk {
    wrong: Option<String>,
}

impl Walk {
    fn refuse(&mut self, place: &str, tokens: TokenStream) {
        if let Some(name) = idents(tokens).iter().find(|name| name.starts_with(STATE) || *name == "__private") {
            self.wrong = Some(format!("`{name}` stands in {place}"));
        }
    }

    /// What is used in `body` has to be declared in it: else it would be captured.
    fn apart(&mut self, place: &str, body: TokenStream) {
        let names = idents(body);
        let declared = |name: &String| {
            let words = ["let", "mut", name.as_str()];
            names.windows(3).any(|three| three.iter().eq(words.iter()))
        };
        if let Some(name) = names.iter().find(|name| name.starts_with(STATE) && !declared(name)) {
            self.wrong = Some(format!("`{name}` is captured by {place}"));
        }
    }
}

impl<'ast> Visit<'ast> for Walk {
    fn visit_item(&mut self, item: &'ast Item) {
        self.refuse("a nested item", item.to_token_stream());
    }
    fn visit_expr_const(&mut self, block: &'ast ExprConst) {
        self.refuse("a `const` block", block.to_token_stream());
    }
    fn visit_type(&mut self, given: &'ast Type) {
        self.refuse("a type", given.to_token_stream());
    }
    fn visit_generic_argument(&mut self, given: &'ast syn::GenericArgument) {
        self.refuse("a generic argument", given.to_token_stream());
    }
    fn visit_pat(&mut self, pattern: &'ast Pat) {
        match pattern {
            Pat::Guard(guard) => {
                self.visit_pat(&guard.pat);
                self.visit_expr(&guard.guard);
            }
            // As the declaration of a state has it.
            Pat::Ident(name) if name.subpat.is_none() => {}
            _ => self.refuse("a pattern", pattern.to_token_stream()),
        }
    }
    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        self.refuse("an attribute", attribute.to_token_stream());
    }
    fn visit_expr_repeat(&mut self, repeat: &'ast ExprRepeat) {
        self.refuse("an array's length", repeat.len.to_token_stream());
        self.visit_expr(&repeat.expr);
    }
    fn visit_expr_closure(&mut self, closure: &'ast ExprClosure) {
        self.apart("a closure", closure.to_token_stream());
        visit::visit_expr_closure(self, closure);
    }
    fn visit_expr_async(&mut self, block: &'ast ExprAsync) {
        self.apart("an `async` block", block.to_token_stream());
        visit::visit_expr_async(self, block);
    }
}

/// All words of `tokens`, however deep, in their order.
fn idents(tokens: TokenStream) -> Vec<String> {
    let mut found = Vec::new();
    for tree in tokens {
        match tree {
            TokenTree::Ident(ident) => found.push(ident.to_string()),
            TokenTree::Group(group) => found.extend(idents(group.stream())),
            _ => {}
        }
    }
    found
}
