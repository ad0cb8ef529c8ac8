//! Codes: bytes that stand for others.

use annulus_macros::{RingMessage, device_fn, device_impl, ring_kernel};
use annulus_runtime::prelude::{Failure, Outbox};

use super::Bytes;

/// A run of equal bytes.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Run {
    pub byte: u8,
    pub count: u8,
}

/// Run-length coding.
#[ring_kernel(max_outputs = 31)]
pub fn run_length(bytes: &Bytes, runs: &Outbox<Run>) {
    let len = usize::from(bytes.len).min(31);
    let mut at = 0;
    while at < len {
        let byte = bytes.bytes[at];
        let mut count = 1;
        while at + count < len && bytes.bytes[at + count] == byte {
            count += 1;
        }
        runs.send(Run { byte, count: count as u8 });
        at += count;
    }
}

/// There are fewer bytes than the message says.
pub const TOO_SHORT: Failure = Failure::of(110);

/// Up to 44 letters.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Letters {
    pub len: u8,
    pub letters: [u8; 44],
}

const BASE_64: [u8; 64] = *b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes as letters: base64 with padding (RFC 4648).
#[ring_kernel]
pub fn base64_encode(bytes: &Bytes, texts: &Outbox<Letters>) -> Result<(), Failure> {
    let Some(input) = bytes.bytes.get(..usize::from(bytes.len)) else { return Err(TOO_SHORT) };
    let mut letters = [0; 44];
    let mut len = 0;
    for chunk in input.chunks(3) {
        let mut word = 0u32;
        for (i, byte) in chunk.iter().enumerate() {
            word |= u32::from(*byte) << (16 - 8 * i);
        }
        for i in 0..4 {
            let letter = BASE_64[(word >> (18 - 6 * i) & 63) as usize];
            letters[len] = if i <= chunk.len() { letter } else { b'=' };
            len += 1;
        }
    }
    texts.send(Letters { len: len as u8, letters });
    Ok(())
}

/// The bytes that a text stands for, or where it is none.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Decoded {
    Bytes { len: u8, bytes: [u8; 31] },
    Wrong { at: u8 },
}

/// What a letter of base64 stands for.
#[device_fn]
fn sextet(letter: u8) -> Option<u32> {
    let value = match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(value.into())
}

/// Letters as bytes: base64 back again. Padding may only stand at the end.
#[ring_kernel]
pub fn base64_decode(text: &Letters, decoded: &Outbox<Decoded>) {
    let len = usize::from(text.len).min(40);
    let mut bytes = [0; 31];
    let mut filled = 0;
    for (quad, letters) in text.letters[..len].chunks(4).enumerate() {
        let last = quad * 4 + 4 >= len;
        let mut word = 0;
        let mut count = 0;
        for (i, letter) in letters.iter().enumerate() {
            match sextet(*letter) {
                Some(value) if count == i => {
                    word |= value << (18 - 6 * i);
                    count += 1;
                }
                None if last && *letter == b'=' && i >= 2 => {}
                _ => {
                    decoded.send(Decoded::Wrong { at: (quad * 4 + i) as u8 });
                    return;
                }
            }
        }
        if letters.len() < 4 {
            decoded.send(Decoded::Wrong { at: len as u8 });
            return;
        }
        for i in 1..count {
            bytes[filled] = (word >> (24 - 8 * i)) as u8;
            filled += 1;
        }
    }
    decoded.send(Decoded::Bytes { len: filled as u8, bytes });
}

/// A number that was decoded.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Decimal {
    pub value: u64,
}

/// A number goes on behind the last byte.
pub const UNFINISHED: Failure = Failure::of(111);
/// A number has more than 64 bits.
pub const TOO_LARGE: Failure = Failure::of(112);

/// The number that begins at `at`, which moves behind it.
#[device_fn]
fn leb128(bytes: &[u8], at: &mut usize) -> Result<u64, Failure> {
    let mut value = 0;
    let mut shift = 0;
    loop {
        let byte = *bytes.get(*at).ok_or(UNFINISHED)?;
        *at += 1;
        let bits = u64::from(byte & 0x7F);
        if shift > 63 || bits << shift >> shift != bits {
            return Err(TOO_LARGE);
        }
        value |= bits << shift;
        if byte & 0x80 == 0 {
            return Ok(value);
        }
        shift += 7;
    }
}

/// Numbers of varying length (LEB128, as in WebAssembly and protocol buffers), one after the other.
#[ring_kernel(max_outputs = 31)]
pub fn varints(bytes: &Bytes, numbers: &Outbox<Decimal>) -> Result<(), Failure> {
    let input = &bytes.bytes[..usize::from(bytes.len).min(31)];
    let mut at = 0;
    while at < input.len() {
        numbers.send(Decimal { value: leb128(input, &mut at)? });
    }
    Ok(())
}

/// What a compressed block holds; `whole` unless its end is missing, wrong, or too long.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Unpacked {
    pub len: u8,
    pub whole: bool,
    pub bytes: [u8; 64],
}

#[device_impl]
impl Unpacked {
    /// Adds a byte, if there is room.
    fn push(&mut self, byte: u8) -> Option<()> {
        let place = self.bytes.get_mut(usize::from(self.len))?;
        *place = byte;
        self.len += 1;
        Some(())
    }
}

/// A length of LZ4: four bits, and if they are all set, bytes to add, up to the first that is not 255.
#[device_fn]
fn lz4_length(bytes: &[u8], at: &mut usize, bits: u8) -> Option<usize> {
    let mut length = usize::from(bits);
    let mut more = bits == 15;
    while more {
        let byte = bytes.get(*at).copied()?;
        *at += 1;
        length += usize::from(byte);
        more = byte == 255;
    }
    Some(length)
}

/// Unpacks all sequences of a block; `None` where it is no such block.
#[device_fn]
fn lz4_unpack(bytes: &[u8], out: &mut Unpacked) -> Option<()> {
    let mut at = 0;
    loop {
        let token = bytes.get(at).copied()?;
        at += 1;
        let literals = lz4_length(bytes, &mut at, token >> 4)?;
        for _ in 0..literals {
            out.push(bytes.get(at).copied()?)?;
            at += 1;
        }
        if at == bytes.len() {
            return Some(());
        }
        let offset = u16::from_le_bytes([bytes.get(at).copied()?, bytes.get(at + 1).copied()?]);
        at += 2;
        let matched = lz4_length(bytes, &mut at, token & 15)? + 4;
        let from = usize::from(out.len).checked_sub(offset.into())?;
        if offset == 0 {
            return None;
        }
        for i in from..from + matched {
            out.push(out.bytes.get(i).copied()?)?;
        }
    }
}

/// Unpacks a block of LZ4: literals, and copies of what stands before.
#[ring_kernel]
pub fn lz4(bytes: &Bytes, blocks: &Outbox<Unpacked>) {
    let mut out = Unpacked { len: 0, whole: false, bytes: [0; 64] };
    out.whole = lz4_unpack(&bytes.bytes[..usize::from(bytes.len).min(31)], &mut out).is_some();
    blocks.send(out);
}

/// How many codes of each length there are, from none of length 0; and what they stand for, by length.
pub const CODES: [u8; 6] = [0, 0, 2, 3, 1, 2];
/// See [`CODES`].
pub const SYMBOLS: [u8; 8] = *b" eaintrs";

/// Text in a canonical Huffman code (RFC 1951 says how such a code is numbered), most frequent letters shortest.
#[ring_kernel]
pub fn huffman(bytes: &Bytes, texts: &Outbox<Letters>) {
    let mut text = Letters { len: 0, letters: [0; 44] };
    let (mut code, mut first, mut index, mut length) = (0u32, 0, 0, 0);
    'bytes: for byte in &bytes.bytes[..usize::from(bytes.len).min(31)] {
        for bit in (0..8).rev() {
            length += 1;
            let Some(&count) = CODES.get(length) else { break 'bytes };
            code |= u32::from(byte >> bit & 1);
            if code < first + u32::from(count) {
                if usize::from(text.len) == text.letters.len() {
                    break 'bytes;
                }
                text.letters[usize::from(text.len)] = SYMBOLS[(index + code - first) as usize];
                text.len += 1;
                (code, first, index, length) = (0, 0, 0, 0);
                continue;
            }
            index += u32::from(count);
            first = (first + u32::from(count)) << 1;
            code <<= 1;
        }
    }
    texts.send(text);
}

/// What a Reed–Solomon code tells of a word; all 0 if the word is right.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Syndromes {
    pub values: [u8; 4],
}

/// A product in the field of 256 elements, modulo x⁸ + x⁴ + x³ + x² + 1.
#[device_fn]
pub const fn gf_product(mut a: u8, mut b: u8) -> u8 {
    let mut product = 0;
    while b != 0 {
        if b & 1 != 0 {
            product ^= a;
        }
        a = (a << 1) ^ ((a >> 7) * 0x1D);
        b >>= 1;
    }
    product
}

/// Reed–Solomon: the word as a polynomial, its first byte the highest, at the first four powers of 2.
#[ring_kernel]
pub fn reed_solomon(word: &Bytes, syndromes: &Outbox<Syndromes>) -> Result<(), Failure> {
    let Some(word) = word.bytes.get(..word.len.into()) else { return Err(TOO_SHORT) };
    let mut values = [0; 4];
    let mut root = 1;
    for value in &mut values {
        for byte in word {
            *value = gf_product(*value, root) ^ byte;
        }
        root = gf_product(root, 2);
    }
    syndromes.send(Syndromes { values });
    Ok(())
}
