//! Bridged messages in a ring: archives that lie in slots, or in the slots' spill blocks.
//!
//! `annulus_abi::bridged` has the layout. Outside of rings, code that does not know a message's type keeps it
//! as its *image*: the head, with the archive right behind it.

use std::{mem::MaybeUninit, slice};

use annulus_abi::{
    bridged::{Head, INLINE},
    ring::{QUEUE_SHIFT, kind},
};

use super::{Consumer, Header, Ring, Slot, SlotReservation};

/// The two places of a slot in which an archive may be written. It lies in one of them as a whole.
#[derive(Debug)]
pub struct ArchiveRoom<'a> {
    /// In the slot, behind the head. Aligned to 16.
    pub near: &'a mut [MaybeUninit<u8>],
    /// The spill block; empty if the slot has none. Aligned to 64.
    pub far: &'a mut [MaybeUninit<u8>],
}

/// A bridged message in its slot, or in its image.
#[derive(Clone, Copy, Debug)]
pub struct Archived<'a> {
    head: Head,
    archive: &'a [u8],
}

impl<'a> Archived<'a> {
    /// The message whose head lies here.
    ///
    /// # Safety
    ///
    /// `head` points to the head of a bridged message, from which its archive can be reached: both are
    /// written, and nobody writes them during the lifetime. The head may lie anywhere; the archive's
    /// alignment is that of the place where it begins.
    #[inline]
    pub unsafe fn new(head: *const u8) -> Self {
        // SAFETY: by the caller's word.
        let first = unsafe { head.cast::<Head>().read_unaligned() };
        // SAFETY: the archive lies so far behind the head, in the same memory.
        let begin = unsafe { head.add(first.offset()) };
        // SAFETY: it has so many bytes, all written.
        let archive = unsafe { slice::from_raw_parts(begin, first.length as usize) };
        Self { head: first, archive }
    }

    /// The message's head.
    #[inline]
    pub fn head(&self) -> Head {
        self.head
    }

    /// The message's payload.
    #[inline]
    pub fn archive(&self) -> &'a [u8] {
        self.archive
    }

    /// Bytes of the message's image.
    #[inline]
    pub fn image_bytes(&self) -> usize {
        size_of::<Head>() + self.archive.len()
    }

    /// Copies the message's image.
    ///
    /// # Panics
    ///
    /// If `to` has another length than the image.
    pub fn copy_to(&self, to: &mut [MaybeUninit<u8>]) {
        assert!(to.len() == self.image_bytes(), "an image is copied whole");
        let head = Head { begin: INLINE, ..self.head };
        // SAFETY: there is room for the head, and more; it may lie anywhere.
        unsafe { to.as_mut_ptr().cast::<Head>().write_unaligned(head) };
        to[size_of::<Head>()..].write_copy_of_slice(self.archive);
    }
}

impl Ring {
    /// The places for an archive in the slot of `ticket`.
    ///
    /// # Safety
    ///
    /// The slot is the caller's as long as the result lives, and the ring carries bridged messages.
    unsafe fn archive_room(&self, ticket: u64) -> ArchiveRoom<'_> {
        let Self { region, layout, .. } = self;
        let payload = layout.slot_offset(ticket) + layout.payload_offset;
        let near = region.pointer(payload + size_of::<Head>()).cast();
        // SAFETY: the layout places these bytes inside the slot, which is the caller's.
        let near = unsafe { slice::from_raw_parts_mut(near, layout.payload_size - size_of::<Head>()) };
        let far = match layout.spill_bytes() {
            0 => &mut [],
            bytes => {
                let first = region.pointer(layout.spill_offset(ticket)).cast();
                // SAFETY: the layout places the slot's spill block inside the ring; it is the caller's as the
                // slot is, and no part of the slot.
                unsafe { slice::from_raw_parts_mut(first, bytes) }
            }
        };
        ArchiveRoom { near, far }
    }

    /// Writes the head of the slot of `ticket`, for an archive in the place that `far` says.
    ///
    /// # Safety
    ///
    /// The slot is the caller's, and the ring carries bridged messages.
    unsafe fn write_head(&self, ticket: u64, length: usize, far: bool, key: u64) {
        let Self { region, layout, .. } = self;
        let payload = layout.slot_offset(ticket) + layout.payload_offset;
        let begin = if far {
            // Payloads are aligned to 16, and spill blocks to 64. A ring has at most 2^36 bytes.
            ((layout.spill_offset(ticket) - payload) / annulus_abi::bridged::BEGIN_UNIT) as u32
        } else {
            INLINE
        };
        // SAFETY: the payload begins with room for a head; the slot is the caller's.
        unsafe { region.write(payload, Head { length: length as u32, begin, key }) };
    }

    /// Copies a bridged message into the slot of `ticket`.
    ///
    /// # Safety
    ///
    /// The slot is the caller's. `message` is as for [`Archived::new`], and not in this slot.
    ///
    /// # Panics
    ///
    /// If the slot has no room for it.
    pub(super) unsafe fn copy_bridged(&self, ticket: u64, message: *const u8) {
        // SAFETY: by the caller's word.
        let message = unsafe { Archived::new(message) };
        // SAFETY: by the caller's word.
        let ArchiveRoom { near, far } = unsafe { self.archive_room(ticket) };
        let length = message.archive.len();
        let is_far = length > near.len();
        let place = if is_far { far } else { near };
        place[..length].write_copy_of_slice(message.archive);
        // SAFETY: by the caller's word.
        unsafe { self.write_head(ticket, length, is_far, message.head.key) };
    }
}

impl SlotReservation<'_> {
    /// Writes and publishes the next message, a bridged one. `write` writes the archive into one of the two
    /// places, and says how many bytes it has, and whether it is in the spill block. If it fails, nothing is
    /// published, and the slot is still held.
    ///
    /// # Errors
    ///
    /// That of `write`.
    ///
    /// # Panics
    ///
    /// If no slot is left, if the ring carries no bridged messages, or if the archive is longer than its
    /// place.
    ///
    /// # Safety
    ///
    /// `write` has written all bytes of the archive.
    #[inline]
    pub unsafe fn write_bridged<E>(
        &mut self,
        key: u64,
        header: Header,
        write: impl FnOnce(ArchiveRoom<'_>) -> Result<(usize, bool), E>,
    ) -> Result<(), E> {
        assert!(self.next < self.end, "a reservation writes only the slots that it holds");
        assert!(self.ring.layout.spill.is_some(), "the ring carries bridged messages");
        let ticket = self.next;
        // SAFETY: the slot is ours by its ticket, and the ring is as was just asserted.
        let room = unsafe { self.ring.archive_room(ticket) };
        let rooms = [room.near.len(), room.far.len()];
        let (length, far) = write(room)?;
        assert!(length <= rooms[usize::from(far)], "an archive lies in its place");
        // SAFETY: as above.
        unsafe { self.ring.write_head(ticket, length, far, key) };
        self.next += 1;
        let bytes = (size_of::<Head>() + length) as u32;
        // SAFETY: the ticket was ours and is left behind.
        unsafe { self.ring.publish(ticket, kind::MESSAGE, bytes, header) };
        Ok(())
    }

    /// Writes and publishes the next message from its image; it came from the queue of this number.
    ///
    /// # Panics
    ///
    /// If no slot is left, or if the slot has no room for it.
    ///
    /// # Safety
    ///
    /// The bytes are an image, all written.
    pub(super) unsafe fn write_image(&mut self, queue: u32, image: &[MaybeUninit<u8>], header: Header) {
        assert!(self.next < self.end, "a reservation writes only the slots that it holds");
        let ticket = self.next;
        // SAFETY: the slot is ours by its ticket, and nobody else has a pointer into it; the image has its
        // archive behind its head.
        unsafe { self.ring.copy_bridged(ticket, image.as_ptr().cast()) };
        self.next += 1;
        // SAFETY: the ticket was ours and is left behind.
        unsafe {
            self.ring.publish(ticket, kind::MESSAGE, queue << QUEUE_SHIFT | image.len() as u32, header);
        }
    }
}

impl Consumer {
    /// The bridged message in a slot that [`peek`](Self::peek) gave.
    ///
    /// # Safety
    ///
    /// The slot came from `peek` since the last [`advance`](Self::advance), and is a [`kind::MESSAGE`] or a
    /// [`kind::DEAD_LETTER`]. It is not given back as long as the result is used.
    #[inline]
    pub unsafe fn archived(&self, slot: &Slot) -> Archived<'_> {
        // SAFETY: the slot is published with a message, and nobody writes it until it is given back.
        unsafe { Archived::new(self.payload(slot)) }
    }

    /// How many bytes [`read_bytes`](Self::read_bytes) copies from a slot that [`peek`](Self::peek) gave.
    ///
    /// # Safety
    ///
    /// As for [`archived`](Self::archived).
    #[inline]
    pub unsafe fn bytes_of(&self, slot: &Slot) -> usize {
        let layout = self.ring().layout();
        match layout.spill {
            None => layout.payload_size,
            // SAFETY: by the caller's word.
            Some(_) => unsafe { self.archived(slot) }.image_bytes(),
        }
    }
}
