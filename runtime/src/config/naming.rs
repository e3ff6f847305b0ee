//! What launches are called, and which of them are looked at: `LAUNCHSITE_NAMES`, `_NAME_FORMAT`, `_INTERNAL`, `_NESTED` and
//! `_FILTER`.

use std::ffi::OsString;

use super::Complaints;
use super::spelling::{boolean, list};
use crate::parts::Parts;

/// What names are made of, and which sites have what.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Naming {
    /// What launches are named after, where the function's attribute does not say.
    pub(crate) names: Names,
    /// What is passed over on the call stack.
    pub(crate) internal: Internal,
    pub(crate) format: Format,
    pub(crate) filter: Filter,
    /// Only the outermost range of a thread is shown to profilers.
    pub(crate) hides_nested: bool,
}

impl Naming {
    pub(super) fn read(variable: &impl Fn(&str) -> Option<OsString>, complaints: &mut Complaints) -> Self {
        let names = "LAUNCHSITE_NAMES";
        let names = complaints.value(names, variable(names), NAMES, Names::read);
        let internal = "LAUNCHSITE_INTERNAL";
        let internal = complaints.value(internal, variable(internal), INTERNAL, Internal::read);
        let format = "LAUNCHSITE_NAME_FORMAT";
        let format = complaints.value(format, variable(format), FORMAT, Format::read);
        let nested = "LAUNCHSITE_NESTED";
        let nested = complaints.value(nested, variable(nested), "show, hide; default: show", hides);
        let filter = "LAUNCHSITE_FILTER";
        let filter = complaints.value(filter, variable(filter), FILTER, Filter::read);
        Self {
            names: names.unwrap_or_default(),
            internal: internal.unwrap_or_default(),
            format: format.unwrap_or_default(),
            filter: filter.unwrap_or_default(),
            hides_nested: nested.unwrap_or_default(),
        }
    }
}

const NAMES: &str = if cfg!(feature = "stack") {
    "site, caller, stack; default: site"
} else {
    "site (caller and stack need launchsite's feature `stack`, which this program is built without)"
};
const INTERNAL: &str =
    "crates, modules or files, with commas: candle_core, my_crate::helpers, my-crate/src/launch; default: none";
const FORMAT: &str = "text with {function}, {module}, {file}, {line}, {column}, {kernel}, {caller} or {types}; \
                      default: {function} {file}:{line}";
const FILTER: &str = "paths of modules or functions, or * for all others, each with off, on, nvtx, time or nvtx+time: \
                      my_crate::ops=off,*=nvtx; default: none";

fn hides(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "show" => Some(false),
        "hide" => Some(true),
        _ => None,
    }
}

/// What a launch is named after.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Names {
    /// Its own place.
    #[default]
    Site,
    /// The place that called the function that it is in.
    Caller,
    /// The first function on the call stack that is not internal.
    Stack,
}

impl Names {
    fn read(text: &str) -> Option<Self> {
        let names = match text.to_ascii_lowercase().as_str() {
            "site" => Self::Site,
            "caller" => Self::Caller,
            "stack" => Self::Stack,
            _ => return None,
        };
        (names == Self::Site || cfg!(feature = "stack")).then_some(names)
    }
}

/// What is passed over on the call stack, beside what is nobody's own: crates and modules by their paths, and files by the
/// beginning of theirs.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Internal {
    paths: Vec<Path>,
    files: Vec<String>,
}

impl Internal {
    fn read(text: &str) -> Option<Self> {
        let mut internal = Self::default();
        for word in list(text) {
            if word.contains('/') {
                let file = word.trim_start_matches("./").trim_matches('/').to_owned();
                internal.files.push((!file.is_empty()).then_some(file)?);
            } else {
                internal.paths.push(Path::read(word)?);
            }
        }
        (internal != Self::default()).then_some(internal)
    }

    /// Whether a function is, by its full path.
    pub(crate) fn has_path(&self, function: &str) -> bool {
        self.paths.iter().any(|path| path.is_above(function))
    }

    /// Whether a file is, by its package's name and the path inside it: one that the user named, or of a package of
    /// which the crate is named.
    pub(crate) fn has_file(&self, file: &str) -> bool {
        let package = file.split('/').next().unwrap_or_default().replace('-', "_");
        let below = |folder: &String| {
            file.strip_prefix(folder.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '.']))
        };
        (!file.is_empty() && self.has_path(&package)) || self.files.iter().any(below)
    }
}

/// How a name is put together.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Format(Vec<Piece>);

/// A part of a name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Piece {
    Text(String),
    Of(Word),
}

/// What stands for something of the site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    Function,
    Module,
    File,
    Line,
    Column,
    Kernel,
    Caller,
    Types,
}

impl Piece {
    /// Whether it says where something stands.
    pub(crate) fn is_of_place(&self) -> bool {
        matches!(self, Self::Of(Word::File | Word::Line | Word::Column))
    }
}

impl Word {
    fn named(text: &str) -> Option<Self> {
        Some(match text.trim().to_ascii_lowercase().as_str() {
            "function" => Self::Function,
            "module" => Self::Module,
            "file" => Self::File,
            "line" => Self::Line,
            "column" => Self::Column,
            "kernel" => Self::Kernel,
            "caller" => Self::Caller,
            "types" => Self::Types,
            _ => return None,
        })
    }
}

impl Default for Format {
    fn default() -> Self {
        let [space, colon] = [" ", ":"].map(|text| Piece::Text(text.to_owned()));
        Self(vec![Piece::Of(Word::Function), space, Piece::Of(Word::File), colon, Piece::Of(Word::Line)])
    }
}

impl Format {
    /// Text with words in braces, one at least: all launches would have one name without. A doubled brace is a brace.
    fn read(text: &str) -> Option<Self> {
        let (mut pieces, mut plain) = (Vec::new(), String::new());
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            let (before, behind) = rest.split_at(at);
            let (brace, behind) = behind.split_at(1);
            plain.push_str(before);
            if let Some(doubled) = behind.strip_prefix(brace) {
                plain.push_str(brace);
                rest = doubled;
                continue;
            }
            let (word, behind) = behind.split_once('}').filter(|_| brace == "{")?;
            if !plain.is_empty() {
                pieces.push(Piece::Text(std::mem::take(&mut plain)));
            }
            pieces.push(Piece::Of(Word::named(word)?));
            rest = behind;
        }
        plain.push_str(rest);
        if !plain.is_empty() {
            pieces.push(Piece::Text(plain));
        }
        let format = Self(pieces);
        format.0.iter().any(|piece| matches!(piece, Piece::Of(_))).then_some(format)
    }

    pub(crate) fn pieces(&self) -> &[Piece] {
        &self.0
    }

    pub(crate) fn has(&self, word: Word) -> bool {
        self.0.contains(&Piece::Of(word))
    }
}

/// Which parts are on for launches under a path: of those that are on at all, so many and no more.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Filter(Vec<(Path, Parts)>);

impl Filter {
    fn read(text: &str) -> Option<Self> {
        let entry = |word: &str| {
            let (path, parts) = word.split_once('=')?;
            let path = if path.trim() == "*" { Path::default() } else { Path::read(path)? };
            Some((path, parts_of(parts.trim())?))
        };
        let entries: Vec<_> = list(text).map(entry).collect::<Option<_>>()?;
        (!entries.is_empty()).then_some(Self(entries))
    }

    /// What launches in `function`, by its full path, may have: what the longest path says that it is below, and of two
    /// that are the same the later.
    pub(crate) fn of(&self, function: &str) -> Parts {
        let above = self.0.iter().filter(|(path, _)| path.is_above(function));
        above.max_by_key(|(path, _)| path.0.len()).map_or(Parts::ALL, |&(_, parts)| parts)
    }
}

/// `on`, `off`, or parts with `+` between them.
fn parts_of(text: &str) -> Option<Parts> {
    match boolean(text) {
        Some(true) => return Some(Parts::ALL),
        Some(false) => return Some(Parts::NONE),
        None => {}
    }
    text.split('+').map(|word| Parts::named(word.trim())).try_fold(Parts::NONE, |all, part| Some(all | part?))
}

/// The path of a crate, a module or a function; above all others where it is empty. In any case, and with `-` for `_` too.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Path(String);

impl Path {
    fn read(text: &str) -> Option<Self> {
        let text = text.trim().trim_end_matches("::").replace('-', "_");
        let is_name =
            |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '#');
        text.split("::").all(is_name).then_some(Self(text))
    }

    fn is_above(&self, path: &str) -> bool {
        let (Some(start), Some(rest)) = (path.get(..self.0.len()), path.get(self.0.len()..)) else { return false };
        let ends = self.0.is_empty() || rest.is_empty() || rest.starts_with("::");
        ends && start.eq_ignore_ascii_case(&self.0)
    }
}
