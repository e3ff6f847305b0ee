//! Each launch has one variable, declared once, in a block around it, and used for this launch alone.

use super::fault::{Fault, Kind, fault};

/// The variables seen so far in an expansion.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// Those of each block around the walk's place.
    open: Vec<Vec<usize>>,
    declared: Vec<usize>,
    launched: Vec<usize>,
    /// What the table in front of the body says.
    table: Option<usize>,
}

impl Places {
    pub(super) fn enter(&mut self) {
        self.open.push(Vec::new());
    }

    pub(super) fn leave(&mut self) {
        self.open.pop();
    }

    pub(super) fn declare(&mut self, state: usize) -> Result<(), Fault> {
        if self.declared.contains(&state) {
            return Err(fault(Kind::Standing, format!("launchsite_{state} is declared twice")));
        }
        self.declared.push(state);
        if let Some(block) = self.open.last_mut() {
            block.push(state);
        }
        Ok(())
    }

    pub(super) fn launch(&mut self, state: usize) -> Result<(), Fault> {
        if self.launched.contains(&state) {
            return Err(fault(Kind::Standing, format!("launchsite_{state} is of two launches")));
        }
        if !self.open.iter().flatten().any(|open| *open == state) {
            return Err(fault(Kind::Standing, format!("launchsite_{state} is not declared around its launch")));
        }
        self.launched.push(state);
        Ok(())
    }

    /// How many were met so far.
    pub(super) fn launches(&self) -> usize {
        self.launched.len()
    }

    pub(super) fn tabled(&mut self, count: usize) {
        self.table = Some(count);
    }

    /// How many launches there are.
    pub(super) fn finished(&self) -> Result<usize, Fault> {
        let count = self.launched.len();
        let wrong = |told: String| Err(fault(Kind::Standing, told));
        if count != self.declared.len() {
            return wrong(format!("{} variables for {count} launches", self.declared.len()));
        }
        if self.launched.iter().any(|state| *state >= count) {
            return wrong(format!("{count} launches, numbered {:?}", self.launched));
        }
        match (count, self.table) {
            (0, _) => wrong("a second version without a launch".into()),
            (1, None) => Ok(count),
            (_, Some(table)) if table == count && count > 1 => Ok(count),
            (_, table) => wrong(format!("{count} launches, and a table of {table:?}")),
        }
    }
}
