//! What a flush that ran out of time says.

use std::fmt;

/// Launches that had not been written out when the time was over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pending {
    /// How many were seen to wait for the GPU.
    pub(crate) launches: u64,
}

impl Pending {
    /// How many launches were seen to wait for the GPU.
    #[must_use]
    pub fn launches(self) -> u64 {
        self.launches
    }
}

impl fmt::Display for Pending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} launches are still waiting for the GPU", self.launches)
    }
}

impl std::error::Error for Pending {}
