//! A list that threads add to and one takes.

#![allow(unsafe_code)] // nodes that are handed over

use super::cell::{AtomicPtr, Ordering};

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
        Self(AtomicPtr::new(std::ptr::null_mut()))
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
