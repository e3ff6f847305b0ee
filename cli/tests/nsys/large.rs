//! Reports with more kernels than should be in memory at a time.

#![cfg(target_os = "linux")] // the limit is the shell's

use std::process::Command;

use crate::rig::{MAIN, PROGRAM, Report, Run};

const KERNELS: i64 = 1_000_000;
const SITES: i64 = 100;
/// Of address space, in KiB: less than the kernels take, one by one.
const LIMIT: u32 = 96 << 10;

/// `SITES` sites, each captured once into a graph that is replayed until there are `KERNELS` kernels.
fn replayed() -> Report {
    let report = Report::new();
    let launch = report.text("cuGraphLaunch");
    for site in 0..SITES {
        report.range(MAIN, &format!("site {site}"), (site * 10, site * 10 + 9));
        report.node(MAIN, 1_000 + site, None, site * 10 + 5);
        report.node(MAIN, 2_000 + site, Some(1_000 + site), 5_000);
    }
    // Kernel i is of site i % SITES, and takes a duration of its own.
    report.run_sql(&format!(
        "CREATE TEMP TABLE n AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {KERNELS})
         SELECT i FROM n;
         INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT 10000 + i, 10001 + i, 1, {MAIN}, i, {launch}, 0, NULL
         FROM n WHERE i % {SITES} = 0;
         INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT i, 2 * i + 1, 0, 1, NULL, 13, i - i % {SITES},
         {MAIN} & ~16777215, 1, 1, 1, 1, 1, 16, 1, 1, 1, 256, 1, 1, 0, 0, 0, 0, i, 0, 2000 + i % {SITES}, 0 FROM n;"
    ));
    report
}

#[test]
fn a_million_kernels_are_summed_in_less_memory_than_they_are() {
    let report = replayed();
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "ulimit -v \"$1\" && exec \"$0\" nsys --format json \"$2\"", PROGRAM, &LIMIT.to_string()]);
    let run: Run = command.arg(report.path()).output().unwrap().into();
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let rows = run.rows();
    assert_eq!(rows.len(), usize::try_from(SITES).unwrap());
    for row in rows {
        let site: i64 = row["name"].as_str().unwrap().trim_start_matches("site ").parse().unwrap();
        let replays = KERNELS / SITES;
        // i + 1 for every i that is of this site.
        let total = (0..replays).map(|n| n * SITES + site + 1).sum::<i64>();
        assert_eq!((row["kernels"].as_i64(), row["replays"].as_i64()), (Some(replays), Some(replays)), "{row}");
        assert_eq!((row["launches"].as_i64(), row["gpu_total_ns"].as_i64()), (Some(0), Some(total)), "{row}");
        assert_eq!(row["mean_ns"].as_i64(), Some(total / replays), "{row}");
        for (key, rank) in [("p50_ns", replays / 2), ("p99_ns", replays * 99 / 100)] {
            let (read, is) = (row[key].as_i64().unwrap(), (rank - 1) * SITES + site + 1);
            assert!((read - is).abs() <= is / 1000, "{key} is {is}: {row}");
        }
    }
}
