//! A copy of a module with one of its kernels, under another name.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::ops::Range;

use super::item::{Item, What, items};
use super::token::{Token, tokens};

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
    named: Vec<Range<usize>>,
    /// Every name in the module.
    names: BTreeSet<String>,
}

impl Copy {
    /// Looks at the module in `text` for the kernel `name`.
    ///
    /// # Errors
    /// A copy would not do the same, or cannot be told to.
    pub(crate) fn of(text: &str, name: &str) -> Result<Self, Reason> {
        let tokens = tokens(text)?;
        let items = items(&tokens)?;
        let is_kernel = |item: &&Item<'_>| item.what == What::Entry && defines(item, name);
        if !items.iter().any(|item| is_kernel(&item)) {
            return Err(Reason::Missing);
        }
        let mut named = Vec::new();
        for item in &items {
            let of = |tokens: &[Token<'_>]| tokens.iter().filter(|token| token.text == name).count();
            let (defined, mentioned) = (of(&item.defines), of(&item.refers));
            match item.what {
                What::Entry | What::Section => {}
                _ if defined > 0 => return Err(Reason::Mentioned),
                _ => {}
            }
            if mentioned > 0 && item.what != What::Section {
                return Err(Reason::Mentioned);
            }
            // A label of the kernel's name is no kernel.
            if defined > usize::from(is_kernel(&item))
                || (is_kernel(&item) && item.defines.first().is_none_or(|first| first.text != name))
            {
                return Err(Reason::Mentioned);
            }
            let tokens = item.defines.iter().chain(&item.refers);
            named.extend(tokens.filter(|token| token.text == name).map(|token| token.start..token.end()));
        }
        let reached = reached(&items, name);
        let mut omitted = Vec::new();
        for (item, reached) in items.iter().zip(reached) {
            if !reached {
                omitted.push(item.range());
            } else if item.what == What::Variable {
                return Err(Reason::Variable(item.defines.first().map_or("?", |token| token.text).to_owned()));
            } else if let Some(space) = item.holds {
                return Err(Reason::Variable(space.to_owned()));
            }
        }
        let names = items.iter().flat_map(|item| item.defines.iter().chain(&item.refers));
        let names = names.map(|token| token.text.to_owned()).collect();
        Ok(Self { omitted, named, names })
    }

    /// The copy's text, with the kernel under the name `symbol`; `None` where something else has that name.
    pub(crate) fn named(&self, text: &str, symbol: &str) -> Option<String> {
        if self.names.contains(symbol) {
            return None;
        }
        let mut changes: Vec<_> = self.omitted.iter().map(|range| (range, "")).collect();
        changes.extend(self.named.iter().map(|range| (range, symbol)));
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

fn defines(item: &Item<'_>, name: &str) -> bool {
    item.defines.first().is_some_and(|own| own.text == name)
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
        What::Entry => defines(item, name),
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
