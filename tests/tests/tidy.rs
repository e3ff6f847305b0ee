//! Rules of the tree that a compiler does not hold.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)] // a test ends where it fails

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What each module may import, and so what lies below it. `lib` and `main` may import all; a module always has its own
/// parts.
const RUNTIME: &[(&str, &[&str])] = &[
    ("api", &["calibration", "collector", "device", "name", "parts", "pending", "record", "session", "summary"]),
    ("off", &["calibration", "parts", "pending", "record", "summary"]),
    ("graph", &["form", "launch", "name", "own", "session", "site"]),
    ("kernels", &["device", "here", "name", "own", "process", "ptx", "session"]),
    ("here", &["name", "site"]),
    ("ptx", &[]),
    ("private", &["call", "entry", "form", "launch", "name", "record", "site"]),
    ("call", &["entry", "form", "here", "launch", "session", "site"]),
    ("form", &["device", "entry", "fields", "lane"]),
    ("stack", &["name", "process", "site"]),
    (
        "launch",
        &[
            "stack",
            "fields",
            "collector",
            "device",
            "entry",
            "lane",
            "name",
            "nodes",
            "own",
            "parts",
            "process",
            "record",
            "sampling",
            "session",
            "site",
            "ticks",
            "window",
        ],
    ),
    ("entry", &["fields", "lane", "name", "own", "session"]),
    ("session", &["clock", "collector", "config", "lane", "name", "nvtx", "parts", "process", "sampling", "ticks"]),
    (
        "collector",
        &[
            "fields",
            "calibration",
            "clock",
            "config",
            "device",
            "jsonl",
            "lane",
            "name",
            "nodes",
            "own",
            "process",
            "queue",
            "record",
            "sampling",
            "summary",
            "tally",
            "ticks",
            "window",
        ],
    ),
    ("calibration", &["device", "process"]),
    ("sampling", &["config", "name", "site"]),
    ("jsonl", &["fields", "config", "process", "record"]),
    ("tally", &["fields", "name", "record", "summary"]),
    ("profiler", &["clock", "device", "window"]),
    ("nodes", &["device", "lane"]),
    ("lane", &["fields", "device", "name", "queue", "record", "window"]),
    ("window", &["device"]),
    ("site", &["name", "parts"]),
    ("name", &["config", "hash", "nvtx", "pace", "parts", "record"]),
    ("nvtx", &["process"]),
    ("config", &["parts", "process"]),
    ("record", &["fields", "device"]),
    ("device", &["clock"]),
    ("summary", &["record"]),
    ("fields", &["hash"]),
    ("hash", &[]),
    ("own", &[]),
    ("pace", &[]),
    ("pending", &[]),
    ("parts", &[]),
    ("queue", &[]),
    ("ticks", &["clock", "process"]),
    ("process", &[]),
    ("clock", &[]),
];

const MACROS: &[(&str, &[&str])] = &[
    ("driver", &["args", "depth", "expand", "fallback", "origin", "scan"]),
    ("depth", &[]),
    ("scan", &["args", "body", "locals", "methods", "model", "origin", "paths", "text"]),
    ("expand", &["body", "entry", "methods", "model", "paths"]),
    ("body", &["calls", "entry", "hooks", "locals", "model", "site"]),
    ("entry", &["args", "hooks", "model", "site"]),
    ("hooks", &["calls", "locals", "paths", "site"]),
    ("site", &["model", "text"]),
    ("model", &["args", "calls", "closures", "methods", "origin", "paths", "text"]),
    ("methods", &[]),
    ("calls", &[]),
    ("closures", &[]),
    ("args", &["text"]),
    ("text", &[]),
    ("fallback", &[]),
    ("locals", &[]),
    ("origin", &[]),
    ("paths", &[]),
];

const CLI: &[(&str, &[&str])] = &[
    ("fault", &["args", "output", "report"]),
    ("args", &["output"]),
    ("output", &["sums"]),
    ("notes", &["host", "report", "sums"]),
    ("kernels", &["host", "report", "sums"]),
    ("sums", &["host", "report"]),
    ("host", &["report"]),
    ("report", &[]),
];

/// Where `unsafe` may stand: the driver, the profiler's library, the launch's types, the queue, the C library, the stack and
/// the program's own tables of it.
const UNSAFE: &[&str] =
    &["device/cuda.rs", "device/cuda/", "form/mod.rs", "form/place.rs", "nvtx/", "process.rs", "queue/", "stack/"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package lies in the workspace").to_owned()
}

/// All files below `folder` that end in `ending`, by their path from there.
fn files(folder: &Path, ending: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).unwrap_or_else(|error| panic!("{}: {error}", next.display())) {
            let path = entry.unwrap().path();
            let hidden = path.file_name().unwrap().to_string_lossy().starts_with('.');
            if path.is_dir() && !hidden && path.file_name().unwrap() != "target" {
                folders.push(path);
            } else if path.to_string_lossy().ends_with(ending) {
                let name = path.strip_prefix(folder).unwrap().to_string_lossy().replace('\\', "/");
                found.insert(name, std::fs::read_to_string(&path).unwrap());
            }
        }
    }
    assert!(!found.is_empty(), "nothing in {}", folder.display());
    found
}

/// `device/host/mod.rs` is of `device`.
fn module(file: &str) -> &str {
    file.split('/').next().unwrap().trim_end_matches(".rs")
}

/// The modules of its own crate that `text` names.
fn imports(text: &str) -> BTreeSet<&str> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.flat_map(|line| line.split("crate::").skip(1))
        .flat_map(|rest| match rest.strip_prefix('{') {
            Some(list) => list.split('}').next().unwrap().split(',').map(str::trim).collect(),
            None => vec![rest],
        })
        .map(|path| path.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap())
        .filter(|name| !name.is_empty())
        .collect()
}

fn check_imports(source: &Path, allowed: &[(&str, &[&str])]) {
    let known: BTreeSet<_> = allowed.iter().map(|(module, _)| *module).collect();
    for (file, text) in files(source, ".rs") {
        let own = module(&file);
        if matches!(own, "lib" | "main" | "tests") || file.ends_with("tests.rs") {
            continue;
        }
        let Some((_, below)) = allowed.iter().find(|(module, _)| *module == own) else {
            panic!("`{own}` ({file}) is not in the table of modules");
        };
        // Names that are no module are items that `lib` gives everybody.
        for import in imports(&text).into_iter().filter(|import| known.contains(import) && *import != own) {
            assert!(below.contains(&import), "`{own}` imports `{import}` ({file})");
        }
    }
}

/// No order of the table has every import below its importer where there is a circle.
fn check_no_circle(allowed: &[(&str, &[&str])]) {
    let mut left: Vec<_> = allowed.to_vec();
    while !left.is_empty() {
        let names: BTreeSet<_> = left.iter().map(|(module, _)| *module).collect();
        let before = left.len();
        left.retain(|(_, below)| below.iter().any(|import| names.contains(import)));
        assert!(left.len() < before, "a circle among {names:?}");
    }
}

#[test]
fn imports_run_one_way() {
    check_imports(&root().join("runtime/src"), RUNTIME);
    check_imports(&root().join("macros/src"), MACROS);
    check_imports(&root().join("cli/src"), CLI);
    check_no_circle(RUNTIME);
    check_no_circle(MACROS);
    check_no_circle(CLI);
}

#[test]
fn unsafe_stands_in_its_rooms_and_says_why_it_is_safe() {
    for (file, text) in files(&root().join("runtime/src"), ".rs") {
        let has_unsafe = text.lines().any(|line| {
            let code = line.split("//").next().unwrap();
            code.contains("unsafe {") || code.contains("unsafe impl")
        });
        let allowed = UNSAFE.iter().any(|place| file == *place || (place.ends_with('/') && file.starts_with(place)));
        assert!(!has_unsafe || allowed, "{file} has `unsafe`");
    }
    for (file, text) in files(&root().join("macros/src"), ".rs") {
        assert!(!text.contains("unsafe {") || module(&file) == "tests", "macros/{file} has `unsafe`");
    }
    for (file, text) in files(&root().join("cli"), ".rs") {
        assert!(!text.contains("unsafe {"), "cli/{file} has `unsafe`");
    }
}

#[test]
fn every_member_has_the_workspaces_lints_and_edition() {
    let workspace = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let members = workspace.lines().find(|line| line.starts_with("members")).expect("members");
    for member in members.split('"').skip(1).step_by(2) {
        let manifest = std::fs::read_to_string(root().join(member).join("Cargo.toml")).unwrap();
        assert!(manifest.contains("[lints]\nworkspace = true"), "{member} has lints of its own");
        for key in ["edition", "rust-version", "license"] {
            assert!(manifest.contains(&format!("{key}.workspace = true")), "{member} has its own {key}");
        }
    }
}

#[test]
fn the_two_crates_are_of_one_version() {
    let workspace = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let version = workspace.lines().find_map(|line| line.strip_prefix("version = ")).expect("a version");
    let runtime = std::fs::read_to_string(root().join("runtime/Cargo.toml")).unwrap();
    let pin = format!("launchsite-macros = {{ version = \"={}\"", version.trim_matches('"'));
    assert!(runtime.contains(&pin), "the macro crate is pinned: {pin}");
}

#[test]
fn files_stay_small_enough_to_read() {
    for source in ["runtime/src", "macros/src", "macros/lint/src", "cli/src"] {
        for (file, text) in files(&root().join(source), ".rs") {
            let lines = text.lines().count();
            assert!(lines <= 350, "{source}/{file} has {lines} lines: which idea wants a room of its own?");
        }
    }
}

#[test]
fn the_behaviours_that_are_claimed_are_shown_by_tests_of_that_name() {
    let table = std::fs::read_to_string(root().join("docs/behaviours.md")).unwrap();
    let mut sources: String = files(&root().join("tests"), ".rs").into_values().collect();
    sources.extend(files(&root().join("runtime/src"), ".rs").into_values());
    sources.extend(files(&root().join("macros/src"), ".rs").into_values());
    sources.extend(files(&root().join("macros/lint/tests"), ".rs").into_values());
    sources.extend(files(&root().join("cli/tests"), ".rs").into_values());
    let rows = table.lines().filter(|line| line.starts_with("| ") && line.contains("::"));
    let mut shown = 0;
    for row in rows {
        let tests = row.trim_end_matches('|').rsplit('|').next().expect("a column of tests");
        for test in tests.split('`').skip(1).step_by(2) {
            let name = test.rsplit("::").next().unwrap();
            assert!(sources.contains(&format!("fn {name}(")), "no test {test}: {row}");
            shown += 1;
        }
    }
    assert!(shown > 0, "the table names tests");
}
