//! What a launch costs the host, on a driver whose calls return at once: launchsite's parts beside what else a user could
//! take. `benches/host.sh` builds it with what it needs, and runs it.
//!
//! Each part is a process of its own, since a session is one: `host` runs itself again for each, with its environment.

mod collector;
mod counts;
mod left_out;
mod ranges;
mod stack;
mod times;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use launchsite_benches::Failure;
use launchsite_benches::table::{Bars, say};

/// A part, by its name.
type Part = fn(&mut Bars) -> Result<(), Failure>;
const PARTS: [(&str, Part); 6] = [
    ("times", times::run),
    ("ranges", ranges::run),
    ("stack", stack::run),
    ("left_out", left_out::run),
    ("collector", collector::run),
    ("counts", counts::run),
];

/// Where a built library of this package is.
fn library(name: &str) -> Result<PathBuf, Failure> {
    let own = std::env::current_exe()?;
    let folder = own.parent().ok_or("no folder")?;
    Ok(folder.join("examples").join(format!("lib{name}.so")))
}

/// The idle driver under the driver's name, in a folder of its own.
fn driver(folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)?;
    std::fs::copy(library("idle_driver")?, folder.join("libcuda.so"))?;
    Ok(())
}

/// This program again, for one part; what is set for launchsite outside is not for it.
fn again(part: &str, folder: &Path) -> Result<Command, Failure> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(part).env("LD_LIBRARY_PATH", folder);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("LAUNCHSITE") || name == "NVTX_INJECTION64_PATH" {
            command.env_remove(name);
        }
    }
    match part {
        "ranges" => command.env("NVTX_INJECTION64_PATH", library("idle_tool")?).env("LAUNCHSITE", "nvtx"),
        "stack" => command
            .env("NVTX_INJECTION64_PATH", library("idle_tool")?)
            .env("LAUNCHSITE", "nvtx")
            .env("LAUNCHSITE_NAMES", "stack")
            .env("LAUNCHSITE_INTERNAL", "launchsite_benches::deep"),
        "left_out" => command.env("LAUNCHSITE", "time").env("LAUNCHSITE_BUDGET", "1/1000000"),
        "collector" => {
            let out = folder.join("launches.jsonl");
            command.env("LAUNCHSITE", "nvtx,time").env("LAUNCHSITE_OUT", out)
        }
        _ => command.env("LAUNCHSITE", "nvtx"),
    };
    Ok(command)
}

fn run(asked: Option<&OsStr>) -> Result<bool, Failure> {
    if let Some((_, part)) = asked.and_then(|asked| PARTS.into_iter().find(|(name, _)| *name == asked)) {
        let mut bars = Bars::default();
        part(&mut bars)?;
        return Ok(!bars.are_missed());
    }
    let folder = std::env::temp_dir().join(format!("launchsite-benches-{}", std::process::id()));
    driver(&folder)?;
    let mut held = true;
    for (part, _) in PARTS {
        held &= again(part, &folder)?.status()?.success();
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(held)
}

fn main() -> ExitCode {
    match run(std::env::args_os().nth(1).as_deref()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            say(format_args!("host: {why}"));
            ExitCode::FAILURE
        }
    }
}
