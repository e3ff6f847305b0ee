//! Instructions of a launch, counted by callgrind: the same on every run, whatever else the machine does.

use std::process::Command;

use launchsite_benches::Failure;
use launchsite_benches::forms::FORMS;
use launchsite_benches::table::{Bars, row, say, title};

const LAUNCHES: u32 = 1000;

pub(super) fn run(bars: &mut Bars) -> Result<(), Failure> {
    if Command::new("valgrind").arg("--version").output().is_err() {
        say("\nvalgrind is not on this machine: instructions are not counted");
        return Ok(());
    }
    title("Instructions", &["bare", "off, more", "nvtx, more", "C range, more", "our range, more", "left out, more"]);
    let (mut off, mut nvtx) = (0.0_f64, 0.0_f64);
    for (name, ..) in FORMS {
        let plain = count(name, "bare", "off", false)?;
        let [now_off, now_nvtx] =
            [count(name, "named", "off", false)? - plain, count(name, "named", "nvtx", false)? - plain];
        let mut more = vec![
            now_off,
            now_nvtx,
            count(name, "ranged", "off", true)? - plain,
            count(name, "named", "nvtx", true)? - plain,
        ];
        // A scope is timed every time.
        if name != "scope" {
            more.push(count(name, "named", "time", false)? - plain);
        }
        let figures: Vec<_> = std::iter::once(plain).chain(more).map(|figure| format!("{figure:.0}")).collect();
        row(name, &figures);
        // A scope is a function more, which is not of the launch.
        if name != "scope" {
            (off, nvtx) = (off.max(now_off), nvtx.max(now_nvtx));
        }
    }
    bars.at_most("2  all parts off, instructions more, the worst form", off, 12.0);
    bars.at_most("3  nvtx without a profiler, instructions more", nvtx, 12.0);
    Ok(())
}

/// Instructions of a launch in that form.
fn count(form: &str, which: &str, parts: &str, profiler: bool) -> Result<f64, Failure> {
    let counted = std::env::current_exe()?.with_file_name("counted");
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--collect-atstart=no"]);
    command.arg("--toggle-collect=*counted_region*").arg(counted).args([form, which, &LAUNCHES.to_string()]);
    // With `time`: none of those that are counted is timed.
    command.env("LAUNCHSITE", parts).env("LAUNCHSITE_BUDGET", "1/1000000");
    if profiler {
        command.env("NVTX_INJECTION64_PATH", super::library("idle_tool")?);
    }
    let said = String::from_utf8_lossy(&command.output()?.stderr).into_owned();
    let line = said.lines().find(|line| line.contains("Collected")).ok_or(said.as_str())?;
    let count: f64 = line.rsplit(' ').next().unwrap_or_default().parse()?;
    Ok((count / f64::from(LAUNCHES)).round())
}
