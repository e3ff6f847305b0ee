//! Where the stack is not walked, it tells nothing.
use std::panic::Location;

use crate::name::Frame;
use crate::site::{Instance, Search, Site};

pub(crate) fn frame(
    _: &'static Site,
    _: Search,
    _: Option<&'static Location<'static>>,
    _: Instance,
) -> Option<&'static Frame> {
    None
}
