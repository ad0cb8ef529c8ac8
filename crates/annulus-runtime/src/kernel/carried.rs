//! What typed code does with a message, whichever kind it is.

use annulus_kernel::{BridgedMessage, KernelMessage, RingMessage, Visitor, payload_hash};
use annulus_ring::ring::{Archived, Header, SlotReservation};

use crate::kernel::{bytes::Bytes, image::Image};

/// There is no room for a message.
#[derive(Debug)]
pub(crate) struct NoRoom;

/// A message that is carried to a kernel.
pub(crate) trait Carried: KernelMessage {
    /// Writes and publishes it in the next reserved slot. If it has no room there, nothing is published.
    #[inline(always)]
    fn put(&self, slots: &mut SlotReservation<'_>, header: Header) -> Result<(), NoRoom> {
        Self::visit(Put { message: self, slots, header })
    }

    /// The message that untyped code has carried.
    ///
    /// # Safety
    ///
    /// The bytes are a message of this type: its own bytes, or its image. They may lie anywhere.
    #[inline]
    unsafe fn of_bytes(bytes: &Bytes) -> Self {
        Self::visit(OfBytes(bytes))
    }

    /// A copy of it.
    #[cold]
    fn again(&self) -> Self {
        Self::visit(Again(self))
    }

    /// A hash of its payload.
    fn hash(&self) -> u64 {
        Self::visit(Hash(self))
    }
}

impl<M: KernelMessage> Carried for M {}

struct Put<'m, 's, 'r, M> {
    message: &'m M,
    slots: &'s mut SlotReservation<'r>,
    header: Header,
}

impl<M> Visitor<M> for Put<'_, '_, '_, M> {
    type Result = Result<(), NoRoom>;

    #[inline(always)]
    fn direct(self) -> Self::Result
    where
        M: RingMessage,
    {
        self.slots.write_copy(self.message, self.header);
        Ok(())
    }

    #[inline]
    fn bridged(self) -> Self::Result
    where
        M: BridgedMessage,
    {
        let Self { message, slots, header } = self;
        let write = |room: annulus_ring::ring::ArchiveRoom<'_>| message.write_to(room.near, room.far);
        // SAFETY: that is what `write_to` promises of the bytes that it counts.
        unsafe { slots.write_bridged(message.key(), header, write) }.map_err(|_| NoRoom)
    }
}

struct OfBytes<'a>(&'a Bytes);

impl<M> Visitor<M> for OfBytes<'_> {
    type Result = M;

    #[inline]
    fn direct(self) -> M
    where
        M: RingMessage,
    {
        // SAFETY: an `M` by the word of who made this; it may lie anywhere.
        unsafe { self.0.as_ptr().cast::<M>().read_unaligned() }
    }

    fn bridged(self) -> M
    where
        M: BridgedMessage,
    {
        // SAFETY: the image of an `M` by the word of who made this, which is borrowed meanwhile.
        let message = unsafe { Archived::new(self.0.as_ptr().cast()) };
        M::decode(message.archive()).expect("what was written as an archive of the type is read as one")
    }
}

struct Again<'m, M>(&'m M);

impl<M: KernelMessage> Visitor<M> for Again<'_, M> {
    type Result = M;

    fn direct(self) -> M
    where
        M: RingMessage,
    {
        *self.0
    }

    fn bridged(self) -> M
    where
        M: BridgedMessage,
    {
        let image = Image::of(self.0, annulus_abi::ring::MAX_PAYLOAD).expect("a kernel has refused no more");
        // SAFETY: an image of this type.
        unsafe { M::of_bytes(image.bytes()) }
    }
}

struct Hash<'m, M>(&'m M);

impl<M: KernelMessage> Visitor<M> for Hash<'_, M> {
    type Result = u64;

    #[inline]
    fn direct(self) -> u64
    where
        M: RingMessage,
    {
        M::PAYLOAD_HASH.unwrap_or(payload_hash::<M>)(self.0)
    }

    fn bridged(self) -> u64
    where
        M: BridgedMessage,
    {
        M::PAYLOAD_HASH.map_or(0, |hash| hash(self.0))
    }
}
