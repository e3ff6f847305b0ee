//! What a program has the driver do, without what launchsite asks of it.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::launches::is_launch;
use crate::runs::Run;

/// A shape, a round, and one of its threads: 0 is the program's first, others are in no order.
type Part = (String, String, usize);

/// Beginnings of the functions that do something: the others ask, or say which context a thread is in.
const DOES: [&str; 12] = [
    "cuMem",
    "cuGraph",
    "cuModule",
    "cuFuncSet",
    "cuStreamCreate",
    "cuStreamDestroy",
    "cuStreamWait",
    "cuStreamSync",
    "cuStreamBegin",
    "cuStreamEnd",
    "cuLaunch",
    "cuEvent",
];

/// A line for each call of a thread that launches, in order, with handles by the order in which they are met.
pub(crate) fn of(run: &Run) -> BTreeMap<Part, Vec<String>> {
    let first = &run.steps[0].call["thread"];
    let launching: Vec<_> =
        run.steps.iter().filter(|step| is_launch(&step.call)).map(|step| &step.call["thread"]).collect();
    let mut handles: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
    let mut parts: BTreeMap<(String, String), BTreeMap<String, Vec<String>>> = BTreeMap::new();
    for step in run.steps.iter().filter(|step| is_work(&step.call)) {
        let thread = &step.call["thread"];
        if launching.contains(&thread) || thread == first {
            let line = line(&step.call, handles.entry(thread.to_string()).or_default());
            let threads = parts.entry((step.shape.clone(), step.round.clone())).or_default();
            let name = if thread == first { "first".to_owned() } else { thread.to_string() };
            threads.entry(name).or_default().push(line);
        }
    }
    let mut all = BTreeMap::new();
    for ((shape, round), mut threads) in parts {
        let main = threads.remove("first").unwrap_or_default();
        let mut others: Vec<_> = threads.into_values().collect();
        others.sort();
        for (number, lines) in [main].into_iter().chain(others).enumerate() {
            all.insert((shape.clone(), round.clone(), number), lines);
        }
    }
    all
}

/// The program's events with a time cannot be told from ours: they are counted, see [`timed_events`].
fn is_work(call: &Value) -> bool {
    let name = call["call"].as_str().unwrap();
    let asks = ["cuMemGetInfo", "cuEventElapsed", "cuEventQuery", "cuGraphGet", "cuGraphNodeGet"];
    let asks = asks.iter().any(|asks| name.starts_with(asks));
    DOES.iter().any(|does| name.starts_with(does)) && !asks && call["timing"] != true
}

fn line(call: &Value, handles: &mut BTreeMap<String, usize>) -> String {
    let words = call.as_object().unwrap().iter().filter(|(key, _)| *key != "thread").map(|(key, value)| {
        let next = handles.len();
        // Default streams have one handle everywhere.
        let is_default = key == "stream" && value.as_u64().is_some_and(|handle| handle <= 2);
        let is_handle = ["stream", "context", "event", "executable"].contains(&key.as_str()) && !is_default;
        let number = is_handle.then(|| *handles.entry(value.to_string()).or_insert(next));
        number.map_or_else(|| format!("{key}={value}"), |number| format!("{key}=#{number}"))
    });
    words.collect::<Vec<_>>().join(" ")
}

/// How many events with a time were recorded, by shape and round.
pub(crate) fn timed_events(run: &Run) -> BTreeMap<(&str, &str), usize> {
    let first = &run.steps[0].call["thread"];
    let launching: Vec<_> =
        run.steps.iter().filter(|step| is_launch(&step.call)).map(|step| &step.call["thread"]).collect();
    let mut counts = BTreeMap::new();
    for step in &run.steps {
        let call = &step.call;
        let own = &call["thread"] == first || launching.contains(&&call["thread"]);
        if own && call["call"] == "cuEventRecord" && call["timing"] == true {
            *counts.entry((step.shape.as_str(), step.round.as_str())).or_default() += 1;
        }
    }
    counts
}

/// Events that were recorded into captures.
pub(crate) fn captured_events(run: &Run) -> usize {
    let captured = |call: &Value| call["call"] == "cuEventRecord" && call["captured"] == true;
    run.steps.iter().filter(|step| captured(&step.call)).count()
}
