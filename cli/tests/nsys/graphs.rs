//! Kernels of CUDA graphs: back to the site that captured them.

use crate::rig::{MAIN, Report, sites};

/// Two sites, each captured once: nodes 1 and 2.
fn captured() -> Report {
    let report = Report::new();
    report.range(MAIN, "a", (100, 200));
    report.capture(MAIN, 1, 110, 1);
    report.range(MAIN, "b", (300, 400));
    report.capture(MAIN, 2, 310, 2);
    report
}

/// What a copy of a graph writes: each node as it is made, and from which it is copied.
fn copied(report: &Report, at: i64, nodes: &[(i64, i64)]) {
    for (index, (copy, original)) in (0..).zip(nodes) {
        report.node(MAIN, *copy, None, at + index);
        report.node(MAIN, *copy, Some(*original), at + index);
    }
}

#[test]
fn an_instantiated_graph_gives_its_kernels_back() {
    let report = captured();
    copied(&report, 500, &[(11, 1), (12, 2)]);
    for n in 0..5 {
        report.replay(MAIN, 10 + n, 1000 + n, &[11, 12]);
    }
    assert_eq!(report.sites(), sites(&[("a", 5, 0, 5, 500), ("b", 5, 0, 5, 500)]));
}

#[test]
fn a_copy_of_a_copy_gives_its_kernels_back_through_every_step() {
    let report = captured();
    // Cloned twice, then instantiated; and the first graph instantiated as well. The last copy is told first.
    copied(&report, 800, &[(41, 31), (42, 32)]);
    copied(&report, 700, &[(31, 21), (32, 22)]);
    copied(&report, 600, &[(21, 1), (22, 2)]);
    copied(&report, 900, &[(51, 1), (52, 2)]);
    report.replay(MAIN, 10, 1000, &[41, 42]);
    report.replay(MAIN, 11, 1100, &[51, 52]);
    report.replay(MAIN, 12, 1200, &[52]);
    assert_eq!(report.sites(), sites(&[("b", 3, 0, 3, 300), ("a", 2, 0, 2, 200)]));
}

#[test]
fn a_site_that_was_captured_several_times_is_in_one_replay() {
    let report = Report::new();
    for n in 0..3 {
        report.range(MAIN, "a", (100 + n * 100, 150 + n * 100));
        report.capture(MAIN, n, 110 + n * 100, 1 + n);
    }
    report.range(MAIN, "b", (900, 950));
    report.capture(MAIN, 9, 910, 9);
    copied(&report, 1000, &[(11, 1), (12, 2), (13, 3), (19, 9)]);
    report.replay(MAIN, 20, 2000, &[11, 19, 12, 13]);
    report.replay(MAIN, 21, 2100, &[11, 19, 12, 13]);
    report.range(MAIN, "a", (3000, 3100));
    report.launch(MAIN, 30, 3010, 1);
    assert_eq!(report.sites(), sites(&[("a", 7, 1, 2, 601), ("b", 2, 0, 2, 200)]));
}

#[test]
fn a_range_around_the_replay_takes_no_kernel_from_its_site() {
    let report = captured();
    // Both while it is copied and while it is launched.
    report.range(MAIN, "replay", (450, 2000));
    copied(&report, 500, &[(11, 1), (12, 2)]);
    report.replay(MAIN, 10, 1000, &[11, 12]);
    assert_eq!(report.sites(), sites(&[("a", 1, 0, 1, 100), ("b", 1, 0, 1, 100)]));
}

#[test]
fn a_kernel_that_was_captured_outside_of_all_sites_is_of_the_site_that_replays_it() {
    let report = captured();
    report.capture(MAIN, 3, 450, 3);
    copied(&report, 500, &[(11, 1), (12, 2), (13, 3)]);
    report.range(MAIN, "replay", (900, 1100));
    report.replay(MAIN, 10, 1000, &[11, 13]);
    // And where no site does either.
    report.replay(MAIN, 11, 1200, &[12, 13]);
    let expected = [("a", 1, 0, 1, 100), ("b", 1, 0, 1, 100), ("replay", 1, 0, 1, 100), ("(no site)", 1, 0, 1, 100)];
    assert_eq!(report.sites(), sites(&expected));
}

#[test]
fn a_graph_whose_capture_is_not_in_the_report_is_counted_and_said() {
    let report = captured();
    copied(&report, 500, &[(11, 1), (12, 99)]);
    report.replay(MAIN, 10, 1000, &[11, 12, 77]);
    let run = report.run();
    assert_eq!(run.sites(), sites(&[("a", 1, 0, 1, 100), ("(no site)", 2, 0, 1, 200)]));
    assert!(run.stderr.contains("2 kernels are of graphs whose capture is not in the report"), "{run:?}");
    assert_eq!((run.code, run.stderr.lines().count()), (0, 1));
}

#[test]
fn nodes_that_are_copies_of_each_other_end() {
    let report = captured();
    copied(&report, 500, &[(11, 12), (12, 11), (13, 13)]);
    report.replay(MAIN, 10, 1000, &[11, 12, 13]);
    let run = report.run();
    assert_eq!((run.code, run.sites()), (0, sites(&[("(no site)", 3, 0, 1, 300)])));
}

#[test]
fn zero_stands_for_no_node_and_no_original() {
    let report = captured();
    report.run_sql("UPDATE CUDA_GRAPH_NODE_EVENTS SET originalGraphNodeId = 0");
    report.node(MAIN, 11, Some(1), 500);
    report.node(MAIN, 11, Some(0), 500);
    report.replay(MAIN, 10, 1000, &[11]);
    report.range(MAIN, "b", (2000, 2100));
    report.call(MAIN, "cuLaunchKernel", 20, 2010);
    report.kernel(MAIN, 20, Some(0), 10);
    assert_eq!(report.sites(), sites(&[("a", 1, 0, 1, 100), ("b", 1, 1, 0, 10)]));
}

#[test]
fn a_report_of_whole_graphs_says_how_to_get_their_kernels() {
    let report = captured();
    report.run_sql("DELETE FROM CUDA_GRAPH_NODE_EVENTS").has_graph_trace();
    report.launch(MAIN, 5, 320, 10);
    report.call(MAIN, "cudaGraphLaunch_v10000", 10, 1000);
    let wanted = "--cuda-graph-trace=node";
    // Told by the launch, where there is not even a row of the whole.
    let run = report.run();
    assert!(run.stderr.contains(wanted) && run.stderr.lines().count() == 1, "{run:?}");
    report.run_sql(
        "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE SELECT 1, 9, 0, 1, NULL, 13, 10, globalPid, 1, 2
                    FROM CUPTI_ACTIVITY_KIND_KERNEL",
    );
    let run = report.run();
    assert!(run.stderr.contains(wanted) && run.stderr.lines().count() == 1, "{run:?}");
    assert_eq!((run.code, run.sites()), (0, sites(&[("b", 1, 1, 0, 10)])));
    // And whatever is known of its nodes.
    report.node(MAIN, 1, None, 112);
    let run = report.run();
    assert!(run.stderr.contains(wanted) && run.stderr.lines().count() == 1, "{run:?}");
    // Where all there is are graphs, the table of kernels is not made at all.
    report.run_sql("DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL; DROP TABLE CUDA_GRAPH_NODE_EVENTS");
    let run = report.run();
    assert!(run.stderr.contains(wanted) && run.stderr.contains("no kernels"), "{run:?}");
    assert_eq!((run.code, run.sites()), (0, sites(&[])));
}

#[test]
fn a_graph_without_kernels_lacks_nothing() {
    let report = Report::new();
    // Copies of memory alone: nodes were traced, and no kernel is of one.
    report.range(MAIN, "a", (100, 200));
    report.launch(MAIN, 1, 110, 10);
    report.node(MAIN, 7, None, 300);
    report.call(MAIN, "cuGraphLaunch", 2, 400);
    assert_eq!(report.sites(), sites(&[("a", 1, 1, 0, 10)]));
}
