//! A place in the source that launches a kernel: what is known of it when the program is compiled.

use once_cell::race::OnceBox;

use crate::name::Name;

/// One launch site. A `static` that an expansion makes; its first run gives it its names.
#[derive(Debug)]
pub struct Site {
    pub(crate) function: &'static str,
    /// What `name = ".."` says in place of the function's path; empty without.
    pub(crate) given: &'static str,
    pub(crate) module: &'static str,
    pub(crate) package: &'static str,
    /// The path inside the package.
    pub(crate) path: &'static [u8],
    pub(crate) line: u32,
    pub(crate) column: u32,
    pub(crate) twin: Twin,
    /// A `static` in a generic function is one for all instantiations: a name for each, found by walking this list.
    names: OnceBox<Named>,
}

/// What a name needs beside its line to be the only one of its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Twin {
    /// The line is enough.
    None,
    /// Other sites stand on the line: the column tells them apart.
    Column,
    /// Others stand at the same column too, as in a macro's body: a number does.
    Number(usize),
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
    #[allow(clippy::too_many_arguments)] // one caller, a macro
    pub const fn new(
        function: &'static str,
        given: &'static str,
        module: &'static str,
        package: &'static str,
        path: &'static [u8],
        line: u32,
        column: u32,
        twin: Twin,
    ) -> Self {
        Self { function, given, module, package, path, line, column, twin, names: OnceBox::new() }
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
                let name = *made.get_or_insert_with(|| Name::of(self, path).leak());
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

/// Which of the function's sites needs what: `places` are lines and columns of all, `index` is this one's.
#[must_use]
pub const fn twin(places: &[(u32, u32)], index: usize) -> Twin {
    let mut same_line = 0;
    let mut same_place = 0;
    let mut earlier = 0;
    let mut at = 0;
    while at < places.len() {
        #[allow(clippy::indexing_slicing)] // in a constant, where a wrong index does not compile
        let (other, own) = (places[at], places[index]);
        if other.0 == own.0 {
            same_line += 1;
            if other.1 == own.1 {
                same_place += 1;
                if at < index {
                    earlier += 1;
                }
            }
        }
        at += 1;
    }
    match (same_line, same_place) {
        (_, 2..) => Twin::Number(earlier + 1),
        (2.., _) => Twin::Column,
        _ => Twin::None,
    }
}
