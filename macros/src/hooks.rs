//! The hooks around one launch, as tokens.
//!
//! The user's call stays as it is, to the token. Each hook is a plain function around one of its parts and gives that
//! part back, so types, borrows, temporaries and the order of evaluation are those of the code without it.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::token::Paren;
use syn::{Expr, ExprCall, ExprMacro, ExprMethodCall, Pat};

use crate::calls::{CustLaunch, DriverCall};
use crate::locals::Locals;
use crate::paths::Paths;
use crate::site::Site;

/// A launch through a builder: `b.launch(cfg)`.
pub(crate) fn builder(mut call: ExprMethodCall, site: &Site<'_>, locals: &Locals) -> TokenStream {
    let (state, paths, from) = (&site.state(), &site.kernel.paths, call.receiver.span());
    let [start, done, recv, arg] = ["start", "done", "recv", "arg"].map(|name| paths.private(name));
    let [see, see_stream] = ["see", "see_stream"].map(|name| paths.private(name));
    if let Some(config) = call.args.last_mut() {
        *config = Expr::Verbatim(quote!(#arg(&mut #state, #config)));
    }
    let receiver = &call.receiver;
    let mut looks = site.enter();
    if locals.is_place(receiver) {
        let seen = borrowed(receiver);
        looks.extend(quote!(#see!(#state, #seen);));
    } else {
        if let Some(stream) = stream_of_chain(receiver).filter(|stream| locals.is_place(stream)) {
            let seen = borrowed(stream);
            looks.extend(quote!(#see_stream!(#state, #seen);));
        }
        if is_value(receiver) {
            let recv = |bare: &Expr| quote!(#recv(&mut #state, #bare));
            *call.receiver = received(receiver, recv);
        }
    }
    let attrs = std::mem::take(&mut call.attrs);
    let (place, looks) = (site.place("Kernel"), unit(&looks));
    let done = around(done, &quote!(#start(&mut #state, #place), #looks, #call, &mut #state), from, call.paren_token);
    quote!(#(#attrs)* #done)
}

/// A graph's launch: `g.launch()`. There is no argument to enter by: the look at the graph does.
pub(crate) fn graph(mut call: ExprMethodCall, site: &Site<'_>, locals: &Locals) -> TokenStream {
    let (state, paths, from) = (&site.state(), &site.kernel.paths, call.receiver.span());
    let [done, recv, see] = ["done_graph", "recv_graph", "see_graph"].map(|name| paths.private(name));
    let (place, entry) = (site.place("Graph"), site.entry());
    let receiver = &call.receiver;
    let mut looks = TokenStream::new();
    if locals.is_place(receiver) {
        let seen = borrowed(receiver);
        looks.extend(quote!(#see!(#state, #seen, #place, #entry);));
    } else {
        *call.receiver = received(receiver, |bare| quote!(#recv(&mut #state, #bare, #place, #entry)));
    }
    let attrs = std::mem::take(&mut call.attrs);
    let looks = unit(&looks);
    let done = around(done, &quote!(#looks, #call, &mut #state), from, call.paren_token);
    quote!(#(#attrs)* #done)
}

/// A builder that is made for a variable, and launched later: what is fetched for it is for that launch.
pub(crate) fn build(mut call: ExprMethodCall, site: &Site<'_>) -> TokenStream {
    let [beside, fetch] = ["beside", "fetch"].map(|name| site.kernel.paths.private(name));
    let (place, entry) = (site.place("Kernel"), site.entry());
    let from = site.kernel.paths.located("line", call.method.span());
    let attrs = std::mem::take(&mut call.attrs);
    quote!(#(#attrs)* #beside({ #fetch!(#place, #entry, #from); }, #call))
}

/// The variable that a receiver is, or that its chain begins with.
pub(crate) fn variable(receiver: &Expr) -> Option<&Ident> {
    match receiver {
        Expr::Path(path) => path.path.get_ident(),
        Expr::Paren(inner) => variable(&inner.expr),
        Expr::Group(inner) => variable(&inner.expr),
        Expr::Reference(inner) => variable(&inner.expr),
        Expr::MethodCall(call) => variable(&call.receiver),
        _ => None,
    }
}

/// The one variable that a pattern binds, if it is no more than that.
pub(crate) fn bound(pattern: &Pat) -> Option<&Ident> {
    match pattern {
        Pat::Ident(pattern) => Some(&pattern.ident),
        Pat::Type(typed) => bound(&typed.pat),
        _ => None,
    }
}

/// The end of a capture, which tells the stream that the graph will be launched in: `s.end_capture(flags)`.
pub(crate) fn capture(mut call: ExprMethodCall, paths: &Paths) -> TokenStream {
    let [beside, see] = ["beside", "see_capture"].map(|name| paths.private(name));
    let seen = borrowed(&call.receiver);
    let attrs = std::mem::take(&mut call.attrs);
    let beside = around(beside, &quote!({ #see!(#seen); }, #call), call.receiver.span(), call.paren_token);
    quote!(#(#attrs)* #beside)
}

/// A launch through a function of the driver: `sys::cuLaunchKernel(..)`.
pub(crate) fn driver(mut call: ExprCall, known: &DriverCall, site: &Site<'_>) -> TokenStream {
    let (state, paths) = (&site.state(), &site.kernel.paths);
    let [done, part, last] = ["done", "part", "last"].map(|name| paths.private(name));
    let start = paths.private(known.start());
    let kinds = paths.private("Part");
    let count = call.args.len();
    for (index, (argument, kind)) in call.args.iter_mut().zip(known.arguments).enumerate() {
        let kind = Ident::new(kind, Span::call_site());
        if index + 1 == count {
            *argument = Expr::Verbatim(quote!(#last(&mut #state, #kinds::#kind, #argument)));
        } else if kind != "Other" {
            *argument = Expr::Verbatim(quote!(#part(&mut #state, #kinds::#kind, #argument)));
        }
    }
    let attrs = std::mem::take(&mut call.attrs);
    let place = site.place(if known.is_graph() { "Graph" } else { "Kernel" });
    let looks = unit(&site.enter());
    let inside = quote!(#start(&mut #state, #place), #looks, #call, &mut #state);
    let done = around(done, &inside, call.func.span(), call.paren_token);
    quote!(#(#attrs)* #done)
}

/// A launch through cust's macro, which stays as it is: its arguments are evaluated inside the window.
pub(crate) fn cust(mut call: ExprMacro, launch: &CustLaunch, site: &Site<'_>) -> TokenStream {
    let (state, paths) = (&site.state(), &site.kernel.paths);
    let around = paths.private("around");
    let (place, entry) = (site.place("Kernel"), site.entry());
    let kernel = launch.kernel.as_deref().unwrap_or_default();
    let attrs = std::mem::take(&mut call.attrs);
    quote!(#(#attrs)* #around!(#state, #kernel, #place, #entry, #call))
}

/// The hook around a whole call. It begins and ends where the call does: what the compiler says of its value, it says of the
/// user's call.
fn around(hook: TokenStream, inside: &TokenStream, from: Span, to: Paren) -> TokenStream {
    let mut hook = respanned(hook, from);
    let mut arguments = Group::new(Delimiter::Parenthesis, inside.clone());
    arguments.set_span(to.span.join());
    hook.extend([TokenTree::Group(arguments)]);
    hook
}

fn unit(statements: &TokenStream) -> TokenStream {
    if statements.is_empty() { quote!(()) } else { quote!({ #statements }) }
}

/// A look at `place`, with its own span: should it have been moved, that is where the compiler says so. By a pointer: to a
/// field of a packed structure there is no reference.
fn borrowed(place: &Expr) -> TokenStream {
    quote_spanned!(place.span()=> &raw const #place)
}

/// The stream of `stream.launch_builder(f).arg(..).arg(..)`: where a builder is made in the chain itself, its stream can
/// be asked, which is much less work than reading it off the builder.
fn stream_of_chain(receiver: &Expr) -> Option<&Expr> {
    let call = match receiver {
        Expr::MethodCall(call) => call,
        Expr::Paren(inner) => return stream_of_chain(&inner.expr),
        Expr::Group(inner) => return stream_of_chain(&inner.expr),
        _ => return None,
    };
    if call.method == "launch_builder" {
        return Some(&call.receiver);
    }
    let builds = call.method == "arg" || call.method == "record_kernel_launch";
    builds.then(|| stream_of_chain(&call.receiver)).flatten()
}

/// A receiver with a hook around it. The hook begins with the receiver's span, as the call did: a lint that is about the
/// call is about the user's code. What only held the receiver together is not needed in an argument, and would be told of.
fn received(receiver: &Expr, hook: impl FnOnce(&Expr) -> TokenStream) -> Expr {
    let at = receiver.span();
    let bare = match receiver {
        Expr::Paren(inner) => &inner.expr,
        other => other,
    };
    let mut bare = bare.clone();
    if let Expr::Block(block) = &mut bare {
        block.block.brace_token = syn::token::Brace(Span::mixed_site());
    }
    Expr::Verbatim(respanned(hook(&bare), at))
}

/// A path, up to what is in brackets behind it, as if it stood at `at`: that is where the compiler says what is wrong.
pub(crate) fn respanned(tokens: TokenStream, at: Span) -> TokenStream {
    let respanned = tokens.into_iter().scan(true, |path, mut token| {
        *path &= !matches!(token, TokenTree::Group(_));
        if *path {
            token.set_span(at);
        }
        Some(token)
    });
    respanned.collect()
}

/// Whether a graph's launch can be entered by its receiver.
pub(crate) fn can_enter(receiver: &Expr, locals: &Locals) -> bool {
    locals.is_place(receiver) || is_value(receiver)
}

/// Whether `receiver` is a value, which moving through a function leaves as it is. What a macro or an index gives
/// may be a place, which it would move out of; and a constant that a literal makes may live for good where it stands.
fn is_value(receiver: &Expr) -> bool {
    match receiver {
        Expr::MethodCall(_)
        | Expr::Call(_)
        | Expr::Try(_)
        | Expr::Await(_)
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
