//! Counts of the messages that a kernel's queues did not take, by cause.

use annulus_sync::{AtomicU64, Ordering};

/// Messages that a kernel's queues dropped before it took them, by cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueDrops {
    /// Refused because the queue was full, or because the payload was too large, and handed back.
    pub rejected: u64,
    /// Evicted by a newer message (DropOldest).
    pub evicted: u64,
    /// Discarded when they were sent.
    pub discarded: u64,
    /// Recognised as duplicates when they were sent.
    pub duplicate: u64,
    /// Not handed over to the kernel within the launch's expiry.
    pub expired: u64,
}

impl QueueDrops {
    /// The sum of all causes.
    ///
    /// ```
    /// # use annulus_runtime::QueueDrops;
    /// assert_eq!(QueueDrops::default().total(), 0);
    /// ```
    pub fn total(&self) -> u64 {
        self.rejected + self.evicted + self.discarded + self.duplicate + self.expired
    }

    /// The difference to the counts `before`.
    pub(crate) fn since(self, before: Self) -> Self {
        Self {
            rejected: self.rejected.saturating_sub(before.rejected),
            evicted: self.evicted.saturating_sub(before.evicted),
            discarded: self.discarded.saturating_sub(before.discarded),
            duplicate: self.duplicate.saturating_sub(before.duplicate),
            expired: self.expired.saturating_sub(before.expired),
        }
    }
}

/// Causes, as [`CAUSES`](annulus_abi::vitals::recorder::CAUSES) numbers them.
#[derive(Clone, Copy)]
pub(crate) enum Dropped {
    Rejected,
    Evicted,
    Discarded,
    Duplicate,
    Expired,
    Undelivered,
    Cleared,
}

/// Messages that the host dropped, by cause. Written only for a message that is not queued, never for one
/// that is.
#[derive(Default)]
pub(crate) struct HostDrops {
    pub(crate) rejected: AtomicU64,
    pub(crate) evicted: AtomicU64,
    pub(crate) discarded: AtomicU64,
    pub(crate) duplicate: AtomicU64,
    pub(crate) expired: AtomicU64,
    pub(crate) undelivered: AtomicU64,
    /// Slots that the host has reserved, and not used: a message was too large for them; or those of a batch, behind a
    /// message whose room others have taken, or whose kernel was closed. Each has a ticket, which counts as a message sent,
    /// and must not.
    voided: AtomicU64,
    /// Taken out by the program.
    pub(crate) cleared: AtomicU64,
    /// Number of operations in which messages expired that are not counted yet. While it is not 0, the kernel
    /// is not drained.
    pub(crate) unsettled: AtomicU64,
}

impl HostDrops {
    /// What the kernel's queues dropped so far.
    #[inline]
    pub(crate) fn by_queues(&self) -> QueueDrops {
        let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
        QueueDrops {
            rejected: count(&self.rejected),
            evicted: count(&self.evicted),
            discarded: count(&self.discarded),
            duplicate: count(&self.duplicate),
            expired: count(&self.expired),
        }
    }
}

impl HostDrops {
    /// Counts slots that are about to become tombstones.
    #[cold]
    pub(crate) fn void(&self, slots: u32) {
        self.voided.fetch_add(slots.into(), Ordering::Relaxed);
    }

    /// How many slots were voided.
    pub(crate) fn voided(&self) -> u64 {
        self.voided.load(Ordering::Relaxed)
    }

    /// Sets the counts to what the queues have dropped so far.
    pub(crate) fn set(&self, drops: QueueDrops) {
        self.rejected.store(drops.rejected, Ordering::Relaxed);
        self.evicted.store(drops.evicted, Ordering::Relaxed);
        self.discarded.store(drops.discarded, Ordering::Relaxed);
        self.duplicate.store(drops.duplicate, Ordering::Relaxed);
        self.expired.store(drops.expired, Ordering::Relaxed);
    }
}
