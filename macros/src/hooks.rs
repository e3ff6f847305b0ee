//! The hooks around one launch, as tokens.
//!
//! The user's call stays as it is, to the token. Each hook is a plain function around one of its parts and gives that
//! part back, so types, borrows, temporaries and the order of evaluation are those of the code without it.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Expr, ExprCall, ExprMethodCall, parse_quote};

use crate::locals::Locals;
use crate::model::{DriverCall, Kernel};

/// One of the kernel's sites.
pub(crate) struct Site<'k> {
    pub(crate) kernel: &'k Kernel,
    pub(crate) index: usize,
    pub(crate) span: Span,
}

/// A launch through a builder: `b.launch(cfg)`.
pub(crate) fn builder(mut call: ExprMethodCall, site: &Site<'_>, locals: &Locals) -> TokenStream {
    let (state, paths) = (&site.state(), &site.kernel.paths);
    let [start, done, recv, arg] = ["start", "done", "recv", "arg"].map(|name| paths.private(name));
    let [see, see_stream] = ["see", "see_stream"].map(|name| paths.private(name));
    if let Some(config) = call.args.last_mut() {
        *config = parse_quote!(#arg(&mut #state, #config));
    }
    let receiver = &call.receiver;
    let seen = if locals.is_place(receiver) {
        let seen = borrowed(receiver);
        quote!({ #see!(#state, #seen); })
    } else {
        let stream = stream_of_chain(receiver).filter(|stream| locals.is_place(stream));
        let seen = stream.map(borrowed).map_or_else(|| quote!(()), |seen| quote!({ #see_stream!(#state, #seen); }));
        if is_value(receiver) {
            *call.receiver = received(&recv, state, receiver);
        }
        seen
    };
    let attrs = std::mem::take(&mut call.attrs);
    let place = site.place();
    quote!(#(#attrs)* #done(#start(&mut #state, #place), #seen, #call, &mut #state))
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
            *argument = parse_quote!(#last(&mut #state, #kinds::#kind, #argument));
        } else if kind != "Other" {
            *argument = parse_quote!(#part(&mut #state, #kinds::#kind, #argument));
        }
    }
    let attrs = std::mem::take(&mut call.attrs);
    let place = site.place();
    quote!(#(#attrs)* #done(#start(&mut #state, #place), (), #call, &mut #state))
}

impl Site<'_> {
    /// The variable that follows one launch from its start to its end.
    fn state(&self) -> Ident {
        Ident::new(&format!("launchsite_{}", self.index), Span::mixed_site())
    }

    /// Declares it; goes in front of the statement around the launch.
    pub(crate) fn declaration(&self) -> TokenStream {
        let (state, call) = (self.state(), self.kernel.paths.private("Call"));
        quote!(let mut #state = #call::new();)
    }

    /// Where the launch stands, and in which instantiation of the function: two arguments, which are constants.
    fn place(&self) -> TokenStream {
        let (kernel, index) = (self.kernel, self.index);
        let [site, instance] = ["site", "instance"].map(|name| kernel.paths.private(name));
        let name = kernel.name.as_deref().unwrap_or_default();
        let function = kernel.item.sig.ident.to_string();
        let origin = &kernel.origin;
        let package = &origin.package;
        // With the launch's own span: these tell where their own tokens stand, or the outermost macro call around.
        let (file, line, column) = place(self.span);
        let only = kernel.sites.len() == 1;
        let twin = if only { quote!(&[], 0) } else { quote!(&LAUNCHSITE_PLACES, #index) };
        let (relative, absolute, generated) = (&origin.relative, &origin.absolute, &origin.generated);
        quote! {
            #site!(#function, #name, #package, #file, #line, #column, #twin, #relative, #absolute, #generated),
            #instance(&|| ())
        }
    }
}

/// Lines and columns of all sites, for those that need more than a line to be told apart.
pub(crate) fn places(sites: &[Span]) -> Option<TokenStream> {
    let count = sites.len();
    let places = sites.iter().map(|&span| {
        let (_, line, column) = place(span);
        quote!((#line, #column))
    });
    (count > 1).then(|| quote!(const LAUNCHSITE_PLACES: [(u32, u32); #count] = [#(#places),*];))
}

fn place(span: Span) -> (TokenStream, TokenStream, TokenStream) {
    (
        quote_spanned!(span=> ::core::file!()),
        quote_spanned!(span=> ::core::line!()),
        quote_spanned!(span=> ::core::column!()),
    )
}

/// A look at `place`, with its own span: should it have been moved, that is where the compiler says so.
fn borrowed(place: &Expr) -> TokenStream {
    quote_spanned!(place.span()=> &#place)
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

/// The hook around a receiver. It begins with the receiver's span, as the call did: a lint that is about the call is
/// about the user's code. What only held the receiver together is not needed in an argument, and would be told of.
fn received(recv: &TokenStream, state: &Ident, receiver: &Expr) -> Expr {
    let at = receiver.span();
    let recv = recv.clone().into_iter().map(|mut token| {
        token.set_span(at);
        token
    });
    let recv: TokenStream = recv.collect();
    let bare = match receiver {
        Expr::Paren(inner) => &inner.expr,
        other => other,
    };
    let mut bare = bare.clone();
    if let Expr::Block(block) = &mut bare {
        block.block.brace_token = syn::token::Brace(Span::mixed_site());
    }
    Expr::Verbatim(quote!(#recv(&mut #state, #bare)))
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
