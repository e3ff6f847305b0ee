//! Names are the same wherever the source was checked out, and however it was built.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test ends where it fails

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

const MAIN: &str = r#"
use launchsite::{gpu_kernel, host};

mod ops;

const ONE: host::LaunchConfig = host::LaunchConfig { grid_dim: (1, 1, 1), block_dim: (1, 1, 1), shared_mem_bytes: 0 };

#[gpu_kernel]
fn in_main<T: Copy + Send + Sync + 'static>(stream: &host::Stream, value: T) -> Result<(), host::Error> {
    stream.launch_builder("main", move || { let _ = value; }).launch(ONE)
}

fn main() {
    let stream = host::Host::new().stream();
    in_main(&stream, 1_f32).unwrap();
    in_main(&stream, [1_u8; 3]).unwrap();
    ops::in_a_module(&stream).unwrap();
    outside::in_another_package(&stream).unwrap();
}
"#;

const OPS: &str = r#"
use launchsite::{gpu_kernel, host};

#[gpu_kernel]
pub fn in_a_module(stream: &host::Stream) -> Result<(), host::Error> {
    let each = |config| stream.launch_builder("ops", || {}).launch(config);
    each(super::ONE).and_then(|()| stream.launch_builder("ops", || {}).launch(super::ONE))
}
"#;

/// Of the first edition, whose paths begin at the crate's root: neither `::core` nor an undeclared crate is there.
const OUTSIDE: &str = r#"
extern crate launchsite;
use launchsite::{gpu_kernel, host};

#[gpu_kernel]
pub fn in_another_package(stream: &host::Stream) -> Result<(), host::Error> {
    stream.launch_builder("outside", || {}).launch(host::LaunchConfig::for_num_elems(1))
}
"#;

const EXPECTED: [&str; 5] = [
    "app::in_main<[u8; 3]> app/src/main.rs:10",
    "app::in_main<f32> app/src/main.rs:10",
    "ops::in_a_module app/src/ops/mod.rs:6",
    "ops::in_a_module app/src/ops/mod.rs:7",
    "outside::in_another_package outside/src/lib.rs:7",
];

fn runtime() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("runtime")
}

/// A workspace with a member, and a package beside it that the compiler is given by an absolute path.
fn check_out(folder: &Path) {
    let write = |path: &str, text: &str| {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let runtime = runtime();
    let path = serde_json::to_string(runtime.to_str().unwrap()).unwrap();
    let launchsite = format!("launchsite = {{ path = {path}, features = [\"enabled\"] }}\n");
    write("work/Cargo.toml", "[workspace]\nresolver = \"3\"\nmembers = [\"app\"]\n");
    let package = |name: &str| format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n");
    let app = package("app") + "[dependencies]\noutside = { path = \"../../outside\" }\n" + &launchsite;
    write("work/app/Cargo.toml", &app);
    write("work/app/src/main.rs", MAIN);
    write("work/app/src/ops/mod.rs", OPS);
    write(
        "outside/Cargo.toml",
        &(package("outside").replace("2024", "2015") + "[workspace]\n[dependencies]\n" + &launchsite),
    );
    write("outside/src/lib.rs", OUTSIDE);
    // The same versions as here, so that nothing has to be looked up.
    std::fs::copy(runtime.parent().unwrap().join("Cargo.lock"), folder.join("work/Cargo.lock")).unwrap();
}

/// A run of the program in `folder`: what of cargo's it is built with, and what is set when it runs.
struct Built<'b> {
    folder: &'b Path,
    target: &'b Path,
    profile: &'b [&'b str],
    environment: &'b [(&'b str, &'b str)],
}

impl Built<'_> {
    /// Builds the workspace, runs it, and gives its names, the program, and what it said.
    fn run(&self) -> (BTreeSet<String>, Vec<u8>, String) {
        let trace = self.folder.join("trace.jsonl");
        let output = Command::new(env!("CARGO"))
            .args(["run", "--quiet", "--offline", "--manifest-path"])
            .arg(self.folder.join("work/Cargo.toml"))
            .args(self.profile)
            .env("CARGO_TARGET_DIR", self.target)
            .env("LAUNCHSITE_OUT", &trace)
            .envs(self.environment.iter().copied())
            .current_dir(self.folder)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
        let text = std::fs::read_to_string(&trace).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let named = lines.filter_map(|line| line.get("name")?.as_str().map(str::to_owned));
        let built = if self.profile.contains(&"--release") { "release/app" } else { "debug/app" };
        (named.collect(), std::fs::read(self.target.join(built)).unwrap(), said)
    }
}

fn holds(program: &[u8], text: &str) -> bool {
    program.windows(text.len()).any(|window| window == text.as_bytes())
}

const WITHOUT_LINES: [&str; 4] = ["--config", "profile.dev.debug=false", "--config", "profile.release.strip=true"];
const LTO: [&str; 4] = ["--config", "profile.release.lto=true", "--config", "profile.release.opt-level=3"];

#[test]
fn s2_8_two_checkouts_debug_and_release_have_the_same_names() {
    let root = std::env::temp_dir().join(format!("launchsite-checkouts-{}", std::process::id()));
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("checkouts");
    let expected: BTreeSet<_> = EXPECTED.iter().map(|&name| name.to_owned()).collect();
    for folder in ["here", "there/deep/below"] {
        let folder = root.join(folder);
        check_out(&folder);
        for more in [&[][..], &["--release"], &["--release", LTO[0], LTO[1], LTO[2], LTO[3]]] {
            let profile = [&WITHOUT_LINES, more].concat();
            let built = Built { folder: &folder, target: &target, profile: &profile, environment: &[] };
            let (names, program, _) = built.run();
            assert_eq!(names, expected, "{} {more:?}", folder.display());
            assert!(holds(&program, "src/ops/mod.rs"), "names are made of what the program holds");
            // With a part of the path that is ours alone: what the compiler writes down of dependencies is not.
            assert!(!holds(&program, folder.to_str().unwrap()), "{} is in the program", folder.display());
        }
    }
    std::fs::remove_dir_all(&root).unwrap();
}

/// What the launches are called that the program's own functions make, or make another package make.
const BY_STACK: [&str; 5] = [
    "app::in_main<[u8; 3]> app/src/main.rs:10",
    "app::in_main<f32> app/src/main.rs:10",
    "app::main app/src/main.rs:18",
    "ops::in_a_module app/src/ops/mod.rs:6",
    "ops::in_a_module app/src/ops/mod.rs:7",
];

#[test]
fn s2_8_names_from_the_stack_are_the_same_in_two_checkouts() {
    let root = std::env::temp_dir().join(format!("launchsite-stacks-{}", std::process::id()));
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("checkouts");
    let environment = [("LAUNCHSITE_NAMES", "stack"), ("LAUNCHSITE_INTERNAL", "outside")];
    let run = |folder: &str, profile: &[&str]| {
        let folder = root.join(folder);
        check_out(&folder);
        Built { folder: &folder, target: &target, profile, environment: &environment }.run()
    };
    let expected: BTreeSet<_> = BY_STACK.iter().map(|&name| name.to_owned()).collect();
    let lines = ["--release", "--config", "profile.release.debug='line-tables-only'"];
    for (folder, profile) in [("here", &[][..]), ("there/deep/below", &lines)] {
        let (names, _, said) = run(folder, profile);
        assert_eq!((names, &*said), (expected.clone(), ""), "{folder} {profile:?}");
    }
    // With symbols alone there are functions, and no lines.
    let (names, _, said) = run("there", &["--release", "--config", "profile.release.debug=false"]);
    assert!(names.contains("app::main") && !names.contains("app::main app/src/main.rs:18"), "{names:?}");
    let advice = said.matches("debug = \"line-tables-only\"").count();
    assert_eq!((advice, said.lines().count()), (1, 1), "{said}");
    // Without symbols, nothing is claimed.
    let (names, _, said) = run("there", &["--release", WITHOUT_LINES[2], WITHOUT_LINES[3]]);
    assert_eq!(names, EXPECTED.iter().map(|&name| name.to_owned()).collect());
    assert_eq!((said.matches("strip").count(), said.lines().count()), (1, 1), "{said}");
    std::fs::remove_dir_all(&root).unwrap();
}

/// A package that is depended on in every way that there is: by its folder, from a registry, and from git.
#[test]
fn s2_8_a_dependency_is_named_by_its_package_wherever_it_comes_from() {
    // One place for all runs: cargo keeps what it fetched of each address.
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sources");
    let _ = std::fs::remove_dir_all(&root);
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("checkouts");
    let expected: BTreeSet<_> = EXPECTED.iter().map(|&name| name.to_owned()).collect();
    for source in ["registry", "git"] {
        let folder = root.join(source);
        check_out(&folder);
        let (outside, manifest) = (folder.join("outside"), folder.join("work/app/Cargo.toml"));
        let url = format!("file://{}", outside.display());
        // A package from elsewhere has no folders beside it: what it depends on is of crates.io, and lies here.
        let path = serde_json::to_string(runtime().to_str().unwrap()).unwrap();
        let change = |file: &Path, change: &dyn Fn(String) -> String| {
            let text = std::fs::read_to_string(file).unwrap();
            std::fs::write(file, change(text)).unwrap();
        };
        change(&outside.join("Cargo.toml"), &|text| text.replace(&format!("path = {path}"), "version = \"0.1\""));
        let patched = format!("[patch.crates-io]\nlaunchsite = {{ path = {path} }}\n");
        change(&folder.join("work/Cargo.toml"), &|text| text + &patched);
        let dependency = if source == "git" {
            let git = |arguments: &[&str]| {
                let identity = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.com"];
                let output = Command::new("git").current_dir(&outside).args(identity).args(arguments).output().unwrap();
                assert!(output.status.success(), "{arguments:?}: {output:?}");
            };
            git(&["init", "--quiet"]);
            git(&["add", "."]);
            git(&["commit", "--quiet", "-m", "all"]);
            format!("outside = {{ git = \"{url}\" }}")
        } else {
            // A registry that cargo finds in a folder, where packages lie as in the cache of one.
            let vendored = folder.join("registry/src/example.com-0123456789abcdef");
            let package = vendored.join("outside-0.1.0");
            std::fs::create_dir_all(&vendored).unwrap();
            std::fs::rename(&outside, &package).unwrap();
            std::fs::write(package.join(".cargo-checksum.json"), "{\"files\":{},\"package\":null}").unwrap();
            let config = format!(
                "[registries.example]\nindex = \"https://example.com/index\"\n\
                     [source.example]\nregistry = \"https://example.com/index\"\nreplace-with = \"folder\"\n\
                     [source.folder]\ndirectory = \"{}\"\n",
                vendored.display()
            );
            std::fs::create_dir_all(folder.join(".cargo")).unwrap();
            std::fs::write(folder.join(".cargo/config.toml"), config).unwrap();
            "outside = { version = \"0.1\", registry = \"example\" }".to_owned()
        };
        change(&manifest, &|text| text.replace("outside = { path = \"../../outside\" }", &dependency));
        if source == "git" {
            let mut fetch = Command::new(env!("CARGO"));
            fetch.args(["fetch", "--quiet", "--manifest-path"]).arg(folder.join("work/Cargo.toml"));
            let fetched = fetch.output().unwrap();
            assert!(fetched.status.success(), "{}", String::from_utf8_lossy(&fetched.stderr));
        }
        let (names, ..) = Built { folder: &folder, target: &target, profile: &WITHOUT_LINES, environment: &[] }.run();
        assert_eq!(names, expected, "{source}");
    }
    std::fs::remove_dir_all(&root).unwrap();
}
