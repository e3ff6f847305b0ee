//! JSON lines: their form in every kind of program, and the files that they go to.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail so")]

use std::fs::{File, TryLockError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use launchsite_tests::{Outcome, Records, TRACE, scenario};
use serde_json::{Value, json};

/// The records among the lines on stdout, where every line is either one or the program's own.
fn records_on_stdout(run: &Outcome) -> Records {
    let mut records = Vec::new();
    for line in run.stdout.lines() {
        let value: Value = serde_json::from_str(line).unwrap_or_else(|why| panic!("{why}: {line:?}"));
        if value.get("scope").is_some() {
            records.push(line.to_owned() + "\n");
        } else {
            assert!(value.get("said").is_some(), "{line:?}");
        }
    }
    let records = Records::parse(&records.concat());
    records.check_contract();
    records
}

#[test]
fn s0_2_records_are_in_form_in_every_kind_of_program() {
    let programs = [
        "saxpy",
        "counts",
        "two_sites",
        "generic",
        "method",
        "closure_and_loop",
        "inlined",
        "named",
        "modules",
        "nested",
        "from_threads",
        "async_tasks",
        "early_return",
        "opaque",
        "two_devices",
        "held_kernel",
        "flush",
        "child",
        "refuse_create",
        "refuse_start",
        "refuse_stop",
        "refuse_elapsed",
        "refuse_capturing",
        "refuse_enter",
        "refuse_hold",
        "refuse_relax",
        "refuse_leaving",
        "refuse_anchor",
        "launch_fails",
        "capturing",
        "every_mode",
        "question_mark",
        "panics",
        "panic_in_launch",
        "return_main",
        "last_breath",
        "fork",
        "fork_quietly",
        "threads",
        "race",
        "toggle",
        "toggle_in_launch",
        "sink_takes_app_lock",
        "many_windows",
        "short_lived",
        "own_sink",
        "flush_in_sink",
        "api_in_sink",
        "panicking_sink",
        "set_parts_after_off",
        "turned_on_and_off",
        "late_env",
    ];
    for name in programs {
        for value in ["nvtx", "time", "on"] {
            let scenario = scenario!(name).env("LAUNCHSITE", value).out();
            // The tool of a child that is another program would write to the same log.
            let run = if name == "child" { scenario } else { scenario.tool() }.run();
            assert!(run.status.success(), "{name} with {value}: {run:#?}");
            assert!(!run.records().launches().is_empty(), "{name} with {value}");
            run.calls().check_balance_or_absence();
        }
    }
}

#[test]
fn s0_3_a_record_says_what_was_launched_and_where() {
    let run = scenario!("saxpy", 1).env("RANK", "3").out().run().success();
    let records = run.records();
    let launch = records.only_launch();
    let expected = [
        ("kernel", json!("saxpy_f32")),
        ("grid", json!([7, 2, 1])),
        ("block", json!([32, 4, 3])),
        ("shared_mem_bytes", json!(48)),
        ("thread", json!(run.pid)),
        ("device", json!(0)),
        ("stream", json!(0)),
        ("fields", json!({})),
    ];
    for (key, value) in expected {
        assert_eq!(launch[key], value, "{key}");
    }
    assert_eq!(records.streams(), [&json!({"scope": "stream", "stream": 0, "device": 0, "kind": "host"})]);
    let session = records.session();
    assert_eq!((&session["format"], &session["pid"], &session["rank"]), (&json!(1), &json!(run.pid), &json!(3)));
    assert_eq!(session["devices"], json!([{"device": 0, "name": "host stand-in", "uuid": null}]));
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let start = Duration::from_nanos(session["start_unix_ns"].as_u64().unwrap());
    assert!(now.abs_diff(start) < Duration::from_secs(3600), "{start:?} is near {now:?}");
}

#[test]
fn s0_3_ids_are_the_sessions_own() {
    let run = |()| scenario!("saxpy", 5).out().run().success().records();
    let (one, two) = (run(()), run(()));
    assert_ne!(one.session()["session"], two.session()["session"]);
    assert_eq!(one.session()["rank"], Value::Null);
    for launch in one.launches() {
        assert!(two.gpu_of(launch).is_none(), "{launch} is in both sessions");
    }
}

#[test]
fn dash_is_stdout_beside_what_the_program_prints() {
    let run = scenario!("chatter", 100).env("LAUNCHSITE_OUT", "-").run().success();
    assert_eq!(run.all_said("chatter"), (0..100).map(|number| json!(number)).collect::<Vec<_>>());
    assert_eq!(records_on_stdout(&run).gpu().len(), 100);
    assert_eq!(run.folder().names(), [""; 0]);
}

#[test]
fn lines_on_a_full_pipe_are_whole() {
    let run = scenario!("chatter", 3000).env("LAUNCHSITE_OUT", "-").slow_reader().run().success();
    assert_eq!(run.all_said("chatter").len(), 3000);
    assert_eq!(records_on_stdout(&run).launches().len(), 3000);
}

#[test]
fn a_stdout_that_nobody_reads_is_said_once() {
    let run = scenario!("saxpy", 1000).env("LAUNCHSITE_OUT", "-,trace.jsonl").no_reader().run();
    let run = run.complains_once(&["LAUNCHSITE_OUT"]);
    assert_eq!(run.records().gpu().len(), 1000);
}

#[test]
fn a_file_that_is_there_is_replaced() {
    let old = "not JSON\n".repeat(100_000);
    let run = scenario!("saxpy", 3).file(TRACE, &old).out().run().success();
    assert_eq!(run.records().launches().len(), 3);
    assert_eq!(run.folder().names(), [TRACE]);
}

#[test]
fn a_file_of_a_live_session_is_left_alone() {
    let scenario = scenario!("saxpy", 3).file(TRACE, "another's\n").out();
    let file = File::options().append(true).open(scenario.folder().path().join(TRACE)).unwrap();
    file.try_lock().unwrap();
    let run = scenario.run();
    let beside = format!("trace.{}.jsonl", run.pid);
    let run = run.complains_once(&[TRACE, &beside]);
    assert_eq!(run.folder().read(TRACE), "another's\n");
    assert_eq!(run.records_in(&beside).launches().len(), 3);
    assert_eq!(run.folder().names().len(), 2);
}

#[test]
fn a_session_that_is_over_holds_no_lock() {
    let run = scenario!("saxpy", 3).out().run().success();
    let file = File::open(run.folder().path().join(TRACE)).unwrap();
    assert!(!matches!(file.try_lock(), Err(TryLockError::WouldBlock)));
}

// hpctoolkit#195: fork and exec. A child that inherits the variable truncates its parent's trace.
#[test]
fn a_child_that_inherits_the_variable_writes_a_file_of_its_own() {
    let run = scenario!("child").out().run().complains_once(&[TRACE]);
    let names = run.folder().names();
    let [of_child, of_parent] = names.as_slice() else { panic!("{names:?}") };
    assert!(run.complaint().contains(of_child.as_str()) && of_parent == TRACE);
    assert_eq!(run.records_in(of_child).gpu().len(), 5);
    assert_eq!(run.records().gpu().len(), 2);
    assert_ne!(run.records().session()["pid"], run.records_in(of_child).session()["pid"]);
}

#[test]
fn a_path_that_cannot_be_written_is_said_once_and_changes_nothing() {
    for path in ["no/such/trace.jsonl", "/proc/trace.jsonl", "folder.jsonl"] {
        let scenario = scenario!("exit_code", 7, 20).env("LAUNCHSITE_OUT", path);
        std::fs::create_dir(scenario.folder().path().join("folder.jsonl")).unwrap();
        let run = scenario.run();
        assert_eq!(run.status.code(), Some(7), "{path}");
        let complaint = run.complaint();
        assert!(complaint.contains("LAUNCHSITE_OUT") && complaint.contains(path), "{complaint}");
        assert_eq!(run.folder().names(), ["folder.jsonl"], "{path}");
    }
}

#[test]
fn a_disk_that_is_full_is_said_once_and_other_outputs_go_on() {
    let scenario = scenario!("saxpy", 1000).env("LAUNCHSITE_OUT", "full.jsonl,trace.jsonl");
    std::os::unix::fs::symlink("/dev/full", scenario.folder().path().join("full.jsonl")).unwrap();
    let run = scenario.run().complains_once(&["LAUNCHSITE_OUT"]);
    assert_eq!(run.said("result"), 1000);
    assert_eq!(run.records().gpu().len(), 1000);
}

#[test]
fn an_ending_that_is_not_known_is_said_once_and_the_others_count() {
    let run = scenario!("saxpy", 3).env("LAUNCHSITE_OUT", "trace.xyz,trace.jsonl").run();
    let run = run.complains_once(&["LAUNCHSITE_OUT", "trace.xyz", ".jsonl"]);
    assert_eq!(run.folder().names(), [TRACE]);
    assert_eq!(run.records().gpu().len(), 3);
    let alone = scenario!("counts", 3).env("LAUNCHSITE_OUT", "trace").run();
    let alone = alone.complains_once(&["LAUNCHSITE_OUT", "trace", ".jsonl"]);
    // An output that there is not turns nothing on.
    assert_eq!((alone.folder().names().len(), &alone.said("counts")["creates"]), (0, &json!(0)));
}

#[test]
fn paths_have_the_process_the_host_and_the_rank() {
    let scenario = scenario!("saxpy", 3).env("LAUNCHSITE_OUT", "t-%p-%h-%r-%%.jsonl").env("SLURM_PROCID", "5");
    let run = scenario.run().success();
    let names = run.folder().names();
    let records = run.records_in(&names[0]);
    let host = records.session()["host"].as_str().unwrap();
    assert_eq!(names, [format!("t-{}-{host}-5-%%.jsonl", run.pid)]);
    assert_eq!(records.session()["rank"], 5);
}

#[test]
fn two_outputs_have_the_same_lines() {
    let run = scenario!("two_sites", 20).env("LAUNCHSITE_OUT", "a.JSONL, b.jsonl,,a.JSONL").run().success();
    assert_eq!(run.folder().names(), ["a.JSONL", "b.jsonl"]);
    assert_eq!(run.folder().read("a.JSONL"), run.folder().read("b.jsonl"));
    assert_eq!(run.records_in("b.jsonl").gpu().len(), 80);
}

#[test]
fn a_program_without_launches_leaves_nothing() {
    let run = scenario!("nothing").out().run().success();
    assert!(run.folder().names().is_empty() || run.records().launches().is_empty());
}

#[test]
fn s0_11_a_flush_has_written_all_that_was_launched_before_it() {
    let run = scenario!("flush", 50).out().run().success();
    let written = [[200, 200], [400, 400], [600, 600], [602, 602]].map(|counts| json!(counts));
    assert_eq!(run.all_said("written"), written);
    // One whose time was over, with two launches behind a kernel that had not ended.
    assert_eq!(run.said("pending"), 2);
    assert_eq!(run.records().gpu().len(), 602);
}
