//! One way to annotate a package: with which attribute, with launchsite on or off.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::annotate::{Annotation, annotate};
use crate::cargo::{Build, Cargo, Diagnostic};
use crate::functions::{Found, Function, Within, functions_of, rules_of};
use crate::package::{Package, write};
use crate::tokens::Tokens;

/// What the attribute is to say, and whether the runtime is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// `#[gpu_kernel(scope)]`, else `#[gpu_kernel]`.
    pub scope: bool,
    /// The feature `enabled`.
    pub enabled: bool,
    /// In front of a function's other attributes, else behind them.
    pub first: bool,
}

impl Variant {
    /// As the table and the folders call it.
    pub fn name(self) -> String {
        let form = if self.scope { "scope" } else { "plain" };
        format!("{form}-{}", if self.enabled { "on" } else { "off" })
    }

    fn attribute(self) -> String {
        format!("#[::launchsite::gpu_kernel{}]", if self.scope { "(scope)" } else { "" })
    }

    /// The end of the manifest: the dependency.
    pub fn dependency(self, runtime: &Path) -> String {
        let features = if self.enabled { "features = [\"enabled\"]\n" } else { "" };
        format!("\n[dependencies.launchsite]\npath = \"{}\"\n{features}", runtime.display())
    }
}

/// A file of the package and its functions.
#[derive(Debug)]
pub struct Source {
    path: PathBuf,
    text: String,
    found: Found,
    /// Where the first item of a crate's root begins, where the edition wants the crate to be declared.
    declared_at: Option<usize>,
}

/// Reads the files of `package`.
///
/// # Errors
/// A file cannot be read, or is no Rust.
pub fn sources(package: &Package) -> Result<Vec<Source>> {
    let mut read = Vec::new();
    let mut own = BTreeSet::new();
    for path in package.files()? {
        let text = package.text(&path)?;
        let tokens = Tokens::of(&text).with_context(|| format!("in {}", path.display()))?;
        rules_of(&tokens.trees, &mut own);
        read.push((path, text, tokens));
    }
    let source = |(path, text, tokens): (PathBuf, String, Tokens)| {
        let declares = package.edition == "2015" && package.is_root(&path);
        let declared_at = declares.then(|| tokens.first_item()).flatten();
        let mut found = functions_of(&tokens, &own);
        if package.edition == "2015" {
            // From its macros' rules no path leads to another crate: they are used in crates that do not declare it.
            let in_rules = |function: &mut Function| matches!(function.within, Within::Rules(_));
            found.foreign.extend(found.functions.extract_if(.., in_rules));
        }
        Source { path, text, found, declared_at }
    };
    Ok(read.into_iter().map(source).collect())
}

/// A function that does not carry the attribute in the end.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Left {
    /// Where it stands: file and line.
    pub place: String,
    /// Its name.
    pub name: String,
    /// What it is written in.
    pub within: Within,
    /// What the compiler said.
    pub reason: String,
    /// Whether the attribute itself refused it, with an error of its own.
    pub refused: bool,
}

/// What became of an annotated package.
#[derive(Debug, Default)]
pub struct Annotated {
    /// How many functions carry the attribute, in code and in macros.
    pub carried: BTreeMap<&'static str, usize>,
    /// Those that do not.
    pub left: Vec<Left>,
    /// Those among the arguments of others' macros, by the macro.
    pub foreign: BTreeMap<String, usize>,
    /// Its build.
    pub build: Build,
}

/// How often functions are taken back before it is said that the build fails. Each round takes back at least one.
const ROUNDS: usize = 40;

/// Annotates the copy in `folder` and builds it; takes the attribute back where the compiler points at one, until it builds.
///
/// # Errors
/// The file system refuses, or cargo cannot be run.
pub fn annotated(sources: &[Source], folder: &Path, variant: Variant, cargo: &Cargo) -> Result<Annotated> {
    let mut left: BTreeMap<(PathBuf, usize), Left> = BTreeMap::new();
    for round in 0.. {
        let places = write_all(sources, folder, variant, &left)?;
        let build = cargo.build(folder)?;
        let before = left.len();
        if !build.built {
            let errors = build.diagnostics.iter().filter(|said| said.level == "error");
            errors.for_each(|error| take_back(error, &places, &mut left));
        }
        if build.built || left.len() == before || round == ROUNDS {
            let carried = places.iter().fold(BTreeMap::new(), |mut count, place| {
                *count.entry(kind(&place.function.within)).or_default() += 1;
                count
            });
            return Ok(Annotated { carried, left: left.into_values().collect(), foreign: foreign(sources), build });
        }
    }
    Ok(Annotated::default())
}

/// A function that carries the attribute.
struct Carrier<'s> {
    file: &'s Path,
    function: &'s Function,
    /// From the attribute to the body, in the annotated text.
    signature: Range<usize>,
    /// Behind the attribute.
    behind: usize,
}

fn write_all<'s>(
    sources: &'s [Source],
    folder: &Path,
    variant: Variant,
    left: &BTreeMap<(PathBuf, usize), Left>,
) -> Result<Vec<Carrier<'s>>> {
    let mut carriers = Vec::new();
    for source in sources {
        let carry = |function: &&Function| !left.contains_key(&(source.path.clone(), function.at));
        let functions: Vec<_> = source.found.functions.iter().filter(carry).collect();
        let prelude = source.declared_at.map(|at| (at, "extern crate launchsite; ".to_owned()));
        let annotation = Annotation { attribute: variant.attribute(), first: variant.first, prelude };
        let annotated = annotate(&source.text, &functions, &annotation);
        write(&folder.join(&source.path), annotated.text.as_bytes())?;
        let of_file = functions.into_iter().zip(annotated.signatures);
        carriers.extend(of_file.map(|(function, signature)| Carrier {
            file: &source.path,
            function,
            behind: signature.start + annotation.attribute.len(),
            signature,
        }));
    }
    Ok(carriers)
}

/// Takes the attribute from the functions that `error` is about: whose signature it points at or, where a macro makes
/// nothing of them, all that the macro was given.
fn take_back(error: &Diagnostic, carriers: &[Carrier<'_>], left: &mut BTreeMap<(PathBuf, usize), Left>) {
    let touches = |carrier: &&Carrier<'_>| {
        error.places.iter().any(|place| {
            place.file == carrier.file
                && carrier.signature.start <= place.range.start
                && place.range.end <= carrier.signature.end
        })
    };
    let around = |carrier: &&Carrier<'_>| {
        carrier.function.within != Within::Code
            && error.places.iter().any(|place| {
                place.file == carrier.file
                    && place.range.start <= carrier.signature.start
                    && carrier.signature.end <= place.range.end
            })
    };
    let mut found: Vec<_> = carriers.iter().filter(touches).collect();
    if found.is_empty() {
        found = carriers.iter().filter(around).collect();
    }
    for carrier in found {
        let function = carrier.function;
        // An error of the attribute's own has no number and points at one of its words. Its mark is what the rules of a
        // macro do not match.
        let at = error.places.first().map_or(0, |place| place.range.start);
        let refused = error.code.is_none() && carrier.signature.start < at && at < carrier.behind;
        left.entry((carrier.file.to_owned(), function.at)).or_insert_with(|| Left {
            place: format!("{}:{}", carrier.file.display(), function.line),
            name: function.name.clone(),
            within: function.within.clone(),
            reason: error.message.clone(),
            refused,
        });
    }
}

fn kind(within: &Within) -> &'static str {
    match within {
        Within::Code => "code",
        Within::Rules(_) | Within::Arguments(_) => "macros",
    }
}

fn foreign(sources: &[Source]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for function in sources.iter().flat_map(|source| &source.found.foreign) {
        let name = match &function.within {
            Within::Arguments(name) | Within::Rules(name) => name.clone(),
            Within::Code => String::new(),
        };
        *counts.entry(name).or_default() += 1;
    }
    counts
}
