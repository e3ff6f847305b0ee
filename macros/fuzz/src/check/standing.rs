//! Where in a function a hook may stand: in code of the function's own that runs when it is called.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{
    Attribute, Expr, ExprAsync, ExprCall, ExprClosure, ExprConst, ExprRepeat, Item, ItemFn, Macro, Pat, Path, Stmt,
};
use syn::{Local, Token, Type};

use super::fault::{Fault, Kind, fault};
use super::given::Given;
use super::hooks::{ENTERED, ENTRY, PLACES, SCOPE, STATE};

/// # Errors
/// A hook in what runs at compile time or belongs to another function, or one that a closure would capture; what the
/// function is entered with in front of its items, or a launch that is not told of it where it could be.
pub(super) fn check(function: &ItemFn, given: &Given, root: &[TokenTree]) -> Result<(), Fault> {
    let runtime = root.iter().rev().find(|tree| matches!(tree, TokenTree::Ident(_)));
    let runtime = runtime.map(TokenTree::to_string).unwrap_or_default();
    let mut walk = Walk { runtime, noted: given.is_noted(), opaque: 0, moving: 0, called: false, wrong: None };
    walk.visit_block(&function.block);
    let rest = [function.attrs.iter().map(ToTokens::to_token_stream).collect(), function.sig.to_token_stream()];
    for tokens in rest {
        walk.refuse("the signature", tokens);
    }
    if !is_behind_items(&function.block.stmts, given.statements()) {
        walk.wrong = Some("what the function is entered with is not behind its items".into());
    }
    walk.wrong.map_or(Ok(()), |told| Err(fault(Kind::Standing, told)))
}

/// Whether the `count` statements that the function is entered with stand right behind the items that it begins with.
fn is_behind_items(statements: &[Stmt], count: usize) -> bool {
    let items = statements.iter().take_while(|statement| matches!(statement, Stmt::Item(_))).count();
    let ours = |statement: &Stmt| matches!(statement, Stmt::Local(local) if names(local));
    statements.iter().position(ours) == (count > 0).then_some(items)
        && !matches!(statements.get(items + count), Some(Stmt::Item(_)))
}

fn names(local: &Local) -> bool {
    matches!(&local.pat, Pat::Ident(name) if name.ident == ENTRY || name.ident == SCOPE)
}

struct Walk {
    /// The last word of the runtime's path.
    runtime: String,
    /// There is something to tell of.
    noted: bool,
    /// Closures and async blocks around that capture by themselves.
    opaque: usize,
    /// Closures around that move what they take.
    moving: usize,
    /// The next closure is called where it stands.
    called: bool,
    wrong: Option<String>,
}

impl Walk {
    fn refuse(&mut self, place: &str, tokens: TokenStream) {
        let names = idents(tokens);
        // Another crate may have a module of that name.
        let private = names.windows(2).any(|two| two.iter().eq([self.runtime.as_str(), "__private"].iter()));
        let ours = names.iter().find(|name| name.starts_with(STATE) || *name == ENTERED).map(String::as_str);
        if let Some(name) = ours.or(private.then_some("__private")) {
            self.wrong = Some(format!("`{name}` stands in {place}"));
        }
    }

    /// What is used in `body` has to be declared in it: else it would be captured. What the function was entered with is
    /// captured by what moves it in.
    fn apart(&mut self, place: &str, body: TokenStream) {
        let names = idents(body);
        let declared = |name: &String| {
            let words = ["let", "mut", name.as_str()];
            names.windows(3).any(|three| three.iter().eq(words.iter()))
        };
        let ours = |name: &&String| name.starts_with(STATE) && *name != ENTRY && !declared(name);
        if let Some(name) = names.iter().find(ours) {
            self.wrong = Some(format!("`{name}` is captured by {place}"));
        }
    }

    /// Whether a launch is told of the entry, by `tokens`, where it can be.
    fn told(&mut self, hook: &str, tokens: TokenStream) {
        let told = idents(tokens).iter().any(|name| name == ENTRY);
        // A closure that moves and takes nothing stays a function pointer, and is told of nothing.
        if told != (self.noted && self.opaque == 0) && (told || self.moving == 0) {
            self.wrong = Some(format!("`{hook}` is told of the entry: {told}"));
        }
    }

    fn hook(&mut self, name: &str, call: &ExprCall) {
        let looks = match name {
            "done" => call.args.get(1),
            "done_graph" => call.args.first().filter(|looks| !matches!(looks, Expr::Tuple(_))),
            "recv_graph" => call.args.last(),
            _ => None,
        };
        if let Some(looks) = looks {
            self.told(name, looks.to_token_stream());
        }
    }

    fn captured(&mut self, whole: bool, walk: impl FnOnce(&mut Self)) {
        self.opaque += usize::from(!whole);
        walk(self);
        self.opaque -= usize::from(!whole);
    }
}

/// The name of a hook.
fn private(path: &Path) -> Option<String> {
    let mut names = path.segments.iter().rev().map(|segment| &segment.ident);
    let (name, module) = (names.next()?, names.next()?);
    (module == "__private").then(|| name.to_string())
}

impl<'ast> Visit<'ast> for Walk {
    fn visit_item(&mut self, item: &'ast Item) {
        // What it holds is looked at where it is taken off.
        if matches!(item, Item::Const(table) if table.ident == PLACES) {
            return;
        }
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
            // As the declarations have it.
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
    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        let mut called = &*call.func;
        while let Expr::Paren(syn::ExprParen { expr, .. }) | Expr::Group(syn::ExprGroup { expr, .. }) = called {
            called = expr;
        }
        if let Expr::Path(path) = called
            && let Some(name) = private(&path.path)
        {
            self.hook(&name, call);
        }
        self.called = matches!(called, Expr::Closure(closure) if closure.asyncness.is_none());
        visit::visit_expr_call(self, call);
    }
    fn visit_macro(&mut self, mac: &'ast Macro) {
        match private(&mac.path).as_deref() {
            Some("around") => self.told("around", mac.tokens.clone()),
            Some(_) => {}
            None => {
                let all = Punctuated::<Expr, Token![,]>::parse_terminated.parse2(mac.tokens.clone());
                let first = || {
                    let first = mac.tokens.clone().into_iter();
                    let first =
                        first.take_while(|tree| !matches!(tree, TokenTree::Punct(mark) if mark.as_char() == ','));
                    syn::parse2::<Expr>(first.collect()).map(|first| std::iter::once(first).collect())
                };
                for argument in all.or_else(|_| first()).unwrap_or_default() {
                    // Parsed here, so it does not live as long as the rest.
                    Visit::visit_expr(self, &argument);
                }
            }
        }
    }
    fn visit_expr_closure(&mut self, closure: &'ast ExprClosure) {
        self.apart("a closure", closure.to_token_stream());
        let called = std::mem::take(&mut self.called);
        let moves = usize::from(!called && closure.capture.is_some());
        self.moving += moves;
        self.captured(called || closure.capture.is_some(), |walk| visit::visit_expr_closure(walk, closure));
        self.moving -= moves;
    }
    fn visit_expr_async(&mut self, block: &'ast ExprAsync) {
        self.apart("an `async` block", block.to_token_stream());
        self.captured(block.capture.is_some(), |walk| visit::visit_expr_async(walk, block));
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
