//! What the attribute understood: a function, and which of its calls may launch a kernel.

use proc_macro2::Span;
use syn::{Expr, ExprMethodCall, ItemFn, ItemImpl, Path};

use crate::origin::Origin;
use crate::paths::Paths;

/// What the attribute stands on.
pub(crate) enum Annotated {
    Function(Box<Kernel>),
    Impl(Methods),
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
    /// The names of the methods that launch, in the order in which a walk of the body meets them: the line of such
    /// a token is the launch's line, however long the chain before it is. The types decide whether it does launch.
    pub(crate) sites: Vec<Span>,
}

/// A call whose tokens are those of a launch.
pub(crate) struct Launch;

impl Launch {
    /// Whether the tokens of `call` are those of a launch with a configuration: `b.launch(cfg)`.
    pub(crate) fn of(call: &ExprMethodCall) -> Option<Self> {
        let named = call.method == "launch" || call.method == "launch_cooperative";
        let plain = call.turbofish.is_none() && call.args.len() == 1;
        let config = call.args.last().is_some_and(may_be_config);
        (named && plain && config).then_some(Self)
    }
}

/// Literals, closures and references are no launch configuration of any kind that is understood,
/// and wrapping them could change what the compiler infers or how long a temporary lives.
fn may_be_config(arg: &Expr) -> bool {
    !matches!(arg, Expr::Lit(_) | Expr::Closure(_) | Expr::Reference(_))
}
