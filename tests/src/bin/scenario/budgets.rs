//! Programs that launch more than a budget has timed.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;
use std::time::Duration;

use launchsite::host::{Call, Fault};
use serde_json::json;

use crate::rig::{LONG, Rig, say};
use crate::sites;
use crate::{Args, Failure, Program};

pub(crate) const PROGRAMS: &[(&str, Program)] =
    &[("hot_and_rare", hot_and_rare), ("hot_threads", hot_threads), ("launch_bound", launch_bound), ("left", left)];

/// `N` launches at one site, and one at another for each `M` of them; then what the table says.
fn hot_and_rare(args: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    for launch in 0..args.number(0, 100) {
        if launch % args.number(1, 50) == 0 {
            sites::nn::relu(&rig.stream, &rig.cell)?;
        }
        sites::saxpy(&rig.stream, &rig.cell)?;
    }
    launchsite::flush(LONG)?;
    for site in launchsite::summary().sites {
        say("row", json!([site.name.split(' ').next(), site.launches, site.timed, site.sampled_out]));
    }
    say("table", launchsite::summary().to_string());
    Ok(rig.finish()?)
}

/// `T` threads with `N` launches each, one after the other or at once.
fn hot_threads(args: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    let launches = |_: u64| (0..args.number(1, 100)).for_each(|_| sites::saxpy(&rig.stream, &rig.cell).unwrap());
    if args.text(2) == "in_turn" {
        for turn in 0..args.number(0, 4) {
            thread::scope(|scope| scope.spawn(|| launches(turn)).join().unwrap());
        }
    } else {
        thread::scope(|scope| {
            for turn in 0..args.number(0, 4) {
                scope.spawn(move || launches(turn));
            }
        });
    }
    Ok(rig.finish()?)
}

/// A loop of `N` launch calls of 100 us each.
fn launch_bound(args: &Args) -> Result<(), Failure> {
    let rig = Rig::new();
    rig.host.script().add(Fault::delay(Call::Launch, Duration::from_micros(50)));
    for _ in 0..args.number(0, 2000) {
        sites::saxpy(&rig.stream, &rig.cell)?;
    }
    Ok(rig.finish()?)
}

/// `N` calls, of which every third is left in the arguments of its launch: by an error, and then by a panic.
fn left(args: &Args) -> Result<(), Failure> {
    std::panic::set_hook(Box::new(|_| {}));
    let rig = Rig::new();
    for call in 0..args.number(0, 100) {
        let how = if call % 3 == 2 { call % 2 + 1 } else { 0 };
        let launched = catch_unwind(AssertUnwindSafe(|| sites::left_in_argument(&rig.stream, &rig.cell, how)));
        say("launched", launched.is_ok_and(|launched| launched.is_ok()));
    }
    Ok(rig.finish()?)
}
