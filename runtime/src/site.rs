//! A place in the source that launches a kernel: what is known of it when the program is compiled.

use std::sync::atomic::{AtomicU8, Ordering};

use once_cell::race::OnceBox;

use crate::name::{self, Frame, Name, Names, Spot, Variant};
use crate::parts::Parts;

/// One launch site. A `static` that an expansion makes; its first run gives it its names.
#[derive(Debug)]
pub struct Site {
    spot: Spot,
    /// A `static` in a generic function is one for all instantiations: a name for each, found by walking this list.
    names: List,
    /// Names that depend on more than that may be thousands: each is in one of these lists.
    variants: OnceBox<Vec<List>>,
    /// Whether the stack is asked for a name: a [`Search`], or one of the two below.
    search: AtomicU8,
}

/// What of the stack a launch is named after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Search {
    /// The first function outside of what is internal.
    User = 1,
    /// The same, for a launch in a helper.
    Helper,
    /// What called the function that launches.
    Caller,
}

const UNASKED: u8 = 0;
/// The name is the site's own.
const NOT_SEARCHED: u8 = u8::MAX;

/// One instantiation of the function around a site: gives the `type_name` of a closure made there.
pub(crate) type Instance = fn() -> &'static str;

type List = OnceBox<Known>;
/// The instantiation, and the variant's own key.
type Key = (usize, name::Key);

const LISTS: usize = 512;

/// A name, and of what it is one.
#[derive(Debug)]
pub(crate) struct Known {
    key: Key,
    pub(crate) site: &'static Site,
    pub(crate) instance: Instance,
    pub(crate) name: &'static Name,
    /// The parts that its launches may have.
    pub(crate) allowed: Parts,
    next: List,
}

impl Site {
    /// In a constant, by the expansion alone.
    #[must_use]
    pub const fn new(spot: Spot) -> Self {
        Self { spot, names: OnceBox::new(), variants: OnceBox::new(), search: AtomicU8::new(UNASKED) }
    }

    /// The line of the launch call.
    #[cfg(feature = "kernels")]
    pub(crate) fn line(&self) -> u32 {
        self.spot.line
    }

    /// Whether it stands in the file, a path as the compiler gave it.
    #[cfg(feature = "kernels")]
    pub(crate) fn is_in(&self, file: &str) -> bool {
        self.spot.file.ends(file)
    }

    /// The name of this site in one instantiation of its function, and in one variant.
    ///
    /// Worked out by whoever comes first, and found from then on. Nobody waits: threads that come at the same time
    /// each work it out, and all use what the first of them put into the list.
    #[inline]
    pub(crate) fn name(&'static self, instance: Instance, variant: Variant) -> &'static Name {
        let key = (instance as usize, variant.key());
        let list = if variant.is_none() { &self.names } else { self.list(key) };
        match list.get() {
            Some(first) if first.key == key => first.name,
            _ => self.find(list, key, instance, variant),
        }
    }

    /// What of the stack its launches are named after, if anything.
    pub(crate) fn search(&self) -> Option<Search> {
        match self.search.load(Ordering::Relaxed) {
            UNASKED => self.ask(),
            word => Search::of(word),
        }
    }

    /// Whether that may be something.
    #[inline]
    pub(crate) fn may_search(&self) -> bool {
        self.search.load(Ordering::Relaxed) != NOT_SEARCHED
    }

    /// Once: what is internal does not change while the process runs.
    #[cold]
    fn ask(&self) -> Option<Search> {
        let search = match self.spot.names() {
            Names::Stack if self.spot.is_helper() => Some(Search::Helper),
            Names::Stack if self.spot.is_internal() => Some(Search::User),
            Names::Caller => Some(Search::Caller),
            // The first function of the user's is the one that launches.
            Names::Stack | Names::Site => None,
        };
        self.search.store(search.map_or(NOT_SEARCHED, |search| search as u8), Ordering::Relaxed);
        search
    }

    /// Whether a frame stands in a file that is internal.
    #[cfg_attr(not(feature = "stack"), allow(dead_code))] // nobody walks the stack
    pub(crate) fn finds_internal(&self, frame: &Frame) -> bool {
        self.spot.finds_internal(frame)
    }

    /// The first name of this site, where it is that of the instantiation.
    #[inline]
    pub(crate) fn known(&'static self, instance: Instance) -> Option<&'static Known> {
        if self.may_search() {
            return None;
        }
        self.names.get().filter(|first| first.key.0 == instance as usize)
    }

    /// Likewise, in one variant.
    #[inline]
    pub(crate) fn known_as(&'static self, instance: Instance, variant: Variant) -> Option<&'static Known> {
        if self.may_search() {
            return None;
        }
        let key = (instance as usize, variant.key());
        let list = if variant.is_none() { &self.names } else { self.list(key) };
        list.get().filter(|first| first.key == key)
    }

    /// Whether names were made of what was noted at a function's entry.
    #[inline]
    pub(crate) fn has_variants(&self) -> bool {
        self.variants.get().is_some()
    }

    fn list(&'static self, (_, [text, caller, kernel]): Key) -> &'static List {
        let lists = self.variants.get_or_init(|| Box::new((0..LISTS).map(|_| OnceBox::new()).collect()));
        // All are addresses: the upper bits of a product with a large odd number depend on all of theirs.
        let mixed = text ^ caller.rotate_right(3) ^ kernel.rotate_right(7);
        let mixed = mixed.wrapping_mul((usize::MAX / 0x1_9e37) | 1);
        lists.get(mixed >> (usize::BITS - LISTS.ilog2())).unwrap_or(&self.names)
    }

    #[cold]
    #[inline(never)]
    fn find(&'static self, list: &'static List, key: Key, instance: Instance, variant: Variant) -> &'static Name {
        let path = instance();
        let mut made = None;
        let mut list = list;
        loop {
            let entry = list.get_or_init(|| {
                let name = *made.get_or_insert_with(|| Name::of(&self.spot, path, variant).leak());
                Box::new(Known { key, site: self, instance, name, allowed: name.allowed, next: OnceBox::new() })
            });
            if entry.key == key {
                return entry.name;
            }
            // The compiler may have made the function twice, or a place, and a name that is given says nothing of types: one
            // name all the same.
            if (entry.name.path == path || self.says_no_types(&variant)) && entry.name.variant.is(&variant) {
                made = Some(entry.name);
            }
            list = &entry.next;
        }
    }
}

impl Site {
    /// Whether a name is the same in all instantiations.
    fn says_no_types(&self, variant: &Variant) -> bool {
        self.spot.is_named() || (variant.frame.is_some() && self.spot.names() == Names::Stack)
    }
}

impl Search {
    fn of(word: u8) -> Option<Self> {
        [Self::User, Self::Helper, Self::Caller].into_iter().find(|&search| search as u8 == word)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
    use std::sync::{Mutex, OnceLock};
    use std::time::Duration;

    use super::Site;
    use crate::name::{Spot, Variant};

    /// What the thread that is stopped waits for, and that it is there.
    type Stop = (SyncSender<()>, Mutex<Option<Receiver<()>>>);
    static STOP: OnceLock<Stop> = OnceLock::new();

    /// Stops the first thread that comes, in the middle of working its name out.
    fn stops_the_first() -> &'static str {
        let (there, gate) = STOP.get().unwrap();
        // In a statement of its own: the others are not to wait for the lock.
        let gate = gate.lock().unwrap().take();
        if let Some(gate) = gate {
            there.send(()).unwrap();
            gate.recv_timeout(Duration::from_secs(60)).unwrap();
        }
        "app::ops::f::{{closure}}"
    }

    #[test]
    fn s2_10_a_thread_that_is_stopped_while_it_works_out_a_name_stops_no_other() {
        let site: &'static Site = Box::leak(Box::new(Site::new(Spot::in_a_test(1))));
        let (there, arrived) = sync_channel(1);
        let (open, gate) = sync_channel(1);
        STOP.set((there, Mutex::new(Some(gate)))).unwrap();
        let name = move || std::ptr::from_ref(site.name(stops_the_first, Variant::NONE)).addr();
        let stopped = std::thread::spawn(name);
        arrived.recv_timeout(Duration::from_secs(60)).unwrap();
        let others: Vec<_> = (0..8).map(|_| std::thread::spawn(name)).collect();
        let others: Vec<_> = others.into_iter().map(|other| other.join().unwrap()).collect();
        assert!(!stopped.is_finished(), "it is still on its way");
        open.send(()).unwrap();
        let last = stopped.join().unwrap();
        assert!(others.iter().all(|&other| other == last), "all have the name of the first that was there");
    }
}
