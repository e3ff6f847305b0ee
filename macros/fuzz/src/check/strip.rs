//! Takes the hooks out of an expansion, by the table in `hooks`. What does not look as it should is told.

use proc_macro2::{Delimiter, TokenTree};

use super::fault::{Fault, Kind, fault};
use super::given::Given;
use super::hooks::{ASSERTS, ENTRY, PLACES, SCOPE, SLOT, STATE, is_looked_into};
use super::nodes::{Node, begins, exact, inside, is_group, is_ident, is_punct};
use super::parts::{Reader, attributes, condition};
use super::places::Places;
use super::same::same;

pub(super) struct Strip<'r> {
    /// The runtime's path, as the expansion names it.
    root: &'r [TokenTree],
    /// What the function is entered with.
    given: &'r Given,
    pub(super) places: Places,
    /// The launches around the walk's place.
    pub(super) around: Vec<usize>,
}

/// One of the two declarations that a launch has.
#[derive(Clone, Copy)]
enum Declared {
    Slot(usize),
    State(usize),
}

impl<'r> Strip<'r> {
    pub(super) fn new(root: &'r [TokenTree], given: &'r Given) -> Self {
        Self { root, given, places: Places::default(), around: Vec::new() }
    }

    /// How many launches there are.
    pub(super) fn finished(&self) -> Result<usize, Fault> {
        self.places.finished(self.given.scope)
    }

    pub(super) fn reader<'t>(&self, rest: &'t [TokenTree]) -> Reader<'r, 't> {
        Reader { root: self.root, rest }
    }

    pub(super) fn stream(&mut self, trees: &[TokenTree]) -> Result<Vec<Node>, Fault> {
        let mut nodes = Vec::with_capacity(trees.len());
        let mut rest = trees;
        while let Some((first, after)) = rest.split_first() {
            if let Some(after) = self.declaration(rest)? {
                rest = after;
            } else if let Some(after) = self.table(rest) {
                rest = after;
            } else if let Some(after) = self.entry(rest)? {
                rest = after;
            } else if let Some((kept, after)) = self.hook(rest)? {
                nodes.extend(kept);
                rest = after;
            } else {
                let node = self.one(first, &nodes)?;
                // A block in front of an `else` is put in parentheses, as a closure's that was none is.
                let before_else = after.first().is_some_and(|next| is_ident(next, "else"));
                let parenthesised = before_else && is_group(first, Delimiter::Parenthesis);
                nodes.push(if parenthesised { node.loosened() } else { node });
                rest = after;
            }
        }
        Ok(nodes)
    }

    fn one(&mut self, tree: &TokenTree, before: &[Node]) -> Result<Node, Fault> {
        let TokenTree::Group(group) = tree else { return Ok(Node::Leaf(tree.clone())) };
        let (trees, delimiter) = (inside(tree), group.delimiter());
        if let Some(path) = macro_path(before) {
            return self.in_macro(&path, &trees).map(|nodes| Node::Group(delimiter, nodes));
        }
        // syn's printer puts an expression with operators behind an attribute in parentheses.
        if let [.., Node::Leaf(hash), Node::Group(Delimiter::Bracket, _)] = before
            && is_punct(hash, '#')
            && delimiter == Delimiter::Parenthesis
        {
            return Ok(Node::Loose(delimiter, self.stream(&trees)?));
        }
        if delimiter != Delimiter::Brace {
            return Ok(Node::Group(delimiter, self.stream(&trees)?));
        }
        self.places.enter();
        // A closure's expression gets a block for its declarations; a block of its own keeps them.
        let closure = matches!(before, [.., Node::Leaf(mark)] if is_punct(mark, '|'));
        let given = closure && self.declared(attributes(&trees).1).is_some();
        let nodes = self.stream(&trees)?;
        self.places.leave();
        if !given {
            return Ok(Node::Group(delimiter, nodes));
        }
        // What would end as a statement there, `if a { 1 } else { 2 } + 3`, is in parentheses of its own.
        let begins = matches!(nodes.first(), Some(Node::Group(Delimiter::Parenthesis, _)));
        let loosened = |(at, node): (usize, Node)| if begins && at == 0 { node.loosened() } else { node };
        Ok(Node::Loose(delimiter, nodes.into_iter().enumerate().map(loosened).collect()))
    }

    /// `let mut launchsite_slot_N = Slot::new();` or `let mut launchsite_N = Call::new(&mut launchsite_slot_N);`, and what
    /// is behind it.
    fn declared<'t>(&self, trees: &'t [TokenTree]) -> Option<(Declared, &'t [TokenTree])> {
        let slot = || {
            let mut read = self.reader(trees);
            read.tokens("let mut")?;
            let slot = read.number(SLOT)?;
            read.tokens("=")?;
            read.private("Slot")?;
            read.tokens(": : new")?;
            read.group(Delimiter::Parenthesis).filter(Vec::is_empty)?;
            read.tokens(";").map(|()| (Declared::Slot(slot), read.rest))
        };
        let state = || {
            let mut read = self.reader(trees);
            read.tokens("let mut")?;
            let state = read.number(STATE)?;
            read.tokens("=")?;
            read.private("Call")?;
            read.tokens(": : new")?;
            let given = read.group(Delimiter::Parenthesis)?;
            let mut given = self.reader(&given);
            given.tokens(&format!("& mut {SLOT}{state}"))?;
            given.end()?;
            read.tokens(";").map(|()| (Declared::State(state), read.rest))
        };
        slot().or_else(state)
    }

    /// The conditions of a declaration are those of the statement behind it.
    fn declaration<'t>(&mut self, trees: &'t [TokenTree]) -> Result<Option<&'t [TokenTree]>, Fault> {
        let (given, behind) = attributes(trees);
        let Some((declared, rest)) = self.declared(behind) else { return Ok(None) };
        match declared {
            Declared::Slot(state) => self.places.slot(state)?,
            Declared::State(state) => self.places.declare(state)?,
        }
        let mut statement = rest;
        while let Some((_, after)) = self.declared(attributes(statement).1) {
            statement = after;
        }
        let conditions: Vec<_> = attributes(statement).0.iter().filter_map(|one| condition(one)).collect();
        let alike = |one: &Vec<TokenTree>, other: &Vec<TokenTree>| same(one, &exact(other)).is_ok();
        let equal = conditions.len() == given.len() && conditions.iter().zip(&given).all(|(a, b)| alike(a, b));
        if !equal {
            let (Declared::Slot(state) | Declared::State(state)) = declared;
            let told = format!("launchsite_{state} is there under other conditions than its statement");
            return Err(fault(Kind::Standing, told));
        }
        Ok(Some(rest))
    }

    /// `const LAUNCHSITE_PLACES: [(u32, u32); 2usize] = [..];`
    fn table<'t>(&mut self, trees: &'t [TokenTree]) -> Option<&'t [TokenTree]> {
        let whole = self.places.is_outermost() && begins(trees, &format!("const {PLACES} : [] = [] ;"));
        let places = whole.then(|| trees.get(5)).flatten()?;
        self.places.tabled(inside(places).iter().filter(|place| is_group(place, Delimiter::Parenthesis)).count());
        trees.get(7..)
    }

    /// What the function is entered with.
    fn entry<'t>(&mut self, trees: &'t [TokenTree]) -> Result<Option<&'t [TokenTree]>, Fault> {
        let is = |name: &str| begins(trees, &format!("let {name}")) || begins(trees, &format!("let mut {name}"));
        if !is(ENTRY) && !is(SCOPE) {
            return Ok(None);
        }
        let wrong = || fault(Kind::Hook, "what the function is entered with is not what the arguments say".into());
        let mut read = self.reader(trees);
        if !self.places.is_outermost() {
            return Err(wrong());
        }
        if is(SCOPE) {
            let given = Given::read_scope(&mut read).ok_or_else(wrong)?;
            self.scoped(&given).ok_or_else(wrong)?;
            return Ok(Some(read.rest));
        }
        self.given.read(&mut read).filter(|()| self.given.is_noted()).ok_or_else(wrong)?;
        Ok(Some(read.rest))
    }

    /// The arguments of a macro, which has to be known where there are hooks in them.
    fn in_macro(&mut self, path: &[String], trees: &[TokenTree]) -> Result<Vec<Node>, Fault> {
        let before = self.places.launches();
        let asserts = path.last().is_some_and(|last| ASSERTS.contains(&last.as_str()));
        let nodes = if asserts { self.assertion(trees)? } else { self.stream(trees)? };
        if self.places.launches() > before && !is_looked_into(path) {
            return Err(fault(Kind::Standing, format!("a hook in the tokens of `{}!`", path.join("::"))));
        }
        Ok(nodes)
    }

    /// The arguments of an `assert!`: where there is no message, its text is shown.
    fn assertion(&mut self, trees: &[TokenTree]) -> Result<Vec<Node>, Fault> {
        let before = self.places.launches();
        let nodes = self.stream(trees)?;
        let alone = !trees.iter().rev().skip(1).any(|tree| is_punct(tree, ','));
        if alone && self.places.launches() > before {
            return Err(fault(Kind::Changed, "an assertion shows the text of a hook".into()));
        }
        Ok(nodes)
    }
}

/// What may stand in front of a `!` that is no macro's.
const KEYWORDS: &[&str] = &["if", "while", "match", "return", "break", "in", "mut", "const", "as", "else"];

/// The path of a macro whose tokens come next.
fn macro_path(before: &[Node]) -> Option<Vec<String>> {
    let (Node::Leaf(mark), mut before) = before.split_last()? else { return None };
    is_punct(mark, '!').then_some(())?;
    let mut path = Vec::new();
    while let [front @ .., Node::Leaf(TokenTree::Ident(name))] = before {
        path.insert(0, name.to_string());
        let [front @ .., Node::Leaf(one), Node::Leaf(two)] = front else { break };
        if !is_punct(one, ':') || !is_punct(two, ':') {
            break;
        }
        before = front;
    }
    // `if !(..)` negates, and `-> &'a ! {..}` never comes back.
    let keyword = |word: &TokenTree| KEYWORDS.iter().any(|known| is_ident(word, known));
    let negated = match before {
        [.., Node::Leaf(mark), Node::Leaf(_)] if is_punct(mark, '\'') => true,
        [.., Node::Leaf(word)] => path.len() == 1 && keyword(word),
        _ => false,
    };
    (!path.is_empty() && !negated).then_some(path)
}
