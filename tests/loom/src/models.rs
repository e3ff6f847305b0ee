//! What is tried.

use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;

use crate::ring::ring;
use crate::stack::Stack;

/// Three values through two slots: the ring is full in between, and a slot is used again.
#[test]
fn values_arrive_once_and_in_order() {
    loom::model(|| {
        let (mut producer, mut consumer) = ring::<u32>(2);
        let taker = thread::spawn(move || {
            let mut popped = Vec::new();
            while popped.len() < 3 {
                match consumer.pop() {
                    Some(value) => popped.push(value),
                    None => thread::yield_now(),
                }
            }
            (popped, consumer.is_empty())
        });
        for value in 1..=3 {
            while !producer.push(value) {
                thread::yield_now();
            }
        }
        assert_eq!(taker.join().unwrap(), (vec![1, 2, 3], true));
    });
}

/// The thread that used the other end is gone: what it left can be had by who comes behind it.
#[test]
fn what_a_consumer_left_is_there_once_it_is_gone() {
    loom::model(|| {
        let (mut producer, mut consumer) = ring::<u32>(2);
        assert!(producer.push(1));
        let taker = thread::spawn(move || consumer.pop());
        assert!(producer.push(2));
        let taken = taker.join().unwrap();
        assert_eq!((taken, producer.reclaim()), (Some(1), vec![2]));
    });
}

#[test]
fn half_full_is_said_by_what_the_consumer_has_taken() {
    loom::model(|| {
        let (mut producer, mut consumer) = ring::<u32>(2);
        let taker = thread::spawn(move || {
            let first = consumer.pop();
            (first, consumer)
        });
        assert!(producer.push(1));
        let half = producer.is_half_full();
        let (first, mut consumer) = taker.join().unwrap();
        // It is not half full only if the one value was taken.
        assert!(half || first == Some(1));
        assert_eq!(first.or_else(|| consumer.pop()), Some(1));
    });
}

/// Two threads add while a third takes: each value comes once, with what was written to it before.
#[test]
fn what_is_added_is_taken_once_with_what_was_written_before() {
    loom::model(|| {
        let stack = Arc::new(Stack::default());
        let adders: Vec<_> = (0..2_u32)
            .map(|value| {
                let stack = Arc::clone(&stack);
                thread::spawn(move || {
                    let cell = UnsafeCell::new(0);
                    cell.with_mut(|place| unsafe { *place = value });
                    stack.push(cell);
                })
            })
            .collect();
        let read = |cells: Vec<UnsafeCell<u32>>| -> Vec<u32> {
            cells.iter().map(|cell| cell.with(|place| unsafe { *place })).collect()
        };
        let mut taken = read(stack.take());
        for adder in adders {
            adder.join().unwrap();
        }
        taken.extend(read(stack.take()));
        taken.sort_unstable();
        assert_eq!(taken, [0, 1]);
    });
}
