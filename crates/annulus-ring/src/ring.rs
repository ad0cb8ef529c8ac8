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
//! No word is ever the target of read-modify-writes from both sides, so a bus that has none is enough.
//!
//! # A slot's life
//!
//! Ticket `t` stands for slot `t % capacity` in lap `t / capacity + 1`.
//!
//! 1. *Reserved*: a producer moved `reserved` past `t`, having seen `consumed > t - capacity`. The slot is its alone.
//! 2. *Published*: it wrote payload, envelope and meta, then stored the lap to `commit`. The slot belongs to the consumer.
//! 3. *Returned*: the consumer stored a `consumed` greater than `t`. Nobody clears the commit word: the next lap's differs.
//!
//! # Ordering
//!
//! * `slot-published`: the release store of `commit` and the consumer's acquire load of the lap it waits for: everything
//!   the producer wrote is visible to the consumer.
//! * `slots-returned`: the release store of `consumed` and the producers' acquire load of it: the consumer's reads are over
//!   before a producer writes. A producer that learns of it through `consumed_seen` instead acquires from the producer that
//!   stored it there with release, and so from the consumer.
//! * Tickets themselves order nothing, so the CAS on `reserved` is relaxed.
//! * *Full* is said only after a fresh load of `consumed`: at that moment `reserved - consumed >= capacity` did hold.
//! * *Closed* is a bit of `reserved`: a ticket was handed out before the ring was closed, or never. The consumer of a closed
//!   ring waits for exactly the tickets below the word's count.
//!
//! A reservation that is dropped, by a panic say, publishes a tombstone, so the consumer never waits for nobody.
//!
//! What is said of `slot-published` is of open slots; of sealed ones see [`sealed`].

use std::mem::MaybeUninit;

use annulus_abi::ring::{CLOSED, RingLayout, kind};

use crate::{
    region::Region,
    sealed::{self, Image, Opened},
};
use annulus_sync::{AtomicU64, Ordering, fence, wait::Backoff};

const RESERVED: usize = 0;
const CONSUMED_SEEN: usize = 8;
const CONSUMED: usize = 128;

/// A ring in shared memory; the ends are made from it.
#[derive(Clone, Debug)]
pub struct Ring {
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

/// What goes before a payload.
#[derive(Clone, Copy, Debug, Default)]
pub struct Header {
    /// Nanoseconds on the runtime's clock; dropped if the layout has no place for it.
    pub enqueue_time: u64,
    /// The call it belongs to, 0 for none; dropped if the layout has no place for it.
    pub correlation: u64,
    /// The receiver's command word, as the sender found it before it asked for the slot; dropped unless slots are sealed. A [`Consumer`] needs it not, and
    /// does not tell.
    pub command: u32,
}

impl Ring {
    /// The ring that lies in `region` with this layout.
    ///
    /// # Safety
    ///
    /// The layout comes from [`RingLayout::new`] or [`RingLayout::sealed`]. The region is at least `layout.bytes()` long, was zero when the ring was
    /// first made over it, and is accessed through rings of the same layout only: by any number of [`Producers`] or one [`SoleProducer`], and by one
    /// [`Consumer`].
    ///
    /// # Panics
    ///
    /// If slots are sealed, and the processor [cannot do that](crate::sealed).
    pub unsafe fn new(region: Region, layout: RingLayout) -> Self {
        assert!(
            !layout.is_sealed() || sealed::is_offered(),
            "this processor cannot seal slots: use open ones"
        );
        Self { region, layout }
    }

    /// The layout.
    pub fn layout(&self) -> &RingLayout {
        &self.layout
    }

    /// Tickets handed out so far. May be outdated when it returns.
    #[inline]
    pub fn reserved(&self) -> u64 {
        self.region.u64(RESERVED).load(Ordering::Acquire) & !CLOSED
    }

    /// Slots given back so far. May be outdated when it returns.
    #[inline]
    pub fn consumed(&self) -> u64 {
        self.region.u64(CONSUMED).load(Ordering::Acquire)
    }

    /// Whether no ticket will be handed out any more.
    #[inline]
    pub fn is_closed(&self) -> bool {
        self.region.u64(RESERVED).load(Ordering::Acquire) & CLOSED != 0
    }

    /// Messages that were reserved and not given back, at most the capacity. May be outdated when it returns.
    #[inline]
    pub fn depth(&self) -> u64 {
        // A sole producer moves `reserved` once per batch, so the consumer may have passed it.
        let consumed = self.consumed();
        self.reserved().saturating_sub(consumed).min(u64::from(self.layout.capacity))
    }

    /// Whether the next slot may be published, by a look that needs no end of the ring. After `false` there was a moment during the
    /// call when every slot that the consumer had not given back was unpublished.
    #[inline]
    pub fn may_be_ready(&self) -> bool {
        let next = self.consumed();
        let is_published = self.is_published(next);
        // SYNC: slot-published (acquire)
        fence(Ordering::Acquire);
        // If the slot is a lap ahead already, the consumer has moved on since `next` was loaded: the producer that published it had
        // seen that, and by the acquire above the load below sees it too.
        is_published || self.consumed() != next
    }

    /// Whether the slot of `ticket` is published. Orders nothing.
    #[inline]
    fn is_published(&self, ticket: u64) -> bool {
        if self.layout.is_sealed() {
            return sealed::is_published(&self.region, &self.layout, ticket);
        }
        let commit = self.region.u32(self.layout.slot_offset(ticket)).load(Ordering::Relaxed);
        commit == self.layout.lap(ticket)
    }

    /// Closes the ring: no ticket is handed out after this returns. Tickets handed out before remain valid.
    pub fn close(&self) {
        self.region.u64(RESERVED).fetch_or(CLOSED, Ordering::AcqRel);
    }

    fn seen(&self) -> &AtomicU64 {
        self.region.u64(CONSUMED_SEEN)
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
            // SAFETY: the layout places the word inside the slot, which the ticket makes ours until `commit` is stored.
            unsafe { self.region.write(slot + offset, header.enqueue_time) };
        }
        if let Some(offset) = self.layout.correlation_offset {
            // SAFETY: as above.
            unsafe { self.region.write(slot + offset, header.correlation) };
        }
        self.region.u32(slot + 4).store(u32::from(kind) << 24 | length, Ordering::Relaxed);
        // SYNC: slot-published (release)
        self.region.u32(slot).store(self.layout.lap(ticket), Ordering::Release);
    }

    /// Publishes the sealed slot of `ticket` with this payload, or as a tombstone.
    ///
    /// # Safety
    ///
    /// As for [`publish`](Self::publish).
    #[inline(never)] // An image on the stack is not for writers of open slots.
    unsafe fn seal<T: Copy>(&self, ticket: u64, message: Option<T>, header: Header) {
        let kind = if message.is_some() { kind::MESSAGE } else { kind::TOMBSTONE };
        let length = message.map_or(0, |_| size_of::<T>() as u32);
        let mut image = Image::new(&self.layout, kind, length, header);
        if let Some(message) = message {
            image.put(self.layout.payload_offset, message);
        }
        // SAFETY: by the caller's word.
        unsafe { image.publish(&self.region, ticket) };
    }

    /// [`seal`](Self::seal) of a message whose type is not known here.
    ///
    /// # Safety
    ///
    /// As for [`publish`](Self::publish).
    #[cfg(not(loom))]
    unsafe fn seal_bytes(&self, ticket: u64, message: &[MaybeUninit<u8>], header: Header) {
        let mut image = Image::new(&self.layout, kind::MESSAGE, message.len() as u32, header);
        image.put_bytes(self.layout.payload_offset, message);
        // SAFETY: by the caller's word.
        unsafe { image.publish(&self.region, ticket) };
    }
}

/// The producing side, for any number of threads.
#[derive(Clone, Debug)]
pub struct Producers {
    ring: Ring,
}

impl Producers {
    /// The producing side of `ring`.
    ///
    /// # Safety
    ///
    /// No [`SoleProducer`] of this ring exists or will.
    pub unsafe fn new(ring: Ring) -> Self {
        Self { ring }
    }

    /// The ring.
    pub fn ring(&self) -> &Ring {
        &self.ring
    }

    /// Reserves up to `want` slots in a row, at least one.
    ///
    /// # Errors
    ///
    /// [`Refused::Full`] if at some moment during the call no slot was free; [`Refused::Closed`] for good.
    #[inline]
    pub fn reserve(&self, want: u32) -> Result<Reservation<'_>, Refused> {
        let ring = &self.ring;
        let capacity = u64::from(ring.layout.capacity);
        let reserved = ring.region.u64(RESERVED);
        let mut backoff = Backoff::new();
        let mut ticket = reserved.load(Ordering::Relaxed);
        loop {
            if ticket & CLOSED != 0 {
                return Err(Refused::Closed);
            }
            // SYNC: slots-returned (acquire, through a fellow producer)
            let mut seen = ring.seen().load(Ordering::Acquire);
            if ticket.wrapping_sub(seen) >= capacity {
                // SYNC: slots-returned (acquire)
                seen = ring.region.u64(CONSUMED).load(Ordering::Acquire);
                ring.seen().store(seen, Ordering::Release);
                if seen <= ticket && ticket - seen >= capacity {
                    return Err(Refused::Full);
                }
            }
            if seen > ticket {
                // Others reserved and the consumer read past our ticket since we loaded it.
                ticket = reserved.load(Ordering::Relaxed);
                continue;
            }
            let count = u64::from(want).min(capacity - (ticket - seen)).max(1);
            match reserved.compare_exchange_weak(ticket, ticket + count, Ordering::Relaxed, Ordering::Relaxed)
            {
                Ok(_) => return Ok(Reservation { ring, next: ticket, end: ticket + count }),
                Err(now) => {
                    ticket = now;
                    backoff.spin();
                }
            }
        }
    }
}

/// Slots in a row that one producer holds. What it does not write by the time it is dropped becomes tombstones.
#[derive(Debug)]
#[must_use = "a reservation that is dropped publishes tombstones"]
pub struct Reservation<'a> {
    ring: &'a Ring,
    next: u64,
    end: u64,
}

impl Reservation<'_> {
    /// How many slots are left to write.
    #[inline]
    pub fn remaining(&self) -> u32 {
        (self.end - self.next) as u32
    }

    /// Writes and publishes the next message.
    ///
    /// # Panics
    ///
    /// If no slot is left, or if the ring's payload has not the size of a `T`, or less alignment.
    #[inline]
    pub fn write<T: Copy>(&mut self, message: T, header: Header) {
        assert!(self.next < self.end, "a reservation writes only the slots that it holds");
        let Ring { region, layout } = self.ring;
        assert!(
            size_of::<T>() == layout.payload_size && layout.payload_offset.is_multiple_of(align_of::<T>()),
            "a ring's payload has its message type's size and alignment"
        );
        let ticket = self.next;
        self.next += 1;
        if layout.is_sealed() {
            // SAFETY: the ticket was ours and is left behind.
            return unsafe { self.ring.seal(ticket, Some(message), header) };
        }
        let payload = layout.slot_offset(ticket) + layout.payload_offset;
        // SAFETY: the slot is ours by its ticket, inside the region by the layout, and fits by the assertion; slots are
        // 64-aligned, and no layout allows more alignment than that.
        unsafe { region.write(payload, message) };
        // SAFETY: the ticket was ours and is left behind.
        unsafe { self.ring.publish(ticket, kind::MESSAGE, size_of::<T>() as u32, header) };
    }

    /// Writes and publishes the next message, by its bytes: [`write`](Self::write) for who does not know its type. Padding may be uninitialised.
    ///
    /// # Panics
    ///
    /// If no slot is left, or if the ring's payload has another size.
    #[cfg(not(loom))]
    #[inline]
    pub fn write_bytes(&mut self, message: &[MaybeUninit<u8>], header: Header) {
        assert!(self.next < self.end, "a reservation writes only the slots that it holds");
        let Ring { region, layout } = self.ring;
        assert!(message.len() == layout.payload_size, "a ring's payload has its message type's size");
        let ticket = self.next;
        self.next += 1;
        if layout.is_sealed() {
            // SAFETY: the ticket was ours and is left behind.
            return unsafe { self.ring.seal_bytes(ticket, message, header) };
        }
        let payload = region.pointer(layout.slot_offset(ticket) + layout.payload_offset).cast();
        // SAFETY: the slot is ours by its ticket, inside the region by the layout, and fits by the assertion; nobody else has a
        // pointer into it.
        unsafe { copy(message.as_ptr(), payload, message.len()) };
        // SAFETY: the ticket was ours and is left behind.
        unsafe { self.ring.publish(ticket, kind::MESSAGE, message.len() as u32, header) };
    }

    /// The same in a model, whose messages are words.
    #[cfg(loom)]
    pub fn write_bytes(&mut self, message: &[MaybeUninit<u8>], header: Header) {
        assert!(message.len() == size_of::<u64>(), "models send words");
        // SAFETY: as long as a word, all of whose bytes a model writes; it may lie anywhere.
        let word = unsafe { message.as_ptr().cast::<u64>().read_unaligned() };
        self.write(word, header);
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        while self.next < self.end {
            let ticket = self.next;
            self.next += 1;
            if self.ring.layout.is_sealed() {
                // SAFETY: the ticket was ours and is left behind.
                unsafe { self.ring.seal(ticket, None::<()>, Header::default()) };
                continue;
            }
            // SAFETY: the ticket was ours and is left behind.
            unsafe { self.ring.publish(ticket, kind::TOMBSTONE, 0, Header::default()) };
        }
    }
}

/// The producing side when there is but one producer: no CAS, and messages become visible one by one while the gauge of
/// depth moves once per batch.
#[derive(Debug)]
pub struct SoleProducer {
    ring: Ring,
    next: u64,
    seen: u64,
}

impl SoleProducer {
    /// The producing side of `ring`, from its current position.
    ///
    /// # Safety
    ///
    /// No other producer of this ring exists or will.
    ///
    /// # Panics
    ///
    /// If slots are sealed: this end's payloads are written where they lie.
    pub unsafe fn new(ring: Ring) -> Self {
        assert!(!ring.layout.is_sealed(), "a sole producer's slots are open");
        let next = ring.reserved();
        let seen = ring.consumed();
        Self { ring, next, seen }
    }

    /// The ring.
    pub fn ring(&self) -> &Ring {
        &self.ring
    }

    /// The ticket of the next message.
    #[inline]
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Whether at least `slots` slots are free.
    #[inline]
    pub fn has_credit(&mut self, slots: u32) -> bool {
        let capacity = u64::from(self.ring.layout.capacity);
        if self.next + u64::from(slots) - self.seen <= capacity {
            return true;
        }
        // SYNC: slots-returned (acquire)
        self.seen = self.ring.region.u64(CONSUMED).load(Ordering::Acquire);
        self.next + u64::from(slots) - self.seen <= capacity
    }

    /// Publishes the next slot. A message's payload must have been written to it before.
    ///
    /// # Safety
    ///
    /// [`has_credit`](Self::has_credit) has vouched for the slot, and for [`kind::MESSAGE`] its payload holds a message.
    #[inline]
    pub unsafe fn publish(&mut self, kind: u8, length: u32, header: Header) {
        let ticket = self.next;
        self.next += 1;
        // SAFETY: the only producer holds every ticket that it has credit for, and leaves this one behind.
        unsafe { self.ring.publish(ticket, kind, length, header) };
    }

    /// Publishes a copy of the bytes at `payload`, as many as the ring's payloads have.
    ///
    /// # Safety
    ///
    /// [`has_credit`](Self::has_credit) has vouched for the slot; `payload` is valid for reads of the ring's payload size, and what
    /// lies there is of the type that the consumer reads.
    #[cfg(not(loom))]
    pub unsafe fn publish_copy(&mut self, kind: u8, length: u32, header: Header, payload: *const u8) {
        let layout = &self.ring.layout;
        let to = self.ring.region.pointer(layout.slot_offset(self.next) + layout.payload_offset);
        // SAFETY: the slot is ours by credit, and inside the region by the layout; source and destination are different memory,
        // since nobody else has a pointer into a free slot.
        unsafe { payload.copy_to_nonoverlapping(to, layout.payload_size) };
        // SAFETY: the caller vouches for the slot, and its payload was just written.
        unsafe { self.publish(kind, length, header) };
    }

    /// Moves the gauge of depth: once per batch is enough.
    #[inline]
    pub fn show(&self) {
        self.ring.region.u64(RESERVED).store(self.next, Ordering::Release);
    }

    /// Says that nothing will come any more.
    pub fn close(&self) {
        self.ring.region.u64(RESERVED).store(self.next | CLOSED, Ordering::Release);
    }
}

/// The consuming end. Its position is private; the producing side learns of it by [`give_back`](Self::give_back).
#[derive(Debug)]
pub struct Consumer {
    ring: Ring,
    next: u64,
}

/// A published slot, still in the ring.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// What it holds, see [`kind`].
    pub kind: u8,
    /// Bytes of the payload, or an error code.
    pub length: u32,
    /// The ticket that it was published under.
    ticket: u64,
    /// From the ring's start to the payload, or from the image's if it is sealed.
    payload: usize,
    /// The envelope.
    pub header: Header,
}

impl Consumer {
    /// The consuming end of `ring`, from its current position.
    ///
    /// # Safety
    ///
    /// No other consumer of this ring exists or will, as long as this one is used.
    pub unsafe fn new(ring: Ring) -> Self {
        let next = ring.consumed();
        Self { ring, next }
    }

    /// The ring.
    pub fn ring(&self) -> &Ring {
        &self.ring
    }

    /// Whether a published slot waits.
    #[inline]
    pub fn is_ready(&self) -> bool {
        self.is_ready_after(0)
    }

    /// Whether a published slot waits behind `slots` others; those may be published or not.
    #[inline]
    pub fn is_ready_after(&self, slots: u32) -> bool {
        self.ring.is_published(self.next + u64::from(slots))
    }

    /// The next slot, if it is published.
    #[inline]
    pub fn peek(&self) -> Option<Slot> {
        let layout = &self.ring.layout;
        if layout.is_sealed() {
            return self.peek_sealed();
        }
        let slot = layout.slot_offset(self.next);
        // SYNC: slot-published (acquire)
        if self.ring.region.u32(slot).load(Ordering::Acquire) != layout.lap(self.next) {
            return None;
        }
        let meta = self.ring.region.u32(slot + 4).load(Ordering::Relaxed);
        let mut header = Header::default();
        if let Some(offset) = layout.enqueue_time_offset {
            // SAFETY: the slot is published and not given back, so it is ours to read, and `publish` wrote the word.
            header.enqueue_time = unsafe { self.ring.region.read(slot + offset) };
        }
        if let Some(offset) = layout.correlation_offset {
            // SAFETY: as above.
            header.correlation = unsafe { self.ring.region.read(slot + offset) };
        }
        Some(Slot {
            kind: (meta >> 24) as u8,
            length: meta & 0xFF_FFFF,
            ticket: self.next,
            payload: slot + layout.payload_offset,
            header,
        })
    }

    fn peek_sealed(&self) -> Option<Slot> {
        let Ring { region, layout } = &self.ring;
        let image = Opened::new(region, layout, self.next)?;
        // SAFETY: a producer put a word there.
        let meta: u32 = unsafe { image.get(4) };
        // SAFETY: as above.
        let word = |offset: Option<usize>| offset.map_or(0, |offset| unsafe { image.get::<u64>(offset) });
        Some(Slot {
            kind: (meta >> 24) as u8,
            length: meta & 0xFF_FFFF,
            ticket: self.next,
            payload: layout.payload_offset,
            header: Header {
                enqueue_time: word(layout.enqueue_time_offset),
                correlation: word(layout.correlation_offset),
                ..Header::default()
            },
        })
    }

    /// A copy of the payload of a slot that [`peek`](Self::peek) gave.
    ///
    /// # Safety
    ///
    /// The slot came from `peek` since the last [`advance`](Self::advance), is a [`kind::MESSAGE`], and its producer wrote a
    /// valid `T`.
    #[inline]
    pub unsafe fn read<T: Copy>(&self, slot: &Slot) -> T {
        let Ring { region, layout } = &self.ring;
        if layout.is_sealed() {
            let image =
                Opened::new(region, layout, slot.ticket).expect("it was published when it was peeked");
            // SAFETY: the caller vouches for its type.
            return unsafe { image.get(slot.payload) };
        }
        // SAFETY: the slot is published and not given back; the caller vouches for its type.
        unsafe { region.read(slot.payload) }
    }

    /// Copies the payload of a slot that [`peek`](Self::peek) gave: [`read`](Self::read) for who does not know its type.
    ///
    /// # Panics
    ///
    /// If the slot is not the next one, or if the ring's payload has another size.
    ///
    /// # Safety
    ///
    /// The slot came from this ring's `peek`, and is a [`kind::MESSAGE`].
    #[cfg(not(loom))]
    #[inline]
    pub unsafe fn read_bytes(&self, slot: &Slot, to: &mut [MaybeUninit<u8>]) {
        let Ring { region, layout } = &self.ring;
        assert!(slot.ticket == self.next, "a slot is read before it is passed over");
        assert!(to.len() == layout.payload_size, "a ring's payload has its message type's size");
        if layout.is_sealed() {
            let image =
                Opened::new(region, layout, slot.ticket).expect("it was published when it was peeked");
            return image.get_bytes(slot.payload, to);
        }
        let payload = region.pointer(slot.payload).cast_const().cast();
        // SAFETY: the slot is published and not given back, so nobody writes it; as long as the assertion says, and other memory.
        unsafe { copy(payload, to.as_mut_ptr(), to.len()) };
    }

    /// A pointer to the payload of a slot that [`peek`](Self::peek) gave. Nobody writes there until it is given back.
    ///
    /// # Panics
    ///
    /// If slots are sealed: such a payload does not lie in one piece. [`read`](Self::read) copies it.
    #[cfg(not(loom))]
    #[inline]
    pub fn payload(&self, slot: &Slot) -> *const u8 {
        assert!(!self.ring.layout.is_sealed(), "a sealed payload does not lie in one piece: read it");
        self.ring.region.pointer(slot.payload)
    }

    /// Passes over the slot that [`peek`](Self::peek) gave.
    ///
    /// # Panics
    ///
    /// If the slot is not the next one: it was passed over before, or comes from another ring.
    #[inline]
    pub fn advance(&mut self, slot: &Slot) {
        assert!(slot.ticket == self.next, "a slot is passed over once");
        self.next += 1;
    }

    /// How many slots were passed over in all.
    #[inline]
    pub fn position(&self) -> u64 {
        self.next
    }

    /// Gives every slot that was passed over back to the producing side.
    #[inline]
    pub fn give_back(&self) {
        // SYNC: slots-returned (release)
        self.ring.region.u64(CONSUMED).store(self.next, Ordering::Release);
    }

    /// Whether the ring is closed and every ticket was passed over. Never true before, and true for good.
    pub fn is_finished(&self) -> bool {
        self.ring.is_closed() && self.ring.reserved() == self.next
    }
}

/// Copies bytes. The sizes that messages mostly have are copied without a call.
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
