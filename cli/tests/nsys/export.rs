//! Reports that nsys has to export first. A script stands in for nsys: it takes the same arguments.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::rig::{PROGRAM, REAL, Run};

/// Runs the program on `report` in a folder of its own, with an nsys that does `script` and a folder for temporary files.
/// Gives what became of it, and the names of the files that are in the two folders then.
fn with_nsys(script: Option<&str>, report: &str) -> (Run, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let [bin, work, temporary] = ["bin", "work", "tmp"].map(|name| folder.path().join(name));
    for folder in [&bin, &work, &temporary] {
        fs::create_dir(folder).unwrap();
    }
    if let Some(script) = script {
        fs::write(bin.join("nsys"), format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(bin.join("nsys"), fs::Permissions::from_mode(0o755)).unwrap();
    }
    fs::write(work.join(report), "raw").unwrap();
    let mut command = Command::new(PROGRAM);
    command.args(["nsys", "--format", "json", "--", report]).current_dir(&work);
    command.env("PATH", &bin).env("TMPDIR", &temporary).env("REAL", REAL);
    let run = command.output().unwrap().into();
    let names = |folder: &Path| {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect::<Vec<_>>()
    };
    (run, [names(&work), names(&temporary)].concat())
}

/// As the user guide has it: long options with an equals sign, and the report as the last argument.
const EXPORTS: &str = r#"
    test "$1" = export || exit 9
    shift
    while test $# -gt 1; do
        case "$1" in
            --type=sqlite | --force-overwrite=true) ;;
            --output=*) out=${1#--output=} ;;
            *) exit 6 ;;
        esac
        shift
    done
    case "$1" in /*) ;; *) exit 5 ;; esac
    /bin/test "$(/bin/cat "$1")" = raw || exit 4
    echo "Processing events..."
    /bin/cp "$REAL" "$out"
"#;

#[test]
fn a_raw_report_is_exported_elsewhere_and_the_export_removed() {
    for report in ["report.nsys-rep", "my report.NSYS-REP", "-t.nsys-rep"] {
        let (run, left) = with_nsys(Some(EXPORTS), report);
        assert_eq!((run.code, run.stderr.as_str(), run.rows().len()), (0, "", 2), "{report}");
        assert_eq!(left, [report]);
    }
}

#[test]
fn without_nsys_a_raw_report_is_refused_with_what_to_do() {
    let (run, left) = with_nsys(None, "report.nsys-rep");
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.lines().count()), (2, "", 1), "{run:?}");
    assert!(run.stderr.contains("not on the PATH") && run.stderr.contains("nsys export --type sqlite"), "{run:?}");
    assert_eq!(left, ["report.nsys-rep"]);
}

#[test]
fn what_nsys_says_of_a_report_that_it_refuses_is_passed_on() {
    let (run, left) =
        with_nsys(Some("echo starting; echo 'The report is of another version.' >&2; exit 3"), "a.nsys-rep");
    assert_eq!((run.code, run.stderr.lines().count()), (2, 1), "{run:?}");
    assert!(run.stderr.contains("exit status: 3: The report is of another version."), "{run:?}");
    assert_eq!(left, ["a.nsys-rep"]);
    let (run, _) = with_nsys(Some("exit 0"), "a.nsys-rep");
    assert!(run.code == 2 && run.stderr.contains("it says nothing"), "{run:?}");
    // And what it exports is looked at like any other.
    let (run, _) = with_nsys(Some(": > \"${4#--output=}\""), "a.nsys-rep");
    assert!(run.code == 2 && run.stderr.contains("empty"), "{run:?}");
}
