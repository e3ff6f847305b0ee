//! Launches through functions of the driver and the runtime library, which are known by their names; the types of what
//! they take and give are still what decides.

use super::{Geometry, Seen, as_type, behind, is, named};

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
    /// A pointer to a structure that has the geometry and the stream in it.
    Config,
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
    is::<R, i32>() || is::<R, u32>() || is_status_by_name::<R>()
}

/// An enumeration that some binding made of C's, by C's own names for it.
#[inline]
fn is_status_by_name<R>() -> bool {
    let last = std::any::type_name::<R>().rsplit("::").next().unwrap_or_default();
    size_of::<R>() == size_of::<u32>() && STATUSES.contains(&last)
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
    let plain = signed.or_else(|| as_type::<R, u32>(value).map(|&status| status == 0));
    plain.or_else(|| STATUSES.iter().find_map(|name| named::<R, u32>(value, name)).map(|status| status == 0))
}

/// C's names for what its functions give.
const STATUSES: [&str; 4] = ["CUresult", "cudaError_enum", "cudaError", "cudaError_t"];

/// `CUlaunchConfig` of `cuda.h`, as far as it is read.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct DriverConfig {
    grid: [u32; 3],
    block: [u32; 3],
    shared_mem_bytes: u32,
    stream: *mut std::ffi::c_void,
}

/// `cudaLaunchConfig_t` of `driver_types.h`, likewise.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct RuntimeConfig {
    grid: [u32; 3],
    block: [u32; 3],
    shared_mem_bytes: usize,
    stream: *mut std::ffi::c_void,
}

/// What `value` says of the launch, if it points to a configuration of C's.
pub(crate) fn config_in<T>(value: &T) -> Option<(Geometry, Option<Seen>)> {
    let told = |geometry, stream| (geometry, stream_in(Part::RuntimeStream, &stream));
    if let Some(DriverConfig { grid, block, shared_mem_bytes, stream }) = behind(value, "CUlaunchConfig") {
        return Some(told(Geometry { grid, block, shared_mem_bytes }, stream));
    }
    let RuntimeConfig { grid, block, shared_mem_bytes, stream } = behind(value, "cudaLaunchConfig")?;
    let shared_mem_bytes = u32::try_from(shared_mem_bytes).unwrap_or(u32::MAX);
    Some(told(Geometry { grid, block, shared_mem_bytes }, stream))
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
    let lengths = as_type::<T, (u32, u32, u32)>(value).map(|&lengths| lengths.into());
    if let Some(lengths) = lengths.or_else(|| named::<T, [u32; 3]>(value, "dim3")) {
        match part {
            Part::Grid => geometry.grid = lengths,
            Part::Block => geometry.block = lengths,
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
        Part::Grid | Part::Block | Part::Stream | Part::RuntimeStream | Part::Config | Part::Other => return,
    };
    let bytes = |&bytes: &usize| u32::try_from(bytes).unwrap_or(u32::MAX);
    if let Some(length) = as_type::<T, u32>(value).copied().or_else(|| as_type::<T, usize>(value).map(bytes)) {
        *slot = length;
    }
}
