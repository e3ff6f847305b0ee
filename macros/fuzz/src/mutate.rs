//! Changes tokens: what comes out may still parse, or not.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};

use crate::entropy::Entropy;
use crate::input::tokens;
use crate::seeds::Seeds;

/// Words that the macro looks for, or that change what it may do around them.
const WORDS: &[&str] = &[
    "launch",
    "launch",
    "launch_cooperative",
    "launch_builder",
    "arg",
    "record_kernel_launch",
    "cuLaunchKernel",
    "cuLaunchKernelEx",
    "launch_kernel",
    "cudaLaunchKernel",
    "LaunchConfig",
    "gpu_kernel",
    "self",
    "b",
    "cfg",
    "async",
    "const",
    "move",
    "unsafe",
    "fn",
    "impl",
    "static",
    "match",
    "r#type",
    "größe",
];

/// Pieces of code that go in somewhere.
const PIECES: &[&str] = &[
    "b.launch(cfg)",
    ".launch(cfg)",
    "b.launch(cfg)?",
    ".launch_builder(f).arg(&x)",
    "(b).launch(cfg);",
    "launch_kernel(f, (1, 1, 1), (2, 1, 1), 0, s, &mut p)",
    "sys::cuLaunchKernelEx(c, f, p, e)",
    "assert!(b.launch(cfg).is_ok())",
    "vec![b.launch(cfg)]",
    "matches!(b.launch(cfg), Ok(_))",
    "g.launch()",
    "s.end_capture(flags)",
    "launch!(m.k<<<a, b, c, s>>>(x))",
    "graph::launch(g, s)",
    "(|| b.launch(cfg))()",
    "ensure!(b.launch(cfg), 1)",
    "#[cfg_attr(x, cfg(y))]",
    "#[track_caller]",
    "#[cfg(x)]",
    "#[allow(unused)]",
    "#[gpu_kernel]",
    "?",
    ".await",
    "async move",
    "const",
    "move |x|",
    "|x| b.launch(x)",
    "'a:",
    "let b =",
    "else",
    "return",
    "&",
    "&&",
    "||",
    "..",
    "::",
    "->",
    "=>",
    ",",
    ";",
    "!",
    "<",
    ">",
    "as",
    "b",
];

/// `item` with launches in it, and up to three changes.
pub(crate) fn mutated(item: TokenStream, entropy: &mut Entropy<'_>, seeds: &Seeds) -> TokenStream {
    let mut trees: Vec<TokenTree> = item.into_iter().collect();
    if entropy.once_in(2) {
        trees = with_launches(trees, entropy);
    }
    for _ in 0..entropy.below(4) {
        trees = deeper(trees, entropy, seeds, 12);
    }
    trees.into_iter().collect()
}

/// Some of the methods that are called become one that launches, wherever real code calls one.
fn with_launches(trees: Vec<TokenTree>, entropy: &mut Entropy<'_>) -> Vec<TokenTree> {
    let mut after_dot = false;
    let mut changed = Vec::with_capacity(trees.len());
    for tree in trees {
        let is_dot = matches!(&tree, TokenTree::Punct(mark) if mark.as_char() == '.');
        changed.push(match tree {
            TokenTree::Ident(word) if after_dot && word != "await" && entropy.once_in(3) => {
                TokenTree::Ident(Ident::new("launch", word.span()))
            }
            TokenTree::Group(group) => {
                let inner = with_launches(group.stream().into_iter().collect(), entropy);
                TokenTree::Group(Group::new(group.delimiter(), inner.into_iter().collect()))
            }
            other => other,
        });
        after_dot = is_dot;
    }
    changed
}

/// One change, in `trees` or in one of its groups.
fn deeper(mut trees: Vec<TokenTree>, entropy: &mut Entropy<'_>, seeds: &Seeds, depth: usize) -> Vec<TokenTree> {
    let groups: Vec<usize> =
        (0..trees.len()).filter(|index| matches!(trees.get(*index), Some(TokenTree::Group(_)))).collect();
    let inner = (depth > 0 && !entropy.once_in(6)).then(|| entropy.pick(&groups)).flatten();
    if let Some(TokenTree::Group(group)) = inner.and_then(|index| trees.get_mut(*index)) {
        let changed = deeper(group.stream().into_iter().collect(), entropy, seeds, depth - 1);
        *group = Group::new(group.delimiter(), changed.into_iter().collect());
        return trees;
    }
    change(&mut trees, entropy, seeds);
    trees
}

fn change(trees: &mut Vec<TokenTree>, entropy: &mut Entropy<'_>, seeds: &Seeds) {
    let (at, other) = (entropy.below(trees.len()), entropy.below(trees.len()));
    match entropy.below(9) {
        0 => rename(trees, entropy),
        1 if at < trees.len() => drop(trees.remove(at)),
        2 => {
            let copies: Vec<_> = trees.iter().skip(at).take(1 + entropy.below(4)).cloned().collect();
            insert(trees, other, copies);
        }
        3 if at < trees.len() && other < trees.len() => trees.swap(at, other),
        4 | 5 => insert(trees, at, piece(entropy)),
        6 => wrap(trees, at, entropy),
        7 => unwrap_group(trees, entropy),
        // A part of another function.
        _ => {
            let donor: Vec<TokenTree> = tokens(&seeds.pick(entropy)).into_iter().collect();
            let from = entropy.below(donor.len());
            let part: Vec<_> = donor.into_iter().skip(from).take(1 + entropy.below(6)).collect();
            insert(trees, at, part);
        }
    }
}

fn piece(entropy: &mut Entropy<'_>) -> Vec<TokenTree> {
    entropy.pick(PIECES).map(|piece| tokens(piece).into_iter().collect()).unwrap_or_default()
}

fn insert(trees: &mut Vec<TokenTree>, at: usize, new: Vec<TokenTree>) {
    let at = at.min(trees.len());
    trees.splice(at..at, new);
}

/// One of the words in `trees` becomes one that means something.
fn rename(trees: &mut [TokenTree], entropy: &mut Entropy<'_>) {
    let mut words: Vec<_> = trees.iter_mut().filter(|tree| matches!(tree, TokenTree::Ident(_))).collect();
    let at = entropy.below(words.len());
    if let (Some(word), Some(new)) = (words.get_mut(at), entropy.pick(WORDS)) {
        let new = match new.strip_prefix("r#") {
            Some(raw) => Ident::new_raw(raw, Span::call_site()),
            None => Ident::new(new, Span::call_site()),
        };
        **word = TokenTree::Ident(new);
    }
}

/// Some tokens get delimiters; those that cannot be seen are what a `macro_rules!` puts around a fragment.
fn wrap(trees: &mut Vec<TokenTree>, at: usize, entropy: &mut Entropy<'_>) {
    let kinds = [Delimiter::Parenthesis, Delimiter::Brace, Delimiter::Bracket, Delimiter::None];
    let until = (at + 1 + entropy.below(5)).min(trees.len());
    if let Some(kind) = entropy.pick(&kinds)
        && at < until
    {
        let inner: TokenStream = trees.splice(at..until, None).collect();
        insert(trees, at, vec![TokenTree::Group(Group::new(*kind, inner))]);
    }
}

fn unwrap_group(trees: &mut Vec<TokenTree>, entropy: &mut Entropy<'_>) {
    let groups: Vec<_> = trees.iter().enumerate().filter(|(_, tree)| matches!(tree, TokenTree::Group(_))).collect();
    if let Some((at, TokenTree::Group(group))) = entropy.pick(&groups).copied() {
        let inner: Vec<_> = group.stream().into_iter().collect();
        trees.splice(at..=at, inner);
    }
}
