//! Sites by their names: one of two processes, or of two threads, is one.

use std::collections::HashMap;

/// A site's number, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Site(u32);

#[derive(Debug, Default)]
pub(crate) struct Sites {
    names: Vec<String>,
    by_name: HashMap<String, Site>,
    /// By the number of the text, which most ranges have.
    by_text: HashMap<i64, Site>,
}

impl Site {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

impl Sites {
    pub(super) fn named(&mut self, name: &str) -> Site {
        if let Some(site) = self.by_name.get(name) {
            return *site;
        }
        let site = Site(u32::try_from(self.names.len()).unwrap_or(u32::MAX));
        self.names.push(name.to_owned());
        self.by_name.insert(name.to_owned(), site);
        site
    }

    pub(super) fn of_text(&self, id: i64) -> Option<Site> {
        self.by_text.get(&id).copied()
    }

    pub(super) fn text_is(&mut self, id: i64, site: Site) {
        self.by_text.insert(id, site);
    }

    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }
}
