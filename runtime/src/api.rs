//! What a program can ask for in code.

use std::time::Duration;

use crate::calibration::{self, CalibrateError, Calibration};
use crate::collector::Given;
use crate::device::Subject;
use crate::pending::Pending;
use crate::record::Sink;
use crate::session::Session;
use crate::summary::Summary;
use crate::{Parts, name};

/// Turns on exactly `parts`, from any thread, at any time: launches that are being made keep what they began with.
///
/// Gives false, and changes nothing, where `LAUNCHSITE=off` has the last word (or where the feature is off).
#[allow(clippy::must_use_candidate)] // most programs go on either way
pub fn set_parts(parts: Parts) -> bool {
    Session::get().set_parts(parts)
}

/// The parts that are on.
#[must_use]
pub fn parts() -> Parts {
    Session::get().parts()
}

/// As [`set_parts`], unless the environment decides: the program's own default, for its user to overrule.
///
/// `LAUNCHSITE` decides, and so do `LAUNCHSITE_OUT` and `LAUNCHSITE_SUMMARY`. Then false, and nothing changes.
#[allow(clippy::must_use_candidate)] // as above
pub fn default_parts(parts: Parts) -> bool {
    let session = Session::get();
    !session.config.decided && session.set_parts(parts)
}

/// Waits until every launch that returned before this call has been written out by every sink.
///
/// Waits for the GPU, and does not synchronise it. Inside a sink it would wait for itself, and errs at once.
///
/// # Errors
/// [`Pending`] when `timeout` is over: nothing is lost, and what is pending is written once it has ended.
pub fn flush(timeout: Duration) -> Result<(), Pending> {
    let Some(session) = Session::current() else { return Ok(()) };
    session.collector.flush(timeout).map_err(|launches| Pending { launches })
}

/// What has been collected so far; [`flush`] first for everything that has been launched.
#[must_use]
pub fn summary() -> Summary {
    Session::current().map(|session| session.collector.summary()).unwrap_or_default()
}

/// Measures what two events around a launch add to its time, on the device of `context`, and takes that off from here on.
///
/// Not needed where the GPU's model is in launchsite's table (compute capability 9.0): there an empty pair of events is looked
/// at, and the table's constant holds. On others every time is an upper bound until this has been called. [`Calibration`] says
/// what is measured, how the constant follows, and how wrong it can be.
///
/// Call it at a quiet moment, from any thread: for some 20 ms it waits for the device, and it does what launchsite never does
/// unasked. It loads a module with two kernels, which may hold up every thread that launches until the device is idle; it
/// launches them, in a stream of its own; and it unloads the module again. The calling thread's context stays as it is.
///
/// ```
/// use launchsite::host::{Host, Imitation};
/// let host = Host::new();
/// host.script().imitate(Imitation::H200);
/// # if launchsite::ENABLED {
/// // On a GPU: `launchsite::calibrate(&context)` with cudarc's `Arc<CudaContext>`.
/// let calibration = launchsite::calibrate(&host)?;
/// assert_eq!(calibration.constant_ns, 2850);
/// assert!(calibration.of_model);
/// # }
/// # Ok::<(), launchsite::CalibrateError>(())
/// ```
///
/// # Errors
/// [`CalibrateError`]: the device refused a call, was not quiet, or launchsite is off. Then nothing has changed, and nothing
/// is left on the device.
pub fn calibrate<C: Subject + ?Sized>(context: &C) -> Result<Calibration, CalibrateError> {
    let session = Session::get();
    if session.config.off {
        return Err(CalibrateError::Off);
    }
    let (device, context, ordinal) = context.subject();
    let calibration = calibration::measured(device, context)?;
    session.collector.calibrate(Given { device, ordinal, constant_ns: calibration.constant_ns });
    Ok(calibration)
}

/// Adds a sink, which is told first of the session and its streams, and then of every record that is collected from here
/// on: launches of the last moments may be among them.
pub fn add_sink(sink: impl Sink + 'static) {
    let session = Session::get();
    session.collector.add_sink(Box::new(sink));
    session.listen();
}

/// Flushes when it is dropped, waiting as long as `LAUNCHSITE_EXIT_WAIT` says.
///
/// A process that ends by returning from `main` or by `std::process::exit` needs none. It is for a part of a program whose
/// records should be complete behind it, in particular before the process ends in another way, such as `_exit`.
#[derive(Debug)]
#[must_use = "it flushes when it is dropped; bind it to a name, not to `_`"]
pub struct Guard(());

/// A [`Guard`].
pub fn guard() -> Guard {
    Guard(())
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(session) = Session::current() {
            // What is pending is written at the end of the process, or when it has ended.
            let _ = session.collector.flush(session.config.exit_wait);
        }
    }
}

/// How many names have been worked out: one for each site and instantiation that has run.
#[doc(hidden)]
#[must_use]
pub fn names_worked_out() -> u64 {
    name::worked_out()
}
