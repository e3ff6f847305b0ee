//! Whether an annotated package is what the package is without.

use std::collections::BTreeSet;

use crate::cargo::{Build, Outcomes};

/// What differs.
#[derive(Debug, Default)]
pub struct Differences {
    /// Warnings that only the annotated package has.
    pub new_warnings: BTreeSet<String>,
    /// Warnings that only the plain one has.
    pub lost_warnings: BTreeSet<String>,
    /// Tests that end otherwise, or are there in one of them alone.
    pub tests: Vec<String>,
}

impl Differences {
    /// Adds those in what the compiler, or clippy, says.
    pub fn add_builds(&mut self, plain: &Build, annotated: &Build) {
        let (plain, annotated) = (plain.warnings(), annotated.warnings());
        self.new_warnings.extend(annotated.difference(&plain).cloned());
        self.lost_warnings.extend(plain.difference(&annotated).cloned());
    }

    /// Whether there are any.
    pub fn are_any(&self) -> bool {
        !(self.new_warnings.is_empty() && self.lost_warnings.is_empty() && self.tests.is_empty())
    }
}

/// The tests that never ended alike. A test that ended in more than one way by itself is alike where one of them is.
pub fn of_tests(plain: &Outcomes, annotated: &Outcomes) -> Vec<String> {
    let none = BTreeSet::new();
    let names: BTreeSet<_> = plain.keys().chain(annotated.keys()).collect();
    let differs = |name: &&&String| {
        let (plain, annotated) = (plain.get(**name).unwrap_or(&none), annotated.get(**name).unwrap_or(&none));
        plain.is_disjoint(annotated)
    };
    let said = |name: &String| {
        let of = |outcomes: &Outcomes| match outcomes.get(name) {
            Some(outcomes) => outcomes.iter().cloned().collect::<Vec<_>>().join(" or "),
            None => "not there".to_owned(),
        };
        format!("{name}: {} without, {} with", of(plain), of(annotated))
    };
    names.iter().filter(differs).map(|name| said(name)).collect()
}

/// Adds what a further run of the same tests gave.
pub fn add(outcomes: &mut Outcomes, more: Outcomes) {
    for (name, ends) in more {
        outcomes.entry(name).or_default().extend(ends);
    }
}
