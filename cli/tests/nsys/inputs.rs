//! Files that are no report, and reports in odd places.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::rig::{MAIN, REAL, Report, Run, run};

/// Is refused in one line, which says why.
fn refused(path: &Path, why: &str) {
    let run = run(&[path]);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.lines().count()), (2, "", 1), "{why}: {run:?}");
    assert!(run.stderr.starts_with("launchsite: ") && run.stderr.contains(why), "{why}: {run:?}");
}

/// A file of its own, with these bytes.
fn file(folder: &Path, name: impl AsRef<OsStr>, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name.as_ref());
    fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn what_is_no_file_of_sqlite_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    refused(&folder.path().join("none.sqlite"), "no such file");
    refused(&folder.path().join("none.nsys-rep"), "no such file");
    refused(folder.path(), "a folder");
    refused(&file(folder.path(), "empty.sqlite", b""), "empty");
    refused(&file(folder.path(), "text.sqlite", b"name,kernels\n"), "no SQLite file");
    refused(&file(folder.path(), "short.sqlite", b"SQLite"), "no SQLite file");
    refused(&file(folder.path(), "magic.sqlite", b"SQLite format 3\0"), "no SQLite file");
    refused(&file(folder.path(), "zero.sqlite", &[0; 4096]), "no SQLite file");
    #[cfg(unix)]
    refused(Path::new("/dev/null"), "not a regular file");
}

#[cfg(unix)]
#[test]
fn what_may_not_be_read_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "secret.sqlite", &fs::read(REAL).unwrap());
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    // Root may read everything.
    if fs::File::open(&path).is_err() {
        refused(&path, "permission denied");
    } else {
        assert_eq!(run(&[&path]).code, 0);
    }
}

#[test]
fn a_report_that_is_cut_off_is_refused_wherever_that_is() {
    let whole = fs::read(REAL).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for length in (0..whole.len()).step_by(1021).chain([16, 99, 100, 4096, whole.len() - 4096, whole.len() - 1]) {
        let path = file(folder.path(), "cut.sqlite", &whole[..length]);
        let run = run(&[&path]);
        assert_eq!((run.code, run.stderr.lines().count()), (2, 1), "{length} bytes: {run:?}");
    }
}

#[test]
fn a_report_that_is_damaged_ends_in_order() {
    let whole = fs::read(REAL).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut seed = 1_u64;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % below
    };
    for round in 0..200 {
        let mut bytes = whole.clone();
        for _ in 0..=random(30) {
            let at = random(bytes.len());
            bytes[at] = u8::try_from(random(256)).unwrap();
        }
        let run = run(&[file(folder.path(), "damaged.sqlite", &bytes)]);
        // What is not in a table that is read does no harm.
        assert!(matches!(run.code, 0 | 2) && !run.stderr.contains("panicked"), "{round}: {run:?}");
        assert!(run.code == 0 || run.stderr.lines().count() == 1, "{round}: {run:?}");
    }
}

#[test]
fn another_schema_is_refused_and_what_it_lacks_is_named() {
    let table = [
        ("DROP TABLE StringIds", "table StringIds"),
        ("DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL", "table CUPTI_ACTIVITY_KIND_KERNEL"),
        ("DROP TABLE CUPTI_ACTIVITY_KIND_RUNTIME", "table CUPTI_ACTIVITY_KIND_RUNTIME"),
        (
            "ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL RENAME COLUMN graphNodeId TO nodeId",
            "column CUPTI_ACTIVITY_KIND_KERNEL.graphNodeId",
        ),
        ("ALTER TABLE NVTX_EVENTS DROP COLUMN domainId", "column NVTX_EVENTS.domainId"),
        (
            "ALTER TABLE CUDA_GRAPH_NODE_EVENTS DROP COLUMN originalGraphNodeId",
            "column CUDA_GRAPH_NODE_EVENTS.originalGraphNodeId",
        ),
        (
            "DROP TABLE StringIds; ALTER TABLE NVTX_EVENTS DROP COLUMN textId",
            "column NVTX_EVENTS.textId, table StringIds",
        ),
    ];
    for (change, lacks) in table {
        let report = Report::new();
        refused(&report.run_sql(change).path(), lacks);
    }
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("other.sqlite");
    rusqlite::Connection::open(&other).unwrap().execute_batch("CREATE TABLE t (a)").unwrap();
    refused(&other, "table StringIds, table CUPTI_ACTIVITY_KIND_RUNTIME, table CUPTI_ACTIVITY_KIND_KERNEL");
}

#[test]
fn tables_of_what_was_not_traced_may_be_missing() {
    let report = Report::new();
    report.range(MAIN, "a", (100, 200));
    report.launch(MAIN, 1, 110, 10);
    report.run_sql("DROP TABLE CUDA_GRAPH_NODE_EVENTS; DROP TABLE ENUM_NSYS_EVENT_TYPE");
    assert_eq!(report.sites().len(), 1);
}

#[test]
fn values_that_are_no_numbers_are_refused() {
    for (table, column) in [
        ("CUPTI_ACTIVITY_KIND_KERNEL", "end"),
        ("CUPTI_ACTIVITY_KIND_KERNEL", "graphNodeId"),
        ("CUPTI_ACTIVITY_KIND_RUNTIME", "start"),
        ("NVTX_EVENTS", "globalTid"),
        ("NVTX_EVENTS", "end"),
    ] {
        let report = Report::new();
        report.range(MAIN, "a", (100, 200));
        report.launch(MAIN, 1, 110, 10);
        refused(&report.run_sql(&format!("UPDATE {table} SET {column} = 'soon'")).path(), column);
    }
}

#[test]
fn times_that_nothing_can_take_are_refused() {
    let report = Report::new();
    report.range(MAIN, "a", (100, 200));
    for n in 0..3 {
        report.launch(MAIN, n, 110, i64::MAX - 1000);
    }
    refused(&report.path(), "centuries");
    // And those that are as long as can be are not.
    let report = Report::new();
    report.launch(MAIN, 1, 110, i64::MAX - 1000);
    report.launch(MAIN, 2, 110, i64::MAX - 1000);
    let total = u64::try_from(i64::MAX - 1000).unwrap() * 2;
    assert_eq!(report.run().sites(), vec![("(no site)".into(), 2, 2, 0, total)]);
}

#[test]
fn a_report_may_have_any_name() {
    let whole = fs::read(REAL).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for name in ["with spaces", "100%25?mode=rw&x#y.sqlite", "über 🦀", "'quoted' \"twice\"", "a\nb", "noext"] {
        let run = run(&[file(folder.path(), name, &whole)]);
        assert_eq!((run.code, run.rows().len()), (0, 2), "{name}");
    }
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::ffi::OsStrExt;
        let name = OsStr::from_bytes(b"not \xff text.sqlite");
        assert_eq!(run(&[file(folder.path(), name, &whole)]).code, 0);
        refused(&file(folder.path(), "a\n\u{1b}[2Jb.sqlite", b"text"), r"a\n\u{1b}[2Jb.sqlite: no SQLite file");
    }
    let dashed = std::process::Command::new(crate::rig::PROGRAM)
        .args(["nsys", "--format=json", "--", "--dashed"])
        .current_dir(file(folder.path(), "--dashed", &whole).parent().unwrap())
        .output();
    assert_eq!(Run::from(dashed.unwrap()).rows().len(), 2);
}

#[test]
fn nothing_is_written_beside_a_report() {
    let report = Report::new();
    report.range(MAIN, "a", (100, 200));
    report.launch(MAIN, 1, 110, 10);
    // As a program leaves a file that it writes with a log, and closes: SQLite would make a log to read it.
    report.run_sql("PRAGMA journal_mode = WAL");
    let path = report.folder().join("copy.sqlite");
    report.run_sql(&format!("VACUUM INTO '{}'", path.display()));
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = fs::read(&path).unwrap();
    // Its version numbers say "with a log".
    bytes[18..20].copy_from_slice(&[2, 2]);
    let path = file(folder.path(), "report.sqlite", &bytes);
    let mut read_only = fs::metadata(folder.path()).unwrap().permissions();
    read_only.set_readonly(true);
    fs::set_permissions(folder.path(), read_only.clone()).unwrap();
    assert_eq!(run(&[&path]).sites(), vec![("a".into(), 1, 1, 0, 10)]);
    assert_eq!(fs::read(&path).unwrap(), bytes);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    #[cfg(unix)]
    std::os::unix::fs::PermissionsExt::set_mode(&mut read_only, 0o700);
    fs::set_permissions(folder.path(), read_only).unwrap();
}

#[test]
fn a_report_that_is_still_written_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "report.sqlite", &fs::read(REAL).unwrap());
    let writer = rusqlite::Connection::open(&path).unwrap();
    // A transaction that is open, with pages in the file already.
    writer.execute_batch("PRAGMA cache_size = 1; BEGIN; CREATE TABLE more AS SELECT * FROM StringIds").unwrap();
    writer.execute_batch("INSERT INTO more SELECT a.id, a.value FROM more a, more b, more c").unwrap();
    refused(&path, "still being written");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&path, folder.path().join("link.sqlite")).unwrap();
        refused(&folder.path().join("link.sqlite"), "still being written");
    }
    writer.execute_batch("ROLLBACK; PRAGMA journal_mode = WAL; CREATE TABLE more AS SELECT 1").unwrap();
    refused(&path, "still being written");
    drop(writer);
    assert_eq!(run(&[&path]).rows().len(), 2);
}

#[test]
fn a_journal_that_is_used_up_does_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "report.sqlite", &fs::read(REAL).unwrap());
    file(folder.path(), "report.sqlite-journal", &[0; 512]);
    file(folder.path(), "report.sqlite-wal", b"");
    assert_eq!(run(&[&path]).rows().len(), 2);
}
