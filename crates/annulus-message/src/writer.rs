//! Messages to a file, a pipe or a socket.

use std::{
    any::TypeId,
    collections::BTreeSet,
    fmt,
    io::{self, Write},
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use crate::{
    EncodeError, Encoding, MAX_PAYLOAD, Message, Payload,
    compress::{Lz4, Sampler},
    delta,
    header::{Compression, Content, Header, checksum},
    wire::{MAX_BATCH, MAX_COUNT, MAX_SCHEMA, WireType},
};

/// Writes messages as frames: a [`Header`] of 256 bytes, then the payload. Before the first message of a type
/// it writes the type's schema.
///
/// It writes to `to` twice per frame, so give it a [`BufWriter`](io::BufWriter). It keeps its buffers: once
/// they have grown, writing a message allocates nothing.
///
/// ```
/// use annulus_message::{
///     DecodeError, EncodeError, Encoding, Field, FrameReader, FrameWriter, Message, Number, Payload, Schema, Shape,
/// };
///
/// // `#[derive(RingMessage)]` writes both.
/// #[derive(Debug, PartialEq)]
/// struct Tick(u32);
/// impl Message for Tick {}
/// impl Payload for Tick {
///     const ENCODING: Encoding = Encoding::Direct;
///     const ROOT_SIZE: usize = 4;
///     fn schema() -> Schema {
///         let fields = vec![Field { name: "0".into(), shape: Shape::Number(Number::U32) }];
///         let shape = Shape::Struct { name: "Tick".into(), fields };
///         Schema { name: "Tick".into(), version: 0, encoding: Self::ENCODING, shape }
///     }
///     fn write(&self, to: &mut Vec<u8>) -> Result<(), EncodeError> {
///         to.extend_from_slice(&self.0.to_le_bytes());
///         Ok(())
///     }
///     fn read(bytes: &[u8]) -> Result<Self, DecodeError> {
///         let bytes = bytes.try_into().map_err(|_| DecodeError::new("a tick has 4 bytes"))?;
///         Ok(Self(u32::from_le_bytes(bytes)))
///     }
/// }
///
/// let mut file = Vec::new();
/// let mut writer = FrameWriter::new(&mut file);
/// writer.write(&Tick(1))?;
/// writer.write_batch(&[Tick(2), Tick(3)])?;
///
/// let mut reader = FrameReader::new(&file[..]);
/// let mut ticks = Vec::new();
/// while let Some(frame) = reader.read()? {
///     for tick in frame.messages::<Tick>()? {
///         ticks.push(tick?);
///     }
/// }
/// assert_eq!(ticks, [Tick(1), Tick(2), Tick(3)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct FrameWriter<W> {
    to: W,
    sender: u32,
    receiver: u32,
    compression: Option<Compressor>,
    types: Vec<(TypeId, Arc<WireType>)>,
    announced: BTreeSet<u64>,
    sequence: u64,
    plain: Vec<u8>,
    counters: FrameCounters,
}

struct Compressor {
    singles: Sampler,
    batches: Sampler,
    lz4: Lz4,
    bytes: Vec<u8>,
}

/// Counts of what went through a stream of frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameCounters {
    /// Frames with messages.
    pub frames: u64,
    /// Messages in them.
    pub messages: u64,
    /// Bytes of payloads, before compression.
    pub plain_bytes: u64,
    /// Bytes of the stream: headers, payloads, schemas.
    pub bytes: u64,
    /// Frames that a reader refused and skipped.
    pub refused: u64,
}

/// What a message tells about itself, for its header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Its key, if its type has one.
    pub key: Option<u64>,
    /// Its id.
    pub id: Option<u64>,
    /// Its priority.
    pub priority: u8,
    /// Its timestamp.
    pub timestamp: Option<u64>,
}

impl Facts {
    /// The facts of this message.
    pub fn of<M: Message>(message: &M) -> Self {
        Self {
            key: M::KEYED.then(|| message.key()),
            id: message.id(),
            priority: message.priority(),
            timestamp: message.timestamp(),
        }
    }
}

/// Why messages were not written.
#[derive(Debug)]
#[non_exhaustive]
pub enum WriteError {
    /// A message has no payload. Nothing of it was written, and the stream can be used further.
    Encode(EncodeError),
    /// The stream's destination failed. A part of a frame may have been written.
    Io(io::Error),
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Encode(error) => error.fmt(f),
            Self::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for WriteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Encode(error) => Some(error),
            Self::Io(error) => Some(error),
        }
    }
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<EncodeError> for WriteError {
    fn from(error: EncodeError) -> Self {
        Self::Encode(error)
    }
}

impl<W: Write> FrameWriter<W> {
    /// A stream of frames that are written to `to`.
    pub fn new(to: W) -> Self {
        Self {
            to,
            sender: 0,
            receiver: 0,
            compression: None,
            types: Vec::new(),
            announced: BTreeSet::new(),
            sequence: 0,
            plain: Vec::new(),
            counters: FrameCounters::default(),
        }
    }

    /// The numbers that headers give for the sender and the receiver; 0 by default.
    #[must_use]
    pub fn between(mut self, sender: u32, receiver: u32) -> Self {
        (self.sender, self.receiver) = (sender, receiver);
        self
    }

    /// Compresses payloads from `threshold` bytes on, as long as [that pays](Sampler): single messages by
    /// LZ4, batches of direct messages as [differences](delta).
    #[must_use]
    pub fn compressed(mut self, threshold: usize) -> Self {
        let sampler = Sampler::new(threshold);
        self.compression = Some(Compressor {
            singles: sampler.clone(),
            batches: sampler,
            lz4: Lz4::new(),
            bytes: Vec::new(),
        });
        self
    }

    /// Writes a message.
    ///
    /// # Errors
    ///
    /// [`WriteError`]: it has no payload, or the stream failed.
    pub fn write<M: Message + Payload + 'static>(&mut self, message: &M) -> Result<(), WriteError> {
        let ty = self.type_of::<M>();
        let mut plain = std::mem::take(&mut self.plain);
        plain.clear();
        let written = message
            .encode(&mut plain)
            .map_err(WriteError::from)
            .and_then(|()| self.messages(&ty, Facts::of(message), &plain, 1));
        self.plain = plain;
        written
    }

    /// Writes messages. Direct messages share as few frames as possible, with up to 1 MiB and 65,536 messages
    /// in each. Each bridged message has a frame of its own.
    ///
    /// The header of a frame with several messages has the time of the first one, and no key, id or priority.
    ///
    /// # Errors
    ///
    /// [`WriteError`]: a message has no payload, or the stream failed. The messages before it may have been
    /// written.
    pub fn write_batch<M: Message + Payload + 'static>(&mut self, messages: &[M]) -> Result<(), WriteError> {
        if M::ENCODING == Encoding::Bridged {
            return messages.iter().try_for_each(|message| self.write(message));
        }
        let ty = self.type_of::<M>();
        let most = (MAX_BATCH / M::ROOT_SIZE.max(1)).clamp(1, MAX_COUNT as usize);
        for messages in messages.chunks(most) {
            if let [message] = messages {
                self.write(message)?;
                continue;
            }
            let mut plain = std::mem::take(&mut self.plain);
            plain.clear();
            let facts = Facts { priority: 128, timestamp: messages[0].timestamp(), ..Facts::default() };
            let written = messages
                .iter()
                .try_for_each(|message| message.encode(&mut plain))
                .map_err(WriteError::from)
                .and_then(|()| self.messages(&ty, facts, &plain, messages.len() as u32));
            self.plain = plain;
            written?;
        }
        Ok(())
    }

    /// Writes a message of a type of which only the schema is known.
    ///
    /// # Errors
    ///
    /// [`WriteError`]: the payload is too large, or the stream failed.
    pub fn write_payload(&mut self, ty: &WireType, facts: Facts, payload: &[u8]) -> Result<(), WriteError> {
        self.messages(ty, facts, payload, 1)
    }

    /// Flushes buffered bytes.
    ///
    /// # Errors
    ///
    /// The errors of the stream.
    pub fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }

    /// Counts of what was written so far.
    pub fn counters(&self) -> FrameCounters {
        self.counters
    }

    /// The destination of the frames, without a flush.
    pub fn into_inner(self) -> W {
        self.to
    }

    fn type_of<M: Payload + 'static>(&mut self) -> Arc<WireType> {
        let id = TypeId::of::<M>();
        if let Some((_, ty)) = self.types.iter().find(|(known, _)| *known == id) {
            return Arc::clone(ty);
        }
        let ty = Arc::new(WireType::of::<M>());
        self.types.push((id, Arc::clone(&ty)));
        ty
    }

    fn messages(&mut self, ty: &WireType, facts: Facts, plain: &[u8], count: u32) -> Result<(), WriteError> {
        let (each, root) = (plain.len() / count as usize, ty.root_size() as usize);
        let is_direct = ty.schema().encoding == Encoding::Direct;
        if is_direct && plain.len() != count as usize * root || each < root {
            let (name, len) = (&ty.schema().name, plain.len());
            let problem =
                format!("{len} bytes are no {count} messages of type {name}, which has {root} each");
            return Err(EncodeError::new(problem).into());
        }
        if each > MAX_PAYLOAD {
            let name = &ty.schema().name;
            let problem =
                format!("{name} has {each} bytes, and a message at most {MAX_PAYLOAD}: send it in parts");
            return Err(EncodeError::new(problem).into());
        }
        if self.announced.insert(ty.hash())
            && let Err(error) = self.announce(ty)
        {
            self.announced.remove(&ty.hash());
            return Err(error);
        }
        let mut header = self.header(ty, Content::Messages, facts);
        (header.plain, header.count) = (plain.len() as u64, count);
        let (compression, bytes) = compress(self.compression.as_mut(), plain, count);
        header.compression = compression;
        self.counters.bytes += frame(&mut self.to, &mut header, bytes)?;
        self.counters.frames += 1;
        self.counters.messages += u64::from(count);
        self.counters.plain_bytes += plain.len() as u64;
        self.sequence += 1;
        Ok(())
    }

    /// Writes a type's schema.
    fn announce(&mut self, ty: &WireType) -> Result<(), WriteError> {
        if ty.json().len() > MAX_SCHEMA {
            let (name, len) = (&ty.schema().name, ty.json().len());
            let problem =
                format!("the schema of {name} has {len} bytes as JSON, and at most {MAX_SCHEMA} are read");
            return Err(EncodeError::new(problem).into());
        }
        let mut header = self.header(ty, Content::Schema, Facts::default());
        (header.plain, header.count) = (ty.json().len() as u64, 1);
        self.counters.bytes += frame(&mut self.to, &mut header, ty.json())?;
        self.sequence += 1;
        Ok(())
    }

    fn header(&self, ty: &WireType, content: Content, facts: Facts) -> Header {
        let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64);
        let schema = ty.schema();
        Header {
            size: 0,
            time: facts.timestamp.unwrap_or_else(now),
            timed: facts.timestamp.is_some(),
            sender: self.sender,
            receiver: self.receiver,
            content,
            encoding: schema.encoding,
            compression: Compression::None,
            priority: facts.priority,
            key: facts.key,
            id: facts.id,
            version: schema.version,
            schema: ty.hash(),
            sequence: self.sequence,
            plain: 0,
            count: 0,
            root: ty.root_size(),
            checksum: 0,
            name: ty.name(),
        }
    }
}

/// The payload as it is sent.
fn compress<'a>(with: Option<&'a mut Compressor>, plain: &'a [u8], count: u32) -> (Compression, &'a [u8]) {
    let Some(Compressor { singles, batches, lz4, bytes }) = with else { return (Compression::None, plain) };
    if count > 1 && batches.wants(plain.len()) {
        bytes.clear();
        delta::compress(plain, plain.len() / count as usize, bytes);
        if batches.learn(plain.len(), bytes.len()) {
            return (Compression::Delta, bytes);
        }
    }
    if singles.wants(plain.len()) {
        lz4.compress(plain, bytes);
        if singles.learn(plain.len(), bytes.len()) {
            return (Compression::Lz4, bytes);
        }
    }
    (Compression::None, plain)
}

/// Writes a frame; returns its size in bytes.
fn frame(to: &mut impl Write, header: &mut Header, bytes: &[u8]) -> io::Result<u64> {
    header.size = bytes.len() as u64;
    header.checksum = checksum(bytes);
    let header = header.to_bytes();
    to.write_all(&header)?;
    to.write_all(bytes)?;
    Ok((header.len() + bytes.len()) as u64)
}

impl<W> fmt::Debug for FrameWriter<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FrameWriter").field("counters", &self.counters).finish_non_exhaustive()
    }
}
