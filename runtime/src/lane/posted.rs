//! What a launching thread tells the collector of a launch.

use crate::device::graph::Captured;
use crate::fields::Fields;
use crate::name::{Kind, Name};
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
    pub(crate) what: What,
    pub(crate) block: Block,
    /// The stream's handle; of no meaning in a lane without a place.
    pub(crate) stream: u64,
    pub(crate) kernel: Option<&'static str>,
    pub(crate) fields: Fields,
    pub(crate) ending: Ending,
    pub(crate) beside: Beside,
}

const _: () = assert!(size_of::<Posted>() <= 128);

impl Posted {
    /// How the launch is spread over the device, where all of that is known.
    pub(crate) fn geometry(&self) -> Option<Geometry> {
        let ([x, y, z, shared_mem_bytes], block) = (self.what.0, self.block.into());
        let geometry = Geometry { grid: [x, y, z], block, shared_mem_bytes };
        (self.name.kind != Kind::Graph).then(|| geometry.known()).flatten()
    }

    /// The graph that was launched, as far as it is known.
    pub(crate) fn replayed(&self) -> Option<Replayed> {
        let [high, low, kernels, copy] = self.what.0;
        (self.name.kind == Kind::Graph).then_some(Replayed { graph: [high, low], kernels, copy })
    }
}

/// What is told of a launch by what it launches: the lengths of a grid and the shared memory, or the graph. The kind of the
/// launch's name says which of these it is, and both have the same room.
#[derive(Clone, Copy, Debug)]
pub(crate) struct What([u32; 4]);

impl From<Geometry> for What {
    #[inline]
    fn from(Geometry { grid: [x, y, z], shared_mem_bytes, .. }: Geometry) -> Self {
        Self([x, y, z, shared_mem_bytes])
    }
}

impl From<Replayed> for What {
    #[inline]
    fn from(Replayed { graph: [high, low], kernels, copy }: Replayed) -> Self {
        Self([high, low, kernels, copy])
    }
}

/// The graph that was launched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Replayed {
    /// Its handle, in two halves, which need no more room than a kernel's lengths; 0 where it is not known.
    graph: [u32; 2],
    /// How many kernels are in it; `u32::MAX` where that is not known.
    kernels: u32,
    /// The copy that was launched in its place, by its number, and one more; 0 where it was launched itself.
    copy: u32,
}

impl Replayed {
    /// Nothing tells which graph it was.
    pub(crate) const UNKNOWN: Self = Self { graph: [0; 2], kernels: u32::MAX, copy: 0 };

    #[inline]
    pub(crate) fn new(graph: u64, kernels: Option<u32>) -> Self {
        #[allow(clippy::cast_possible_truncation)] // two halves
        let graph = [(graph >> 32) as u32, graph as u32];
        Self { graph, kernels: kernels.unwrap_or(u32::MAX), copy: 0 }
    }

    /// With the copy that is launched in its place.
    #[inline]
    pub(crate) fn by(self, copy: u32) -> Self {
        Self { copy: copy + 1, ..self }
    }

    pub(crate) fn graph(self) -> Option<u64> {
        let [high, low] = self.graph.map(u64::from);
        Some(high << 32 | low).filter(|&graph| graph != 0)
    }

    pub(crate) fn kernels(self) -> Option<u32> {
        Some(self.kernels).filter(|&kernels| kernels != u32::MAX)
    }

    pub(crate) fn copy(self) -> Option<u32> {
        self.copy.checked_sub(1)
    }
}

/// A count and a flag in 4 bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Beside(u32);

impl Beside {
    const MAY_WAIT: u32 = 1 << 31;

    #[inline]
    pub(crate) fn new(left_out: u32, may_wait: bool) -> Self {
        Self(left_out.min(Self::MAY_WAIT - 1) | if may_wait { Self::MAY_WAIT } else { 0 })
    }

    /// Launches of the name on this thread, since the last that is here, that a budget left out.
    pub(crate) fn left_out(self) -> u32 {
        self.0 & !Self::MAY_WAIT
    }

    /// The launch call may have put a wait into the stream, inside the window.
    pub(crate) fn may_wait(self) -> bool {
        self.0 & Self::MAY_WAIT != 0
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
    /// It was, and the launch went into a graph: the fields of [`Captured`], which would take more room as one.
    Captured { graph: u64, node: u64, capture: u32 },
    /// It was not asked for, and the launch failed.
    Failed,
}

impl From<Captured> for Ending {
    fn from(Captured { graph, node, capture }: Captured) -> Self {
        Self::Captured { graph, node, capture }
    }
}
