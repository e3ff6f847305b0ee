//! The contexts that windows were read in, and what is known of the clock and the events of each.

use super::anchor::Anchor;
use super::constant::Constant;
use crate::device::{Device, Life, Refusal};
use crate::lane::Place;
use crate::record::Doubt;

#[derive(Debug, Default)]
pub(super) struct Contexts {
    known: Vec<Known>,
    given: Vec<Given>,
}

/// A context in one of its lives.
#[derive(Debug)]
struct Known {
    device: &'static dyn Device,
    life: Life,
    anchor: Result<Anchor, Refusal>,
    constant: Constant,
}

/// A constant that was measured because the program asked for it: it is the GPU's, whatever the context.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Given {
    pub(crate) device: &'static dyn Device,
    pub(crate) ordinal: u32,
    pub(crate) constant_ns: u64,
}

impl Contexts {
    pub(super) fn give(&mut self, given: Given) {
        self.given.push(given);
    }

    /// The anchor of the thread's context, which is in its `life` and is held, as fresh as it has to be; and what events add
    /// on its device.
    pub(super) fn of(&mut self, place: Place, life: Life) -> Option<(&Anchor, Result<u64, Doubt>)> {
        let same = |known: &Known| known.life == life && std::ptr::addr_eq(known.device, place.device);
        let index = self.known.iter().position(same).unwrap_or_else(|| {
            let anchor = Anchor::new(place.device, place.context);
            self.known.push(Known { device: place.device, life, anchor, constant: Constant::Unasked });
            self.known.len() - 1
        });
        let known = self.known.get_mut(index)?;
        let anchor = known.anchor.as_mut().ok()?;
        anchor.refresh(place.device);
        // The last that was measured.
        let of_place = |given: &&Given| given.ordinal == place.ordinal && std::ptr::addr_eq(given.device, place.device);
        if let Some(given) = self.given.iter().rev().find(of_place) {
            return Some((anchor, Ok(given.constant_ns)));
        }
        known.constant.settle(place.device, anchor.stream());
        Some((anchor, known.constant.value()))
    }
}
