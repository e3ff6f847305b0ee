//! Which times are calibrated, and what events add.

use std::sync::Arc;

use cudarc::driver::{CudaSlice, CudaStream, DriverError, PushKernelArg, result, sys};
use launchsite::gpu_kernel;
use launchsite::record::{Accuracy, Doubt};

use crate::rig::{Gpu, ONE, Seen, Turn, gpu, turn};

/// Spins for so many nanoseconds.
#[gpu_kernel]
fn work(gpu: &Gpu, stream: &CudaStream, ns: u64) -> Result<(), DriverError> {
    // SAFETY: the kernel takes one u64.
    unsafe { stream.launch_builder(&gpu.spin).arg(&ns).launch(ONE) }?;
    Ok(())
}

/// Keeps the stream busy for so many milliseconds, and is no launch of ours.
fn hold(gpu: &Gpu, stream: &CudaStream, ms: u64) {
    let ns = ms * 1_000_000;
    // SAFETY: as above.
    unsafe { stream.launch_builder(&gpu.spin).arg(&ns).launch(ONE) }.unwrap();
}

/// What each GPU time of the test is worth: its accuracy, and the constant that was taken off.
fn worth(turn: &Turn) -> Vec<(Accuracy, u64)> {
    let worth = |seen: &Seen| match seen {
        Seen::Gpu { duration_ns, raw_ns, accuracy, .. } => Some(((*accuracy)?, raw_ns - duration_ns.as_ref().ok()?)),
        Seen::Launch { .. } => None,
    };
    turn.records().iter().filter_map(worth).collect()
}

fn calibrated(worth: &[(Accuracy, u64)]) -> usize {
    worth.iter().filter(|(accuracy, _)| *accuracy == Accuracy::Calibrated).count()
}

/// Whether the GPU's model is in the table.
fn is_known(gpu: &Gpu) -> bool {
    gpu.context.compute_capability().unwrap() == (9, 0)
}

fn untracked() -> Option<(Turn, Gpu)> {
    turn().map(|turn| (turn, Gpu::untracked()))
}

#[test]
fn times_on_a_busy_stream_are_calibrated_where_the_model_is_known() {
    let Some((turn, gpu)) = untracked() else { return };
    for ns in [0, 2_000, 5_000, 50_000] {
        hold(&gpu, &gpu.stream, 10);
        for _ in 0..200 {
            work(&gpu, &gpu.stream, ns).unwrap();
        }
        gpu.stream.synchronize().unwrap();
    }
    let worth = worth(&turn);
    assert_eq!(worth.len(), 800);
    println!("{} of {} calibrated", calibrated(&worth), worth.len());
    if is_known(&gpu) {
        assert!(calibrated(&worth) >= 760, "{} of 800", calibrated(&worth));
        assert!(worth.iter().all(|(accuracy, off)| *off == if *accuracy == Accuracy::Calibrated { 2850 } else { 0 }));
    }
}

#[test]
fn times_on_an_idle_stream_and_in_a_launch_bound_loop_are_upper_bounds() {
    let Some((turn, gpu)) = untracked() else { return };
    for _ in 0..200 {
        work(&gpu, &gpu.stream, 5_000).unwrap();
        gpu.stream.synchronize().unwrap();
    }
    let idle = worth(&turn);
    println!("idle: {} of {} calibrated", calibrated(&idle), idle.len());
    assert_eq!(calibrated(&idle), 0);
    for _ in 0..20_000 {
        work(&gpu, &gpu.stream, 0).unwrap();
    }
    let bound = &worth(&turn)[200..];
    println!("launch-bound: {} of {} calibrated", calibrated(bound), bound.len());
    assert_eq!(calibrated(bound), 0);
}

#[test]
fn s0_12_times_of_streams_that_work_at_once_are_upper_bounds() {
    let Some((turn, gpu)) = untracked() else { return };
    let streams: Vec<_> = (0..4).map(|_| gpu.context.new_stream().unwrap()).collect();
    for stream in &streams {
        hold(&gpu, stream, 20);
    }
    for _ in 0..200 {
        streams.iter().try_for_each(|stream| work(&gpu, stream, 5_000)).unwrap();
    }
    streams.iter().try_for_each(|stream| stream.synchronize()).unwrap();
    let worth = worth(&turn);
    println!("4 streams: {} of {} calibrated", calibrated(&worth), worth.len());
    assert_eq!(worth.len(), 800);
    assert_eq!(calibrated(&worth), 0);
}

#[gpu_kernel]
fn on_buffer(gpu: &Gpu, stream: &CudaStream, x: &mut CudaSlice<f32>) -> Result<(), DriverError> {
    let n = x.len();
    // SAFETY: the kernel takes a length, a factor and so many elements.
    unsafe { stream.launch_builder(&gpu.scale_f32).arg(&n).arg(&1.0_f32).arg(x).launch(ONE) }?;
    Ok(())
}

#[test]
fn s0_12_a_launch_that_cudarc_has_wait_is_an_upper_bound_and_says_so() {
    let Some((turn, gpu)) = gpu() else { return };
    let other = gpu.context.new_stream().unwrap();
    let mut x = gpu.stream.alloc_zeros::<f32>(1).unwrap();
    for _ in 0..20 {
        hold(&gpu, &gpu.stream, 20);
        on_buffer(&gpu, &gpu.stream, &mut x).unwrap();
        on_buffer(&gpu, &other, &mut x).unwrap();
        other.synchronize().unwrap();
    }
    let worth = worth(&turn);
    assert_eq!(worth.len(), 40);
    assert!(worth.iter().all(|(accuracy, _)| *accuracy == Accuracy::UpperBound(Doubt::MayWait)), "{worth:?}");
}

#[test]
fn what_events_add_can_be_measured() {
    let Some((_turn, gpu)) = gpu() else { return };
    let measured = launchsite::calibrate(&gpu.context).unwrap();
    println!("{measured:?}");
    assert!(0 < measured.at_least_ns && measured.at_least_ns <= measured.constant_ns);
    assert!(measured.constant_ns <= measured.at_most_ns && measured.empty_pair_ns < measured.at_most_ns);
    if is_known(&gpu) {
        assert!(measured.of_model && measured.constant_ns == 2850, "{measured:?}");
        // What would be taken without the table is within a tenth of what CUPTI's times gave.
        let middle = u64::midpoint(measured.at_least_ns, measured.at_most_ns);
        assert!(middle.abs_diff(2850) <= 285, "{middle} ns");
    }
}

/// Stands in a stream that waits for the legacy default stream, and lets that wait for it.
fn blocking(gpu: &Gpu) -> Arc<CudaStream> {
    let handle = result::stream::create(result::stream::StreamKind::Default).unwrap();
    // SAFETY: made above, and never destroyed.
    unsafe { gpu.context.wrap_borrowed_stream(handle) }
}

/// A record on the legacy default stream would hold the second stream up until the first is done.
#[test]
fn s0_12_to_time_adds_no_order_between_streams_that_the_program_did_not_have() {
    let Some((turn, gpu)) = untracked() else { return };
    let (one, two) = (blocking(&gpu), blocking(&gpu));
    // SAFETY: a stream that is there.
    let is_done = |stream: &CudaStream| unsafe { sys::cuStreamQuery(stream.cu_stream()) }.result().is_ok();
    for _ in 0..3 {
        hold(&gpu, &one, 500);
        for _ in 0..5 {
            work(&gpu, &two, 5_000).unwrap();
            two.synchronize().unwrap();
            // Longer than an anchor is of use: the collector takes another, and looks at what there is.
            std::thread::sleep(std::time::Duration::from_millis(30));
        }
        assert!(!is_done(&one), "what stood in the other stream waited for the first");
        one.synchronize().unwrap();
    }
    assert_eq!(worth(&turn).len(), 15);
}
