//! Messages from a file, a pipe or a socket.

use std::{
    any::TypeId,
    cell::{Cell, RefCell},
    collections::BTreeMap,
    fmt,
    io::{self, Read},
};

use rkyv::util::AlignedVec;

use crate::{
    Encoding, MAX_PAYLOAD, Payload, ReadError, Refusals, Schema, SchemaMismatch,
    bridged::{self, ALIGNMENT, Archived, Bridged},
    delta,
    header::{Compression, Content, HEADER_SIZE, Header, checksum},
    wire::{MAX_BATCH, MAX_COUNT, MAX_SCHEMA, WireType},
    writer::FrameCounters,
};

/// The largest size of all schemas of one stream together, as JSON. Source: this project's choice; one schema
/// takes a few hundred bytes.
const MAX_SCHEMAS: usize = 1 << 20;

/// Reads what a [`FrameWriter`](crate::FrameWriter) wrote. Any other input gives an error.
///
/// Whatever the bytes are, it keeps at most one frame of 1 MiB (two buffers if it is compressed) and schemas
/// of 1 MiB as JSON. It reads from `from` twice per frame, so give it a [`BufReader`](io::BufReader).
///
/// A bad frame that was passed over is still there, as it came, until the next one is read:
/// [`received`](Self::received) gives its bytes, for a store of dead letters. [`refusals`](Self::refusals)
/// counts bad frames by cause.
///
/// ```
/// use annulus_message::FrameReader;
/// # use annulus_message::{Compression, Content, Encoding, Header, TypeName};
/// # let header = Header {
/// #     size: 3, time: 0, timed: false, sender: 0, receiver: 0, content: Content::Messages,
/// #     encoding: Encoding::Direct, compression: Compression::None, priority: 0, key: None, id: None, version: 0,
/// #     schema: 0, sequence: 0, plain: 3, count: 1, root: 3, checksum: 1, name: TypeName::new("Tick"),
/// # };
/// # let stream = [&header.to_bytes()[..], b"abc"].concat();
///
/// let mut bad = Vec::new(); // or a file, or a queue's `DeadLetters`
/// let mut reader = FrameReader::new(&stream[..]);
/// loop {
///     match reader.read() {
///         Ok(None) => break,
///         Ok(Some(frame)) => println!("{} messages", frame.header().count),
///         Err(error) if error.is_passed_over() => bad.push((error.to_string(), reader.received().to_vec())),
///         Err(error) => return Err(error),
///     }
/// }
/// assert_eq!(bad[0].0, "the payload was changed on the way: its checksum is another");
/// assert_eq!(bad[0].1, stream);
/// assert_eq!(reader.refusals().checksum, 1);
/// # Ok::<(), annulus_message::ReadError>(())
/// ```
pub struct FrameReader<R> {
    from: R,
    known: Known,
    /// The last frame as it came: header and payload.
    wire: Vec<u8>,
    plain: AlignedVec<ALIGNMENT>,
    counters: FrameCounters,
    broken: bool,
}

/// Whether a type can read messages of a schema, and if not, why.
type Verdict = Result<(), Box<SchemaMismatch>>;

/// The schemas of the stream, and which of the program's types can read them.
#[derive(Default)]
struct Known {
    schemas: BTreeMap<u64, Schema>,
    /// Their total size in bytes, as JSON.
    bytes: usize,
    verdicts: RefCell<BTreeMap<(TypeId, u64), Verdict>>,
    refusals: Cell<Refusals>,
}

impl Known {
    /// Counts a refusal.
    fn refused(&self, error: ReadError) -> ReadError {
        let mut refusals = self.refusals.get();
        refusals.count(&error);
        self.refusals.set(refusals);
        error
    }
}

impl<R: Read> FrameReader<R> {
    /// Reads frames from `from`.
    pub fn new(from: R) -> Self {
        Self {
            from,
            known: Known::default(),
            wire: Vec::new(),
            plain: AlignedVec::new(),
            counters: FrameCounters::default(),
            broken: false,
        }
    }

    /// The next frame with messages, or `None` at the stream's end.
    ///
    /// # Errors
    ///
    /// [`ReadError`]. After one that [is passed over](ReadError::is_passed_over) the next call reads the next
    /// frame, and the bad frame counts as refused. After any other error nothing more can be read.
    pub fn read(&mut self) -> Result<Option<Frame<'_>>, ReadError> {
        loop {
            let outcome = self.frame();
            match outcome {
                Ok(None) => return Ok(None),
                Ok(Some(header)) if header.content == Content::Schema => {}
                Ok(Some(header)) => {
                    self.counters.frames += 1;
                    self.counters.messages += u64::from(header.count);
                    self.counters.plain_bytes += header.plain;
                    let (payload, wire) = (&self.plain[..], &self.wire[..]);
                    return Ok(Some(Frame { header, payload, wire, known: &self.known }));
                }
                Err(error) => {
                    if error.is_passed_over() {
                        self.counters.refused += 1;
                    } else {
                        self.broken = true;
                    }
                    return Err(self.known.refused(error));
                }
            }
        }
    }

    /// Counts of what was read so far.
    pub fn counters(&self) -> FrameCounters {
        self.counters
    }

    /// Counts of what was refused so far, by cause: also messages that a [`Frame`] refused to give.
    pub fn refusals(&self) -> Refusals {
        self.known.refusals.get()
    }

    /// The last frame as it came, with its header: as many of its bytes as were there. After an error this is
    /// the frame that was refused.
    pub fn received(&self) -> &[u8] {
        &self.wire
    }

    /// The source of the frames.
    pub fn into_inner(self) -> R {
        self.from
    }

    /// Reads a frame. Its payload is then in `plain`, decompressed; a schema is stored.
    fn frame(&mut self) -> Result<Option<Header>, ReadError> {
        if self.broken {
            return Err(ReadError::Broken);
        }
        let mut bytes = [0; HEADER_SIZE];
        let got = fill(&mut self.from, &mut bytes)?;
        self.wire.clear();
        self.wire.extend_from_slice(&bytes[..got]);
        match got {
            0 => return Ok(None),
            HEADER_SIZE => {}
            got => return Err(ReadError::Truncated { got: got as u64, of: HEADER_SIZE as u64 }),
        }
        let header = Header::from_bytes(&bytes).map_err(ReadError::Header)?;
        let limit = match header.content {
            Content::Messages => MAX_BATCH,
            Content::Schema => MAX_SCHEMA,
        };
        let within = |what, size, limit| match size > limit {
            true => Err(ReadError::TooLarge { what, size, limit }),
            false => Ok(()),
        };
        within("the bytes of a frame", header.size, limit as u64)?;
        within("the bytes of a payload", header.plain, limit as u64)?;
        within("the messages of a frame", header.count.into(), MAX_COUNT.into())?;
        let size = header.size as usize;
        self.wire.resize(HEADER_SIZE + size, 0);
        let got = fill(&mut self.from, &mut self.wire[HEADER_SIZE..])?;
        if got != size {
            self.wire.truncate(HEADER_SIZE + got);
            return Err(ReadError::Truncated { got: got as u64, of: header.size });
        }
        self.counters.bytes += (HEADER_SIZE + size) as u64;
        if checksum(&self.wire[HEADER_SIZE..]) != header.checksum {
            return Err(ReadError::Checksum);
        }
        self.unpack(&header)?;
        if header.content == Content::Schema {
            self.learn(&header)?;
        }
        Ok(Some(header))
    }

    /// Decompresses what follows the header into `plain`.
    fn unpack(&mut self, header: &Header) -> Result<(), ReadError> {
        let (plain, count) = (header.plain as usize, header.count as usize);
        let agree = count != 0
            && plain % count == 0
            && (header.content == Content::Schema
                || plain / count <= MAX_PAYLOAD && header.root as usize <= plain / count)
            && (count == 1 || header.encoding == Encoding::Direct);
        if !agree {
            return Err(ReadError::Sizes);
        }
        match header.compression {
            Compression::None if header.size != header.plain => return Err(ReadError::Sizes),
            Compression::None => {
                self.plain.clear();
                self.plain.extend_from_slice(&self.wire[HEADER_SIZE..]);
            }
            Compression::Lz4 => {
                self.plain.resize(plain, 0);
                let unpacked = lz4_flex::block::decompress_into(&self.wire[HEADER_SIZE..], &mut self.plain);
                if unpacked.ok() != Some(plain) {
                    return Err(ReadError::Compression("lz4"));
                }
            }
            Compression::Delta => {
                self.plain.resize(plain, 0);
                let size = (plain / count).max(1);
                delta::decompress(&self.wire[HEADER_SIZE..], size, &mut self.plain)
                    .map_err(|_| ReadError::Compression("delta"))?;
            }
        }
        Ok(())
    }

    /// Stores a schema.
    fn learn(&mut self, header: &Header) -> Result<(), ReadError> {
        if checksum(&self.plain) != header.schema {
            return Err(ReadError::Schema("its hash is another".into()));
        }
        let schema: Schema =
            serde_json::from_slice(&self.plain).map_err(|error| ReadError::Schema(error.to_string()))?;
        if self.known.schemas.contains_key(&header.schema) {
            return Ok(());
        }
        if self.known.bytes + self.plain.len() > MAX_SCHEMAS {
            return Err(ReadError::Schema(format!("those of the stream have more than {MAX_SCHEMAS} bytes")));
        }
        self.known.bytes += self.plain.len();
        self.known.schemas.insert(header.schema, schema);
        Ok(())
    }
}

/// Reads until the buffer is full or the stream ends; returns how many bytes were read.
fn fill(from: &mut impl Read, buffer: &mut [u8]) -> Result<usize, ReadError> {
    let mut got = 0;
    while got < buffer.len() {
        match from.read(&mut buffer[got..]) {
            Ok(0) => break,
            Ok(count) => got += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(ReadError::Io(error)),
        }
    }
    Ok(got)
}

/// A frame with messages.
pub struct Frame<'a> {
    header: Header,
    payload: &'a [u8],
    wire: &'a [u8],
    known: &'a Known,
}

impl<'a> Frame<'a> {
    /// The header before the messages.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The schema of the messages, if the stream announced it.
    pub fn schema(&self) -> Option<&'a Schema> {
        self.known.schemas.get(&self.header.schema)
    }

    /// The messages' bytes, decompressed.
    pub fn payload(&self) -> &'a [u8] {
        self.payload
    }

    /// The frame as it came, with its header: for a store of dead letters, if a message is bad.
    pub fn received(&self) -> &'a [u8] {
        self.wire
    }

    /// The payloads of the messages.
    pub fn payloads(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let (payload, count) = (self.payload, self.header.count as usize);
        let size = payload.len() / count.max(1);
        (0..count).map(move |index| &payload[index * size..][..size])
    }

    /// The payloads of the messages, as read by a type of which only the schema is known.
    ///
    /// # Errors
    ///
    /// [`ReadError`] if they are of another type.
    pub fn payloads_of(&self, ty: &WireType) -> Result<impl Iterator<Item = &'a [u8]> + use<'a>, ReadError> {
        let verdict = self.judge(ty).and_then(|verdict| verdict.map_err(ReadError::Mismatch));
        verdict.map_err(|error| self.known.refused(error))?;
        let (sent, known) = (self.header.root as usize, ty.root_size() as usize);
        // All payloads have the same length, so a check of the first one holds for all.
        for payload in self.payloads().take(1) {
            own_part(payload, sent, known)?;
        }
        Ok(self.payloads().filter_map(move |payload| own_part(payload, sent, known).ok()))
    }

    /// The frame's message.
    ///
    /// # Errors
    ///
    /// [`ReadError`]: it is of another type, it is no valid message of its type, or there are several
    /// messages.
    pub fn message<M: Payload + 'static>(&self) -> Result<M, ReadError> {
        let payload = self.only::<M>()?;
        M::read(payload).map_err(|error| self.known.refused(error.into()))
    }

    /// The frame's messages.
    ///
    /// # Errors
    ///
    /// [`ReadError`] if they are of another type. Each single message may still be invalid.
    pub fn messages<M: Payload + 'static>(
        &self,
    ) -> Result<impl Iterator<Item = Result<M, ReadError>> + use<'a, M>, ReadError> {
        self.accept::<M>()?;
        let (root, known) = (self.header.root as usize, self.known);
        Ok(self.payloads().map(move |payload| {
            let read = own_part(payload, root, M::ROOT_SIZE).and_then(|part| Ok(M::read(part)?));
            read.map_err(|error| known.refused(error))
        }))
    }

    /// The frame's message in place, checked.
    ///
    /// # Errors
    ///
    /// As for [`message`](Self::message).
    pub fn access<M: Payload + Bridged + 'static>(&self) -> Result<&'a Archived<M>, ReadError> {
        let payload = self.only::<M>()?;
        bridged::access::<M>(payload).map_err(|error| self.known.refused(error.into()))
    }

    /// The payload of the frame's only message, as this type reads it.
    fn only<M: Payload + 'static>(&self) -> Result<&'a [u8], ReadError> {
        self.accept::<M>()?;
        if self.header.count != 1 {
            return Err(ReadError::Several(self.header.count));
        }
        own_part(self.payload, self.header.root as usize, M::ROOT_SIZE)
            .map_err(|error| self.known.refused(error))
    }

    /// Whether the type can read messages of the frame's schema. Counts it if not.
    fn accept<M: Payload + 'static>(&self) -> Result<(), ReadError> {
        self.verdict::<M>().map_err(|error| self.known.refused(error))
    }

    fn verdict<M: Payload + 'static>(&self) -> Result<(), ReadError> {
        let key = (TypeId::of::<M>(), self.header.schema);
        let mut verdicts = self.known.verdicts.borrow_mut();
        if let Some(verdict) = verdicts.get(&key) {
            return verdict.clone().map_err(ReadError::Mismatch);
        }
        let verdict = self.judge(&WireType::of::<M>())?;
        verdicts.insert(key, verdict.clone());
        verdict.map_err(ReadError::Mismatch)
    }

    /// Whether that type can read messages of the frame's schema.
    fn judge(&self, here: &WireType) -> Result<Verdict, ReadError> {
        if here.hash() == self.header.schema {
            return Ok(Ok(()));
        }
        let Some(there) = self.schema() else {
            let (name, version) = (self.header.name.to_string(), self.header.version);
            return Err(ReadError::Unannounced { name, version });
        };
        Ok(here.schema().reads(there).map_err(Box::new))
    }
}

/// The part of a payload that the reader's type knows. The value's own part is the last part of the payload,
/// and a newer sender's may have more fields at its end.
fn own_part(payload: &[u8], sent: usize, known: usize) -> Result<&[u8], ReadError> {
    let begin = payload.len().checked_sub(sent).ok_or(ReadError::Sizes)?;
    payload.get(..begin + known).ok_or(ReadError::Sizes)
}

impl fmt::Debug for Frame<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Frame").field("header", &self.header).finish_non_exhaustive()
    }
}

impl<R> fmt::Debug for FrameReader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FrameReader").field("counters", &self.counters).finish_non_exhaustive()
    }
}
