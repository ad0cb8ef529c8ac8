//! What the outboxes of a shard have sent to other kernels.

use std::mem::offset_of;

use annulus_abi::control::PortCounts;
use annulus_sync::AtomicU64;

use crate::region::Region;

/// The [`PortCounts`] of one of several outboxes of a shard.
#[derive(Clone, Copy, Debug)]
pub struct PortWords<'a> {
    ports: &'a Region,
    /// Where they begin.
    at: usize,
}

impl<'a> PortWords<'a> {
    /// Those of the outbox with this number.
    ///
    /// # Safety
    ///
    /// The region has a line for it.
    #[inline]
    pub(crate) unsafe fn new(ports: &'a Region, number: usize) -> Self {
        Self { ports, at: number * size_of::<PortCounts>() }
    }

    #[inline]
    fn word<const OFFSET: usize>(self) -> &'a AtomicU64 {
        const { assert!(OFFSET + 8 <= size_of::<PortCounts>() && OFFSET.is_multiple_of(8)) };
        // SAFETY: the line lies in the region, by `new`, and the word in the line, aligned, as was just
        // asserted.
        unsafe { self.ports.word64(self.at + OFFSET) }
    }

    /// Messages that went to a connected kernel, since launch.
    #[inline]
    pub fn forwarded(self) -> &'a AtomicU64 {
        self.word::<{ offset_of!(PortCounts, forwarded) }>()
    }

    /// Messages for a connected kernel that were lost, since launch.
    #[inline]
    pub fn unforwarded(self) -> &'a AtomicU64 {
        self.word::<{ offset_of!(PortCounts, unforwarded) }>()
    }

    /// Messages that wait for room in the connected kernel.
    #[inline]
    pub fn held(self) -> &'a AtomicU64 {
        self.word::<{ offset_of!(PortCounts, held) }>()
    }
}
