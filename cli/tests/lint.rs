//! `launchsite lint`, run as a program.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test ends where it fails

use std::process::{Command, Output};

use tempfile::TempDir;

fn lint(arguments: &[&str], folder: &TempDir) -> Output {
    Command::new(env!("CARGO_BIN_EXE_launchsite")).args(arguments).current_dir(folder.path()).output().unwrap()
}

#[test]
fn s4_10_the_exit_code_says_whether_a_launch_is_unnamed() {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("named.rs", "#[gpu_kernel] pub fn f(b: LaunchArgs) -> R { b.launch(cfg) }\n");
    write("unnamed.rs", "pub fn f(b: LaunchArgs) -> R {\n    b.launch(cfg)\n}\n");
    write("broken.rs", "fn f( {}\n");
    let said = |output: &Output| String::from_utf8(output.stdout.clone()).unwrap();
    let named = lint(&["lint", "named.rs"], &folder);
    assert_eq!((named.status.code(), said(&named)), (Some(0), String::new()));
    let unnamed = lint(&["lint", "named.rs", "unnamed.rs"], &folder);
    let line = "unnamed.rs:1:8: public `f` launches in line 2 without `#[gpu_kernel]`\n";
    assert_eq!((unnamed.status.code(), &*said(&unnamed)), (Some(1), line));
    for wrong in [&["lint", "."][..], &["lint", "broken.rs"], &["lint", "none"], &["lint"]] {
        let output = lint(wrong, &folder);
        assert_eq!((output.status.code(), said(&output)), (Some(2), String::new()), "{wrong:?}");
        assert!(!output.stderr.is_empty(), "{wrong:?}");
    }
}
