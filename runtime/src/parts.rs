//! The parts of launchsite that can be on or off while the program runs.

use std::fmt;
use std::ops::{BitOr, BitOrAssign};

/// A set of parts.
///
/// ```
/// use launchsite::Parts;
/// let both = Parts::NVTX | Parts::TIME;
/// assert!(both.contains(Parts::TIME));
/// assert_eq!(both.to_string(), "nvtx,time");
/// assert_eq!(Parts::NONE.to_string(), "off");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Parts(u32);

const NAMES: [(Parts, &str); 4] =
    [(Parts::NVTX, "nvtx"), (Parts::TIME, "time"), (Parts::NODES, "nodes"), (Parts::SYMBOLS, "symbols")];

impl Parts {
    /// Nothing.
    pub const NONE: Self = Self(0);
    /// A range around each launch for profilers. Without a profiler it costs what `NONE` costs.
    pub const NVTX: Self = Self(1);
    /// The GPU time of each launch.
    pub const TIME: Self = Self(2);
    /// The GPU time of each kernel in the graphs of [`Graph`](crate::Graph), in one of 64 launches, by a second executable of
    /// the graph. It takes [`TIME`](Self::TIME) with it.
    pub const NODES: Self = Self(4);
    /// A kernel of `launchsite::Kernels` has, for each place that launches it, a symbol that names the place. Asked for
    /// before the kernels are loaded; without, they are loaded as they are.
    pub const SYMBOLS: Self = Self(8);
    /// What `LAUNCHSITE=on` means.
    pub const ON: Self = Self(Self::NVTX.0 | Self::TIME.0);

    /// Whether all of `parts` are in this set.
    #[must_use]
    pub const fn contains(self, parts: Self) -> bool {
        self.0 & parts.0 == parts.0
    }

    /// Whether this set is empty.
    #[must_use]
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    #[cfg(feature = "enabled")]
    pub(crate) const ALL: Self = Self(Self::ON.0 | Self::NODES.0 | Self::SYMBOLS.0);

    #[cfg(feature = "enabled")]
    pub(crate) const fn bits(self) -> u32 {
        self.0
    }

    #[cfg(feature = "enabled")]
    pub(crate) const fn from_bits(bits: u32) -> Self {
        Self(bits & Self::ALL.0)
    }

    /// The part that a word of `LAUNCHSITE` names.
    #[cfg(feature = "enabled")]
    pub(crate) fn named(word: &str) -> Option<Self> {
        let known = NAMES.iter().find(|(_, name)| name.eq_ignore_ascii_case(word));
        known.map(|(part, _)| *part)
    }
}

impl BitOr for Parts {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Parts {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl fmt::Display for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = NAMES.iter().filter(|(part, _)| self.contains(*part)).map(|(_, name)| *name).collect();
        f.write_str(if names.is_empty() { "off".to_owned() } else { names.join(",") }.as_str())
    }
}
