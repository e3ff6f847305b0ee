//! The quickstart, run as its reader would: on a GPU where there is one, and on the stand-in elsewhere.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test ends where it fails

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

use launchsite_tests::{Folder, Records};

/// Beside the folder of the test binaries; `cargo test --workspace` has built it.
fn quickstart() -> PathBuf {
    let exe = std::env::current_exe().unwrap();
    let path = exe.parent().and_then(|deps| deps.parent()).unwrap().join("examples/quickstart");
    assert!(path.exists(), "{} is built by: cargo build -p launchsite-examples --examples", path.display());
    path
}

#[test]
fn s0_2_the_quickstarts_trace_is_in_form_and_complete() {
    let folder = Folder::new();
    let output =
        Command::new(quickstart()).current_dir(folder.path()).env("LAUNCHSITE_OUT", "q.jsonl").output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{stdout}");
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    assert!(stdout.contains("results agree with the CPU"), "{stdout}");

    let records = Records::parse(&folder.read("q.jsonl"));
    records.check_contract();
    let count = records.launches().len();
    assert_eq!((count, records.gpu().len()), (7 * 200, 7 * 200));
    assert_eq!(records.end()["launches"], count);

    let functions: BTreeSet<_> = records.launches().iter().map(|launch| launch["function"].as_str().unwrap()).collect();
    let named = |name: &str| functions.iter().any(|function| function.ends_with(name));
    for name in ["::saxpy", "::scale<f32>", "::scale<f64>", "::sum", "::softmax", "::to_logits", "::to_weights"] {
        assert!(named(name), "{name} is in {functions:?}");
    }
    // Each is in the table too, uncut, since stdout is no terminal.
    for name in records.names() {
        assert!(stdout.contains(name), "{name} is not in {stdout}");
    }
}
