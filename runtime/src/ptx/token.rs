//! The words of a PTX text.

use super::Reason;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An identifier, or an opcode: nothing in a token by itself tells.
    Name,
    /// `.entry`, `.u64`, `.x`: a dot and a word.
    Dotted,
    Number,
    Text,
    Sign(u8),
}

/// A token, and where it stands in the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'t> {
    pub(super) kind: Kind,
    pub(super) text: &'t str,
    pub(super) start: usize,
    /// It is the first of its line: some directives end with theirs.
    pub(super) begins_line: bool,
}

impl Token<'_> {
    pub(super) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    pub(super) fn is(&self, sign: u8) -> bool {
        self.kind == Kind::Sign(sign)
    }

    /// The directive `word`, as it is written.
    pub(super) fn says(&self, word: &str) -> bool {
        self.kind == Kind::Dotted && self.text == word
    }
}

/// All tokens of `text`; comments and blanks are none.
pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, Reason> {
    let bytes = text.as_bytes();
    let (mut tokens, mut at, mut begins_line) = (Vec::new(), 0, true);
    while let Some(&byte) = bytes.get(at) {
        let rest = bytes.get(at..).unwrap_or_default();
        match byte {
            b'\n' => (at, begins_line) = (at + 1, true),
            _ if byte.is_ascii_whitespace() => at += 1,
            _ if rest.starts_with(b"//") => at += position(rest, b"\n").unwrap_or(rest.len()),
            _ if rest.starts_with(b"/*") => {
                let inside = rest.get(2..).and_then(|inside| position(inside, b"*/"));
                at += inside.ok_or(Reason::Syntax("a comment without an end"))? + 4;
            }
            _ => {
                let (kind, length) = token(rest)?;
                let text = text.get(at..at + length).ok_or(Reason::Syntax("a character of no token"))?;
                tokens.push(Token { kind, text, start: at, begins_line });
                (at, begins_line) = (at + length, false);
            }
        }
    }
    Ok(tokens)
}

fn position(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

/// What the text begins with, and its length.
fn token(rest: &[u8]) -> Result<(Kind, usize), Reason> {
    let word = |from: usize| from + rest.iter().skip(from).take_while(|byte| follows(**byte)).count();
    match rest {
        [b'"', inside @ ..] => {
            let end = position(inside, b"\"").ok_or(Reason::Syntax("a string without an end"))?;
            Ok((Kind::Text, end + 2))
        }
        [b'.', next, ..] if follows(*next) => Ok((Kind::Dotted, word(1))),
        [first, ..] if first.is_ascii_digit() => Ok((Kind::Number, word(1))),
        [first, ..] if follows(*first) || *first == b'%' => Ok((Kind::Name, word(1))),
        [b'#', ..] => Err(Reason::Syntax("a line for the preprocessor")),
        [first, ..] if first.is_ascii_punctuation() => Ok((Kind::Sign(*first), 1)),
        _ => Err(Reason::Syntax("a character of no token")),
    }
}

/// What may follow in a word.
fn follows(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}
