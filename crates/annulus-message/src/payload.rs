//! How a message becomes bytes.

use crate::{DecodeError, EncodeError, Schema};

/// The largest size of a payload, in bytes.
pub const MAX_PAYLOAD: usize = 65_536;

/// How a message becomes bytes, in one of two ways; `#[derive(RingMessage)]` implements it.
///
/// | | direct | bridged |
/// |---|---|---|
/// | types | plain old data with a fixed layout: numbers, arrays, `Text<N>`, `List<T, N>` | `String`, `Vec`, `Option`, `BTreeMap`, `Arc<str>`, enums, nesting |
/// | bytes | those of the value, little-endian | an archive that is read in place |
/// | travels | to kernels and from them, through queues, files, pipes | to kernels, through queues, files, pipes |
pub trait Payload: Sized {
    /// Which of the two ways.
    const ENCODING: Encoding;

    /// The version that `#[ring(version = …)]` gives the type, or 0. It is sent with the messages for
    /// information only: the fields decide whether a message can be read.
    const VERSION: u32 = 0;

    /// The size of the value's own part, which is the last part of the payload. In a direct message it is the
    /// whole payload.
    const ROOT_SIZE: usize;

    /// The type's fields, as data.
    fn schema() -> Schema;

    /// Appends the payload.
    ///
    /// # Errors
    ///
    /// If it has more than [`MAX_PAYLOAD`] bytes. Then nothing was appended.
    fn write(&self, to: &mut Vec<u8>) -> Result<(), EncodeError>;

    /// The value that was written as these bytes. They may come from anywhere.
    ///
    /// # Errors
    ///
    /// If the bytes are no value of the type; the error says where.
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
