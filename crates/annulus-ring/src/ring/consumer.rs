//! The consuming end.

#[cfg(not(loom))]
use std::mem::MaybeUninit;

#[cfg(doc)]
use annulus_abi::ring::kind;
use annulus_abi::ring::{LENGTH_MASK, QUEUE_MASK, QUEUE_SHIFT};
use annulus_sync::Ordering;

#[cfg(not(loom))]
use super::copy;
use super::{CONSUMED, Header, Ring};
use crate::sealed::Opened;

/// The consuming end. Its position is private; the producing side learns it by
/// [`give_back`](Self::give_back).
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
    /// The queue that a message came from: 0 for the kernel's own.
    pub queue: u32,
    /// The ticket that it was published under.
    ticket: u64,
    /// From the ring's start to the payload; in a sealed slot from the image's start.
    payload: usize,
    /// The envelope.
    pub header: Header,
}

impl Consumer {
    /// The consuming end of `ring`, from its current position.
    ///
    /// # Safety
    ///
    /// No other consumer of this ring exists as long as this one is used.
    pub unsafe fn new(ring: Ring) -> Self {
        let next = ring.consumed();
        Self { ring, next }
    }

    /// The ring.
    pub fn ring(&self) -> &Ring {
        &self.ring
    }

    /// Whether the next slot is published.
    #[inline]
    pub fn is_ready(&self) -> bool {
        self.is_ready_after(0)
    }

    /// Whether the slot after the next `slots` slots is published; those may be published or not.
    #[inline]
    pub fn is_ready_after(&self, slots: u32) -> bool {
        self.ring.is_published(self.next + u64::from(slots))
    }

    /// The next slot, if it is published.
    #[inline]
    pub fn peek(&self) -> Option<Slot> {
        self.peek_after(0)
    }

    /// The slot after the next `slots` slots, if it is published; those may be published or not.
    #[inline]
    pub fn peek_after(&self, slots: u32) -> Option<Slot> {
        let layout = &self.ring.layout;
        let ticket = self.next + u64::from(slots);
        if layout.is_sealed() {
            return self.peek_sealed(ticket);
        }
        let slot = layout.slot_offset(ticket);
        // SYNC: slot-published (acquire)
        if self.ring.commit(ticket).load(Ordering::Acquire) != layout.lap(ticket) {
            return None;
        }
        let meta = self.ring.meta(ticket).load(Ordering::Relaxed);
        let mut header = Header::default();
        if let Some(offset) = layout.enqueue_time_offset {
            // SAFETY: the slot is published and not given back, so it is ours to read, and `publish` wrote
            // the word.
            header.enqueue_time = unsafe { self.ring.region.read(slot + offset) };
        }
        if let Some(offset) = layout.correlation_offset {
            // SAFETY: as above.
            header.correlation = unsafe { self.ring.region.read(slot + offset) };
        }
        if let Some(offset) = layout.trace_offset {
            // SAFETY: as above.
            header.trace = unsafe { self.ring.region.read(slot + offset) };
        }
        if let Some(offset) = layout.stamp_offset {
            // SAFETY: as above.
            header.stamp = unsafe { self.ring.region.read(slot + offset) };
        }
        Some(Slot {
            kind: (meta >> 24) as u8,
            length: meta & LENGTH_MASK,
            queue: meta >> QUEUE_SHIFT & QUEUE_MASK,
            ticket,
            payload: slot + layout.payload_offset,
            header,
        })
    }

    fn peek_sealed(&self, ticket: u64) -> Option<Slot> {
        let Ring { region, layout, .. } = &self.ring;
        let image = Opened::new(region, layout, ticket)?;
        // SAFETY: a producer put a word there.
        let meta: u32 = unsafe { image.get(4) };
        // SAFETY: as above.
        let word = |offset: Option<usize>| offset.map_or(0, |offset| unsafe { image.get::<u64>(offset) });
        Some(Slot {
            kind: (meta >> 24) as u8,
            length: meta & LENGTH_MASK,
            queue: meta >> QUEUE_SHIFT & QUEUE_MASK,
            ticket,
            payload: layout.payload_offset,
            header: Header {
                enqueue_time: word(layout.enqueue_time_offset),
                correlation: word(layout.correlation_offset),
                trace: word(layout.trace_offset),
                stamp: word(layout.stamp_offset),
                ..Header::default()
            },
        })
    }

    /// A copy of the payload of a slot that [`peek`](Self::peek) or [`peek_after`](Self::peek_after) returned. It may be of
    /// what the payload begins with.
    ///
    /// # Safety
    ///
    /// The slot came from this ring's `peek` or `peek_after`, this end has not [moved past](Self::advance) it, it is a
    /// [`kind::MESSAGE`], and its payload begins with a valid `T`, no less aligned than there.
    #[inline]
    pub unsafe fn read<T: Copy>(&self, slot: &Slot) -> T {
        let Ring { region, layout, .. } = &self.ring;
        if layout.is_sealed() {
            let image =
                Opened::new(region, layout, slot.ticket).expect("it was published when it was peeked");
            // SAFETY: the caller vouches for its type.
            return unsafe { image.get(slot.payload) };
        }
        // SAFETY: the slot is published and not given back; the caller vouches for its type.
        unsafe { region.read(slot.payload) }
    }

    /// Copies the payload of a slot that [`peek`](Self::peek) gave: [`read`](Self::read) for who does not
    /// know its type. A bridged message is copied as its [image](crate::ring::Archived).
    ///
    /// # Panics
    ///
    /// If the slot is not the next one, or if `to` has not [`bytes_of`](Self::bytes_of) the slot's message.
    ///
    /// # Safety
    ///
    /// The slot came from this ring's `peek`, and is a [`kind::MESSAGE`].
    #[cfg(not(loom))]
    #[inline]
    pub unsafe fn read_bytes(&self, slot: &Slot, to: &mut [MaybeUninit<u8>]) {
        let Ring { region, layout, .. } = &self.ring;
        assert!(slot.ticket == self.next, "a slot is read before it is passed over");
        if layout.spill.is_some() {
            // SAFETY: by the caller's word.
            return unsafe { self.archived(slot) }.copy_to(to);
        }
        assert!(to.len() == layout.payload_size, "a ring's payload has its message type's size");
        if layout.is_sealed() {
            let image =
                Opened::new(region, layout, slot.ticket).expect("it was published when it was peeked");
            return image.get_bytes(slot.payload, to);
        }
        let payload = region.pointer(slot.payload).cast_const().cast();
        // SAFETY: the slot is published and not given back, so nobody writes it; as long as the assertion
        // says, and other memory.
        unsafe { copy(payload, to.as_mut_ptr(), to.len()) };
    }

    /// A pointer to the payload of a slot that [`peek`](Self::peek) gave. Nobody writes there until it is
    /// given back.
    ///
    /// # Panics
    ///
    /// If slots are sealed: then the payload is not contiguous. [`read`](Self::read) copies it.
    #[cfg(not(loom))]
    #[inline]
    pub fn payload(&self, slot: &Slot) -> *const u8 {
        assert!(!self.ring.layout.is_sealed(), "a sealed payload does not lie in one piece: read it");
        self.ring.region.pointer(slot.payload)
    }

    /// Moves past the slot that [`peek`](Self::peek) returned.
    ///
    /// # Panics
    ///
    /// If the slot is not the next one: it was passed over before, or comes from another ring.
    #[inline]
    pub fn advance(&mut self, slot: &Slot) {
        assert!(slot.ticket == self.next, "a slot is passed over once");
        self.next += 1;
    }

    /// How many slots this end has moved past in all.
    #[inline]
    pub fn position(&self) -> u64 {
        self.next
    }

    /// Gives every slot that this end has moved past back to the producing side.
    #[inline]
    pub fn give_back(&self) {
        // SYNC: slots-returned (release)
        self.ring.word::<CONSUMED>().store(self.next, Ordering::Release);
    }

    /// Whether the ring is closed and this end has moved past every ticket. Once true, it stays true.
    pub fn is_finished(&self) -> bool {
        self.ring.is_closed() && self.ring.reserved() == self.next
    }
}
