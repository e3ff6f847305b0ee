//! What is printed: a row for each variant of each crate, and below them what a row only counts.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::cargo::Outcomes;
use crate::compare::Differences;
use crate::functions::Within;
use crate::package::Package;
use crate::variant::{Annotated, Left, Variant};

/// What became of one variant of one crate.
#[derive(Debug)]
pub struct Row {
    /// The crate, its version and features.
    pub package: String,
    /// The variant.
    pub variant: Variant,
    /// The annotated package.
    pub annotated: Annotated,
    /// How many warnings the crate has by itself.
    pub warnings: usize,
    /// What its tests gave.
    pub outcomes: Outcomes,
    /// What is not as it was.
    pub differences: Differences,
    /// Tests and examples that do not build as they were published.
    pub left_out: Vec<String>,
}

/// The names of the table's columns.
pub const HEAD: &str = "\
| crate | attribute, feature | functions: code, macros | refused | not taken by macros | not tried, in macros | warnings: own, new, lost | tests passed, failed, changed | |
|---|---|---:|---:|---:|---:|---:|---:|---|";

impl Row {
    /// Whether nothing has changed but what was asked for.
    pub fn is_good(&self) -> bool {
        self.annotated.build.built && !self.differences.are_any() && self.broken().next().is_none()
    }

    /// Functions in the crate's code that the compiler does not take with the attribute, though the attribute took them.
    fn broken(&self) -> impl Iterator<Item = &Left> {
        self.annotated.left.iter().filter(|left| left.within == Within::Code && !left.refused)
    }

    /// The row of the table.
    pub fn line(&self) -> String {
        let count = |kind| self.annotated.carried.get(kind).copied().unwrap_or_default();
        let ended = |end: &str| self.outcomes.values().filter(|ends| ends.contains(end)).count();
        let refused = self.annotated.left.iter().filter(|left| left.refused).count();
        let in_macros = self.annotated.left.iter().filter(|left| left.within != Within::Code && !left.refused).count();
        format!(
            "| {} | {} | {}, {} | {refused} | {in_macros} | {} | {}, {}, {} | {}, {}, {} | {} |",
            self.package,
            self.variant.name().replace('-', ", "),
            count("code"),
            count("macros"),
            self.annotated.foreign.values().sum::<usize>(),
            self.warnings,
            self.differences.new_warnings.len(),
            self.differences.lost_warnings.len(),
            ended("ok"),
            ended("FAILED"),
            self.differences.tests.len(),
            if self.is_good() { "same" } else { "**differs**" },
        )
    }

    /// What the row only counts.
    pub fn details(&self) -> String {
        let mut text = format!("{}, {}\n", self.package, self.variant.name());
        let mut reasons: BTreeMap<(&str, &str), Vec<&Left>> = BTreeMap::new();
        for left in &self.annotated.left {
            let who = match (&left.within, left.refused) {
                (_, true) => "refused",
                (Within::Code, false) => "BROKEN",
                _ => "not taken by a macro",
            };
            reasons.entry((who, &left.reason)).or_default().push(left);
        }
        for ((who, reason), functions) in reasons {
            // A write to a string does not fail.
            let _ = writeln!(text, "  {who}, {} functions: {}", functions.len(), reason.replace('\n', " "));
            for left in functions.iter().take(if who == "BROKEN" { usize::MAX } else { 3 }) {
                let _ = writeln!(text, "    {} `{}`{}", left.place, left.name, within(&left.within));
            }
        }
        if !self.annotated.foreign.is_empty() {
            let _ = writeln!(text, "  not tried, in macros: {}", counts(&self.annotated.foreign));
        }
        let Differences { new_warnings, lost_warnings, tests } = &self.differences;
        list(&mut text, "does not build as it was published", &self.left_out);
        list(&mut text, "new warning", new_warnings);
        list(&mut text, "lost warning", lost_warnings);
        list(&mut text, "changed test", tests);
        if !self.annotated.build.built {
            let errors = self.annotated.build.diagnostics.iter().filter(|said| said.level == "error");
            for error in errors.take(5) {
                let _ = writeln!(text, "{}", error.rendered);
            }
            let _ = writeln!(text, "{}", self.annotated.build.log);
        }
        text
    }
}

fn list<'l>(text: &mut String, what: &str, lines: impl IntoIterator<Item = &'l String>) {
    for line in lines {
        let _ = writeln!(text, "  {what}: {line}");
    }
}

/// `tokio 1.50.0 (full)`.
pub fn title(package: &Package) -> String {
    let features = match package.features.as_slice() {
        [] => String::new(),
        features => format!(" ({})", features.join(", ")),
    };
    format!("{} {}{features}", package.name, package.version)
}

fn within(within: &Within) -> String {
    match within {
        Within::Code => String::new(),
        Within::Rules(name) => format!(" in the rules of `{name}!`"),
        Within::Arguments(name) => format!(" given to `{name}!`"),
    }
}

fn counts(counts: &BTreeMap<String, usize>) -> String {
    counts.iter().map(|(name, count)| format!("{name}! {count}")).collect::<Vec<_>>().join(", ")
}
