//! Calls that launch and are known by their names: functions of the driver, and the macro of a library.

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use syn::{Expr, ExprCall, Macro};

/// A function of the driver, or of a thin layer over it, that launches.
pub(crate) struct DriverCall {
    name: &'static str,
    /// What each argument is, by the names of the runtime's `Part`.
    pub(crate) arguments: &'static [&'static str],
}

/// CUDA's own, by `cuda.h` and `cuda_runtime_api.h`, and those of cudarc's `driver::result`.
const DRIVER_CALLS: [DriverCall; 11] = [
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
    DriverCall { name: "cuLaunchKernelEx", arguments: &["Config", "Other", "Other", "Other"] },
    DriverCall { name: "cuGraphLaunch", arguments: &["Other", "Stream"] },
    DriverCall { name: "launch_kernel", arguments: &["Other", "Grid", "Block", "Shared", "Stream", "Other"] },
    DriverCall {
        name: "launch_cooperative_kernel",
        arguments: &["Other", "Grid", "Block", "Shared", "Stream", "Other"],
    },
    // The module too: a name that says so little is anybody's.
    DriverCall { name: "graph::launch", arguments: &["Other", "Stream"] },
    DriverCall { name: "cudaLaunchKernel", arguments: &["Other", "Grid", "Block", "Other", "Shared", "RuntimeStream"] },
    DriverCall {
        name: "cudaLaunchCooperativeKernel",
        arguments: &["Other", "Grid", "Block", "Other", "Shared", "RuntimeStream"],
    },
    DriverCall { name: "cudaLaunchKernelExC", arguments: &["Config", "Other", "Other"] },
    DriverCall { name: "cudaGraphLaunch", arguments: &["Other", "RuntimeStream"] },
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

    /// Whether it is one of C's, which nothing else is named like.
    pub(crate) fn is_of_c(&self) -> bool {
        self.name.starts_with("cu")
    }

    /// Whether it launches a graph.
    pub(crate) fn is_graph(&self) -> bool {
        matches!(self.name, "cuGraphLaunch" | "cudaGraphLaunch" | "graph::launch")
    }

    /// The one that the tokens of `call` name, by whatever path, and the name's place.
    pub(crate) fn of(call: &ExprCall) -> Option<(&'static Self, Span)> {
        let Expr::Path(path) = &*call.func else { return None };
        let mut segments = path.path.segments.iter().rev().map(|segment| &segment.ident);
        let (last, module) = (segments.next()?, segments.next());
        let named = |known: &&Self| match known.name.rsplit_once("::") {
            Some((of, name)) => last == name && module.is_some_and(|module| module == of),
            None => last == known.name,
        };
        let fits = |known: &&Self| call.args.len() == known.arguments.len() && named(known);
        DRIVER_CALLS.iter().find(fits).map(|known| (known, last.span()))
    }
}

/// A call of cust's macro: `launch!(module.kernel<<<grid, block, shared, stream>>>(..))`, whose tokens are like nothing
/// else's, and are left as they are.
pub(crate) struct CustLaunch {
    /// The kernel's name, where it stands in the tokens: in front of the chevrons may be a variable too.
    pub(crate) kernel: Option<String>,
}

impl CustLaunch {
    /// The launch that the tokens of `mac` are, and the macro's place.
    pub(crate) fn of(mac: &Macro) -> Option<(Self, Span)> {
        let last = mac.path.segments.last().filter(|last| last.ident == "launch")?;
        let tokens: Vec<TokenTree> = mac.tokens.clone().into_iter().collect();
        let (function, chevrons) = match tokens.as_slice() {
            [TokenTree::Ident(_), TokenTree::Punct(dot), TokenTree::Ident(function), rest @ ..]
                if dot.as_char() == '.' =>
            {
                (Some(function), rest)
            }
            [TokenTree::Ident(_), rest @ ..] => (None, rest),
            _ => return None,
        };
        let (arguments, chevrons) = chevrons.split_last()?;
        let TokenTree::Group(arguments) = arguments else { return None };
        let inside = chevrons.get(3..chevrons.len().checked_sub(3)?)?;
        let opened = chevrons.iter().take(3).all(|token| is(token, '<'));
        let closed = chevrons.iter().rev().take(3).all(|token| is(token, '>'));
        // Nothing is held across an `.await`, and here all of them would be inside the window.
        let fits = opened
            && closed
            && arguments.delimiter() == Delimiter::Parenthesis
            && parts(inside) == 4
            && !waits(mac.tokens.clone());
        fits.then(|| (Self { kernel: function.map(ToString::to_string) }, last.ident.span()))
    }
}

pub(crate) fn is(token: &TokenTree, mark: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == mark)
}

/// Whether there is an `.await` in `tokens`.
fn waits(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => waits(group.stream()),
        TokenTree::Ident(ident) => ident == "await",
        _ => false,
    })
}

/// How many parts commas make of `tokens`.
fn parts(tokens: &[TokenTree]) -> usize {
    1 + tokens.iter().filter(|token| is(token, ',')).count()
}

/// The tokens up to the first comma that is in no bracket, and what follows it with that comma.
pub(crate) fn first_argument(tokens: &TokenStream) -> (TokenStream, TokenStream) {
    let mut behind = false;
    tokens.clone().into_iter().partition(|token| {
        behind |= is(token, ',');
        !behind
    })
}
