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
        match self.launches {
            0 => f.write_str("not all launches have been looked at"),
            launches => write!(f, "{launches} launches are still waiting for the GPU"),
        }
    }
}

impl std::error::Error for Pending {}
