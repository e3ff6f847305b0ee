//! A program's or a library's file: its symbols, its lines, and which crates are in it.

#![allow(unsafe_code)] // the file is mapped, not read

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use addr2line::gimli::{self, EndianSlice, NativeEndian};
use addr2line::{Context, LookupContinuation, LookupResult};
use memmap2::Mmap;
use object::{Object, ObjectSection, SymbolMap, SymbolMapName};
use once_cell::race::OnceBox;

use crate::name::package_root;

type Reader = EndianSlice<'static, NativeEndian>;

/// What a function is called, and where the call in it stands, as the file says.
#[derive(Debug)]
pub(super) struct Told {
    /// Demangled, where it is a whole path.
    pub(super) name: Option<String>,
    /// The whole path is not known: tables of lines alone have no more of a function that is inlined.
    pub(super) is_bare: bool,
    pub(super) file: String,
    pub(super) line: u32,
    pub(super) column: u32,
}

/// What is read of a file, for as long as the process runs: its symbols may be asked for at any time.
struct Image {
    file: PathBuf,
    sections: BTreeMap<&'static str, Cow<'static, [u8]>>,
    symbols: SymbolMap<SymbolMapName<'static>>,
    crates: OnceBox<Vec<Crate>>,
    next: OnceBox<Image>,
}

/// A crate of the program, by the file that it begins with.
#[derive(Debug)]
struct Crate {
    name: String,
    file: String,
}

static IMAGES: OnceBox<Image> = OnceBox::new();

impl Image {
    /// The one of `file`; `None` where it cannot be read.
    fn of(file: &Path) -> Option<&'static Self> {
        let mut opened = None;
        let mut list = &IMAGES;
        loop {
            if list.get().is_none() {
                opened = Some(Self::open(file)?);
            }
            let image = list.get_or_init(|| Box::new(opened.take().unwrap_or_else(|| Self::empty(file))));
            if image.file == file {
                return Some(image);
            }
            list = &image.next;
        }
    }

    fn empty(file: &Path) -> Self {
        let (sections, symbols) = (BTreeMap::new(), SymbolMap::new(Vec::new()));
        Self { file: file.to_owned(), sections, symbols, crates: OnceBox::new(), next: OnceBox::new() }
    }

    fn open(file: &Path) -> Option<Self> {
        // The file that the process runs, whatever lies at its path by now.
        let path = if file.as_os_str().is_empty() { Path::new("/proc/self/exe") } else { file };
        let opened = File::open(path).ok()?;
        // SAFETY: the file of a program that runs: the system lets nobody write to it, and replaces it as a whole.
        let map = unsafe { Mmap::map(&opened) }.ok()?;
        let bytes: &'static [u8] = Box::leak(Box::new(map));
        let object = object::File::parse(bytes).ok()?;
        let mut sections = BTreeMap::new();
        for id in SECTIONS {
            if let Some(section) = object.section_by_name(id.name()) {
                sections.insert(id.name(), section.uncompressed_data().ok()?);
            }
        }
        Some(Self { sections, symbols: object.symbol_map(), ..Self::empty(file) })
    }

    fn dwarf(&'static self) -> Option<gimli::Dwarf<Reader>> {
        let section = |id: gimli::SectionId| {
            let bytes = self.sections.get(id.name()).map(|bytes| &**bytes).unwrap_or_default();
            Ok::<_, gimli::Error>(EndianSlice::new(bytes, NativeEndian))
        };
        gimli::Dwarf::load(section).ok()
    }

    /// The crates of the program that have code of their own in it: rustc calls a unit `src/main.rs/@/app.0123-cgu.0`.
    fn crates(&'static self) -> &'static [Crate] {
        self.crates.get_or_init(|| {
            let mut crates = BTreeMap::new();
            let dwarf = self.dwarf();
            if let Some(dwarf) = &dwarf {
                let mut units = dwarf.units();
                while let Ok(Some(header)) = units.next() {
                    if let Some(found) = crate_of(dwarf, header) {
                        crates.insert((found.file.clone(), found.name.clone()), found);
                    }
                }
            }
            Box::new(crates.into_values().collect())
        })
    }
}

const SECTIONS: [gimli::SectionId; 11] = [
    gimli::SectionId::DebugAbbrev,
    gimli::SectionId::DebugAddr,
    gimli::SectionId::DebugAranges,
    gimli::SectionId::DebugInfo,
    gimli::SectionId::DebugLine,
    gimli::SectionId::DebugLineStr,
    gimli::SectionId::DebugRanges,
    gimli::SectionId::DebugRngLists,
    gimli::SectionId::DebugStr,
    gimli::SectionId::DebugStrOffsets,
    gimli::SectionId::DebugTypes,
];

fn crate_of(dwarf: &gimli::Dwarf<Reader>, header: gimli::UnitHeader<Reader>) -> Option<Crate> {
    let unit = dwarf.unit(header).ok()?;
    let name = unit.name?.to_string_lossy();
    let (file, unit_name) = name.split_once("/@/")?;
    let folder = unit.comp_dir.map(|folder| folder.to_string_lossy()).unwrap_or_default();
    let file = if file.starts_with('/') { file.to_owned() } else { format!("{folder}/{file}") };
    Some(Crate { name: unit_name.split('.').next()?.to_owned(), file })
}

/// What looks up lines: it keeps what it has read, and is of one thread at a time.
struct Lines {
    file: PathBuf,
    context: Context<Reader>,
}

/// What was made, for the next who comes. It is taken while it is used: a thread that finds it gone makes another, and
/// nobody waits for anybody.
static LINES: Mutex<Vec<Lines>> = Mutex::new(Vec::new());
/// A program and some libraries that call back into it.
const MOST: usize = 4;

/// As a thread has it that is stopped there.
#[cfg(test)]
pub(super) fn hold() -> impl Drop {
    LINES.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl Lines {
    fn of(image: &'static Image) -> Option<Self> {
        let kept = LINES.try_lock().ok().and_then(|mut kept| {
            let at = kept.iter().position(|kept| kept.file == image.file)?;
            Some(kept.swap_remove(at))
        });
        kept.or_else(|| Some(Self { file: image.file.clone(), context: Context::from_dwarf(image.dwarf()?).ok()? }))
    }

    fn tell(&self, probe: u64, told: &mut Vec<Told>) {
        let mut looked_up = self.context.find_frames(probe);
        let frames = loop {
            match looked_up {
                LookupResult::Output(frames) => break frames,
                // Lines that stand in a file beside the program's: it goes on without them.
                LookupResult::Load { continuation, .. } => looked_up = continuation.resume(None),
            }
        };
        let Ok(mut frames) = frames else { return };
        while let Ok(Some(frame)) = frames.next() {
            told.push(Told::of(&frame));
        }
    }

    fn put_back(self) {
        if let Ok(mut kept) = LINES.try_lock()
            && kept.len() < MOST
            && !kept.iter().any(|other| other.file == self.file)
        {
            kept.push(self);
        }
    }
}

/// The functions around an address of the file's own, the innermost first. Empty where it tells nothing.
pub(super) fn functions(file: &Path, probe: u64) -> Vec<Told> {
    let Some(image) = Image::of(file) else { return Vec::new() };
    let mut told = Vec::new();
    if let Some(lines) = Lines::of(image) {
        lines.tell(probe, &mut told);
        lines.put_back();
    }
    if told.is_empty() {
        told.push(Told { name: None, is_bare: true, file: String::new(), line: 0, column: 0 });
    }
    // The symbol is that of the outermost: what the others are inlined into.
    if let Some(outermost) = told.last_mut().filter(|outermost| outermost.is_bare)
        && let Some(symbol) = image.symbols.containing(probe)
    {
        outermost.name = Some(addr2line::demangle_auto(Cow::Borrowed(symbol.name()), None).into_owned());
        outermost.is_bare = false;
    }
    told
}

impl Told {
    fn of(frame: &addr2line::Frame<'_, Reader>) -> Self {
        let name = frame.function.as_ref().and_then(|name| Some(name.demangle().ok()?.into_owned()));
        let place = frame.location.as_ref();
        Self {
            // Type arguments have paths too.
            is_bare: name.as_ref().is_none_or(|name| {
                !name.split('<').next().unwrap_or_default().contains("::") && !name.starts_with('<')
            }),
            name,
            file: place.and_then(|place| place.file).unwrap_or_default().to_owned(),
            line: place.and_then(|place| place.line).unwrap_or(0),
            column: place.and_then(|place| place.column).unwrap_or(0),
        }
    }
}

/// The crate that a file is of, where the program says so: the one that begins nearest above it.
pub(super) fn crate_around(program: &Path, file: &str) -> Option<&'static str> {
    let root = package_root(file)?;
    let folder = |path: &'static str| path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let around = Image::of(program)?
        .crates()
        .iter()
        .filter(|one| package_root(&one.file) == Some(root) && file.starts_with(folder(&one.file)));
    // A library and a program may begin in one folder.
    let near = |one: &&Crate| (one.file == file, folder_length(&one.file), one.file.ends_with("/lib.rs"));
    around.max_by_key(near).map(|one| &*one.name)
}

fn folder_length(path: &str) -> usize {
    path.rfind('/').unwrap_or(0)
}
