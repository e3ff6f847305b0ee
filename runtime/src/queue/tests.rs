//! The queues, with the threads that the machine has. `tests/loom` tries every order.

use super::{Stack, ring};

#[test]
fn a_full_ring_refuses_and_keeps_the_order() {
    let (mut producer, mut consumer) = ring(4);
    let pushed: Vec<_> = (0..6).map(|n| (producer.push(n), producer.is_half_full())).collect();
    assert_eq!(pushed, [(true, false), (true, true), (true, true), (true, true), (false, true), (false, true)]);
    assert_eq!((consumer.pop(), consumer.pop()), (Some(0), Some(1)));
    assert!(producer.push(9));
    assert!(producer.is_half_full());
    assert_eq!(std::iter::from_fn(|| consumer.pop()).collect::<Vec<_>>(), [2, 3, 9]);
    assert!(consumer.is_empty());
}

#[test]
fn every_value_arrives_once_and_in_order() {
    let (mut producer, mut consumer) = ring(8);
    let sender = std::thread::spawn(move || {
        for n in 0..20_000_u64 {
            while !producer.push([n; 5]) {
                std::thread::yield_now();
            }
        }
    });
    let mut next = 0;
    while next < 20_000 {
        match consumer.pop() {
            Some(value) => {
                assert_eq!(value, [next; 5]);
                next += 1;
            }
            None => std::thread::yield_now(),
        }
    }
    sender.join().unwrap();
    assert_eq!(consumer.pop(), None);
}

#[test]
fn what_a_consumer_leaves_can_be_had_back_once_it_is_gone() {
    let (mut producer, mut consumer) = ring(4);
    (0..3).for_each(|n| assert!(producer.push(n)));
    assert_eq!(consumer.pop(), Some(0));
    drop(consumer);
    assert_eq!(producer.reclaim(), [1, 2]);

    let (mut producer, _consumer) = ring(4);
    assert!(producer.push(1));
    assert!(producer.reclaim().is_empty());
}

#[test]
fn a_stack_gives_everything_once() {
    let stack = Stack::default();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let stack = &stack;
            scope.spawn(move || (0..500).for_each(|n| stack.push(thread * 500 + n)));
        }
    });
    let mut taken = stack.take();
    taken.sort_unstable();
    assert_eq!(taken, (0..2000).collect::<Vec<_>>());
    assert!(stack.take().is_empty());
}
