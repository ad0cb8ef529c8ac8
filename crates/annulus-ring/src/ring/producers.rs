//! The producing side, for many threads.

use std::{mem::MaybeUninit, ptr, slice};

use annulus_abi::ring::{CLOSED, kind};
#[cfg(not(loom))]
use annulus_abi::ring::{QUEUE_MASK, QUEUE_SHIFT};
use annulus_sync::{Ordering, wait::Backoff};

#[cfg(doc)]
use super::SoleProducer;
#[cfg(not(loom))]
use super::copy;
use super::{CONSUMED, Header, RESERVED, Refused, Ring};

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
    /// No [`SoleProducer`] of this ring exists or will exist.
    pub unsafe fn new(ring: Ring) -> Self {
        Self { ring }
    }

    /// The ring.
    pub fn ring(&self) -> &Ring {
        &self.ring
    }

    /// How many slots are free, `want` at most. Outdated when it returns: other producers may take them, and the consumer
    /// give some back. Only [`reserve`](Self::reserve) says that a ring is full.
    #[inline]
    pub fn room(&self, want: u32) -> u32 {
        let ring = &self.ring;
        let capacity = u64::from(ring.layout.capacity);
        // SYNC: none: a hint; whoever writes to a slot reserves it afterwards, and acquires there. So with the two below.
        let reserved = ring.word::<RESERVED>().load(Ordering::Relaxed) & !CLOSED;
        // If others have reserved since, and the consumer has read past that, all are free.
        let room = |consumed: u64| capacity.saturating_sub(reserved.saturating_sub(consumed));
        let mut free = room(ring.seen().load(Ordering::Relaxed));
        if free < u64::from(want) {
            free = room(ring.word::<CONSUMED>().load(Ordering::Relaxed));
        }
        free.min(want.into()) as u32
    }

    /// Reserves up to `want` slots in a row, at least one: fewer only if fewer were free at some moment during the call.
    ///
    /// # Errors
    ///
    /// [`Refused::Full`] if no slot was free at some moment during the call. [`Refused::Closed`] if the ring
    /// is closed, which is final.
    #[inline]
    pub fn reserve(&self, want: u32) -> Result<SlotReservation<'_>, Refused> {
        let ring = &self.ring;
        let capacity = u64::from(ring.layout.capacity);
        let reserved = ring.word::<RESERVED>();
        let mut backoff = Backoff::new();
        let mut ticket = reserved.load(Ordering::Relaxed);
        loop {
            if ticket & CLOSED != 0 {
                return Err(Refused::Closed);
            }
            // SYNC: slots-returned (acquire, through a fellow producer)
            let mut seen = ring.seen().load(Ordering::Acquire);
            // Also for less than is wanted: who asks for several may have looked whether there is room for them.
            if ticket.wrapping_sub(seen).saturating_add(want.into()) > capacity {
                // SYNC: slots-returned (acquire)
                seen = ring.word::<CONSUMED>().load(Ordering::Acquire);
                // SYNC: slots-returned (release, for a fellow producer)
                ring.seen().store(seen, Ordering::Release);
                if seen <= ticket && ticket - seen >= capacity {
                    return Err(Refused::Full);
                }
            }
            if seen > ticket {
                // Other producers have reserved since we loaded our ticket, and the consumer has read past
                // it.
                ticket = reserved.load(Ordering::Relaxed);
                continue;
            }
            let count = u64::from(want).min(capacity - (ticket - seen)).max(1);
            match reserved.compare_exchange_weak(ticket, ticket + count, Ordering::Relaxed, Ordering::Relaxed)
            {
                Ok(_) => return Ok(SlotReservation { ring, next: ticket, end: ticket + count }),
                Err(now) => {
                    ticket = now;
                    backoff.spin();
                }
            }
        }
    }
}

/// Slots in a row that one producer holds. Slots that are not written when this is dropped become tombstones.
#[derive(Debug)]
#[must_use = "a reservation that is dropped publishes tombstones"]
pub struct SlotReservation<'a> {
    pub(super) ring: &'a Ring,
    pub(super) next: u64,
    pub(super) end: u64,
}

impl SlotReservation<'_> {
    /// How many slots are left to write.
    #[inline]
    pub fn remaining(&self) -> u32 {
        (self.end - self.next) as u32
    }

    /// The ticket of the next message.
    #[inline]
    pub fn ticket(&self) -> u64 {
        self.next
    }

    /// Writes and publishes the next message.
    ///
    /// # Panics
    ///
    /// If no slot is left, or if the ring's payload has another size than a `T`, or less alignment.
    #[inline]
    pub fn write<T: Copy>(&mut self, message: T, header: Header) {
        self.write_copy(&message, header);
    }

    /// Writes and publishes a copy of a message: [`write`](Self::write) for callers whose message lies in memory. It
    /// is copied once, from there.
    ///
    /// # Panics
    ///
    /// As that method.
    #[inline(always)]
    pub fn write_copy<T: Copy>(&mut self, message: &T, header: Header) {
        assert!(self.next < self.end, "a reservation writes only the slots that it holds");
        let Ring { region, layout, .. } = self.ring;
        debug_assert!(layout.spill.is_none(), "a bridged message has a head");
        assert!(
            size_of::<T>() == layout.payload_size && layout.payload_offset.is_multiple_of(align_of::<T>()),
            "a ring's payload has its message type's size and alignment"
        );
        let ticket = self.next;
        self.next += 1;
        let length = size_of::<T>() as u32;
        if layout.is_sealed() {
            // SAFETY: the message's bytes, some of which may be uninitialised, borrowed like it.
            let bytes = unsafe { slice::from_raw_parts(ptr::from_ref(message).cast(), size_of::<T>()) };
            // SAFETY: the ticket was ours and is left behind.
            return unsafe { self.ring.seal_sized::<T>(ticket, bytes, &header) };
        }
        let payload = layout.slot_offset(ticket) + layout.payload_offset;
        // SAFETY: the slot is ours by its ticket, inside the region by the layout, and fits by the assertion;
        // slots are 64-aligned, and no layout allows more alignment than that.
        unsafe { region.write(payload, *message) };
        // SAFETY: the ticket was ours and is left behind.
        unsafe { self.ring.publish(ticket, kind::MESSAGE, length, header) };
    }

    /// Writes and publishes the next message from its bytes: [`write`](Self::write) for callers that do not
    /// know its type. Padding may be uninitialised. A bridged message is given as its
    /// [image](crate::ring::Archived).
    ///
    /// # Panics
    ///
    /// If no slot is left, or if the ring's payload has another size.
    ///
    /// # Safety
    ///
    /// In a ring of bridged messages, the bytes are an image.
    #[cfg(not(loom))]
    #[inline]
    pub unsafe fn write_bytes(&mut self, message: &[MaybeUninit<u8>], header: Header) {
        // SAFETY: by the caller's word.
        unsafe { self.write_bytes_from(0, message, header) };
    }

    /// [`write_bytes`](Self::write_bytes) of a message that came from the queue of this number.
    ///
    /// # Panics
    ///
    /// As that method; and if there is no such number.
    ///
    /// # Safety
    ///
    /// As for that method.
    #[cfg(not(loom))]
    #[inline]
    pub unsafe fn write_bytes_from(&mut self, queue: u32, message: &[MaybeUninit<u8>], header: Header) {
        assert!(queue <= QUEUE_MASK, "queues have numbers of few bits");
        assert!(self.next < self.end, "a reservation writes only the slots that it holds");
        let Ring { region, layout, .. } = self.ring;
        if layout.spill.is_some() {
            // SAFETY: by the caller's word.
            return unsafe { self.write_image(queue, message, header) };
        }
        assert!(message.len() == layout.payload_size, "a ring's payload has its message type's size");
        let ticket = self.next;
        self.next += 1;
        if layout.is_sealed() {
            // SAFETY: the ticket was ours and is left behind.
            return unsafe {
                self.ring.seal_any(
                    ticket,
                    kind::MESSAGE,
                    queue << QUEUE_SHIFT | message.len() as u32,
                    message,
                    &header,
                )
            };
        }
        let payload = region.pointer(layout.slot_offset(ticket) + layout.payload_offset).cast();
        // SAFETY: the slot is ours by its ticket, inside the region by the layout, and fits by the assertion;
        // nobody else has a pointer into it.
        unsafe { copy(message.as_ptr(), payload, message.len()) };
        // SAFETY: the ticket was ours and is left behind.
        unsafe {
            self.ring.publish(ticket, kind::MESSAGE, queue << QUEUE_SHIFT | message.len() as u32, header);
        }
    }

    /// [`write_bytes_from`](Self::write_bytes_from) for `count` messages. `each` is called for each of them,
    /// in order, with its index and its ticket, before it is published. It returns the message's queue, its
    /// bytes and its header.
    ///
    /// # Panics
    ///
    /// As that method. The messages before the one that panics are published.
    ///
    /// # Safety
    ///
    /// As for that method.
    #[inline(always)]
    pub unsafe fn write_all_bytes_from<'m>(
        &mut self,
        count: usize,
        mut each: impl FnMut(usize, u64) -> (u32, &'m [MaybeUninit<u8>], Header),
    ) {
        #[cfg(not(loom))]
        if self.ring.layout.spill.is_none() && !self.ring.layout.is_sealed() {
            // Known lengths are copied without a call, and are known outside of the loop.
            match self.ring.layout.payload_size {
                8 => return self.write_each::<8>(count, each),
                16 => return self.write_each::<16>(count, each),
                32 => return self.write_each::<32>(count, each),
                64 => return self.write_each::<64>(count, each),
                _ => {}
            }
        }
        for i in 0..count {
            let (queue, message, header) = each(i, self.next);
            // SAFETY: by the caller's word.
            unsafe { self.write_bytes_from(queue, message, header) };
        }
    }

    /// [`write_all_bytes_from`](Self::write_all_bytes_from) of messages of `SIZE` bytes into open slots.
    #[cfg(not(loom))]
    #[inline(always)]
    fn write_each<'m, const SIZE: usize>(
        &mut self,
        count: usize,
        mut each: impl FnMut(usize, u64) -> (u32, &'m [MaybeUninit<u8>], Header),
    ) {
        // A copy, which the stores below cannot change.
        let ring = self.ring.clone();
        for i in 0..count {
            let ticket = self.next;
            let (queue, message, header) = each(i, ticket);
            assert!(queue <= QUEUE_MASK, "queues have numbers of few bits");
            assert!(ticket < self.end, "a reservation writes only the slots that it holds");
            let message: &[MaybeUninit<u8>; SIZE] =
                message.try_into().expect("a ring's payload has its message type's size");
            self.next = ticket + 1;
            let payload = ring.region.pointer(ring.layout.slot_offset(ticket) + ring.layout.payload_offset);
            // SAFETY: the slot is ours by its ticket, inside the region by the layout, and fits, since the
            // caller looked at the size; nobody else has a pointer into it.
            unsafe { message.as_ptr().copy_to_nonoverlapping(payload.cast(), SIZE) };
            // SAFETY: the ticket was ours and is left behind.
            unsafe { ring.publish(ticket, kind::MESSAGE, queue << QUEUE_SHIFT | SIZE as u32, header) };
        }
    }

    /// The same in a model, whose messages are words. Models do not look at the queue.
    ///
    /// # Safety
    ///
    /// None: models have no bridged messages.
    #[cfg(loom)]
    pub unsafe fn write_bytes_from(&mut self, _: u32, message: &[MaybeUninit<u8>], header: Header) {
        // SAFETY: it has no condition.
        unsafe { self.write_bytes(message, header) };
    }

    /// The same in a model, whose messages are words.
    ///
    /// # Safety
    ///
    /// None: models have no bridged messages.
    #[cfg(loom)]
    pub unsafe fn write_bytes(&mut self, message: &[MaybeUninit<u8>], header: Header) {
        assert!(message.len() == size_of::<u64>(), "models send words");
        // SAFETY: as long as a word, all of whose bytes a model writes; it may lie anywhere.
        let word = unsafe { message.as_ptr().cast::<u64>().read_unaligned() };
        self.write(word, header);
    }
}

impl Drop for SlotReservation<'_> {
    fn drop(&mut self) {
        while self.next < self.end {
            let ticket = self.next;
            self.next += 1;
            if self.ring.layout.is_sealed() {
                // SAFETY: the ticket was ours and is left behind.
                unsafe { self.ring.seal_any(ticket, kind::TOMBSTONE, 0, &[], &Header::default()) };
                continue;
            }
            // SAFETY: the ticket was ours and is left behind.
            unsafe { self.ring.publish(ticket, kind::TOMBSTONE, 0, Header::default()) };
        }
    }
}
