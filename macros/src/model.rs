//! What the attribute understood: a function, and which of its calls may launch a kernel.

use proc_macro2::{Span, TokenTree};
use quote::ToTokens;
use syn::{Expr, ExprMethodCall, ItemFn};

use crate::args::Field;
use crate::calls::{CustLaunch, DriverCall};
use crate::closures::{gives_closure, may_give_closure};
use crate::methods::Methods;
use crate::origin::Origin;
use crate::paths::Paths;
use crate::text::Text;

/// What the attribute stands on.
pub(crate) enum Annotated {
    Function(Box<Kernel>),
    Impl(Box<Methods>),
}

/// A function that launches; everything that could be wrong with it has been refused.
pub(crate) struct Kernel {
    pub(crate) item: ItemFn,
    /// Takes the place of the function's path in the names.
    pub(crate) name: Option<Text>,
    /// Where launches go of which nothing else tells.
    pub(crate) stream: Option<Expr>,
    /// The whole call is a range: where the function's name stands. It is the first of the sites then.
    pub(crate) scope: Option<Span>,
    /// Launches are named after the place that calls the function: where the argument stands that says so.
    pub(crate) caller: Option<Span>,
    /// What its launches are named after: a variant of the runtime's `By`.
    pub(crate) by: &'static str,
    /// What records of its launches say beside.
    pub(crate) fields: Vec<Field>,
    /// What each of its launches does: floating-point operations, and bytes that it moves.
    pub(crate) flops: Option<Expr>,
    pub(crate) bytes: Option<Expr>,
    /// Takes the place of the module as the category of its ranges.
    pub(crate) category: Option<String>,
    /// Red, green and blue of its ranges.
    pub(crate) color: Option<u32>,
    /// The function is a helper: those that call it through another helper are to be seen through it, launch or not.
    pub(crate) is_internal: bool,
    pub(crate) origin: Origin,
    pub(crate) paths: Paths,
    /// The names of the functions that launch, in the order in which a walk of the body meets them: the line of such
    /// a token is the launch's line, however long the chain before it is. The types decide whether it does launch.
    pub(crate) sites: Vec<Span>,
}

impl Kernel {
    /// Whether its launches have something of their own on their records.
    pub(crate) fn has_fields(&self) -> bool {
        !self.fields.is_empty() || self.flops.is_some() || self.bytes.is_some()
    }

    /// Whether something is to be noted when the function is entered, for the launches inside.
    pub(crate) fn has_entry(&self) -> bool {
        let named = self.name.as_ref().is_some_and(|name| !name.placeholders.is_empty());
        self.stream.is_some() || self.caller.is_some() || named || self.has_fields()
    }
}

/// How a call launches, as far as its tokens tell.
pub(crate) enum Form {
    /// A builder with a configuration: `b.launch(cfg)`.
    Builder,
    /// A graph: `g.launch()`.
    Graph,
    /// What makes a builder, and is no launch: `s.launch_builder(&k)`.
    Build,
    /// The end of a capture, which makes a graph and is no launch: `s.end_capture(flags)`.
    Capture,
    /// A function of the driver.
    Driver(&'static DriverCall),
    /// cust's `launch!`.
    Macro(CustLaunch),
}

impl Form {
    /// The form that the tokens of `expr` have, and the place of the name that says so.
    pub(crate) fn of(expr: &Expr) -> Option<(Self, Span)> {
        match expr {
            Expr::MethodCall(call) if call.turbofish.is_none() && !call.args.iter().any(may_be_gone) => {
                Self::of_method(call).map(|form| (form, call.method.span()))
            }
            // The driver takes no closures: where a function of such a name does, it tells what their arguments are.
            Expr::Call(call) if !call.args.iter().any(may_be_gone) => {
                let (known, at) = DriverCall::of(call)?;
                // Its last argument is always wrapped; those of C's functions in front of it are numbers and pointers.
                let in_front = if known.is_of_c() { gives_closure } else { may_give_closure };
                let (last, others) = (call.args.last(), call.args.iter().rev().skip(1));
                let closure = last.is_some_and(may_give_closure) || others.into_iter().any(in_front);
                (!closure).then_some((Self::Driver(known), at))
            }
            Expr::Macro(call) => CustLaunch::of(&call.mac).map(|(launch, at)| (Self::Macro(launch), at)),
            _ => None,
        }
    }

    fn of_method(call: &ExprMethodCall) -> Option<Self> {
        let launches = call.method == "launch" || call.method == "launch_cooperative";
        match call.args.len() {
            1 if launches && call.args.last().is_some_and(may_be_config) => Some(Self::Builder),
            0 if call.method == "launch" => Some(Self::Graph),
            1 if call.method == "launch_builder" => Some(Self::Build),
            // With its flags; without, where an own stream has one.
            0 | 1 if call.method == "end_capture" => Some(Self::Capture),
            _ => None,
        }
    }
}

/// Literals, closures and references are no launch configuration of any kind that is understood, and wrapping them
/// could change what the compiler infers or how long a temporary lives. Nor is what leaves the place.
fn may_be_config(arg: &Expr) -> bool {
    let never = matches!(arg, Expr::Return(_) | Expr::Break(_) | Expr::Continue(_));
    !never && !matches!(arg, Expr::Lit(_) | Expr::Reference(_)) && !may_give_closure(arg)
}

/// Whether an attribute may take the argument away: a hook around it would stay.
fn may_be_gone(arg: &Expr) -> bool {
    matches!(arg.to_token_stream().into_iter().next(), Some(TokenTree::Punct(mark)) if mark.as_char() == '#')
}
