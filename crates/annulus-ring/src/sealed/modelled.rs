//! The image of a slot that is about to be sealed, in a model: messages are whole words.

use std::mem::MaybeUninit;

use annulus_abi::ring::{RingLayout, UNITS_MOST};

use super::{WORDS, head_word};
use crate::{header::Header, region::Region};
use annulus_sync::{Ordering, fence};

/// What becomes the image of a slot.
pub(crate) struct Image<'a> {
    pub(crate) layout: &'a RingLayout,
    pub(crate) meta: u32,
    pub(crate) header: &'a Header,
    pub(crate) payload: &'a [MaybeUninit<u8>],
}

impl Image<'_> {
    /// Its bytes.
    fn bytes(&self) -> Vec<u8> {
        let words = 0..self.layout.payload_offset / 8;
        let words = words.map(|index| head_word(self.layout, self.meta, self.header, index));
        let mut bytes: Vec<u8> = words.flat_map(u64::to_le_bytes).collect();
        // SAFETY: the models' messages are words, all of whose bytes are written.
        bytes.extend(self.payload.iter().map(|byte| unsafe { byte.assume_init() }));
        bytes.resize(UNITS_MOST * WORDS * 4, 0);
        bytes
    }

    /// Seals the slot of `ticket` with this image.
    ///
    /// # Safety
    ///
    /// None that matters to the model.
    pub(crate) unsafe fn publish(&self, region: &Region, ticket: u64) {
        let Self { layout, .. } = self;
        let bytes = self.bytes();
        let word = |at: usize| u32::from_le_bytes(bytes[4 * at..][..4].try_into().expect("four bytes"));
        let lap = layout.lap(ticket);
        // SYNC: slot-published (release)
        fence(Ordering::Release);
        for unit in 0..layout.units {
            let content = [0, 1, 2].map(|index| MaybeUninit::new(word(unit * WORDS + index)));
            // SAFETY: it has no condition in a model.
            unsafe { region.store_unit(layout.unit_offset(ticket, unit), &content, lap) };
        }
    }
}
