//! What is made of measured times, and the measurement on a stand-in.

use super::measure::{measure, measured};
use super::model::{Model, Times};
use super::{CalibrateError, Calibration};
use crate::device::Capability;
use crate::device::host::{Call, Fault, Host, Imitation};

const H200: Times = Times { empty_pair: 1280, window: 3390, kernel: 1270 };

#[test]
fn a_model_is_that_of_its_pair_within_a_tenth() {
    let model = Model::of(Capability(9, 0)).unwrap();
    for (pair, same) in [(1280, true), (1152, true), (1408, true), (1151, false), (1409, false), (0, false)] {
        assert_eq!(model.has_pair(pair), same, "{pair}");
    }
    assert_eq!(Model::of(Capability(8, 9)), None, "what was not measured is not guessed");
}

#[test]
fn the_constant_is_the_models_where_it_agrees_and_else_the_middle() {
    let model = Model::of(Capability(9, 0));
    let expected =
        Calibration { constant_ns: 2850, at_least_ns: 2120, at_most_ns: 3390, empty_pair_ns: 1280, of_model: true };
    assert_eq!(H200.calibration(model), expected);
    assert_eq!(H200.calibration(None), Calibration { constant_ns: 2755, of_model: false, ..expected });
    // Its events take another time, or the constant is out of the bounds that were measured.
    let slower = Times { empty_pair: 2000, ..H200 };
    let longer = Times { window: 4390, ..H200 };
    for (times, constant) in [(slower, 2755), (longer, 3755)] {
        let calibration = times.calibration(model);
        assert_eq!((calibration.constant_ns, calibration.of_model), (constant, false));
    }
}

fn on(host: Host) -> Result<Times, CalibrateError> {
    measure(host.device(), host.context())
}

#[test]
fn a_measurement_gives_the_times_of_the_device_and_leaves_nothing_behind() {
    let host = Host::new();
    host.script().imitate(Imitation::H200);
    assert_eq!(on(host), Ok(H200));
    let counts = host.counts();
    for (made, gone) in [
        (Call::EventCreate, Call::EventDestroy),
        (Call::StreamCreate, Call::StreamDestroy),
        (Call::ProbeLoad, Call::ProbeUnload),
    ] {
        assert!(counts.of(made) > 0 && counts.of(made) == counts.of(gone), "{made:?}: {counts:?}");
    }
}

#[test]
fn whatever_is_refused_is_told_and_nothing_is_left() {
    use Call::{
        EventCreate, EventDestroy, EventElapsed, EventRecord, ProbeLaunch, ProbeLoad, StreamCreate, StreamDestroy,
    };
    for call in [StreamCreate, ProbeLoad, EventCreate, EventRecord, ProbeLaunch, EventElapsed] {
        let host = Host::new();
        host.script().add(Fault::refuse(call, 719).after(u64::from(call == EventCreate)));
        let Err(CalibrateError::Refused(refusal)) = on(host) else { panic!("{call:?} is refused") };
        assert_eq!((refusal.call, refusal.code), (call.entry_point(), 719));
        let refused = |made| u64::from(call == made);
        let counts = host.counts();
        assert_eq!(counts.of(EventCreate) - refused(EventCreate), counts.of(EventDestroy), "{call:?}");
        assert_eq!(counts.of(StreamCreate) - refused(StreamCreate), counts.of(StreamDestroy), "{call:?}");
        assert_eq!(counts.of(ProbeLoad) - refused(ProbeLoad), counts.of(Call::ProbeUnload), "{call:?}");
    }
}

#[test]
fn a_stream_that_was_not_busy_long_enough_is_measured_again() {
    let host = Host::new();
    host.script().imitate(Imitation::H200);
    // The first launch behind the one that keeps the stream busy comes when that has ended.
    let late = std::time::Duration::from_millis(30);
    host.script().add(Fault::delay(Call::ProbeLaunch, late).after(1).times(1));
    assert_eq!(on(host), Ok(H200));
    assert!(host.counts().of(Call::ProbeLaunch) > 200, "more than one round");
}

#[test]
fn a_thread_of_its_own_measures_and_holds_the_context_as_long() {
    let host = Host::new();
    host.script().imitate(Imitation::H200);
    let calibration = measured(host.device(), host.context()).unwrap();
    assert_eq!((calibration.constant_ns, calibration.of_model), (2850, true));
    let counts = host.counts();
    assert_eq!((counts.of(Call::Hold), counts.of(Call::Release), counts.of(Call::Relax)), (1, 1, 1));

    for call in [Call::Relax, Call::ContextEnter, Call::Hold, Call::Capability] {
        let host = Host::new();
        host.script().imitate(Imitation::H200);
        host.script().add(Fault::refuse(call, 719));
        assert!(matches!(measured(host.device(), host.context()), Err(CalibrateError::Refused(_))), "{call:?}");
        let held = u64::from(call == Call::Capability);
        assert_eq!(host.counts().of(Call::Release), held, "{call:?}");
    }
}
