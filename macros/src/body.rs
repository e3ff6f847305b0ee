//! Puts the hooks around the launches of a body.
//!
//! The user's call stays as it is, to the token. Each hook is a plain function around one of its parts and gives that
//! part back, so types, borrows, temporaries and the order of evaluation are those of the code without it.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Arm, Attribute, Block, Expr, ExprClosure, ExprConst, ExprForLoop, ExprLet, ExprMethodCall, ExprRepeat, Item,
    ItemFn, Local, Stmt,
};

use crate::locals::Locals;
use crate::model::{Kernel, Launch};

/// A walk over a function's body that rewrites its launches.
pub(crate) struct Body {
    kernel: Kernel,
    locals: Locals,
    /// Sites that the walk has met.
    met: usize,
    /// Statements that go in front of the innermost statement around the walk's place.
    pending: Vec<TokenStream>,
}

impl Body {
    pub(crate) fn rewrite(kernel: Kernel) -> ItemFn {
        let mut item = kernel.item.clone();
        let mut body = Self { locals: Locals::of_function(&item.sig), kernel, met: 0, pending: Vec::new() };
        body.visit_block_mut(&mut item.block);
        let places = body.places();
        item.block.stmts.splice(0..0, places);
        item
    }

    /// Runs `walk`, and gives what is to go in front of the place walked.
    fn in_front_of(&mut self, walk: impl FnOnce(&mut Self)) -> Vec<TokenStream> {
        let outer = std::mem::take(&mut self.pending);
        walk(self);
        std::mem::replace(&mut self.pending, outer)
    }

    fn hook(&mut self, call: &mut ExprMethodCall) -> Option<TokenStream> {
        let span = self.kernel.sites.get(self.met).copied()?;
        let state = Ident::new(&format!("launchsite_{}", self.met), Span::mixed_site());
        let declared = self.declaration(&state, self.met, span);
        self.met += 1;
        self.pending.push(declared);

        let hook = |name: &str| self.kernel.paths.private(name);
        let (start, done, recv, arg) = (hook("start"), hook("done"), hook("recv"), hook("arg"));
        let (see, see_stream) = (hook("see"), hook("see_stream"));
        if let Some(config) = call.args.last_mut() {
            *config = syn::parse_quote!(#arg(&mut #state, #config));
        }
        let receiver = &call.receiver;
        let seen = if self.locals.is_place(receiver) {
            quote!({ #see!(#state, #receiver); })
        } else {
            let stream = stream_of_chain(receiver).filter(|stream| self.locals.is_place(stream));
            let seen = stream.map_or_else(|| quote!(()), |stream| quote!({ #see_stream!(#state, #stream); }));
            if is_value(receiver) {
                call.receiver = syn::parse_quote!(#recv(&mut #state, #receiver));
            }
            seen
        };
        let attrs = std::mem::take(&mut call.attrs);
        Some(quote! {
            #(#attrs)* #done(#start(&mut #state), #seen, #call, &mut #state)
        })
    }

    /// Declares what follows one launch from its start to its end.
    fn declaration(&self, state: &Ident, index: usize, span: Span) -> TokenStream {
        let hook = |name: &str| self.kernel.paths.private(name);
        let (call, site, instance) = (hook("Call"), hook("site"), hook("instance"));
        let name = self.kernel.name.as_deref().unwrap_or_default();
        let function = self.kernel.item.sig.ident.to_string();
        let package = &self.kernel.origin.package;
        // With the launch's own span: these tell where their own tokens stand, or the outermost macro call around.
        let (file, line, column) = place(span);
        let only = self.kernel.sites.len() == 1;
        let twin = if only { quote!(&[], 0) } else { quote!(&LAUNCHSITE_PLACES, #index) };
        let folders = self.folders();
        quote! {
            let mut #state = #call::new(
                #site!(#function, #name, #package, #file, #line, #column, #twin, #folders),
                #instance(&|| ()),
            );
        }
    }

    fn folders(&self) -> TokenStream {
        let origin = &self.kernel.origin;
        let (relative, absolute, generated) = (&origin.relative, &origin.absolute, &origin.generated);
        quote!(#relative, #absolute, #generated)
    }

    /// Lines and columns of all sites, for those that need more than a line to be told apart.
    fn places(&self) -> Option<Stmt> {
        let sites = &self.kernel.sites;
        let count = sites.len();
        let places = sites.iter().map(|&span| {
            let (_, line, column) = place(span);
            quote!((#line, #column))
        });
        (count > 1).then(|| {
            let table = quote!(const LAUNCHSITE_PLACES: [(u32, u32); #count] = [#(#places),*];);
            Stmt::Expr(Expr::Verbatim(table), None)
        })
    }
}

fn place(span: Span) -> (TokenStream, TokenStream, TokenStream) {
    (
        quote_spanned!(span=> ::core::file!()),
        quote_spanned!(span=> ::core::line!()),
        quote_spanned!(span=> ::core::column!()),
    )
}

/// The stream of `stream.launch_builder(f).arg(..).arg(..)`: where a builder is made in the chain itself, its stream can
/// be asked, which is much less work than reading it off the builder.
fn stream_of_chain(receiver: &Expr) -> Option<&Expr> {
    let Expr::MethodCall(call) = receiver else { return None };
    if call.method == "launch_builder" {
        return Some(&call.receiver);
    }
    let builds = call.method == "arg" || call.method == "record_kernel_launch";
    builds.then(|| stream_of_chain(&call.receiver)).flatten()
}

/// Whether `receiver` is a value, which moving through a function leaves as it is. What a macro or an index gives
/// may be a place, which it would move out of.
fn is_value(receiver: &Expr) -> bool {
    match receiver {
        Expr::MethodCall(_)
        | Expr::Call(_)
        | Expr::Try(_)
        | Expr::Await(_)
        | Expr::Struct(_)
        | Expr::Reference(_)
        | Expr::Unsafe(_)
        | Expr::Block(_)
        | Expr::If(_)
        | Expr::Match(_) => true,
        Expr::Paren(inner) => is_value(&inner.expr),
        Expr::Group(inner) => is_value(&inner.expr),
        _ => false,
    }
}

impl VisitMut for Body {
    fn visit_block_mut(&mut self, block: &mut Block) {
        let mut statements = Vec::with_capacity(block.stmts.len());
        for mut statement in std::mem::take(&mut block.stmts) {
            // Read before the walk, which may put a hook in the statement's place.
            let conditions = conditions(&statement);
            let front = self.in_front_of(|body| body.visit_stmt_mut(&mut statement));
            for declaration in front {
                let verbatim = quote!(#(#conditions)* #declaration);
                statements.push(Stmt::Expr(Expr::Verbatim(verbatim), None));
            }
            statements.push(statement);
        }
        block.stmts = statements;
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        visit_mut::visit_expr_mut(self, expr);
        let Expr::MethodCall(call) = expr else { return };
        if Launch::of(call).is_none() {
            return;
        }
        if let Some(hooked) = self.hook(call) {
            *expr = Expr::Verbatim(hooked);
        }
    }

    fn visit_expr_closure_mut(&mut self, closure: &mut ExprClosure) {
        self.locals.enter_closure(&closure.inputs);
        let front = self.in_front_of(|body| body.visit_expr_mut(&mut closure.body));
        self.locals.leave_closure();
        if !front.is_empty() {
            let body = &closure.body;
            let block = quote_spanned!(body.span()=> { #(#front)* #body });
            *closure.body = Expr::Verbatim(block);
        }
    }

    // Names count from where they are bound on: `let b = b.launch(cfg)` is about the former `b`.
    fn visit_local_mut(&mut self, local: &mut Local) {
        if let Some(init) = &mut local.init {
            self.visit_local_init_mut(init);
        }
        self.locals.bind_all(&local.pat);
    }

    fn visit_expr_let_mut(&mut self, binding: &mut ExprLet) {
        self.visit_expr_mut(&mut binding.expr);
        self.locals.bind_all(&binding.pat);
    }

    fn visit_expr_for_loop_mut(&mut self, r#loop: &mut ExprForLoop) {
        self.visit_expr_mut(&mut r#loop.expr);
        self.locals.bind_all(&r#loop.pat);
        self.visit_block_mut(&mut r#loop.body);
    }

    fn visit_arm_mut(&mut self, arm: &mut Arm) {
        self.locals.bind_all(&arm.pat);
        visit_mut::visit_arm_mut(self, arm);
    }

    // As in `scan`: not the function's own code, or run at compile time.
    fn visit_item_mut(&mut self, _: &mut Item) {}
    fn visit_expr_const_mut(&mut self, _: &mut ExprConst) {}
    fn visit_expr_repeat_mut(&mut self, repeat: &mut ExprRepeat) {
        self.visit_expr_mut(&mut repeat.expr);
    }
}

/// The `cfg`s that decide whether the statement is there, and with it what was put in front of it.
fn conditions(statement: &Stmt) -> Vec<Attribute> {
    let attrs: &[Attribute] = match statement {
        Stmt::Local(local) => &local.attrs,
        Stmt::Expr(expr, _) => attributes(expr),
        Stmt::Item(_) | Stmt::Macro(_) => &[],
    };
    let conditions = attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
    conditions.cloned().collect()
}

fn attributes(expr: &Expr) -> &[Attribute] {
    match expr {
        Expr::Assign(e) => &e.attrs,
        Expr::Async(e) => &e.attrs,
        Expr::Block(e) => &e.attrs,
        Expr::Call(e) => &e.attrs,
        Expr::ForLoop(e) => &e.attrs,
        Expr::If(e) => &e.attrs,
        Expr::Loop(e) => &e.attrs,
        Expr::Match(e) => &e.attrs,
        Expr::MethodCall(e) => &e.attrs,
        Expr::Return(e) => &e.attrs,
        Expr::Try(e) => &e.attrs,
        Expr::Unsafe(e) => &e.attrs,
        Expr::While(e) => &e.attrs,
        _ => &[],
    }
}
