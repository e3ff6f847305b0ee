//! A launch on the stand-in.

use std::fmt;
use std::sync::Arc;

use super::{Error, Stream};

/// A kernel with its arguments: a closure.
pub(super) type Work = Arc<dyn Fn() + Send + Sync>;

/// How many blocks of how many threads a kernel runs in; with the fields of cudarc's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchConfig {
    /// Blocks in x, y and z.
    pub grid_dim: (u32, u32, u32),
    /// Threads of a block in x, y and z.
    pub block_dim: (u32, u32, u32),
    /// Dynamic shared memory of a block, in bytes.
    pub shared_mem_bytes: u32,
}

impl LaunchConfig {
    /// One thread for each of `n` elements, in blocks of 1024.
    #[must_use]
    pub fn for_num_elems(n: u32) -> Self {
        Self { grid_dim: (n.div_ceil(1024), 1, 1), block_dim: (1024, 1, 1), shared_mem_bytes: 0 }
    }
}

/// A launch that is ready to go.
#[must_use = "nothing is launched until `launch` is called"]
pub struct LaunchArgs<'s> {
    stream: &'s Stream,
    kernel: &'static str,
    work: Work,
}

impl<'s> LaunchArgs<'s> {
    pub(super) fn new(stream: &'s Stream, kernel: &'static str, work: Work) -> Self {
        Self { stream, kernel, work }
    }

    /// Puts the work into the stream and returns at once. The configuration is recorded, not acted on: the closure
    /// does the work of all threads.
    ///
    /// # Errors
    /// The script refuses it; nothing was put into the stream.
    pub fn launch(self, _config: LaunchConfig) -> Result<(), Error> {
        self.stream.submit(self.kernel, self.work)
    }

    #[cfg(feature = "enabled")]
    pub(crate) fn stream(&self) -> &'s Stream {
        self.stream
    }

    #[cfg(feature = "enabled")]
    pub(crate) fn kernel(&self) -> &'static str {
        self.kernel
    }
}

impl fmt::Debug for LaunchArgs<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LaunchArgs").field("kernel", &self.kernel).finish_non_exhaustive()
    }
}
