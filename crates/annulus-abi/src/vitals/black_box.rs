//! The black box: a file that the rings of a kernel lie in.
//!
//! A slot behind [`RingHeader::consumed`](crate::ring::RingHeader::consumed) still holds its message until a producer
//! needs the slot again. So a ring is a record of the last messages anyway, and of those that wait. If the memory of a
//! kernel is a file, the record outlives the process. Nothing is added to a message's way.
//!
//! The file lies beside the vitals file of its runtime. It is called like that file, with `-` and the number of the launch
//! before [`SUFFIX`]. What changes, the tickets of the rings and what each shard is at, is in the vitals file, if the
//! kernel runs on the CPU. The vitals file has only copies of a device's words, so there they are in the black box, too.
//!
//! | part | where | written |
//! |---|---|---|
//! | [`BoxHeader`] | 0 | before the file gets its name |
//! | the message's type | [`BoxHeader::type_offset`] | before the file gets its name |
//! | the shards | [`BoxHeader::shards_offset`], at a page | by the kernel, and by those who send to it |
//! | what the blocks of a device are at | [`BoxHeader::at_offset`], on pages of their own | by the kernel |
//!
//! # The message's type
//!
//! A message is shown by a program that does not know its type, so the type stands in the file. Numbers are little-endian;
//! a text is its length in 16 bits, and UTF-8. A type is its size in 32 bits, a byte of [`form`], and then:
//!
//! | form | what follows |
//! |---|---|
//! | [`NUMBER`](form::NUMBER) | a byte of [`number`] |
//! | [`STRUCT`](form::STRUCT) | how many fields, 32 bits; of each the name, the offset (32 bits), the type |
//! | [`ARRAY`](form::ARRAY) | how many elements, 32 bits; their type |
//! | [`ENUM`](form::ENUM) | a byte of [`number`] for the tag at offset 0; how many variants, 32 bits; of each the name, the tag in 64 bits, and fields as a struct has them |
//! | [`LIST`](form::LIST) | the offsets of the length (a 32-bit number) and of the items, the most items, 32 bits each; the items' type |
//! | [`TEXT`](form::TEXT) | as of a list, without a type: items are bytes of UTF-8 |

use core::mem::offset_of;

use super::{
    check,
    read::{check_of, word32, word64},
};
use crate::ring::{
    LENGTH_MASK, MAX_CAPACITY, MAX_PAYLOAD, QUEUE_MASK, QUEUE_SHIFT, RingHeader, SealedUnit, SlotHeader,
    UNIT, UNIT_CONTENT, UNITS_MOST,
};

/// The first eight bytes: `ANNULUSB` on a little-endian machine.
pub const MAGIC: u64 = u64::from_le_bytes(*b"ANNULUSB");

/// The version of the format that this module describes.
pub const VERSION: u32 = 3;

/// The end of the file names of black boxes.
pub const SUFFIX: &str = ".box";

/// Bits of [`BoxHeader::flags`]. A reader knows no others.
pub mod flags {
    /// Not all messages come by the ring: the kernel sends some to itself, or it runs on a device and may be connected to
    /// others. They are numbered with those of the ring, so the number that a shard is at names no slot.
    pub const OTHERS: u32 = 1 << 0;
    /// The kernel runs on a device: the tickets of each ring lie in front of its slots, and what each block is at lies in
    /// the file, too.
    pub const DEVICE: u32 = 1 << 1;
    /// All that there are.
    pub(super) const ALL: u32 = OTHERS | DEVICE;
}

/// What a type is.
#[allow(missing_docs)] // The table above says it.
pub mod form {
    pub const NUMBER: u8 = 0;
    pub const STRUCT: u8 = 1;
    pub const ARRAY: u8 = 2;
    pub const ENUM: u8 = 3;
    pub const LIST: u8 = 4;
    pub const TEXT: u8 = 5;
}

/// What a number is.
#[allow(missing_docs)] // Each is the Rust type of the same name.
pub mod number {
    pub const BOOL: u8 = 0;
    pub const I8: u8 = 1;
    pub const I16: u8 = 2;
    pub const I32: u8 = 3;
    pub const I64: u8 = 4;
    pub const U8: u8 = 5;
    pub const U16: u8 = 6;
    pub const U32: u8 = 7;
    pub const U64: u8 = 8;
    pub const F32: u8 = 9;
    pub const F64: u8 = 10;
}

/// The beginning of the file.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(128))]
pub struct BoxHeader {
    /// [`MAGIC`].
    pub magic: u64,
    /// [`VERSION`].
    pub version: u32,
    /// See [`flags`].
    pub flags: u32,
    /// As in the [vitals file](super::VitalsHeader::started) beside it.
    pub started: u64,
    /// The number of the launch: [`KernelEntry::id`](super::KernelEntry::id).
    pub kernel: u64,
    /// How many shards there are.
    pub grid: u32,
    /// Slots of each inbound ring.
    pub capacity: u32,
    /// Where the first shard begins.
    pub shards_offset: u64,
    /// Bytes of a shard.
    pub shard_stride: u64,
    /// From a shard's start to the first slot of its inbound ring.
    pub slots_offset: u64,
    /// From a slot's start to the next.
    pub slot_stride: u64,
    /// From a slot's start to its payload. In a sealed slot: from the start of its image.
    pub payload_offset: u32,
    /// Bytes of a payload.
    pub payload_size: u32,
    /// Where the message's type stands.
    pub type_offset: u64,
    /// How many bytes it has.
    pub type_bytes: u64,
    /// The [check](type_check) of its bytes.
    pub type_check: u64,
    /// Units of a sealed slot; 0 if slots are open.
    pub units: u64,
    /// Where the first block's word lies that says what it is at, as [`At::of_words`](super::At::of_words) reads it. With
    /// [`DEVICE`](flags::DEVICE) alone.
    pub at_offset: u64,
    /// From a block's word to the next one's.
    pub at_stride: u64,
    /// Always 0.
    pub reserved: [u64; 15],
    /// The [check] of all words before it.
    pub check: u64,
}

const _: () = {
    assert!(size_of::<BoxHeader>() == 256);
    assert!(offset_of!(BoxHeader, grid) == 32);
    assert!(offset_of!(BoxHeader, slot_stride) == 64);
    assert!(offset_of!(BoxHeader, type_check) == 96);
    assert!(offset_of!(BoxHeader, at_stride) == 120);
    assert!(offset_of!(BoxHeader, check) == 248);
};

impl BoxHeader {
    /// The words of the file, including the check.
    pub fn to_words(&self) -> [u64; size_of::<Self>() / 8] {
        // SAFETY: both have the same size, and every bit pattern of the fields, which are numbers without gaps, is a
        // pattern of words.
        let mut words: [u64; size_of::<Self>() / 8] = unsafe { core::mem::transmute(*self) };
        let (last, rest) = words.split_last_mut().expect("it has words");
        *last = check(rest);
        words
    }
}

/// Most bytes of a type that are read. Source: this project's choice.
pub const MOST_TYPE_BYTES: u64 = 1 << 20;

/// How deep a type's values may lie within each other; a number alone is 1 deep. Source: this project's choice: a reader calls
/// itself for each.
pub const DEEPEST: u32 = 64;

/// Most values that a message may consist of, itself included: a payload of 64 KiB has no more, unless values have no bytes or
/// many lie in the same one. So no type makes a text of any length.
pub const MOST_VALUES: u64 = 1 << 18;

/// Why bytes are no black box that this crate reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoxDamage {
    /// They are too few.
    Short,
    /// They begin with something else.
    Foreign,
    /// They are of another version of the format.
    Version(u32),
    /// The header does not match its check, or says what cannot be.
    Header,
    /// The message's type does not match its check, or says what cannot be.
    Type,
}

impl core::fmt::Display for BoxDamage {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Short => f.write_str("it is cut off"),
            Self::Foreign => f.write_str("it is no black box"),
            Self::Version(version) => {
                write!(f, "it has version {version} of the format, and this program reads version {VERSION}")
            }
            Self::Header => f.write_str("its header was changed"),
            Self::Type => f.write_str("its message type was changed"),
        }
    }
}

impl core::error::Error for BoxDamage {}

/// Where things are in a black box, as its header says. What it names may still be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoxLayout {
    /// As in the vitals file beside it.
    pub started: u64,
    /// The number of the launch.
    pub kernel: u64,
    /// How many shards there are.
    pub grid: u32,
    /// Slots of each ring: a power of two.
    pub capacity: u32,
    /// Whether the number that a shard is at names the ticket of a message.
    pub numbers_are_tickets: bool,
    /// From a slot's start to the next: the bytes that a slot is read with.
    pub slot_stride: usize,
    /// Bytes of a payload. Header and payload lie within the stride.
    pub payload_size: usize,
    /// Where the message's type stands, and how many bytes it has.
    pub ty: (u64, usize),
    /// Whether the tickets, and what the blocks are at, are in the file.
    pub on_device: bool,
    /// Units of a sealed slot; 0 if slots are open.
    pub units: usize,
    payload_offset: usize,
    type_check: u64,
    shards_offset: u64,
    shard_stride: u64,
    slots_offset: u64,
    at_offset: u64,
    at_stride: u64,
}

/// Room for the image of a sealed slot.
pub type Image = [u8; UNITS_MOST * UNIT_CONTENT];

/// A published slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoxSlot<'a> {
    /// See [`kind`](crate::ring::kind).
    pub kind: u8,
    /// The queue that the message came from: 0 for the kernel's own.
    pub queue: u32,
    /// Bytes of the payload, or an error code.
    pub length: u32,
    /// The payload.
    pub payload: &'a [u8],
}

impl BoxLayout {
    /// Reads a header, and trusts nothing of it.
    ///
    /// # Errors
    ///
    /// [`BoxDamage`] says what is wrong with the bytes.
    pub fn new(bytes: &[u8]) -> Result<Self, BoxDamage> {
        let header = bytes.get(..size_of::<BoxHeader>()).ok_or(BoxDamage::Short)?;
        let word32 = |offset| word32(header, offset).unwrap_or(0);
        let word64 = |offset| word64(header, offset).unwrap_or(0);
        if word64(offset_of!(BoxHeader, magic)) != MAGIC {
            return Err(BoxDamage::Foreign);
        }
        let version = word32(offset_of!(BoxHeader, version));
        if version != VERSION {
            return Err(BoxDamage::Version(version));
        }
        if check_of(header) != word64(offset_of!(BoxHeader, check)) {
            return Err(BoxDamage::Header);
        }
        let found = word32(offset_of!(BoxHeader, flags));
        let size = |offset| usize::try_from(word64(offset)).map_err(|_| BoxDamage::Header);
        let layout = Self {
            started: word64(offset_of!(BoxHeader, started)),
            kernel: word64(offset_of!(BoxHeader, kernel)),
            grid: word32(offset_of!(BoxHeader, grid)),
            capacity: word32(offset_of!(BoxHeader, capacity)),
            numbers_are_tickets: found & flags::OTHERS == 0,
            on_device: found & flags::DEVICE != 0,
            units: size(offset_of!(BoxHeader, units))?,
            slot_stride: size(offset_of!(BoxHeader, slot_stride))?,
            payload_size: word32(offset_of!(BoxHeader, payload_size)) as usize,
            ty: (word64(offset_of!(BoxHeader, type_offset)), size(offset_of!(BoxHeader, type_bytes))?),
            payload_offset: word32(offset_of!(BoxHeader, payload_offset)) as usize,
            type_check: word64(offset_of!(BoxHeader, type_check)),
            shards_offset: word64(offset_of!(BoxHeader, shards_offset)),
            shard_stride: word64(offset_of!(BoxHeader, shard_stride)),
            slots_offset: word64(offset_of!(BoxHeader, slots_offset)),
            at_offset: word64(offset_of!(BoxHeader, at_offset)),
            at_stride: word64(offset_of!(BoxHeader, at_stride)),
        };
        // Where header and payload end: in the slot, or in its image.
        let end = layout.payload_offset.saturating_add(layout.payload_size);
        let fits = match layout.units {
            0 => end <= layout.slot_stride,
            units => units <= UNITS_MOST && end <= units * UNIT_CONTENT && units * UNIT <= layout.slot_stride,
        };
        let last = layout.grid.wrapping_sub(1);
        let is_whole = found & !flags::ALL == 0
            && layout.capacity.is_power_of_two()
            && layout.capacity <= MAX_CAPACITY
            && layout.payload_size <= MAX_PAYLOAD
            && layout.slot_stride <= 2 * MAX_PAYLOAD
            && layout.payload_offset >= size_of::<SlotHeader>()
            && fits
            && layout.ty.1 as u64 <= MOST_TYPE_BYTES
            && layout.slot_offset(last, u64::from(layout.capacity) - 1).is_some()
            && (!layout.on_device
                || layout.tickets_offset(last).is_some() && layout.at_offset(last).is_some());
        if is_whole { Ok(layout) } else { Err(BoxDamage::Header) }
    }

    /// Whether these bytes, read where [`ty`](Self::ty) says, are the type that was written.
    pub fn has_type(&self, bytes: &[u8]) -> bool {
        bytes.len() == self.ty.1 && type_check(bytes) == self.type_check
    }

    /// Where the slot of a ticket begins, by bytes of the file; `None` if there is no such shard, or no such place.
    pub fn slot_offset(&self, shard: u32, ticket: u64) -> Option<u64> {
        let index = ticket & u64::from(self.capacity).wrapping_sub(1);
        let slot = self.slots(shard)?.checked_add(index.checked_mul(self.slot_stride as u64)?)?;
        lies(slot, self.slot_stride as u64)
    }

    /// Where the first slot of a shard begins.
    fn slots(&self, shard: u32) -> Option<u64> {
        let first = self.shards_offset.checked_add(self.shard_stride.checked_mul(shard.into())?)?;
        (shard < self.grid).then_some(first.checked_add(self.slots_offset)?)
    }

    /// Where the [tickets](RingHeader) of a shard's ring begin, by bytes of the file; `None` if they are in the vitals file,
    /// or if there is no such shard, or no such place.
    pub fn tickets_offset(&self, shard: u32) -> Option<u64> {
        let before = size_of::<RingHeader>() as u64;
        let offset = self.slots(shard)?.checked_sub(before)?;
        if self.on_device { lies(offset, before) } else { None }
    }

    /// Likewise where the word lies that says what a shard's block is at.
    pub fn at_offset(&self, shard: u32) -> Option<u64> {
        let offset = self.at_offset.checked_add(self.at_stride.checked_mul(shard.into())?)?;
        if self.on_device && shard < self.grid { lies(offset, 8) } else { None }
    }

    /// What a slot holds, given its bytes, if it holds what was published under this ticket. That of a sealed slot is put
    /// together in `image`.
    pub fn slot<'a>(&self, bytes: &'a [u8], ticket: u64, image: &'a mut Image) -> Option<BoxSlot<'a>> {
        let lap = ((ticket >> self.capacity.trailing_zeros()) as u32).wrapping_add(1);
        let content = match self.units {
            0 if word32(bytes, offset_of!(SlotHeader, commit))? == lap => bytes,
            0 => return None,
            units => {
                let sealed = bytes.get(..units * UNIT)?.chunks_exact(UNIT);
                for (unit, to) in sealed.zip(image.chunks_exact_mut(UNIT_CONTENT)) {
                    if word32(unit, offset_of!(SealedUnit, lap))? != lap {
                        return None;
                    }
                    to.copy_from_slice(unit.get(..UNIT_CONTENT)?);
                }
                &image[..]
            }
        };
        let meta = word32(content, offset_of!(SlotHeader, meta))?;
        let payload = content.get(self.payload_offset..self.payload_offset + self.payload_size)?;
        Some(BoxSlot {
            kind: (meta >> 24) as u8,
            queue: meta >> QUEUE_SHIFT & QUEUE_MASK,
            length: meta & LENGTH_MASK,
            payload,
        })
    }
}

/// A place of a file, if so many bytes can lie there.
fn lies(offset: u64, bytes: u64) -> Option<u64> {
    (offset.checked_add(bytes)? <= i64::MAX as u64).then_some(offset)
}

/// The [check] of a type's bytes.
pub fn type_check(bytes: &[u8]) -> u64 {
    let mut sum = bytes.len() as u64;
    for part in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..part.len()].copy_from_slice(part);
        sum = check(&[sum, u64::from_le_bytes(word)]);
    }
    sum
}
