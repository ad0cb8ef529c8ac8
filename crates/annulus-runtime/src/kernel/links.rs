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
    /// The kernel to which outputs go, if not to the host.
    pub(crate) target: Option<Weak<K>>,
    /// Of a kernel with several outboxes, the number of the one whose outputs go there.
    pub(crate) port: Option<usize>,
    /// Kernels that are connected to this one.
    pub(crate) feeds: Vec<Feed<K>>,
    /// How many messages were forwarded to this kernel by kernels that are no longer connected to it.
    pub(crate) fed_before: u64,
}

/// A kernel that is connected to this one.
pub(crate) struct Feed<K> {
    pub(crate) source: Weak<K>,
    pub(crate) shards: Arc<[ShardMemory]>,
    /// Its `forwarded` count when it was connected.
    pub(crate) base: u64,
}

pub(crate) fn forwarded<'a>(shards: impl IntoIterator<Item = &'a ShardMemory>) -> u64 {
    // SYNC: unrested (acquire)
    shards.into_iter().map(|shard| shard.forwarded().load(Ordering::Acquire)).sum()
}

impl<K> Feed<K> {
    pub(crate) fn fed(&self) -> u64 {
        forwarded(&*self.shards) - self.base
    }
}

impl<K> Default for Known<K> {
    fn default() -> Self {
        Self { target: None, port: None, feeds: Vec::new(), fed_before: 0 }
    }
}

impl<K> Clone for Known<K> {
    fn clone(&self) -> Self {
        Self {
            target: self.target.clone(),
            port: self.port,
            feeds: self.feeds.clone(),
            fed_before: self.fed_before,
        }
    }
}

impl<K> Clone for Feed<K> {
    fn clone(&self) -> Self {
        Self { source: Weak::clone(&self.source), shards: Arc::clone(&self.shards), base: self.base }
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
