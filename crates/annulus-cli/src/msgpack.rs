//! The values of a stream of MessagePack, one after the other. Each says by itself where it ends, whatever is in it.

use std::{
    fmt,
    io::{self, BufRead},
};

use serde::Deserialize;
use serde_json::Value;

use crate::run::lines::{MAX_ROW, RowTooLong};

/// The values of an input.
pub(crate) struct Values {
    from: Box<dyn BufRead>,
    /// How many bytes of the input were read.
    read: u64,
    /// The last value, or as much of it as was read.
    value: Vec<u8>,
}

/// Why there is no value, and none after it.
#[derive(Debug)]
pub(crate) enum Damage {
    /// The input cannot be read.
    Io(io::Error),
    /// The format begins no value with this byte.
    Unused { at: u64 },
    /// The input ends inside a value.
    End { began: u64, at: u64 },
    /// A value has more bytes than a message may have.
    TooLong { began: u64 },
}

impl Damage {
    /// A word for it.
    pub(crate) fn cause(&self) -> &'static str {
        match self {
            Self::Io(_) => "io",
            Self::Unused { .. } | Self::End { .. } => "damaged",
            Self::TooLong { .. } => "too_long",
        }
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::Unused { at } => write!(
                f,
                "damaged at byte {at} of the input: 0xc1 begins no value of MessagePack; where the next one begins is not \
                 known"
            ),
            Self::End { began, at } => write!(
                f,
                "damaged or cut off: the value that begins at byte {began} of the input is not whole at its end, byte {at}"
            ),
            Self::TooLong { began } => write!(
                f,
                "the value that begins at byte {began} of the input is {RowTooLong}: check that this is MessagePack"
            ),
        }
    }
}

impl Values {
    pub(crate) fn new(from: Box<dyn BufRead>) -> Self {
        Self { from, read: 0, value: Vec::new() }
    }

    /// The bytes of the next value; `None` at the end. Only its structure is looked at.
    pub(crate) fn next(&mut self) -> Result<Option<&[u8]>, Damage> {
        self.value.clear();
        let began = self.read;
        if self.from.fill_buf().map_err(Damage::Io)?.is_empty() {
            return Ok(None);
        }
        // Values that are still to come: a map or an array brings its own.
        let mut left = 1_u64;
        while left != 0 {
            left -= 1;
            let Shape { length, bytes, values } = match self.byte(began)? {
                0xC1 => return Err(Damage::Unused { at: self.read - 1 }),
                marker => Shape::of(marker),
            };
            let mut number = 0_u64;
            for _ in 0..length {
                number = number << 8 | u64::from(self.byte(began)?);
            }
            let bytes = bytes + if values == 0 { number } else { 0 };
            self.take(began, bytes)?;
            left += values.saturating_mul(if length == 0 { 1 } else { number });
        }
        Ok(Some(&self.value))
    }

    /// The value that came last, or what was read of it.
    pub(crate) fn last(&self) -> &[u8] {
        &self.value
    }

    fn byte(&mut self, began: u64) -> Result<u8, Damage> {
        self.take(began, 1)?;
        Ok(*self.value.last().expect("a byte was taken"))
    }

    /// Reads so many bytes of the value that began there.
    fn take(&mut self, began: u64, mut count: u64) -> Result<(), Damage> {
        if self.value.len() as u64 + count > MAX_ROW as u64 {
            return Err(Damage::TooLong { began });
        }
        while count != 0 {
            let there = self.from.fill_buf().map_err(Damage::Io)?;
            if there.is_empty() {
                return Err(Damage::End { began, at: self.read });
            }
            // Fewer than a message may have.
            let some = there.len().min(count as usize);
            self.value.extend_from_slice(&there[..some]);
            self.from.consume(some);
            self.read += some as u64;
            count -= some as u64;
        }
        Ok(())
    }
}

/// What follows the first byte of a value. Source: the specification of MessagePack, "Formats".
struct Shape {
    /// Bytes of a number, the length or the count of what follows.
    length: u8,
    /// Bytes after it, beside those that the number says.
    bytes: u64,
    /// Values after it, or for each that the number counts; 0 if the number counts bytes.
    values: u64,
}

impl Shape {
    fn of(marker: u8) -> Self {
        let (length, bytes, values) = match marker {
            0x80..=0x8F => (0, 0, 2 * u64::from(marker & 0x0F)), // a map
            0x90..=0x9F => (0, 0, u64::from(marker & 0x0F)),     // an array
            0xA0..=0xBF => (0, u64::from(marker & 0x1F), 0),     // text
            0xC4..=0xC6 => (1 << (marker - 0xC4), 0, 0),         // bytes
            0xC7..=0xC9 => (1 << (marker - 0xC7), 1, 0),         // an extension, with its type
            0xCA => (0, 4, 0),                                   // floats
            0xCB => (0, 8, 0),
            0xCC..=0xCF => (0, 1 << (marker - 0xCC), 0), // numbers
            0xD0..=0xD3 => (0, 1 << (marker - 0xD0), 0),
            0xD4..=0xD8 => (0, 1 + (1 << (marker - 0xD4)), 0), // an extension of a fixed size
            0xD9..=0xDB => (1 << (marker - 0xD9), 0, 0),       // text
            0xDC..=0xDD => (2 << (marker - 0xDC), 0, 1),       // an array
            0xDE..=0xDF => (2 << (marker - 0xDE), 0, 2),       // a map
            _ => (0, 0, 0),                                    // small numbers, nil, true and false
        };
        Self { length, bytes, values }
    }
}

/// How deep values in values are read. Source: as deep as serde_json reads JSON.
const DEPTH: usize = 128;

/// Reads one value.
pub(crate) fn reader(value: &[u8]) -> rmp_serde::Deserializer<rmp_serde::decode::ReadReader<&[u8]>> {
    let mut reader = rmp_serde::Deserializer::new(value);
    reader.set_max_depth(DEPTH);
    reader
}

/// A value as people read it: as JSON, or as it is, if JSON has no such value.
pub(crate) fn shown(value: &[u8]) -> Vec<u8> {
    let json = Value::deserialize(&mut reader(value)).ok();
    json.and_then(|json| serde_json::to_vec(&json).ok()).unwrap_or_else(|| value.into())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn values(bytes: &[u8]) -> (Vec<Vec<u8>>, Option<String>) {
        let mut values = Values::new(Box::new(io::Cursor::new(bytes.to_vec())));
        let mut found = Vec::new();
        loop {
            match values.next() {
                Ok(Some(value)) => found.push(value.to_vec()),
                Ok(None) => return (found, None),
                Err(damage) => return (found, Some(damage.to_string())),
            }
        }
    }

    /// Each of every format ends where an encoder has ended it.
    #[test]
    fn values_end_where_they_were_ended() {
        let text = |length: usize| json!("x".repeat(length));
        let mut all: Vec<Vec<u8>> = [
            json!(null),
            json!(true),
            json!(7),
            json!(-3),
            json!(200),
            json!(60_000),
            json!(4_000_000_000_u64),
            json!(u64::MAX),
            json!(-100),
            json!(-30_000),
            json!(-2_000_000_000),
            json!(i64::MIN),
            json!(0.5),
            text(0),
            text(31),
            text(32),
            text(300),
            text(70_000),
            json!([]),
            json!([1, [2, {"a": [3]}]]),
            json!(vec![1; 20]),
            json!(vec![1; 70_000]),
            json!({"a": {"b": {}}, "c": "d"}),
            Value::Object((0..20).map(|i| (i.to_string(), json!(i))).collect()),
            Value::Object((0..70_000).map(|i| (i.to_string(), json!(i))).collect()),
        ]
        .iter()
        .map(|value| rmp_serde::to_vec(value).unwrap())
        .collect();
        // What JSON has not: short floats, bytes, extensions.
        all.extend([
            vec![0xCA, 1, 2, 3, 4],
            [vec![0xC4, 3], vec![1; 3]].concat(),
            [vec![0xC5, 1, 0], vec![1; 256]].concat(),
            [vec![0xC6, 0, 1, 0, 0], vec![1; 65_536]].concat(),
            [vec![0xC7, 3, 9], vec![1; 3]].concat(),
            [vec![0xC8, 1, 0, 9], vec![1; 256]].concat(),
            [vec![0xC9, 0, 1, 0, 0, 9], vec![1; 65_536]].concat(),
        ]);
        all.extend((0..5).map(|power| [vec![0xD4 + power, 9], vec![1; 1 << power]].concat()));
        assert_eq!(values(&all.concat()), (all, None));
    }

    #[test]
    fn damage_is_told_with_its_place() {
        let (found, told) = values(&[7, 0x92, 1, 0xC1, 5]);
        assert_eq!(found, [[7]]);
        assert!(
            told.as_ref().is_some_and(|told| told.starts_with("damaged at byte 3 of the input")),
            "{told:?}"
        );
        let (found, told) = values(&[7, 0xA5, b'a', b'b']);
        assert_eq!(found, [[7]]);
        let words = "the value that begins at byte 1 of the input is not whole at its end, byte 4";
        assert!(told.as_ref().is_some_and(|told| told.ends_with(words)), "{told:?}");
        let (_, told) = values(&[0xDB, 0xFF, 0xFF, 0xFF, 0xFF, 1]);
        assert!(
            told.as_ref().is_some_and(|told| told.contains("byte 0 of the input is longer than 1 MiB")),
            "{told:?}"
        );
    }

    /// However deep it is, and however many values it says to have.
    #[test]
    fn depth_takes_no_stack() {
        let mut deep = vec![0x91; 500_000];
        deep.push(1);
        assert_eq!(values(&deep).0.len(), 1);
        let (_, told) = values(&vec![0xDF; 400_000]);
        assert!(told.is_some());
        assert_eq!(shown(&deep), deep, "what JSON does not have stays as it is");
        assert_eq!(shown(&[0x81, 0xA1, b'a', 1]), b"{\"a\":1}");
    }
}
