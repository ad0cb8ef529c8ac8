//! How a message becomes bytes.

use crate::{DecodeError, EncodeError, Schema};

/// The most bytes that a payload has.
pub const MAX_PAYLOAD: usize = 65_536;

/// How a message becomes bytes: written by `#[derive(RingMessage)]`, one of two ways.
///
/// | | direct | bridged |
/// |---|---|---|
/// | types | plain old data with a fixed layout: numbers, arrays, `Text<N>`, `List<T, N>` | `String`, `Vec`, `Option`, `BTreeMap`, `Arc<str>`, enums, nesting |
/// | bytes | those of the value, little-endian | an archive that is read in place |
/// | travels | through kernels' rings, queues, files, pipes | through queues, files, pipes |
pub trait Payload: Sized {
    /// Which of the two.
    const ENCODING: Encoding;

    /// The version that `#[ring(version = …)]` gives the type, or 0. It is told with its messages, and not
    /// judged: whether one can be read is what the fields say.
    const VERSION: u32 = 0;

    /// How many bytes the value's own part has, which is the payload's last: all of it if the message is
    /// direct.
    const ROOT_SIZE: usize;

    /// The type's fields, as data.
    fn schema() -> Schema;

    /// Appends the payload.
    ///
    /// # Errors
    ///
    /// If it has more than [`MAX_PAYLOAD`] bytes. Then nothing was appended.
    fn write(&self, to: &mut Vec<u8>) -> Result<(), EncodeError>;

    /// The value that was written as these bytes, which may come from anywhere.
    ///
    /// # Errors
    ///
    /// What is no value of the type, and where.
    fn read(bytes: &[u8]) -> Result<Self, DecodeError>;
}

/// How a payload is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "wire", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Encoding {
    /// The bytes of a value of fixed layout.
    Direct,
    /// An archive: rkyv 0.8's, little-endian, aligned, with offsets of 32 bits.
    Bridged,
}

impl Encoding {
    /// Its name: `direct` or `bridged`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Bridged => "bridged",
        }
    }
}
