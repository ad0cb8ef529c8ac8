//! The ring: a header, then slots.
//!
//! `annulus_ring::ring` describes who writes which word, and in what order.
//!
//! # Sealed slots
//!
//! A slot is *open* or *sealed*. An open slot has its words as they are. A sealed slot is divided into units
//! of [`UNIT`] bytes. The last four bytes of each unit are the slot's lap (an open slot has it in
//! [`SlotHeader::commit`]). A unit is written and read in one access that is never torn, so each unit shows
//! which lap it belongs to. A reader that finds the lap in all units has the whole slot, and needs no second
//! look at it. The units' contents, one after the other, are the slot's *image*. It equals an open slot,
//! except that the *stamp* replaces the commit word: the receiver's command as the sender found it. In a
//! sealed ring, all offsets of a [`RingLayout`] except the stride are offsets in the image.

use core::mem::offset_of;

/// The words in front of the slots.
#[derive(Debug)]
#[repr(C, align(128))]
pub struct RingHeader {
    /// Number of tickets handed out to producers. Bit 63, [`CLOSED`], says that no more will be handed out.
    /// Only the producing side writes it, and may use read-modify-writes. The other side reads it as a gauge
    /// of depth.
    pub reserved: u64,
    /// The producing side's copy of `consumed`, never ahead of it.
    pub consumed_seen: u64,
    /// What found no room and was not waited for, of a ring whose producer keeps count here: that of
    /// [records](crate::trace). Only the producing side writes it.
    pub lost: u64,
    /// Rest of the producing side's pair of lines.
    pub producer_padding: [u64; 13],
    /// Number of slots that the consumer has read completely and given back. Only the consumer writes it,
    /// once per batch.
    pub consumed: u64,
    /// Rest of the consumer's pair of lines.
    pub consumer_padding: [u64; 15],
}

/// Bit of [`RingHeader::reserved`]: the ring is closed to new messages.
pub const CLOSED: u64 = 1 << 63;

/// The words in front of every payload.
///
/// In the image of a sealed slot the stamp takes the place of `commit`.
#[derive(Debug)]
#[repr(C)]
pub struct SlotHeader {
    /// The lap whose message the slot holds: `ticket / capacity + 1`, its low 32 bits; 0 in fresh memory. The
    /// producer writes it last. It is never cleared.
    pub commit: u32,
    /// The [`kind`] in the upper 8 bits, the number of the message's queue in the next 5 ([`QUEUE_SHIFT`]),
    /// the payload's length in bytes in the lower 19.
    pub meta: u32,
}

/// A unit of a sealed slot.
#[derive(Debug)]
#[repr(C, align(16))]
pub struct SealedUnit {
    /// The next words of the slot's image.
    pub content: [u32; 3],
    /// The lap whose message the unit belongs to; 0 in fresh memory.
    pub lap: u32,
}

/// Where [`SlotHeader::meta`] has the number of the queue that the message came from: 0 for the kernel's own
/// queue, else that of a named one.
pub const QUEUE_SHIFT: u32 = 19;
/// The bits of that number.
pub const QUEUE_MASK: u32 = 31;
/// The bits of [`SlotHeader::meta`] that are the payload's length.
pub const LENGTH_MASK: u32 = (1 << QUEUE_SHIFT) - 1;
/// The most named queues of a kernel. Source: the documents' limit.
pub const MAX_QUEUES: usize = 16;

/// What a slot holds: the upper 8 bits of [`SlotHeader::meta`].
pub mod kind {
    /// A message.
    pub const MESSAGE: u8 = 1;
    /// Nothing: a reservation that was dropped. Consumers skip it.
    pub const TOMBSTONE: u8 = 2;
    /// The answer to a call whose handler succeeded and sent nothing; no payload.
    pub const NO_REPLY: u8 = 3;
    /// The answer to a call whose handler failed; the error code stands in the length.
    pub const FAILED: u8 = 4;
    /// A dead letter: the message whose handling failed; the error code stands in the length.
    pub const DEAD_LETTER: u8 = 5;
    /// A print. Its number in the kernel stands in the length; its arguments are the payload, one word each.
    pub const PRINT: u8 = 6;
    /// The answer to a call through a pipeline: the output that carried it was lost on its way to the next kernel; no
    /// payload.
    pub const LOST: u8 = 7;
    /// The answer to a call through a pipeline: a kernel ended before it took the message that carried it; no payload.
    pub const ENDED: u8 = 8;
    /// A record of a message that carried a [trace](crate::trace).
    pub const RECORD: u8 = 9;
}

/// Bytes of a unit of a sealed slot.
pub const UNIT: usize = 16;
/// Bytes of a unit that belong to the slot's image; the lap follows.
pub const UNIT_CONTENT: usize = 12;
/// The most units of a sealed slot: so many does a warp of 32 threads load by one instruction, beside three other words.
pub const UNITS_MOST: usize = 29;
/// Bytes of the largest image that is sealed.
pub const SEALED_MOST: usize = UNITS_MOST * UNIT_CONTENT;

/// The address of a reply's slot, which the call's message carries. The low half is the slot's number. The
/// high half is its *generation*, which becomes the slot's lap when the reply is published. Generations count
/// the calls that used the slot, and are never 0, so no address is 0.
pub const fn call_at(slot: u32, generation: u32) -> u64 {
    (generation as u64) << 32 | slot as u64
}

/// A bit of a call's address: the call goes through a pipeline. The bits below it are the number of the call's place,
/// which names the same slot in every kernel of the pipeline; see
/// [`KernelLayout::landings`](crate::kernel::KernelLayout::landings).
pub const THROUGH: u64 = 1 << 31;

/// Whether an address is that of a call through a pipeline.
#[inline]
pub const fn is_through(call: u64) -> bool {
    call & THROUGH != 0
}

/// The address of a call through a pipeline: the number of its place, and the generation of that place.
pub const fn call_through(place: u32, generation: u32) -> u64 {
    assert!((place as u64) < ASK);
    (generation as u64) << 32 | THROUGH | place as u64
}

/// A bit of the address of a call through a pipeline: a kernel made it, and not the host. On a device its slot lies where
/// that kernel sees it. The bits below it are the number of the place.
pub const ASK: u64 = 1 << 30;

/// Whether an address is that of an ask.
#[inline]
pub const fn is_ask(call: u64) -> bool {
    call & (THROUGH | ASK) == THROUGH | ASK
}

/// The address of an ask: the number of its place, and the generation of that place.
pub const fn call_asked(place: u32, generation: u32) -> u64 {
    assert!((place as u64) < ASK);
    (generation as u64) << 32 | THROUGH | ASK | place as u64
}

/// The place of a call through a pipeline, or of an ask.
#[inline]
pub const fn place_of(call: u64) -> u32 {
    (call & (ASK - 1)) as u32
}

/// The optional words of an envelope, fixed at launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Envelope {
    /// When the message was enqueued, in nanoseconds on the runtime's clock.
    pub enqueue_time: bool,
    /// Where the reply goes, if the message belongs to a call: the [address of its slot](call_at); 0 for
    /// none.
    pub correlation: bool,
    /// The [trace](crate::trace) that the message belongs to; 0 for none.
    pub trace: bool,
    /// The [stamp](crate::stamp) of the event that sent the message; 0 for none.
    pub stamp: bool,
}

/// Smallest capacity of a ring.
pub const MIN_CAPACITY: u32 = 16;
/// Largest capacity of a ring.
pub const MAX_CAPACITY: u32 = 1 << 20;
/// Largest payload, in bytes.
pub const MAX_PAYLOAD: usize = 65_536;

/// The offsets and sizes of everything in a ring, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RingLayout {
    /// Slots, a power of two.
    pub capacity: u32,
    /// Distance between slots in the ring: a multiple of a cache line, so a small message takes one line.
    pub slot_stride: usize,
    /// From the slot's start to its enqueue time, if it has one.
    pub enqueue_time_offset: Option<usize>,
    /// From the slot's start to its correlation, if it has one.
    pub correlation_offset: Option<usize>,
    /// From the slot's start to its trace, if it has one.
    pub trace_offset: Option<usize>,
    /// From the slot's start to its stamp, if it has one.
    pub stamp_offset: Option<usize>,
    /// From the slot's start to its payload.
    pub payload_offset: usize,
    /// Bytes of the payload.
    pub payload_size: usize,
    /// Units of a sealed slot; 0 if slots are open.
    pub units: usize,
    /// Bytes of a slot's spill block, a multiple of a cache line, if the ring carries [bridged
    /// messages](crate::bridged): 0 if slots have room for all archives. `None` for other messages.
    pub spill: Option<usize>,
}

impl RingLayout {
    /// The layout for messages of `payload_size` bytes aligned to `payload_align`.
    ///
    /// `capacity` is a power of two of at least 2 (a queue's own limits are stricter), `payload_align` a
    /// power of two of at most 64.
    pub const fn new(capacity: u32, payload_size: usize, payload_align: usize, envelope: Envelope) -> Self {
        assert!(capacity.is_power_of_two() && capacity >= 2 && capacity <= MAX_CAPACITY);
        assert!(payload_align.is_power_of_two() && payload_align <= super::LINE);
        assert!(payload_size <= MAX_PAYLOAD);
        let mut offset = size_of::<SlotHeader>();
        let enqueue_time_offset = if envelope.enqueue_time {
            offset += 8;
            Some(offset - 8)
        } else {
            None
        };
        let correlation_offset = if envelope.correlation {
            offset += 8;
            Some(offset - 8)
        } else {
            None
        };
        let trace_offset = if envelope.trace {
            offset += 8;
            Some(offset - 8)
        } else {
            None
        };
        let stamp_offset = if envelope.stamp {
            offset += 8;
            Some(offset - 8)
        } else {
            None
        };
        let payload_offset = offset.next_multiple_of(payload_align);
        let slot_stride = (payload_offset + payload_size).next_multiple_of(super::LINE);
        Self {
            capacity,
            slot_stride,
            enqueue_time_offset,
            correlation_offset,
            trace_offset,
            stamp_offset,
            payload_offset,
            payload_size,
            units: 0,
            spill: None,
        }
    }

    /// The same ring with sealed slots; `None` if a slot's image has more than [`SEALED_MOST`] bytes, or if
    /// messages are bridged: no unit of the slot can vouch for what lies in a spill block.
    ///
    /// Of each 16 bytes of a slot 12 are content: header, envelope and message; a slot takes a multiple of 32 (of 64 if the message is aligned to 64). So a message of up
    /// to 40 bytes takes one line, or of up to 24 bytes with time stamp and correlation, and the next larger one
    /// takes one and a half, where an open slot has room for 16 bytes more.
    ///
    /// ```
    /// use annulus_abi::ring::{Envelope, RingLayout};
    ///
    /// let bytes = |message, envelope| {
    ///     RingLayout::new(64, message, 8, envelope).sealed().map(|layout| layout.slot_stride)
    /// };
    /// let bare = Envelope { enqueue_time: false, correlation: false, trace: false, stamp: false };
    /// assert_eq!([40, 48, 56].map(|message| bytes(message, bare)), [Some(64), Some(96), Some(96)]);
    /// let full = Envelope { enqueue_time: true, correlation: true, trace: false, stamp: false };
    /// assert_eq!([24, 32, 72].map(|message| bytes(message, full)), [Some(64), Some(96), Some(128)]);
    /// assert_eq!(RingLayout::new(64, 56, 8, bare).slot_stride, 64);
    /// ```
    pub const fn sealed(self) -> Option<Self> {
        let image = self.payload_offset + self.payload_size;
        if image > SEALED_MOST || self.spill.is_some() {
            return None;
        }
        let units = image.div_ceil(UNIT_CONTENT);
        // Messages lie at this distance where they are kept as they were in open slots, and stay aligned there.
        let is_aligned_to_lines = (self.payload_offset | self.payload_size).is_multiple_of(super::LINE);
        let step = if is_aligned_to_lines { super::LINE } else { 2 * UNIT };
        Some(Self { units, slot_stride: (units * UNIT).next_multiple_of(step), ..self })
    }

    /// The same ring with open slots.
    pub const fn open(self) -> Self {
        let slot_stride = (self.payload_offset + self.payload_size).next_multiple_of(super::LINE);
        Self { units: 0, slot_stride, ..self }
    }

    /// Whether slots are sealed.
    #[inline]
    pub const fn is_sealed(&self) -> bool {
        self.units != 0
    }

    /// Distance between images where images of several slots are stored together. The content of every unit
    /// fits.
    pub const fn image_stride(&self) -> usize {
        if self.is_sealed() {
            (self.units * UNIT_CONTENT).next_multiple_of(super::LINE)
        } else {
            self.slot_stride
        }
    }

    /// From the ring's start to a unit of the slot of `ticket`.
    #[inline]
    pub const fn unit_offset(&self, ticket: u64, unit: usize) -> usize {
        self.slot_offset(ticket) + unit * UNIT
    }

    /// Bytes of the whole ring, header included: a multiple of [`PAIR`](super::PAIR).
    pub const fn bytes(&self) -> usize {
        (self.spill_offset(0) + self.capacity as usize * self.spill_bytes()).next_multiple_of(super::PAIR)
    }

    /// From the ring's start to the spill block of the slot of `ticket`: behind all slots.
    #[inline]
    pub const fn spill_offset(&self, ticket: u64) -> usize {
        let index = ticket & (self.capacity as u64 - 1);
        size_of::<RingHeader>()
            + self.capacity as usize * self.slot_stride
            + index as usize * self.spill_bytes()
    }

    /// Bytes of the largest payload that a slot has room for; of a bridged message, of the largest archive.
    pub const fn payload_most(&self) -> usize {
        match self.spill {
            None => self.payload_size,
            Some(0) => self.payload_size - size_of::<super::bridged::Head>(),
            Some(spill) => spill,
        }
    }

    /// Bytes of a slot's spill block; 0 if slots have none.
    #[inline]
    pub const fn spill_bytes(&self) -> usize {
        match self.spill {
            Some(bytes) => bytes,
            None => 0,
        }
    }

    /// From the ring's start to the slot of `ticket`.
    #[inline]
    pub const fn slot_offset(&self, ticket: u64) -> usize {
        let index = ticket & (self.capacity as u64 - 1);
        size_of::<RingHeader>() + index as usize * self.slot_stride
    }

    /// The lap of `ticket`: the value of its commit word.
    #[inline]
    pub const fn lap(&self, ticket: u64) -> u32 {
        ((ticket >> self.capacity.trailing_zeros()) as u32).wrapping_add(1)
    }
}

const _: () = {
    assert!(size_of::<RingHeader>() == 256);
    assert!(offset_of!(RingHeader, reserved) == 0);
    assert!(offset_of!(RingHeader, consumed_seen) == 8);
    assert!(offset_of!(RingHeader, lost) == 16);
    assert!(offset_of!(RingHeader, consumed) == 128);
    assert!(size_of::<SlotHeader>() == 8);
    assert!(offset_of!(SlotHeader, commit) == 0);
    assert!(offset_of!(SlotHeader, meta) == 4);
    assert!(MAX_PAYLOAD <= LENGTH_MASK as usize && MAX_QUEUES <= QUEUE_MASK as usize);
    assert!(QUEUE_MASK << QUEUE_SHIFT | LENGTH_MASK == 0xFF_FFFF);
    assert!(size_of::<SealedUnit>() == UNIT && align_of::<SealedUnit>() == UNIT);
    assert!(offset_of!(SealedUnit, lap) == UNIT_CONTENT);
};
