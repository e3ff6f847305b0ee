//! A walk over a function's body that finds its launches, and puts the hooks around them.

mod arguments;
mod conditions;

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::spanned::Spanned;
use syn::token::Brace;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Arm, AttrStyle, Attribute, Block, Expr, ExprAsync, ExprBlock, ExprCall, ExprClosure, ExprConst, ExprForLoop,
    ExprGroup, ExprIf, ExprLet, ExprMacro, ExprParen, ExprRepeat, ExprWhile, GenericArgument, Item, Local, Macro, Pat,
    Signature, Stmt, StmtMacro, Token, Type,
};

use crate::entry;
use crate::hooks;
use crate::locals::{Captures, Locals};
use crate::model::{Form, Kernel};
use crate::site::{self, Site};
use conditions::conditions;

/// The names of the functions that launch in `block`, in the order of the walk, behind that of a `scope`. A launch cannot
/// run at compile time: whatever a `const fn` calls `launch` is something else.
pub(crate) fn sites(signature: &Signature, block: &Block, scope: Option<Span>) -> Vec<Span> {
    let mut walk = Walk::new(signature, None, scope);
    if signature.constness.is_none() {
        walk.visit_block_mut(&mut block.clone());
    }
    walk.met
}

/// The builder that each of these launches has in a variable, if it has.
fn builders(kernel: &Kernel) -> Vec<Option<Ident>> {
    let mut walk = Walk::new(&kernel.item.sig, None, kernel.scope);
    walk.visit_block_mut(&mut kernel.item.block.clone());
    walk.builders
}

/// The function's block with its hooks, in the user's own braces.
pub(crate) fn rewritten(kernel: &Kernel) -> TokenStream {
    let mut block = kernel.item.block.clone();
    let mut walk = Walk::new(&kernel.item.sig, Some(kernel), kernel.scope);
    walk.launched = builders(kernel);
    walk.visit_block_mut(&mut block);
    // Behind the items that a body may begin with: lints ask for these to come first.
    let items = block.stmts.iter().take_while(|statement| matches!(statement, Stmt::Item(_))).count();
    let entry = entry::entry(kernel).map(|entry| Stmt::Expr(Expr::Verbatim(entry), None));
    block.stmts.splice(items..items, entry);
    let attributes = kernel.item.attrs.iter().filter(|attr| matches!(attr.style, AttrStyle::Inner(_)));
    let (places, statements) = (site::places(kernel), &block.stmts);
    let mut tokens = TokenStream::new();
    block.brace_token.surround(&mut tokens, |inside| inside.extend(quote!(#(#attributes)* #places #(#statements)*)));
    tokens
}

struct Walk<'k> {
    /// What is hooked; without, launches are only counted.
    kernel: Option<&'k Kernel>,
    locals: Locals,
    /// The sites that the walk has met.
    met: Vec<Span>,
    /// The builders of those, where they are variables.
    builders: Vec<Option<Ident>>,
    /// The same of all sites, those ahead included.
    launched: Vec<Option<Ident>>,
    /// The variable whose value the walk is in.
    bound: Option<Ident>,
    /// Statements that go in front of the innermost statement around the walk's place.
    pending: Vec<TokenStream>,
    /// The next closure is called where it stands.
    called: bool,
}

impl<'k> Walk<'k> {
    fn new(signature: &Signature, kernel: Option<&'k Kernel>, scope: Option<Span>) -> Self {
        let (locals, met): (_, Vec<_>) = (Locals::of_function(signature), scope.into_iter().collect());
        let builders = vec![None; met.len()];
        Self { kernel, locals, met, builders, launched: Vec::new(), bound: None, pending: Vec::new(), called: false }
    }

    /// Runs `walk`, and gives what is to go in front of the place walked.
    fn in_front_of(&mut self, walk: impl FnOnce(&mut Self)) -> Vec<TokenStream> {
        let outer = std::mem::take(&mut self.pending);
        walk(self);
        std::mem::replace(&mut self.pending, outer)
    }

    /// Puts the hooks into a statement, and gives the declarations that they need in front of it.
    fn declarations(&mut self, statement: &mut Stmt) -> Vec<Stmt> {
        let front = self.in_front_of(|walk| walk.visit_stmt_mut(statement));
        let conditions = if front.is_empty() { Vec::new() } else { conditions(statement) };
        let declared = front.into_iter().map(|declaration| quote!(#(#conditions)* #declaration));
        declared.map(|declaration| Stmt::Expr(Expr::Verbatim(declaration), None)).collect()
    }

    /// The expression of a closure, in a block of its own where something is declared in front of it.
    fn visit_body(&mut self, body: &mut Expr) {
        let brace_token = Brace(body.span());
        let mut statement = Stmt::Expr(std::mem::replace(body, Expr::PLACEHOLDER), None);
        let mut stmts = self.declarations(&mut statement);
        *body = match statement {
            Stmt::Expr(whole, _) if stmts.is_empty() => whole,
            // A block, and no tokens: `if a { 1 } else { 2 } + 3` is one expression where syn knows that it is.
            statement => {
                stmts.push(statement);
                Expr::Block(ExprBlock { attrs: Vec::new(), label: None, block: Block { brace_token, stmts } })
            }
        };
    }

    /// Notes a site, which is to be hooked where there is a kernel.
    fn meet(&mut self, span: Span, builder: Option<&Ident>) -> Option<Site<'k>> {
        let index = self.met.len();
        self.met.push(span);
        self.builders.push(builder.cloned());
        let site = Site { kernel: self.kernel?, index, span, entered: self.locals.reaches_entry() };
        self.pending.extend(site.declarations());
        Some(site)
    }

    fn hook(&mut self, expr: &mut Expr, form: Form, span: Span) {
        let hooked = match (form, &*expr) {
            (Form::Builder, Expr::MethodCall(call)) => {
                let builder = hooks::variable(&call.receiver);
                self.meet(span, builder).map(|site| hooks::builder(call.clone(), &site, &self.locals))
            }
            (Form::Graph, Expr::MethodCall(call)) => {
                self.meet(span, None).map(|site| hooks::graph(call.clone(), &site, &self.locals))
            }
            (Form::Capture, Expr::MethodCall(call)) => {
                self.kernel.map(|kernel| hooks::capture(call.clone(), &kernel.paths))
            }
            (Form::Build, Expr::MethodCall(call)) => {
                self.launch_of_bound().map(|site| hooks::build(call.clone(), &site))
            }
            (Form::Driver(known), Expr::Call(call)) => {
                self.meet(span, None).map(|site| hooks::driver(call.clone(), known, &site))
            }
            (Form::Macro(launch), Expr::Macro(call)) => {
                self.meet(span, None).map(|site| hooks::cust(call.clone(), &launch, &site))
            }
            _ => None,
        };
        if let Some(hooked) = hooked {
            *expr = Expr::Verbatim(hooked);
        }
    }

    /// The next site that launches the builder which is being made for a variable.
    fn launch_of_bound(&self) -> Option<Site<'k>> {
        let (kernel, bound) = (self.kernel?, self.bound.as_ref()?);
        let ahead = self.launched.iter().enumerate().skip(self.met.len());
        let index = ahead.filter(|(_, launched)| launched.as_ref() == Some(bound)).map(|(index, _)| index).next()?;
        let span = *kernel.sites.get(index)?;
        Some(Site { kernel, index, span, entered: self.locals.reaches_entry() })
    }

    fn can_hook(&self, form: &Form, expr: &Expr) -> bool {
        match (form, expr) {
            (Form::Graph, Expr::MethodCall(call)) => hooks::can_enter(&call.receiver, &self.locals),
            (Form::Capture, Expr::MethodCall(call)) => self.locals.is_place(&call.receiver),
            _ => true,
        }
    }

    /// The body of a closure or an async block.
    fn captured<'p>(
        &mut self,
        captures: Captures,
        inputs: impl IntoIterator<Item = &'p Pat>,
        walk: impl FnOnce(&mut Self),
    ) {
        self.locals.enter(captures, inputs);
        walk(self);
        self.locals.leave(captures);
    }
}

/// Whether `expr` is a call of one of the hooks.
fn is_hooked(expr: &Expr) -> bool {
    let Expr::Call(call) = expr else { return false };
    let Expr::Path(path) = &*call.func else { return false };
    path.path.segments.iter().rev().nth(1).is_some_and(|module| module.ident == "__private")
}

fn moves(keyword: Option<&Token![move]>) -> Captures {
    keyword.map_or(Captures::AsUsed, |_| Captures::Whole)
}

impl VisitMut for Walk<'_> {
    fn visit_block_mut(&mut self, block: &mut Block) {
        let bound = self.locals.so_far();
        let mut stmts = Vec::with_capacity(block.stmts.len());
        for mut statement in std::mem::take(&mut block.stmts) {
            stmts.extend(self.declarations(&mut statement));
            stmts.push(statement);
        }
        block.stmts = stmts;
        self.locals.back_to(bound);
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        // An attribute before this one was here.
        if is_hooked(expr) {
            return;
        }
        // Asked before the walk, which may put hooks in the place of what it is told by.
        let form = Form::of(expr).filter(|(form, _)| self.can_hook(form, expr));
        visit_mut::visit_expr_mut(self, expr);
        if let Some((form, span)) = form {
            self.hook(expr, form, span);
        }
    }

    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        self.look_into(mac);
    }

    fn visit_stmt_mut(&mut self, statement: &mut Stmt) {
        if let Stmt::Macro(StmtMacro { attrs, mac, semi_token: Some(semi) }) = statement {
            let mut expr = Expr::Macro(ExprMacro { attrs: attrs.clone(), mac: mac.clone() });
            self.visit_expr_mut(&mut expr);
            match expr {
                // Still a statement: one that expands to several of them, too.
                Expr::Macro(whole) => *mac = whole.mac,
                hooked => *statement = Stmt::Expr(hooked, Some(*semi)),
            }
            return;
        }
        visit_mut::visit_stmt_mut(self, statement);
    }

    fn visit_expr_call_mut(&mut self, call: &mut ExprCall) {
        let mut called = &*call.func;
        while let Expr::Paren(ExprParen { expr, .. }) | Expr::Group(ExprGroup { expr, .. }) = called {
            called = expr;
        }
        // What an async one gives goes on after the call.
        self.called = matches!(called, Expr::Closure(closure) if closure.asyncness.is_none());
        visit_mut::visit_expr_call_mut(self, call);
    }

    fn visit_expr_closure_mut(&mut self, closure: &mut ExprClosure) {
        // What an `async` one gives is not run where it is called.
        let called = std::mem::take(&mut self.called) && closure.asyncness.is_none();
        let moved = || match moves(closure.capture.as_ref()) {
            Captures::Whole if !self.locals.taken(&closure.inputs, &closure.body) => Captures::AsUsed,
            captures => captures,
        };
        let captures = if called { Captures::Whole } else { moved() };
        let ExprClosure { inputs, body, .. } = closure;
        self.captured(captures, &*inputs, |walk| walk.visit_body(body));
    }

    fn visit_expr_async_mut(&mut self, block: &mut ExprAsync) {
        self.captured(moves(block.capture.as_ref()), [], |walk| walk.visit_block_mut(&mut block.block));
    }

    // Names count from where they are bound on: `let b = b.launch(cfg)` is about the former `b`.
    fn visit_local_mut(&mut self, local: &mut Local) {
        if let Some(init) = &mut local.init {
            let outer = std::mem::replace(&mut self.bound, hooks::bound(&local.pat).cloned());
            self.visit_local_init_mut(init);
            self.bound = outer;
        }
        self.locals.bind_all(&local.pat);
    }

    fn visit_expr_let_mut(&mut self, binding: &mut ExprLet) {
        self.visit_expr_mut(&mut binding.expr);
        self.locals.bind_all(&binding.pat);
    }

    fn visit_expr_for_loop_mut(&mut self, r#loop: &mut ExprForLoop) {
        self.visit_expr_mut(&mut r#loop.expr);
        let bound = self.locals.so_far();
        self.locals.bind_all(&r#loop.pat);
        self.visit_block_mut(&mut r#loop.body);
        self.locals.back_to(bound);
    }

    fn visit_expr_while_mut(&mut self, r#loop: &mut ExprWhile) {
        let bound = self.locals.so_far();
        visit_mut::visit_expr_while_mut(self, r#loop);
        self.locals.back_to(bound);
    }

    fn visit_expr_if_mut(&mut self, expr: &mut ExprIf) {
        let bound = self.locals.so_far();
        self.visit_expr_mut(&mut expr.cond);
        self.visit_block_mut(&mut expr.then_branch);
        self.locals.back_to(bound);
        if let Some((_, other)) = &mut expr.else_branch {
            self.visit_expr_mut(other);
        }
    }

    fn visit_arm_mut(&mut self, arm: &mut Arm) {
        let bound = self.locals.so_far();
        self.locals.bind_all(&arm.pat);
        visit_mut::visit_arm_mut(self, arm);
        self.locals.back_to(bound);
    }

    // Not the function's own code, or run at compile time.
    fn visit_item_mut(&mut self, _: &mut Item) {}
    fn visit_expr_const_mut(&mut self, _: &mut ExprConst) {}
    fn visit_type_mut(&mut self, _: &mut Type) {}
    fn visit_generic_argument_mut(&mut self, _: &mut GenericArgument) {}
    fn visit_attribute_mut(&mut self, _: &mut Attribute) {}
    fn visit_pat_mut(&mut self, pattern: &mut Pat) {
        if let Pat::Guard(guard) = pattern {
            self.visit_expr_mut(&mut guard.guard);
        }
    }
    fn visit_expr_repeat_mut(&mut self, repeat: &mut ExprRepeat) {
        self.visit_expr_mut(&mut repeat.expr);
    }
}
