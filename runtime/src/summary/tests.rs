//! What the table looks like.

use super::layout::time;
use super::{Kind, SiteSummary, Summary};

fn summary() -> Summary {
    let site = |name: &str, total: Option<u64>| SiteSummary {
        name: name.into(),
        kind: Kind::Kernel,
        in_graphs: false,
        launches: 700,
        sampled_out: 500,
        timed: if total.is_some() { 200 } else { 0 },
        calibrated: if total.is_some() { 150 } else { 0 },
        gpu_total_ns: total,
        mean_ns: total.map(|total| total / 200),
        p50_ns: total.map(|total| total / 210),
        p99_ns: total.map(|total| total / 90),
        tflop_per_s: None,
        gb_per_s: None,
        share: total.map(|total| f64::from(u32::try_from(total).unwrap()) / 3e6),
    };
    Summary {
        sites: vec![
            site("ops::saxpy my-crate/src/ops.rs:42", Some(2_000_000)),
            site("ops::a_function_with_a_name_that_is_long my-crate/src/deep/in/the/tree/ops.rs:1042", Some(1_000_000)),
            site("ops::captured my-crate/src/ops.rs:7", None),
        ],
        untimed: [("the stream is being captured into a graph".to_owned(), 200)].into(),
        lost: [("the queue to the collector was full".to_owned(), 3)].into(),
        upper_bounds: [("the stream was idle: the launch is in the time".to_owned(), 100)].into(),
        removed_sinks: 1,
        not_filled_in: 5,
        without_fields: 6,
    }
}

#[test]
fn nothing_is_cut_without_a_terminal() {
    let text = summary().to_string();
    for site in summary().sites {
        assert!(text.contains(&site.name), "{text}");
    }
    assert!(text.contains("2.00 ms") && text.contains("66.7 %"), "{text}");
    assert!(text.contains("200 not timed: the stream is being captured into a graph"), "{text}");
    assert!(text.contains("100 times are upper bounds: the stream was idle"), "{text}");
    assert!(text.contains("1500 left out by LAUNCHSITE_BUDGET"), "{text}");
    assert!(text.contains("1 of the sinks panicked"), "{text}");
    assert!(text.contains("3 lost, and not in the table: the queue to the collector was full"), "{text}");
}

#[test]
fn a_table_fits_its_terminal_and_keeps_both_ends_of_a_name() {
    for width in [80, 100, 120, 130] {
        let text = summary().fitted(Some(width));
        let table = text.lines().take_while(|line| !line.contains("upper bounds"));
        for line in table {
            assert!(line.chars().count() <= width, "{width}: {line}");
        }
        assert!(text.contains("ops::saxpy") && text.contains("ops::a_f") && text.contains(":1042"), "{text}");
    }
}

#[test]
fn a_site_without_times_shows_no_zero() {
    let text = summary().to_string();
    let line = text.lines().find(|line| line.contains("captured my-crate")).unwrap();
    assert!(line.ends_with("-        -        -      -") || line.matches(" -").count() == 5, "{line}");
    assert!(!line.contains("0 ns"), "{line}");
}

#[test]
fn nothing_recorded_says_so() {
    assert!(Summary::default().to_string().contains("nothing was recorded"));
}

#[test]
fn times_have_units() {
    let table = [
        (0, "0 ns"),
        (999, "999 ns"),
        (1_000, "1.00 us"),
        (12_345, "12.3 us"),
        (123_456, "123 us"),
        (1_234_567, "1.23 ms"),
        (9_996, "10.0 us"),
        (99_960, "100 us"),
        (999_499, "999 us"),
        (999_600, "1.00 ms"),
        (50_000_000, "50.0 ms"),
        (3_600_000_000_000, "3600 s"),
    ];
    for (ns, text) in table {
        assert_eq!(time(ns), text);
    }
}
