//! What is printed, where, and with which exit code.

use std::fs::File;
use std::io::Read;
use std::process::{Command, Stdio};

use crate::rig::{MAIN, PROGRAM, REAL, Report, Run};

fn program(args: &[&str]) -> Run {
    Command::new(PROGRAM).args(args).output().unwrap().into()
}

fn in_format(report: &Report, format: &str) -> Run {
    program(&["nsys", report.path().to_str().unwrap(), "--format", format])
}

/// A name with all that has a meaning somewhere.
const ODD: &str = "a,\"b\";\tc\r\nd\u{1b}[31m | 'é' = -1";

fn odd() -> Report {
    let report = Report::new();
    for (n, name) in (1..).zip([ODD, "", " ", "(no site)"]) {
        report.range(MAIN, name, (n * 100, n * 100 + 50));
        report.launch(MAIN, n, n * 100 + 10, 1000 / n);
    }
    report
}

#[test]
fn the_table_is_the_default_and_has_a_line_a_site() {
    let run = program(&["nsys", REAL]);
    let lines: Vec<_> = run.stdout.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    let expected = [
        "site kernels launches replays GPU total mean p50 p99 share",
        "ops::axpby src/ops.rs:77 15 10 5 54.4 us 3.62 us 3.58 us 3.78 us 50.3 %",
        "ops::saxpy src/ops.rs:42 15 10 5 53.6 us 3.58 us 3.52 us 4.77 us 49.7 %",
    ];
    assert_eq!((run.code, lines.as_slice(), run.stderr.as_str()), (0, expected.map(String::from).as_slice(), ""));
}

#[test]
fn names_are_whole_in_json_and_csv_and_in_one_line_of_the_table() {
    let report = odd();
    let names = [ODD, "", " ", "(no site)"];
    let rows = in_format(&report, "json").rows();
    assert_eq!(rows.iter().map(|row| row["name"].as_str().unwrap()).collect::<Vec<_>>(), names);

    let text = in_format(&report, "csv").stdout;
    let mut csv = csv::Reader::from_reader(text.as_bytes());
    assert_eq!(
        csv.headers().unwrap().iter().collect::<Vec<_>>().join(","),
        "name,kernels,launches,replays,gpu_total_ns,mean_ns,p50_ns,p99_ns,share"
    );
    let records: Vec<_> = csv.records().map(Result::unwrap).collect();
    assert_eq!(records.iter().map(|record| &record[0]).collect::<Vec<_>>(), names);
    assert_eq!(records[1].iter().skip(1).take(7).collect::<Vec<_>>(), ["1", "1", "0", "500", "500", "500", "500"]);

    let table = in_format(&report, "table").stdout;
    assert_eq!(table.lines().count(), 5, "{table}");
    assert!(!table.chars().any(|c| c.is_control() && c != '\n'), "{table:?}");
}

#[test]
fn a_report_without_kernels_has_no_rows_and_says_so() {
    let report = Report::new();
    report.range(MAIN, "a", (100, 200));
    for (format, expected) in [
        ("json", "{\"sites\":[]}\n"),
        ("csv", "name,kernels,launches,replays,gpu_total_ns,mean_ns,p50_ns,p99_ns,share\n"),
        ("table", "site  kernels  launches  replays  GPU total  mean  p50  p99  share\n"),
    ] {
        let run = in_format(&report, format);
        assert_eq!((run.code, run.stdout.as_str()), (0, expected));
        assert_eq!(run.stderr, "launchsite: no kernels in the report\n");
    }
}

#[test]
fn a_report_without_ranges_says_how_to_get_them() {
    let report = Report::bare();
    report.launch(MAIN, 1, 100, 10);
    let without_rows = report.run();
    report.run_sql("DROP TABLE NVTX_EVENTS");
    for run in [without_rows, report.run()] {
        assert!(run.stderr.contains("-t cuda,nvtx") && run.stderr.lines().count() == 1, "{run:?}");
        assert_eq!((run.code, run.sites()), (0, vec![("(no site)".into(), 1, 1, 0, 10)]));
    }
}

#[test]
fn a_report_with_ranges_of_others_alone_says_so() {
    let report = Report::bare();
    report.launch(MAIN, 1, 100, 10);
    report.domain(MAIN, 4, "NCCL");
    report.range_in(4, MAIN, "ncclAllReduce", (50, 150));
    let run = report.run();
    assert!(run.stderr.contains("no range of launchsite") && run.stderr.lines().count() == 1, "{run:?}");
}

#[test]
fn what_has_no_time_is_absent_and_not_zero() {
    let report = Report::new();
    report.range(MAIN, "a", (100, 200));
    report.launch(MAIN, 1, 110, -1000);
    report.launch(MAIN, 2, 120, -1);
    let run = in_format(&report, "json");
    let row = &run.rows()[0];
    assert_eq!(row["kernels"], 2);
    for key in ["gpu_total_ns", "mean_ns", "p50_ns", "p99_ns", "share"] {
        assert!(row[key].is_null() && row.get(key).is_some(), "{row}");
    }
    assert!(run.stderr.contains("2 kernels have no end"), "{run:?}");
    assert!(in_format(&report, "csv").stdout.ends_with("a,2,2,0,,,,,\n"));
    // Beside one that has.
    report.launch(MAIN, 3, 130, 10);
    let row = &in_format(&report, "json").rows()[0];
    assert_eq!((&row["kernels"], &row["gpu_total_ns"], &row["mean_ns"]), (&3.into(), &10.into(), &10.into()));
}

#[test]
fn kernels_that_take_no_time_have_no_share_of_it() {
    let report = Report::new();
    report.range(MAIN, "a", (100, 200));
    report.launch(MAIN, 1, 110, 0);
    let row = &in_format(&report, "json").rows()[0];
    assert_eq!((&row["gpu_total_ns"], row["share"].is_null()), (&0.into(), true));
}

#[test]
fn a_reader_that_goes_is_no_error() {
    // More than a pipe holds.
    let report = Report::new();
    report.run_sql(
        "INSERT INTO StringIds WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
         SELECT i + 1000, 'a_site_with_a_name::of_some_length crate/src/file.rs:' || i FROM n;
         INSERT INTO NVTX_EVENTS (start, end, eventType, textId, globalTid, domainId)
         SELECT id * 100, id * 100 + 50, 59, id, (SELECT globalTid FROM NVTX_EVENTS), 1 FROM StringIds WHERE id > 1000;",
    );
    let name = report.text("cuLaunchKernel");
    report.launch(MAIN, 1, 1, 1);
    report.run_sql(&format!(
        "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT start + 10, start + 20, 1, globalTid, textId, {name}, 0, NULL
         FROM NVTX_EVENTS WHERE eventType = 59;
         INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT 1, 11, 0, 1, NULL, 13, textId, k.globalPid, 1, 1, 1, 1, 1, 16, 1,
         1, 1, 256, 1, 1, 0, 0, 0, 0, 1, 0, NULL, 0
         FROM NVTX_EVENTS, CUPTI_ACTIVITY_KIND_KERNEL k WHERE eventType = 59;"
    ));
    for format in ["table", "csv", "json"] {
        assert!(in_format(&report, format).stdout.len() > 1 << 17);
        let mut command = Command::new(PROGRAM);
        command.arg("nsys").arg(report.path()).args(["--format", format]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = [0];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap();
        let run: Run = child.wait_with_output().unwrap().into();
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{format}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_finds_no_room_is_an_error() {
    for args in [["nsys", REAL].as_slice(), &["--help"]] {
        let mut command = Command::new(PROGRAM);
        let full = File::options().write(true).open("/dev/full").unwrap();
        let run: Run = command.args(args).stdout(full).stderr(Stdio::piped()).output().unwrap().into();
        assert_eq!((run.code, run.stderr.lines().count()), (1, 1), "{run:?}");
        assert!(run.stderr.contains("the output cannot be written"), "{run:?}");
    }
}

#[test]
fn help_and_version_go_to_stdout() {
    for args in [["--help"].as_slice(), &["-h"], &["nsys", "--help"]] {
        let run = program(args);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""));
        assert!(run.stdout.contains("usage: launchsite nsys") && run.stdout.contains("--cuda-graph-trace=node"));
        assert!(run.stdout.lines().all(|line| line.chars().count() <= 120));
    }
    for args in ["--version", "-V"] {
        let run = program(&[args]);
        assert_eq!((run.code, run.stdout), (0, format!("launchsite {}\n", env!("CARGO_PKG_VERSION"))));
    }
}

#[test]
fn arguments_that_ask_for_nothing_show_the_usage() {
    let table: [&[&str]; 6] =
        [&[], &["nsys"], &["ncu", REAL], &["nsys", REAL, REAL], &["nsys", REAL, "--format", "xml"], &["nsys", "-x"]];
    for args in table {
        let run = program(args);
        assert_eq!((run.code, run.stdout.as_str(), run.stderr.lines().count()), (2, "", 3), "{run:?}");
        assert!(run.stderr.contains("usage: launchsite nsys"), "{run:?}");
    }
}
