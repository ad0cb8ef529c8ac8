//! Leaving out zeros, and putting them back, in plain Rust.

use std::mem::MaybeUninit;

use super::WORD;

/// A [`Pack`](super::Pack). Without a branch for a byte: each is written, and the next one over it if it does
/// not count.
pub(super) fn pack(
    now: &[u8],
    before: &[u8],
    masks: &mut [MaybeUninit<u8>],
    kept: &mut [MaybeUninit<u8>],
) -> usize {
    let (now, before) = (now.as_chunks::<WORD>().0, before.as_chunks::<WORD>().0);
    let mut len = 0;
    for ((now, before), mask) in now.iter().zip(before).zip(masks) {
        let word = u64::from_ne_bytes(*now) ^ u64::from_ne_bytes(*before);
        let place = &mut kept[len..len + WORD];
        let (mut bits, mut count) = (0, 0);
        for (index, byte) in word.to_ne_bytes().into_iter().enumerate() {
            place[count].write(byte);
            let is_kept = u8::from(byte != 0);
            bits |= is_kept << index;
            count += usize::from(is_kept);
        }
        mask.write(bits);
        len += count;
    }
    len
}

/// An [`Unpack`](super::Unpack).
pub(super) fn unpack(masks: &[u8], kept: &[u8], to: &mut [u8]) -> usize {
    let mut used = 0;
    for (&mask, word) in masks.iter().zip(to.as_chunks_mut::<WORD>().0) {
        if mask == 0 {
            *word = [0; WORD];
            continue;
        }
        for (index, byte) in word.iter_mut().enumerate() {
            let bit = mask >> index & 1;
            // After the last byte that is kept there may be none to look at.
            *byte = kept.get(used).map_or(0, |byte| byte * bit);
            used += usize::from(bit);
        }
    }
    used
}
