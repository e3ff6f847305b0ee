//! Launches as the driver saw them, with the records that were made of them.
//!
//! The range around a launch has the record's number, and the driver and the profiler write into one log: a launch is
//! the one of the range that it stands in.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::runs::{Run, Step};

pub(crate) struct Launch<'r> {
    /// What was called then; the launch may be of a function that the shape calls.
    pub(crate) shape: &'r str,
    pub(crate) round: &'r str,
    pub(crate) call: &'r Value,
    pub(crate) record: Option<&'r Value>,
    /// The stream, by all that tells it from others, where the driver came to look at it.
    pub(crate) stream: Option<String>,
    pub(crate) window: Window,
}

/// The events with a time that stand next to the range around a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Window {
    None,
    /// One in front and one behind, on the launch's stream.
    Around,
    /// Something else.
    Broken,
}

const FUNCTIONS: [&str; 4] = ["cuLaunchKernel", "cuLaunchKernelEx", "cuLaunchCooperativeKernel", "cuGraphLaunch"];

pub(crate) fn is_launch(call: &Value) -> bool {
    FUNCTIONS.iter().any(|function| call["call"] == *function)
}

pub(crate) fn of(run: &Run) -> Vec<Launch<'_>> {
    let records = run.records.as_ref().expect("a run with records");
    let both = records.of("launch").into_iter().chain(records.of("graph_launch"));
    let by_number: BTreeMap<u64, &Value> = both.map(|record| (record["number"].as_u64().unwrap(), record)).collect();
    let mut threads: BTreeMap<u64, Vec<&Step>> = BTreeMap::new();
    for step in &run.steps {
        threads.entry(step.call["thread"].as_u64().unwrap()).or_default().push(step);
    }
    threads.values().flat_map(|steps| of_thread(steps, &by_number)).collect()
}

fn of_thread<'r>(steps: &[&'r Step], by_number: &BTreeMap<u64, &'r Value>) -> Vec<Launch<'r>> {
    let matters = |step: &&&Step| is_launch(&step.call) || is_event(&step.call) || is_range(&step.call);
    let steps: Vec<&Step> = steps.iter().filter(matters).copied().collect();
    let mut open = Vec::new();
    let mut launches = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        let Step { shape, round, call } = step;
        if call["call"] == "push" {
            open.push(at);
        } else if call["call"] == "pop" {
            open.pop();
        } else if is_launch(call) {
            let range = open.last().copied();
            let number = range.map(|push| steps[push].call["payload"].as_u64().unwrap());
            let record = number.map(|number| by_number[&number]);
            let window = range.map_or(Window::None, |push| window(&steps, push, call));
            launches.push(Launch { shape, round, call, record, stream: stream(call), window });
        }
    }
    assert!(open.is_empty(), "a range is open at the end: {open:?}");
    launches
}

/// An event with a time. Those without are cudarc's, which orders streams by them.
fn is_event(call: &Value) -> bool {
    call["call"] == "cuEventRecord" && call["timing"] == true
}

fn is_range(call: &Value) -> bool {
    call["call"] == "push" || call["call"] == "pop"
}

fn window(steps: &[&Step], push: usize, launch: &Value) -> Window {
    let behind = steps[push..].iter().position(|step| step.call["call"] == "pop").expect("ranges are closed");
    let around = [push.checked_sub(1), Some(push + behind + 1)].map(|at| at.and_then(|at| steps.get(at)));
    let on_stream = around.map(|step| {
        let event = step.filter(|step| is_event(&step.call))?;
        Some(stream(&event.call) == stream(launch))
    });
    match on_stream {
        [Some(true), Some(true)] => Window::Around,
        [None, None] => Window::None,
        _ => Window::Broken,
    }
}

/// Handles of default streams mean another in each context, and one of them in each thread.
fn stream(call: &Value) -> Option<String> {
    let thread = if call["stream"] == 2 { &call["thread"] } else { &Value::Null };
    call.get("stream").map(|handle| format!("{} {handle} {thread}", call["context"]))
}
