//! One hash for whatever has to be the same in every run, without a table to share.

/// The 32-bit FNV-1a hash (Fowler, Noll, Vo; offset basis and prime from their page).
pub(crate) fn fnv1a(bytes: impl IntoIterator<Item = u8>) -> u32 {
    bytes.into_iter().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(PRIME))
}

const PRIME: u32 = 0x0100_0193;
