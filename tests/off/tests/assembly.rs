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

fn assembly() -> String {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("assembly");
    let target = target.to_str().expect("a path in UTF-8");
    cargo(&["rustc", "--offline", "--release", "--lib", "--target-dir", target, "--", "--emit=asm"]);
    let deps = Path::new(target).join("release/deps");
    let files = std::fs::read_dir(deps).expect("cargo made the folder");
    let is_ours = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("launchsite_off-") && name.ends_with(".s")
    };
    let file = files.map(|entry| entry.expect("readable").path()).find(is_ours).expect("an assembly file");
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

#[test]
fn an_annotated_function_has_the_same_instructions() {
    let assembly = assembly();
    // The linker's own proof: LLVM found them equal and made one of them.
    let aliased = |a: &str, b: &str| {
        let alias = [format!(".set {a}, {b}"), format!("{a} = {b}")];
        assembly.lines().any(|line| alias.iter().any(|alias| line.trim() == alias))
    };
    if aliased("instrumented", "bare") || aliased("bare", "instrumented") {
        return;
    }
    let (bare, instrumented) = (body(&assembly, "bare"), body(&assembly, "instrumented"));
    assert!(bare.len() > 10, "the function was found: {bare:#?}");
    assert_eq!(bare, instrumented);
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
