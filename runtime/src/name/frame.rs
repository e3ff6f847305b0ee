//! A function on the call stack, as names show it.

use std::borrow::Cow;

use super::caller::{self, by_layout};
use super::{Spot, path};

/// A function, and the place in it that called.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    /// As of a site: the last module and the function.
    pub(crate) function: Cow<'static, str>,
    /// The package and the path inside it; empty where the program has no lines.
    pub(crate) file: String,
    pub(crate) line: u32,
    pub(crate) column: u32,
    of_crate: Cow<'static, str>,
}

impl Frame {
    /// Nobody outside of the internal crates called: in the function's place.
    pub(crate) const NOBODY: Self = Self {
        function: Cow::Borrowed("(no caller)"),
        file: String::new(),
        line: 0,
        column: 0,
        of_crate: Cow::Borrowed(""),
    };

    #[cfg_attr(not(feature = "stack"), allow(dead_code))] // nobody walks the stack
    pub(crate) fn nobody() -> &'static Self {
        static NOBODY: Frame = Frame::NOBODY;
        &NOBODY
    }

    /// `name` is the function's name, as a demangler gives it, with the crate where it does not begin with that, and `file`
    /// the path that the compiler was given.
    #[cfg_attr(not(feature = "stack"), allow(dead_code))] // nobody walks the stack
    pub(crate) fn of(name: &str, of_crate: Option<&str>, file: &str, line: u32, column: u32) -> Self {
        let name = plain(name);
        // Of a closure alone nobody knows the function.
        let function = path::function(&name).unwrap_or_else(|| name.replace("{{closure}}", "closure"));
        let of_crate = of_crate.unwrap_or_else(|| crate_of(&name)).to_owned();
        Self { function: function.into(), file: in_package(file, &of_crate), line, column, of_crate: of_crate.into() }
    }

    pub(crate) fn is_nobody(&self) -> bool {
        *self == Self::NOBODY
    }

    /// Whether it says where the call stands.
    pub(crate) fn has_place(&self) -> bool {
        !self.file.is_empty()
    }

    /// The file, for a launch at `site`: of a crate that has launches of its own it is known which package it is of.
    pub(super) fn file(&self, site: &Spot) -> String {
        let is_sites = site.module.split("::").next() == Some(&self.of_crate);
        match self.file.split_once('/') {
            Some((_, inside)) if is_sites => caller::in_package(site.package, inside),
            _ => self.file.clone(),
        }
    }

    /// What functions of one name have in common, whatever they were instantiated with: `Dense::forward` of
    /// `<app::Dense<f32>>::forward`; and whether it is a closure in that.
    #[cfg_attr(not(feature = "stack"), allow(dead_code))] // nobody walks the stack
    pub(crate) fn bare(name: &str) -> (String, bool) {
        let name = plain(name);
        let mut depth = 0_usize;
        let mut before = ' ';
        let short = path::function(&name).unwrap_or_else(|| name.clone());
        let bare = short.chars().filter(|&c| {
            let closes = c == '>' && before != '-';
            depth += usize::from(c == '<');
            let kept = depth == 0;
            depth = depth.saturating_sub(usize::from(closes));
            before = c;
            kept
        });
        (bare.collect(), name.ends_with("{{closure}}"))
    }
}

/// In the form that the compiler gives of a type: without the turbofish, and with closures of one kind.
fn plain(name: &str) -> String {
    let mut text = name.replace("::<", "<");
    for (from, to) in [("{closure#", "{{closure}}"), ("{async_block#", "{{closure}}"), ("{async_fn#", "{{closure}}")] {
        while let Some(at) = text.find(from) {
            let end = text.get(at..).and_then(|rest| rest.find('}')).map_or(text.len(), |end| at + end + 1);
            text.replace_range(at..end, to);
        }
    }
    for shim in ["{{vtable.shim}}", "{shim:vtable#0}"] {
        text = text.replace(&format!("::{shim}"), "").replace(shim, "");
    }
    text
}

/// The crate of a function, by its name.
fn crate_of(name: &str) -> &str {
    let start = name.find(|c: char| c.is_alphanumeric() || c == '_').unwrap_or(0);
    let rest = name.get(start..).unwrap_or_default();
    // A trait's method for a type of the language is of the trait's crate.
    let rest = match rest.split_once(" as ") {
        Some((of, of_trait)) if !of.contains("::") => of_trait,
        _ => rest,
    };
    let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
    // A name without a path has none.
    if rest.get(end..).is_some_and(|behind| behind.starts_with("::")) {
        rest.get(..end).unwrap_or_default()
    } else {
        ""
    }
}

/// The path of a file inside its package. What the compiler wrote down of it has the folder of the checkout, which may be
/// called anything: the crate's own name stands in its place, where it is not the folder's in another spelling.
fn in_package(file: &str, of_crate: &str) -> String {
    if file.is_empty() {
        return String::new();
    }
    let path = by_layout(file);
    let of_registry = file.replace('\\', "/").contains("/registry/src/");
    match path.split_once('/') {
        Some((folder, _)) if of_registry || folder.replace('-', "_") == of_crate => path,
        Some((_, inside)) if !of_crate.is_empty() => format!("{of_crate}/{inside}"),
        _ => path,
    }
}

#[cfg(test)]
mod tests {
    use super::Frame;

    /// A function's whole name, its file, and what is shown of both.
    const TABLE: [(&str, &str, &str, &str); 22] = [
        ("app::ops::saxpy", "/home/u/app/src/ops.rs", "ops::saxpy", "app/src/ops.rs"),
        ("app::ops::saxpy", "/home/u/checkout-2/src/ops.rs", "ops::saxpy", "app/src/ops.rs"),
        ("my_app::run", "/home/u/my-app/src/main.rs", "my_app::run", "my-app/src/main.rs"),
        ("app::main", "/x/src/y/app/src/main.rs", "app::main", "app/src/main.rs"),
        ("app::run::{{closure}}", "/a/app/src/lib.rs", "app::run", "app/src/lib.rs"),
        ("app::run::{closure#0}", "/a/app/src/lib.rs", "app::run", "app/src/lib.rs"),
        ("app::run::{closure#0}::{closure#12}", "/a/app/src/lib.rs", "app::run", "app/src/lib.rs"),
        ("app::scale::<f32, 16>", "/a/app/src/lib.rs", "app::scale<f32, 16>", "app/src/lib.rs"),
        ("<app::Lin>::forward", "/a/app/src/lib.rs", "Lin::forward", "app/src/lib.rs"),
        ("app::Lin::forward", "/a/app/src/lib.rs", "Lin::forward", "app/src/lib.rs"),
        ("<app::Lin as nn::Forward>::forward", "/a/app/src/lib.rs", "Lin::forward", "app/src/lib.rs"),
        ("<app::Dense<half::bf16>>::forward", "/a/app/src/lib.rs", "Dense<bf16>::forward", "app/src/lib.rs"),
        ("<f32 as app::Layer>::apply", "/a/app/src/lib.rs", "f32::apply", "app/src/lib.rs"),
        ("<&app::Lin as nn::Forward>::forward", "/a/app/src/lib.rs", "&Lin::forward", "app/src/lib.rs"),
        ("app::r#move::go", "/a/app/src/move.rs", "r#move::go", "app/src/move.rs"),
        ("app::größe::messen", "/a/app/src/größe.rs", "größe::messen", "app/src/größe.rs"),
        (
            "candle_core::ops::run",
            "/home/u/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/candle-core-0.9.1/src/ops.rs",
            "ops::run",
            "candle-core/src/ops.rs",
        ),
        (
            "candle_core::ops::run",
            "/home/u/.cargo/git/checkouts/candle-0a1b2c/d4e5f6a/candle-core/src/ops.rs",
            "ops::run",
            "candle-core/src/ops.rs",
        ),
        // A package at the root of what git checked out: its folder is a hash.
        (
            "solver::run",
            "/home/u/.cargo/git/checkouts/solver-0a1b2c/d4e5f6a/src/lib.rs",
            "solver::run",
            "solver/src/lib.rs",
        ),
        ("it::smoke", "/home/u/app/tests/it.rs", "it::smoke", "it/tests/it.rs"),
        ("train_step", "/home/u/app/csrc/train.c", "train_step", "train.c"),
        ("app::ops::saxpy", "", "ops::saxpy", ""),
    ];

    #[test]
    fn s2_8_functions_of_a_stack_have_the_form_of_sites() {
        for (name, file, function, shown) in TABLE {
            let frame = Frame::of(name, None, file, 7, 3);
            assert_eq!((&*frame.function, &*frame.file), (function, shown), "{name} {file}");
        }
    }

    #[test]
    fn a_function_is_known_in_every_spelling() {
        for (one, other) in [
            ("app::ops::scale<f32>::{{closure}}", "app::ops::scale"),
            ("app::ops::scale<f32>::{{closure}}", "app::ops::scale::<f32>"),
            ("<app::Lin as app::Forward>::forward::{{closure}}", "<app::Lin as app::Forward>::forward"),
            ("app::Dense<f32>::forward::{{closure}}", "<app::Dense<f32>>::forward"),
            ("app::Dense<f32>::forward::{{closure}}", "app::Dense<T>::forward"),
            ("app::f<fn(u8) -> u8>::{{closure}}", "app::f"),
        ] {
            assert_eq!(Frame::bare(one).0, Frame::bare(other).0, "{one} {other}");
        }
        assert!(Frame::bare("app::f::{closure#0}").1 && !Frame::bare("app::f").1);
    }
}
