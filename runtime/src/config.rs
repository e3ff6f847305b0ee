//! The environment, read once: what the program's user wants of this session.

mod naming;
mod output;
mod spelling;

use std::ffi::OsString;
use std::time::Duration;

pub(crate) use naming::{Names, Naming, Piece, Word};
pub(crate) use output::{Output, Place, rank};
use spelling::{boolean, budget, duration, list};

use crate::parts::Parts;

/// What the variables say, defaults filled in.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Config {
    /// `LAUNCHSITE=off` was said: nothing turns a part on any more.
    pub(crate) off: bool,
    /// A variable decided the parts: the program's own default does not count.
    pub(crate) decided: bool,
    pub(crate) parts: Parts,
    pub(crate) outputs: Vec<Output>,
    pub(crate) summary: bool,
    pub(crate) exit_wait: Duration,
    pub(crate) naming: Naming,
    pub(crate) budget: Budget,
    /// The NVTX library of a profiler.
    pub(crate) tool: Option<OsString>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            off: false,
            decided: false,
            parts: Parts::NVTX,
            outputs: Vec::new(),
            summary: false,
            exit_wait: Duration::from_secs(2),
            naming: Naming::default(),
            budget: Budget::All,
            tool: None,
        }
    }
}

/// How many launches are timed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Budget {
    All,
    /// Every so manieth of a site.
    Every(u32),
    /// So many that what they add stays below this part of the time.
    Share(f64),
}

/// What was not understood, a line each, for the user.
#[derive(Debug, Default)]
pub(crate) struct Complaints(pub(crate) Vec<String>);

impl Complaints {
    /// The value of a variable: nothing where it is unset or blank, and where `understand` gives nothing, which adds
    /// a line with what would have been accepted.
    fn value<T>(
        &mut self,
        name: &str,
        value: Option<OsString>,
        accepted: &str,
        understand: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        let value = value?;
        let text = value.to_string_lossy();
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return None;
        }
        let understood = understand(trimmed);
        if understood.is_none() {
            let shown: String = trimmed.chars().flat_map(char::escape_debug).take(200).collect();
            self.0.push(format!("{name}={shown} is not understood and is ignored; accepted: {accepted}"));
        }
        understood
    }
}

#[derive(Clone, Copy)]
enum Switch {
    Off,
    Parts(Parts),
}

fn switch(text: &str) -> Option<Switch> {
    match boolean(text) {
        Some(false) => return Some(Switch::Off),
        Some(true) => return Some(Switch::Parts(Parts::ON)),
        None => {}
    }
    let mut parts = Parts::NONE;
    for word in list(text) {
        parts |= Parts::named(word)?;
    }
    (!parts.is_none()).then_some(Switch::Parts(parts))
}

impl Config {
    /// `variable` looks one up; `secure` is true for a process with raised privileges, which listens to none.
    pub(crate) fn read(variable: impl Fn(&str) -> Option<OsString>, secure: bool) -> (Self, Complaints) {
        let mut complaints = Complaints::default();
        let mut config = Self::default();
        if secure {
            return (config, complaints);
        }
        let said = complaints.value(
            "LAUNCHSITE",
            variable("LAUNCHSITE"),
            "off, on, or a list of nvtx, time, nodes and symbols; default: nvtx",
            switch,
        );
        let summary = complaints.value(
            "LAUNCHSITE_SUMMARY",
            variable("LAUNCHSITE_SUMMARY"),
            "1, true, t, yes, y, on and 0, false, f, no, n, off; default: off",
            boolean,
        );
        let wait = complaints.value(
            "LAUNCHSITE_EXIT_WAIT",
            variable("LAUNCHSITE_EXIT_WAIT"),
            "a duration such as 2s, 500ms or 0; default: 2s",
            duration,
        );
        let allowed = complaints.value(
            "LAUNCHSITE_BUDGET",
            variable("LAUNCHSITE_BUDGET"),
            "a share such as 1%, or 1/16 for every 16th launch of a site; default: all",
            budget,
        );
        config.outputs = output::read(variable("LAUNCHSITE_OUT"), &variable, &mut complaints);
        config.naming = Naming::read(&variable, &mut complaints);
        config.summary = summary.unwrap_or(config.summary);
        config.exit_wait = wait.unwrap_or(config.exit_wait);
        config.budget = allowed.unwrap_or(config.budget);
        config.tool = variable("NVTX_INJECTION64_PATH").filter(|path| !path.is_empty());
        config.decide(said);
        (config, complaints)
    }

    fn decide(&mut self, said: Option<Switch>) {
        let wants_records = self.summary || !self.outputs.is_empty();
        match said {
            Some(Switch::Off) => {
                // Off is final, whatever else is set: no file is made, no tool is loaded.
                *self = Self { off: true, decided: true, parts: Parts::NONE, ..Self::default() };
            }
            Some(Switch::Parts(parts)) => (self.decided, self.parts) = (true, parts),
            None if wants_records => (self.decided, self.parts) = (true, Parts::ON),
            None => {}
        }
    }
}

#[cfg(test)]
mod tests;
