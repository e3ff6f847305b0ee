//! What must hold of an expansion, whatever the input.
//!
//! The macro does not panic. What it makes parses as items. Without what it added, it is the input, token for token.
//! Where it gives an error, the input stands behind it unchanged.

mod block;
mod fault;
mod given;
mod hooks;
mod launches;
mod nodes;
mod parts;
mod places;
mod same;
mod standing;
mod strip;

use std::panic::{AssertUnwindSafe, catch_unwind};

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::Item;

pub use fault::{Fault, Kind};

use crate::driver::driver;
use crate::input::Input;
use crate::origin::Origin;
use fault::{Told, fault};
use given::Given;
use nodes::Node;
use same::same;
use strip::Strip;

/// What the macro made of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// An error, and the input.
    Refused,
    /// The input.
    Untouched,
    /// Two versions of a function, one with so many launches hooked.
    Hooked(usize),
    /// An `impl` block with the attribute on so many of its methods.
    Block(usize),
}

/// Expands `input` and looks at what has come of it.
///
/// # Errors
/// What does not hold.
pub fn check(input: &Input) -> Result<Outcome, Fault> {
    verdict(input, &expanded(input)?)
}

/// What the macro makes of `input`.
///
/// # Errors
/// It panicked.
pub fn expanded(input: &Input) -> Result<TokenStream, Fault> {
    thread_local!(static ORIGIN: Origin = Origin::of_build());
    let origin = ORIGIN.with(Clone::clone);
    let expand = || driver(input.args.clone(), &input.item, origin);
    catch_unwind(AssertUnwindSafe(expand)).map_err(|panic| Fault::of_panic(panic.as_ref()))
}

/// Looks at `output` as what the macro has made of `input`.
///
/// # Errors
/// What does not hold.
pub fn verdict(input: &Input, output: &TokenStream) -> Result<Outcome, Fault> {
    let item = nodes::read(input.item.clone());
    let trees = nodes::read(output.clone());
    if same(&item, &nodes::exact(&trees)).is_ok() {
        return untouched(&input.item);
    }
    if let Some((errors, kept)) = after_errors(&trees) {
        parsed(errors.iter().cloned().collect(), "the errors")?;
        return match same(&item, &nodes::exact(kept)) {
            Ok(()) => Ok(Outcome::Refused),
            Err(told) => Err(fault(Kind::Changed, format!("the item behind the error: {told}"))),
        };
    }
    // Whoever reads it next is a parser.
    parsed(output.clone(), "the expansion")?;
    match versions(&trees) {
        Some((root, original, rewritten)) => hooked(&item, &Given::of(input.args.clone()), root, [original, rewritten]),
        None => methods(input, &item, &trees),
    }
}

fn untouched(item: &TokenStream) -> Result<Outcome, Fault> {
    match syn::parse2::<Item>(item.clone()) {
        Ok(Item::Fn(_) | Item::Impl(_)) => Ok(Outcome::Untouched),
        Ok(_) => Err(fault(Kind::Accepted, "an item that is no function and no `impl` block".into())),
        Err(error) => Err(fault(Kind::Accepted, format!("what is no item: {error}"))),
    }
}

/// The tokens of the `compile_error!`s at the front, and what is behind them.
fn after_errors(trees: &[TokenTree]) -> Option<(&[TokenTree], &[TokenTree])> {
    let error: Vec<TokenTree> = "::core::compile_error!".parse::<TokenStream>().ok()?.into_iter().collect();
    let mut rest = trees;
    while let Some((_, after)) = rest.strip_prefix_by(&error).and_then(<[TokenTree]>::split_first) {
        rest = after;
    }
    let (errors, kept) = trees.split_at(trees.len() - rest.len());
    (!errors.is_empty()).then_some((errors, kept))
}

/// The runtime's path, and both versions of `root::__pick! { {original} {rewritten} }`.
fn versions(trees: &[TokenTree]) -> Option<(&[TokenTree], TokenStream, TokenStream)> {
    let [root @ .., one, two, name, mark, TokenTree::Group(both)] = trees else { return None };
    let picks = nodes::is_punct(one, ':') && nodes::is_punct(two, ':') && nodes::is_punct(mark, '!');
    if !picks || !nodes::is_ident(name, "__pick") {
        return None;
    }
    let both = nodes::read(both.stream());
    let [TokenTree::Group(original), TokenTree::Group(rewritten)] = both.as_slice() else { return None };
    let braced = |version: &&proc_macro2::Group| version.delimiter() == Delimiter::Brace;
    [original, rewritten].iter().all(braced).then(|| (root, original.stream(), rewritten.stream()))
}

fn hooked(
    item: &[TokenTree],
    given: &Given,
    root: &[TokenTree],
    [original, rewritten]: [TokenStream; 2],
) -> Result<Outcome, Fault> {
    let original = nodes::read(original);
    let changed = |which: &str, told: &Told| fault(Kind::Changed, format!("the {which} version: {told}"));
    same(item, &nodes::exact(&original)).map_err(|told| changed("first", &told))?;
    let items = parsed(rewritten.clone(), "the second version")?;
    let [Item::Fn(function)] = items.as_slice() else {
        return Err(fault(Kind::Unparsable, "the second version is not one function".into()));
    };
    let rewritten = nodes::read(rewritten);
    let rewritten = without_track_caller(item, &rewritten, given);
    // A helper without a launch passes its caller on, and is nothing else.
    if given.internal && same(item, &nodes::exact(rewritten)).is_ok() {
        return Ok(Outcome::Untouched);
    }
    standing::check(function, given, root)?;
    let mut strip = Strip::new(root, given);
    let nodes = strip.stream(rewritten)?;
    alike(item, &nodes).map_err(|told| changed("second", &told))?;
    strip.finished().map(Outcome::Hooked)
}

/// What is named after its caller has `#[track_caller]` in front, if it has none of its own.
fn without_track_caller<'t>(item: &[TokenTree], rewritten: &'t [TokenTree], given: &Given) -> &'t [TokenTree] {
    let has = parts::attributes(item).0.iter().any(|one| one.len() == 1 && nodes::begins(one, "track_caller"));
    // Where something else stands there, the rest is not the input.
    if given.caller && !has { rewritten.get(2..).unwrap_or_default() } else { rewritten }
}

/// An `impl` block whose methods were given the attribute, and nothing else was changed.
fn methods(input: &Input, item: &[TokenTree], output: &[TokenTree]) -> Result<Outcome, Fault> {
    let kept = block::without_attributes(item, output);
    same(item, &nodes::exact(&kept)).map_err(|told| fault(Kind::Changed, format!("the block: {told}")))?;
    let given = block::given(input.item.clone(), output.iter().cloned().collect());
    let given = given.map_err(|error| fault(Kind::Changed, format!("no block: {error}")))?;
    for method in &given {
        // It was given to methods that launch, and does its work there.
        match check(method)? {
            Outcome::Hooked(_) | Outcome::Refused => {}
            other => return Err(fault(Kind::Accepted, format!("a method given the attribute is {other:?}: {method}"))),
        }
    }
    Ok(Outcome::Block(given.len()))
}

/// The same token for token; or the same as what syn's own printer makes of the input, which orders generics, say. A
/// function's signature does not go through it.
fn alike(item: &[TokenTree], output: &[Node]) -> Result<(), Told> {
    same(item, output).or_else(|told| match printed(item) {
        Some(printed) if same(&printed, output).is_ok() => Ok(()),
        _ => Err(told),
    })
}

fn printed(item: &[TokenTree]) -> Option<Vec<TokenTree>> {
    let parsed: Item = syn::parse2(item.iter().cloned().collect()).ok()?;
    let printed = nodes::read(parsed.to_token_stream());
    match (parsed, item, printed.last()) {
        (Item::Fn(_), [head @ .., _], Some(body)) => Some(head.iter().chain([body]).cloned().collect()),
        _ => Some(printed),
    }
}

fn parsed(tokens: TokenStream, what: &str) -> Result<Vec<Item>, Fault> {
    let file = syn::parse2::<syn::File>(tokens);
    file.map(|file| file.items).map_err(|error| fault(Kind::Unparsable, format!("{what}: {error}")))
}

/// What slices of things that cannot be compared lack.
trait Prefixed {
    fn strip_prefix_by(&self, prefix: &Self) -> Option<&Self>;
}

impl Prefixed for [TokenTree] {
    fn strip_prefix_by(&self, prefix: &Self) -> Option<&Self> {
        let (front, rest) = self.split_at_checked(prefix.len())?;
        front.iter().zip(prefix).all(|(one, other)| nodes::equal(one, other)).then_some(rest)
    }
}
