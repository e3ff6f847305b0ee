//! How a name is put together of what is known of a site.

use std::fmt::Write;

use once_cell::race::OnceBox;

use super::Twin;
use crate::config::{Naming, Piece, Word};

/// What the first session of the process was asked for: a name stays as it was worked out, in a fork's child too.
static NAMING: OnceBox<Naming> = OnceBox::new();

/// Before anything is named.
pub(crate) fn settle(naming: &Naming) {
    // Somebody else's is the same: the environment is read once.
    let _ = NAMING.set(Box::new(naming.clone()));
}

pub(crate) fn naming() -> &'static Naming {
    NAMING.get_or_init(Box::default)
}

/// What is known of a site, for the words of a format. The place is the caller's, where the site is named after it.
pub(super) struct Known<'s> {
    pub(super) function: &'s str,
    pub(super) types: &'s str,
    pub(super) module: &'s str,
    pub(super) file: &'s str,
    pub(super) line: u32,
    pub(super) column: u32,
    pub(super) kernel: &'s str,
    pub(super) caller: &'s str,
    pub(super) twin: Twin,
    /// Without, file, line and column are not known, and left out with what stands between them.
    pub(super) has_place: bool,
}

impl Known<'_> {
    /// The name, as it was asked for. What of the site needs more than a line stands behind the line, or the column.
    pub(super) fn name(&self, naming: &Naming) -> String {
        let format = &naming.format;
        let with_column = format.has(Word::Column);
        let last = if format.has(Word::Line) { Word::Line } else { Word::Column };
        let mut name = String::new();
        for (at, piece) in format.pieces().iter().enumerate() {
            let is_place = |at: usize| format.pieces().get(at).is_some_and(Piece::is_of_place);
            match piece {
                Piece::Text(_) if !self.has_place && is_place(at.wrapping_sub(1)) && is_place(at + 1) => {}
                Piece::Of(_) if !self.has_place && piece.is_of_place() => {}
                Piece::Text(text) => name.push_str(text),
                Piece::Of(word) => {
                    name.push_str(&self.word(*word));
                    // Writing to a string cannot fail.
                    let _ = match self.twin {
                        Twin::Column if *word == last && !with_column => write!(name, ":{}", self.column),
                        Twin::Number(number) if *word == last => write!(name, "#{number}"),
                        _ => Ok(()),
                    };
                }
            }
        }
        let name = name.replace('\0', " ");
        let name = name.trim();
        if name.is_empty() { self.function.to_owned() } else { name.to_owned() }
    }

    fn word(&self, word: Word) -> String {
        match word {
            Word::Function => self.function.to_owned(),
            Word::Types => self.types.to_owned(),
            Word::Module => self.module.to_owned(),
            Word::File => self.file.to_owned(),
            Word::Line => self.line.to_string(),
            Word::Column => self.column.to_string(),
            Word::Kernel => self.kernel.to_owned(),
            Word::Caller => self.caller.to_owned(),
        }
    }
}
