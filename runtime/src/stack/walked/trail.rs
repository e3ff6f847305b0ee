//! A stack that nothing is known of yet: walked function by function, as far as it takes to say what is shown.

use super::Sought;
use super::known::{self, Place};
use super::rules::{Leaving, Rule};
use super::symbols::Function;
use super::walk::{DEEPEST, Registers, Stack};
use super::whose::Whose;
use crate::name::Frame;
use crate::site::Search;

/// The functions of a stack, the innermost first.
pub(super) struct Trail<'s> {
    at: Registers,
    stack: &'s Stack,
    /// Each address with the rule by which its frame was left; the last has none yet.
    rules: Vec<(usize, Option<Rule>)>,
    functions: Vec<&'static Function>,
    end: End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// It goes on.
    Open,
    /// The thread's first function is among them.
    Reached,
    /// Nothing tells how it goes on.
    Lost,
    /// What is on the stack is not what the rules say.
    Broken,
}

impl<'s> Trail<'s> {
    pub(super) fn new(start: Registers, stack: &'s Stack) -> Self {
        let mut trail = Self { at: start, stack, rules: Vec::new(), functions: Vec::new(), end: End::Open };
        trail.enter(known::place(start.ip, true));
        trail
    }

    /// What was passed on the way.
    pub(super) fn rules(&self) -> &[(usize, Option<Rule>)] {
        &self.rules
    }

    /// What is shown: a frame, or nothing where the stack does not tell. `None` where that is not to be remembered.
    #[allow(clippy::option_option, reason = "as it says")]
    pub(super) fn shown(&mut self, sought: &Sought) -> Option<Option<&'static Frame>> {
        let shown = match (sought.search, sought.caller) {
            (Search::Caller, _) => self.caller(sought),
            (Search::User, _) => self.first_shown(0, sought),
            (Search::Helper, caller) => {
                let at = caller.and_then(|caller| self.position(|function| function.stands_at(caller)));
                // Without lines: past the function itself, where it is to be seen.
                match at {
                    Some(at) => self.first_shown(at, sought),
                    None => self.behind_function(sought),
                }
            }
        };
        match (shown, self.end) {
            (Some(function), _) => Some(Some(&function.frame)),
            (None, End::Reached) if sought.search != Search::Caller => Some(Some(Frame::nobody())),
            (None, End::Broken) => None,
            (None, _) => Some(None),
        }
    }

    /// The first from `at` on that is shown.
    fn first_shown(&mut self, at: usize, sought: &Sought) -> Option<&'static Function> {
        let mut at = at;
        loop {
            let function = self.get(at)?;
            // By the package's own name too, which the site knows.
            if function.whose == Whose::User && !sought.site.finds_internal(&function.frame) {
                return Some(function);
            }
            at += 1;
        }
    }

    /// The first that is shown and is not the function that launches.
    fn behind_function(&mut self, sought: &Sought) -> Option<&'static Function> {
        let (own, _) = Frame::bare((sought.instance)());
        let behind = self.position(|function| function.is(&own)).map_or(0, |at| at + 1);
        let mut at = behind;
        while self.get(at)?.is(&own) {
            at += 1;
        }
        self.first_shown(at, sought)
    }

    /// What calls the function that launches.
    fn caller(&mut self, sought: &Sought) -> Option<&'static Function> {
        let (own, _) = Frame::bare((sought.instance)());
        let mut at = self.position(|function| function.is(&own))?;
        // A closure in it is called by it, or by what it hands it to.
        while self.get(at)?.is_closure {
            let mut next = at + 1;
            while self.get(next)?.whose == Whose::Nobody {
                next += 1;
            }
            if !self.get(next)?.is(&own) {
                break;
            }
            at = next;
        }
        self.first_shown(at + 1, sought)
    }

    fn position(&mut self, mut is: impl FnMut(&Function) -> bool) -> Option<usize> {
        let mut at = 0;
        loop {
            if is(self.get(at)?) {
                return Some(at);
            }
            at += 1;
        }
    }

    /// The function at `index`, walked to if it has to be.
    fn get(&mut self, index: usize) -> Option<&'static Function> {
        while self.functions.len() <= index && self.end == End::Open {
            self.go_on();
        }
        self.functions.get(index).copied()
    }

    fn go_on(&mut self) {
        let Some((ip, _)) = self.rules.last() else { return };
        let place = known::place(*ip, false);
        let Leaving::By(left_by) = place.leaving else {
            self.end = if place.leaving == Leaving::Nowhere { End::Reached } else { End::Lost };
            return;
        };
        let Some(at) = left_by.leave(self.at, self.stack) else {
            self.end = End::Broken;
            return;
        };
        if at.ip == 0 {
            self.end = End::Reached;
            return;
        }
        if self.rules.len() >= DEEPEST {
            self.end = End::Lost;
            return;
        }
        if let Some((_, rule)) = self.rules.last_mut() {
            *rule = Some(left_by);
        }
        self.at = at;
        self.enter(known::place(at.ip, false));
    }

    fn enter(&mut self, place: &'static Place) {
        self.rules.push((self.at.ip, None));
        self.functions.extend(&place.functions);
        if place.functions.is_empty() {
            self.end = End::Lost;
        }
    }
}
