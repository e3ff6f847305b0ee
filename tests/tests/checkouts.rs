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

/// Builds the workspace in `folder`, runs it, and gives its names and the program.
fn names(folder: &Path, target: &Path, profile: &[&str]) -> (BTreeSet<String>, Vec<u8>) {
    let trace = folder.join("trace.jsonl");
    let output = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--offline", "--manifest-path"])
        .arg(folder.join("work/Cargo.toml"))
        .args(["--config", "profile.dev.debug=false", "--config", "profile.release.strip=true"])
        .args(profile)
        .env("CARGO_TARGET_DIR", target)
        .env("LAUNCHSITE_OUT", &trace)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(&trace).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let named = lines.filter_map(|line| line.get("name")?.as_str().map(str::to_owned));
    let built = if profile.contains(&"--release") { "release/app" } else { "debug/app" };
    (named.collect(), std::fs::read(target.join(built)).unwrap())
}

fn holds(program: &[u8], text: &str) -> bool {
    program.windows(text.len()).any(|window| window == text.as_bytes())
}

#[test]
fn s2_8_two_checkouts_debug_and_release_have_the_same_names() {
    let root = std::env::temp_dir().join(format!("launchsite-checkouts-{}", std::process::id()));
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("checkouts");
    let expected: BTreeSet<_> = EXPECTED.iter().map(|&name| name.to_owned()).collect();
    for (folder, profile) in [("here", &[][..]), ("there/deep/below", &["--release"])] {
        let folder = root.join(folder);
        check_out(&folder);
        let (names, program) = names(&folder, &target, profile);
        assert_eq!(names, expected, "{}", folder.display());
        assert!(holds(&program, "src/ops/mod.rs"), "names are made of what the program holds");
        // With a part of the path that is ours alone: what the compiler writes down of dependencies is not.
        assert!(!holds(&program, folder.to_str().unwrap()), "{} is in the program", folder.display());
    }
    std::fs::remove_dir_all(&root).unwrap();
}
