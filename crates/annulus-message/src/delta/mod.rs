//! Records of one size, as their differences. Each byte is combined by exclusive or with the byte at the same
//! place in the record before. Then the bytes that are zero are left out.
//!
//! Telemetry, orders and readings differ little from one to the next: counters, times and names share their
//! high bytes, floats often their low ones. The output begins with one byte for each eight bytes of the
//! input; its bits, lowest first, say which of them are not zero. Then come these. No state is kept between
//! calls, so each batch can be read by itself.
//!
//! # Speed
//!
//! Bytes that are left out are the one thing that the compiler does not vectorise: where a byte goes depends
//! on all before it. So there are three versions of that step: one in plain Rust; one for processors that
//! shuffle bytes by a table (SSSE3, on all x86-64 processors of the last 15 years); one for those that pack
//! bytes by a mask (AVX-512 VBMI2). The processor is asked at run time. All write the same bytes.

use std::{fmt, mem::MaybeUninit};

mod portable;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86;

/// Bytes that one byte of the output's beginning is for.
const WORD: usize = 8;

/// How many bytes a version may write, or look at, after those that count.
const SLACK: usize = 64;

/// Writes the masks of the differences between two parts of equal length, a multiple of [`WORD`], and the
/// bytes that are not zero. Returns how many of these there are. `kept` has room for as many bytes as the
/// parts have, and [`SLACK`] more.
type Pack =
    fn(now: &[u8], before: &[u8], masks: &mut [MaybeUninit<u8>], kept: &mut [MaybeUninit<u8>]) -> usize;

/// Writes the differences that these masks and bytes are, and returns how many bytes that took. There are as
/// many masks as `to` has words, and at least as many bytes as they have bits.
type Unpack = fn(masks: &[u8], kept: &[u8], to: &mut [u8]) -> usize;

/// The versions for this processor.
#[cfg(target_arch = "x86_64")]
fn versions() -> (Pack, Unpack) {
    x86::versions().unwrap_or((portable::pack, portable::unpack))
}

/// The versions for this processor.
#[cfg(not(target_arch = "x86_64"))]
fn versions() -> (Pack, Unpack) {
    (portable::pack, portable::unpack)
}

/// The largest size of `len` bytes after compression.
pub fn bound(len: usize) -> usize {
    len.div_ceil(WORD) + len
}

/// Appends `records`, compressed. Each record has `size` bytes; the last one may be incomplete.
///
/// The output may be longer than the input, by up to an eighth.
///
/// # Panics
///
/// If `size` is 0.
///
/// ```
/// use annulus_message::delta;
///
/// let records: Vec<u8> = (0..64u64).flat_map(|i| [i, 1 << 40, 7]).flat_map(u64::to_le_bytes).collect();
/// let mut packed = Vec::new();
/// delta::compress(&records, 24, &mut packed);
/// assert!(packed.len() * 4 < records.len());
///
/// let mut back = vec![0; records.len()];
/// delta::decompress(&packed, 24, &mut back)?;
/// assert_eq!(back, records);
/// # Ok::<(), delta::Malformed>(())
/// ```
pub fn compress(records: &[u8], size: usize, to: &mut Vec<u8>) {
    compress_by(versions().0, records, size, to);
}

fn compress_by(pack: Pack, records: &[u8], size: usize, to: &mut Vec<u8>) {
    const ZEROS: [u8; 1024] = [0; 1024];
    assert_ne!(size, 0, "a record has bytes");
    let words = records.len().div_ceil(WORD);
    to.reserve(words + words * WORD + SLACK);
    let (masks, kept) = to.spare_capacity_mut().split_at_mut(words);
    let mut len = 0;
    let mut part = |begin: usize, now: &[u8], before: &[u8]| {
        let masks = &mut masks[begin / WORD..][..now.len() / WORD];
        len += pack(now, before, masks, &mut kept[len..]);
    };
    // The first record has no record before it. A word may have bytes of both, and the last word may be
    // short.
    let whole = records.len() / WORD * WORD;
    let first = (size / WORD * WORD).min(whole);
    for (index, now) in records[..first].chunks(ZEROS.len()).enumerate() {
        part(index * ZEROS.len(), now, &ZEROS[..now.len()]);
    }
    let second = size.next_multiple_of(WORD).min(whole);
    if first < second {
        part(first, &difference(records, first, size), &[0; WORD]);
    }
    if second < whole {
        part(second, &records[second..whole], &records[second - size..whole - size]);
    }
    if whole < records.len() {
        part(whole, &difference(records, whole, size), &[0; WORD]);
    }
    let len = to.len() + words + len;
    // SAFETY: the capacity was reserved. The parts cover all words in order: so each mask was written, and so
    // were the bytes that they say are kept.
    unsafe { to.set_len(len) };
}

/// Up to eight bytes from `at` on, combined with those of the record before, if there is one.
fn difference(records: &[u8], at: usize, size: usize) -> [u8; WORD] {
    let mut word = [0; WORD];
    for (offset, byte) in word.iter_mut().enumerate() {
        let Some(now) = records.get(at + offset) else { break };
        let before = (at + offset).checked_sub(size).map_or(0, |place| records[place]);
        *byte = now ^ before;
    }
    word
}

/// Bytes that are not the compressed form of any records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("these are no differences of as many records")
    }
}

impl std::error::Error for Malformed {}

/// Writes the records that were compressed as `packed`: exactly as many bytes as `to` has. `packed` may come
/// from anywhere.
///
/// # Errors
///
/// [`Malformed`] if `packed` is not the compressed form of that many bytes. The contents of `to` are then
/// meaningless.
///
/// # Panics
///
/// If `size` is 0.
pub fn decompress(packed: &[u8], size: usize, to: &mut [u8]) -> Result<(), Malformed> {
    decompress_by(versions().1, packed, size, to)
}

fn decompress_by(unpack: Unpack, packed: &[u8], size: usize, to: &mut [u8]) -> Result<(), Malformed> {
    assert_ne!(size, 0, "a record has bytes");
    let (masks, kept) = packed.split_at_checked(to.len().div_ceil(WORD)).ok_or(Malformed)?;
    if bits(masks) != kept.len() {
        return Err(Malformed);
    }
    let whole = to.len() / WORD * WORD;
    let (words, rest) = to.split_at_mut(whole);
    let (masks, last) = masks.split_at(whole / WORD);
    let used = unpack(masks, kept, words);
    if let [mask] = *last {
        // The last word is short, and has nothing after its end.
        if u32::from(mask) >= 1 << rest.len() {
            return Err(Malformed);
        }
        let mut word = [0; WORD];
        portable::unpack(last, &kept[used..], &mut word);
        rest.copy_from_slice(&word[..rest.len()]);
    }
    match size {
        8 => combine_fixed::<8>(to),
        16 => combine_fixed::<16>(to),
        24 => combine_fixed::<24>(to),
        32 => combine_fixed::<32>(to),
        48 => combine_fixed::<48>(to),
        64 => combine_fixed::<64>(to),
        96 => combine_fixed::<96>(to),
        128 => combine_fixed::<128>(to),
        size => combine(to, size, size),
    }
    Ok(())
}

/// How many bits are set.
fn bits(masks: &[u8]) -> usize {
    let (words, rest) = masks.as_chunks::<8>();
    let of_words: u32 = words.iter().map(|word| u64::from_le_bytes(*word).count_ones()).sum();
    let of_rest: u32 = rest.iter().map(|mask| mask.count_ones()).sum();
    (of_words + of_rest) as usize
}

/// [`combine`] for records of a size that the compiler knows.
fn combine_fixed<const SIZE: usize>(bytes: &mut [u8]) {
    let (records, _) = bytes.as_chunks_mut::<SIZE>();
    let mut before = [0; SIZE];
    for record in records.iter_mut() {
        for (byte, before) in record.iter_mut().zip(before) {
            *byte ^= before;
        }
        before = *record;
    }
    let whole = records.len() * SIZE;
    combine(bytes, SIZE, whole.max(SIZE));
}

/// Restores each record from its difference and the record before, from the record at `at` on.
fn combine(bytes: &mut [u8], size: usize, mut at: usize) {
    while at < bytes.len() {
        let (before, now) = bytes.split_at_mut(at);
        let before = &before[at - size..];
        for (byte, before) in now.iter_mut().zip(before) {
            *byte ^= before;
        }
        at += size;
    }
}
