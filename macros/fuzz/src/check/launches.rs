//! The form of each hook, and the user's code in it.

use proc_macro2::{Delimiter, TokenTree};

use super::fault::{Fault, Kind, fault};
use super::hooks::{ENTRY, Form, LOOKS, PLACES, STARTS, STATE, form};
use super::nodes::{Node, begins, exact, inside, is_group, is_ident, is_punct};
use super::parts::{Reader, between_commas, is_place};
use super::strip::Strip;

/// Sites of a function, at most: a builder says which of them launches it.
const MOST_SITES: usize = 1 << 12;

/// Tokens that were read, as nodes, and the tokens behind them.
type Read<'t> = (Vec<Node>, &'t [TokenTree]);

impl Strip<'_> {
    /// A hook and what it keeps.
    pub(super) fn hook<'t>(&mut self, trees: &'t [TokenTree]) -> Result<Option<Read<'t>>, Fault> {
        let mut read = self.reader(trees);
        let Some(name) = read.any_private() else { return Ok(None) };
        let wrong = |told| misshapen(&name, told);
        let unknown = || fault(Kind::Hook, format!("`__private::{name}` is not in the table of check/hooks.rs"));
        let form = form(&name).ok_or_else(unknown)?;
        if matches!(form, Form::Around) {
            read.tokens("!").ok_or_else(|| wrong("no macro"))?;
        }
        let inner = read.group(Delimiter::Parenthesis).ok_or_else(|| wrong("stands by itself"))?;
        let nodes = match form {
            Form::Call => self.call(&inner)?,
            Form::Graph => self.graph(&inner)?,
            Form::Beside => self.beside(&inner)?,
            Form::Around => self.cust(&inner)?,
            Form::Value => self.stream(self.argument(&name, &inner)?)?,
            Form::Part => {
                let value = self.part(self.argument(&name, &inner)?);
                self.stream(value.ok_or_else(|| wrong("no `Part`"))?)?
            }
            Form::Receiver => {
                let value = self.stream(self.argument(&name, &inner)?)?;
                vec![Node::Loose(Delimiter::Parenthesis, value)]
            }
            Form::GraphReceiver => {
                let value = self.argument(&name, &inner)?;
                let value = self.receiver(value).ok_or_else(|| wrong("its place is another"))?;
                vec![Node::Loose(Delimiter::Parenthesis, self.stream(value)?)]
            }
            Form::Within => return Err(wrong("stands by itself")),
        };
        Ok(Some((nodes, read.rest)))
    }

    /// What is behind `&mut state,`, where the state is that of the launch around.
    fn argument<'t>(&self, name: &str, trees: &'t [TokenTree]) -> Result<&'t [TokenTree], Fault> {
        let mut read = self.reader(trees);
        let state = read.borrowed().ok_or_else(|| misshapen(name, "no state"))?;
        if self.around.last() != Some(&state) {
            return Err(misshapen(name, "the state of another launch"));
        }
        read.tokens(",").ok_or_else(|| misshapen(name, "no value"))?;
        Ok(read.rest)
    }

    /// What is behind `root::__private::Part::Kind,`.
    fn part<'t>(&self, trees: &'t [TokenTree]) -> Option<&'t [TokenTree]> {
        let mut read = self.reader(trees);
        read.private("Part")?;
        read.tokens(": :")?;
        let TokenTree::Ident(_) = read.tree()? else { return None };
        read.tokens(",")?;
        Some(read.rest)
    }

    /// `start(..), looks, CALL, &mut state`.
    fn call(&mut self, trees: &[TokenTree]) -> Result<Vec<Node>, Fault> {
        let mut read = self.reader(trees);
        let mut front = || {
            let (state, kind) = self.started(&mut read)?;
            read.tokens(",")?;
            self.looks(read.tree()?, state)?;
            read.tokens(",")?;
            Some((state, kind))
        };
        let (state, kind) = front().ok_or_else(|| misshapen("done", "its first arguments are others"))?;
        let call = self.last("done", read.rest, state)?;
        if kind != if is_graph(call) { "Graph" } else { "Kernel" } {
            return Err(misshapen("done", "its launch is of another kind"));
        }
        self.within(state, call)
    }

    /// `start(&mut state, site, instance)`: the state, and what kind of launch it is.
    fn started(&mut self, read: &mut Reader<'_, '_>) -> Option<(usize, String)> {
        let name = read.any_private()?;
        STARTS.contains(&name.as_str()).then_some(())?;
        let given = read.group(Delimiter::Parenthesis)?;
        let mut read = self.reader(&given);
        let state = read.borrowed()?;
        read.tokens(",")?;
        let kind = self.place(&mut read, state)?;
        read.end()?;
        Some((state, kind))
    }

    /// `looks, CALL, &mut state`.
    fn graph(&mut self, trees: &[TokenTree]) -> Result<Vec<Node>, Fault> {
        let wrong = |told| misshapen("done_graph", told);
        let mut last = self.reader(trees.get(trees.len().saturating_sub(3)..).unwrap_or_default());
        let state = last.borrowed().ok_or_else(|| wrong("no state"))?;
        let mut read = self.reader(trees);
        let looks = read.tree().filter(|_| read.tokens(",").is_some()).ok_or_else(|| wrong("no looks"))?;
        let call = self.last("done_graph", read.rest, state)?;
        let looked = if is_group(looks, Delimiter::Parenthesis) {
            let entered = self.reader(call).private("recv_graph");
            entered.filter(|()| inside(looks).is_empty())
        } else {
            self.looks_at_graph(looks, state)
        };
        looked.ok_or_else(|| wrong("it is not looked at"))?;
        self.within(state, call)
    }

    /// `{ see_graph!(state, &raw const place, site, instance, entry); }`.
    fn looks_at_graph(&mut self, looks: &TokenTree, state: usize) -> Option<()> {
        let given = self.one_macro(looks, "see_graph")?;
        let [own, place, of @ ..] = between_commas(&given).try_into().ok().map(|parts: [_; 5]| parts)?;
        let mut own = self.reader(own);
        (own.number(STATE)? == state).then_some(())?;
        own.end()?;
        let mut place = self.reader(place);
        place.tokens("& raw const")?;
        is_place(place.rest).then_some(())?;
        self.placed(&of, state, "Graph")
    }

    /// What is in `{ name!(..); }`.
    fn one_macro(&self, block: &TokenTree, name: &str) -> Option<Vec<TokenTree>> {
        let trees = is_group(block, Delimiter::Brace).then(|| inside(block))?;
        let mut read = self.reader(&trees);
        read.private(name)?;
        read.tokens("!")?;
        let given = read.group(Delimiter::Parenthesis)?;
        read.tokens(";")?;
        read.end()?;
        Some(given)
    }

    /// `VALUE, site, instance, entry`: the value, which may hold commas.
    fn receiver<'t>(&mut self, trees: &'t [TokenTree]) -> Option<&'t [TokenTree]> {
        let parts = between_commas(trees);
        let of: [_; 3] = parts.get(parts.len().checked_sub(3)?..)?.try_into().ok()?;
        let state = *self.around.last()?;
        self.placed(&of, state, "Graph")?;
        let behind = of.iter().map(|part| part.len() + 1).sum::<usize>();
        trees.get(..trees.len().checked_sub(behind)?)
    }

    /// `{ see_capture!(&raw const place); }, CALL`, or `{ fetch!(site, instance, entry, line); }, CALL`.
    fn beside(&mut self, trees: &[TokenTree]) -> Result<Vec<Node>, Fault> {
        let wrong = || misshapen("beside", "its look is another");
        let mut read = self.reader(trees);
        let look = read.tree().ok_or_else(wrong)?;
        read.tokens(",").ok_or_else(wrong)?;
        let call = read.rest;
        let told = match self.one_macro(look, "see_capture") {
            Some(given) => {
                let mut place = self.reader(&given);
                place.tokens("& raw const").filter(|()| is_place(place.rest))
            }
            None => self.one_macro(look, "fetch").and_then(|given| self.fetched(&given)),
        };
        told.ok_or_else(wrong)?;
        self.stream(call)
    }

    /// `site, instance, entry, line` of a builder, whose launch is ahead.
    fn fetched(&mut self, given: &[TokenTree]) -> Option<()> {
        let [site, instance, entry, line]: [_; 4] = between_commas(given).try_into().ok()?;
        let mut line = self.reader(line);
        line.private("line")?;
        line.tokens("! ()")?;
        line.end()?;
        // The site is told once more by its launch, which counts for the table.
        let pointing = self.places.pointing();
        let index = (0..MOST_SITES).find(|index| self.placed(&[site, instance, entry], *index, "Kernel").is_some());
        self.places.point_to(pointing);
        index.map(|_| ())
    }

    /// `state, "kernel", site, instance, entry, CALL`, where the call is as it was.
    fn cust(&mut self, trees: &[TokenTree]) -> Result<Vec<Node>, Fault> {
        let wrong = || misshapen("around", "its arguments are others");
        let [own, kernel, site, instance, entry, call] =
            between_commas(trees).try_into().ok().map(|parts: [_; 6]| parts).ok_or_else(wrong)?;
        let state = self.reader(own).number(STATE).ok_or_else(wrong)?;
        let named = call.last().map(inside).and_then(|call| match call.as_slice() {
            [_, dot, TokenTree::Ident(kernel), ..] if is_punct(dot, '.') => Some(kernel.to_string()),
            [_, ..] => Some(String::new()),
            [] => None,
        });
        let told = matches!((kernel, named), ([TokenTree::Literal(text)], Some(named)) if text.to_string() == format!("{named:?}"));
        self.placed(&[site, instance, entry], state, "Kernel").filter(|()| told).ok_or_else(wrong)?;
        self.places.launch(state)?;
        Ok(exact(call))
    }

    /// What is in front of `, &mut state`.
    fn last<'t>(&self, name: &str, trees: &'t [TokenTree], state: usize) -> Result<&'t [TokenTree], Fault> {
        let (call, end) = trees.split_at(trees.len().saturating_sub(4));
        let mut end = self.reader(end);
        let ended = end.tokens(",").and_then(|()| end.borrowed()).filter(|last| *last == state);
        ended.map(|_| call).ok_or_else(|| misshapen(name, "its last argument is another"))
    }

    /// The call of a launch.
    fn within(&mut self, state: usize, call: &[TokenTree]) -> Result<Vec<Node>, Fault> {
        self.places.launch(state)?;
        self.around.push(state);
        let nodes = self.stream(call)?;
        self.around.pop();
        Ok(nodes)
    }

    /// `()`, or a block with `enter(&mut state, &entry);`, `see!(state, &raw const place);` or both, where evaluating the place does
    /// nothing.
    fn looks(&self, seen: &TokenTree, state: usize) -> Option<()> {
        let trees = inside(seen);
        if is_group(seen, Delimiter::Parenthesis) {
            return trees.is_empty().then_some(());
        }
        let mut read = self.reader(&trees);
        let mut name = read.any_private()?;
        if name == "enter" {
            let given = read.group(Delimiter::Parenthesis)?;
            read.tokens(";")?;
            let mut given = self.reader(&given);
            (given.borrowed()? == state).then_some(())?;
            given.tokens(&format!(", & {ENTRY}"))?;
            given.end()?;
            if read.end().is_some() {
                return Some(());
            }
            name = read.any_private()?;
        }
        LOOKS.contains(&name.as_str()).then_some(())?;
        read.tokens("!")?;
        let given = read.group(Delimiter::Parenthesis)?;
        read.tokens(";")?;
        read.end()?;
        let mut given = self.reader(&given);
        (given.number(STATE)? == state).then_some(())?;
        given.tokens(", & raw const")?;
        is_place(given.rest).then_some(())
    }

    /// `site, instance, entry` of a scope.
    pub(super) fn scoped(&mut self, trees: &[TokenTree]) -> Option<()> {
        self.places.scope(0);
        self.placed(&between_commas(trees).try_into().ok()?, 0, "Scope")
    }

    fn placed(&mut self, of: &[&[TokenTree]; 3], index: usize, kind: &str) -> Option<()> {
        let [site, instance, entry] = of;
        let mut read = self.reader(site);
        (self.site(&mut read, index)? == kind).then_some(())?;
        read.end()?;
        let mut read = self.reader(instance);
        is_instance(&mut read)?;
        read.end()?;
        let mut read = self.reader(entry);
        read.tokens("&")?;
        if read.tokens(ENTRY).is_none() {
            read.private("Entry")?;
            read.tokens(": : NONE")?;
        }
        read.end()
    }

    /// `site!(..), instance(&|| ())`: of which kind the site says that it is.
    fn place(&mut self, read: &mut Reader<'_, '_>, index: usize) -> Option<String> {
        let kind = self.site(read, index)?;
        read.tokens(",")?;
        is_instance(read)?;
        Some(kind)
    }

    fn site(&mut self, read: &mut Reader<'_, '_>, index: usize) -> Option<String> {
        read.private("site")?;
        read.tokens("!")?;
        let site = read.group(Delimiter::Parenthesis)?;
        let parts = between_commas(&site);
        (parts.len() == 15).then_some(())?;
        let mut kind = self.reader(parts.first()?);
        kind.private("Kind")?;
        kind.tokens(": :")?;
        let told = kind.tree()?.to_string();
        kind.end()?;
        let (table, number) = (*parts.get(9)?, *parts.get(10)?);
        if begins(table, &format!("& {PLACES}")) {
            begins(number, &format!("{index}usize")).then_some(())?;
            self.places.point();
        } else {
            (begins(table, "& []") && begins(number, "0")).then_some(())?;
        }
        Some(told)
    }
}

/// Whether a call is one of those of the driver that launch graphs.
fn is_graph(call: &[TokenTree]) -> bool {
    let front = call.split_last().map_or(call, |(_, front)| front);
    let named = |tree: &TokenTree| is_ident(tree, "cuGraphLaunch") || is_ident(tree, "cudaGraphLaunch");
    front.iter().any(named) || front.windows(4).any(|four| begins(four, "graph : : launch"))
}

fn is_instance(read: &mut Reader<'_, '_>) -> Option<()> {
    read.private("instance")?;
    let instance = read.group(Delimiter::Parenthesis)?;
    let whole = instance.len() == 4 && begins(&instance, "& | | ()") && inside(instance.last()?).is_empty();
    whole.then_some(())
}

fn misshapen(name: &str, told: &str) -> Fault {
    fault(Kind::Hook, format!("the form of `{name}` is not the one in check/hooks.rs: {told}"))
}
