//! Which arguments may be closures: the signature of one is inferred from where it goes, so that nothing may stand around it.

use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprBreak, Item, Macro, PathSegment, Stmt};

/// Whether a closure is what `expr` gives, or a part of it: its signature is inferred from where it goes.
pub(crate) fn gives_closure(expr: &Expr) -> bool {
    holds_closure(expr, false)
}

/// The same, and what may do so for all that its tokens tell: a macro, unless its name says otherwise.
pub(crate) fn may_give_closure(expr: &Expr) -> bool {
    holds_closure(expr, true)
}

fn holds_closure(expr: &Expr, or_macro: bool) -> bool {
    let holds = |expr: &Expr| holds_closure(expr, or_macro);
    let tail = |block: &Block| match block.stmts.last() {
        Some(Stmt::Expr(expr, None)) => holds(expr),
        Some(Stmt::Macro(last)) => or_macro && last.semi_token.is_none() && !makes_config(&last.mac),
        _ => false,
    };
    match expr {
        Expr::Closure(_) => true,
        Expr::Macro(inner) => or_macro && !makes_config(&inner.mac),
        Expr::Paren(inner) => holds(&inner.expr),
        Expr::Group(inner) => holds(&inner.expr),
        Expr::Reference(inner) => holds(&inner.expr),
        Expr::Cast(inner) => holds(&inner.expr),
        Expr::Block(inner) => tail(&inner.block) || (inner.label.is_some() && breaks_with(&inner.block, holds)),
        Expr::Loop(inner) => breaks_with(&inner.body, holds),
        Expr::Unsafe(inner) => tail(&inner.block),
        Expr::Const(inner) => tail(&inner.block),
        Expr::If(inner) => {
            tail(&inner.then_branch) || inner.else_branch.as_ref().is_some_and(|(_, other)| holds(other))
        }
        Expr::Match(inner) => inner.arms.iter().any(|arm| holds(&arm.body)),
        Expr::Tuple(inner) => inner.elems.iter().any(holds),
        Expr::Array(inner) => inner.elems.iter().any(holds),
        Expr::Repeat(inner) => holds(&inner.expr),
        // What makes a configuration has numbers in it, of whatever macro.
        Expr::Struct(inner) if !inner.path.segments.iter().any(is_config) => {
            inner.fields.iter().any(|field| holds(&field.expr))
        }
        Expr::Struct(inner) => inner.fields.iter().any(|field| gives_closure(&field.expr)),
        Expr::Call(inner) if passes_on(&inner.func) => inner.args.iter().any(holds),
        Expr::Call(inner) => inner.args.iter().any(gives_closure),
        _ => false,
    }
}

/// Whether a macro says by its name that it gives a configuration: `launch_config!(n)`, `cfg_for!(n)`.
fn makes_config(mac: &Macro) -> bool {
    let name = mac.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
    ["config", "cfg"].iter().any(|word| name.to_lowercase().contains(word))
}

fn is_config(segment: &PathSegment) -> bool {
    segment.ident == "LaunchConfig"
}

/// Whether a function's argument may be part of what it gives, so that its type is inferred from there: `Some`, `Box::new`.
fn passes_on(function: &Expr) -> bool {
    let Expr::Path(function) = function else { return false };
    let segments = &function.path.segments;
    let makes = |last: &PathSegment| {
        let name = last.ident.to_string();
        name.starts_with(char::is_uppercase) || ["new", "pin", "from"].contains(&name.as_str())
    };
    segments.last().is_some_and(makes) && !segments.iter().any(is_config)
}

/// Whether a `break` in `block` has a value for which `holds` is true.
fn breaks_with(block: &Block, holds: impl Fn(&Expr) -> bool) -> bool {
    struct Breaks<H>(H, bool);
    impl<'ast, H: Fn(&Expr) -> bool> Visit<'ast> for Breaks<H> {
        fn visit_expr_break(&mut self, broken: &'ast ExprBreak) {
            self.1 |= broken.expr.as_ref().is_some_and(|value| (self.0)(value));
            visit::visit_expr_break(self, broken);
        }
        fn visit_item(&mut self, _: &'ast Item) {}
    }
    let mut breaks = Breaks(holds, false);
    breaks.visit_block(block);
    breaks.1
}
