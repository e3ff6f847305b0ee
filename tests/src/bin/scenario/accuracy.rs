//! Programs whose stand-in plays a model of GPU, so that times can be calibrated.

use std::time::Duration;

use launchsite::host::{Call, Fault, Imitation, Stream};
use serde_json::json;

use crate::rig::{Gate, LONG, Rig, say};
use crate::sites;
use crate::{Args, Failure, Program};

pub(crate) const PROGRAMS: &[(&str, Program)] = &[
    ("busy", busy),
    ("idle", idle),
    ("wakes", wakes),
    ("one_in_another", one_in_another),
    ("side_by_side", side_by_side),
    ("calibrate", calibrate),
    ("calibrate_off", calibrate_off),
];

/// A rig that plays what the arguments say from the first on: nothing, an H200, one whose events take longer, one whose
/// launches may wait, another model.
fn rig(args: &Args) -> Rig {
    let rig = Rig::new();
    let h200 = Imitation::H200;
    let played = match args.text(0) {
        "h200" => Some(h200),
        "slow" => Some(Imitation { empty_pair_ns: 2000, ..h200 }),
        "waits" => Some(Imitation { waits: true, ..h200 }),
        "other" => Some(Imitation { capability: (8, 9), ..h200 }),
        _ => None,
    };
    if let Some(imitation) = played {
        rig.host.script().imitate(imitation);
    }
    rig
}

fn short() {
    std::thread::sleep(Duration::from_micros(300));
}

/// Puts `N` kernels behind one that ends only when all have been launched, and some time later.
fn queue(stream: &Stream, launches: u64) -> Result<(), Failure> {
    let gate = Gate::default();
    let held = gate.clone();
    // Not one of the launches that are looked at.
    stream.launch_builder("held", move || held.wait()).launch(crate::rig::config())?;
    for _ in 0..launches {
        sites::work(stream, short)?;
    }
    // Longer than an anchor on a busy machine is uncertain.
    std::thread::sleep(Duration::from_millis(60));
    gate.open();
    Ok(())
}

/// `N` launches on a stream that is never idle.
fn busy(args: &Args) -> Result<(), Failure> {
    let rig = rig(args);
    if args.text(2) == "no_anchor" {
        rig.host.script().add(Fault::refuse(Call::StreamCreate, 719));
    }
    queue(&rig.stream, args.number(1, 10))?;
    launchsite::flush(LONG)?;
    say("table", launchsite::summary().to_string());
    say("capability", rig.host.counts().of(Call::Capability));
    Ok(rig.finish()?)
}

/// As `busy`, on a GPU whose events take longer at first; then `N` launches more, until one is calibrated.
fn wakes(args: &Args) -> Result<(), Failure> {
    let rig = rig(args);
    rig.host.script().imitate(Imitation { empty_pair_ns: 2000, ..Imitation::H200 });
    queue(&rig.stream, args.number(1, 5))?;
    launchsite::flush(LONG)?;
    rig.host.script().imitate(Imitation::H200);
    for _ in 0..4 {
        queue(&rig.stream, args.number(1, 5))?;
        launchsite::flush(LONG)?;
    }
    say("capability", rig.host.counts().of(Call::Capability));
    Ok(rig.finish()?)
}

/// `N` launches on a stream that is idle: the launch call is still under way when the first event is reached.
fn idle(args: &Args) -> Result<(), Failure> {
    let rig = rig(args);
    rig.host.script().add(Fault::delay(Call::Launch, Duration::from_millis(20)));
    for _ in 0..args.number(1, 5) {
        sites::work(&rig.stream, short)?;
        rig.stream.synchronize()?;
    }
    Ok(rig.finish()?)
}

/// `N` launches on one stream while a single kernel runs on another, which ends long behind them.
fn one_in_another(args: &Args) -> Result<(), Failure> {
    let rig = rig(args);
    let other = rig.host.stream();
    let (begin, end) = (Gate::default(), Gate::default());
    let held = begin.clone();
    other.launch_builder("held", move || held.wait()).launch(crate::rig::config())?;
    let held = end.clone();
    sites::spans(&other, move || held.wait())?;
    std::thread::sleep(Duration::from_millis(60));
    begin.open();
    std::thread::sleep(Duration::from_millis(20));
    queue(&rig.stream, args.number(1, 5))?;
    rig.stream.synchronize()?;
    // Far beyond what windows are kept for.
    std::thread::sleep(Duration::from_millis(200));
    end.open();
    other.synchronize()?;
    // Behind the long one, and alone.
    queue(&other, args.number(1, 5))?;
    Ok(rig.finish()?)
}

/// `N` launches at the same time on each of two devices.
fn side_by_side(args: &Args) -> Result<(), Failure> {
    let (one, two) = (rig(args), rig(args));
    std::thread::scope(|scope| {
        let (stream, launches) = (&two.stream, args.number(1, 5));
        let other = scope.spawn(move || queue(stream, launches).map_err(|why| why.to_string()));
        queue(&one.stream, launches)?;
        Ok::<_, Failure>(other.join().expect("it does not panic")?)
    })?;
    two.stream.synchronize()?;
    Ok(one.finish()?)
}

/// As `busy`, before and behind a calibration.
fn calibrate(args: &Args) -> Result<(), Failure> {
    let rig = rig(args);
    queue(&rig.stream, 5)?;
    launchsite::flush(LONG)?;
    let measured = launchsite::calibrate(&rig.host)?;
    say("measured", json!([measured.constant_ns, measured.at_least_ns, measured.at_most_ns, measured.of_model]));
    queue(&rig.stream, 5)?;
    launchsite::flush(LONG)?;
    Ok(rig.finish()?)
}

/// Asks for a calibration, and says what came of it and what the device was asked for.
fn calibrate_off(args: &Args) -> Result<(), Failure> {
    let rig = rig(args);
    say("measured", launchsite::calibrate(&rig.host).map_err(|why| why.to_string()).err());
    say("loads", rig.host.counts().of(Call::ProbeLoad));
    Ok(rig.finish()?)
}
