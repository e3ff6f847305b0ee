//! What holds for the records of every session: their form, their order, and how they belong together.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::records::Records;
use Kind::{
    Amount, Devices, Fields, Id, IdOrNull, Integer, Number, NumberOrNull, Numbers, Sites, Text, TextOrNull, Three,
};

/// What a key's value may be.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    TextOrNull,
    Number,
    NumberOrNull,
    Integer,
    /// Not below zero, with a fraction or not.
    Amount,
    /// A UUID.
    Id,
    /// `[x, y, z]`
    Three,
    /// An object of any values.
    Fields,
    /// An object of numbers.
    Numbers,
    Devices,
    Sites,
    IdOrNull,
}

type Keys = &'static [(&'static str, Kind)];

const SESSION: Keys = &[
    ("scope", Text),
    ("format", Number),
    ("session", Id),
    ("pid", Number),
    ("host", Text),
    ("rank", NumberOrNull),
    ("start_unix_ns", Number),
    ("anchor_uncertainty_ns", NumberOrNull),
    ("devices", Devices),
];
const DEVICE: Keys = &[("device", Number), ("name", Text), ("uuid", TextOrNull)];
const STREAM: Keys = &[("scope", Text), ("stream", Number), ("device", NumberOrNull), ("kind", Text)];
/// Of a launch of a kernel or a graph, and of a scope.
const HOST: Keys = &[
    ("scope", Text),
    ("trace_event_id", Id),
    ("number", Number),
    ("name", Text),
    ("function", Text),
    ("module", Text),
    ("file", Text),
    ("line", Number),
    ("column", Number),
    ("caller", TextOrNull),
    ("thread", Number),
    ("start_ns", Number),
    ("stop_ns", Number),
    ("overhead_ns", Number),
    ("device", NumberOrNull),
    ("stream", NumberOrNull),
    ("mode", Text),
    ("parent", IdOrNull),
    ("fields", Fields),
];
const KERNEL: Keys = &[("kernel", TextOrNull)];
const GRAPH: Keys =
    &[("scope", Text), ("graph", Number), ("device", Number), ("kernels", NumberOrNull), ("sites", Sites)];
const SITE: Keys = &[("name", Text), ("kernels", Number)];
const REPLAY: Keys = &[("graph", NumberOrNull), ("kernels", NumberOrNull)];
/// Exactly where its kernels were to be timed and cannot be.
const NODES_REASON: Keys = &[("nodes_reason", Text)];
const NODE_GPU: Keys = &[
    ("scope", Text),
    ("parent", Id),
    ("graph", Number),
    ("node", Number),
    ("name", TextOrNull),
    ("kernel", TextOrNull),
    ("device", Number),
    ("stream", NumberOrNull),
];
/// Exactly where the graph is not known.
const GRAPH_REASON: Keys = &[("graph_reason", Text)];
/// Not there where nothing tells.
const GEOMETRY: Keys = &[("grid", Three), ("block", Three), ("shared_mem_bytes", Number)];
const REASON: Keys = &[("reason", Text)];
/// Where the function says so.
const FLOPS: Keys = &[("flops", Amount)];
const BYTES: Keys = &[("bytes", Amount)];
const GPU: Keys = &[
    ("scope", Text),
    ("trace_event_id", Id),
    ("name", Text),
    ("device", NumberOrNull),
    ("stream", NumberOrNull),
    ("fields", Fields),
];
const DURATION: Keys = &[("gpu_duration_ns", Number), ("raw_duration_ns", Number), ("accuracy", Text)];
/// Not there while the device has not told its time.
const PLACE: Keys = &[("start_ns", Integer), ("stop_ns", Integer)];
const ERROR: Keys = &[("error", Text)];
const SAMPLED_OUT: Keys = &[("scope", Text), ("name", Text), ("count", Number)];
const END: Keys = &[
    ("scope", Text),
    ("launches", Number),
    ("timed", Number),
    ("sampled_out", Number),
    ("lost", Number),
    ("lost_by_reason", Numbers),
];
/// Where there were such.
const BESIDE: [Keys; 3] = [&[("graph_launches", Number)], &[("scopes", Number)], &[("lost_beside", Number)]];

fn fits(kind: Kind, value: &Value) -> bool {
    let text = || value.as_str().is_some_and(|text| !text.is_empty());
    match kind {
        Text => text(),
        TextOrNull => value.is_null() || text(),
        Number => value.is_u64(),
        NumberOrNull => value.is_null() || value.is_u64(),
        Integer => value.is_i64(),
        Amount => value.as_f64().is_some_and(|amount| amount >= 0.0),
        Id => value.as_str().is_some_and(is_uuid),
        Three => value.as_array().is_some_and(|three| three.len() == 3 && three.iter().all(Value::is_u64)),
        Fields => value.is_object(),
        Numbers => value.as_object().is_some_and(|object| object.values().all(Value::is_u64)),
        Devices => value.as_array().is_some_and(|devices| devices.iter().all(|device| has(device, &[DEVICE]))),
        Sites => value.as_array().is_some_and(|sites| sites.iter().all(|site| has(site, &[SITE]))),
        IdOrNull => value.is_null() || fits(Id, value),
    }
}

fn is_uuid(text: &str) -> bool {
    let digits = |part: &str| part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let parts: Vec<_> = text.split('-').collect();
    parts.iter().map(|part| part.len()).eq([8, 4, 4, 4, 12]) && parts.iter().all(|part| digits(part))
}

/// Whether `record` has exactly these keys, with values that fit.
fn has(record: &Value, keys: &[Keys]) -> bool {
    let Some(object) = record.as_object() else { return false };
    let mut keys = keys.iter().copied().flatten();
    let count = keys.clone().count();
    object.len() == count && keys.all(|&(key, kind)| object.get(key).is_some_and(|value| fits(kind, value)))
}

/// Whether `text` holds a path from the root, or a word of the machine that built it.
fn tells_the_machine(text: &str) -> bool {
    let from_root = |word: &str| word.starts_with('/') && word.len() > 1;
    text.split_whitespace().any(from_root) || text.contains(env!("CARGO_MANIFEST_DIR"))
}

fn count_keys(value: &Value) -> usize {
    match value {
        Value::Array(values) => values.iter().map(count_keys).sum(),
        Value::Object(object) => object.len() + object.values().map(count_keys).sum::<usize>(),
        _ => 0,
    }
}

fn all_texts<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(values) => values.iter().for_each(|value| all_texts(value, found)),
        Value::Object(object) => {
            found.extend(object.keys().map(String::as_str));
            object.values().for_each(|value| all_texts(value, found));
        }
        _ => {}
    }
}

impl Records {
    /// Asserts all that holds for the records of a session that has ended.
    pub fn check_contract(&self) {
        self.check_open_contract();
        let end = self.end();
        assert_eq!(self.values.last(), Some(end), "the end is last");

        let number = |key: &str| end[key].as_u64().unwrap();
        let launches = self.launches();
        let sampled_out: u64 = self.of("sampled_out").iter().map(|record| record["count"].as_u64().unwrap()).sum();
        let reasons = end["lost_by_reason"].as_object().unwrap().values();
        let lost: u64 = reasons.map(|count| count.as_u64().unwrap()).sum();
        assert_eq!(number("sampled_out"), sampled_out, "{end}");
        assert_eq!(number("lost"), lost, "{end}");
        assert_eq!(number("launches"), launches.len() as u64 + sampled_out + lost, "{end}");

        let timed = launches.iter().filter(|launch| launch["mode"] == "timed").count();
        assert_eq!(number("timed"), timed as u64, "{end}");
        // Each has a line after it, and no other line is there: a bijection.
        assert_eq!(self.gpu().len(), timed, "a GPU record for each launch that was timed");
        for (scope, count) in [("graph_launch", "graph_launches"), ("scope", "scopes")] {
            let records = self.of(scope);
            let timed = records.iter().filter(|record| record["mode"] == "timed").count();
            assert_eq!(self.of(&format!("{scope}_gpu")).len(), timed, "a GPU record for each {scope} that was timed");
            assert_eq!(end[count].as_u64().unwrap_or(0), records.len() as u64, "{end}");
        }
        // What a launch names as its parent is a scope, which ends later.
        let scopes: BTreeMap<_, _> = self.of("scope").into_iter().map(|scope| (id(scope), scope)).collect();
        for record in self.values.iter().filter(|record| record["parent"].is_string() && record["scope"] != "node_gpu")
        {
            let parent = scopes.get(record["parent"].as_str().unwrap());
            let parent = parent.unwrap_or_else(|| panic!("its parent is no scope: {record}"));
            let time = |record: &Value, key: &str| record[key].as_u64().unwrap();
            assert!(time(parent, "start_ns") <= time(record, "start_ns"), "{parent} begins before {record}");
            assert!(time(record, "stop_ns") <= time(parent, "stop_ns"), "{parent} ends behind {record}");
        }
    }

    /// Asserts what holds at every moment of a session: all but its end, and what is to come before it.
    pub fn check_open_contract(&self) {
        let mut seen = Seen::default();
        for (index, (line, record)) in self.lines.iter().zip(&self.values).enumerate() {
            check_form(line, record);
            let scope = record["scope"].as_str().unwrap();
            assert_eq!(index == 0, scope == "session", "the session comes first, and once: {line}");
            assert!(!seen.ended, "behind the end: {line}");
            match scope {
                "stream" => seen.stream(record),
                "graph" => seen.graph(record),
                "launch" | "graph_launch" | "scope" => seen.launch(record),
                "launch_gpu" | "graph_launch_gpu" | "scope_gpu" => seen.gpu(record),
                "node_gpu" => seen.node(record),
                "end" => seen.ended = true,
                _ => {}
            }
        }
    }
}

/// The keys that a record has by its scope, and by what stands in it.
fn keys(record: &Value) -> Option<Vec<Keys>> {
    let there = |optional: Keys| record.get(optional[0].0).map(|_| optional);
    let (always, optional): (Vec<Keys>, Vec<Keys>) = match record["scope"].as_str()? {
        "session" => (vec![SESSION], vec![]),
        "stream" => (vec![STREAM], vec![]),
        "launch" => (vec![HOST, KERNEL], vec![GEOMETRY, REASON, FLOPS, BYTES]),
        "graph" => (vec![GRAPH], vec![NODES_REASON]),
        "graph_launch" => (vec![HOST, REPLAY], vec![REASON, GRAPH_REASON, FLOPS, BYTES]),
        "scope" => (vec![HOST], vec![REASON, FLOPS, BYTES]),
        "launch_gpu" | "graph_launch_gpu" | "scope_gpu" if record.get("error").is_some() => (vec![GPU, ERROR], vec![]),
        "launch_gpu" | "graph_launch_gpu" | "scope_gpu" => (vec![GPU, DURATION], vec![REASON, PLACE]),
        "node_gpu" if record.get("error").is_some() => (vec![NODE_GPU, ERROR], vec![]),
        "node_gpu" => (vec![NODE_GPU, DURATION], vec![REASON, PLACE]),
        "sampled_out" => (vec![SAMPLED_OUT], vec![]),
        "end" => (vec![END], BESIDE.to_vec()),
        _ => return None,
    };
    Some(always.into_iter().chain(optional.into_iter().filter_map(there)).collect())
}

fn check_form(line: &str, record: &Value) {
    let keys = keys(record).unwrap_or_else(|| panic!("unknown scope: {line}"));
    assert!(has(record, &keys), "keys or types: {line}");
    // A key that stands twice would have gone unnoticed by now.
    assert_eq!(line.matches("\":").count(), count_keys(record), "each key stands once: {line}");
    let mut texts = Vec::new();
    all_texts(record, &mut texts);
    for text in texts {
        assert!(!tells_the_machine(text), "{text:?} is of the machine: {line}");
    }
}

/// What came before a line.
#[derive(Default)]
struct Seen<'r> {
    streams: BTreeMap<u64, &'r Value>,
    graphs: BTreeMap<u64, &'r Value>,
    launches: BTreeMap<&'r str, &'r Value>,
    numbers: BTreeSet<u64>,
    gpu: BTreeSet<&'r str>,
    ended: bool,
}

fn id(record: &Value) -> &str {
    record["trace_event_id"].as_str().unwrap()
}

impl<'r> Seen<'r> {
    fn stream(&mut self, record: &'r Value) {
        let known = self.streams.insert(record["stream"].as_u64().unwrap(), record);
        assert!(known.is_none(), "declared twice: {record}");
    }

    /// No site launched more kernels into it than there are.
    fn graph(&mut self, record: &'r Value) {
        let known = self.graphs.insert(record["graph"].as_u64().unwrap(), record);
        assert!(known.is_none(), "declared twice: {record}");
        let sites = record["sites"].as_array().unwrap().iter().map(|site| site["kernels"].as_u64().unwrap());
        assert!(record["kernels"].as_u64().is_none_or(|kernels| sites.sum::<u64>() <= kernels), "{record}");
    }

    /// A graph is declared before it is launched, or it is said why it is not known.
    fn check_graph(&self, record: &Value) {
        match (record["graph"].as_u64(), record.get("graph_reason")) {
            (Some(graph), None) => {
                let declared = self.graphs.get(&graph);
                let declared = declared.unwrap_or_else(|| panic!("the graph is not declared: {record}"));
                assert_eq!((&declared["kernels"], &declared["device"]), (&record["kernels"], &record["device"]));
            }
            (None, Some(_)) => assert!(record["kernels"].is_null(), "{record}"),
            _ => panic!("a graph, or why it is not known: {record}"),
        }
    }

    /// A stream is declared before it is used, and is on one device.
    fn check_stream(&self, record: &Value) {
        if let Some(stream) = record["stream"].as_u64() {
            let declared = self.streams.get(&stream);
            let declared = declared.unwrap_or_else(|| panic!("the stream is not declared: {record}"));
            assert_eq!(declared["device"], record["device"], "{record}");
        }
    }

    fn launch(&mut self, record: &'r Value) {
        self.check_stream(record);
        if record["scope"] == "graph_launch" {
            self.check_graph(record);
        }
        assert!(self.launches.insert(id(record), record).is_none(), "the id was there: {record}");
        assert!(self.numbers.insert(record["number"].as_u64().unwrap()), "the number was there: {record}");
        let time = |key: &str| record[key].as_u64().unwrap();
        assert!(time("start_ns") <= time("stop_ns"), "{record}");
        assert!(time("line") > 0 && time("column") > 0, "{record}");
        let name = record["name"].as_str().unwrap();
        assert!(name.len() <= 1024 && !name.contains('\0'), "{record}");
        // A failed launch has a reason too where timing was asked for, which the line does not tell.
        let mode = record["mode"].as_str().unwrap();
        match (mode, record.get("reason")) {
            ("timed" | "named", None) | ("captured" | "refused", Some(_)) | ("failed", _) => {}
            _ => panic!("mode and reason: {record}"),
        }
    }

    fn gpu(&mut self, record: &'r Value) {
        let launch = self.launches.get(id(record)).unwrap_or_else(|| panic!("its launch is not there: {record}"));
        assert_eq!(launch["mode"], "timed", "{launch} has {record}");
        assert_eq!(format!("{}_gpu", launch["scope"].as_str().unwrap()), record["scope"], "{launch} has {record}");
        assert!(self.gpu.insert(id(record)), "the launch has one: {record}");
        for key in ["name", "device", "stream", "fields"] {
            assert_eq!(launch[key], record[key], "{key} of {launch} and {record}");
        }
        check_time(record);
    }

    /// It belongs to a launch of its graph, which has been told of with its time.
    fn node(&self, record: &Value) {
        let parent = record["parent"].as_str().unwrap();
        let launch = self.launches.get(parent).unwrap_or_else(|| panic!("its launch is not there: {record}"));
        assert!(launch["scope"] == "graph_launch" && self.gpu.contains(parent), "{launch} has {record}");
        for key in ["graph", "device", "stream"] {
            assert_eq!(launch[key], record[key], "{key} of {launch} and {record}");
        }
        check_time(record);
    }
}

/// A duration, and what it is worth.
fn check_time(record: &Value) {
    let Some(duration) = record["gpu_duration_ns"].as_u64() else {
        return;
    };
    let raw = record["raw_duration_ns"].as_u64().unwrap();
    // The stand-in's clock has nanoseconds, and two readings of it are never the same: 0 would be "unknown".
    assert!(0 < duration && duration <= raw, "{record}");
    // An upper bound is the raw time, and says what it was left at that for; only what has a place can be more.
    match record["accuracy"].as_str() {
        Some("upper_bound") => assert!(duration == raw && record["reason"].is_string(), "{record}"),
        Some("calibrated") => {
            assert!(duration < raw && record.get("reason").is_none() && record["start_ns"].is_i64(), "{record}");
        }
        _ => panic!("{record}"),
    }
    if let (Some(start), Some(stop)) = (record["start_ns"].as_i64(), record["stop_ns"].as_i64()) {
        assert_eq!(u64::try_from(stop - start).ok(), Some(raw), "{record}");
    }
}
