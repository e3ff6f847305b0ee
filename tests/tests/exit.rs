//! How programs end: what is written by then, and that they do end.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail so")]

use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::time::Duration;

use launchsite_tests::{Outcome, Scenario, TRACE, scenario};
use serde_json::json;

/// No kernel of these programs ends within this, and no exit takes so long.
const BOUND: Duration = Duration::from_secs(60);

// peak#67: waits without an end at exit. RustaCUDA#68, cudf#16018: destructors at exit.
#[test]
fn s0_11_whatever_way_a_program_ends_all_is_written_and_its_code_is_its_own() {
    let ends: [(&str, &[u64], i32); 6] = [
        ("return_main", &[100], 0),
        ("return_error", &[100], 1),
        ("exit_code", &[7, 100], 7),
        ("exit_code", &[0, 100], 0),
        ("exit_in_thread", &[7, 100], 7),
        ("main_panics", &[100], 101),
    ];
    for (name, arguments, code) in ends {
        for _ in 0..5 {
            let run = arguments.iter().fold(scenario!(name), Scenario::arg).out().run();
            assert_eq!(run.status.code(), Some(code), "{name}: {run:#?}");
            assert!(!run.stderr.contains("launchsite: "), "{name}: {}", run.stderr);
            let records = run.records();
            assert_eq!((records.launches().len(), records.gpu().len()), (100, 100), "{name}");
            assert!(records.gpu().iter().all(|gpu| gpu.get("error").is_none()), "{name}");
        }
    }
    let own = scenario!("return_error", 3).out().run();
    assert_eq!(own.stderr, "scenario: this program's own error\n");
}

#[test]
fn s0_11_a_process_that_flushed_may_end_in_any_way() {
    for name in ["abort_after_flush", "abort_after_guard"] {
        let run = scenario!(name, 100).out().run();
        assert_eq!(run.status.signal(), Some(6), "{name}: {run:#?}");
        assert_eq!(run.stderr, "", "{name}");
        let records = run.records_so_far();
        assert_eq!((records.launches().len(), records.gpu().len()), (100, 100), "{name}");
        assert!(records.of("end").is_empty());
        assert!(run.folder().read(TRACE).ends_with('\n'));
    }
}

#[test]
fn s0_11_a_process_that_is_killed_leaves_whole_lines() {
    for _ in 0..3 {
        let run = scenario!("kill_itself", 100).out().run();
        assert_eq!(run.status.signal(), Some(9), "{run:#?}");
        assert_eq!(run.said("flushed"), 100);
        let records = run.records_so_far();
        // Whether more was written by then is a matter of moments.
        assert!(records.launches().len() >= 100 && records.gpu().len() >= 100, "what was flushed is there");
        assert!(records.of("end").is_empty());
    }
}

// A signal that the program waits for must not be taken, and acted on, by a thread that it does not know of.
#[test]
#[cfg(target_os = "linux")]
fn s0_11_the_collector_leaves_signals_to_the_program() {
    let run = scenario!("signals").env("LAUNCHSITE", "on").run().success();
    let blocked = u64::from_str_radix(run.said("blocked").as_str().unwrap(), 16).unwrap();
    // HUP, INT, QUIT, USR1, PIPE, TERM and XFSZ, counted from 1.
    for signal in [1, 2, 3, 10, 13, 15, 25] {
        assert!(blocked & (1 << (signal - 1)) != 0, "signal {signal}: {blocked:x}");
    }
}

/// Three launches that ended, and two that never do.
fn assert_given_up(run: &Outcome) {
    assert_eq!(run.status.code(), Some(0), "{run:#?}");
    assert!(run.took < BOUND, "{run:#?}");
    assert_eq!(run.stderr, "");
    let records = run.records();
    assert_eq!((records.launches().len(), records.gpu().len()), (5, 5));
    for (index, launch) in records.launches().into_iter().enumerate() {
        let gpu = records.gpu_of(launch).unwrap();
        let error = gpu["error"].as_str();
        assert_eq!(error.is_some(), index >= 3, "{gpu}");
        assert!(error.is_none_or(|error| error.contains("had not come that far")), "{gpu}");
    }
}

// peak#67: a device-wide wait at exit. peak#91: waits with no deadline.
#[test]
fn s0_11_a_kernel_that_does_not_end_holds_up_no_exit() {
    for wait in ["0", "100ms", ""] {
        assert_given_up(&scenario!("slow_kernel", 600).env("LAUNCHSITE_EXIT_WAIT", wait).out().run());
    }
}

#[test]
fn s0_11_exit_waits_for_a_kernel_that_ends_in_time() {
    // Longer than exit waits by default.
    let run = scenario!("slow_kernel", 3).env("LAUNCHSITE_EXIT_WAIT", "100s").out().run().success();
    assert!(run.took >= Duration::from_secs(3) && run.took < BOUND, "{:?}", run.took);
    let records = run.records();
    assert_eq!(records.gpu().len(), 5);
    assert!(records.gpu().iter().all(|gpu| gpu.get("error").is_none()));
    let slow = records.launches().into_iter().find(|launch| launch["kernel"] == "work").unwrap();
    assert!(records.gpu_of(slow).unwrap()["gpu_duration_ns"].as_u64().unwrap() >= 3_000_000_000);
}

#[test]
fn s0_11_a_sink_that_does_not_return_holds_up_no_exit() {
    for wait in ["0", "100ms"] {
        let run = scenario!("stuck_sink", 10).env("LAUNCHSITE_EXIT_WAIT", wait).env("LAUNCHSITE", "on").run();
        assert_eq!(run.status.code(), Some(0), "{run:#?}");
        assert!(run.took < BOUND, "{run:#?}");
    }
}

#[test]
fn s0_11_an_output_that_does_not_open_holds_up_no_exit() {
    let scenario = scenario!("exit_code", 7, 10).env("LAUNCHSITE_EXIT_WAIT", "100ms").out();
    // A named pipe that nobody reads: opening it for writing waits for a reader.
    let made = Command::new("mkfifo").arg(scenario.folder().path().join(TRACE)).status().unwrap();
    assert!(made.success());
    let run = scenario.run();
    assert_eq!(run.status.code(), Some(7), "{run:#?}");
    assert!(run.took < BOUND, "{run:#?}");
}

#[test]
fn s0_11_exit_inside_a_sink_does_not_hang() {
    let run = scenario!("exit_in_sink").out().run();
    assert_eq!(run.status.code(), Some(9), "{run:#?}");
    let _ = run.records_so_far();
}

#[test]
fn s0_11_exit_is_in_order_while_other_threads_launch() {
    // Long, since a busy machine may need a while for what was launched until then.
    let run = scenario!("exit_while_launching", 7, 100).env("LAUNCHSITE_EXIT_WAIT", "30s").out().run();
    assert_eq!(run.status.code(), Some(7), "{run:#?}");
    assert_eq!(run.stderr, "");
    // With an end, in which every launch that was taken is counted.
    assert!(run.records().launches().len() >= 100);
}

// pytorch#192021: launches lost while something else begins.
#[test]
fn s0_11_a_launch_is_written_whichever_thread_was_first() {
    for _ in 0..50 {
        let run = scenario!("exit_in_a_race", 16).out().run();
        assert_eq!((run.status.code(), run.stderr.as_str()), (Some(7), ""));
        let records = run.records();
        let of_main = records.launches().into_iter().filter(|launch| launch["thread"] == run.pid);
        assert_eq!(of_main.count(), 1, "the main thread's launch had returned");
    }
}

#[test]
fn s0_11_flush_comes_back_while_another_thread_launches() {
    let run = scenario!("flush_while_launching", 100).env("LAUNCHSITE", "on").run().warned();
    assert_eq!(run.said("flushed"), true);
}

#[test]
fn s0_11_launches_of_a_threads_last_breath_are_counted() {
    let run = scenario!("last_breath", 3).out().run().success();
    let records = run.records();
    let end = records.end();
    assert_eq!((&end["launches"], &end["lost"]), (&json!(6), &json!(3)), "{end}");
    assert_eq!(end["lost_by_reason"], json!({"the thread was ending": 3}));
}

// hpctoolkit#195: a fork hangs in the flush. vllm#32611: what is begun before a fork.
#[test]
fn s0_11_a_forks_child_has_a_session_of_its_own() {
    let run = scenario!("fork").out().run();
    let beside = format!("trace.{}.jsonl", run.said("child_pid"));
    let run = run.complains_once(&[TRACE, &beside]);
    assert_eq!(run.said("child"), 0);
    let (parent, child) = (run.records(), run.records_in(&beside));
    assert_eq!((parent.gpu().len(), child.gpu().len()), (4, 2));
    assert_eq!(child.session()["pid"], run.said("child_pid"));
    assert_ne!(parent.session()["session"], child.session()["session"]);

    let quiet = scenario!("fork_quietly").out().run().success();
    assert_eq!((quiet.said("child"), quiet.folder().names()), (json!(0), vec![TRACE.to_owned()]));
    assert_eq!(quiet.records().gpu().len(), 4);
}

#[test]
fn s0_11_a_scope_around_a_fork_is_the_parents() {
    let run = scenario!("fork_in_scope").out().run();
    let beside = format!("trace.{}.jsonl", run.said("child_pid"));
    let run = run.complains_once(&[TRACE, &beside]);
    assert_eq!(run.said("child"), 0, "it waits for nothing that its parent began");
    let (parent, child) = (run.records(), run.records_in(&beside));
    assert_eq!((parent.of("scope").len(), child.of("scope").len()), (1, 0));
    assert_eq!((parent.launches().len(), child.launches().len()), (1, 2));
    assert!(child.launches().iter().all(|launch| launch["parent"].is_null()));
}

#[test]
fn s0_11_the_table_comes_at_exit_where_it_is_asked_for() {
    let run = scenario!("modules", 5).env("LAUNCHSITE_SUMMARY", "1").run();
    assert_eq!(run.status.code(), Some(0));
    let row = |part: &str| {
        let rows: Vec<_> = run.stderr.lines().filter(|line| line.starts_with(part)).collect();
        assert_eq!(rows.len(), 1, "{part:?} in {}", run.stderr);
        rows[0].split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(row("site ")[1..3], ["launches", "timed"]);
    // The name has a blank; behind it stand launches and how many were timed.
    assert_eq!(row("sites::saxpy ")[2..4], ["5", "5"]);
    assert_eq!(row("nn::relu ")[2..4], ["5", "5"]);
    let quiet = scenario!("modules", 5).env("LAUNCHSITE", "on").env("LAUNCHSITE_SUMMARY", "no").run();
    assert_eq!(quiet.success().folder().names(), [""; 0]);
}
