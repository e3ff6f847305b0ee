//! Takes the hooks out of an expansion, by the table in `hooks`. What does not look as it should is told.

use proc_macro2::{Delimiter, TokenTree};

use super::fault::{Fault, Kind, fault};
use super::hooks::{ASSERTS, Form, LOOKS, PLACES, STARTS, form};
use super::nodes::{Node, begins, equal, exact, inside, is_group, is_ident, is_punct};
use super::parts::{attributes, borrowed, is_place, number, with_text};
use super::places::Places;
use super::same::same;

pub(super) struct Strip<'r> {
    /// The runtime's path, as the expansion names it.
    root: &'r [TokenTree],
    places: Places,
    /// The launches around the walk's place.
    around: Vec<usize>,
}

/// Tokens that were read, as nodes, and the tokens behind them.
type Read<'t> = (Vec<Node>, &'t [TokenTree]);

impl<'r> Strip<'r> {
    pub(super) fn new(root: &'r [TokenTree]) -> Self {
        Self { root, places: Places::default(), around: Vec::new() }
    }

    pub(super) fn places(&self) -> &Places {
        &self.places
    }

    pub(super) fn stream(&mut self, trees: &[TokenTree]) -> Result<Vec<Node>, Fault> {
        let mut nodes = Vec::with_capacity(trees.len());
        let mut rest = trees;
        while let Some((first, after)) = rest.split_first() {
            if let Some(after) = self.declaration(rest)? {
                rest = after;
            } else if let Some(after) = self.table(rest) {
                rest = after;
            } else if let Some((kept, after)) = self.hook(rest)? {
                nodes.extend(kept);
                rest = after;
            } else {
                let node = self.one(first, &nodes)?;
                nodes.push(node);
                rest = after;
            }
        }
        Ok(nodes)
    }

    fn one(&mut self, tree: &TokenTree, before: &[Node]) -> Result<Node, Fault> {
        let TokenTree::Group(group) = tree else { return Ok(Node::Leaf(tree.clone())) };
        let (trees, delimiter) = (inside(tree), group.delimiter());
        if let [.., Node::Leaf(name), Node::Leaf(mark)] = before
            && is_punct(mark, '!')
            && ASSERTS.iter().any(|assert| is_ident(name, assert))
        {
            return Ok(Node::Group(delimiter, self.assertion(&trees)?));
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
        let given = closure && self.declared(&trees).is_some();
        let nodes = self.stream(&trees)?;
        self.places.leave();
        Ok(if given { Node::Loose(delimiter, nodes) } else { Node::Group(delimiter, nodes) })
    }

    /// `let mut launchsite_N = root::__private::Call::new();`: N, and what is behind it.
    fn declared<'t>(&self, trees: &'t [TokenTree]) -> Option<(usize, &'t [TokenTree])> {
        let (state, rest) = begins(trees, "let mut").then(|| trees.get(2..).and_then(number))??;
        let (name, rest) = begins(rest, "=").then(|| self.private(rest.get(1..)?))??;
        let whole = is_ident(name, "Call") && begins(rest, ": : new () ;");
        whole.then(|| rest.get(5..).map(|rest| (state, rest)))?
    }

    /// The conditions of a declaration are those of the statement behind it.
    fn declaration<'t>(&mut self, trees: &'t [TokenTree]) -> Result<Option<&'t [TokenTree]>, Fault> {
        let (given, behind) = attributes(trees);
        let Some((state, rest)) = self.declared(behind) else { return Ok(None) };
        self.places.declare(state)?;
        let mut statement = rest;
        while let Some((_, after)) = self.declared(attributes(statement).1) {
            statement = after;
        }
        let conditions: Vec<_> =
            attributes(statement).0.into_iter().filter(|one| begins(one, "cfg") && !begins(one, "cfg :")).collect();
        let alike = |one: &Vec<TokenTree>, other: &Vec<TokenTree>| same(one, &exact(other)).is_ok();
        let equal = conditions.len() == given.len() && conditions.iter().zip(&given).all(|(a, b)| alike(a, b));
        if !equal {
            let told = format!("launchsite_{state} is there under other conditions than its statement");
            return Err(fault(Kind::Standing, told));
        }
        Ok(Some(rest))
    }

    /// `const LAUNCHSITE_PLACES: [(u32, u32); 2usize] = [..];`
    fn table<'t>(&mut self, trees: &'t [TokenTree]) -> Option<&'t [TokenTree]> {
        let whole = begins(trees, &format!("const {PLACES} : [] = [] ;"));
        let places = whole.then(|| trees.get(5)).flatten()?;
        self.places.tabled(inside(places).iter().filter(|place| is_group(place, Delimiter::Parenthesis)).count());
        trees.get(7..)
    }

    /// `root::__private::name`: the name, and what is behind it.
    fn private<'t>(&self, trees: &'t [TokenTree]) -> Option<(&'t TokenTree, &'t [TokenTree])> {
        let (root, rest) = trees.split_at_checked(self.root.len())?;
        let ours = root.iter().zip(self.root).all(|(one, other)| equal(one, other));
        (ours && begins(rest, ": : __private : :")).then(|| rest.get(5..)?.split_first())?
    }

    fn hook<'t>(&mut self, trees: &'t [TokenTree]) -> Result<Option<Read<'t>>, Fault> {
        let Some((name, rest)) = self.private(trees) else { return Ok(None) };
        let name = name.to_string();
        let unknown = || fault(Kind::Hook, format!("`__private::{name}` is not in the table of check/hooks.rs"));
        let form = form(&name).ok_or_else(unknown)?;
        let Some((group, rest)) = rest.split_first() else { return Err(misshapen(&name, "nothing behind it")) };
        let inner = inside(group);
        let nodes = match form {
            Form::Call => self.call(&inner)?,
            Form::Value => self.stream(self.argument(&name, &inner)?)?,
            Form::Part => {
                let value = self.part(self.argument(&name, &inner)?);
                self.stream(value.ok_or_else(|| misshapen(&name, "no `Part`"))?)?
            }
            Form::Receiver => {
                let value = self.stream(self.argument(&name, &inner)?)?;
                vec![Node::Loose(Delimiter::Parenthesis, value)]
            }
            Form::Within => return Err(misshapen(&name, "stands by itself")),
        };
        Ok(Some((nodes, rest)))
    }

    /// What is behind `&mut state,`, where the state is that of the launch around.
    fn argument<'t>(&self, name: &str, trees: &'t [TokenTree]) -> Result<&'t [TokenTree], Fault> {
        let Some((state, rest)) = borrowed(trees) else { return Err(misshapen(name, "no state")) };
        if self.around.last() != Some(&state) {
            return Err(misshapen(name, "the state of another launch"));
        }
        rest.split_first().map(|(_, value)| value).ok_or_else(|| misshapen(name, "no value"))
    }

    /// What is behind `root::__private::Part::Kind,`.
    fn part<'t>(&self, trees: &'t [TokenTree]) -> Option<&'t [TokenTree]> {
        let (part, rest) = self.private(trees)?;
        let [one, two, TokenTree::Ident(_), comma, value @ ..] = rest else { return None };
        let whole = is_ident(part, "Part") && is_punct(one, ':') && is_punct(two, ':') && is_punct(comma, ',');
        whole.then_some(value)
    }

    /// `start(..), seen, CALL, &mut state`.
    fn call(&mut self, trees: &[TokenTree]) -> Result<Vec<Node>, Fault> {
        let wrong = |told| misshapen("done", told);
        let (name, rest) = self.private(trees).ok_or_else(|| wrong("no start"))?;
        let [start, one, seen, two, rest @ ..] = rest else { return Err(wrong("too few arguments")) };
        let (state, _) =
            borrowed(&inside(start)).map(|(state, rest)| (state, rest.len())).ok_or_else(|| wrong("no state"))?;
        let known = STARTS.iter().any(|start| is_ident(name, start));
        if !(known && is_punct(one, ',') && is_punct(two, ',') && self.looks(seen, state)) {
            return Err(wrong("its first arguments are others"));
        }
        let (call, end) = rest.split_at(rest.len().saturating_sub(4));
        let ended = end.split_first().filter(|(comma, _)| is_punct(comma, ',')).and_then(|(_, end)| borrowed(end));
        if !matches!(ended, Some((last, [])) if last == state) {
            return Err(wrong("its last argument is another"));
        }
        self.places.launch(state)?;
        self.around.push(state);
        let nodes = self.stream(call)?;
        self.around.pop();
        Ok(nodes)
    }

    /// `()`, or `{ root::__private::see!(state, &place); }`, where evaluating the place does nothing.
    fn looks(&self, seen: &TokenTree, state: usize) -> bool {
        let trees = inside(seen);
        if is_group(seen, Delimiter::Parenthesis) {
            return trees.is_empty();
        }
        let Some((name, [mark, group, end])) = self.private(&trees) else { return false };
        let inner = inside(group);
        let Some((number, [comma, and, place @ ..])) = number(&inner) else { return false };
        let marks = is_punct(mark, '!') && is_punct(end, ';') && is_punct(comma, ',') && is_punct(and, '&');
        LOOKS.iter().any(|look| is_ident(name, look)) && marks && number == state && is_place(place)
    }

    /// The arguments of an `assert!`: where only a condition was, its text was added.
    fn assertion(&mut self, trees: &[TokenTree]) -> Result<Vec<Node>, Fault> {
        let before = self.places.launches();
        let Some((condition, text)) = with_text(trees) else {
            let nodes = self.stream(trees)?;
            let alone = !trees.iter().rev().skip(1).any(|tree| is_punct(tree, ','));
            if alone && self.places.launches() > before {
                return Err(fault(Kind::Changed, "an assertion shows the text of a hook".into()));
            }
            return Ok(nodes);
        };
        let mut nodes = self.stream(condition)?;
        if self.places.launches() == before {
            return Err(fault(Kind::Changed, "an assertion without a launch got a text".into()));
        }
        same(&text, &nodes).map_err(|told| fault(Kind::Changed, format!("the text of an assertion: {told}")))?;
        nodes.push(Node::Comma);
        Ok(nodes)
    }
}

fn misshapen(name: &str, told: &str) -> Fault {
    fault(Kind::Hook, format!("the form of `{name}` is not the one in check/hooks.rs: {told}"))
}
