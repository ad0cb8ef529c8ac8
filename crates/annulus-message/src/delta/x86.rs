//! Leaving out zeros, and putting them back, by instructions of x86-64 processors.

use std::{
    arch::{is_x86_feature_detected as is_detected, x86_64::*},
    mem::MaybeUninit,
};

use super::{Pack, SLACK, Unpack, WORD, portable};

/// The fastest versions that the processor has. (The answer is kept by the standard library.)
pub(super) fn versions() -> Option<(Pack, Unpack)> {
    if has_vbmi2() {
        Some((pack_by_mask, unpack_by_mask))
    } else if has_ssse3() {
        Some((pack_by_table, unpack_by_table))
    } else {
        None
    }
}

pub(super) fn has_vbmi2() -> bool {
    is_detected!("avx512f")
        && is_detected!("avx512bw")
        && is_detected!("avx512vbmi2")
        && is_detected!("popcnt")
}

pub(super) fn has_ssse3() -> bool {
    is_detected!("ssse3") && is_detected!("popcnt")
}

/// Packs 64 bytes at a time.
pub(super) fn pack_by_mask(
    now: &[u8],
    before: &[u8],
    masks: &mut [MaybeUninit<u8>],
    kept: &mut [MaybeUninit<u8>],
) -> usize {
    assert!(has_vbmi2(), "the processor was asked before");
    // SAFETY: the processor has what the function needs.
    unsafe { pack_vbmi2(now, before, masks, kept) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,popcnt")]
fn pack_vbmi2(
    now: &[u8],
    before: &[u8],
    masks: &mut [MaybeUninit<u8>],
    kept: &mut [MaybeUninit<u8>],
) -> usize {
    let (now, last_now) = now.as_chunks::<64>();
    let (before, last_before) = before.as_chunks::<64>();
    let (places, last_masks) = masks.as_chunks_mut::<8>();
    let mut len = 0;
    for ((now, before), mask) in now.iter().zip(before).zip(places) {
        // SAFETY: there are 64 bytes, of any alignment.
        let now = unsafe { _mm512_loadu_si512(now.as_ptr().cast()) };
        // SAFETY: as before.
        let before = unsafe { _mm512_loadu_si512(before.as_ptr().cast()) };
        let difference = _mm512_xor_si512(now, before);
        let bits = _mm512_test_epi8_mask(difference, difference);
        let packed = _mm512_maskz_compress_epi8(bits, difference);
        let place = &mut kept[len..len + SLACK];
        // SAFETY: there is room for 64 bytes, of any alignment.
        unsafe { _mm512_storeu_si512(place.as_mut_ptr().cast(), packed) };
        mask.write_copy_of_slice(&bits.to_le_bytes());
        len += bits.count_ones() as usize;
    }
    len + portable::pack(last_now, last_before, last_masks, &mut kept[len..])
}

/// Unpacks 64 bytes at a time.
pub(super) fn unpack_by_mask(masks: &[u8], kept: &[u8], to: &mut [u8]) -> usize {
    assert!(has_vbmi2(), "the processor was asked before");
    // SAFETY: the processor has what the function needs.
    unsafe { unpack_vbmi2(masks, kept, to) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,popcnt")]
fn unpack_vbmi2(masks: &[u8], kept: &[u8], to: &mut [u8]) -> usize {
    let (places, _) = to.as_chunks_mut::<64>();
    let (mut used, mut done) = (0, 0);
    for (bits, place) in masks.as_chunks::<8>().0.iter().zip(places) {
        // Near the end there are not as many bytes left as are loaded.
        let Some(packed) = kept[used..].first_chunk::<64>() else { break };
        let bits = u64::from_le_bytes(*bits);
        // SAFETY: there are 64 bytes, of any alignment.
        let packed = unsafe { _mm512_loadu_si512(packed.as_ptr().cast()) };
        let difference = _mm512_maskz_expand_epi8(bits, packed);
        // SAFETY: there is room for 64 bytes, of any alignment.
        unsafe { _mm512_storeu_si512(place.as_mut_ptr().cast(), difference) };
        used += bits.count_ones() as usize;
        done += 8;
    }
    used + portable::unpack(&masks[done..], &kept[used..], &mut to[done * WORD..])
}

/// For each mask the places of the bytes that are kept, in order.
static PACK: [[u8; 8]; 256] = {
    let mut table = [[0x80; 8]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut index, mut count) = (0, 0);
        while index < 8 {
            if mask >> index & 1 == 1 {
                table[mask][count] = index as u8;
                count += 1;
            }
            index += 1;
        }
        mask += 1;
    }
    table
};

/// For each mask and each place, which of the kept bytes goes there; a number with its highest bit set where
/// a zero goes.
static UNPACK: [[u8; 8]; 256] = {
    let mut table = [[0x80; 8]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut index, mut count) = (0, 0);
        while index < 8 {
            if mask >> index & 1 == 1 {
                table[mask][index] = count;
                count += 1;
            }
            index += 1;
        }
        mask += 1;
    }
    table
};

/// Packs 16 bytes at a time, each half by a table.
pub(super) fn pack_by_table(
    now: &[u8],
    before: &[u8],
    masks: &mut [MaybeUninit<u8>],
    kept: &mut [MaybeUninit<u8>],
) -> usize {
    assert!(has_ssse3(), "the processor was asked before");
    // SAFETY: the processor has what the function needs.
    unsafe { pack_ssse3(now, before, masks, kept) }
}

#[target_feature(enable = "ssse3,popcnt")]
fn pack_ssse3(
    now: &[u8],
    before: &[u8],
    masks: &mut [MaybeUninit<u8>],
    kept: &mut [MaybeUninit<u8>],
) -> usize {
    let (now, last_now) = now.as_chunks::<16>();
    let (before, last_before) = before.as_chunks::<16>();
    let (places, last_masks) = masks.as_chunks_mut::<2>();
    let mut len = 0;
    for ((now, before), mask) in now.iter().zip(before).zip(places) {
        // SAFETY: there are 16 bytes, of any alignment.
        let now = unsafe { _mm_loadu_si128(now.as_ptr().cast()) };
        // SAFETY: as before.
        let before = unsafe { _mm_loadu_si128(before.as_ptr().cast()) };
        let difference = _mm_xor_si128(now, before);
        let zeros = _mm_movemask_epi8(_mm_cmpeq_epi8(difference, _mm_setzero_si128()));
        let bits = (!zeros as u16).to_le_bytes();
        let low = _mm_shuffle_epi8(difference, row(&PACK, bits[0]));
        let high = _mm_shuffle_epi8(_mm_srli_si128::<8>(difference), row(&PACK, bits[1]));
        let middle = len + bits[0].count_ones() as usize;
        let place = &mut kept[len..len + 2 * WORD];
        place[..WORD].write_copy_of_slice(&_mm_cvtsi128_si64(low).to_le_bytes());
        place[middle - len..][..WORD].write_copy_of_slice(&_mm_cvtsi128_si64(high).to_le_bytes());
        mask.write_copy_of_slice(&bits);
        len = middle + bits[1].count_ones() as usize;
    }
    len + portable::pack(last_now, last_before, last_masks, &mut kept[len..])
}

/// Unpacks eight bytes at a time by a table.
pub(super) fn unpack_by_table(masks: &[u8], kept: &[u8], to: &mut [u8]) -> usize {
    assert!(has_ssse3(), "the processor was asked before");
    // SAFETY: the processor has what the function needs.
    unsafe { unpack_ssse3(masks, kept, to) }
}

#[target_feature(enable = "ssse3,popcnt")]
fn unpack_ssse3(masks: &[u8], kept: &[u8], to: &mut [u8]) -> usize {
    let (mut used, mut done) = (0, 0);
    for (&mask, word) in masks.iter().zip(to.as_chunks_mut::<WORD>().0) {
        // Near the end there are not as many bytes left as are loaded.
        let Some(packed) = kept[used..].first_chunk::<WORD>() else { break };
        let packed = _mm_cvtsi64_si128(i64::from_le_bytes(*packed));
        let difference = _mm_shuffle_epi8(packed, row(&UNPACK, mask));
        *word = _mm_cvtsi128_si64(difference).to_le_bytes();
        used += mask.count_ones() as usize;
        done += 1;
    }
    used + portable::unpack(&masks[done..], &kept[used..], &mut to[done * WORD..])
}

/// A row of a table, in the lower half of a register.
#[inline]
#[target_feature(enable = "ssse3")]
fn row(table: &[[u8; 8]; 256], mask: u8) -> __m128i {
    _mm_cvtsi64_si128(i64::from_le_bytes(table[usize::from(mask)]))
}
