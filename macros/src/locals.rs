//! Which names of a body are its own variables, and whether they can be looked at where a launch stands.

use std::collections::HashSet;

use syn::ext::IdentExt;
use syn::visit::{self, Visit};
use syn::{Expr, ExprPath, Ident, Item, Member, Pat, PatIdent, Signature, Type};

/// The variables that can be looked at: those bound so far in the function.
///
/// Inside a closure or an async block that captures by itself, only those bound there: looking at another would change how
/// it is captured. One that moves what it captures, or that is called where it stands, captures as before.
#[derive(Default)]
pub(crate) struct Locals {
    scopes: Vec<HashSet<Ident>>,
    /// Around the walk's place, the closures that capture by themselves.
    opaque: usize,
}

/// What a closure or an async block does with the variables around it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Captures {
    /// It takes each as its uses need it: another use may change how.
    AsUsed,
    /// It moves them in, or is gone before anything else looks at them.
    Whole,
}

impl Locals {
    pub(crate) fn of_function(signature: &Signature) -> Self {
        let mut locals = Self { scopes: vec![HashSet::new()], opaque: 0 };
        Bindings(&mut locals).visit_signature(signature);
        if signature.receiver().is_some() {
            let this = Ident::new("self", proc_macro2::Span::call_site());
            locals.bind(&this);
        }
        locals
    }

    pub(crate) fn enter<'p>(&mut self, captures: Captures, inputs: impl IntoIterator<Item = &'p Pat>) {
        let seen = match captures {
            Captures::Whole => self.scopes.last().cloned().unwrap_or_default(),
            Captures::AsUsed => HashSet::new(),
        };
        self.opaque += usize::from(captures == Captures::AsUsed);
        self.scopes.push(seen);
        for input in inputs {
            self.bind_all(input);
        }
    }

    pub(crate) fn leave(&mut self, captures: Captures) {
        self.opaque -= usize::from(captures == Captures::AsUsed);
        self.scopes.pop();
    }

    /// Whether what was noted when the function was entered can be reached from here.
    pub(crate) fn reaches_entry(&self) -> bool {
        self.opaque == 0
    }

    pub(crate) fn bind_all(&mut self, pattern: &Pat) {
        Bindings(self).visit_pat(pattern);
    }

    fn bind(&mut self, name: &Ident) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.clone());
        }
    }

    /// Whether `name` is a variable, by its text: in a string there is no other way to say it, nor to say `r#`.
    pub(crate) fn has(&self, name: &str) -> bool {
        let name = name.trim_start_matches("r#");
        self.scopes.iter().flatten().any(|known| known.unraw() == name)
    }

    /// Whether a closure with these inputs and that body is sure to take one of the variables. One that takes none is a
    /// function pointer where one is asked for, unless something is put into it.
    pub(crate) fn taken<'p>(&self, inputs: impl IntoIterator<Item = &'p Pat>, body: &Expr) -> bool {
        let mut own = Self { scopes: vec![HashSet::new()], opaque: 0 };
        inputs.into_iter().for_each(|input| own.bind_all(input));
        AllBindings(&mut own).visit_expr(body);
        let mut taken = Taken { around: self, own, found: false };
        taken.visit_expr(body);
        taken.found
    }

    /// What is bound so far, for a block that ends.
    pub(crate) fn so_far(&self) -> HashSet<Ident> {
        self.scopes.last().cloned().unwrap_or_default()
    }

    /// Back to what was bound in front of a block.
    pub(crate) fn back_to(&mut self, bound: HashSet<Ident>) {
        if let Some(scope) = self.scopes.last_mut() {
            *scope = bound;
        }
    }

    /// All variables but `self`, in words.
    pub(crate) fn list(&self) -> String {
        let known = self.scopes.iter().flatten().filter(|name| *name != "self");
        let mut names: Vec<_> = known.map(|name| format!("`{}`", name.unraw())).collect();
        names.sort();
        names.join(", ")
    }

    /// Whether `receiver` is a variable that can be looked at, or a chain of fields on one: looking at such a place twice
    /// is the same as looking once.
    pub(crate) fn is_place(&self, receiver: &Expr) -> bool {
        match receiver {
            Expr::Path(path) => {
                let known = |name| self.scopes.last().is_some_and(|scope| scope.contains(name));
                path.path.get_ident().is_some_and(known)
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

/// Everything that an expression binds, wherever in it.
struct AllBindings<'l>(&'l mut Locals);

impl<'ast> Visit<'ast> for AllBindings<'_> {
    fn visit_pat(&mut self, pattern: &'ast Pat) {
        self.0.bind_all(pattern);
        visit::visit_pat(self, pattern);
    }

    fn visit_item(&mut self, _: &'ast Item) {}
}

/// Finds a variable that is named: naming it is taking it. A field, a method or a part of a path with its name is none, and
/// tokens of a macro may be anything.
struct Taken<'l> {
    around: &'l Locals,
    own: Locals,
    found: bool,
}

impl<'ast> Visit<'ast> for Taken<'_> {
    fn visit_expr_path(&mut self, path: &'ast ExprPath) {
        let is_ours = |name: &Ident| self.around.has(&name.to_string()) && !self.own.has(&name.to_string());
        self.found |= path.qself.is_none() && path.path.get_ident().is_some_and(is_ours);
    }

    fn visit_item(&mut self, _: &'ast Item) {}
    fn visit_type(&mut self, _: &'ast Type) {}
    fn visit_pat(&mut self, _: &'ast Pat) {}
}
