//! Placeholder
#[cfg(all(feature = "enabled", not(unix)))]
compile_error!("launchsite's feature `enabled` needs a Unix system");

mod clock;
pub mod device;
mod parts;
mod pending;
pub mod record;
mod summary;

#[cfg(feature = "enabled")]
mod api;
#[cfg(feature = "enabled")]
mod call;
#[cfg(feature = "enabled")]
mod collector;
#[cfg(feature = "enabled")]
mod config;
#[cfg(feature = "enabled")]
mod form;
#[cfg(feature = "enabled")]
mod jsonl;
#[cfg(feature = "enabled")]
mod lane;
#[cfg(feature = "enabled")]
mod launch;
#[cfg(feature = "enabled")]
mod name;
#[cfg(feature = "enabled")]
mod nvtx;
#[cfg(not(feature = "enabled"))]
mod off;
#[cfg(feature = "enabled")]
mod private;
#[cfg(feature = "enabled")]
mod process;
#[cfg(feature = "enabled")]
mod queue;
#[cfg(feature = "enabled")]
mod session;
#[cfg(feature = "enabled")]
mod site;
#[cfg(feature = "enabled")]
mod tally;

#[cfg(feature = "enabled")]
pub use api::{Guard, add_sink, default_parts, flush, guard, parts, set_parts, summary};
#[cfg(not(feature = "enabled"))]
pub use off::{Guard, add_sink, default_parts, flush, guard, parts, set_parts, summary};

pub use device::host;
pub use launchsite_macros::gpu_kernel;
pub use parts::Parts;
pub use pending::Pending;
pub use summary::{SiteSummary, Summary};

/// Whether the feature `enabled` is on in this build.
pub const ENABLED: bool = cfg!(feature = "enabled");

#[cfg(feature = "enabled")]
#[doc(hidden)]
pub mod __private {
    pub use crate::api::names_worked_out;
    pub use crate::private::*;
}

/// Keeps the rewritten of the two versions of a function: the feature is on.
#[cfg(feature = "enabled")]
#[doc(hidden)]
#[macro_export]
macro_rules! __pick {
    ({ $($original:tt)* } { $($rewritten:tt)* }) => { $($rewritten)* };
}

/// Keeps the original of the two versions of a function: the feature is off.
#[cfg(not(feature = "enabled"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __pick {
    ({ $($original:tt)* } { $($rewritten:tt)* }) => { $($original)* };
}
