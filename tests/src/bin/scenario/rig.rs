//! A stand-in with a stream, and what programs say about it.

use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use launchsite::host::{Call, Error, Host, LaunchConfig, Stream};
use serde_json::{Value, json};

/// Longer than anything takes that does not hang.
pub(crate) const LONG: Duration = Duration::from_secs(60);

/// Memory of the stand-in: a number that kernels add to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cell(Arc<AtomicU64>);

impl Cell {
    /// A kernel that adds `value`.
    pub(crate) fn adds(&self, value: u64) -> impl Fn() + Send + Sync + 'static {
        let cell = self.clone();
        move || {
            cell.0.fetch_add(value, Ordering::Relaxed);
        }
    }

    pub(crate) fn read(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A door that kernels and sinks wait at until it is opened.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gate(Arc<(Mutex<bool>, Condvar)>);

impl Gate {
    pub(crate) fn open(&self) {
        *self.0.0.lock().unwrap() = true;
        self.0.1.notify_all();
    }

    pub(crate) fn wait(&self) {
        drop(self.0.1.wait_while(self.0.0.lock().unwrap(), |open| !*open).unwrap());
    }
}

/// What most programs launch on.
pub(crate) struct Rig {
    pub(crate) host: Host,
    pub(crate) stream: Stream,
    pub(crate) cell: Cell,
}

impl Rig {
    pub(crate) fn new() -> Self {
        let host = Host::new();
        Self { host, stream: host.stream(), cell: Cell::default() }
    }

    /// Waits for the stream, and says what the kernels added up to and what the device was asked for.
    pub(crate) fn finish(&self) -> Result<(), Error> {
        self.stream.synchronize()?;
        say("result", self.cell.read());
        self.say_counts("counts");
        Ok(())
    }

    pub(crate) fn say_counts(&self, what: &str) {
        let counts = self.host.counts();
        say(
            what,
            json!({
                "creates": counts.of(Call::EventCreate),
                "destroys": counts.of(Call::EventDestroy),
                "records": counts.of(Call::EventRecord),
                "elapsed": counts.of(Call::EventElapsed),
                "streams": counts.of(Call::StreamCreate),
                "launches": counts.of(Call::Launch),
                "enters": counts.of(Call::ContextEnter),
                "holds": counts.of(Call::Hold),
                "releases": counts.of(Call::Release),
            }),
        );
    }
}

/// A configuration with no two numbers alike.
pub(crate) fn config() -> LaunchConfig {
    LaunchConfig { grid_dim: (7, 2, 1), block_dim: (32, 4, 3), shared_mem_bytes: 48 }
}

/// Says something, in one line of JSON. Where stdout is gone, nobody is there to hear it.
pub(crate) fn say(what: &str, value: impl Into<Value>) {
    let line = json!({ "said": what, "value": value.into() });
    let _ = io::stdout().write_all(format!("{line}\n").as_bytes());
}

/// The names of the process's threads.
pub(crate) fn thread_names() -> Vec<String> {
    let tasks = std::fs::read_dir("/proc/self/task").expect("a Linux system");
    let names = tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("comm")).ok());
    let mut names: Vec<_> = names.map(|name| name.trim().to_owned()).collect();
    names.sort();
    names
}

/// What the outputs hold now, by lines of a scope.
pub(crate) fn lines_of(file: &str, scope: &str) -> usize {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.matches(&format!("{{\"scope\":\"{scope}\",")).count()
}
