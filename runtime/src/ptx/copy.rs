//! A copy of a module with one of its kernels, under another name.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::ops::Range;

use super::item::{Item, What, items};
use super::token::tokens;

/// Why there is no copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// The text is not what this knows of PTX.
    Syntax(&'static str),
    /// There is no such kernel in it.
    Missing,
    /// The kernel reaches a variable of the module's.
    Variable(String),
    /// The module itself speaks of the kernel.
    Mentioned,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(what) => write!(f, "its PTX is not understood ({what})"),
            Self::Missing => f.write_str("the PTX has no kernel of that name"),
            Self::Variable(name) => {
                write!(f, "it uses the module's variable `{name}`, of which a copy would have its own")
            }
            Self::Mentioned => f.write_str("the module refers to it by its name"),
        }
    }
}

/// What a copy with one kernel consists of: parts of the module's text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Copy {
    /// What is left out: kernels, functions and variables that this one does not reach.
    omitted: Vec<Range<usize>>,
    /// Where the kernel's name stands.
    places: Vec<Range<usize>>,
    /// Every name in the module.
    taken: BTreeSet<String>,
}

impl Copy {
    /// Looks at the module in `text` for the kernel `name`.
    ///
    /// # Errors
    /// A copy would not do the same, or cannot be told to.
    pub(crate) fn of(text: &str, name: &str) -> Result<Self, Reason> {
        let tokens = tokens(text)?;
        let items = items(&tokens)?;
        if !items.iter().any(|item| is_kernel(item, name)) {
            return Err(Reason::Missing);
        }
        if items.iter().any(|item| mentions(item, name)) {
            return Err(Reason::Mentioned);
        }
        let reached = reached(&items, name);
        let kept = items.iter().zip(&reached).filter(|(_, reached)| **reached);
        if let Some(variable) = kept.clone().find_map(|(item, _)| variable(item)) {
            return Err(Reason::Variable(variable.to_owned()));
        }
        let left_out = items.iter().zip(&reached).filter(|(_, reached)| !**reached);
        let words = || items.iter().flat_map(|item| item.defines.iter().chain(&item.refers));
        Ok(Self {
            omitted: left_out.map(|(item, _)| item.range()).collect(),
            places: words().filter(|word| word.text == name).map(|word| word.start..word.end()).collect(),
            taken: words().map(|word| word.text.to_owned()).collect(),
        })
    }

    /// The copy's text, with the kernel under the name `symbol`; `None` where something else has that name.
    pub(crate) fn named(&self, text: &str, symbol: &str) -> Option<String> {
        if self.taken.contains(symbol) {
            return None;
        }
        let mut changes: Vec<_> = self.omitted.iter().map(|range| (range, "")).collect();
        changes.extend(self.places.iter().map(|range| (range, symbol)));
        changes.sort_by_key(|(range, _)| range.start);
        let (mut copy, mut at) = (String::with_capacity(text.len()), 0);
        for (range, instead) in changes {
            copy.push_str(text.get(at..range.start)?);
            copy.push_str(instead);
            at = range.end;
        }
        copy.push_str(text.get(at..)?);
        Some(copy)
    }
}

/// Whether the item is the kernel, or declares it.
fn is_kernel(item: &Item<'_>, name: &str) -> bool {
    item.what == What::Entry && item.defines.first().is_some_and(|own| own.text == name)
}

/// Whether the item speaks of the kernel, or has something else of its name. Debug information may: it goes with it.
fn mentions(item: &Item<'_>, name: &str) -> bool {
    let own = usize::from(is_kernel(item, name));
    let mut others = item.defines.iter().skip(own).chain(&item.refers);
    item.what != What::Section && others.any(|word| word.text == name)
}

/// What in the item each copy of it would have for itself.
fn variable<'t>(item: &Item<'t>) -> Option<&'t str> {
    match item.what {
        What::Variable => Some(item.defines.first().map_or("?", |own| own.text)),
        _ => item.holds,
    }
}

/// Which items the kernel reaches, itself and what speaks of the whole module included.
fn reached(items: &[Item<'_>], name: &str) -> Vec<bool> {
    let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, item) in items.iter().enumerate() {
        for token in &item.defines {
            by_name.entry(token.text).or_default().push(at);
        }
    }
    let is_root = |item: &Item<'_>| match item.what {
        What::Directive | What::Section => true,
        What::Entry => is_kernel(item, name),
        What::Function | What::Variable | What::Other => false,
    };
    let mut reached = vec![false; items.len()];
    let mut next: Vec<usize> = (0..items.len()).filter(|&at| items.get(at).is_some_and(is_root)).collect();
    while let Some(at) = next.pop() {
        let (Some(seen), Some(item)) = (reached.get_mut(at), items.get(at)) else { continue };
        if !std::mem::replace(seen, true) {
            let referred = item.refers.iter().filter_map(|token| by_name.get(token.text));
            next.extend(referred.flatten());
        }
    }
    reached
}
