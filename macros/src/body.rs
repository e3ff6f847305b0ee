//! A walk over a function's body that finds its launches, and puts the hooks around them.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Arm, AttrStyle, Attribute, Block, Expr, ExprClosure, ExprConst, ExprForLoop, ExprLet, ExprRepeat, GenericArgument,
    Item, Local, Macro, Pat, Signature, Stmt, Token, Type,
};

use crate::hooks::{self, Site};
use crate::locals::Locals;
use crate::model::{DriverCall, Kernel, launches};

/// The names of the functions that launch in `block`, in the order of the walk. A launch cannot run at compile time:
/// whatever a `const fn` calls `launch` is something else.
pub(crate) fn sites(signature: &Signature, block: &Block) -> Vec<Span> {
    let mut walk = Walk::new(signature, None);
    if signature.constness.is_none() {
        walk.visit_block_mut(&mut block.clone());
    }
    walk.met
}

/// The function's block with its hooks, in the user's own braces.
pub(crate) fn rewritten(kernel: &Kernel) -> TokenStream {
    let mut block = kernel.item.block.clone();
    Walk::new(&kernel.item.sig, Some(kernel)).visit_block_mut(&mut block);
    let attributes = kernel.item.attrs.iter().filter(|attr| matches!(attr.style, AttrStyle::Inner(_)));
    let (places, statements) = (hooks::places(&kernel.sites), &block.stmts);
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
    /// Statements that go in front of the innermost statement around the walk's place.
    pending: Vec<TokenStream>,
}

impl<'k> Walk<'k> {
    fn new(signature: &Signature, kernel: Option<&'k Kernel>) -> Self {
        Self { kernel, locals: Locals::of_function(signature), met: Vec::new(), pending: Vec::new() }
    }

    /// Runs `walk`, and gives what is to go in front of the place walked.
    fn in_front_of(&mut self, walk: impl FnOnce(&mut Self)) -> Vec<TokenStream> {
        let outer = std::mem::take(&mut self.pending);
        walk(self);
        std::mem::replace(&mut self.pending, outer)
    }

    /// Notes a site, which is to be hooked where there is a kernel.
    fn meet(&mut self, span: Span) -> Option<Site<'k>> {
        let index = self.met.len();
        self.met.push(span);
        let site = Site { kernel: self.kernel?, index, span };
        self.pending.push(site.declaration());
        Some(site)
    }

    fn hook(&mut self, expr: &mut Expr, launch: Launch) {
        let hooked = match (&*expr, launch) {
            (Expr::MethodCall(call), Launch::Builder(span)) => {
                let site = self.meet(span);
                site.map(|site| hooks::builder(call.clone(), &site, &self.locals))
            }
            (Expr::Call(call), Launch::Driver(known, span)) => {
                let site = self.meet(span);
                site.map(|site| hooks::driver(call.clone(), known, &site))
            }
            _ => None,
        };
        if let Some(hooked) = hooked {
            *expr = Expr::Verbatim(hooked);
        }
    }

    /// Looks into the arguments of a macro of std's whose arguments are expressions.
    fn look_into(&mut self, mac: &mut Macro) {
        let name = mac.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
        let parser = Punctuated::<Expr, Token![,]>::parse_terminated;
        let Ok(mut arguments) = parser.parse2(mac.tokens.clone()) else { return };
        let before = self.met.len();
        match name.as_str() {
            // These show the text of their condition: with a hook in it, the text is given.
            "assert" | "debug_assert" => {
                arguments.iter_mut().for_each(|argument| self.visit_expr_mut(argument));
                if arguments.len() == 1 && self.met.len() > before {
                    // As it was written: a tree gives its tokens with other spaces.
                    let mut condition: Vec<TokenTree> = mac.tokens.clone().into_iter().collect();
                    if arguments.trailing_punct() {
                        condition.pop();
                    }
                    let condition = TokenStream::from_iter(condition);
                    let text = quote!(::core::concat!("assertion failed: ", ::core::stringify!(#condition)));
                    arguments.push(Expr::Verbatim(quote!("{}")));
                    arguments.push(Expr::Verbatim(text));
                }
            }
            "assert_eq" | "assert_ne" | "debug_assert_eq" | "debug_assert_ne" | "vec" | "format" | "print"
            | "println" | "eprint" | "eprintln" | "write" | "writeln" | "panic" | "matches" => {
                arguments.iter_mut().for_each(|argument| self.visit_expr_mut(argument));
            }
            _ => return,
        }
        if self.met.len() > before && self.kernel.is_some() {
            mac.tokens = arguments.into_token_stream();
        }
    }
}

/// A call that may launch, with the place of the name that says so.
enum Launch {
    Builder(Span),
    Driver(&'static DriverCall, Span),
}

impl Launch {
    fn of(expr: &Expr) -> Option<Self> {
        match expr {
            Expr::MethodCall(call) if launches(call) => Some(Self::Builder(call.method.span())),
            Expr::Call(call) => DriverCall::of(call).map(|(known, span)| Self::Driver(known, span)),
            _ => None,
        }
    }
}

impl VisitMut for Walk<'_> {
    fn visit_block_mut(&mut self, block: &mut Block) {
        let mut statements = Vec::with_capacity(block.stmts.len());
        for mut statement in std::mem::take(&mut block.stmts) {
            let front = self.in_front_of(|body| body.visit_stmt_mut(&mut statement));
            let conditions = if front.is_empty() { Vec::new() } else { conditions(&statement) };
            for declaration in front {
                let verbatim = quote!(#(#conditions)* #declaration);
                statements.push(Stmt::Expr(Expr::Verbatim(verbatim), None));
            }
            statements.push(statement);
        }
        block.stmts = statements;
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        // Asked before the walk, which may put hooks in the place of what it is told by.
        let launch = Launch::of(expr);
        visit_mut::visit_expr_mut(self, expr);
        if let Some(launch) = launch {
            self.hook(expr, launch);
        }
    }

    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        self.look_into(mac);
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

/// The `cfg`s that decide whether the statement is there, and with it what was put in front of it. They are the first
/// tokens of it, whichever part of an expression holds them.
fn conditions(statement: &Stmt) -> Vec<Attribute> {
    let first = |input: ParseStream<'_>| {
        let attributes = input.call(Attribute::parse_outer)?;
        input.parse::<TokenStream>().map(|_| attributes)
    };
    let attributes = first.parse2(statement.to_token_stream()).unwrap_or_default();
    attributes.into_iter().filter(|attribute| attribute.path().is_ident("cfg")).collect()
}
