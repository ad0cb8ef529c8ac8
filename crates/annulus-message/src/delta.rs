//! Records of one size, as their differences. Each byte is combined by exclusive or with the byte at the same
//! place in the record before. Then, of every eight bytes, the zeros at one end are left out.
//!
//! Telemetry, orders and readings differ little from one to the next: counters, times and names share their
//! high bytes, floats often their low ones. The output begins with one half-byte for each eight bytes, low
//! half first; then come the bytes that are kept. A half-byte of up to 8 is the number of bytes that are
//! kept; the zeros after them are left out. A half-byte of 9 or more is that number plus 8; the zeros before
//! the kept bytes are left out. No state is kept between calls, so each batch can be read by itself.

use std::fmt;

/// Bytes that are compressed together.
const WORD: usize = 8;

/// The largest size of `len` bytes after compression.
pub fn bound(len: usize) -> usize {
    control_size(len) + len.next_multiple_of(WORD) + WORD
}

/// Size of the half-bytes, which say how much of each word is kept.
fn control_size(len: usize) -> usize {
    len.div_ceil(2 * WORD)
}

/// Appends `records`, compressed. Each record has `size` bytes; the last one may be incomplete.
///
/// The output may be longer than the input, by up to a sixteenth.
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
    assert_ne!(size, 0, "a record has bytes");
    let begin = to.len();
    let control = control_size(records.len());
    to.resize(begin + bound(records.len()), 0);
    let (controls, bytes) = to[begin..].split_at_mut(control);
    let mut kept = 0;
    // The first record has no record before it.
    let first = size.next_multiple_of(WORD).min(records.len());
    let mut word = |index: usize, word: u64| {
        let (behind, before) = (word.leading_zeros() / 8, word.trailing_zeros() / 8);
        let from_high = before > behind;
        let (length, shift) = (WORD as u32 - behind.max(before), if from_high { 8 * before } else { 0 });
        let code = length as u8 + (u8::from(from_high) << 3);
        controls[index / 2] |= code << (index % 2 * 4);
        // Always writes eight bytes, and keeps only those that count: this needs no branch.
        bytes[kept..][..WORD].copy_from_slice(&(word >> shift).to_le_bytes());
        kept += length as usize;
    };
    for at in (0..first).step_by(WORD) {
        word(at / WORD, difference(records, at, size));
    }
    let whole = records.len() / WORD * WORD;
    if first < whole {
        let now = records[first..whole].as_chunks::<WORD>().0;
        let before = records[first - size..whole - size].as_chunks::<WORD>().0;
        for (index, (now, before)) in now.iter().zip(before).enumerate() {
            word(first / WORD + index, u64::from_le_bytes(*now) ^ u64::from_le_bytes(*before));
        }
    }
    for at in (first.max(whole)..records.len()).step_by(WORD) {
        word(at / WORD, difference(records, at, size));
    }
    to.truncate(begin + control + kept);
}

/// Up to eight bytes from `at` on, combined with those of the record before, if there is one.
fn difference(records: &[u8], at: usize, size: usize) -> u64 {
    let mut word = [0; WORD];
    for (offset, byte) in word.iter_mut().enumerate() {
        let Some(now) = records.get(at + offset) else { break };
        let before = (at + offset).checked_sub(size).map_or(0, |place| records[place]);
        *byte = now ^ before;
    }
    u64::from_le_bytes(word)
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
    assert_ne!(size, 0, "a record has bytes");
    let len = to.len();
    let (controls, mut bytes) = packed.split_at_checked(control_size(len)).ok_or(Malformed)?;
    let words = len.div_ceil(WORD);
    let code = |index: usize| usize::from(controls[index / 2] >> (index % 2 * 4) & 0xF);
    if words % 2 == 1 && code(words) != 0 {
        return Err(Malformed);
    }
    for index in 0..words {
        let code = code(index);
        let length = if code > WORD { code - WORD } else { code };
        let shift = if code > WORD { 8 * (WORD - length) } else { 0 };
        if length > bytes.len() {
            return Err(Malformed);
        }
        let word = match bytes.first_chunk::<WORD>() {
            // Eight bytes are there; only some of them count.
            Some(word) => u64::from_le_bytes(*word) & MASKS[length],
            None => {
                let mut word = [0; WORD];
                word[..length].copy_from_slice(&bytes[..length]);
                u64::from_le_bytes(word)
            }
        } << shift;
        bytes = &bytes[length..];
        let at = index * WORD;
        match to[at..].first_chunk_mut::<WORD>() {
            Some(place) => *place = word.to_le_bytes(),
            None => {
                let rest = len - at;
                if word.to_le_bytes()[rest..].iter().any(|&byte| byte != 0) {
                    return Err(Malformed);
                }
                to[at..].copy_from_slice(&word.to_le_bytes()[..rest]);
            }
        }
    }
    if !bytes.is_empty() {
        return Err(Malformed);
    }
    combine(to, size);
    Ok(())
}

/// Masks of the bytes of a word that count, indexed by their number.
const MASKS: [u64; WORD + 1] = {
    let mut masks = [u64::MAX; WORD + 1];
    let mut length = 0;
    while length < WORD {
        masks[length] = (1 << (8 * length)) - 1;
        length += 1;
    }
    masks
};

/// Restores each record from its difference and the record before.
fn combine(records: &mut [u8], size: usize) {
    let mut at = size;
    while at < records.len() {
        let (before, now) = records.split_at_mut(at);
        let before = &before[at - size..];
        for (byte, before) in now.iter_mut().zip(before) {
            *byte ^= before;
        }
        at += size;
    }
}
