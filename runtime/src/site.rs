//! A place in the source that launches a kernel: what is known of it when the program is compiled.

use once_cell::race::OnceBox;

use crate::name::{Name, Spot};

/// One launch site. A `static` that an expansion makes; its first run gives it its names.
#[derive(Debug)]
pub struct Site {
    spot: Spot,
    /// A `static` in a generic function is one for all instantiations: a name for each, found by walking this list.
    names: OnceBox<Named>,
}

/// One instantiation of the function around a site: gives the `type_name` of a closure made there.
pub(crate) type Instance = fn() -> &'static str;

#[derive(Debug)]
struct Named {
    instance: usize,
    name: &'static Name,
    next: OnceBox<Named>,
}

impl Site {
    /// In a constant, by the expansion alone.
    #[must_use]
    pub const fn new(spot: Spot) -> Self {
        Self { spot, names: OnceBox::new() }
    }

    /// The name of this site in one instantiation of its function.
    ///
    /// Worked out by whoever comes first, and found from then on. Nobody waits: threads that come at the same time
    /// each work it out, and all use what the first of them put into the list.
    #[inline]
    pub(crate) fn name(&'static self, instance: Instance) -> &'static Name {
        let key = instance as usize;
        match self.names.get() {
            Some(first) if first.instance == key => first.name,
            _ => self.find(key, instance),
        }
    }

    #[cold]
    #[inline(never)]
    fn find(&'static self, key: usize, instance: Instance) -> &'static Name {
        let path = instance();
        let mut made = None;
        let mut list = &self.names;
        loop {
            let entry = list.get_or_init(|| {
                let name = *made.get_or_insert_with(|| Name::of(&self.spot, path).leak());
                Box::new(Named { instance: key, name, next: OnceBox::new() })
            });
            if entry.instance == key {
                return entry.name;
            }
            // The compiler may have made the function twice: one name all the same.
            if entry.name.path == path {
                made = Some(entry.name);
            }
            list = &entry.next;
        }
    }
}
