//! The JSON lines of a session.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// The records of one session, in the order in which they were written.
#[derive(Debug)]
pub struct Records {
    pub(crate) lines: Vec<String>,
    pub(crate) values: Vec<Value>,
}

impl Records {
    /// Reads JSON lines. As readers do, it ignores a last line that does not end.
    ///
    /// # Panics
    /// A line is not JSON.
    pub fn parse(text: &str) -> Self {
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let lines: Vec<_> = whole.lines().map(str::to_owned).collect();
        let value = |line: &String| serde_json::from_str(line).unwrap_or_else(|why| panic!("{why}: {line:?}"));
        Self { values: lines.iter().map(value).collect(), lines }
    }

    /// The records with this scope.
    pub fn of(&self, scope: &str) -> Vec<&Value> {
        self.values.iter().filter(|record| record["scope"] == scope).collect()
    }

    /// The session's own record.
    pub fn session(&self) -> &Value {
        self.only("session")
    }

    /// The streams that were seen.
    pub fn streams(&self) -> Vec<&Value> {
        self.of("stream")
    }

    /// The host's side of each launch.
    pub fn launches(&self) -> Vec<&Value> {
        self.of("launch")
    }

    /// The GPU's side of each launch that was timed.
    pub fn gpu(&self) -> Vec<&Value> {
        self.of("launch_gpu")
    }

    /// The last record.
    pub fn end(&self) -> &Value {
        self.only("end")
    }

    /// The GPU's side of `launch`.
    pub fn gpu_of(&self, launch: &Value) -> Option<&Value> {
        self.gpu().into_iter().find(|gpu| gpu["trace_event_id"] == launch["trace_event_id"])
    }

    /// The names that launches have.
    pub fn names(&self) -> BTreeSet<&str> {
        self.launches().iter().map(|launch| launch["name"].as_str().unwrap()).collect()
    }

    /// Asserts how many launches have each mode; those that are not named have none.
    pub fn assert_modes(&self, expected: &[(&str, usize)]) {
        let mut modes: BTreeMap<&str, usize> = BTreeMap::new();
        for launch in self.launches() {
            *modes.entry(launch["mode"].as_str().unwrap()).or_default() += 1;
        }
        assert_eq!(modes, expected.iter().copied().collect());
    }

    /// Why launches were not timed.
    pub fn reasons(&self) -> Vec<&str> {
        self.launches().iter().filter_map(|launch| launch["reason"].as_str()).collect()
    }

    /// How many GPU times have each accuracy: `calibrated`, or the reason of an upper bound.
    pub fn accuracies(&self) -> BTreeMap<&str, usize> {
        let mut found: BTreeMap<&str, usize> = BTreeMap::new();
        for gpu in self.gpu().into_iter().filter(|gpu| gpu.get("error").is_none()) {
            let word = gpu["reason"].as_str().or(gpu["accuracy"].as_str()).unwrap();
            *found.entry(word).or_default() += 1;
        }
        found
    }

    /// The one launch of a session that has one.
    pub fn only_launch(&self) -> &Value {
        self.only("launch")
    }

    fn only(&self, scope: &str) -> &Value {
        let found = self.of(scope);
        assert_eq!(found.len(), 1, "one record of the scope {scope}");
        found[0]
    }
}
