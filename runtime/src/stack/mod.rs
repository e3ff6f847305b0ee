//! Whose launch it is, by the call stack, where that is walked: with the feature `stack`, on Linux.

#[cfg(all(feature = "stack", target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod walked;
#[cfg(all(feature = "stack", target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) use walked::frame;

#[cfg(not(all(feature = "stack", target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
mod unwalked;
#[cfg(not(all(feature = "stack", target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
pub(crate) use unwalked::frame;
