//! The functions that an address is in, with lines where the program has them.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use addr2line::Loader;

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
    /// Its name without type arguments, by which a site's own is known.
    pub(super) bare: String,
    pub(super) is_closure: bool,
}

/// The functions around an address, the innermost first.
pub(super) fn functions(module: &Module, address: usize) -> Vec<Function> {
    // A file of the user's that is read by somebody else's code: whatever is in it, the program goes on.
    catch_unwind(AssertUnwindSafe(|| read(module, address))).unwrap_or_else(|panic| {
        std::mem::forget(panic);
        Vec::new()
    })
}

fn read(module: &Module, address: usize) -> Vec<Function> {
    if is_systems(&module.file) {
        return vec![Function::nobodys()];
    }
    let Some(file) = Opened::of(module) else { return Vec::new() };
    let probe = address.wrapping_sub(module.base) as u64;
    let symbol = || file.loader.find_symbol(probe).map(|name| addr2line::demangle_auto(Cow::Borrowed(name), None));
    let mut functions = Vec::new();
    if let Ok(mut frames) = file.loader.find_frames(probe) {
        while let Ok(Some(frame)) = frames.next() {
            let name = frame.function.as_ref().and_then(|name| {
                // Tables of lines alone have the bare name of a function that nothing is inlined into.
                name.demangle().ok().map(Cow::into_owned).filter(|name| name.contains("::"))
            });
            let is_bare = name.is_none();
            let name = name.or_else(|| frame.function.as_ref().and_then(|name| Some(name.raw_name().ok()?.into_owned())));
            let place = frame.location.and_then(|place| Some((place.file?.to_owned(), place.line?, place.column)));
            functions.push((name, is_bare, place));
        }
    }
    if std::env::var_os("PROBE").is_some() { process::complain(&format!("{address:x} {functions:?}")); }
    if functions.is_empty() {
        functions.push((None, true, None));
    }
    // The symbol is that of the outermost: what it is inlined into.
    if let Some((name, true, _)) = functions.last_mut()
        && let Some(symbol) = symbol()
    {
        *name = Some(symbol.into_owned());
    }
    let has_lines = functions.iter().any(|(_, _, place)| place.is_some());
    let is_named = functions.iter().all(|(name, ..)| name.is_some());
    file.put_back();
    if !is_named {
        complain_once(&NAMELESS, "names from the stack are not to be had: the program is built without symbols (`strip`)");
        return Vec::new();
    }
    let made = functions.into_iter().filter_map(|(name, _, place)| Some(Function::of(&name?, place, module)));
    let made: Vec<_> = made.collect();
    if !has_lines && made.iter().any(|function| function.whose == Whose::User) {
        complain_once(
            &LINELESS,
            "names from the stack have no lines, and inlined functions are not seen: the program is built without them; \
             `debug = \"line-tables-only\"` in its profile adds both",
        );
    }
    made
}

impl Function {
    /// Whether a call in it stands at `place`.
    pub(super) fn stands_at(&self, place: &Location<'_>) -> bool {
        let file = place.file();
        self.frame.line == place.line() && (self.file.ends_with(file) || self.file.replace('\\', "/").ends_with(&file.replace('\\', "/")))
    }

    /// One of the system's, of which no more is to be known.
    fn nobodys() -> Self {
        Self {
            frame: Frame::NOBODY,
            whose: Whose::Nobody,
            file: String::new(),
            bare: String::new(),
            is_closure: false,
        }
    }

    fn of(name: &str, place: Option<(String, u32, Option<u32>)>, module: &Module) -> Self {
        let (file, line, column) = place.unwrap_or_default();
        let frame = Frame::of(name, &file, line, column.unwrap_or(0));
        let whose = Whose::of(name, &file, &frame, &module.file);
        let (bare, is_closure) = Frame::bare(name);
        Self { frame, whose, file, bare, is_closure }
    }
}

/// A file whose symbols are looked up.
struct Opened {
    file: PathBuf,
    loader: Loader,
}

/// What was opened, for the next who comes. It is taken while it is used: a thread that finds it gone opens the file itself,
/// and nobody waits for anybody.
static OPENED: Mutex<Vec<Opened>> = Mutex::new(Vec::new());
/// A program and some libraries that call back into it.
const MOST: usize = 4;

impl Opened {
    fn of(module: &Module) -> Option<Self> {
        let kept = OPENED.try_lock().ok().and_then(|mut opened| {
            let at = opened.iter().position(|opened| opened.file == module.file)?;
            Some(opened.swap_remove(at))
        });
        kept.or_else(|| {
            let path = if module.file.as_os_str().is_empty() { Path::new("/proc/self/exe") } else { &module.file };
            Some(Self { file: module.file.clone(), loader: Loader::new(path).ok()? })
        })
    }

    fn put_back(self) {
        if let Ok(mut opened) = OPENED.try_lock()
            && opened.len() < MOST
            && !opened.iter().any(|other| other.file == self.file)
        {
            opened.push(self);
        }
    }
}

static NAMELESS: AtomicBool = AtomicBool::new(false);
static LINELESS: AtomicBool = AtomicBool::new(false);

fn complain_once(said: &AtomicBool, what: &str) {
    if !said.swap(true, Ordering::Relaxed) {
        process::complain(what);
    }
}
