//! Threads in other contexts than the launch's, contexts that are gone, and errors that belong to the user.

use std::collections::HashSet;

use cudarc::driver::{DriverError, LaunchConfig, result, sys};
use launchsite::gpu_kernel;
use launchsite::record::Mode;

use crate::rig::{Gpu, ONE, Seen, durations, empty, gpu, modes, spin, turn};

/// cuda-api-wrappers#314, cudarc#165: recording without the stream's context on the thread.
#[test]
fn a_thread_that_never_saw_the_context_is_timed() {
    let Some((turn, gpu)) = gpu() else { return };
    let per_thread = gpu.context.per_thread_stream();
    let default = gpu.context.default_stream();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for stream in [&gpu.stream, &per_thread, &default] {
                    empty(&gpu, stream).unwrap();
                }
            });
        }
    });
    let records = turn.records();
    assert_eq!(modes(&records), vec![Mode::Timed; 12], "{records:?}");
    let streams: HashSet<_> = records
        .iter()
        .filter_map(|seen| if let Seen::Launch { stream, .. } = seen { Some(stream.expect("a stream")) } else { None })
        .collect();
    // The per-thread stream is another one in each thread, with one handle.
    assert_eq!(streams.len(), 1 + 1 + 4);
}

#[test]
fn an_error_that_cudarc_keeps_for_the_user_reaches_the_user() {
    let Some((turn, gpu)) = gpu() else { return };
    let error = DriverError(sys::CUresult::CUDA_ERROR_INVALID_VALUE);
    gpu.context.record_err::<()>(Err(error));
    assert_eq!(empty(&gpu, &gpu.stream), Err(error));
    assert_eq!(gpu.context.check_err(), Ok(()));
    empty(&gpu, &gpu.stream).unwrap();
    gpu.stream.synchronize().unwrap();
    assert_eq!(gpu.context.check_err(), Ok(()), "none of our own came in");
    assert_eq!(modes(&turn.records()), [Mode::Failed, Mode::Timed]);
}

#[gpu_kernel]
fn with_too_many_threads(gpu: &Gpu) -> Result<(), DriverError> {
    let config = LaunchConfig { block_dim: (4096, 1, 1), ..ONE };
    // SAFETY: the kernel takes nothing, and the driver refuses the configuration.
    unsafe { gpu.stream.launch_builder(&gpu.empty).launch(config) }?;
    Ok(())
}

#[test]
fn a_failed_launch_keeps_its_error_and_the_threads_context() {
    let Some((turn, gpu)) = gpu() else { return };
    let plain = std::thread::scope(|scope| {
        let failing = scope.spawn(|| {
            let error = with_too_many_threads(&gpu).unwrap_err();
            (error, result::ctx::get_current().unwrap().is_some())
        });
        failing.join().unwrap()
    });
    assert_eq!(plain.0, DriverError(sys::CUresult::CUDA_ERROR_INVALID_VALUE));
    assert!(plain.1, "cudarc bound its context, as without the attribute");
    let records = turn.records();
    assert_eq!(modes(&records), [Mode::Failed]);
    assert_eq!(records.len(), 1, "no GPU record: {records:?}");
}

/// The owner lets go of its context while windows of it wait, and makes a new one, which may have the same handle.
#[test]
fn s0_10_a_context_that_is_dropped_takes_no_event_with_it_that_is_used_again() {
    let Some(turn) = turn() else { return };
    for _ in 0..4 {
        let gpu = Gpu::new();
        for _ in 0..3 {
            spin(&gpu, 5).unwrap();
        }
    }
    let timed = durations(&turn.records());
    assert_eq!(timed.len(), 12);
    assert!(timed.iter().all(|&ns| ns > 4_500_000), "{timed:?}");
}

/// The thread is in a context that another destroyed. The driver says nothing of it; but putting such a context back
/// behind a window ended the process at the next change of context.
#[test]
fn a_thread_whose_context_is_gone_launches_in_another() {
    let Some((turn, gpu)) = gpu() else { return };
    let mut other: sys::CUcontext = std::ptr::null_mut();
    // SAFETY: makes a context of its own, which is destroyed below.
    unsafe { sys::cuCtxCreate_v4(&raw mut other, std::ptr::null_mut(), 0, 0) }.result().unwrap();
    let handle = other.expose_provenance();
    let (entered, may_destroy) = std::sync::mpsc::channel();
    let (destroyed, may_launch) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        let launching = scope.spawn(|| {
            let (entered, may_launch) = (entered, may_launch);
            // SAFETY: it is alive until this thread has said that it is in it.
            unsafe { result::ctx::set_current(std::ptr::with_exposed_provenance_mut(handle)) }.unwrap();
            entered.send(()).unwrap();
            may_launch.recv().unwrap();
            empty(&gpu, &gpu.stream).unwrap();
            gpu.stream.synchronize().unwrap();
            empty(&gpu, &gpu.stream).unwrap();
        });
        may_destroy.recv().unwrap();
        // SAFETY: made above; that a thread is in it is what is tried.
        unsafe { sys::cuCtxDestroy_v2(other) }.result().unwrap();
        destroyed.send(()).unwrap();
        launching.join().unwrap();
    });
    assert_eq!(modes(&turn.records()), [Mode::Timed; 2]);
}
