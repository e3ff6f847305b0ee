//! What the attribute understood: a function, and which of its calls may launch a kernel.

use proc_macro2::Span;
use syn::{Block, Expr, ExprCall, ExprMethodCall, ItemFn, ItemImpl, Path, Stmt};

use crate::origin::Origin;
use crate::paths::Paths;

/// What the attribute stands on.
pub(crate) enum Annotated {
    Function(Box<Kernel>),
    Impl(Box<Methods>),
}

/// An `impl` block, and which of its items are methods that launch.
pub(crate) struct Methods {
    pub(crate) item: ItemImpl,
    pub(crate) launching: Vec<usize>,
    pub(crate) root: Option<Path>,
}

/// A function that launches; everything that could be wrong with it has been refused.
pub(crate) struct Kernel {
    pub(crate) item: ItemFn,
    /// Takes the place of the function's path in the names.
    pub(crate) name: Option<String>,
    pub(crate) origin: Origin,
    pub(crate) paths: Paths,
    /// The names of the functions that launch, in the order in which a walk of the body meets them: the line of such
    /// a token is the launch's line, however long the chain before it is. The types decide whether it does launch.
    pub(crate) sites: Vec<Span>,
}

/// Whether the tokens of `call` are those of a builder's launch, with a configuration: `b.launch(cfg)`.
pub(crate) fn launches(call: &ExprMethodCall) -> bool {
    let named = call.method == "launch" || call.method == "launch_cooperative";
    let plain = call.turbofish.is_none() && call.args.len() == 1;
    named && plain && call.args.last().is_some_and(may_be_config)
}

/// Literals, closures and references are no launch configuration of any kind that is understood, and wrapping them
/// could change what the compiler infers or how long a temporary lives.
fn may_be_config(arg: &Expr) -> bool {
    !matches!(arg, Expr::Lit(_) | Expr::Reference(_)) && !gives_closure(arg)
}

/// Whether a closure is what `expr` gives, or a part of it: its signature is inferred from where it goes.
fn gives_closure(expr: &Expr) -> bool {
    let tail = |block: &Block| match block.stmts.last() {
        Some(Stmt::Expr(expr, None)) => gives_closure(expr),
        _ => false,
    };
    match expr {
        Expr::Closure(_) => true,
        Expr::Paren(inner) => gives_closure(&inner.expr),
        Expr::Group(inner) => gives_closure(&inner.expr),
        Expr::Reference(inner) => gives_closure(&inner.expr),
        Expr::Cast(inner) => gives_closure(&inner.expr),
        Expr::Block(inner) => tail(&inner.block),
        Expr::Unsafe(inner) => tail(&inner.block),
        Expr::If(inner) => {
            tail(&inner.then_branch) || inner.else_branch.as_ref().is_some_and(|(_, other)| gives_closure(other))
        }
        Expr::Match(inner) => inner.arms.iter().any(|arm| gives_closure(&arm.body)),
        Expr::Tuple(inner) => inner.elems.iter().any(gives_closure),
        Expr::Array(inner) => inner.elems.iter().any(gives_closure),
        Expr::Struct(inner) => inner.fields.iter().any(|field| gives_closure(&field.expr)),
        Expr::Call(inner) => inner.args.iter().any(gives_closure),
        _ => false,
    }
}

/// A function of the driver, or of a thin layer over it, that launches.
pub(crate) struct DriverCall {
    name: &'static str,
    /// What each argument is, by the names of the runtime's `Part`.
    pub(crate) arguments: &'static [&'static str],
}

/// CUDA's own, by `cuda.h` and `cuda_runtime_api.h`, and those of cudarc's `driver::result`.
const DRIVER_CALLS: [DriverCall; 8] = [
    DriverCall {
        name: "cuLaunchKernel",
        arguments: &[
            "Other", "GridX", "GridY", "GridZ", "BlockX", "BlockY", "BlockZ", "Shared", "Stream", "Other", "Other",
        ],
    },
    DriverCall {
        name: "cuLaunchCooperativeKernel",
        arguments: &["Other", "GridX", "GridY", "GridZ", "BlockX", "BlockY", "BlockZ", "Shared", "Stream", "Other"],
    },
    // Its stream and geometry are behind a pointer, to a type that not every version has.
    DriverCall { name: "cuLaunchKernelEx", arguments: &["Other", "Other", "Other", "Other"] },
    DriverCall { name: "launch_kernel", arguments: &["Other", "Grid", "Block", "Shared", "Stream", "Other"] },
    DriverCall {
        name: "launch_cooperative_kernel",
        arguments: &["Other", "Grid", "Block", "Shared", "Stream", "Other"],
    },
    // Its dimensions are a struct of the caller's own.
    DriverCall { name: "cudaLaunchKernel", arguments: &["Other", "Other", "Other", "Other", "Other", "RuntimeStream"] },
    DriverCall {
        name: "cudaLaunchCooperativeKernel",
        arguments: &["Other", "Other", "Other", "Other", "Other", "RuntimeStream"],
    },
    DriverCall { name: "cudaLaunchKernelExC", arguments: &["Other", "Other", "Other"] },
];

impl DriverCall {
    /// The runtime's hook for it. The names of cudarc's own are such as a program's functions may well have, so that only
    /// cudarc's types make them a launch; the status of the others is what bindings declare it to be.
    pub(crate) fn start(&self) -> &'static str {
        match self.name {
            name if name.starts_with("cuda") => "start_runtime",
            name if name.starts_with("cu") => "start_driver",
            _ => "start_cudarc",
        }
    }

    /// The one that the tokens of `call` name, by whatever path, and the name's place.
    pub(crate) fn of(call: &ExprCall) -> Option<(&'static Self, Span)> {
        let Expr::Path(path) = &*call.func else { return None };
        let last = path.path.segments.last()?;
        let named = |known: &&Self| last.ident == known.name && call.args.len() == known.arguments.len();
        DRIVER_CALLS.iter().find(named).map(|known| (known, last.ident.span()))
    }
}
