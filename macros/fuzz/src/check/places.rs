//! Each launch has one variable, declared once, in a block around it, and used for this launch alone.

use super::fault::{Fault, Kind, fault};

/// The variables seen so far in an expansion.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// Those of each block around the walk's place.
    open: Vec<Vec<usize>>,
    /// The slots that have been declared, the last of which waits for its variable.
    slots: Vec<usize>,
    declared: Vec<usize>,
    launched: Vec<usize>,
    /// Sites that are no launches: scopes.
    scopes: Vec<usize>,
    /// What the table in front of the body says.
    table: Option<usize>,
    /// Sites that point into it.
    pointing: usize,
}

impl Places {
    pub(super) fn enter(&mut self) {
        self.open.push(Vec::new());
    }

    pub(super) fn leave(&mut self) {
        self.open.pop();
    }

    /// Whether the walk is in the body's own block.
    pub(super) fn is_outermost(&self) -> bool {
        self.open.len() == 1
    }

    pub(super) fn slot(&mut self, state: usize) -> Result<(), Fault> {
        if self.slots.len() != self.declared.len() || self.slots.contains(&state) {
            return Err(fault(Kind::Standing, format!("launchsite_slot_{state} is declared out of turn")));
        }
        self.slots.push(state);
        Ok(())
    }

    pub(super) fn declare(&mut self, state: usize) -> Result<(), Fault> {
        if self.declared.contains(&state) {
            return Err(fault(Kind::Standing, format!("launchsite_{state} is declared twice")));
        }
        self.declared.push(state);
        if self.slots != self.declared {
            return Err(fault(Kind::Standing, format!("launchsite_{state} is not behind its slot")));
        }
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

    pub(super) fn scope(&mut self, site: usize) {
        self.scopes.push(site);
    }

    /// How many launches were met so far.
    pub(super) fn launches(&self) -> usize {
        self.launched.len()
    }

    pub(super) fn tabled(&mut self, count: usize) {
        self.table = Some(count);
    }

    /// Another site says that it is in the table.
    pub(super) fn point(&mut self) {
        self.pointing += 1;
    }

    pub(super) fn pointing(&self) -> usize {
        self.pointing
    }

    /// Back to so many, behind what was no site of its own.
    pub(super) fn point_to(&mut self, pointing: usize) {
        self.pointing = pointing;
    }

    /// How many launches there are, where `scope` says whether there has to be one.
    pub(super) fn finished(&self, scope: bool) -> Result<usize, Fault> {
        let (launches, sites) = (self.launched.len(), self.launched.len() + self.scopes.len());
        let wrong = |told: String| Err(fault(Kind::Standing, told));
        if launches != self.declared.len() || launches != self.slots.len() {
            return wrong(format!("{} variables for {launches} launches", self.declared.len()));
        }
        // The scope is the first site.
        if self.scopes != vec![0; usize::from(scope)] {
            return wrong(format!("scopes numbered {:?}", self.scopes));
        }
        if self.launched.iter().any(|state| *state >= sites || self.scopes.contains(state)) {
            return wrong(format!("{launches} launches, numbered {:?}", self.launched));
        }
        match (sites, self.table) {
            (0, _) => wrong("a second version without a site".into()),
            (1, None) if self.pointing == 0 => Ok(launches),
            (_, Some(table)) if table == sites && sites > 1 && self.pointing == sites => Ok(launches),
            (_, table) => wrong(format!("{sites} sites, {} of them in a table of {table:?}", self.pointing)),
        }
    }
}
