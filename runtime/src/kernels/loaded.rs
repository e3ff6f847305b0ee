//! What was loaded, by the key of the place that it was loaded for: only ever added to, and read without a lock.

use cudarc::driver::CudaFunction;
use once_cell::race::OnceBox;

const LISTS: usize = 64;

/// Lists, each of the keys with one hash.
pub(super) struct Table([List; LISTS]);

type List = OnceBox<Entry>;

pub(super) struct Entry {
    key: usize,
    /// Without one, the kernel is as it was there.
    function: Option<CudaFunction>,
    next: List,
}

impl Entry {
    #[inline]
    pub(super) fn function(&self) -> Option<&CudaFunction> {
        self.function.as_ref()
    }
}

impl Table {
    pub(super) fn new() -> Self {
        Self(std::array::from_fn(|_| OnceBox::new()))
    }

    /// What is known of `key`, if anything was put there.
    #[inline]
    pub(super) fn get(&self, key: usize) -> Option<&Entry> {
        let mut list = self.list(key)?;
        while let Some(entry) = list.get() {
            if entry.key == key {
                return Some(entry);
            }
            list = &entry.next;
        }
        None
    }

    /// Keeps it. The first of a key is found from then on.
    pub(super) fn put(&self, key: usize, function: Option<CudaFunction>) {
        let Some(mut list) = self.list(key) else { return };
        let mut entry = Box::new(Entry { key, function, next: OnceBox::new() });
        while let Err(back) = list.set(entry) {
            entry = back;
            let Some(taken) = list.get() else { return };
            list = &taken.next;
        }
    }

    #[inline]
    fn list(&self, key: usize) -> Option<&List> {
        // Keys are addresses: the upper bits of a product with a large odd number depend on all of theirs.
        let mixed = key.wrapping_mul((usize::MAX / 0x1_9e37) | 1);
        self.0.get(mixed >> (usize::BITS - LISTS.ilog2()))
    }
}
