//! A bounded ring from one thread to another.

#![allow(unsafe_code)] // slots that two threads use in turn

use super::cell::{Arc, AtomicUsize, Ordering, Slot};

/// Keeps what one thread writes often from sharing a cache line with what the other does.
#[repr(align(128))]
#[derive(Debug)]
struct Alone<T>(T);

/// A bounded ring from one thread to another: neither waits, and it never grows. Each end is held by one owner.
pub(crate) fn ring<T: Copy + Send>(capacity: usize) -> (Producer<T>, Consumer<T>) {
    let slots = Slot::many(capacity.next_power_of_two());
    let ring = Arc::new(Ring { slots, head: Alone(AtomicUsize::new(0)), tail: Alone(AtomicUsize::new(0)) });
    (Producer { ring: Arc::clone(&ring), tail: 0 }, Consumer { ring, head: 0 })
}

struct Ring<T> {
    slots: Box<[Slot<T>]>,
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
    fn slot(&self, index: usize) -> Option<&Slot<T>> {
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
        unsafe { slot.write(value) };
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
        let value = unsafe { slot.read() };
        ring.tail.0.store(tail.wrapping_add(1), Ordering::Release);
        Some(value)
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
