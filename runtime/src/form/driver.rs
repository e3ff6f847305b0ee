//! Launches through functions of the driver and the runtime library, which are known by their names; the types of what
//! they take and give are still what decides.

use super::{Geometry, Seen, as_type, is};

/// What an argument of such a function is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Three lengths of the grid, in blocks.
    Grid,
    /// Its length in x.
    GridX,
    /// Its length in y.
    GridY,
    /// Its length in z.
    GridZ,
    /// Three lengths of a block, in threads.
    Block,
    /// Its length in x.
    BlockX,
    /// Its length in y.
    BlockY,
    /// Its length in z.
    BlockZ,
    /// Dynamic shared memory of a block, in bytes.
    Shared,
    /// The stream, of the driver's own type.
    Stream,
    /// The stream of a function of the runtime library, whose type bindings declare as they like.
    RuntimeStream,
    /// Something else.
    Other,
}

/// Whether a function that gives an `R` may be one of the driver's: where it is declared by hand, its status is a plain
/// integer.
#[inline]
pub(crate) fn is_status<R>() -> bool {
    is_cudarcs_status::<R>() || is_runtimes_status::<R>()
}

/// Whether a function that gives an `R` may be one of the runtime library's.
#[inline]
pub(crate) fn is_runtimes_status<R>() -> bool {
    is::<R, i32>() || is::<R, u32>()
}

/// Whether a function that gives an `R` may be cudarc's.
#[inline]
pub(crate) fn is_cudarcs_status<R>() -> bool {
    #[cfg(feature = "cudarc")]
    let is = super::cudarc::is_status::<R>();
    #[cfg(not(feature = "cudarc"))]
    // A type that nothing outside can be.
    let is = is::<R, Part>();
    is
}

/// Whether the status says that the launch went ahead; `None` where `value` is no such status.
#[inline]
pub(super) fn is_ok<R>(value: &R) -> Option<bool> {
    #[cfg(feature = "cudarc")]
    if let Some(ok) = super::cudarc::is_status_ok(value) {
        return Some(ok);
    }
    let signed = as_type::<R, i32>(value).map(|&status| status == 0);
    signed.or_else(|| as_type::<R, u32>(value).map(|&status| status == 0))
}

/// Where a launch on `value` goes, if it is a stream's handle.
#[inline]
pub(crate) fn stream_in<T>(part: Part, value: &T) -> Option<Seen> {
    #[cfg(feature = "cudarc")]
    let seen = super::cudarc::stream_in(part, value);
    #[cfg(not(feature = "cudarc"))]
    let (seen, _) = (None, (part, value));
    seen
}

/// Notes what `value` says of the launch.
#[inline]
pub(crate) fn measure<T>(geometry: &mut Geometry, part: Part, value: &T) {
    if let Some(&lengths) = as_type::<T, (u32, u32, u32)>(value) {
        match part {
            Part::Grid => geometry.grid = lengths.into(),
            Part::Block => geometry.block = lengths.into(),
            _ => {}
        }
    }
    let [grid_x, grid_y, grid_z] = &mut geometry.grid;
    let [block_x, block_y, block_z] = &mut geometry.block;
    let slot = match part {
        Part::GridX => grid_x,
        Part::GridY => grid_y,
        Part::GridZ => grid_z,
        Part::BlockX => block_x,
        Part::BlockY => block_y,
        Part::BlockZ => block_z,
        Part::Shared => &mut geometry.shared_mem_bytes,
        Part::Grid | Part::Block | Part::Stream | Part::RuntimeStream | Part::Other => return,
    };
    if let Some(&length) = as_type::<T, u32>(value) {
        *slot = length;
    }
}
