//! What a launch costs on a GPU: launchsite's parts beside events by hand, cudarc's own, and CUPTI.
//!
//! ```sh
//! cargo build --release --manifest-path benches/Cargo.toml --bin gpu     # anywhere; CUDA is loaded when it runs
//! ./gpu                                                                  # all parts; or one: ./gpu looped
//! ```
//!
//! Each part is a process of its own, since a session is one: `gpu` runs itself again for each, with its environment.

mod cupti;
mod looped;
mod model;
mod program;
mod threads;

use std::process::{Command, ExitCode};

use launchsite_benches::Failure;
use launchsite_benches::table::{Bars, say};

/// A part.
type Part = fn(&mut Bars) -> Result<(), Failure>;
/// The parts by their names, with the budget that each is run with.
const PARTS: [(&str, Part, Option<&str>); 7] = [
    ("looped", looped::run, None),
    ("looped-budget", looped::budget, Some("1%")),
    ("looped-cupti", looped::activity, None),
    ("threads", threads::run, None),
    ("program", program::run, None),
    ("program-budget", program::budget, Some("1%")),
    ("program-cupti", program::activity, None),
];

/// Runs a part in a process of its own; what is set for launchsite outside is not for it.
fn again(part: &str, budget: Option<&str>) -> Result<bool, Failure> {
    let mut command = Command::new(std::env::current_exe()?);
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("LAUNCHSITE")) {
        command.env_remove(name);
    }
    command.env("LAUNCHSITE", "nvtx").arg("--part").arg(part);
    if let Some(budget) = budget {
        command.env("LAUNCHSITE_BUDGET", budget);
    }
    Ok(command.status()?.success())
}

fn run() -> Result<bool, Failure> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    if let [flag, name] = arguments.as_slice()
        && flag == "--part"
    {
        let (_, part, _) = PARTS.into_iter().find(|(known, ..)| known == name).ok_or("no such part")?;
        let mut bars = Bars::default();
        part(&mut bars)?;
        return Ok(!bars.are_missed());
    }
    // SAFETY: it only opens the driver's library and closes it again.
    if !unsafe { cudarc::driver::sys::is_culib_present() } {
        say("there is no CUDA driver on this machine: nothing to measure");
        return Ok(true);
    }
    let mut held = true;
    for (name, _, budget) in PARTS {
        if arguments.is_empty() || arguments.iter().any(|asked| asked == name) {
            held &= again(name, budget)?;
        }
    }
    Ok(held)
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            say(format_args!("gpu: {why}"));
            ExitCode::FAILURE
        }
    }
}
