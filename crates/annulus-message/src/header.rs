//! The header before each message that leaves the process.
//!
//! | offset | bytes | what |
//! |---|---|---|
//! | 0 | 4 | the magic number `0xDCF1` |
//! | 4 | 8 | how many bytes follow the header |
//! | 12 | 8 | the message's time, or when it was written: nanoseconds since 1970 UTC |
//! | 20 | 4 | the sender |
//! | 24 | 4 | the receiver |
//! | 28 | 2 | the version of this layout: 1 |
//! | 30 | 1 | what follows: 0 messages, 1 a schema |
//! | 31 | 1 | how it is laid out: 0 direct, 1 bridged |
//! | 32 | 1 | how it is compressed: 0 not, 1 by LZ4, 3 by differences of records (2 was another form of these) |
//! | 33 | 1 | the priority |
//! | 34 | 1 | what is said of the message: bit 0 a key, bit 1 an id, bit 2 a time of its own |
//! | 35 | 1 | bytes of the name |
//! | 36 | 4 | the version of the type |
//! | 40 | 8 | the hash of the schema |
//! | 48 | 8 | the key |
//! | 56 | 8 | the id |
//! | 64 | 8 | the number of the frame in its stream, from 0 |
//! | 72 | 8 | how many bytes the payload has when it is not compressed |
//! | 80 | 4 | how many messages there are |
//! | 84 | 4 | how many bytes the value's own part has, the last of a payload |
//! | 88 | 8 | the checksum (XXH3) of what follows the header |
//! | 96 | 152 | the type's name, zeros behind it |
//! | 248 | 8 | the checksum (XXH3) of the 248 bytes before |
//!
//! Numbers are little-endian. The first five fields are the specification's; it leaves the rest free.

use std::{fmt, ops::Deref};

use crate::Encoding;

/// Bytes of a header.
pub const HEADER_SIZE: usize = 256;
/// What a header begins with.
pub const MAGIC: u32 = 0xDCF1;
/// The version of the layout.
pub const HEADER_VERSION: u16 = 1;

/// Where the header's own checksum stands.
const CHECKSUM: usize = 248;
/// Where the name stands.
const NAME: usize = 96;
/// The longest name that is stored whole.
const NAME_ROOM: usize = CHECKSUM - NAME;

/// What follows a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// One message, or several of one type.
    Messages,
    /// The schema of messages to come, as JSON.
    Schema,
}

/// How what follows a header is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    None,
    /// By LZ4, as one block.
    Lz4,
    /// As [differences of records](crate::delta).
    Delta,
}

impl Compression {
    /// Its name: `none`, `lz4` or `delta`.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Lz4 => "lz4",
            Self::Delta => "delta",
        }
    }
}

/// A header's fields. The [module](self) shows where they lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// How many bytes follow.
    pub size: u64,
    /// The message's [`timestamp`](crate::Message::timestamp), or when it was written, in nanoseconds since
    /// 1970 UTC.
    pub time: u64,
    /// Whether the message has a time of its own.
    pub timed: bool,
    /// The sender, as set in the writer.
    pub sender: u32,
    /// The receiver, as set in the writer.
    pub receiver: u32,
    /// What follows.
    pub content: Content,
    /// How it is laid out.
    pub encoding: Encoding,
    /// How it is compressed.
    pub compression: Compression,
    /// The message's priority.
    pub priority: u8,
    /// The message's key, if its type has one and the frame has only one message.
    pub key: Option<u64>,
    /// The message's id, if it has one and the frame has only one message.
    pub id: Option<u64>,
    /// The version of the message's type.
    pub version: u32,
    /// The hash of the schema: of its encoding and shape.
    pub schema: u64,
    /// The number of the frame in its stream.
    pub sequence: u64,
    /// The size of what follows when it is not compressed.
    pub plain: u64,
    /// How many messages follow.
    pub count: u32,
    /// Size of the value's own part, which is the last part of a payload.
    pub root: u32,
    /// The checksum of what follows.
    pub checksum: u64,
    /// The type's name; the beginning of a long one.
    pub name: TypeName,
}

/// A type's name in a header: up to 152 bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TypeName {
    bytes: [u8; NAME_ROOM],
    /// At most `NAME_ROOM`; ends between two characters.
    len: u8,
}

impl TypeName {
    /// The name, or as much of its beginning as fits.
    pub fn new(name: &str) -> Self {
        let whole = &name[..name.floor_char_boundary(NAME_ROOM)];
        let mut bytes = [0; NAME_ROOM];
        bytes[..whole.len()].copy_from_slice(whole.as_bytes());
        Self { bytes, len: whole.len() as u8 }
    }
}

impl Deref for TypeName {
    type Target = str;

    fn deref(&self) -> &str {
        str::from_utf8(&self.bytes[..self.len.into()]).unwrap_or_default()
    }
}

impl fmt::Display for TypeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl fmt::Debug for TypeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

/// Why 256 bytes are no valid header.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HeaderError {
    /// They do not begin with the magic number.
    Magic(u32),
    /// They have another version of the layout.
    Version(u16),
    /// They were changed on the way.
    Checksum,
    /// A field has a value without a meaning.
    Field(&'static str),
}

impl fmt::Display for HeaderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Magic(found) => {
                write!(
                    f,
                    "no message begins here: there is {found:#010x}, and a header begins with {MAGIC:#06x}"
                )
            }
            Self::Version(found) => {
                write!(f, "the header has version {found}, and this program reads version {HEADER_VERSION}")
            }
            Self::Checksum => f.write_str("the header was changed on the way: its checksum is another"),
            Self::Field(what) => write!(f, "the header's {what} has a value without meaning"),
        }
    }
}

impl std::error::Error for HeaderError {}

/// The checksum of bytes: XXH3 with 64 bits, the same on every machine.
pub fn checksum(bytes: &[u8]) -> u64 {
    twox_hash::XxHash3_64::oneshot(bytes)
}

impl Header {
    /// The header as bytes.
    pub fn to_bytes(&self) -> [u8; HEADER_SIZE] {
        let mut bytes = [0; HEADER_SIZE];
        let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
        put(0, &MAGIC.to_le_bytes());
        put(4, &self.size.to_le_bytes());
        put(12, &self.time.to_le_bytes());
        put(20, &self.sender.to_le_bytes());
        put(24, &self.receiver.to_le_bytes());
        put(28, &HEADER_VERSION.to_le_bytes());
        let said =
            u8::from(self.key.is_some()) | u8::from(self.id.is_some()) << 1 | u8::from(self.timed) << 2;
        let content = match self.content {
            Content::Messages => 0,
            Content::Schema => 1,
        };
        let encoding = match self.encoding {
            Encoding::Direct => 0,
            Encoding::Bridged => 1,
        };
        let compression = match self.compression {
            Compression::None => 0,
            Compression::Lz4 => 1,
            Compression::Delta => 3,
        };
        put(30, &[content, encoding, compression, self.priority, said, self.name.len]);
        put(36, &self.version.to_le_bytes());
        put(40, &self.schema.to_le_bytes());
        put(48, &self.key.unwrap_or(0).to_le_bytes());
        put(56, &self.id.unwrap_or(0).to_le_bytes());
        put(64, &self.sequence.to_le_bytes());
        put(72, &self.plain.to_le_bytes());
        put(80, &self.count.to_le_bytes());
        put(84, &self.root.to_le_bytes());
        put(88, &self.checksum.to_le_bytes());
        put(NAME, &self.name.bytes);
        let own = checksum(&bytes[..CHECKSUM]);
        bytes[CHECKSUM..].copy_from_slice(&own.to_le_bytes());
        bytes
    }

    /// The header in these bytes.
    ///
    /// # Errors
    ///
    /// [`HeaderError`] if they are no header, or one that this program cannot read.
    pub fn from_bytes(bytes: &[u8; HEADER_SIZE]) -> Result<Self, HeaderError> {
        let byte = |at: usize| bytes[at];
        let short = |at: usize| u32::from_le_bytes([byte(at), byte(at + 1), byte(at + 2), byte(at + 3)]);
        let long = |at: usize| u64::from(short(at)) | u64::from(short(at + 4)) << 32;
        if short(0) != MAGIC {
            return Err(HeaderError::Magic(short(0)));
        }
        let version = short(28) as u16;
        if version != HEADER_VERSION {
            return Err(HeaderError::Version(version));
        }
        if long(CHECKSUM) != checksum(&bytes[..CHECKSUM]) {
            return Err(HeaderError::Checksum);
        }
        let said = byte(34);
        let name = bytes[NAME..CHECKSUM].get(..byte(35).into()).and_then(|name| str::from_utf8(name).ok());
        let name = name.map(TypeName::new).ok_or(HeaderError::Field("name"))?;
        Ok(Self {
            size: long(4),
            time: long(12),
            timed: said & 4 != 0,
            sender: short(20),
            receiver: short(24),
            content: match byte(30) {
                0 => Content::Messages,
                1 => Content::Schema,
                _ => return Err(HeaderError::Field("content")),
            },
            encoding: match byte(31) {
                0 => Encoding::Direct,
                1 => Encoding::Bridged,
                _ => return Err(HeaderError::Field("encoding")),
            },
            compression: match byte(32) {
                0 => Compression::None,
                1 => Compression::Lz4,
                3 => Compression::Delta,
                _ => return Err(HeaderError::Field("compression")),
            },
            priority: byte(33),
            key: (said & 1 != 0).then_some(long(48)),
            id: (said & 2 != 0).then_some(long(56)),
            version: short(36),
            schema: long(40),
            sequence: long(64),
            plain: long(72),
            count: short(80),
            root: short(84),
            checksum: long(88),
            name,
        })
    }
}
