//! A recording NVTX tool: what `NVTX_INJECTION64_PATH` names in the tests and benches.
//!
//! It writes a line of JSON for each call that reaches it. The environment steers it:
//!
//! * `NVTX_TOOL_LOG=path`: the file to append to; without it nothing is written.
//! * `NVTX_TOOL_INIT=refuse|slow`: decline to start, or take 200 ms about it.
//! * `NVTX_TOOL_PUSH=n`: what push and pop return, in place of the level.
//! * `NVTX_TOOL_QUIET=1`: take every slot, but return at once from every call.
//!
//! A value that it cannot use makes it decline, with a word on stderr, so that a slip is seen.

#![cfg(target_os = "linux")]
#![allow(unsafe_code, reason = "NVTX is a C interface")]

mod abi;
mod functions;
mod tool;

use std::ffi::c_int;
use std::thread;

use abi::{
    CALLBACKS, CORE, CORE2, Callbacks, GetExportTable, NVTX_VERSION, VERSION_INFO, VersionInfo, exported, install,
};
use functions::{core_functions, core2_functions};
use tool::{TOOL, Tool};

/// Whether the tool now gets CORE2's calls, and what it saw on the way.
///
/// SAFETY: `get_table` is NVTX's own.
unsafe fn attach(tool: &Tool, get_table: GetExportTable) -> (bool, String) {
    // Half before and half after: a caller that does not wait loses calls, or logs them too early.
    thread::sleep(tool.pause);
    // SAFETY: NVTX answers any number.
    let callbacks = unsafe { get_table(CALLBACKS) };
    // SAFETY: this is the table of that number.
    let Some(callbacks) = (unsafe { exported::<Callbacks>(callbacks) }) else {
        return (false, String::new());
    };
    // SAFETY: NVTX answers any number.
    let info = unsafe { get_table(VERSION_INFO) };
    // SAFETY: this is the table of that number.
    let info = unsafe { exported::<VersionInfo>(info) };
    if let Some(set) = info.and_then(|info| info.set_injection_version) {
        // SAFETY: NVTX asks its tools for this call.
        unsafe { set(NVTX_VERSION) };
    }
    // SAFETY: NVTX lets no call through until the tool has started.
    let (core, taken) = unsafe { install(callbacks, CORE, &core_functions()) };
    let seen = format!(r#","core":{core},"core_taken":{taken}"#);
    // SAFETY: as above.
    let (core2, taken) = unsafe { install(callbacks, CORE2, &core2_functions()) };
    thread::sleep(tool.pause);
    let version = info.map_or(0, |info| info.version);
    (core2 > 0, format!(r#"{seen},"core2":{core2},"core2_taken":{taken},"version":{version}"#))
}

/// What NVTX calls when it has loaded the tool; 1 if the tool started, 0 if not.
///
/// # Safety
///
/// `get_table` must be NVTX's own.
#[unsafe(no_mangle)]
#[allow(non_snake_case, reason = "the name is NVTX's")]
pub unsafe extern "C" fn InitializeInjectionNvtx2(get_table: GetExportTable) -> c_int {
    let Some(tool) = TOOL.get_or_init(Tool::from_env) else {
        return 0;
    };
    // SAFETY: as the caller vouches.
    let attached = (!tool.refuse).then(|| unsafe { attach(tool, get_table) });
    let (accepted, seen) = attached.unwrap_or_default();
    tool.write("init", &format!(r#","accepted":{accepted}{seen}"#));
    c_int::from(accepted)
}
