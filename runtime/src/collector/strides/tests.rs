//! How seldom names are timed, and what that adds up to.

use super::{LEAST, LOOK_NS, Strides, Timed, level};
use crate::name::Name;

fn name(line: u32) -> &'static Name {
    Name::in_a_test(line)
}

fn stride(name: &Name) -> u64 {
    name.pace.stride().unwrap_or(1).into()
}

/// What a budget adds to the time of a loop that launches each of some names so often in each turn: by what is timed, and by what is
/// left out.
///
/// A launch takes `launch_ns`, and timing it `cost_ns`; the collector looks every 20 ms.
fn added(names: &[(&'static Name, u64)], launch_ns: u64, cost_ns: u64, turns: u64, share: f64) -> (f64, f64) {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let look_ns = LOOK_NS as u64;
    let mut strides = Strides::new(share);
    let mut since = vec![0; names.len()];
    let (mut now, mut looked, mut added, mut looks) = (1, 1, 0, 0);
    for turn in 0..turns {
        for (place, (name, times)) in names.iter().enumerate() {
            // Less than once a turn: every so many turns.
            let launches = if *times > 1_000 { u64::from(turn % (times - 1_000) == 0) } else { *times };
            for _ in 0..launches {
                if since[place] + 1 >= stride(name) {
                    strides.timed(
                        1,
                        name,
                        Timed { start_ns: now, cost_ns, left_out: u32::try_from(since[place]).unwrap() },
                    );
                    since[place] = 0;
                    now += cost_ns;
                    added += cost_ns;
                } else {
                    since[place] += 1;
                    now += look_ns;
                    looks += look_ns;
                }
                now += launch_ns;
            }
        }
        if now - looked > 20_000_000 {
            strides.settle(now);
            looked = now;
            // What came before anything was known does not count here.
            if turn < turns / 10 {
                (added, looks) = (0, 0);
            }
        }
    }
    #[allow(clippy::cast_precision_loss)]
    let part = |added: u64| added as f64 / (now - added) as f64;
    (part(added), part(looks))
}

#[test]
fn the_level_is_where_all_of_it_takes_the_share() {
    assert!(level(vec![], 0.01).is_infinite());
    // Both are launched so seldom that every launch can be timed.
    assert!(level(vec![(3_000.0, 1e-6), (2_000.0, 1e-6)], 0.01).is_infinite());
    let level = level(vec![(3_000.0, 2.5e-4), (3_000.0, 1e-7), (1_000.0, 1e-4)], 0.01);
    let spent = 3_000.0 * level.min(2.5e-4) + 3_000.0 * level.min(1e-7) + 1_000.0 * level.min(1e-4);
    assert!((spent - 0.01).abs() < 1e-9, "{spent}");
    assert!(level > 1e-7, "the one that is rare is timed every time");
}

#[test]
fn a_launch_bound_loop_keeps_its_share_and_uses_it() {
    for share in [0.01, 0.05] {
        let (timed, looks) = added(&[(name(1), 1)], 4_000, 3_000, 2_000_000, share);
        assert!((0.5 * share..=share).contains(&(timed + looks)), "{timed} and {looks} of {share}");
        assert!(timed > 0.15 * share, "{timed} of {share}");
    }
}

#[test]
fn a_budget_below_what_is_left_out_costs_has_times() {
    let share = 0.001;
    let (timed, looks) = added(&[(name(1), 1)], 4_000, 3_000, 2_000_000, share);
    assert!(looks > share);
    assert!((0.5 * LEAST * share..=LEAST * share).contains(&timed), "{timed}");
}

#[test]
fn what_is_rare_is_timed_every_time_and_what_is_hot_is_thinned_out() {
    let (hot, warm, rare) = (name(1), name(2), name(3));
    let (timed, looks) = added(&[(hot, 50), (warm, 1), (rare, 1_100)], 4_000, 3_000, 100_000, 0.01);
    assert!(timed + looks <= 0.01, "{timed} and {looks}");
    assert_eq!(stride(rare), 1);
    assert!(stride(hot) > 10 * stride(warm), "{} {}", stride(hot), stride(warm));
}

#[test]
fn a_loop_that_costs_nothing_beside_its_kernels_is_timed_whole() {
    let name = name(1);
    added(&[(name, 1)], 10_000_000, 3_000, 2_000, 0.01);
    assert_eq!(stride(name), 1);
}

#[test]
fn a_pause_makes_no_room_and_a_thread_that_is_silent_holds_none() {
    let (one, two) = (name(1), name(2));
    let mut strides = Strides::new(0.01);
    let mut now = 1;
    let pulse = |strides: &mut Strides, name, period: u64, launches, now: &mut u64| {
        for _ in 0..launches {
            strides.timed(1, name, Timed { start_ns: *now, cost_ns: 3_000, left_out: 99 });
            *now += 100 * period;
        }
    };
    pulse(&mut strides, one, 4_000, 100, &mut now);
    strides.settle(now);
    let before = stride(one);
    // Looked at while the thread is kept waiting.
    strides.settle(now + 30_000_000);
    assert_eq!(stride(one), before);
    now += 1_000_000_000;
    pulse(&mut strides, one, 4_000, 1, &mut now);
    strides.settle(now);
    assert!(stride(one) * 2 >= before, "{} behind a pause, {before} before", stride(one));
    // A second site of the thread, the first having ended.
    pulse(&mut strides, two, 4_000, 100, &mut now);
    strides.settle(now);
    let beside = stride(two);
    now += 400_000 * 10_000;
    pulse(&mut strides, two, 4_000, 10_000, &mut now);
    strides.settle(now);
    assert!(stride(two) < beside, "{} alone, {beside} beside another", stride(two));
    // Another thread that launches less has no say.
    strides.timed(2, two, Timed { start_ns: now, cost_ns: 3_000, left_out: 0 });
    strides.timed(2, two, Timed { start_ns: now + 10_000_000, cost_ns: 3_000, left_out: 0 });
    let alone = stride(two);
    strides.settle(now);
    assert!(stride(two).abs_diff(alone) <= 2, "{} beside one that launches less, {alone} alone", stride(two));
    strides.forget(1);
    strides.settle(now + 10_000_000);
    assert_eq!(stride(two), 1);
}
