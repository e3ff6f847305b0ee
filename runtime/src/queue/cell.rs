//! What the queues are made of. `tests/loom` puts loom's in their place, which tries every order in which threads can see
//! each other's writes.

#![allow(unsafe_code)] // a cell that two threads use in turn

use std::cell::UnsafeCell;
use std::mem::MaybeUninit;

pub(super) use std::sync::Arc;
pub(super) use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// A place for a value, which two threads use in turn.
pub(super) struct Slot<T>(UnsafeCell<MaybeUninit<T>>);

impl<T: Copy> Slot<T> {
    /// So many places with nothing in them.
    pub(super) fn many(count: usize) -> Box<[Self]> {
        // Not made one by one: what is not used is not touched, and takes no memory of the system's.
        let slots = Box::<[Self]>::new_uninit_slice(count);
        // SAFETY: a slot may hold nothing.
        unsafe { slots.assume_init() }
    }

    /// # Safety
    /// No other thread uses the slot meanwhile.
    #[inline]
    pub(super) unsafe fn write(&self, value: T) {
        // SAFETY: as the caller says.
        unsafe { self.0.get().write(MaybeUninit::new(value)) };
    }

    /// # Safety
    /// Likewise, and it has been written.
    #[inline]
    pub(super) unsafe fn read(&self) -> T {
        // SAFETY: as the caller says.
        let value = unsafe { self.0.get().read() };
        // SAFETY: as the caller says.
        unsafe { value.assume_init() }
    }
}
