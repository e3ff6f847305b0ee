//! The items of a module, from one end to the other.

use super::Reason;
use super::token::{Kind, Token};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    Entry,
    Function,
    /// A variable whose storage is the module's: each copy of the module has its own.
    Variable,
    /// What has a name and no storage that outlives a kernel, or is another module's.
    Other,
    /// What speaks of the module as a whole.
    Directive,
    Section,
}

/// One item: its tokens, what it is, and what it defines and refers to.
#[derive(Debug)]
pub(super) struct Item<'t> {
    pub(super) what: What,
    pub(super) tokens: Vec<Token<'t>>,
    /// Its own names, and the labels in it.
    pub(super) defines: Vec<Token<'t>>,
    pub(super) refers: Vec<Token<'t>>,
    /// A variable with the module's storage that is declared inside it.
    pub(super) holds: Option<&'t str>,
}

impl Item<'_> {
    pub(super) fn range(&self) -> std::ops::Range<usize> {
        let start = self.tokens.first().map_or(0, |token| token.start);
        start..self.tokens.last().map_or(start, Token::end)
    }
}

/// Ends where its line does, or the next directive begins: no semicolon tells.
const WHOLE_MODULE: [&str; 4] = [".version", ".target", ".address_size", ".file"];
const LINKING: [&str; 4] = [".extern", ".visible", ".weak", ".common"];
const STORED: [&str; 3] = [".global", ".const", ".tex"];

pub(super) fn items<'t>(tokens: &[Token<'t>]) -> Result<Vec<Item<'t>>, Reason> {
    let (mut items, mut rest) = (Vec::new(), tokens);
    while let Some(first) = rest.first() {
        let length = length(first, rest)?;
        let (own, behind) = rest.split_at(length);
        items.push(item(own)?);
        rest = behind;
    }
    Ok(items)
}

fn length(first: &Token<'_>, rest: &[Token<'_>]) -> Result<usize, Reason> {
    if first.kind == Kind::Dotted && WHOLE_MODULE.contains(&first.text) {
        let next = |token: &Token<'_>| {
            // `8.1` is a number and, by its letters, something dotted.
            token.kind == Kind::Dotted && !token.text.as_bytes().get(1).is_some_and(u8::is_ascii_digit)
        };
        return Ok(rest.iter().skip(1).position(next).map_or(rest.len(), |at| at + 1));
    }
    let (mut depth, mut has_value) = (0_usize, false);
    for (at, token) in rest.iter().enumerate() {
        match token.kind {
            Kind::Sign(b'(' | b'[' | b'{') => depth += 1,
            Kind::Sign(b')' | b']' | b'}') => {
                depth = depth.checked_sub(1).ok_or(Reason::Syntax("a bracket that nothing opened"))?;
                // A body; a variable's value has a semicolon behind it.
                if token.is(b'}') && depth == 0 && !has_value {
                    return Ok(at + 1);
                }
            }
            Kind::Sign(b'=') if depth == 0 => has_value = true,
            Kind::Sign(b';') if depth == 0 => return Ok(at + 1),
            _ => {}
        }
    }
    Err(Reason::Syntax("an item without an end"))
}

fn item<'t>(tokens: &[Token<'t>]) -> Result<Item<'t>, Reason> {
    let is_linking = |token: &Token<'_>| token.kind == Kind::Dotted && LINKING.contains(&token.text);
    let linked = tokens.iter().take_while(|token| is_linking(token)).count();
    let (linking, declared) = tokens.split_at(linked);
    let first = declared.first().ok_or(Reason::Syntax("an item of nothing"))?;
    let is_foreign = linking.iter().any(|token| token.says(".extern"));
    let what = match first.text {
        _ if first.is(b';') => What::Directive,
        ".entry" => What::Entry,
        ".func" => What::Function,
        word if STORED.contains(&word) && !is_foreign => What::Variable,
        ".global" | ".const" | ".tex" | ".shared" | ".alias" => What::Other,
        ".section" => What::Section,
        word if WHOLE_MODULE.contains(&word) || word == ".pragma" => What::Directive,
        _ => return Err(Reason::Syntax("a directive that is not known here")),
    };
    let mut item = Item { what, tokens: tokens.to_vec(), defines: Vec::new(), refers: Vec::new(), holds: None };
    match what {
        What::Entry | What::Function => function(&mut item, declared)?,
        What::Variable | What::Other => variables(&mut item, declared, first.says(".alias")),
        What::Section => section(&mut item, declared),
        What::Directive => {}
    }
    Ok(item)
}

/// `.entry NAME (..) .maxntid 1 { .. }`, `.func (..) NAME (..) { .. }`, or the same without a body.
fn function<'t>(item: &mut Item<'t>, declared: &[Token<'t>]) -> Result<(), Reason> {
    let body = declared.iter().position(|token| token.is(b'{')).unwrap_or(declared.len());
    let (head, body) = declared.split_at(body);
    let mut depth = 0_usize;
    let name = head.iter().find(|token| {
        match token.kind {
            Kind::Sign(b'(') => depth += 1,
            Kind::Sign(b')') => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && token.kind == Kind::Name
    });
    let name = name.ok_or(Reason::Syntax("a function without a name"))?;
    item.defines.push(*name);
    let others = head.iter().filter(|token| token.kind == Kind::Name && token.start != name.start);
    item.refers.extend(others);
    statements(item, body);
    Ok(())
}

/// The statements of a body: what stands first in one is an opcode or a label, whatever else has its name.
fn statements<'t>(item: &mut Item<'t>, body: &[Token<'t>]) {
    let (mut first, mut ends_with_line) = (true, false);
    let mut tokens = body.iter().peekable();
    while let Some(token) = tokens.next() {
        if ends_with_line && token.begins_line {
            (first, ends_with_line) = (true, false);
        }
        match token.kind {
            Kind::Sign(b';') => first = true,
            Kind::Sign(b'@') if first => {
                // A guard: `@p` or `@!p`, and then the opcode.
                let _ = tokens.next_if(|token| token.is(b'!'));
                item.refers.extend(tokens.next());
            }
            Kind::Name if first && tokens.next_if(|next| next.is(b':')).is_some() => item.defines.push(*token),
            Kind::Name if first => first = false,
            Kind::Dotted if first => {
                first = false;
                ends_with_line = [".loc", ".file"].contains(&token.text);
                if STORED.contains(&token.text) {
                    item.holds = Some(token.text);
                }
            }
            Kind::Name => item.refers.push(*token),
            // Braces too: a block's, at the beginning of a statement, or a vector's inside of one.
            _ => {}
        }
    }
}

/// `.global .u32 A, B[2] = {1, C};`, `.alias A, C;`
fn variables<'t>(item: &mut Item<'t>, declared: &[Token<'t>], is_alias: bool) {
    let (mut depth, mut in_value) = (0_usize, false);
    for token in declared {
        match token.kind {
            Kind::Sign(b'(' | b'[' | b'{') => depth += 1,
            Kind::Sign(b')' | b']' | b'}') => depth = depth.saturating_sub(1),
            Kind::Sign(b'=') => in_value = true,
            Kind::Sign(b',') if depth == 0 => in_value = is_alias,
            Kind::Name if depth == 0 && !in_value => item.defines.push(*token),
            Kind::Name => item.refers.push(*token),
            _ => {}
        }
    }
}

/// Lines of data, which may have labels and speak of others.
fn section<'t>(item: &mut Item<'t>, declared: &[Token<'t>]) {
    let mut tokens = declared.iter().peekable();
    while let Some(token) = tokens.next() {
        if token.kind == Kind::Name {
            let is_label = tokens.peek().is_some_and(|next| next.is(b':'));
            if is_label { &mut item.defines } else { &mut item.refers }.push(*token);
        }
    }
}
