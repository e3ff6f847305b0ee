//! What a profiler makes of a program's names. Where there is no `nsys` on the path, the test says so and passes.

use std::path::Path;
use std::process::Command;

use crate::rig::{Gpu, empty, gpu};

/// What is run under the profiler, who says so, and the name of its site.
const TEST: &str = "reports::what_is_launched_under_the_profiler";
const PROFILED: &str = "LAUNCHSITE_TESTS_PROFILED";
const SITE: &[u8] = b"rig::empty launchsite-tests/tests/gpu/rig.rs:";

/// Whether the report of a run has the site's name.
fn is_in_report(folder: &Path, asked: &str) -> bool {
    let report = folder.join(asked);
    let run = |program: &Path, args: &[&str]| {
        let output = Command::new(program)
            .args(args)
            .env("LAUNCHSITE", asked)
            .env(PROFILED, "1")
            .current_dir(folder)
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let binary = std::env::current_exe().unwrap();
    let (nsys, report, binary) = (Path::new("nsys"), report.to_str().unwrap(), binary.to_str().unwrap());
    let profiled = run(nsys, &["profile", "-t", "cuda,nvtx", "-o", report, binary, "--exact", TEST]);
    let exported =
        run(nsys, &["export", "--type", "sqlite", "-o", &format!("{report}.sqlite"), &format!("{report}.nsys-rep")]);
    let text = std::fs::read(format!("{report}.sqlite"));
    let text = text.unwrap_or_else(|error| panic!("no report ({error}): {profiled}{exported}"));
    assert!(text.windows(5).any(|bytes| bytes == b"empty"), "no kernel in the report: {profiled}{exported}");
    text.windows(SITE.len()).any(|bytes| bytes == SITE)
}

#[test]
fn what_is_launched_under_the_profiler() {
    if std::env::var_os(PROFILED).is_some() {
        let gpu = Gpu::new();
        (0..10).for_each(|_| empty(&gpu, &gpu.stream).unwrap());
        gpu.stream.synchronize().unwrap();
    }
}

#[test]
fn s4_9_a_profilers_report_has_the_names_and_none_where_launchsite_is_off() {
    let Some((_turn, _)) = gpu() else { return };
    if Command::new("nsys").arg("--version").output().is_err() {
        println!("no nsys on the path: nothing was tried");
        return;
    }
    let folder = std::env::temp_dir().join(format!("launchsite-reports-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let found = ["nvtx", "off"].map(|asked| is_in_report(&folder, asked));
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(found, [true, false]);
}
