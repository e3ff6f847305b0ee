//! What a profiler makes of a program's names. Where there is no `nsys` on the path, the test says so and passes.

use std::path::Path;
use std::process::Command;

use crate::rig::gpu;

/// The test that is run under the profiler, and the name of a site of its.
const TEST: &str = "names::s2_4_each_instantiation_has_its_name";
const SITE: &[u8] = b"names::scale<f64> launchsite-tests/tests/gpu/names.rs:";

/// Whether the report of a run has the site's name.
fn is_in_report(folder: &Path, asked: &str) -> bool {
    let report = folder.join(asked);
    let run = |program: &Path, args: &[&str]| {
        let output = Command::new(program).args(args).env("LAUNCHSITE", asked).current_dir(folder).output().unwrap();
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let binary = std::env::current_exe().unwrap();
    let (nsys, report, binary) = (Path::new("nsys"), report.to_str().unwrap(), binary.to_str().unwrap());
    // With launchsite off the test has no records to find, and fails: its launches are made all the same.
    let profiled = run(nsys, &["profile", "-t", "cuda,nvtx", "-o", report, binary, "--exact", TEST]);
    let exported =
        run(nsys, &["export", "--type", "sqlite", "-o", &format!("{report}.sqlite"), &format!("{report}.nsys-rep")]);
    let text = std::fs::read(format!("{report}.sqlite"));
    let text = text.unwrap_or_else(|error| panic!("no report ({error}): {profiled}{exported}"));
    assert!(text.windows(9).any(|bytes| bytes == b"scale_f64"), "the report has the kernel");
    text.windows(SITE.len()).any(|bytes| bytes == SITE)
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
