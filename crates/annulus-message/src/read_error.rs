//! Why frames are not read, and how often.

use std::{fmt, io};

use crate::{DecodeError, SchemaMismatch, header::HeaderError};

/// Why a frame, or a message of it, was not read.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadError {
    /// The stream's source failed.
    Io(io::Error),
    /// The stream ends inside a frame.
    Truncated {
        /// How many bytes of the frame were there.
        got: u64,
        /// How many bytes it should have had.
        of: u64,
    },
    /// There is no header that this program reads.
    Header(HeaderError),
    /// A size in the header is above its limit.
    TooLarge {
        /// What has this size.
        what: &'static str,
        /// The size.
        size: u64,
        /// The largest size allowed.
        limit: u64,
    },
    /// The header's sizes do not agree.
    Sizes,
    /// The payload was changed on the way: its checksum differs.
    Checksum,
    /// The payload is not compressed as its header says.
    Compression(&'static str),
    /// A schema is not valid: the reason.
    Schema(String),
    /// The schema of a message was not announced, and it is not the reader's own schema.
    Unannounced {
        /// The message's type.
        name: String,
        /// Its version.
        version: u32,
    },
    /// The message is of another type.
    Mismatch(Box<SchemaMismatch>),
    /// There are several messages, but only one was asked for.
    Several(u32),
    /// The payload is no message of the type.
    Decode(DecodeError),
    /// After an earlier error it is unknown where the next frame begins.
    Broken,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::Truncated { got, of } => {
                write!(f, "the stream ends inside a frame: {got} of {of} bytes are there")
            }
            Self::Header(error) => error.fmt(f),
            Self::TooLarge { what, size, limit } => {
                write!(f, "{what} would have {size}, and there are at most {limit}")
            }
            Self::Sizes => f.write_str("the sizes that the header names do not agree"),
            Self::Checksum => f.write_str("the payload was changed on the way: its checksum is another"),
            Self::Compression(name) => {
                write!(f, "the payload is not compressed by {name}, as its header says")
            }
            Self::Schema(problem) => write!(f, "a schema is none: {problem}"),
            Self::Unannounced { name, version } => write!(
                f,
                "a message of the sender's {name} (version {version}) came, whose schema was not announced: read \
                 the stream from its beginning"
            ),
            Self::Mismatch(error) => error.fmt(f),
            Self::Several(count) => {
                write!(f, "the frame has {count} messages: read them one after the other")
            }
            Self::Decode(error) => error.fmt(f),
            Self::Broken => f.write_str("an earlier error left no way to tell where the next frame begins"),
        }
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::Header(error) => Some(error),
            Self::Mismatch(error) => Some(&**error),
            Self::Decode(error) => Some(error),
            _ => None,
        }
    }
}

impl ReadError {
    /// Whether the next frame can still be read.
    pub fn is_passed_over(&self) -> bool {
        !matches!(
            self,
            Self::Io(_) | Self::Truncated { .. } | Self::Header(_) | Self::TooLarge { .. } | Self::Broken
        )
    }
}

impl ReadError {
    /// The cause's name, as [`Refusals::by_cause`] has it; also `io`, `several` and `broken`.
    pub fn cause(&self) -> &'static str {
        match self {
            Self::Io(_) => "io",
            Self::Truncated { .. } => "truncated",
            Self::Header(_) => "header",
            Self::TooLarge { .. } => "too_large",
            Self::Sizes => "sizes",
            Self::Checksum => "checksum",
            Self::Compression(_) => "compression",
            Self::Schema(_) => "schema",
            Self::Unannounced { .. } => "unannounced",
            Self::Mismatch(_) => "mismatch",
            Self::Several(_) => "several",
            Self::Decode(_) => "decode",
            Self::Broken => "broken",
        }
    }
}

impl From<DecodeError> for ReadError {
    fn from(error: DecodeError) -> Self {
        Self::Decode(error)
    }
}

/// Counts of the frames and messages that a reader refused, by cause.
///
/// ```
/// use annulus_message::FrameReader;
///
/// let bytes = b"no frame, but as long as a header or longer".repeat(6);
/// let mut reader = FrameReader::new(&bytes[..]);
/// assert!(reader.read().is_err());
/// assert_eq!((reader.refusals().header, reader.refusals().total()), (1, 1));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refusals {
    /// The stream ended inside a frame.
    pub truncated: u64,
    /// There was no header that this program reads.
    pub header: u64,
    /// A size was above its limit.
    pub too_large: u64,
    /// The header's sizes did not agree.
    pub sizes: u64,
    /// A payload was changed on the way.
    pub checksum: u64,
    /// A payload was not compressed as its header said.
    pub compression: u64,
    /// A schema was not valid.
    pub schema: u64,
    /// A message's schema was not announced.
    pub unannounced: u64,
    /// Messages were of another type than the one that was asked for.
    pub mismatch: u64,
    /// A payload was no message of its type.
    pub decode: u64,
}

impl Refusals {
    /// How many there were, with the causes' names.
    pub fn by_cause(&self) -> [(&'static str, u64); 10] {
        let Self { truncated, header, too_large, sizes, checksum, compression, schema, .. } = *self;
        let Self { unannounced, mismatch, decode, .. } = *self;
        [
            ("truncated", truncated),
            ("header", header),
            ("too_large", too_large),
            ("sizes", sizes),
            ("checksum", checksum),
            ("compression", compression),
            ("schema", schema),
            ("unannounced", unannounced),
            ("mismatch", mismatch),
            ("decode", decode),
        ]
    }

    /// How many there were.
    pub fn total(&self) -> u64 {
        self.by_cause().iter().map(|(_, count)| count).sum()
    }

    /// Counts an error. Those of the source, of the call, and those that repeat an earlier one are not
    /// counted.
    pub(crate) fn count(&mut self, error: &ReadError) {
        *match error {
            ReadError::Io(_) | ReadError::Several(_) | ReadError::Broken => return,
            ReadError::Truncated { .. } => &mut self.truncated,
            ReadError::Header(_) => &mut self.header,
            ReadError::TooLarge { .. } => &mut self.too_large,
            ReadError::Sizes => &mut self.sizes,
            ReadError::Checksum => &mut self.checksum,
            ReadError::Compression(_) => &mut self.compression,
            ReadError::Schema(_) => &mut self.schema,
            ReadError::Unannounced { .. } => &mut self.unannounced,
            ReadError::Mismatch(_) => &mut self.mismatch,
            ReadError::Decode(_) => &mut self.decode,
        } += 1;
    }
}
