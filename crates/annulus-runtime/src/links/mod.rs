//! Which kernel sends to which, and when all that is under way between them has arrived.
//!
//! # Who knows whom
//!
//! Each kernel knows the one that it is connected to, and those that are connected to it, weakly: a link
//! keeps no kernel running. Both sides of a link change while its source is inactive and cannot be activated,
//! since whoever changes it holds the source's command lock. What is known is an immutable value that is
//! replaced; readers hold the lock for no longer than it takes to copy a pointer, and nobody holds two of
//! these locks.
//!
//! # Messages on their way
//!
//! On some devices kernels send over the device's own memory, which the host cannot look into. There it goes
//! by counts: `forwarded`, how many messages a shard has put into rings of others; `taken`, how many it has
//! taken out of its own; and `rested`, the value of `taken` when it last found nothing to do. A kernel has
//! been *fed* what all sources have forwarded since they were connected to it. Where kernels send to the
//! rings that the host sends to, as on the CPU, these counts stay 0, and a message is in a ring as long as it
//! is under way: a block keeps the slot of a message until the ring of the next kernel has all that its
//! handler sent.
//!
//! # Drained
//!
//! A kernel is drained when nothing is under way in it, or in any kernel from which links lead to it. Let a
//! **scan** look at all of these, in this order:
//!
//! 1. of all of them: `rested` (acquire); that nothing lies in front of their rings, and that what has
//!    expired there is counted; that every ring of the host's is empty, `consumed` (acquire) being what
//!    `reserved` is then; that no shard that lives is stalled;
//! 2. of all of them: that `taken` is what `rested` was, shard by shard;
//! 3. of all of them: that what the kernel was fed is the sum of its shards' `taken`.
//!
//! (What a shard of a device holds back, having no room for it, is not counted yet; that shard says that it
//! is stalled before it gives the message back that this came of, and before it rests, and says that it is
//! not, with release, after it has counted it.)
//!
//! If two scans in a row find all that, with the same counts (`consumed` and `taken`), the kernels were at
//! rest. For let *M* be the messages that the first scan saw consumed or rested upon. What the handlers of
//! *M* sent was published in rings, or counted in `forwarded`, before the word that the first scan acquired
//! was stored. So the second scan sees those tickets in `reserved`; it finds no more of them than the first
//! scan saw consumed, so these messages belong to *M*. And the third look of the first scan sees what *M* has
//! forwarded; it finds no more than was taken and rested upon, so these belong to *M*, too. Whatever was sent
//! before the first scan is in *M* as well: its ticket is in `reserved`. So *M* holds all that was sent, and
//! all that came of it.
//!
//! Whoever waits for this waits on an event that all connected kernels of a runtime share, having told each
//! of them that it is watched.

use std::sync::{Arc, Weak};

use annulus_ring::memory::ShardMemory;
use annulus_sync::{Ordering, fence, stall};

use crate::kernel::{
    links::{Feed, forwarded},
    shared::KernelShared,
};

pub(crate) mod connect;
pub(crate) mod stalls;

/// Connects a kernel to another one, or to none. The source is inactive, and stays so meanwhile.
///
/// Returns the kernel that it was connected to: this may be the last to hold it, and with it things of the
/// program's, whose `Drop` must not run under the caller's lock.
#[must_use = "it is dropped when no lock is held"]
pub(crate) fn link(
    source: &Arc<KernelShared>,
    target: Option<&Arc<KernelShared>>,
) -> Option<Arc<KernelShared>> {
    let core = source.core();
    let before = source.end_link();
    source.links.change(|known| known.target = target.map(Arc::downgrade));
    if let Some(target) = target {
        let shards: Arc<[ShardMemory]> = core.shards.iter().map(|shard| shard.memory.clone()).collect();
        let base = forwarded(&*shards);
        let feed = Feed { source: Arc::downgrade(source), shards, base };
        target.links.change(|known| known.feeds.push(feed));
    }
    before
}

impl KernelShared {
    /// Forwards nothing any more to the kernel that this one was connected to, which it returns.
    fn end_link(&self) -> Option<Arc<KernelShared>> {
        let target = self.target()?;
        target.links.change(|known| known.end_feeds(|feed| std::ptr::eq(feed.source.as_ptr(), self)));
        Some(target)
    }

    /// After the last shard has terminated, and so after the rings were closed: ends all links. Who waits for
    /// room finds out that there will be none.
    pub(crate) fn end_links(&self) {
        self.wake_sources();
        drop(self.end_link());
        self.links.change(|known| {
            known.target = None;
            known.end_feeds(|_| true);
        });
    }

    /// The kernel that this one is connected to, if it is still there.
    pub(crate) fn target(&self) -> Option<Arc<KernelShared>> {
        self.links.known().target.as_ref().and_then(Weak::upgrade)
    }

    /// After slots of this kernel's rings were given back, or this kernel has ended: wakes the shards of
    /// connected kernels that wait for that.
    ///
    /// A shard stores `stalled`, fences, and tries once more; so one of the two sees the other (SYNC:
    /// stalled).
    pub(crate) fn wake_sources(&self) {
        // SYNC: stalled
        fence(Ordering::SeqCst);
        for feed in &self.links.known().feeds {
            let is_stalled = |shard: &ShardMemory| stall::is_said_behind_fence(shard.stalled());
            if !feed.shards.iter().any(is_stalled) {
                continue;
            }
            let Some(source) = feed.source.upgrade() else { continue };
            for (index, shard) in feed.shards.iter().enumerate() {
                if is_stalled(shard) {
                    source.core().wake(index);
                }
            }
        }
    }

    /// After this kernel has sent to another over the device's memory: where that one runs in epochs, it
    /// needs one.
    pub(crate) fn wake_target(&self) {
        if let Some(target) = self.target() {
            target.core().wake_all();
        }
    }

    /// Messages that other kernels have put into this one's rings in the device's memory.
    fn fed(&self) -> u64 {
        let known = self.links.known();
        known.fed_before + known.feeds.iter().map(Feed::fed).sum::<u64>()
    }

    /// Messages of other kernels, in rings in the device's memory, that it has not taken; `None` if none ever
    /// came that way.
    pub(crate) fn unread(&self) -> Option<u64> {
        let taken = self.taken();
        let fed = self.fed();
        (fed != 0).then(|| fed.saturating_sub(taken))
    }

    fn taken(&self) -> u64 {
        // SYNC: none: keeps the look before that at what was fed. A sum that is too old is another one, and
        // is looked at again.
        self.core.shards.iter().map(|shard| shard.memory.taken().load(Ordering::Acquire)).sum()
    }

    /// Whether there are messages of other kernels that this one has not taken. They are counted as fed
    /// before they can be taken, so if nothing was added since `taken` was looked at, nothing was left then.
    pub(crate) fn is_fed_by_others(&self) -> bool {
        let taken = self.taken();
        self.fed() != taken
    }
}

impl KernelShared {
    /// This kernel, and all from which links lead to it.
    fn upstream(self: &Arc<Self>) -> Vec<Arc<KernelShared>> {
        let mut found = vec![Arc::clone(self)];
        let mut next = 0;
        while next < found.len() {
            let known = found[next].links.known();
            for source in known.feeds.iter().filter_map(|feed| feed.source.upgrade()) {
                if !found.iter().any(|kernel| Arc::ptr_eq(kernel, &source)) {
                    found.push(source);
                }
            }
            next += 1;
        }
        found
    }

    /// Whether everything that was sent before this kernel was closed has been handled, here and by all that
    /// are connected to it.
    pub(crate) async fn settled(self: &Arc<Self>) {
        let core = self.core();
        loop {
            let kernels = self.upstream();
            for kernel in &kernels {
                kernel.core().watched.watch();
            }
            // Stands between this and the look at the queues (SYNC: watched).
            fence(Ordering::SeqCst);
            if core.is_finished() || are_at_rest(&kernels) {
                return;
            }
            let listener = core.flow.listen();
            let now = self.upstream();
            if now.len() != kernels.len() || !now.iter().zip(&kernels).all(|(a, b)| Arc::ptr_eq(a, b)) {
                continue;
            }
            if core.is_finished() || are_at_rest(&kernels) {
                return;
            }
            kernels.iter().for_each(|kernel| kernel.core().expect());
            drop((now, kernels));
            listener.await;
        }
    }
}

fn are_at_rest(kernels: &[Arc<KernelShared>]) -> bool {
    let first = scan(kernels);
    first.is_some() && first == scan(kernels)
}

/// The counts of kernels that are at rest; see the module. A kernel that has finished sends no more, and what
/// it had not taken is lost.
fn scan(kernels: &[Arc<KernelShared>]) -> Option<Vec<u64>> {
    let live: Vec<_> = kernels.iter().filter(|kernel| !kernel.core().is_finished()).collect();
    let shards = || live.iter().flat_map(|kernel| &kernel.core().shards);
    // SYNC: rested (acquire)
    let rested: Vec<_> = shards().map(|shard| shard.memory.rested().load(Ordering::Acquire)).collect();
    if live.iter().any(|kernel| (0..kernel.core().shards.len()).any(|shard| kernel.staged(shard) != 0)) {
        return None;
    }
    // What has expired in front of a ring is counted, and its dead letters lie there. SYNC: settled (acquire)
    if live.iter().any(|kernel| kernel.core().drops.unsettled.load(Ordering::Acquire) != 0) {
        return None;
    }
    let mut counts = Vec::with_capacity(2 * rested.len());
    for ring in shards().map(|shard| shard.inbound.ring()) {
        let consumed = ring.consumed();
        if ring.reserved() != consumed {
            return None;
        }
        counts.push(consumed);
    }
    if live.iter().any(|kernel| kernel.stalled_shards() != 0) {
        return None;
    }
    // SYNC: none: keeps the looks in this order. Whoever has taken more since does not rest.
    let taken: Vec<_> = shards().map(|shard| shard.memory.taken().load(Ordering::Acquire)).collect();
    if taken != rested || live.iter().any(|kernel| kernel.is_fed_by_others()) {
        return None;
    }
    counts.extend(taken);
    Some(counts)
}

/// Kernels in an order in which sources come before their targets; what forms a cycle comes in any order, all
/// else as it came.
pub(crate) fn sources_first(kernels: Vec<Arc<KernelShared>>) -> Vec<Arc<KernelShared>> {
    fn is_in(kernels: &[Arc<KernelShared>], kernel: &Arc<KernelShared>) -> bool {
        kernels.iter().any(|other| Arc::ptr_eq(other, kernel))
    }
    fn place(
        kernel: &Arc<KernelShared>,
        seen: &mut Vec<Arc<KernelShared>>,
        ordered: &mut Vec<Arc<KernelShared>>,
    ) {
        if is_in(seen, kernel) {
            return;
        }
        seen.push(Arc::clone(kernel));
        for feed in &kernel.links.known().feeds {
            if let Some(source) = feed.source.upgrade() {
                place(&source, seen, ordered);
            }
        }
        ordered.push(Arc::clone(kernel));
    }
    let (mut seen, mut ordered) = (Vec::new(), Vec::new());
    for kernel in &kernels {
        place(kernel, &mut seen, &mut ordered);
    }
    ordered.retain(|kernel| is_in(&kernels, kernel));
    ordered
}
