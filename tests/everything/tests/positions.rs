//! The annotator finds every function, and what it makes of a text compiles and does the same. That it does is shown by the
//! user interface's tests, with the feature on and off: what is written here is a file of theirs.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test ends where it fails

use std::collections::BTreeSet;
use std::path::Path;

use launchsite_everything::annotate::{Annotation, annotate};
use launchsite_everything::functions::{Function, Within, functions_of, rules_of};
use launchsite_everything::tokens::Tokens;

const POSITIONS: &str = include_str!("../positions.rs");

fn found(text: &str) -> (Vec<Function>, Vec<Function>) {
    let tokens = Tokens::of(text).unwrap();
    let mut own = BTreeSet::new();
    rules_of(&tokens.trees, &mut own);
    let found = functions_of(&tokens, &own);
    (found.functions, found.foreign)
}

fn annotated(text: &str, prelude: Option<&str>) -> String {
    let at = Tokens::of(text).unwrap().first_item().unwrap();
    let prelude = prelude.map(|text| (at, text.to_owned()));
    let (functions, _) = found(text);
    let annotation = Annotation { attribute: "@".to_owned(), first: false, prelude };
    annotate(text, &functions.iter().collect::<Vec<_>>(), &annotation).text
}

/// The file of the user interface's tests that `positions.rs` becomes with `attribute` on each of `functions`.
fn check(file: &str, attribute: &str, first: bool, functions: &[&Function]) {
    let annotation = Annotation { attribute: attribute.to_owned(), first, prelude: None };
    let expected = annotate(POSITIONS, functions, &annotation).text;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ui/pass").join(file);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &expected).unwrap();
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(there == expected, "{} is not what positions.rs becomes: run this test with UPDATE=1", path.display());
}

#[test]
fn every_position_carries_the_attribute() {
    let (functions, foreign) = found(POSITIONS);
    let foreign: Vec<_> = foreign.iter().map(|function| function.name.as_str()).collect();
    assert_eq!(foreign, ["quoted"]);
    // In a comment, quoted, declared twice without a body, and in what a macro matches.
    let no_functions = 5;
    assert_eq!(functions.len(), POSITIONS.matches("fn ").count() - no_functions);
    check("every_position.rs", "#[::launchsite::gpu_kernel]", false, &functions.iter().collect::<Vec<_>>());
}

#[test]
fn every_position_that_runs_on_a_thread_of_its_own_can_be_a_scope() {
    let (functions, _) = found(POSITIONS);
    let refused = |function: &&Function| {
        let signature = POSITIONS.get(function.at..function.body).unwrap();
        ["async fn", "const fn", "const unsafe"].iter().any(|word| signature.contains(word))
    };
    let (refused, scopes): (Vec<_>, Vec<_>) = functions.iter().partition(refused);
    assert_eq!(refused.len(), 8, "{refused:#?}");
    check("every_position_scope.rs", "#[::launchsite::gpu_kernel(scope)]", false, &scopes);
    // In front of documentation, `inline`, `cfg`, `track_caller` and what else a function may have.
    check("every_position_scope_first.rs", "#[::launchsite::gpu_kernel(scope)]", true, &scopes);
}

#[test]
fn the_attribute_goes_behind_the_others_and_in_front_of_the_qualifiers() {
    for (text, expected) in [
        ("fn f() {}", "@ fn f() {}"),
        (
            "/// d\n#[inline] pub(in a::b) const unsafe extern \"C\" fn f() {}",
            "/// d\n#[inline] @ pub(in a::b) const unsafe extern \"C\" fn f() {}",
        ),
        ("impl A { default async fn f() where A: B, {} }", "impl A { @ default async fn f() where A: B, {} }"),
        (
            "trait A { fn f() -> B<{ 1 }>; fn g() -> B<{ 1 }> {} }",
            "trait A { fn f() -> B<{ 1 }>; @ fn g() -> B<{ 1 }> {} }",
        ),
        ("type A = unsafe fn(u8); extern { fn f(); }", "type A = unsafe fn(u8); extern { fn f(); }"),
        ("fn f() -> fn() -> u8 { g() }", "@ fn f() -> fn() -> u8 { g() }"),
    ] {
        assert_eq!(annotated(text, None), expected);
    }
}

#[test]
fn what_macros_become_is_annotated_and_not_what_they_match() {
    for (text, expected) in [
        (
            "macro_rules! m { (fn $n:ident {}) => { fn $n() {} }; ($v:vis $b:block) => { $v fn f() $b } }",
            "macro_rules! m { (fn $n:ident {}) => { @ fn $n() {} }; ($v:vis $b:block) => { $v @ fn f() $b } }",
        ),
        (
            "macro_rules! m { ($vis:vis) => { $(#[$a])* $vis $(const)? fn f() {} } }",
            "macro_rules! m { ($vis:vis) => { $(#[$a])* @ $vis $(const)? fn f() {} } }",
        ),
        ("macro_rules! m { () => {} } m! { fn f() {} }", "macro_rules! m { () => {} } m! { @ fn f() {} }"),
        ("cfg_if::cfg_if! { if #[cfg(a)] { fn f() {} } }", "cfg_if::cfg_if! { if #[cfg(a)] { @ fn f() {} } }"),
        ("quote! { fn f() {} }", "quote! { fn f() {} }"),
        ("fn f() { if !(a) { fn g() {} } }", "@ fn f() { if !(a) { @ fn g() {} } }"),
    ] {
        assert_eq!(annotated(text, None), expected);
    }
    let (functions, _) = found("macro_rules! m { () => { fn f() {} } } m! { fn g() {} } fn h() {}");
    let within: Vec<_> = functions.into_iter().map(|function| function.within).collect();
    assert_eq!(within, [Within::Rules("m".into()), Within::Arguments("m".into()), Within::Code]);
}

#[test]
fn a_crate_of_the_first_edition_declares_launchsite_behind_its_own_attributes() {
    let text = "\u{feff}#!/bin/run\n//! docs\n#![no_std]\n/// f\nfn f() {}\n";
    let expected = "\u{feff}#!/bin/run\n//! docs\n#![no_std]\nextern crate x; /// f\n@ fn f() {}\n";
    assert_eq!(annotated(text, Some("extern crate x; ")), expected);
}
