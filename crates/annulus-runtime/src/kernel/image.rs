//! The images of bridged messages: a head, and the archive right behind it.
//!
//! Where a bridged message cannot be written straight into its slot, because it waits in front of the ring,
//! or for space, it is an image meanwhile. Its memory belongs to the thread that made it, and is used again.

use std::{cell::Cell, mem::MaybeUninit, slice};

use annulus_abi::bridged::{Head, INLINE};
use annulus_kernel::BridgedMessage;

use crate::kernel::{bytes::Bytes, carried::NoRoom};

/// A unit of an image's memory, so that the image is aligned as heads and archives are.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
struct Unit([MaybeUninit<u8>; 16]);

const _: () = assert!(size_of::<Unit>() == size_of::<Head>() && align_of::<Unit>() == align_of::<Head>());

/// A bridged message's image.
pub(crate) struct Image {
    /// All of its capacity may be written; it contains nothing in the eyes of `Vec`.
    units: Vec<Unit>,
    /// Bytes of the image.
    length: usize,
}

thread_local! {
    /// Memory for the thread's next image.
    static SPARE: Cell<Vec<Unit>> = const { Cell::new(Vec::new()) };
}

impl Image {
    /// The image of a message whose archive has at most `limit` bytes.
    pub(crate) fn of<M: BridgedMessage>(message: &M, limit: usize) -> Result<Self, NoRoom> {
        let mut image = Self { units: SPARE.try_with(Cell::take).unwrap_or_default(), length: 0 };
        let needed = 1 + limit.div_ceil(size_of::<Unit>());
        if image.units.capacity() < needed {
            image.units = Vec::with_capacity(needed);
        }
        let key = message.key();
        let (head, room) = image.units.spare_capacity_mut().split_at_mut(1);
        let bytes = size_of_val(room).min(limit);
        // SAFETY: as many bytes, borrowed likewise; any of them may be uninitialised.
        let room = unsafe { slice::from_raw_parts_mut(room.as_mut_ptr().cast(), bytes) };
        let (length, _) = message.write_to(room, &mut []).map_err(|_| NoRoom)?;
        // SAFETY: a unit is as long and as aligned as a head.
        unsafe { head.as_mut_ptr().cast::<Head>().write(Head { length: length as u32, begin: INLINE, key }) };
        image.length = size_of::<Head>() + length;
        Ok(image)
    }

    /// The image.
    pub(crate) fn bytes(&self) -> &Bytes {
        // SAFETY: the memory has so many bytes, which were written.
        unsafe { slice::from_raw_parts(self.units.as_ptr().cast(), self.length) }
    }

    /// The image, for whoever only reads it.
    pub(crate) fn bytes_mut(&mut self) -> &mut Bytes {
        // SAFETY: as for `bytes`; borrowed likewise.
        unsafe { slice::from_raw_parts_mut(self.units.as_mut_ptr().cast(), self.length) }
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        // While the thread ends there may be no place for it any more.
        let _ = SPARE.try_with(|spare| {
            let other = spare.take();
            let larger = if other.capacity() > self.units.capacity() {
                other
            } else {
                std::mem::take(&mut self.units)
            };
            spare.set(larger);
        });
    }
}
