//! Kernels that read text.

use annulus_macros::{DeviceType, RingMessage, device_fn, device_impl, ring_kernel};
use annulus_runtime::prelude::Outbox;

use super::{Bytes, Checksum};

/// How many bytes the character has that begins with these bytes; `None` if they begin none.
#[device_fn]
fn character(bytes: &[u8]) -> Option<usize> {
    let first = *bytes.first()?;
    // The second byte's range leaves out what could be written shorter, surrogates, and what is beyond U+10FFFF.
    let (len, second) = match first {
        0x00..=0x7F => return Some(1),
        0xC2..=0xDF => (2, (0x80, 0xBF)),
        0xE0 => (3, (0xA0, 0xBF)),
        0xED => (3, (0x80, 0x9F)),
        0xE1..=0xEF => (3, (0x80, 0xBF)),
        0xF0 => (4, (0x90, 0xBF)),
        0xF1..=0xF3 => (4, (0x80, 0xBF)),
        0xF4 => (4, (0x80, 0x8F)),
        _ => return None,
    };
    let (low, high) = second;
    let next = *bytes.get(1)?;
    if next < low || next > high {
        return None;
    }
    for byte in bytes.get(2..len)? {
        if byte & 0xC0 != 0x80 {
            return None;
        }
    }
    Some(len)
}

/// Text as far as it is valid.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Valid {
    pub bytes: u8,
    pub characters: u8,
}

/// How much of a text is valid UTF-8.
#[ring_kernel]
pub fn utf8(text: &Bytes, answers: &Outbox<Valid>) {
    let text = &text.bytes[..usize::from(text.len).min(31)];
    let mut at = 0;
    let mut characters = 0;
    while let Some(len) = character(&text[at..]) {
        at += len;
        characters += 1;
    }
    answers.send(Valid { bytes: at as u8, characters });
}

/// What a text begins with.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(u32)]
pub enum Token {
    Integer {
        value: i64,
        len: u8,
    },
    /// The value is `digits` times a power of ten.
    Real {
        digits: i64,
        exponent: i32,
        len: u8,
    },
    TooLong,
    None,
}

/// Where in a text one is.
#[derive(DeviceType, Clone, Copy, Debug)]
#[repr(C)]
pub struct Cursor {
    pub at: u8,
    pub digits: u8,
}

#[device_impl]
impl Cursor {
    /// Takes digits into `value`; `None` if it becomes too large.
    fn number(&mut self, text: &Bytes, value: &mut i64) -> Option<()> {
        self.digits = 0;
        while let Some(&digit @ b'0'..=b'9') = text.bytes.get(usize::from(self.at)) {
            if self.at >= text.len {
                break;
            }
            *value = value.checked_mul(10)?.checked_add(i64::from(digit - b'0'))?;
            self.at += 1;
            self.digits += 1;
        }
        Some(())
    }

    /// Takes this letter, if it comes next.
    fn letter(&mut self, text: &Bytes, letter: u8) -> bool {
        let there = self.at < text.len && text.bytes.get(usize::from(self.at)).copied() == Some(letter);
        self.at += u8::from(there);
        there
    }
}

/// The number at the beginning of a text, as JSON writes numbers.
#[device_fn]
fn json_token(text: &Bytes) -> Option<Token> {
    let mut cursor = Cursor { at: 0, digits: 0 };
    let negative = cursor.letter(text, b'-');
    let mut value = 0;
    let mut exponent = 0;
    if cursor.letter(text, b'0') {
        cursor.digits = 1;
    } else {
        cursor.number(text, &mut value)?;
    }
    if cursor.digits == 0 {
        return Some(Token::None);
    }
    let mut end = cursor;
    if cursor.letter(text, b'.') {
        cursor.number(text, &mut value)?;
        if cursor.digits > 0 {
            exponent = -i32::from(cursor.digits);
            end = cursor;
        }
    }
    if end.at == cursor.at && (cursor.letter(text, b'e') || cursor.letter(text, b'E')) {
        let down = cursor.letter(text, b'-');
        if !down {
            cursor.letter(text, b'+');
        }
        let mut power = 0;
        cursor.number(text, &mut power)?;
        if cursor.digits > 0 {
            if power > 9999 {
                return None;
            }
            exponent += if down { -(power as i32) } else { power as i32 };
            end = cursor;
        }
    }
    let value = if negative { -value } else { value };
    let len = end.at;
    Some(if exponent == 0 {
        Token::Integer { value, len }
    } else {
        Token::Real { digits: value, exponent, len }
    })
}

/// Reads a number as JSON writes it.
#[ring_kernel]
pub fn json_number(text: &Bytes, tokens: &Outbox<Token>) {
    tokens.send(json_token(text).unwrap_or(Token::TooLong));
}

/// Two words.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Words {
    pub lens: [u8; 2],
    pub first: [u8; 15],
    pub second: [u8; 15],
}

/// Levenshtein's distance: how many letters must be put in, taken out or replaced to make one word of the other.
#[ring_kernel]
pub fn levenshtein(words: &Words, distances: &Outbox<Checksum>) {
    let first = &words.first[..usize::from(words.lens[0]).min(15)];
    let second = &words.second[..usize::from(words.lens[1]).min(15)];
    let mut row = [0u32; 16];
    for (i, distance) in row.iter_mut().enumerate() {
        *distance = i as u32;
    }
    for (i, a) in first.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i as u32 + 1;
        for (j, b) in second.iter().enumerate() {
            let replaced = diagonal + u32::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    distances.send(Checksum { value: row[second.len()] });
}

/// The next base of a strand.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Base {
    #[ring(key)]
    pub strand: u32,
    pub base: u8,
}

/// The last row of an alignment's table, and its greatest score.
#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Alignment {
    pub row: [i16; 16],
    pub best: i16,
    pub at: u32,
}

/// A better place to align the probe with, by its last base.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Alike {
    pub strand: u32,
    pub end: u32,
    pub score: i16,
}

/// Smith and Waterman's alignment of a strand that comes base by base with a probe of 16: 2 for a match, -1 for a mismatch or a gap.
#[ring_kernel]
pub fn smith_waterman(base: &Base, alignment: &mut Alignment, probe: &[u8; 16], alike: &Outbox<Alike>) {
    alignment.at = alignment.at.wrapping_add(1);
    let before = alignment.row;
    let mut left = 0i16;
    let mut best = 0;
    for (i, (score, letter)) in alignment.row.iter_mut().zip(probe).enumerate() {
        let diagonal = if i == 0 { 0 } else { before[i - 1] };
        let step = if *letter == base.base { 2 } else { -1 };
        let gap = left.max(before[i]).saturating_sub(1);
        left = diagonal.saturating_add(step).max(gap).max(0);
        *score = left;
        best = best.max(left);
    }
    if best > alignment.best {
        alignment.best = best;
        alike.send(Alike { strand: base.strand, end: alignment.at, score: best });
    }
}
