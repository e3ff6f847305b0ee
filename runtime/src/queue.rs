//! The two ways by which launching threads hand something to the collector without waiting for it.

#![allow(unsafe_code)] // slots that two threads use in turn

use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// Keeps what one thread writes often from sharing a cache line with what the other does.
#[repr(align(128))]
#[derive(Debug, Default)]
struct Alone<T>(T);

/// A bounded ring from one thread to another: neither waits, and it never grows. Each end is held by one owner.
pub(crate) fn ring<T: Copy + Send>(capacity: usize) -> (Producer<T>, Consumer<T>) {
    let capacity = capacity.next_power_of_two();
    // Not made one by one: what is not used is not touched, and takes no memory of the system's.
    let slots = Box::<[UnsafeCell<MaybeUninit<T>>]>::new_uninit_slice(capacity);
    // SAFETY: a slot may hold nothing.
    let slots = unsafe { slots.assume_init() };
    let ring = Arc::new(Ring { slots, head: Alone::default(), tail: Alone::default() });
    (Producer { ring: Arc::clone(&ring), tail: 0 }, Consumer { ring, head: 0 })
}

struct Ring<T> {
    slots: Box<[UnsafeCell<MaybeUninit<T>>]>,
    /// Pushed so far. Only the producer writes it.
    head: Alone<AtomicUsize>,
    /// Popped so far. Only the consumer writes it.
    tail: Alone<AtomicUsize>,
}

// SAFETY: a slot is the producer's until `head` passes it, and then the consumer's until `tail` does; both are stored
// with Release and loaded with Acquire. There is one producer and one consumer, and both need `&mut` to use a slot.
unsafe impl<T: Send> Sync for Ring<T> {}
// SAFETY: it owns its values.
unsafe impl<T: Send> Send for Ring<T> {}

impl<T> Ring<T> {
    fn slot(&self, index: usize) -> Option<&UnsafeCell<MaybeUninit<T>>> {
        self.slots.get(index & (self.slots.len() - 1))
    }

    fn len(&self) -> usize {
        let tail = self.tail.0.load(Ordering::Acquire);
        self.head.0.load(Ordering::Acquire).wrapping_sub(tail)
    }
}

/// The end that puts values in.
pub(crate) struct Producer<T> {
    ring: Arc<Ring<T>>,
    /// Where `tail` was when last looked at: it is the consumer's line, and a look at it may cost a miss.
    tail: usize,
}

impl<T: Copy> Producer<T> {
    /// Puts `value` in; false where the ring is full.
    #[inline]
    pub(crate) fn push(&mut self, value: T) -> bool {
        let ring = &*self.ring;
        let head = ring.head.0.load(Ordering::Relaxed);
        if head.wrapping_sub(self.tail) >= ring.slots.len() {
            self.tail = ring.tail.0.load(Ordering::Acquire);
            if head.wrapping_sub(self.tail) >= ring.slots.len() {
                return false;
            }
        }
        let Some(slot) = ring.slot(head) else { return false };
        // SAFETY: `tail` has passed the slot's last value, and `head` not yet this one: the slot is the producer's.
        unsafe { slot.get().write(MaybeUninit::new(value)) };
        ring.head.0.store(head.wrapping_add(1), Ordering::Release);
        true
    }

    /// Whether at least half of the ring waits to be taken.
    #[inline]
    pub(crate) fn is_half_full(&mut self) -> bool {
        let half = self.ring.slots.len() / 2;
        let head = self.ring.head.0.load(Ordering::Relaxed);
        if head.wrapping_sub(self.tail) < half {
            return false;
        }
        self.tail = self.ring.tail.0.load(Ordering::Acquire);
        head.wrapping_sub(self.tail) >= half
    }
}

impl<T: Copy + Send> Producer<T> {
    /// What is left in the ring; nothing while its consumer is there.
    pub(crate) fn reclaim(self) -> Vec<T> {
        if Arc::strong_count(&self.ring) > 1 {
            return Vec::new();
        }
        let head = self.ring.tail.0.load(Ordering::Acquire);
        let mut rest = Consumer { ring: self.ring, head };
        std::iter::from_fn(|| rest.pop()).collect()
    }
}

/// The end that takes values out.
pub(crate) struct Consumer<T> {
    ring: Arc<Ring<T>>,
    /// Where `head` was when last looked at.
    head: usize,
}

impl<T: Copy> Consumer<T> {
    /// Takes the oldest value out.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<T> {
        let ring = &*self.ring;
        let tail = ring.tail.0.load(Ordering::Relaxed);
        if tail == self.head {
            self.head = ring.head.0.load(Ordering::Acquire);
            if tail == self.head {
                return None;
            }
        }
        let slot = ring.slot(tail)?;
        // SAFETY: `head` has passed the slot, so its value is written, and the slot is the consumer's.
        let value = unsafe { slot.get().read() };
        ring.tail.0.store(tail.wrapping_add(1), Ordering::Release);
        // SAFETY: written by the push that moved `head` past it.
        Some(unsafe { value.assume_init() })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ring.len() == 0
    }
}

impl<T> std::fmt::Debug for Producer<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Producer").field("waiting", &self.ring.len()).finish_non_exhaustive()
    }
}

impl<T> std::fmt::Debug for Consumer<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Consumer").field("waiting", &self.ring.len()).finish_non_exhaustive()
    }
}

/// A list that any thread adds to and one takes whole. Adding allocates: it is for what happens once a thread.
#[derive(Debug)]
pub(crate) struct Stack<T>(AtomicPtr<Node<T>>);

#[derive(Debug)]
struct Node<T> {
    value: T,
    next: *mut Node<T>,
}

impl<T> Default for Stack<T> {
    fn default() -> Self {
        Self(AtomicPtr::default())
    }
}

// SAFETY: nodes are reached by the thread that took the list, and by no other.
unsafe impl<T: Send> Sync for Stack<T> {}
// SAFETY: it owns its values.
unsafe impl<T: Send> Send for Stack<T> {}

impl<T> Stack<T> {
    pub(crate) fn push(&self, value: T) {
        let node = Box::into_raw(Box::new(Node { value, next: std::ptr::null_mut() }));
        let mut head = self.0.load(Ordering::Relaxed);
        loop {
            // SAFETY: not published yet, so it is ours.
            unsafe { (*node).next = head };
            match self.0.compare_exchange_weak(head, node, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => return,
                Err(now) => head = now,
            }
        }
    }

    /// Everything that was pushed, the oldest first.
    pub(crate) fn take(&self) -> Vec<T> {
        let mut node = self.0.swap(std::ptr::null_mut(), Ordering::Acquire);
        let mut values = Vec::new();
        while !node.is_null() {
            // SAFETY: the swap made the list ours; each node came from `Box::into_raw`, and is taken once.
            let taken = unsafe { Box::from_raw(node) };
            node = taken.next;
            values.push(taken.value);
        }
        values.reverse();
        values
    }
}

impl<T> Drop for Stack<T> {
    fn drop(&mut self) {
        drop(self.take());
    }
}

#[cfg(test)]
mod tests {
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
}
