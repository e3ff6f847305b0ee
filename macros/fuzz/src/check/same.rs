//! Token for token: the input beside an expansion without its hooks.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::fault::Told;
use super::nodes::{Node, equal, inside, is_group, is_ident, is_punct};

/// # Errors
/// The first tokens that differ.
pub(super) fn same(input: &[TokenTree], output: &[Node]) -> Result<(), Told> {
    let mut wanted = input;
    // Where the walk is in `output`, and in the loose groups around.
    let mut open = vec![output.iter()];
    while let Some(nodes) = open.last_mut() {
        let Some(node) = nodes.next() else {
            open.pop();
            continue;
        };
        let step = one(wanted, node).or_else(|told| {
            wanted = without_empty(wanted).ok_or(told)?;
            one(wanted, node)
        })?;
        wanted = wanted.get(step.taken..).unwrap_or_default();
        open.extend(step.into.map(|inner| inner.iter()));
    }
    if wanted.is_empty() { Ok(()) } else { Err(told(wanted, "the end")) }
}

/// What is behind generics, bounds or a `where` with nothing in it: syn leaves these out, and no meaning with them.
fn without_empty(wanted: &[TokenTree]) -> Option<&[TokenTree]> {
    let (first, rest) = wanted.split_first()?;
    let next = |marks: &str| rest.first().is_some_and(|next| marks.chars().any(|mark| is_punct(next, mark)));
    if is_punct(first, '<') && next(">") {
        return rest.get(1..);
    }
    let bounds = is_punct(first, ':') && next(">,=");
    let body = rest.first().is_some_and(|next| is_group(next, Delimiter::Brace)) || next(";");
    (bounds || is_ident(first, "where") && body).then_some(rest)
}

struct Step<'n> {
    /// How many tokens of the input the node stands for.
    taken: usize,
    /// What is compared next, before what follows the node.
    into: Option<&'n [Node]>,
}

fn one<'n>(wanted: &[TokenTree], node: &'n Node) -> Result<Step<'n>, Told> {
    let whole = Step { taken: 1, into: None };
    match (wanted.first(), node) {
        (Some(tree), Node::Leaf(leaf)) if equal(tree, leaf) => Ok(whole),
        (Some(tree), Node::Group(delimiter, nodes)) if is_group(tree, *delimiter) => {
            same(&inside(tree), nodes).map(|()| whole)
        }
        (tree, Node::Loose(delimiter, nodes)) => {
            let closed = tree.is_some_and(|tree| is_group(tree, *delimiter) && same(&inside(tree), nodes).is_ok());
            Ok(if closed { whole } else { Step { taken: 0, into: Some(nodes) } })
        }
        (_, Node::Leaf(leaf)) => Err(told(wanted, &leaf.to_string())),
        (_, Node::Group(delimiter, nodes)) => Err(told(wanted, &shown(*delimiter, nodes))),
    }
}

fn told(wanted: &[TokenTree], found: &str) -> Told {
    let wanted = wanted.iter().take(12).cloned().collect::<TokenStream>().to_string();
    Told { wanted: if wanted.is_empty() { "the end".into() } else { wanted }, found: found.to_owned() }
}

fn shown(delimiter: Delimiter, nodes: &[Node]) -> String {
    let first = match nodes.first() {
        Some(Node::Leaf(leaf)) => leaf.to_string(),
        Some(_) => "..".into(),
        None => String::new(),
    };
    format!("a group in {delimiter:?} that begins with `{first}`")
}
