//! The clock of all times: nanoseconds of the system's monotonic clock.

use std::sync::OnceLock;
use std::time::Instant;

/// Nanoseconds since the process first asked.
///
/// `Instant` is `CLOCK_MONOTONIC` on Linux, which is also what `start_unix_ns` of a session is taken against.
#[inline]
pub(crate) fn now() -> u64 {
    static BASE: OnceLock<Instant> = OnceLock::new();
    let base = BASE.get_or_init(Instant::now);
    // 585 years fit.
    u64::try_from(base.elapsed().as_nanos()).unwrap_or(u64::MAX)
}
