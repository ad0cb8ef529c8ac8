//! FNV-1a of 64 bits: any change of one byte changes the hash, and it needs no table.

/// The hash of no bytes.
pub const START: u64 = 0xCBF2_9CE4_8422_2325;

/// The hash of what was hashed before, and of these bytes behind it.
#[must_use]
pub const fn extend(mut hash: u64, bytes: &[u8]) -> u64 {
    let mut at = 0;
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u64).wrapping_mul(0x0000_0100_0000_01B3);
        at += 1;
    }
    hash
}
