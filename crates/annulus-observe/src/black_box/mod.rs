//! The messages that a kernel's black box holds.
//!
//! [`annulus_abi::vitals::black_box`] has the format. The rings are in the box. Their tickets, and what each shard is at, are
//! in the vitals file beside it; of a kernel on a device, of which that file has only copies, they are in the box, too.
//! A slot says by its lap under which ticket it was published, so no message is shown under another's number.
//!
//! # What is what
//!
//! Tickets from *reserved* − *capacity* on are in the ring; a slot of an earlier one may be half written over. Of these, a
//! message was handled if its ticket is below *consumed*, or below the number that the shard was at: a block gives slots
//! back once a turn, and says before each call which message it is at. If not all messages come by the ring, that number
//! counts the others, too, so there a whole turn counts as waiting. A reservation whose producer died holds no message.
//!
//! # While the process lives
//!
//! Slots are read first, then the ring's tickets once more. What producers may have begun to write over meanwhile is
//! left out. An open slot has its lap in front, so what is read behind that was written before it. A unit of a sealed slot
//! has its lap at the end: of a slot whose laps were there, the contents are read once more.

mod message_type;

use std::{
    fmt,
    fs::File,
    io::{self, Cursor, Read, Seek, SeekFrom},
    mem::offset_of,
    ops::Range,
    path::{Path, PathBuf},
};

use annulus_abi::{
    ring::{CLOSED, RingHeader, UNIT_CONTENT, UNITS_MOST, kind},
    vitals::{
        At, SUFFIX, ShardVitals,
        black_box::{self, BoxDamage, BoxHeader, BoxLayout, Image},
        phase,
        read::{Shard, Vitals},
    },
};

use self::message_type::MessageType;
use crate::{
    Kernel, Liveness, Process, Unreadable,
    attach::{open, read_directory},
};

/// What had become of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Recorded {
    /// It was handled, or skipped, and its slot has not been used again.
    Last,
    /// Its handler was running, or had just returned.
    InHandler,
    /// It waited.
    Waiting,
}

impl fmt::Display for Recorded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Last => "last",
            Self::InHandler => "in handler",
            Self::Waiting => "waiting",
        })
    }
}

/// A message of a black box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedMessage {
    /// Its shard.
    pub shard: u32,
    /// Its ticket: how many came before it into the shard's ring.
    pub number: u64,
    /// What had become of it.
    pub state: Recorded,
    /// The queue that it came from: 0 for the kernel's own.
    pub queue: u32,
    /// The message, in the form that `annulus send` reads; or why its bytes are no value of its type.
    pub json: Result<String, String>,
}

/// A kernel's black box, of a process that died, or lives.
///
/// ```no_run
/// use annulus_observe::{BlackBox, Recorded, files, look};
/// let process = look(&files()[0])?;
/// let kernel = &process.kernels[0];
/// for message in BlackBox::open(&process, kernel)?.messages(Recorded::Waiting) {
///     let message = message?;
///     println!("{} {}: {:?}", message.shard, message.number, message.json);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct BlackBox(Reader<File>);

impl BlackBox {
    /// Opens the black box of a kernel that a look has found.
    ///
    /// # Errors
    ///
    /// [`Unreadable::NoBlackBox`] if the kernel was launched without one; else if the file is gone, cut off, changed, or of
    /// another launch.
    pub fn open(process: &Process, kernel: &Kernel) -> Result<Self, Unreadable> {
        let path = kernel.black_box.as_deref().ok_or(Unreadable::NoBlackBox)?;
        let file = open(path)?;
        if !file.metadata()?.is_file() {
            return Err(Unreadable::NoFile);
        }
        let mut reader = Reader::new(file, &kernel.shards)?;
        let BoxLayout { started, kernel: id, .. } = reader.layout;
        if (started, id) != (process.started, kernel.id) {
            return Err(Unreadable::BlackBox(BoxDamage::Foreign));
        }
        if process.liveness == Liveness::Running {
            reader.tickets = Some(match reader.layout.on_device {
                true => Tickets::InBox,
                false => Tickets::of(&process.file, kernel.id)?,
            });
        }
        Ok(Self(reader))
    }

    /// The messages of which this has become, by shard, and in a shard by number.
    ///
    /// Each may be an error of the system. A file that was cut off has fewer.
    pub fn messages(&mut self, state: Recorded) -> impl Iterator<Item = io::Result<RecordedMessage>> {
        self.0.messages(state)
    }
}

/// Reads all of some bytes as a black box of a kernel with these shards: for tests with any bytes.
///
/// # Errors
///
/// As for [`BlackBox::open`].
#[doc(hidden)]
pub fn read_black_box(bytes: &[u8], shards: &[Shard]) -> Result<Vec<RecordedMessage>, Unreadable> {
    let mut reader = Reader::new(Cursor::new(bytes), shards)?;
    let mut all = Vec::new();
    for state in [Recorded::Last, Recorded::InHandler, Recorded::Waiting] {
        for message in reader.messages(state) {
            all.push(message?);
        }
    }
    Ok(all)
}

/// Where a kernel's black box is, given its runtime's file.
pub(crate) fn path_of(vitals: &Path, id: u64) -> PathBuf {
    let name = vitals.file_name().unwrap_or_default().to_string_lossy();
    let name = name.strip_suffix(SUFFIX).unwrap_or(&name);
    vitals.with_file_name(format!("{name}-{id}{}", black_box::SUFFIX))
}

#[derive(Debug)]
struct Reader<S> {
    source: S,
    layout: BoxLayout,
    ty: MessageType,
    shards: Vec<Shard>,
    /// Of a process that lives.
    tickets: Option<Tickets>,
}

/// Slots are read in parts of so many bytes, or one by one if they are larger.
const PART: usize = 64 << 10;

impl<S: Read + Seek> Reader<S> {
    fn new(mut source: S, shards: &[Shard]) -> Result<Self, Unreadable> {
        let damaged = Unreadable::BlackBox;
        let mut bytes = Vec::new();
        read_at(&mut source, 0, size_of::<BoxHeader>(), &mut bytes)?;
        let layout = BoxLayout::new(&bytes).map_err(damaged)?;
        read_at(&mut source, layout.ty.0, layout.ty.1, &mut bytes)?;
        if !layout.has_type(&bytes) {
            return Err(damaged(if bytes.len() < layout.ty.1 { BoxDamage::Short } else { BoxDamage::Type }));
        }
        let ty = MessageType::new(&bytes).filter(|ty| ty.size() == layout.payload_size);
        let ty = ty.ok_or(damaged(BoxDamage::Type))?;
        let count = shards.len().min(layout.grid as usize);
        let mut shards = shards[..count].to_vec();
        if layout.on_device {
            for (index, shard) in shards.iter_mut().enumerate() {
                read_words(&mut source, &layout, index as u32, shard)?;
            }
        }
        Ok(Self { source, layout, ty, shards, tickets: None })
    }

    /// The tickets of a shard's messages of which this has become.
    fn range(&self, shard: &Shard, state: Recorded) -> Range<u64> {
        let reserved = shard.accepted;
        let first = reserved.saturating_sub(self.layout.capacity.into());
        let consumed = reserved.saturating_sub(shard.pending).max(first);
        let (done, in_handler) = match self.layout.numbers_are_tickets {
            // The numbers may be anything.
            true => (shard.at.number.clamp(consumed, reserved), shard.at.phase == phase::IN_HANDLER),
            false => (consumed, false),
        };
        let taken = if in_handler { done.saturating_add(shard.at.count.max(1)).min(reserved) } else { done };
        match state {
            Recorded::Last => first..done,
            Recorded::InHandler => done..taken,
            Recorded::Waiting => taken..reserved,
        }
    }

    fn messages(&mut self, state: Recorded) -> impl Iterator<Item = io::Result<RecordedMessage>> {
        let mut shard = 0;
        let mut left = self.shards.first().map_or(0..0, |first| self.range(first, state));
        let mut found = Vec::new().into_iter();
        std::iter::from_fn(move || {
            loop {
                if let Some(message) = found.next() {
                    return Some(Ok(message));
                }
                if left.is_empty() {
                    shard += 1;
                    left = self.range(self.shards.get(shard)?, state);
                    continue;
                }
                match self.part(shard as u32, &mut left, state) {
                    Ok(messages) => found = messages.into_iter(),
                    Err(error) => {
                        left = 0..0;
                        return Some(Err(error));
                    }
                }
            }
        })
    }

    /// Reads the first of the tickets that are left, as many as lie in a row.
    fn part(
        &mut self,
        shard: u32,
        left: &mut Range<u64>,
        state: Recorded,
    ) -> io::Result<Vec<RecordedMessage>> {
        let (layout, stride) = (self.layout, self.layout.slot_stride);
        let in_a_row = u64::from(layout.capacity) - left.start % u64::from(layout.capacity);
        let count = in_a_row.min((PART / stride).max(1) as u64).min(left.end - left.start);
        let tickets = left.start..left.start + count;
        left.start = tickets.end;
        let (mut first, mut bytes) = (Vec::new(), Vec::new());
        if let Some(offset) = layout.slot_offset(shard, tickets.start) {
            read_at(&mut self.source, offset, count as usize * stride, &mut bytes)?;
            if self.tickets.is_some() && layout.units != 0 {
                std::mem::swap(&mut first, &mut bytes);
                read_at(&mut self.source, offset, first.len(), &mut bytes)?;
            }
        }
        if bytes.len() < stride {
            // It ends here.
            left.start = left.end;
        }
        // Read behind the slots.
        let reserved = match &mut self.tickets {
            Some(Tickets::InBox) => reserved_in_box(&mut self.source, &layout, shard)?,
            Some(Tickets::InVitals { vitals, shards }) => reserved_in_vitals(vitals, *shards, shard)?,
            None => Some(0),
        };
        // All of them, if nobody knows.
        let written_over = reserved.unwrap_or(u64::MAX).saturating_sub(layout.capacity.into());
        let slots = bytes.chunks_exact(stride).enumerate().zip(tickets);
        let messages = slots.filter_map(|((index, slot), number)| {
            let mut image: Image = [0; UNITS_MOST * UNIT_CONTENT];
            if !first.is_empty() {
                layout.slot(first.get(index * stride..)?, number, &mut image)?;
            }
            let slot = layout.slot(slot, number, &mut image).filter(|slot| slot.kind == kind::MESSAGE)?;
            let mut json = String::new();
            let json = self.ty.write(slot.payload, &mut json).map(|()| json);
            let message = RecordedMessage { shard, number, state, queue: slot.queue, json };
            (number >= written_over).then_some(message)
        });
        Ok(messages.collect())
    }
}

/// Where the tickets of a kernel that lives are.
#[derive(Debug)]
enum Tickets {
    InBox,
    InVitals {
        vitals: File,
        /// Where its shards begin.
        shards: u64,
    },
}

impl Tickets {
    fn of(vitals: &Path, id: u64) -> Result<Self, Unreadable> {
        let mut file = open(vitals)?;
        let mut bytes = Vec::new();
        read_directory(&mut file, &mut bytes)?;
        let vitals = Vitals::new(&bytes).map_err(Unreadable::Damaged)?;
        let kernel = vitals.kernels().find(|kernel| kernel.id() == id);
        let place = kernel.and_then(|kernel| vitals.place(&kernel)).ok_or(Unreadable::NoKernel(id))?;
        Ok(Self::InVitals { vitals: file, shards: place.shards })
    }
}

/// How many tickets a shard's ring has handed out, if that can still be read.
fn reserved_in_vitals(vitals: &mut File, shards: u64, shard: u32) -> io::Result<Option<u64>> {
    const WORD: usize = offset_of!(ShardVitals, inbound) + offset_of!(RingHeader, reserved);
    let offset = u64::from(shard) * size_of::<ShardVitals>() as u64 + WORD as u64;
    let word = read_word(vitals, Some(shards.saturating_add(offset)))?;
    Ok(word.map(|word| word & !CLOSED))
}

/// Likewise, of a kernel on a device.
fn reserved_in_box(
    source: &mut (impl Read + Seek),
    layout: &BoxLayout,
    shard: u32,
) -> io::Result<Option<u64>> {
    const WORD: u64 = offset_of!(RingHeader, reserved) as u64;
    let word = read_word(source, layout.tickets_offset(shard).map(|offset| offset + WORD))?;
    Ok(word.map(|word| word & !CLOSED))
}

/// Puts the words of a shard on a device in place of their copies. What is missing is 0.
fn read_words(
    source: &mut (impl Read + Seek),
    layout: &BoxLayout,
    index: u32,
    shard: &mut Shard,
) -> io::Result<()> {
    const CONSUMED: u64 = offset_of!(RingHeader, consumed) as u64;
    let consumed = layout.tickets_offset(index).map(|offset| offset + CONSUMED);
    // In this order: what was consumed before was handed out before.
    let consumed = read_word(source, consumed)?.unwrap_or(0);
    shard.accepted = reserved_in_box(source, layout, index)?.unwrap_or(0);
    shard.pending = shard.accepted.saturating_sub(consumed);
    shard.at = At::of_words(read_word(source, layout.at_offset(index))?.unwrap_or(0), 0);
    Ok(())
}

/// Reads a word, if it has a place, and is there.
fn read_word(source: &mut (impl Read + Seek), offset: Option<u64>) -> io::Result<Option<u64>> {
    let Some(offset) = offset else { return Ok(None) };
    let mut bytes = Vec::new();
    read_at(source, offset, 8, &mut bytes)?;
    Ok(bytes.try_into().ok().map(u64::from_ne_bytes))
}

/// Reads so many bytes, as far as they are there.
fn read_at(source: &mut (impl Read + Seek), offset: u64, bytes: usize, to: &mut Vec<u8>) -> io::Result<()> {
    to.clear();
    source.seek(SeekFrom::Start(offset))?;
    source.take(bytes as u64).read_to_end(to).map(drop)
}
