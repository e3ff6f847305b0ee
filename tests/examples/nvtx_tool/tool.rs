//! What the environment asks of the tool, the file that it writes, and what it answers.

use std::cell::Cell;
use std::ffi::c_int;
use std::fmt::Display;
use std::io::{self, Write as _};
use std::sync::OnceLock;
use std::{env, fs::File, process, time::Duration};

use crate::abi::{Handle, NO_PUSH_POP_TRACKING};

unsafe extern "C" {
    safe fn gettid() -> c_int;
}

pub(crate) static TOOL: OnceLock<Option<Tool>> = OnceLock::new();

thread_local! {
    /// How many ranges are open in each domain. Needs no drop, so it serves a thread's last breath.
    static OPEN: [Cell<c_int>; 64] = const { [const { Cell::new(0) }; 64] };
}

pub(crate) struct Tool {
    pub(crate) log: Option<File>,
    pub(crate) refuse: bool,
    pub(crate) pause: Duration,
    pub(crate) returned: Option<c_int>,
    pub(crate) quiet: bool,
}

impl Tool {
    pub(crate) fn from_env() -> Option<Self> {
        let setting = |name| env::var(name).unwrap_or_default();
        let init = setting("NVTX_TOOL_INIT");
        let push = setting("NVTX_TOOL_PUSH");
        let quiet = setting("NVTX_TOOL_QUIET");
        let returned = push.parse().ok();
        let push_known = push.is_empty() || returned.is_some();
        if !push_known || !matches!(&*init, "" | "refuse" | "slow") || !matches!(&*quiet, "" | "1") {
            complain(format!("cannot use NVTX_TOOL_INIT={init} _PUSH={push} _QUIET={quiet}"));
            return None;
        }
        let append = |path| File::options().append(true).create(true).open(path);
        let log = env::var_os("NVTX_TOOL_LOG").map(append).transpose();
        Some(Self {
            log: log.map_err(complain).ok()?,
            refuse: init == "refuse",
            pause: Duration::from_millis(if init == "slow" { 100 } else { 0 }),
            returned,
            quiet: quiet == "1",
        })
    }

    /// One write to a file in append mode: lines never mix, and an abort right after loses none.
    pub(crate) fn write(&self, call: &str, rest: &str) {
        let line = format!("{{\"call\":\"{call}\",\"thread\":{}{rest}}}\n", gettid());
        let append = |mut log: &File| log.write_all(line.as_bytes());
        if let Some(Err(why)) = self.log.as_ref().map(append) {
            // Going on without the line would let a test that expects no call pass.
            complain(why);
            process::abort();
        }
    }
}

/// Not `eprintln!`, which panics when stderr is closed.
pub(crate) fn complain(why: impl Display) {
    let _ = writeln!(io::stderr(), "nvtx_tool: {why}");
}

/// The tool, unless it is to do nothing.
pub(crate) fn recorder() -> Option<&'static Tool> {
    TOOL.get()?.as_ref().filter(|tool| !tool.quiet)
}

pub(crate) fn record(call: &str, rest: impl FnOnce() -> String) {
    if let Some(tool) = recorder() {
        tool.write(call, &rest());
    }
}

/// Opens (1) or closes (-1) a range, and gives its level: -1 where there is none to close.
pub(crate) fn nest(domain: Handle, step: c_int) -> c_int {
    OPEN.with(|open| {
        open.get(domain).map_or(NO_PUSH_POP_TRACKING, |open| {
            let before = open.get();
            open.set(before.saturating_add(step).max(0));
            before + step.min(0)
        })
    })
}

pub(crate) fn answer(level: c_int) -> c_int {
    let tool = TOOL.get().and_then(Option::as_ref);
    tool.and_then(|tool| tool.returned).unwrap_or(level)
}

pub(crate) fn recorded(call: &str, domain: Handle, step: c_int, rest: impl FnOnce() -> String) -> c_int {
    let Some(tool) = recorder() else {
        return answer(0);
    };
    let level = nest(domain, step);
    tool.write(call, &format!(r#"{},"level":{level}"#, rest()));
    answer(level)
}

pub(crate) fn quoted(text: Option<&str>) -> String {
    let Some(text) = text else {
        return "null".to_owned();
    };
    let mut json = String::from('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => json.extend(['\\', character]),
            '\0'..='\x1f' => json.extend(format!("\\u{:04x}", u32::from(character)).chars()),
            _ => json.push(character),
        }
    }
    json.push('"');
    json
}
