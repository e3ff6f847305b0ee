//! What is known of an address, kept for good: worked out by whoever comes first, and nobody waits.

use once_cell::race::OnceBox;

use super::rules::{Leaving, Module};
use super::symbols::{self, Function};

/// An address that a call returns to.
#[derive(Debug)]
pub(super) struct Place {
    ip: usize,
    pub(super) leaving: Leaving,
    /// The functions around it, the innermost first: all but the last are inlined. Empty where nothing tells.
    pub(super) functions: Vec<Function>,
    next: List,
}

type List = OnceBox<Place>;

const LISTS: usize = 1024;
static PLACES: [List; LISTS] = [const { OnceBox::new() }; LISTS];

/// What is known of `ip`; `first` where it is an instruction of its own, and not what a call returns to.
pub(super) fn place(ip: usize, first: bool) -> &'static Place {
    let mixed = ip.wrapping_mul((usize::MAX / 0x1_9e37) | 1) >> (usize::BITS - LISTS.ilog2());
    #[allow(clippy::indexing_slicing, reason = "so many bits")]
    let mut list = &PLACES[mixed];
    loop {
        let place = list.get_or_init(|| Box::new(Place::of(ip, first)));
        if place.ip == ip {
            return place;
        }
        list = &place.next;
    }
}

impl Place {
    fn of(ip: usize, first: bool) -> Self {
        // A call that is a function's last instruction returns behind it.
        let inside = if first { ip } else { ip.wrapping_sub(1) };
        let module = Module::around(inside);
        let leaving = module.as_ref().map_or(Leaving::Unknown, |module| module.leaving(inside));
        let functions = module.map(|module| symbols::functions(&module, inside)).unwrap_or_default();
        Self { ip, leaving, functions, next: OnceBox::new() }
    }
}
