//! Which names of a body are its own variables.

use std::collections::HashSet;

use syn::visit::{self, Visit};
use syn::{Expr, Ident, Member, Pat, PatIdent, Signature};

/// The variables bound so far in the function, or in the innermost closure: what lies outside a closure is left
/// alone in it, since looking at it would change how the closure captures it.
#[derive(Default)]
pub(crate) struct Locals(Vec<HashSet<Ident>>);

impl Locals {
    pub(crate) fn of_function(signature: &Signature) -> Self {
        let mut locals = Self(vec![HashSet::new()]);
        Bindings(&mut locals).visit_signature(signature);
        if signature.receiver().is_some() {
            let this = Ident::new("self", proc_macro2::Span::call_site());
            locals.bind(&this);
        }
        locals
    }

    pub(crate) fn enter_closure<'p>(&mut self, inputs: impl IntoIterator<Item = &'p Pat>) {
        self.0.push(HashSet::new());
        for input in inputs {
            self.bind_all(input);
        }
    }

    pub(crate) fn leave_closure(&mut self) {
        self.0.pop();
    }

    pub(crate) fn bind_all(&mut self, pattern: &Pat) {
        Bindings(self).visit_pat(pattern);
    }

    fn bind(&mut self, name: &Ident) {
        if let Some(scope) = self.0.last_mut() {
            scope.insert(name.clone());
        }
    }

    /// Whether `receiver` is a variable of this scope, or a chain of fields on one: looking at such a place twice
    /// is the same as looking once.
    pub(crate) fn is_place(&self, receiver: &Expr) -> bool {
        match receiver {
            Expr::Path(path) => {
                path.path.get_ident().is_some_and(|name| self.0.last().is_some_and(|scope| scope.contains(name)))
            }
            Expr::Field(field) => {
                matches!(field.member, Member::Named(_) | Member::Unnamed(_)) && self.is_place(&field.base)
            }
            Expr::Paren(inner) => self.is_place(&inner.expr),
            Expr::Group(inner) => self.is_place(&inner.expr),
            _ => false,
        }
    }
}

struct Bindings<'l>(&'l mut Locals);

impl<'ast> Visit<'ast> for Bindings<'_> {
    fn visit_pat_ident(&mut self, pattern: &'ast PatIdent) {
        // A name in upper case in a pattern is a constant or a variant.
        let lower = pattern.ident.to_string().trim_start_matches("r#").starts_with(|c: char| !c.is_uppercase());
        if lower {
            self.0.bind(&pattern.ident);
        }
        visit::visit_pat_ident(self, pattern);
    }

    // Patterns inside expressions belong to scopes of their own.
    fn visit_expr(&mut self, _: &'ast Expr) {}
}
