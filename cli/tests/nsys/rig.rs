//! Reports as nsys writes them, and runs of the program on them.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use rusqlite::{Connection, params};
use serde_json::Value;
use tempfile::TempDir;

/// Part of an export of nsys 2025.3.1, from an H200, without the tables about the machine: a kernel launched ten times at each of two sites, and captured once at each into a
/// graph that was replayed five times.
pub(crate) const REAL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/graph_replay.sqlite");

/// As CUDA 13 and nsys 2025.3 have it; the real report has no such table.
const GRAPH_TRACE: &str = "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (
    start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL,
    greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, graphId INTEGER,
    graphExecId INTEGER)";

/// The number of our domain in these reports.
pub(crate) const OURS: i64 = 1;

/// A report in a folder of its own.
pub(crate) struct Report {
    folder: TempDir,
    pub(crate) sql: Connection,
}

/// A thread's number, as nsys makes it of machine, process and thread.
pub(crate) const fn thread(process: i64, thread: i64) -> i64 {
    1 << 48 | process << 24 | thread
}

/// A thread of a process that has one.
pub(crate) const MAIN: i64 = thread(507, 507);

impl Report {
    /// One without rows, but that the process of [`MAIN`] has made our domain.
    pub(crate) fn new() -> Self {
        let report = Self::bare();
        report.domain(MAIN, OURS, "launchsite");
        report
    }

    /// One without rows: all tables of the real report.
    pub(crate) fn bare() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let sql = Connection::open(folder.path().join("report.sqlite")).unwrap();
        sql.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF").unwrap();
        let real = Connection::open_with_flags(REAL, rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
        let mut tables = real.prepare("SELECT sql FROM sqlite_master WHERE type = 'table'").unwrap();
        let tables = tables.query_map([], |row| row.get::<_, String>(0)).unwrap();
        tables.for_each(|table| sql.execute_batch(&table.unwrap()).unwrap());
        Self { folder, sql }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("report.sqlite")
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn run_sql(&self, sql: &str) -> &Self {
        self.sql.execute_batch(sql).unwrap();
        self
    }

    /// The number of a text, which is told apart from texts that others have.
    pub(crate) fn text(&self, text: &str) -> i64 {
        let known = self.sql.query_row("SELECT id FROM StringIds WHERE value = ?1", [text], |row| row.get(0));
        known.unwrap_or_else(|_| {
            self.sql
                .execute("INSERT INTO StringIds SELECT coalesce(max(id), 0) + 1, ?1 FROM StringIds", [text])
                .unwrap();
            self.sql.last_insert_rowid()
        })
    }

    pub(crate) fn domain(&self, thread: i64, domain: i64, name: &str) {
        let sql = "INSERT INTO NVTX_EVENTS (start, eventType, text, globalTid, domainId) VALUES (1, 75, ?1, ?2, ?3)";
        self.sql.execute(sql, params![name, thread, domain]).unwrap();
    }

    /// A push/pop range with a registered string, in the domain `domain`.
    pub(crate) fn range_in(&self, domain: i64, thread: i64, name: &str, (start, end): (i64, i64)) {
        let sql = "INSERT INTO NVTX_EVENTS (start, end, eventType, textId, globalTid, domainId) \
                   VALUES (?1, ?2, 59, ?3, ?4, ?5)";
        self.sql.execute(sql, params![start, end, self.text(name), thread, domain]).unwrap();
    }

    /// A site's range.
    pub(crate) fn range(&self, thread: i64, name: &str, open: (i64, i64)) {
        self.range_in(OURS, thread, name, open);
    }

    /// A call of CUDA, without what it does.
    pub(crate) fn call(&self, thread: i64, name: &str, correlation: i64, at: i64) {
        let sql = "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?1, ?2, 1, ?3, ?4, ?5, 0, NULL)";
        self.sql.execute(sql, params![at, at + 5, thread, correlation, self.text(name)]).unwrap();
    }

    /// A kernel that takes `duration`, of a node of a graph if one is given.
    pub(crate) fn kernel(&self, thread: i64, correlation: i64, node: Option<i64>, duration: i64) {
        self.kernel_on(0, thread, correlation, node, duration);
    }

    pub(crate) fn kernel_on(&self, device: i64, thread: i64, correlation: i64, node: Option<i64>, duration: i64) {
        let sql = "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT 1000, 1000 + ?1, ?2, 1, NULL, 13, ?3, ?4, 1, 1, 1, 1, \
                   1, 16, 1, 1, 1, 256, 1, 1, 0, 0, 0, 0, 1, 0, ?5, 0";
        let process = thread & !0xff_ffff;
        self.sql.execute(sql, params![duration, device, correlation, process, node]).unwrap();
    }

    /// A launch of one kernel.
    pub(crate) fn launch(&self, thread: i64, correlation: i64, at: i64, duration: i64) {
        self.call(thread, "cuLaunchKernel", correlation, at);
        self.kernel(thread, correlation, None, duration);
    }

    /// A node of a graph, as it is made.
    pub(crate) fn node(&self, thread: i64, node: i64, original: Option<i64>, at: i64) {
        let sql = "INSERT INTO CUDA_GRAPH_NODE_EVENTS VALUES (?1, ?1, 77, ?2, ?3, ?4, ?5)";
        let name = self.text("Graph Node Creation");
        self.sql.execute(sql, params![at, thread, name, node, original]).unwrap();
    }

    /// A launch that is captured.
    pub(crate) fn capture(&self, thread: i64, correlation: i64, at: i64, node: i64) {
        self.call(thread, "cuLaunchKernel", correlation, at);
        self.node(thread, node, None, at + 2);
    }

    /// A graph launch, in which a kernel of each of the nodes takes 100 ns.
    pub(crate) fn replay(&self, thread: i64, correlation: i64, at: i64, nodes: &[i64]) {
        self.call(thread, "cuGraphLaunch", correlation, at);
        for node in nodes {
            self.kernel(thread, correlation, Some(*node), 100);
        }
    }

    pub(crate) fn has_graph_trace(&self) -> &Self {
        self.run_sql(GRAPH_TRACE)
    }

    /// What the program says of it, which has to be in order.
    pub(crate) fn sites(&self) -> Sites {
        let run = run(&[self.path()]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""));
        run.sites()
    }

    pub(crate) fn run(&self) -> Run {
        run(&[self.path()])
    }
}

/// Name, kernels, launches, replays, and the time in all.
pub(crate) type Sites = Vec<(String, u64, u64, u64, u64)>;

/// What became of a run.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("output is text");
        let code = output.status.code().unwrap_or_else(|| panic!("{output:?}"));
        Self { code, stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

impl Run {
    pub(crate) fn rows(&self) -> Vec<Value> {
        let json: Value = serde_json::from_str(&self.stdout).unwrap_or_else(|why| panic!("{why}: {self:?}"));
        json["sites"].as_array().unwrap().clone()
    }

    pub(crate) fn sites(&self) -> Sites {
        let number = |row: &Value, key: &str| row[key].as_u64().unwrap();
        let site = |row: Value| {
            let [kernels, launches, replays, total] =
                ["kernels", "launches", "replays", "gpu_total_ns"].map(|key| number(&row, key));
            (row["name"].as_str().unwrap().to_owned(), kernels, launches, replays, total)
        };
        self.rows().into_iter().map(site).collect()
    }
}

/// Runs the program with `args` behind `nsys --format json`.
pub(crate) fn run(args: &[impl AsRef<OsStr>]) -> Run {
    Command::new(PROGRAM).args(["nsys", "--format", "json"]).args(args).output().unwrap().into()
}

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_launchsite");

/// For comparison with [`Report::sites`].
pub(crate) fn sites(rows: &[(&str, u64, u64, u64, u64)]) -> Sites {
    rows.iter().map(|(name, a, b, c, d)| ((*name).to_owned(), *a, *b, *c, *d)).collect()
}
