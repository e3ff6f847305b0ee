//! Which site a launched kernel belongs to.

use rusqlite::{Connection, Row};

use crate::rig::{MAIN, OURS, REAL, Report, run, sites, thread};

#[test]
fn the_sites_of_a_real_report_have_their_replays_back() {
    // The same by another way: plain SQL, as slow as it may be.
    let by_sql = "
        WITH ranges AS (SELECT start, end, globalTid, value AS name FROM NVTX_EVENTS JOIN StringIds ON id = textId
                        WHERE eventType = 59 AND domainId = 1),
             launched AS (SELECT k.end - k.start AS ns, r.start AS at, r.globalTid
                          FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN CUPTI_ACTIVITY_KIND_RUNTIME r USING (correlationId)
                          WHERE graphNodeId IS NULL
                          UNION ALL
                          SELECT k.end - k.start, captured.start, captured.globalTid
                          FROM CUPTI_ACTIVITY_KIND_KERNEL k
                          JOIN CUDA_GRAPH_NODE_EVENTS copied ON copied.graphNodeId = k.graphNodeId
                          JOIN CUDA_GRAPH_NODE_EVENTS captured ON captured.graphNodeId = copied.originalGraphNodeId)
        SELECT name, count(*), sum(ns) FROM launched l
        JOIN ranges r ON l.at BETWEEN r.start AND r.end AND l.globalTid = r.globalTid GROUP BY name ORDER BY 3 DESC";
    let report = Connection::open(REAL).unwrap();
    let mut expected = report.prepare(by_sql).unwrap();
    let number = |row: &Row<'_>, column| u64::try_from(row.get::<_, i64>(column).unwrap()).unwrap();
    let expected = expected.query_map([], |row| Ok((row.get(0)?, number(row, 1), 10, 5, number(row, 2)))).unwrap();
    let expected: Vec<_> = expected.map(Result::unwrap).collect();

    let run = run(&[REAL]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let read = run.sites();
    assert_eq!(read, expected);
    assert!(read.iter().all(|site| site.1 == 15) && read.len() == 2, "{read:?}");
    let all = "SELECT sum(end - start) FROM CUPTI_ACTIVITY_KIND_KERNEL";
    let all = report.query_row(all, [], |row| Ok(number(row, 0))).unwrap();
    assert_eq!(read.iter().map(|site| site.4).sum::<u64>(), all);
}

#[test]
fn the_numbers_of_a_site_are_those_of_its_kernels() {
    let report = Report::new();
    for n in 1..=100 {
        report.range(MAIN, "a", (n * 100, n * 100 + 50));
        // Not in order, and no two the same.
        report.launch(MAIN, n, n * 100 + 10, (n * 37 % 100 + 1) * 1001);
    }
    report.range(MAIN, "b", (20_000, 20_100));
    report.launch(MAIN, 200, 20_050, 5_055_050);
    let rows = report.run().rows();
    let a = rows.iter().find(|row| row["name"] == "a").unwrap();
    assert_eq!((a["gpu_total_ns"].as_u64(), a["mean_ns"].as_u64()), (Some(5_055_050), Some(50_550)));
    assert_eq!((a["p50_ns"].as_u64(), a["p99_ns"].as_u64()), (Some(50_050), Some(99_099)));
    assert_eq!(a["share"].as_f64(), Some(0.5));
}

#[test]
fn the_innermost_range_around_the_call_has_the_kernel() {
    let report = Report::new();
    report.range(MAIN, "outer", (100, 900));
    report.range(MAIN, "inner", (200, 400));
    report.range(MAIN, "innermost", (210, 300));
    // Beginning with the one around it.
    report.range(MAIN, "first", (500, 600));
    report.range(MAIN, "second", (500, 550));
    for (correlation, at) in [(1, 150), (2, 205), (3, 250), (4, 350), (5, 450), (6, 510), (7, 580), (8, 700)] {
        report.launch(MAIN, correlation, at, 1 << correlation);
    }
    let expected = [
        ("outer", 3, 3, 0, (1 << 1) + (1 << 5) + (1 << 8)),
        ("first", 1, 1, 0, 1 << 7),
        ("second", 1, 1, 0, 1 << 6),
        ("inner", 2, 2, 0, (1 << 2) + (1 << 4)),
        ("innermost", 1, 1, 0, 1 << 3),
    ];
    assert_eq!(report.sites(), sites(&expected));
}

#[test]
fn a_call_at_a_ranges_first_or_last_moment_is_inside() {
    let report = Report::new();
    report.range(MAIN, "a", (100, 200));
    report.range(MAIN, "b", (200, 300));
    for (correlation, at) in [(1, 99), (2, 100), (3, 200), (4, 300), (5, 301)] {
        report.launch(MAIN, correlation, at, 10_i64.pow(u32::try_from(correlation).unwrap()));
    }
    assert_eq!(report.sites(), sites(&[("b", 2, 2, 0, 11_000), ("a", 1, 1, 0, 100), ("(no site)", 2, 2, 0, 100_010)]));
}

#[test]
fn kernels_outside_of_all_ranges_have_a_row_of_their_own_that_is_the_last() {
    let report = Report::new();
    report.range(MAIN, "a", (100, 200));
    report.launch(MAIN, 1, 150, 10);
    report.launch(MAIN, 2, 250, 500);
    // Whose call is not in the report.
    report.kernel(MAIN, 3, None, 5000);
    // And which have none.
    report.run_sql("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL");
    report.run_sql("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET correlationId = NULL WHERE rowid = 5");
    report.run_sql("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET globalPid = NULL WHERE rowid = 6");
    assert_eq!(report.sites(), sites(&[("a", 2, 1, 0, 20), ("(no site)", 4, 3, 0, 11_000)]));
}

#[test]
fn ranges_of_other_domains_are_no_sites() {
    let report = Report::new();
    report.domain(MAIN, 2, "NCCL");
    report.domain(MAIN, 3, "launchsite-not");
    report.range_in(0, MAIN, "of the default domain", (100, 900));
    report.range(MAIN, "a", (200, 800));
    report.range_in(2, MAIN, "ncclAllReduce", (300, 700));
    report.range_in(3, MAIN, "c", (310, 600));
    report.range_in(9, MAIN, "of a domain that nobody made", (320, 600));
    report.launch(MAIN, 1, 400, 10);
    report.launch(MAIN, 2, 150, 20);
    assert_eq!(report.sites(), sites(&[("a", 1, 1, 0, 10), ("(no site)", 1, 1, 0, 20)]));
}

#[test]
fn a_domain_counts_whenever_it_was_made_and_whoever_holds_its_name() {
    let report = Report::bare();
    report.domain(MAIN, OURS, "launchsite");
    let name = report.text("launchsite");
    report.run_sql(&format!("UPDATE NVTX_EVENTS SET start = 9999, text = NULL, textId = {name}"));
    report.range(MAIN, "a", (100, 200));
    report.launch(MAIN, 1, 150, 10);
    assert_eq!(report.sites(), sites(&[("a", 1, 1, 0, 10)]));
}

#[test]
fn only_push_pop_ranges_are_sites() {
    let report = Report::new();
    report.range(MAIN, "a", (100, 500));
    for (event, start) in [(34, 200), (60, 210), (33, 220)] {
        report.range(MAIN, "a mark, a start/end range, a category", (start, 400));
        report.run_sql(&format!("UPDATE NVTX_EVENTS SET eventType = {event} WHERE start = {start}"));
    }
    report.launch(MAIN, 1, 300, 10);
    assert_eq!(report.sites(), sites(&[("a", 1, 1, 0, 10)]));
}

#[test]
fn a_name_is_one_however_the_report_holds_it() {
    let report = Report::new();
    for n in 1..=5 {
        report.range(MAIN, "a", (n * 100, n * 100 + 50));
        report.launch(MAIN, n, n * 100 + 10, 10);
    }
    report.run_sql("UPDATE NVTX_EVENTS SET text = 'a', textId = NULL WHERE start = 200");
    // A text of its own counts more than that which it shares.
    report.run_sql("UPDATE NVTX_EVENTS SET text = 'b' WHERE start = 300");
    report.run_sql("UPDATE NVTX_EVENTS SET textId = NULL WHERE start = 400");
    report.run_sql("UPDATE NVTX_EVENTS SET textId = 12345 WHERE start = 500");
    assert_eq!(report.sites(), sites(&[("(no name)", 2, 2, 0, 20), ("a", 2, 2, 0, 20), ("b", 1, 1, 0, 10)]));
}

#[test]
fn a_range_without_an_end_is_open_from_its_start_on() {
    let report = Report::new();
    report.range(MAIN, "a", (100, 0));
    report.run_sql("UPDATE NVTX_EVENTS SET end = NULL");
    report.range(MAIN, "b", (200, 300));
    report.launch(MAIN, 1, 250, 10);
    report.launch(MAIN, 2, 1_000_000, 20);
    assert_eq!(report.sites(), sites(&[("a", 1, 1, 0, 20), ("b", 1, 1, 0, 10)]));
}

#[test]
fn threads_do_not_see_each_others_ranges_and_share_a_sites_row() {
    let report = Report::new();
    let (one, two) = (thread(507, 508), thread(507, 509));
    report.range(one, "a", (100, 900));
    report.range(two, "b", (200, 300));
    report.range(two, "a", (400, 500));
    // Calls of several threads, mixed.
    report.launch(two, 4, 250, 1);
    report.launch(one, 3, 260, 10);
    report.launch(two, 2, 350, 100);
    report.launch(one, 1, 450, 1000);
    report.launch(two, 5, 460, 10_000);
    assert_eq!(report.sites(), sites(&[("a", 3, 3, 0, 11_010), ("b", 1, 1, 0, 1), ("(no site)", 1, 1, 0, 100)]));
}

#[test]
fn processes_have_their_own_numbers_of_threads_domains_calls_and_nodes() {
    let report = Report::new();
    let other = thread(600, 507);
    // What is ours in one process is another's in the other.
    report.domain(other, OURS, "NCCL");
    report.domain(other, 2, "launchsite");
    report.range(MAIN, "a", (100, 200));
    report.range_in(OURS, other, "not a site", (120, 180));
    report.range_in(2, other, "b", (100, 200));
    report.launch(MAIN, 1, 150, 10);
    report.launch(other, 1, 150, 100);
    // The same nodes.
    report.capture(MAIN, 2, 160, 77);
    report.capture(other, 2, 160, 77);
    report.replay(MAIN, 3, 500, &[77]);
    report.replay(other, 3, 500, &[77]);
    report.replay(other, 4, 600, &[77]);
    assert_eq!(report.sites(), sites(&[("b", 3, 1, 2, 300), ("a", 2, 1, 1, 110)]));
}

#[test]
fn a_site_of_several_devices_is_one_row() {
    let report = Report::new();
    for device in 0..4 {
        let start = 100 * (device + 1);
        report.range(MAIN, "a", (start, start + 50));
        report.call(MAIN, "cuLaunchKernel", device, start + 10);
        report.kernel_on(device, MAIN, device, None, 10);
    }
    assert_eq!(report.sites(), sites(&[("a", 4, 4, 0, 40)]));
}

#[test]
fn a_call_that_launches_several_kernels_is_one_launch() {
    let report = Report::new();
    report.range(MAIN, "a", (100, 200));
    report.call(MAIN, "cudaLaunchCooperativeKernelMultiDevice_v9000", 1, 150);
    // And the driver's call inside, where a version reports both.
    report.call(MAIN, "cuLaunchCooperativeKernelMultiDevice", 1, 155);
    for device in 0..3 {
        report.kernel_on(device, MAIN, 1, None, 10);
    }
    report.launch(MAIN, 2, 180, 10);
    assert_eq!(report.sites(), sites(&[("a", 4, 2, 0, 40)]));
}

#[test]
fn rows_need_no_order() {
    let report = Report::new();
    for n in 1..=50 {
        report.range(MAIN, ["a", "b", "c"][usize::try_from(n % 3).unwrap()], (n * 100, n * 100 + 90));
        report.launch(MAIN, n, n * 100 + 10, n);
    }
    let ordered = report.sites();
    for table in ["NVTX_EVENTS", "CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_KERNEL"] {
        report.run_sql(&format!(
            "CREATE TABLE mixed AS SELECT * FROM {table} ORDER BY start * 7919 % 101, rowid * 31 % 53;
             DELETE FROM {table}; INSERT INTO {table} SELECT * FROM mixed; DROP TABLE mixed"
        ));
    }
    assert_eq!(report.sites(), ordered);
    assert_eq!(ordered.iter().map(|site| site.4).sum::<u64>(), 1275);
}
