//! What is read of the GPU's time, and that launches do not wait for it.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use launchsite::record::Mode;

use crate::rig::{LONG, Seen, durations, empty, gpu, spin};

#[test]
fn s0_4_a_long_kernel_is_launched_at_once_and_timed_on_the_gpu() {
    let Some((turn, gpu)) = gpu() else { return };
    for _ in 0..5 {
        spin(&gpu, 50).unwrap();
        gpu.stream.synchronize().unwrap();
    }
    let records = turn.records();
    assert_eq!(records.len(), 10, "{records:?}");
    for seen in &records {
        match seen {
            Seen::Launch { span_ns, mode, .. } => {
                assert_eq!(*mode, Mode::Timed);
                assert!(*span_ns < 5_000_000, "the launch call took {span_ns} ns");
            }
            Seen::Gpu { duration_ns, placed, .. } => {
                let duration = *duration_ns.as_ref().unwrap();
                assert!((47_500_000..52_500_000).contains(&duration), "{duration} ns");
                assert!(placed, "the time stands on the host's clock");
            }
        }
    }
    println!("50 ms read as {:?} ns", durations(&records));
}

#[test]
fn s0_2_ten_thousand_launches_lose_no_record() {
    let Some((turn, gpu)) = gpu() else { return };
    for _ in 0..10_000 {
        empty(&gpu, &gpu.stream).unwrap();
    }
    let records = turn.records();
    let numbers = |gpu_side: bool| -> HashSet<u64> {
        let number = |seen: &Seen| match seen {
            Seen::Launch { number, .. } if !gpu_side => Some(*number),
            Seen::Gpu { number, .. } if gpu_side => Some(*number),
            _ => None,
        };
        records.iter().filter_map(number).collect()
    };
    assert_eq!(numbers(false).len(), 10_000);
    assert_eq!(numbers(false), numbers(true));
    assert!(durations(&records).iter().all(|&ns| ns > 0));
}

#[test]
fn s1_10_a_flush_gives_up_in_time_while_the_gpu_works() {
    let Some((_turn, gpu)) = gpu() else { return };
    spin(&gpu, 50).unwrap();
    let began = Instant::now();
    let pending = launchsite::flush(Duration::from_millis(5));
    assert!(pending.is_err(), "the kernel runs for 50 ms");
    assert!(began.elapsed() < Duration::from_millis(40), "{:?}", began.elapsed());
    launchsite::flush(LONG).unwrap();
}
