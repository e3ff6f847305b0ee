//! What is known of a launch site when the program is compiled.

use super::caller::in_package;
use super::terms::naming;
use super::{File, Frame};
use crate::config::{Names, Word};
use crate::record::Kind;

/// Where a launch stands.
#[derive(Clone, Copy, Debug)]
pub struct Spot {
    /// What is launched.
    pub kind: Kind,
    /// The function's own name, should the compiler's path of it not be readable.
    pub function: &'static str,
    /// What `name = ".."` says in place of the function's path; empty without.
    pub given: &'static str,
    /// What `category = ".."` says in place of the module; empty without.
    pub category: &'static str,
    /// What `color = ..` says: red, green and blue.
    pub color: Option<u32>,
    /// The module's full path.
    pub module: &'static str,
    /// The package's name; empty where something else than cargo builds it.
    pub package: &'static str,
    /// The file: one for all of its sites, as far as the compiler puts the same constants together.
    pub file: &'static File,
    /// The line of the launch call.
    pub line: u32,
    /// Its column.
    pub column: u32,
    /// What the name needs beside the line.
    pub twin: Twin,
    /// What the attribute says it is named after.
    pub by: By,
}

/// What a function's launches are named after, as far as its attribute says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// It says nothing: `LAUNCHSITE_NAMES` does.
    Unsaid,
    /// `caller`.
    Caller,
    /// `internal`.
    Internal,
    /// `stack`.
    Stack,
    /// `internal` and `stack`.
    InternalStack,
}

impl Spot {
    /// Whether the name is given, and so the same in all instantiations.
    pub(crate) fn is_named(&self) -> bool {
        !self.given.is_empty() && !naming().format.has(Word::Types)
    }

    /// What its launches are named after. A helper's have the caller's place by themselves.
    pub(crate) fn names(&self) -> Names {
        match (self.by, naming().names) {
            (By::Stack | By::InternalStack, _) | (By::Internal, Names::Stack) => Names::Stack,
            (By::Caller | By::Internal, _) => Names::Site,
            (By::Unsaid, names) => names,
        }
    }

    /// Whether the function is a helper, by what its attribute says.
    pub(crate) fn is_helper(&self) -> bool {
        matches!(self.by, By::Internal | By::InternalStack)
    }

    /// Whether a frame stands in a file that is internal.
    #[cfg_attr(not(feature = "stack"), allow(dead_code))] // nobody walks the stack
    pub(crate) fn finds_internal(&self, frame: &Frame) -> bool {
        naming().internal.has_file(&frame.file(self))
    }

    /// Whether it stands in what `LAUNCHSITE_INTERNAL` says.
    pub(crate) fn is_internal(&self) -> bool {
        let internal = &naming().internal;
        let file = in_package(self.package, &self.file.inside());
        internal.has_path(&format!("{}::{}", self.module, self.function)) || internal.has_file(&file)
    }
}

#[cfg(test)]
impl Spot {
    /// Where a kernel is launched in a test.
    pub(crate) const fn in_a_test(line: u32) -> Self {
        Self {
            kind: Kind::Kernel,
            function: "f",
            given: "",
            category: "",
            color: None,
            module: "m",
            package: "",
            file: const { &File::of("f.rs", "", "", "") },
            line,
            column: 1,
            twin: Twin::None,
            by: By::Unsaid,
        }
    }
}

/// What a name needs beside its line to be the only one of its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Twin {
    /// The line is enough.
    None,
    /// Other sites stand on the line: the column tells them apart.
    Column,
    /// Others stand at the same column too, as in a macro's body: a number does.
    Number(usize),
}

/// Which of the function's sites needs what: `places` are lines and columns of all, `index` is this one's.
#[must_use]
pub const fn twin(places: &[(u32, u32)], index: usize) -> Twin {
    let mut same_line = 0;
    let mut same_place = 0;
    let mut earlier = 0;
    let mut at = 0;
    while at < places.len() {
        #[allow(clippy::indexing_slicing)] // in a constant, where a wrong index does not compile
        let (other, own) = (places[at], places[index]);
        if other.0 == own.0 {
            same_line += 1;
            if other.1 == own.1 {
                same_place += 1;
                if at < index {
                    earlier += 1;
                }
            }
        }
        at += 1;
    }
    match (same_line, same_place) {
        (_, 2..) => Twin::Number(earlier + 1),
        (2.., _) => Twin::Column,
        _ => Twin::None,
    }
}
