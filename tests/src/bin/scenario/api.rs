//! Programs that use the rest of the API, and those that change their environment.

#![allow(unsafe_code, reason = "`set_var`")]

use launchsite::Parts;
use serde_json::json;

use crate::rig::{LONG, Rig, say, thread_names};
use crate::sites;
use crate::{Args, Failure, Program};

pub(crate) const PROGRAMS: &[(&str, Program)] = &[
    ("set_parts_after_off", set_parts_after_off),
    ("default_parts", default_parts),
    ("turned_on_and_off", turned_on_and_off),
    ("late_env", late_env),
    ("parts", parts),
];

fn parts(_: &Args) -> Result<(), Failure> {
    say("parts", launchsite::parts().to_string());
    Ok(())
}

/// Wants everything on, whatever the environment says.
fn set_parts_after_off(args: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    if args.text(0) == "late" {
        sites::saxpy(&rig.stream, &rig.cell)?;
    }
    say("set", launchsite::set_parts(Parts::ON));
    say("default", launchsite::default_parts(Parts::ON));
    say("parts", launchsite::parts().to_string());
    for _ in 0..3 {
        sites::saxpy(&rig.stream, &rig.cell)?;
    }
    say("flushed", launchsite::flush(LONG).is_ok());
    say("rows", launchsite::summary().sites.len());
    rig.finish()?;
    say("threads", thread_names());
    Ok(())
}

/// Has a default of its own.
fn default_parts(_: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    say("default", launchsite::default_parts(Parts::TIME));
    say("parts", launchsite::parts().to_string());
    for _ in 0..3 {
        sites::saxpy(&rig.stream, &rig.cell)?;
    }
    launchsite::flush(LONG)?;
    let summary = launchsite::summary();
    say("launches", summary.sites.iter().map(|site| site.launches).sum::<u64>());
    say("timed", summary.sites.iter().map(|site| site.timed).sum::<u64>());
    Ok(rig.finish()?)
}

/// Starts with nothing on, turns everything on and off, and on again, with two launches each time.
fn turned_on_and_off(_: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    for parts in [Parts::NONE, Parts::ON, Parts::NONE, Parts::ON] {
        say("set", launchsite::set_parts(parts));
        sites::saxpy(&rig.stream, &rig.cell)?;
        sites::saxpy(&rig.stream, &rig.cell)?;
        launchsite::flush(LONG)?;
        let launches: u64 = launchsite::summary().sites.iter().map(|site| site.launches).sum();
        say("seen", json!([launches, launchsite::__private::names_worked_out()]));
    }
    Ok(rig.finish()?)
}

/// Changes its environment when the first site has run.
fn late_env(args: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    sites::saxpy(&rig.stream, &rig.cell)?;
    for (name, value) in [("LAUNCHSITE", args.text(0)), ("LAUNCHSITE_OUT", "late.jsonl"), ("LAUNCHSITE_SUMMARY", "1")] {
        // SAFETY: no other thread of this program reads or changes the environment.
        unsafe { std::env::set_var(name, value) };
    }
    for _ in 0..3 {
        sites::saxpy(&rig.stream, &rig.cell)?;
    }
    launchsite::flush(LONG)?;
    say("parts", launchsite::parts().to_string());
    Ok(rig.finish()?)
}
