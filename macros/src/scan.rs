//! From tokens to the model: parses, looks for launches, refuses what is wrong.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::visit::Visit;
use syn::{Attribute, Error, Expr, ExprAsync, ExprClosure, ImplItemFn, Item, ItemFn, Result, Signature};

use crate::args::{Args, Errors};
use crate::body;
use crate::locals::Locals;
use crate::methods::Methods;
use crate::model::{Annotated, Kernel};
use crate::origin::Origin;
use crate::paths::Paths;
use crate::text::Text;

/// # Errors
/// The arguments are wrong, or the item is nothing that could launch: all that is wrong at once.
pub(crate) fn scan(args: TokenStream, item: TokenStream, origin: Origin) -> Result<Annotated> {
    let (given, mut errors) = Args::read(args.clone());
    let parsed = parsed(item.clone());
    match &parsed {
        Ok(Parsed::Function(item)) => check(&given, item, &mut errors),
        Ok(Parsed::Impl) => check_block(&given, &mut errors),
        Err(error) => errors.push(error.clone()),
    }
    errors.finish()?;
    Ok(match parsed? {
        Parsed::Function(item) => Annotated::Function(Box::new(kernel(given, *item, origin))),
        Parsed::Impl => Annotated::Impl(Box::new(Methods::new(item, (given.root, args), launches)?)),
    })
}

fn kernel(args: Args, item: ItemFn, origin: Origin) -> Kernel {
    // One that has the attribute once more keeps what the inner one says: both would record its launches.
    let again = item.attrs.iter().any(is_ours);
    let scope = args.scope.filter(|_| !again).map(|_| item.sig.ident.span());
    Kernel {
        sites: if again { Vec::new() } else { body::sites(&item.sig, &item.block, scope) },
        paths: Paths::new(args.root.as_ref()),
        name: args.name,
        stream: args.stream,
        scope,
        caller: args.caller.or(args.internal),
        is_internal: args.internal.is_some() && !again,
        by: match (args.stack, args.internal, args.caller) {
            (Some(_), Some(_), _) => "InternalStack",
            (Some(_), None, _) => "Stack",
            (None, Some(_), _) => "Internal",
            (None, None, Some(_)) => "Caller",
            (None, None, None) => "Unsaid",
        },
        fields: args.fields,
        flops: args.flops,
        bytes: args.bytes,
        category: args.category,
        color: args.color,
        origin,
        item,
    }
}

/// Whether the arguments fit the function.
fn check(args: &Args, item: &ItemFn, errors: &mut Errors) {
    let sig = &item.sig;
    if let Some(scope) = args.scope {
        check_scope(scope, item, errors);
    }
    for (key, at) in [("caller", args.caller), ("internal", args.internal)] {
        if let Some(at) = at {
            check_caller(key, at, sig, errors);
        }
    }
    if let Some(text) = &args.name {
        check_placeholders(text, sig, errors);
    }
    check_named_after(args, errors);
    check_values(args, errors);
}

/// Whether it is named after one thing.
fn check_named_after(args: &Args, errors: &mut Errors) {
    if let (Some(_), Some(at)) = (args.caller, args.stack) {
        errors.push(Error::new(at, "`caller` and `stack` name a launch after two things: one of them is to go"));
    }
}

/// Whether they fit an `impl` block, whose methods each get them.
fn check_block(args: &Args, errors: &mut Errors) {
    if let Some(name) = &args.name {
        let wrong = "a name is for one function: put it on the method that it is for";
        errors.push(Error::new(name.literal.span(), wrong));
    }
    check_named_after(args, errors);
    check_values(args, errors);
}

fn check_scope(at: Span, item: &ItemFn, errors: &mut Errors) {
    let sig = &item.sig;
    if item.attrs.iter().any(is_naked) {
        errors.push(Error::new(at, "`scope` is not for a naked function: its body is nothing but assembly"));
    }
    if sig.asyncness.is_some() {
        let why = "a range belongs to a thread, and behind an `.await` a task may go on on another";
        errors.push(Error::new(at, format!("`scope` is not for an `async fn`: {why}")));
    }
    if sig.constness.is_some() {
        let why = "it may run when the program is compiled";
        errors.push(Error::new(at, format!("`scope` is not for a `const fn`: {why}")));
    }
}

fn check_caller(key: &str, at: Span, sig: &Signature, errors: &mut Errors) {
    let foreign = sig.abi.as_ref().is_some_and(|abi| abi.name.as_ref().is_none_or(|name| name.value() != "Rust"));
    let why = if sig.asyncness.is_some() {
        "which does nothing on an `async fn`"
    } else if foreign {
        "which only functions of Rust's own ABI can have"
    } else {
        return;
    };
    errors.push(Error::new(at, format!("`{key}` stands on `#[track_caller]`, {why}")));
}

fn check_placeholders(text: &Text, sig: &Signature, errors: &mut Errors) {
    let locals = Locals::of_function(sig);
    let names = locals.list();
    let known = if names.is_empty() { "it has none".to_owned() } else { format!("it has {names}") };
    for name in text.placeholders.iter().filter(|name| !locals.has(name)) {
        let wrong = format!("`{{{name}}}` is no argument of the function: {known}");
        errors.push(Error::new(text.literal.span(), wrong));
    }
}

/// What is evaluated when the function is entered.
fn check_values(args: &Args, errors: &mut Errors) {
    if let Some(stream) = &args.stream {
        check_value(stream, "`stream`", "the stream is asked for", errors);
    }
    for (work, key) in [(&args.flops, "`flops`"), (&args.bytes, "`bytes`")] {
        if let Some(work) = work {
            check_value(work, key, "work is asked for", errors);
        }
    }
    for field in &args.fields {
        check_value(&field.value, "`fields`", "fields are asked for", errors);
    }
}

fn check_value(value: &Expr, key: &str, asked: &str, errors: &mut Errors) {
    let mut leaves = Leaves(None);
    leaves.visit_expr(value);
    if let Some((at, what)) = leaves.0 {
        errors.push(Error::new(at, format!("{what} has no place in {key}: {asked} beside what the function does")));
    }
}

/// The first part of an expression that would leave the function, or wait in it.
struct Leaves(Option<(Span, &'static str)>);

impl<'ast> Visit<'ast> for Leaves {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        let found = match expr {
            Expr::Try(e) => Some((e.question_token.span, "`?`")),
            Expr::Return(e) => Some((e.return_token.span, "`return`")),
            Expr::Await(e) => Some((e.await_token.span, "`.await`")),
            _ => None,
        };
        self.0 = self.0.or(found);
        syn::visit::visit_expr(self, expr);
    }

    fn visit_expr_closure(&mut self, _: &'ast ExprClosure) {}
    fn visit_expr_async(&mut self, _: &'ast ExprAsync) {}
    fn visit_item(&mut self, _: &'ast Item) {}
}

/// Whether a method of an annotated block gets the attribute.
fn launches(method: &ImplItemFn) -> bool {
    !method.attrs.iter().any(is_ours) && !body::sites(&method.sig, &method.block, None).is_empty()
}

/// `#[unsafe(naked)]`.
fn is_naked(attribute: &Attribute) -> bool {
    attribute.path().is_ident("unsafe") && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("naked"))
}

/// A method that is annotated itself keeps what it says.
fn is_ours(attribute: &Attribute) -> bool {
    attribute.path().segments.last().is_some_and(|last| last.ident == "gpu_kernel")
}

enum Parsed {
    Function(Box<ItemFn>),
    Impl,
}

fn parsed(item: TokenStream) -> Result<Parsed> {
    let error = match syn::parse2(item.clone()) {
        Ok(function) => return Ok(Parsed::Function(Box::new(function))),
        Err(error) => error,
    };
    if let Ok(method) = syn::parse2::<syn::TraitItemFn>(item.clone())
        && method.default.is_none()
    {
        return Err(Error::new_spanned(
            &method.sig.ident,
            "this method has no body that could launch a kernel: annotate its implementations",
        ));
    }
    match syn::parse2::<Item>(item) {
        Ok(Item::Impl(_)) => Ok(Parsed::Impl),
        Ok(other) => {
            Err(Error::new_spanned(keyword(&other), "`#[gpu_kernel]` goes on a function, a method or an `impl` block"))
        }
        Err(_) => Err(error),
    }
}

/// The first token that says what the item is, past its attributes and visibility.
fn keyword(item: &Item) -> TokenStream {
    match item {
        Item::Struct(item) => item.struct_token.to_token_stream(),
        Item::Enum(item) => item.enum_token.to_token_stream(),
        Item::Trait(item) => item.trait_token.to_token_stream(),
        Item::Mod(item) => item.mod_token.to_token_stream(),
        Item::Static(item) => item.static_token.to_token_stream(),
        Item::Const(item) => item.const_token.to_token_stream(),
        other => other.to_token_stream(),
    }
}
