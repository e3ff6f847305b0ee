//! The functions that an address is in, with lines where the program has them.

use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use super::program::{self, Told};
use super::rules::Module;
use super::whose::{Whose, is_systems};
use crate::name::Frame;
use crate::process;

/// A function around an address.
#[derive(Debug)]
pub(super) struct Function {
    /// As it is shown.
    pub(super) frame: Frame,
    pub(super) whose: Whose,
    /// The file, as the compiler was given it.
    pub(super) file: String,
    /// Its name without type arguments, by which a site's own is known; without a module in a table of lines alone.
    bare: String,
    pub(super) is_closure: bool,
}

/// The functions around an address, the innermost first. Empty where nothing tells.
pub(super) fn functions(module: &Module, address: usize) -> Vec<Function> {
    if is_systems(&module.file) {
        return vec![Function::nobodys()];
    }
    let probe = address.wrapping_sub(module.base) as u64;
    // A file of the user's that is read by somebody else's code: whatever is in it, the program goes on.
    let read = || {
        let told = program::functions(&module.file, probe);
        let made = told.iter().enumerate().map(|(at, one)| Function::of(one, told.get(at + 1..)?, module));
        let made: Option<Vec<_>> = made.collect();
        (made.unwrap_or_default(), told.iter().any(|told| told.line > 0))
    };
    let (made, has_lines) = catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|panic| {
        std::mem::forget(panic);
        (Vec::new(), true)
    });
    if made.is_empty() {
        complain_once(
            &NAMELESS,
            "names from the stack are not to be had: the program is built without symbols (`strip` in its profile)",
        );
    } else if !has_lines && made.iter().any(|function| function.whose == Whose::User) {
        complain_once(
            &LINELESS,
            "names from the stack have no lines, and inlined functions are not seen: the program is built without them; \
             `debug = \"line-tables-only\"` in its profile adds both",
        );
    }
    made
}

impl Function {
    /// `around` are those that it is inlined into, the innermost first.
    fn of(told: &Told, around: &[Told], module: &Module) -> Option<Self> {
        let Told { file, line, column, .. } = told;
        let mut name = told.name.clone()?;
        if told.is_bare && name.starts_with('{') {
            // A closure has the name of its function, which is known where that is around it.
            let owner = around
                .iter()
                .find(|other| other.file == *file && !other.name.as_deref().unwrap_or("{").starts_with('{'));
            name = owner
                .and_then(|owner| owner.name.clone())
                .map_or_else(|| "{{closure}}".into(), |owner| owner + "::{{closure}}");
        }
        let of_crate = if told.is_bare { program::crate_around(&module.file, file) } else { None };
        let frame = Frame::of(&name, of_crate, file, *line, *column);
        let whose = Whose::of((!told.is_bare).then_some(&*name), of_crate, file, &frame, &module.file);
        let (bare, is_closure) = Frame::bare(&name);
        Some(Self { frame, whose, file: file.clone(), bare, is_closure })
    }

    /// One of the system's, of which no more is to be known.
    fn nobodys() -> Self {
        let (file, bare) = (String::new(), String::new());
        Self { frame: Frame::NOBODY, whose: Whose::Nobody, file, bare, is_closure: false }
    }

    /// Whether a call in it stands at `place`.
    pub(super) fn stands_at(&self, place: &Location<'_>) -> bool {
        self.frame.line == place.line() && self.file.replace('\\', "/").ends_with(&place.file().replace('\\', "/"))
    }

    /// Whether it is the function of this name, which may have no module here.
    pub(super) fn is(&self, bare: &str) -> bool {
        let last = |name: &str| name.rsplit("::").next().unwrap_or_default() == self.bare;
        self.bare == bare || (!self.bare.contains("::") && !self.file.is_empty() && last(bare))
    }
}

static NAMELESS: AtomicBool = AtomicBool::new(false);
static LINELESS: AtomicBool = AtomicBool::new(false);

fn complain_once(said: &AtomicBool, what: &str) {
    if !said.swap(true, Ordering::Relaxed) {
        process::complain(what);
    }
}
