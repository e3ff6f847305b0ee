//! What lines say of a site, written once: the same for all of its launches.

use std::collections::HashMap;

use super::json::{Object, key};
use crate::record::Label;

/// The members of a site's lines, each with the comma in front.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) name: Box<[u8]>,
    /// The name, and where it stands.
    pub(super) place: Box<[u8]>,
}

/// By the label's address: labels stay for as long as the process.
#[derive(Debug, Default)]
pub(super) struct Labels {
    places: HashMap<usize, usize>,
    written: Vec<Written>,
    /// Launches of one site come one behind the other: the last that was asked for.
    last: (usize, usize),
}

impl Labels {
    pub(super) fn of(&mut self, label: &'static Label) -> &Written {
        let address = std::ptr::from_ref(label).addr();
        if self.last.0 != address {
            let written = &mut self.written;
            let place = *self.places.entry(address).or_insert_with(|| {
                written.push(Written::of(label));
                written.len() - 1
            });
            self.last = (address, place);
        }
        // Each place is one of those that were written.
        #[allow(clippy::indexing_slicing)]
        &self.written[self.last.1]
    }
}

impl Written {
    fn of(label: &Label) -> Self {
        let (mut name, mut place) = (Vec::new(), Vec::new());
        Object::go_on(&mut name).text(key!("name"), &label.name);
        let mut line = Object::go_on(&mut place);
        line.text(key!("name"), &label.name);
        line.text(key!("function"), &label.function);
        line.text(key!("module"), label.module);
        line.text(key!("file"), &label.file);
        line.number(key!("line"), label.line.into());
        line.number(key!("column"), label.column.into());
        line.text_or_null(key!("caller"), label.caller.as_deref());
        Self { name: name.into(), place: place.into() }
    }
}
