//! The ring that hosts and devices share: many producers on one side, one consumer on the other.
//!
//! # Words and writers
//!
//! | word | written by | read by |
//! |---|---|---|
//! | `reserved` | producing side: CAS ([`Producers`]) or plain stores ([`SoleProducer`]) | both, as a gauge; the closed bit by the consumer |
//! | `consumed_seen` | producing side: a copy of `consumed` | producing side |
//! | `consumed` | the consumer | producing side, when its copy says full |
//! | a slot's `commit`, `meta`, envelope, payload | the producer that holds the slot's ticket | the consumer |
//! | a sealed slot's units | the same | the same |
//!
//! No word is the target of read-modify-writes from both sides, so a bus without read-modify-writes is
//! enough.
//!
//! # A slot's life
//!
//! Ticket `t` stands for slot `t % capacity` in lap `t / capacity + 1`.
//!
//! 1. *Reserved*: a producer moved `reserved` past `t`, having seen `consumed > t - capacity`. The slot
//!    belongs to it alone.
//! 2. *Published*: the producer wrote payload, envelope and meta, then stored the lap to `commit`. The slot
//!    belongs to the consumer.
//! 3. *Returned*: the consumer stored a `consumed` greater than `t`. Nobody clears the commit word: the next
//!    lap's differs.
//!
//! # Ordering
//!
//! * `slot-published`: the release store of `commit` and the consumer's acquire load of the lap it waits for:
//!   everything the producer wrote is visible to the consumer.
//! * `slots-returned`: the release store of `consumed` and the producers' acquire load of it: the consumer's
//!   reads are complete before a producer writes. A producer may read `consumed_seen` instead. Then it
//!   acquires from the producer that stored that word with release, and so from the consumer.
//! * Tickets themselves order nothing, so the CAS on `reserved` is relaxed.
//! * `gauge`: where `reserved` has one writer, it is stored with release after the slots below it were
//!   published, and read with acquire. A reader that sees in it that there is a message finds that message.
//!   Closing is ordered in the same way.
//! * *Full* is returned only after a fresh load of `consumed`: at that moment
//!   `reserved - consumed >= capacity` did hold.
//! * *Closed* is a bit of `reserved`: a ticket was handed out before the ring was closed, or never. The
//!   consumer of a closed ring waits for exactly the tickets below the word's count.
//!
//! A reservation that is dropped, for example by a panic, publishes a tombstone. So the consumer never waits
//! for a message that nobody will write.
//!
//! `slot-published` is described here for open slots; for sealed slots see [`sealed`].
//!
//! A [bridged](annulus_abi::bridged) message may lie in its slot's spill block. That block belongs to the
//! holder of the slot, like the slot's payload, and `slot-published` and `slots-returned` order it likewise.

use std::mem::{MaybeUninit, offset_of};

use annulus_abi::ring::{CLOSED, RingHeader, RingLayout, SlotHeader, kind};

pub use crate::header::Header;

use crate::{
    region::Region,
    sealed::{self, Image},
};
use annulus_sync::{AtomicU32, AtomicU64, Ordering, fence};

#[cfg(not(loom))]
mod bridged;
mod consumer;
mod landings;
mod producers;
mod replies;
mod sole_producer;

#[cfg(not(loom))]
pub use bridged::{ArchiveRoom, Archived};
pub use consumer::{Consumer, Slot};
pub use landings::{Ends, Landings};
pub use producers::{Producers, SlotReservation};
pub use replies::{Answers, Call, Callers, Look, Occupied, Reply};
pub use sole_producer::SoleProducer;

const RESERVED: usize = offset_of!(RingHeader, reserved);
const CONSUMED_SEEN: usize = offset_of!(RingHeader, consumed_seen);
const LOST: usize = offset_of!(RingHeader, lost);
const CONSUMED: usize = offset_of!(RingHeader, consumed);

/// A ring in shared memory. Its ends are made from it.
#[derive(Clone, Debug)]
pub struct Ring {
    /// Where the tickets are: the beginning of `region`, or memory elsewhere.
    header: Region,
    region: Region,
    layout: RingLayout,
}

/// Why no ticket was handed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// Every slot is taken.
    Full,
    /// The ring is closed.
    Closed,
}

impl Ring {
    /// The ring that lies in `region` with this layout.
    ///
    /// # Safety
    ///
    /// The layout comes from [`RingLayout::new`] or [`RingLayout::sealed`]. The region is at least
    /// `layout.bytes()` long, was zero when the ring was first made over it, and is accessed through rings of
    /// the same layout only: by any number of [`Producers`] or one [`SoleProducer`], and by one [`Consumer`].
    ///
    /// # Panics
    ///
    /// If slots are sealed, and the processor [cannot do that](crate::sealed).
    pub unsafe fn new(region: Region, layout: RingLayout) -> Self {
        assert!(
            !layout.is_sealed() || sealed::is_offered(),
            "this processor cannot seal slots: use open ones"
        );
        Self { header: region.clone(), region, layout }
    }

    /// The ring with its tickets elsewhere: in `header`, which is at least as long as a [`RingHeader`]. The
    /// beginning of `region` is not used.
    ///
    /// # Safety
    ///
    /// As for [`new`](Self::new), whose promises hold for `header`, too. All rings over `region` have the
    /// same header.
    #[cfg(not(loom))]
    pub unsafe fn with_header(header: Region, region: Region, layout: RingLayout) -> Self {
        // SAFETY: by the caller's promise.
        Self { header, ..unsafe { Self::new(region, layout) } }
    }

    /// The layout.
    pub fn layout(&self) -> &RingLayout {
        &self.layout
    }

    /// Tickets handed out so far. May be outdated when it returns.
    #[inline]
    pub fn reserved(&self) -> u64 {
        // SYNC: gauge (acquire)
        self.word::<RESERVED>().load(Ordering::Acquire) & !CLOSED
    }

    /// Slots given back so far. May be outdated when it returns.
    #[inline]
    pub fn consumed(&self) -> u64 {
        // SYNC: slots-returned (acquire)
        self.word::<CONSUMED>().load(Ordering::Acquire)
    }

    /// Whether no ticket will be handed out any more.
    #[inline]
    pub fn is_closed(&self) -> bool {
        // SYNC: gauge (acquire)
        self.word::<RESERVED>().load(Ordering::Acquire) & CLOSED != 0
    }

    /// The number of slots that were reserved and not given back, at most the capacity. May be outdated when
    /// it returns.
    #[inline]
    pub fn depth(&self) -> u64 {
        // A sole producer moves `reserved` once per batch, so the consumer may have passed it.
        let consumed = self.consumed();
        self.reserved().saturating_sub(consumed).min(u64::from(self.layout.capacity))
    }

    /// Whether the next slot may be published. Needs no end of the ring. After `false` there was a moment
    /// during the call when no slot that the consumer had not given back was published.
    #[inline]
    pub fn may_be_ready(&self) -> bool {
        let next = self.consumed();
        let is_published = self.is_published(next);
        // SYNC: slot-published (acquire)
        fence(Ordering::Acquire);
        // If the slot is already a lap ahead, the consumer has moved on since `next` was loaded. The producer
        // that published the slot had seen that. By the acquire above, the load below sees it too.
        is_published || self.consumed() != next
    }

    /// Whether the slot of `ticket` is published. Orders nothing.
    #[inline]
    fn is_published(&self, ticket: u64) -> bool {
        if self.layout.is_sealed() {
            return sealed::is_published(&self.region, &self.layout, ticket);
        }
        let commit = self.commit(ticket).load(Ordering::Relaxed);
        commit == self.layout.lap(ticket)
    }

    /// Closes the ring: no ticket is handed out after this returns. Tickets handed out before remain valid.
    pub fn close(&self) {
        // SYNC: gauge (release)
        self.word::<RESERVED>().fetch_or(CLOSED, Ordering::AcqRel);
    }

    /// The header's word at an offset.
    #[inline(always)]
    fn word<const OFFSET: usize>(&self) -> &AtomicU64 {
        const { assert!(OFFSET + 8 <= size_of::<RingHeader>() && OFFSET.is_multiple_of(8)) };
        // SAFETY: the region begins with a header, by the promise of `new` or `with_header`, and the word
        // lies in it, aligned, as was just asserted.
        unsafe { self.header.word64(OFFSET) }
    }

    /// The commit word of the open slot of `ticket`.
    #[inline(always)]
    fn commit(&self, ticket: u64) -> &AtomicU32 {
        // SAFETY: the layout places the slot of any ticket inside the ring, at a multiple of a line, and the
        // region is as long as the ring, by the promise of `new`.
        unsafe { self.region.word32(self.layout.slot_offset(ticket)) }
    }

    /// The word behind the commit word: the slot's kind and length.
    #[inline(always)]
    fn meta(&self, ticket: u64) -> &AtomicU32 {
        // SAFETY: as for `commit`; a slot is longer than its header.
        unsafe { self.region.word32(self.layout.slot_offset(ticket) + offset_of!(SlotHeader, meta)) }
    }

    fn seen(&self) -> &AtomicU64 {
        self.word::<CONSUMED_SEEN>()
    }

    /// What found no room, of a ring whose producer counts it here.
    pub fn lost(&self) -> &AtomicU64 {
        self.word::<LOST>()
    }

    /// Publishes the open slot of `ticket`, whose payload is written.
    ///
    /// # Safety
    ///
    /// The caller holds the ticket, and publishes it once.
    #[inline(always)]
    unsafe fn publish(&self, ticket: u64, kind: u8, length: u32, header: Header) {
        let slot = self.layout.slot_offset(ticket);
        if let Some(offset) = self.layout.enqueue_time_offset {
            // SAFETY: the layout places the word inside the slot, which the ticket makes ours until `commit`
            // is stored.
            unsafe { self.region.write(slot + offset, header.enqueue_time) };
        }
        if let Some(offset) = self.layout.correlation_offset {
            // SAFETY: as above.
            unsafe { self.region.write(slot + offset, header.correlation) };
        }
        if let Some(offset) = self.layout.trace_offset {
            // SAFETY: as above.
            unsafe { self.region.write(slot + offset, header.trace) };
        }
        if let Some(offset) = self.layout.stamp_offset {
            // SAFETY: as above.
            unsafe { self.region.write(slot + offset, header.stamp) };
        }
        self.meta(ticket).store(u32::from(kind) << 24 | length, Ordering::Relaxed);
        // SYNC: slot-published (release)
        self.commit(ticket).store(self.layout.lap(ticket), Ordering::Release);
    }

    /// Publishes the sealed slot of `ticket` with this payload.
    ///
    /// # Safety
    ///
    /// As for [`publish`](Self::publish).
    #[inline(always)]
    unsafe fn seal(&self, ticket: u64, kind: u8, length: u32, payload: &[MaybeUninit<u8>], header: &Header) {
        let image = Image { layout: &self.layout, meta: u32::from(kind) << 24 | length, header, payload };
        // SAFETY: by the caller's promise.
        unsafe { image.publish(&self.region, ticket) };
    }

    /// [`seal`](Self::seal) of a message of this type, given by its bytes.
    ///
    /// # Safety
    ///
    /// As for [`publish`](Self::publish).
    #[inline(never)] // So that writers of open slots have little code around theirs.
    unsafe fn seal_sized<T>(&self, ticket: u64, bytes: &[MaybeUninit<u8>], header: &Header) {
        let bytes = &bytes[..size_of::<T>()];
        // SAFETY: by the caller's promise.
        unsafe { self.seal(ticket, kind::MESSAGE, size_of::<T>() as u32, bytes, header) };
    }

    /// [`seal`](Self::seal) with a payload whose length is not known here, or with none: a tombstone.
    ///
    /// # Safety
    ///
    /// As for [`publish`](Self::publish).
    #[inline(never)] // What fits every length is not for writers of open slots.
    unsafe fn seal_any(
        &self,
        ticket: u64,
        kind: u8,
        length: u32,
        payload: &[MaybeUninit<u8>],
        header: &Header,
    ) {
        // SAFETY: by the caller's promise.
        unsafe { self.seal(ticket, kind, length, payload, header) };
    }
}

/// Copies bytes. Common message sizes are copied without a call.
///
/// # Safety
///
/// As for [`pointer::copy_to_nonoverlapping`].
#[cfg(not(loom))]
#[inline(always)]
unsafe fn copy(from: *const MaybeUninit<u8>, to: *mut MaybeUninit<u8>, length: usize) {
    macro_rules! lengths {
        ($($length:literal),+) => {
            match length {
                // SAFETY: as the caller says.
                $($length => unsafe { from.copy_to_nonoverlapping(to, $length) },)+
                // SAFETY: as the caller says.
                _ => unsafe { from.copy_to_nonoverlapping(to, length) },
            }
        };
    }
    lengths!(4, 8, 16, 32, 64, 128, 256);
}
