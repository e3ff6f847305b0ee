//! The programs, run once for all tests.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use launchsite_tests::{Records, Scenario};
use serde_json::Value;

use crate::table::{self, Row};

/// What `tests/shapes/run.sh` gives.
const README: &str = "LAUNCH_SHAPES_README";
const SOURCE: &str = "LAUNCH_SHAPES_SOURCE";
const PROGRAMS: &str = "LAUNCH_SHAPES_PROGRAMS";

pub(crate) struct Runs {
    pub(crate) rows: Vec<Row>,
    pub(crate) off: Run,
    pub(crate) on: Run,
    pub(crate) on_with_probe: Run,
    /// With the feature, and without records: by what `LAUNCHSITE` is.
    pub(crate) quiet: Vec<(&'static str, Run)>,
    /// With records, where the driver refuses every call of a function.
    pub(crate) refused: Vec<(&'static str, Run)>,
}

/// Functions of the driver that only launchsite calls.
const OURS: [&str; 8] = [
    "cuCtxGetDevice",
    "cuCtxGetId",
    "cuDevicePrimaryCtxGetState",
    "cuGraphNodeGetType",
    "cuStreamGetCaptureInfo_v2",
    "cuStreamGetCtx",
    "cuStreamIsCapturing",
    "cuThreadExchangeStreamCaptureMode",
];

/// A program's run.
pub(crate) struct Run {
    pub(crate) stdout: String,
    /// The calls that driver and profiler saw.
    pub(crate) steps: Vec<Step>,
    pub(crate) records: Option<Records>,
    /// By file: the lines where shapes begin.
    places: BTreeMap<String, Vec<(u64, String)>>,
}

/// A call, and the shape that was called then.
pub(crate) struct Step {
    pub(crate) shape: String,
    pub(crate) round: String,
    pub(crate) call: Value,
}

/// `None` where there are no shapes.
pub(crate) fn runs() -> Option<&'static Runs> {
    static RUNS: LazyLock<Option<Runs>> = LazyLock::new(|| {
        let path = |name| std::env::var_os(name).map(PathBuf::from);
        let (programs, source, readme) = (path(PROGRAMS)?, path(SOURCE)?, path(README)?);
        let places = places(&source);
        let program = |name: &str| Scenario::new(programs.join(name).to_str().expect("a path of text"), "");
        let recorded = |name| program(name).driver_and_tool().env("LAUNCHSITE", "nvtx,time").out();
        let quiet = |parts| program("enabled").driver_and_tool().env("LAUNCHSITE", parts);
        let refused = |call| recorded("enabled").env("SCRIPTED_DRIVER_REFUSE", format!("{call}:0:999"));
        Some(Runs {
            rows: table::parse(&std::fs::read_to_string(readme).expect("the table of the shapes")),
            off: Run::of(program("off").driver(), &places, false),
            on: Run::of(recorded("enabled"), &places, true),
            on_with_probe: Run::of(recorded("enabled-probe"), &places, true),
            quiet: ["off", "nvtx"].map(|parts| (parts, Run::of(quiet(parts), &places, false))).into(),
            refused: OURS.map(|call| (call, Run::of(refused(call), &places, true))).into(),
        })
    });
    let runs = RUNS.as_ref();
    if runs.is_none() {
        println!("no launch shapes: not run");
    }
    runs
}

impl Run {
    fn of(scenario: Scenario, places: &BTreeMap<String, Vec<(u64, String)>>, recorded: bool) -> Self {
        let outcome = scenario.run().warned();
        let (mut shape, mut round) = ("start".to_owned(), "start".to_owned());
        let mut steps = Vec::new();
        for call in outcome.driver_calls().all() {
            if call["call"] == "shape" {
                [shape, round] = ["shape", "round"].map(|key| call[key].as_str().unwrap().to_owned());
            } else {
                steps.push(Step { shape: shape.clone(), round: round.clone(), call: call.clone() });
            }
        }
        let records = recorded.then(|| outcome.records());
        Self { stdout: outcome.stdout, steps, records, places: places.clone() }
    }

    /// The shape in whose lines the record's site stands.
    pub(crate) fn shape_of(&self, record: &Value) -> &str {
        let (file, line) = (record["file"].as_str().unwrap(), record["line"].as_u64().unwrap());
        let begun = self.places[file].iter().rfind(|(begins, _)| *begins <= line);
        &begun.unwrap_or_else(|| panic!("a record of no shape: {record}")).1
    }
}

/// A shape begins with a comment: `// [V01] builder chained ..`.
fn places(source: &Path) -> BTreeMap<String, Vec<(u64, String)>> {
    let mut places = BTreeMap::new();
    for entry in std::fs::read_dir(source).expect("the shapes' source") {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let id = |line: &str| Some(line.trim_start().strip_prefix("// [")?.split_once(']')?.0.to_owned());
        let begins = (1..).zip(text.lines()).filter_map(|(number, line)| Some((number, id(line)?)));
        let name = path.file_name().unwrap().to_str().unwrap();
        places.insert(format!("launch-shapes/src/{name}"), begins.collect());
    }
    places
}
