//! Loom's in place of std's: the same names as `runtime/src/queue/cell.rs`.

use std::mem::MaybeUninit;

use loom::cell::UnsafeCell;

pub(super) use loom::sync::Arc;
pub(super) use loom::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// A place for a value, every use of which loom looks at.
pub(super) struct Slot<T>(UnsafeCell<MaybeUninit<T>>);

impl<T: Copy> Slot<T> {
    pub(super) fn many(count: usize) -> Box<[Self]> {
        (0..count).map(|_| Self(UnsafeCell::new(MaybeUninit::uninit()))).collect()
    }

    pub(super) unsafe fn write(&self, value: T) {
        self.0.with_mut(|place| unsafe { place.write(MaybeUninit::new(value)) });
    }

    pub(super) unsafe fn read(&self) -> T {
        self.0.with_mut(|place| unsafe { (*place).assume_init() })
    }
}
