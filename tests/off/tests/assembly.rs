//! With the feature off, an annotated function is the function: to the instruction, and without dependencies.

use std::path::{Path, PathBuf};
use std::process::Command;

fn cargo(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(arguments)
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("cargo prints UTF-8")
}

/// The mangling that writes what a function is generic over into its name; the other one has a hash there, by which the two
/// instantiations of a pair cannot be told apart.
const MANGLING: &str = "-Csymbol-mangling-version=v0";

fn assembly() -> String {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("assembly");
    let target = target.to_str().expect("a path in UTF-8");
    cargo(&["rustc", "--offline", "--release", "--lib", "--target-dir", target, "--", "--emit=asm", MANGLING]);
    let deps = Path::new(target).join("release/deps");
    let files = std::fs::read_dir(deps).expect("cargo made the folder");
    let is_ours = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("launchsite_off-") && name.ends_with(".s")
    };
    // A folder that was built in before has the files of other versions beside the one just written.
    let written = |path: &PathBuf| path.metadata().and_then(|data| data.modified()).expect("a file has a time");
    let ours = files.map(|entry| entry.expect("readable").path()).filter(is_ours);
    let file = ours.max_by_key(written).expect("an assembly file");
    std::fs::read_to_string(file).expect("readable")
}

/// The instructions of `function`, without the labels' own numbers.
fn body(assembly: &str, function: &str) -> Vec<String> {
    let from = format!("{function}:");
    let lines = assembly.lines().skip_while(|line| line.trim() != from).skip(1);
    let body = lines.take_while(|line| !line.trim_start().starts_with(".size"));
    let code = body.filter(|line| !line.trim_start().starts_with(['.', '#']));
    code.map(|line| line.split(['#', ';']).next().unwrap_or_default().trim().replace(".LBB", "L"))
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .map(|line| match line.find('L').filter(|&at| line[at + 1..].starts_with(|c: char| c.is_ascii_digit())) {
            Some(at) => format!("{}L{}", &line[..at], line[at..].split('_').next_back().unwrap_or_default()),
            None => line,
        })
        .filter(|line| !line.is_empty())
        .collect()
}

/// The symbols of the functions whose name has `part` in it, mangled or not, with that part taken out.
fn symbols(assembly: &str, part: &str) -> Vec<(String, String)> {
    let labels = assembly.lines().filter_map(|line| line.strip_suffix(':')).filter(|label| !label.starts_with('.'));
    let set = assembly.lines().filter_map(alias).map(|(name, _)| name);
    let key = |symbol: &str| symbol.replacen(part, "", 1);
    let mut symbols: Vec<_> = labels
        .chain(set)
        .filter(|symbol| symbol.contains(part))
        .map(|symbol| (key(symbol), symbol.to_owned()))
        .collect();
    symbols.sort();
    symbols
}

/// What instructions name: with the pair's own names taken out, which differ by what they are called.
fn neutral(body: Vec<String>, names: [&str; 2]) -> Vec<String> {
    body.into_iter().map(|line| names.iter().fold(line, |line, name| line.replace(name, "F"))).collect()
}

/// A line that gives a function a second name: that name, and the function's.
fn alias(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let (name, of) = line.strip_prefix(".set ").unwrap_or(line).split_once([',', '='])?;
    let (name, of) = (name.trim(), of.trim());
    (!name.contains(char::is_whitespace) && !of.contains(char::is_whitespace)).then_some((name, of))
}

/// The function whose instructions `function` is: its own, or those that LLVM found equal and gave its name to as well.
fn made_of<'a>(assembly: &'a str, function: &'a str) -> &'a str {
    assembly.lines().filter_map(alias).find(|(name, _)| *name == function).map_or(function, |(_, of)| of)
}

fn compare(assembly: &str, bare: &str, instrumented: &str) {
    // LLVM's own proof: it found them equal and made one of them, or both of them the same third one.
    if made_of(assembly, bare) == made_of(assembly, instrumented) {
        return;
    }
    let names = [bare, instrumented];
    let (bare, instrumented) = names.map(|name| neutral(body(assembly, name), names)).into();
    assert!(bare.len() > 10, "{names:?} are found: {bare:#?}");
    assert_eq!(bare, instrumented, "{names:?}");
}

#[test]
fn an_annotated_function_has_the_same_instructions() {
    let assembly = assembly();
    compare(&assembly, "bare", "instrumented");
    compare(&assembly, "bare_told", "instrumented_told");
    for (bare, hook) in [("generic_bare", "generic_hook"), ("method_bare", "method_hook")] {
        let (bare, hook) = (symbols(&assembly, bare), symbols(&assembly, hook));
        assert_eq!((bare.len(), hook.len()), (2, 2), "two instantiations each: {bare:?} {hook:?}");
        for ((_, bare), (_, hook)) in bare.iter().zip(&hook) {
            compare(&assembly, bare, hook);
        }
    }
}

#[test]
fn nothing_but_the_macro_crate_is_built() {
    let tree =
        cargo(&["tree", "--offline", "-p", "launchsite", "--edges", "normal", "--prefix", "none", "--no-dedupe"]);
    let names: Vec<_> = tree.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let allowed = ["launchsite", "launchsite-macros", "proc-macro2", "quote", "syn", "unicode-ident"];
    assert!(names.contains(&"launchsite-macros"), "{tree}");
    for name in names {
        assert!(allowed.contains(&name), "{name} is built with the feature off:\n{tree}");
    }
}
