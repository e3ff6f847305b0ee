//! From an input that shows a fault to a small one that still shows it.

use proc_macro2::{Group, TokenStream, TokenTree};

use crate::check::{Fault, check};
use crate::input::Input;
use crate::run::Quiet;

/// The smallest input found whose fault is of the same kind as that of `input`, and its fault; `None` where `input` has
/// none. Takes away tokens and delimiters, one place after another, until nothing can go.
#[must_use]
pub fn shrunk(input: &Input) -> Option<(Input, Fault)> {
    let _quiet = Quiet::new();
    let mut found = (input.clone(), check(input).err()?);
    let bare = Input { args: TokenStream::new(), item: input.item.clone() };
    found = still(bare, &found.1).unwrap_or(found);
    // What could not go may go once something else has gone.
    while pass(&mut found) {}
    Some(found)
}

/// One try at each place; whether something went.
fn pass(found: &mut (Input, Fault)) -> bool {
    let mut went = false;
    let mut at = 0;
    while at < count(&found.0.item) {
        let smaller = [Change::Drop(16), Change::Drop(4), Change::Drop(1), Change::Open].iter().find_map(|change| {
            let item = changed(&found.0.item, &mut at.clone(), *change)?;
            still(Input { args: found.0.args.clone(), item }, &found.1)
        });
        match smaller {
            // What was behind it is now at its place.
            Some(smaller) => (*found, went) = (smaller, true),
            None => at += 1,
        }
    }
    went
}

fn still(input: Input, fault: &Fault) -> Option<(Input, Fault)> {
    let shown = check(&input).err().filter(|shown| shown.kind == fault.kind)?;
    Some((input, shown))
}

#[derive(Clone, Copy)]
enum Change {
    /// So many trees go.
    Drop(usize),
    /// A group's delimiters go.
    Open,
}

/// `stream` with `change` at the tree that has `left` before it, counted from the outside in.
fn changed(stream: &TokenStream, left: &mut usize, change: Change) -> Option<TokenStream> {
    let mut trees: Vec<TokenTree> = stream.clone().into_iter().collect();
    let at = *left;
    if at < trees.len() {
        match (change, trees.get(at)?) {
            (Change::Drop(count), _) => drop(trees.splice(at..(at + count).min(trees.len()), None)),
            (Change::Open, TokenTree::Group(group)) => {
                let inner = group.stream();
                trees.splice(at..=at, inner);
            }
            (Change::Open, _) => return None,
        }
        return Some(trees.into_iter().collect());
    }
    *left -= trees.len();
    for tree in &mut trees {
        if let TokenTree::Group(group) = tree
            && *left < count(&group.stream())
        {
            *group = Group::new(group.delimiter(), changed(&group.stream(), left, change)?);
            return Some(trees.into_iter().collect());
        } else if let TokenTree::Group(group) = tree {
            *left -= count(&group.stream());
        }
    }
    None
}

/// All trees of `stream`, however deep.
fn count(stream: &TokenStream) -> usize {
    let inner = |tree: TokenTree| match tree {
        TokenTree::Group(group) => 1 + count(&group.stream()),
        _ => 1,
    };
    stream.clone().into_iter().map(inner).sum()
}
