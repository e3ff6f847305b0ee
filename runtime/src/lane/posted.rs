//! What a launching thread tells the collector of a launch.

use crate::name::Name;
use crate::record::{self, Reason};
use crate::window::Pair;

/// How a launch is spread over the device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Geometry {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) shared_mem_bytes: u32,
}

impl Geometry {
    /// Nothing of it is known: no device has grids of such a length in y or z.
    pub(crate) const UNKNOWN: Self = Self { grid: [u32::MAX; 3], block: [u32::MAX; 3], shared_mem_bytes: u32::MAX };

    /// Where all of it is known.
    fn known(self) -> Option<Self> {
        let lengths = self.grid.iter().chain(&self.block);
        lengths.chain([&self.shared_mem_bytes]).all(|&length| length != u32::MAX).then_some(self)
    }
}

impl From<Geometry> for record::Geometry {
    fn from(geometry: Geometry) -> Self {
        let Geometry { grid, block, shared_mem_bytes } = geometry;
        Self { grid, block, shared_mem_bytes }
    }
}

/// Three lengths of a block in half the room: no device has one of 65535 threads, which stands for what is not known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block([u16; 3]);

impl From<[u32; 3]> for Block {
    #[inline]
    fn from(lengths: [u32; 3]) -> Self {
        Self(lengths.map(|length| u16::try_from(length).unwrap_or(u16::MAX)))
    }
}

impl From<Block> for [u32; 3] {
    fn from(block: Block) -> Self {
        block.0.map(|length| if length == u16::MAX { u32::MAX } else { length.into() })
    }
}

/// What a launching thread tells the collector. Two cache lines, which the two threads hand over between them; what is
/// the same for all launches of a lane is in its [`Target`](super::Target).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Posted {
    pub(crate) name: &'static Name,
    pub(crate) number: u64,
    /// The scope around it; 0 without.
    pub(crate) parent: u64,
    /// A reading of `ticks`, and two differences of such.
    pub(crate) start: u64,
    pub(crate) span: u64,
    /// In 4 bytes, and never wrong by more than a ten-millionth.
    pub(crate) overhead: f32,
    pub(crate) grid: [u32; 3],
    pub(crate) block: Block,
    pub(crate) shared_mem_bytes: u32,
    /// The stream's handle; of no meaning in a lane without a place.
    pub(crate) stream: u64,
    pub(crate) kernel: Option<&'static str>,
    pub(crate) ending: Ending,
    /// Launches of the name on this thread, since the last that is here, that a budget left out.
    pub(crate) left_out: u32,
    /// The launch call may have put a wait into the stream, inside the window.
    pub(crate) may_wait: bool,
}

const _: () = assert!(size_of::<Posted>() <= 128);

impl Posted {
    /// How the launch is spread over the device, where all of that is known.
    pub(crate) fn geometry(&self) -> Option<Geometry> {
        let Self { grid, block, shared_mem_bytes, .. } = *self;
        Geometry { grid, block: block.into(), shared_mem_bytes }.known()
    }
}

/// What came of a launch.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ending {
    /// Two events stand around it.
    Timed(Pair),
    /// Timing was not asked for.
    Named,
    /// It was, and this is why it is not there.
    Untimed(Reason),
    /// It was not asked for, and the launch failed.
    Failed,
}
