//! The image of a slot that is about to be sealed, unit by unit.
//!
//! # Nothing is put together in memory
//!
//! A unit's twelve bytes are taken from where the sender has them: words from registers, the message from the
//! caller's memory. An image in memory would cost a producer most of its time. A processor hands a load what
//! was just stored only if a single store covers all of it. Units are twelve bytes long, and messages are
//! copied sixteen or more bytes at a time, so loads from a fresh copy would have to wait until its stores are
//! in the cache. Stores get there in order, behind those to the slots before, which miss the cache. The
//! producer would wait for the ring's memory once per message, instead of having many slots under way.

use std::mem::MaybeUninit;

use annulus_abi::ring::{RingLayout, UNIT, UNIT_CONTENT};

use super::head_word;
use crate::{header::Header, region::Region};
use annulus_sync::{Ordering, fence};

/// Bytes of an image's word.
const WORD: usize = 4;
/// Words of a unit that belong to the image.
const WORDS: usize = UNIT_CONTENT / WORD;

/// What becomes the image of a slot.
pub(crate) struct Image<'a> {
    /// The layout of its ring.
    pub(crate) layout: &'a RingLayout,
    /// The word behind the stamp.
    pub(crate) meta: u32,
    /// What else stands in front of the payload.
    pub(crate) header: &'a Header,
    /// The payload, or its beginning: what follows is zeros. Some bytes may be uninitialised.
    pub(crate) payload: &'a [MaybeUninit<u8>],
}

impl Image<'_> {
    /// Seals the slot of `ticket` with this image.
    ///
    /// # Safety
    ///
    /// The region belongs to a ring of the image's layout, whose payload is not shorter than the image's. The caller holds
    /// the ticket, and publishes it once.
    #[inline(always)]
    pub(crate) unsafe fn publish(&self, region: &Region, ticket: u64) {
        debug_assert!(self.payload.len() <= self.layout.payload_size, "an image is no longer than its slot");
        // Where a constant says how long the head is, its words are in registers.
        match self.layout.payload_offset {
            // SAFETY: by the caller's promise.
            8 => unsafe { self.publish_behind(8 / WORD, region, ticket) },
            // SAFETY: as above.
            24 => unsafe { self.publish_behind(24 / WORD, region, ticket) },
            // SAFETY: as above.
            _ => unsafe { self.publish_any(region, ticket) },
        }
    }

    /// [`publish`](Self::publish) for heads of every length.
    ///
    /// # Safety
    ///
    /// As for that method.
    #[inline(never)]
    unsafe fn publish_any(&self, region: &Region, ticket: u64) {
        // SAFETY: by the caller's promise.
        unsafe { self.publish_behind(self.layout.payload_offset / WORD, region, ticket) };
    }

    /// [`publish`](Self::publish) with so many words in front of the payload, a multiple of two.
    ///
    /// # Safety
    ///
    /// As for that method; the layout says so, too.
    #[inline(always)]
    unsafe fn publish_behind(&self, head: usize, region: &Region, ticket: u64) {
        let lap = self.layout.lap(ticket);
        let slot = self.layout.slot_offset(ticket);
        let size = self.payload.len();
        let mut unit = 0;
        let mut store = |low, high| {
            // SAFETY: the layout places its units inside the slot, which is ours by the caller's promise. The loops below store
            // as many units as the head and the payload fill, and the others that the layout has.
            unsafe { region.store_words(slot + unit * UNIT, low, high, lap) };
            unit += 1;
            unit
        };
        // SYNC: slot-published (release)
        fence(Ordering::Release);
        // Units are stored in their order: the last one last, since `is_published` looks at it only.
        let mut stored = 0;
        for first in (0..head / WORDS).map(|unit| unit * WORDS) {
            stored = store(self.two_words(first), self.word(first + 2));
        }
        // Of a unit that head and payload share, one word or two are the head's.
        let last = head / WORDS * WORDS;
        let mut at = 0;
        if head % WORDS == 1 {
            let (behind, _) = self.payload(0, 2 * WORD);
            stored = store(u64::from(self.word(last)) | behind << 32, (behind >> 32) as u32);
            at = 2 * WORD;
        } else if head % WORDS == 2 {
            stored = store(self.two_words(last), self.payload(0, WORD).0 as u32);
            at = WORD;
        }
        while at + UNIT_CONTENT <= size {
            // SAFETY: inside the payload.
            let (low, high) = unsafe { self.load(at) };
            stored = store(low, high);
            at += UNIT_CONTENT;
        }
        while stored < self.layout.units {
            let (low, high) = self.payload(at, UNIT_CONTENT);
            stored = store(low, high);
            at += UNIT_CONTENT;
        }
    }

    /// A word of the head.
    #[inline(always)]
    fn word(&self, index: usize) -> u32 {
        (head_word(self.layout, self.meta, self.header, index / 2) >> (index % 2 * 32)) as u32
    }

    /// Two words of the head.
    #[inline(always)]
    fn two_words(&self, first: usize) -> u64 {
        u64::from(self.word(first)) | u64::from(self.word(first + 1)) << 32
    }

    /// A unit's bytes of the payload, from `at` on.
    ///
    /// # Safety
    ///
    /// The payload has them.
    #[inline(always)]
    unsafe fn load(&self, at: usize) -> (u64, u32) {
        let from = self.payload.as_ptr().wrapping_add(at);
        // SAFETY: by the caller's promise.
        let low = unsafe { Region::load8(from) };
        // SAFETY: as above.
        (low, unsafe { Region::load4(from.wrapping_add(8)) })
    }

    /// `most` bytes of the payload from `at` on: at most a unit's. Zeros follow, also where the payload ends before.
    #[inline(always)]
    fn payload(&self, at: usize, most: usize) -> (u64, u32) {
        let size = self.payload.len();
        let count = size.saturating_sub(at).min(most);
        let from = |at: usize| self.payload.as_ptr().wrapping_add(at);
        match count {
            0 => (0, 0),
            // SAFETY: inside the payload, as `count` says.
            4 => (u64::from(unsafe { Region::load4(from(at)) }), 0),
            // SAFETY: as above.
            8 => (unsafe { Region::load8(from(at)) }, 0),
            // SAFETY: as above.
            UNIT_CONTENT => unsafe { self.load(at) },
            _ if size < 8 => {
                let mut bytes = [MaybeUninit::new(0); 8];
                bytes[..count].copy_from_slice(&self.payload[at..at + count]);
                // SAFETY: there are eight.
                (unsafe { Region::load8(bytes.as_ptr()) }, 0)
            }
            // The rest are the payload's last bytes. They are loaded together with some that come before them,
            // which are then shifted out.
            _ => {
                // SAFETY: the payload's last eight bytes; it has as many.
                let last = unsafe { Region::load8(from(size - 8)) };
                match count {
                    1..8 => (last >> ((8 - count) * 8), 0),
                    // SAFETY: inside the payload, as `count` says.
                    _ => (unsafe { Region::load8(from(at)) }, (last >> ((16 - count) * 8)) as u32),
                }
            }
        }
    }
}
