//! What launches leave in memory: nothing.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail so")]
#![allow(clippy::print_stdout)] // what was read

use launchsite_tests::scenario;
use serde_json::json;

fn memory_stays_flat_over(launches: u64) {
    let run = scenario!("steady", launches).env("LAUNCHSITE", "time").run().warned();
    assert_eq!(run.said("result"), launches);
    // Each is in the table, or counted as lost; and each that is in it is timed, or counted with the reason.
    let lost = run.said("lost").as_u64().unwrap();
    assert_eq!((run.said("launches"), run.said("timed")), (json!(launches), json!(launches - lost)));
    let memory: Vec<u64> = serde_json::from_value(run.said("resident_kib")).unwrap();
    println!("{launches} launches, {lost} lost, {memory:?} KiB");
    // By the middle, rings and events are there. Half a megabyte is what the allocator does as it likes.
    let (middle, end) = (memory[4], memory[9]);
    assert!(end <= middle + middle / 10 + 512, "{memory:?} KiB");
}

#[test]
fn s0_10_memory_stays_flat() {
    memory_stays_flat_over(100_000);
}

/// `cargo test --release -p launchsite-tests --test memory -- --ignored --nocapture`
#[test]
#[ignore = "takes a minute or two"]
fn s0_10_memory_stays_flat_over_ten_million_launches() {
    memory_stays_flat_over(10_000_000);
}
