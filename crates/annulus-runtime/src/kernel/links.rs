//! What a kernel knows of the kernels that it is connected to. [`links`](crate::links) says what it means.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use annulus_ring::memory::ShardMemory;
use annulus_sync::{AtomicBool, Ordering};

/// A kernel's links. Kernels that are not connectable do not use them.
pub(crate) struct Links<K> {
    known: Mutex<Arc<Known<K>>>,
    /// Since the links last changed, it was reported that this kernel stands still in a cycle.
    pub(crate) told: AtomicBool,
}

/// The links at one moment.
pub(crate) struct Known<K> {
    /// The kernels to which outputs go, if not to the host, in the order of the outboxes.
    pub(crate) targets: Vec<Target<K>>,
    /// Kernels that are connected to this one.
    pub(crate) feeds: Vec<Feed<K>>,
    /// How many messages were forwarded to this kernel by kernels that are no longer connected to it.
    pub(crate) fed_before: u64,
}

/// The kernel to which an outbox leads.
pub(crate) struct Target<K> {
    pub(crate) kernel: Weak<K>,
    /// The outbox's number; 0 where there is one.
    pub(crate) outbox: usize,
    /// Whether outputs without room wait.
    pub(crate) waits: bool,
    /// What the outbox had sent to kernels, and lost, before it was connected to this one.
    pub(crate) before: (u64, u64),
}

/// An outbox of a kernel that is connected to this one.
pub(crate) struct Feed<K> {
    pub(crate) source: Weak<K>,
    /// The outbox's number; 0 where there is one.
    pub(crate) outbox: usize,
    pub(crate) shards: Arc<[ShardMemory]>,
    /// Its `forwarded` count when it was connected.
    pub(crate) base: u64,
    /// Whether the source asks by it.
    pub(crate) asks: bool,
}

/// How many messages an outbox has put into rings in a device's memory.
pub(crate) fn forwarded<'a>(shards: impl IntoIterator<Item = &'a ShardMemory>, outbox: usize) -> u64 {
    let of = |shard: &ShardMemory| {
        // SYNC: unrested (acquire)
        let all = shard.forwarded().load(Ordering::Acquire);
        match shard.port(outbox) {
            // Where nothing goes by a device's memory, an outbox's count has nothing to compare with.
            // SYNC: unrested (acquire)
            Some(port) if all != 0 => port.forwarded().load(Ordering::Acquire),
            _ => all,
        }
    };
    shards.into_iter().map(of).sum()
}

impl<K> Feed<K> {
    pub(crate) fn fed(&self) -> u64 {
        forwarded(&*self.shards, self.outbox) - self.base
    }
}

impl<K> Default for Known<K> {
    fn default() -> Self {
        Self { targets: Vec::new(), feeds: Vec::new(), fed_before: 0 }
    }
}

impl<K> Clone for Known<K> {
    fn clone(&self) -> Self {
        Self { targets: self.targets.clone(), feeds: self.feeds.clone(), fed_before: self.fed_before }
    }
}

impl<K> Clone for Target<K> {
    fn clone(&self) -> Self {
        Self { kernel: Weak::clone(&self.kernel), ..*self }
    }
}

impl<K> Clone for Feed<K> {
    fn clone(&self) -> Self {
        Self { source: Weak::clone(&self.source), shards: Arc::clone(&self.shards), ..*self }
    }
}

impl<K> Default for Links<K> {
    fn default() -> Self {
        Self { known: Mutex::default(), told: AtomicBool::new(false) }
    }
}

impl<K> Links<K> {
    fn lock(&self) -> MutexGuard<'_, Arc<Known<K>>> {
        // The value is replaced by one assignment, so a panic cannot leave it half written.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn known(&self) -> Arc<Known<K>> {
        Arc::clone(&self.lock())
    }

    pub(crate) fn change(&self, change: impl FnOnce(&mut Known<K>)) {
        let mut known = self.lock();
        let mut next = Known::clone(&known);
        change(&mut next);
        let before = std::mem::replace(&mut *known, Arc::new(next));
        self.told.store(false, Ordering::Relaxed);
        drop(known);
        drop(before);
    }
}

impl<K> Known<K> {
    /// Removes the sources for which `ends` returns true. They forward nothing any more.
    pub(crate) fn end_feeds(&mut self, ends: impl Fn(&Feed<K>) -> bool) {
        let (ended, stay): (Vec<_>, Vec<_>) = std::mem::take(&mut self.feeds).into_iter().partition(ends);
        self.feeds = stay;
        self.fed_before += ended.iter().map(Feed::fed).sum::<u64>();
    }
}
