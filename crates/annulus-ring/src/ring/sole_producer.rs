//! The producing side when there is only one producer.

use annulus_abi::ring::CLOSED;
#[cfg(doc)]
use annulus_abi::ring::kind;
use annulus_sync::Ordering;

use super::{CONSUMED, Header, RESERVED, Ring};

/// The producing side when there is only one producer. It needs no CAS. Messages become visible one by one;
/// the gauge of depth moves once per batch.
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
    /// No other producer of this ring exists or will exist.
    ///
    /// # Panics
    ///
    /// If slots are sealed: this end writes payloads in place.
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
        self.seen = self.ring.word::<CONSUMED>().load(Ordering::Acquire);
        self.next + u64::from(slots) - self.seen <= capacity
    }

    /// Publishes the next slot. A message's payload must have been written to it before.
    ///
    /// # Safety
    ///
    /// [`has_credit`](Self::has_credit) has vouched for the slot, and for [`kind::MESSAGE`] its payload holds
    /// a message.
    #[inline]
    pub unsafe fn publish(&mut self, kind: u8, length: u32, header: Header) {
        let ticket = self.next;
        self.next += 1;
        // SAFETY: the only producer holds every ticket that it has credit for, and does not use this one
        // again.
        unsafe { self.ring.publish(ticket, kind, length, header) };
    }

    /// Publishes a copy of the bytes at `payload`. Their number is the ring's payload size. In a ring of
    /// bridged messages, `payload` is the head of one, and the archive is copied, too.
    ///
    /// # Safety
    ///
    /// [`has_credit`](Self::has_credit) has vouched for the slot; `payload` is valid for reads of the ring's
    /// payload size, and what lies there is of the type that the consumer reads. The head of a bridged
    /// message leads to its archive, which the ring has room for.
    #[cfg(not(loom))]
    pub unsafe fn publish_copy(&mut self, kind: u8, length: u32, header: Header, payload: *const u8) {
        let layout = &self.ring.layout;
        if layout.spill.is_some() {
            // SAFETY: the slot is ours by credit; the caller vouches for the message.
            unsafe { self.ring.copy_bridged(self.next, payload) };
            // SAFETY: the caller vouches for the slot, and its payload was just written.
            return unsafe { self.publish(kind, length, header) };
        }
        let to = self.ring.region.pointer(layout.slot_offset(self.next) + layout.payload_offset);
        // SAFETY: the slot is ours by credit, and inside the region by the layout; source and destination are
        // different memory, since nobody else has a pointer into a free slot.
        unsafe { payload.copy_to_nonoverlapping(to, layout.payload_size) };
        // SAFETY: the caller vouches for the slot, and its payload was just written.
        unsafe { self.publish(kind, length, header) };
    }

    /// Moves the gauge of depth. Once per batch is enough.
    #[inline]
    pub fn show(&self) {
        // SYNC: gauge (release)
        self.ring.word::<RESERVED>().store(self.next, Ordering::Release);
    }

    /// Closes the ring: no more messages will come.
    pub fn close(&self) {
        // SYNC: gauge (release)
        self.ring.word::<RESERVED>().store(self.next | CLOSED, Ordering::Release);
    }
}
