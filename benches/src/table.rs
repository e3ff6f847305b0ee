//! The table that is printed: what was measured beside what is asked for.

use std::fmt::Display;
use std::io::{self, Write};

/// Writes a line to stdout; where that is gone, nobody is there to read it.
pub fn say(line: impl Display) {
    let _ = writeln!(io::stdout(), "{line}");
}

/// A heading.
pub fn title(text: &str, columns: &[&str]) {
    say(format_args!("\n{text}"));
    let heads: Vec<_> = columns.iter().map(|column| format!("{column:>16}")).collect();
    say(format_args!("{:<44}{}", "", heads.concat()));
}

/// A line of figures.
pub fn row(name: &str, figures: &[String]) {
    let figures: Vec<_> = figures.iter().map(|figure| format!("{figure:>16}")).collect();
    say(format_args!("{name:<44}{}", figures.concat()));
}

/// Bars, and how many of them were missed.
#[derive(Debug, Default)]
pub struct Bars {
    missed: u32,
}

impl Bars {
    /// Says whether `measured` is at most `bar`. What could not be measured misses it.
    pub fn at_most(&mut self, what: &str, measured: f64, bar: f64) {
        self.told(what, measured, "at most", bar, measured <= bar);
    }

    /// Says whether `measured` is at least `bar`.
    pub fn at_least(&mut self, what: &str, measured: f64, bar: f64) {
        self.told(what, measured, "at least", bar, measured >= bar);
    }

    fn told(&mut self, what: &str, measured: f64, word: &str, bar: f64, held: bool) {
        self.missed += u32::from(!held);
        let verdict = if held { "holds" } else { "MISSED" };
        say(format_args!("{what:<60}{measured:>12.3}   {word} {bar:<10} {verdict}"));
    }

    /// Whether a bar was missed.
    #[must_use]
    pub fn are_missed(&self) -> bool {
        self.missed > 0
    }
}
