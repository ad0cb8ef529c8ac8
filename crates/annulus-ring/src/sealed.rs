//! Sealed slots: each unit shows by itself whether it belongs to the lap that its reader waits for.
//!
//! [`annulus_abi::ring`] describes their layout. They are for readers that need long for a load from the
//! slot, such as a device behind a bus. With open slots such a reader waits twice: for the commit word, and
//! then for the payload.
//!
//! # Words and writers
//!
//! As in an open ring (see [`ring`](crate::ring)): a unit is written by the producer that holds the slot's
//! ticket, and read by the consumer. All units of a slot are written in every lap, also for a tombstone. So
//! an older unit never has an expected lap.
//!
//! # Ordering
//!
//! * *Units need no ordering.* A unit is stored and loaded in one access of 16 bytes, which is never torn. So
//!   content and lap come from the same store. A unit with the expected lap holds what this lap's producer
//!   wrote, since nobody writes it again before the slot is given back. So a reader may load the units of a
//!   slot in any order, or all at once, without an acquire. It has the message when all units have the lap.
//! * *A message also orders* what its sender did before. A reader that wants to see that must acquire.
//!   Producers release before they store units (`slot-published`), and the
//!   [`Consumer`](crate::ring::Consumer) here acquires after it has loaded them. A device does not acquire.
//!   For a device this matters for one word only, the command: a message that was sent after a command must
//!   be handled after it. So units carry the *stamp*: the command as the sender found it before it wrote the
//!   slot. If the sender, or the thread that it got the message from, has seen a command given, the stamp is
//!   that command or a later one. A reader may load the command and the units in any order. If it finds the
//!   stamp's value in the command, it has missed no command that is in force, and may go on. If it finds
//!   another value, it acquires and looks again.
//! * *Slots are given back* as in an open ring (`slots-returned`): the loads are complete before `consumed`
//!   is stored with release.
//!
//! # Where it works
//!
//! It works on processors whose manuals promise that aligned loads and stores of 16 bytes are not torn:
//! x86-64 with AVX (Intel's manual, volume 3A, 8.1.1; AMD's, volume 2, 7.3.2), in ordinary memory.
//! [`is_offered`] says whether this processor is one of them.

#[cfg(not(loom))]
use std::mem::MaybeUninit;

use annulus_abi::ring::{RingLayout, UNITS_MOST};

use crate::{header::Header, region::Region};
use annulus_sync::{Ordering, fence};

#[cfg(not(loom))]
mod image;
#[cfg(loom)]
#[path = "sealed/modelled.rs"]
mod image;

pub(crate) use image::Image;

/// Words of a unit that belong to the image.
const WORDS: usize = 3;

/// Whether this machine's processor can seal slots.
pub fn is_offered() -> bool {
    #[cfg(target_arch = "x86_64")]
    let offered = cfg!(loom) || std::arch::is_x86_feature_detected!("avx");
    #[cfg(not(target_arch = "x86_64"))]
    let offered = cfg!(loom);
    offered
}

/// The eight bytes of this number in front of the payload in an image.
#[inline(always)]
fn head_word(layout: &RingLayout, meta: u32, header: &Header, index: usize) -> u64 {
    if index == 0 {
        return u64::from(header.command) | u64::from(meta) << 32;
    }
    let lies_here = |offset: Option<usize>| offset == Some(8 * index);
    match index {
        _ if lies_here(layout.enqueue_time_offset) => header.enqueue_time,
        _ if lies_here(layout.correlation_offset) => header.correlation,
        _ if lies_here(layout.trace_offset) => header.trace,
        _ if lies_here(layout.stamp_offset) => header.stamp,
        _ => 0,
    }
}

/// The image of a published slot.
#[derive(Debug)]
pub(crate) struct Opened {
    units: [[u32; WORDS]; UNITS_MOST],
}

impl Opened {
    /// A copy of the image of `ticket`'s slot, if it is published.
    pub(crate) fn new(region: &Region, layout: &RingLayout, ticket: u64) -> Option<Self> {
        let mut units = [[0; WORDS]; UNITS_MOST];
        for (unit, content) in units[..layout.units].iter_mut().enumerate() {
            let lap;
            [content[0], content[1], content[2], lap] = region.load_unit(layout.unit_offset(ticket, unit));
            if lap != layout.lap(ticket) {
                return None;
            }
        }
        // SYNC: slot-published (acquire)
        fence(Ordering::Acquire);
        Some(Self { units })
    }

    /// The value that lies at an offset.
    ///
    /// # Safety
    ///
    /// The producer put a `T` there.
    pub(crate) unsafe fn get<T: Copy>(&self, offset: usize) -> T {
        assert!(offset + size_of::<T>() <= size_of_val(&self.units), "a value lies inside its image");
        let from = self.units.as_ptr().cast::<u8>().wrapping_add(offset).cast::<T>();
        // SAFETY: inside the image, by the assertion; the bytes are a `T` by the caller's promise.
        unsafe { from.read_unaligned() }
    }

    /// Copies the bytes that lie at an offset.
    #[cfg(not(loom))]
    pub(crate) fn get_bytes(&self, offset: usize, to: &mut [MaybeUninit<u8>]) {
        assert!(offset + to.len() <= size_of_val(&self.units), "a value lies inside its image");
        let from = self.units.as_ptr().cast::<MaybeUninit<u8>>().wrapping_add(offset);
        // SAFETY: inside the image, by the assertion; the bytes are not part of the image.
        unsafe { from.copy_to_nonoverlapping(to.as_mut_ptr(), to.len()) };
    }
}

/// Whether the slot of `ticket` is published, by its last unit. Orders nothing.
pub(crate) fn is_published(region: &Region, layout: &RingLayout, ticket: u64) -> bool {
    let [.., lap] = region.load_unit(layout.unit_offset(ticket, layout.units - 1));
    lap == layout.lap(ticket)
}
