//! Bridged messages in a ring: an archive of any length, behind a head of fixed size.
//!
//! The slot's payload begins with the [`Head`], followed by room for a small archive. A larger archive lies
//! in the slot's *spill block*: memory of a fixed size that belongs to this slot alone, behind all slots of
//! the ring. So an archive belongs to whoever the slot belongs to, and is published by the slot's commit
//! word. Slots of such a ring are open.
//!
//! The archive's *root*, the part with the message's own fields, is the end of the archive. Its size is
//! known from the message's type.

use core::mem::offset_of;

use crate::ring::RingLayout;

/// The first bytes of a bridged message's payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(16))]
pub struct Head {
    /// Bytes of the archive, at most [`MAX_PAYLOAD`](crate::ring::MAX_PAYLOAD).
    pub length: u32,
    /// Where the archive begins: how many [`BEGIN_UNIT`]s after the head's own first byte. [`INLINE`] if it
    /// follows the head, more if it is in the slot's spill block.
    pub begin: u32,
    /// The message's key; 0 if its type has none.
    pub key: u64,
}

/// The unit of [`Head::begin`], in bytes, and the alignment of archives.
pub const BEGIN_UNIT: usize = 16;
/// The value of [`Head::begin`] for an archive that follows its head.
pub const INLINE: u32 = (size_of::<Head>() / BEGIN_UNIT) as u32;
/// Bytes of an archive that a slot has room for. With the head and all words of an envelope, a slot then
/// takes four cache lines. Source: this project's choice.
pub const INLINE_MOST: usize = 208;
/// The alignment of a spill block. Source: its bytes share no cache line with those of another slot.
pub const SPILL_ALIGN: usize = crate::LINE;

impl Head {
    /// Size and alignment of the payload of a slot whose archives have at most `max_payload` bytes: the head,
    /// and the room behind it.
    pub const fn payload(max_payload: usize) -> (usize, usize) {
        let room = if max_payload < INLINE_MOST { max_payload } else { INLINE_MOST };
        (size_of::<Self>() + room.next_multiple_of(BEGIN_UNIT), align_of::<Self>())
    }

    /// From the head's first byte to the archive's.
    #[inline]
    pub const fn offset(&self) -> usize {
        self.begin as usize * BEGIN_UNIT
    }
}

/// The same ring for bridged messages: with spill blocks for archives of at most `max_payload` bytes, if a
/// slot has not enough room for them.
pub(crate) const fn bridged(ring: RingLayout, max_payload: usize) -> RingLayout {
    let room = ring.payload_size - size_of::<Head>();
    let spill = if max_payload <= room { 0 } else { max_payload.next_multiple_of(SPILL_ALIGN) };
    RingLayout { spill: Some(spill), ..ring }
}

const _: () = {
    assert!(size_of::<Head>() == 16 && align_of::<Head>() == BEGIN_UNIT);
    assert!(offset_of!(Head, length) == 0);
    assert!(offset_of!(Head, begin) == 4);
    assert!(offset_of!(Head, key) == 8);
    assert!(SPILL_ALIGN.is_multiple_of(BEGIN_UNIT));
};
