//! Which kernel sends to which, and when all messages between them have arrived.
//!
//! # Who knows whom
//!
//! Each kernel has weak references to its targets and to its sources, so a link keeps no kernel running.
//! Whoever changes a link holds the source's command lock; so both sides of the link change while the source
//! is inactive and cannot be activated. The links of a kernel are an immutable value that is replaced as a
//! whole. Readers hold its lock only to copy a pointer, and nobody holds two of these locks.
//!
//! # Messages on their way
//!
//! On some devices kernels send over the device's own memory, which the host cannot read. There the host uses
//! counts. `forwarded` is how many messages a shard has put into rings of other kernels. `taken` is how many
//! it has taken out of its own ring. `rested` is the value of `taken` when it last found nothing to do. The
//! number of messages that a kernel was *fed* is what all its sources have forwarded since they were
//! connected to it. Of a source with several outboxes, each counts for itself: those that are connected may
//! lead to different kernels. Elsewhere, as on the CPU, kernels send to the same rings as the host. There these counts
//! stay 0, and a message is in a ring as long as it is under way: a block keeps the slot of a message until
//! the ring of the next kernel has everything that its handler sent.
//!
//! # Drained
//!
//! A kernel is drained when nothing is under way in it, or in any kernel from which links lead to it. A
//! **scan** looks at all these kernels, in this order:
//!
//! 0. of all kernels that ask: it reads `timers` and `due` (acquire), and checks that no answer is awaited ([below](#asks));
//! 1. of all kernels: it reads `rested` (acquire). It checks that nothing lies in front of their rings, and
//!    that what has expired there is counted; that every host ring is empty (`consumed`, read with acquire,
//!    equals `reserved`, read after it); that no live shard is stalled, or holds outputs (`held`, read with acquire after
//!    these);
//! 2. of all kernels: it checks that `taken` equals the `rested` of step 1, shard by shard;
//! 3. of all kernels: it checks that what the kernel was fed equals the sum of its shards' `taken`.
//!
//! (A pending output, which a shard of a device holds back for lack of room, is not counted yet. But the
//! shard says that it is stalled before it gives back the message that the output came from, and before it
//! rests. Only after it has counted the output does it say, with release, that it is no longer stalled.)
//!
//! (A shard with a [hold](crate::LaunchOptions::hold) goes on while outputs wait, so it need not be stalled. Therefore each of
//! its ways out has a word of its own, `held`. It is raised before the shard gives back the message that the output came from,
//! and before it rests; it is lowered, with release, after the output has its ticket, or was counted. Step 1 reads it after it
//! has acquired `rested` and `consumed`. If it reads 0 of an output whose message it has seen there, the word was lowered, and
//! the scan has acquired what was done before that (`SYNC: held`). So the second scan sees the output's ticket or its count, like
//! that of an output which never waited, and the proof below is about both.)
//!
//! If two scans in a row find all this, with the same counts (`consumed` and `taken`), the kernels were at
//! rest. Proof: let *M* be the messages that the first scan saw in `consumed` or in `rested`. What the
//! handlers of *M* sent was published in rings, or counted in `forwarded`, before the word that the first
//! scan acquired was stored. So the second scan sees those tickets in `reserved`. It finds no more tickets
//! than the first scan saw consumed, so these messages belong to *M*. A message that was sent before the
//! first scan is also in *M*: its ticket is in `reserved`.
//!
//! What *M* has forwarded is in *M*, too. A shard may tell late what it has forwarded (`PROTOCOL.md`, "Told
//! late"), so a message may be in `rested`, and its sender has not told it yet. But then the sender has taken
//! back that it rests, before it published the message; so before the `rested` that the first scan acquired
//! was stored. The second scan finds that the sender rests. So it rests again, and before that it has told
//! what it had forwarded. So step 3 of the second scan counts every message that the first scan saw in
//! `rested`, and every message that *M* has forwarded. It finds no more than were taken, which are those in
//! `rested`; so what *M* has forwarded is among them. So *M* contains everything that was sent, and
//! everything that came of it.
//!
//! # Timers
//!
//! A message to oneself is under way from the time at which it is taken. Until then nobody waits for it: a kernel with a
//! periodic timer would never be drained. When it is taken, its shard sends without having consumed anything. That
//! changes nothing above. A message is sent when it has its ticket in a ring, and the argument is about all messages that
//! were sent before the first scan. What a timer's handler sends into a ring of a device is counted, or taken back
//! (*told late*), as everything else is; what it cannot send yet is held, and its shard says that it is stalled. A timer
//! whose handler runs during the scans has sent nothing yet: what it sends comes after them. Its shard's wait for room ends
//! without a slot that is given back. So a block reports that end (`Progress::goes_on`), and where a pump looks at the
//! block's words, it reports each timer that was taken, which is told after the end of the wait.
//!
//! # Asks
//!
//! Somebody does wait for what comes of an ask: it ends, at the latest when its time is up. So a kernel that asks is drained
//! when its asks have ended, too, and when what came of them has been handled. A shard has an ask that has not ended while messages wait in it
//! ([`Timers::waiting`]) and places for answers are in use ([`Timers::asks`]). When the answer has come, its message is due:
//! it waits, and `due` has passed. (So has that of a timer which is due now. It is waited for, too.) When that message has been
//! taken, and so counted no more, all that its handler did is published, counted or held: the shard stores both words behind a
//! fence then (`SYNC: asks`). So a scan that sees an ask no more sees what came of it. Let *m* be a message of *M* whose
//! handler asks. The first scan acquired a word that was stored after the shard had told of the ask. So the second scan, in its
//! step 0, sees it, or sees that what came of it has been handled; and that is in *M* then, as all else that was
//! sent before.
//!
//! Whoever waits for this first tells each of these kernels that it is watched, and then waits on an event
//! that all connected kernels of a runtime share.

use std::sync::Arc;

use annulus_abi::control::Timers;
use annulus_ring::memory::{PortWords, ShardMemory};
use annulus_sync::{AtomicU64, Ordering, fence, stall};

use crate::kernel::{
    links::{Feed, Target, forwarded},
    shared::KernelShared,
};

pub(crate) mod asks;
pub(crate) mod connect;
pub(crate) mod peers;
pub(crate) mod rows;
pub(crate) mod stalls;
pub(crate) mod topics;

/// Connects an outbox of a kernel to another kernel, whose outputs wait there or not, or to none. The source is
/// inactive, and stays so meanwhile.
///
/// Returns the kernel that it was connected to. This may be the last reference to that kernel, and so to
/// objects of the program. Their `Drop` must not run under the caller's lock.
#[must_use = "it is dropped when no lock is held"]
pub(crate) fn link(
    source: &Arc<KernelShared>,
    target: Option<(&Arc<KernelShared>, bool)>,
    outbox: usize,
) -> Option<Arc<KernelShared>> {
    let core = source.core();
    let before = source.end_link(outbox);
    let counted = |of: fn(PortWords<'_>) -> &AtomicU64| -> u64 {
        let words = core.shards.iter().filter_map(|shard| shard.memory.port(outbox).map(of));
        words.map(|word| word.load(Ordering::Relaxed)).sum()
    };
    let sent = (counted(|words| words.forwarded()), counted(|words| words.unforwarded()));
    source.links.change(|known| {
        known.targets.retain(|target| target.outbox != outbox);
        known.targets.extend(target.map(|(kernel, waits)| Target {
            kernel: Arc::downgrade(kernel),
            outbox,
            waits,
            before: sent,
        }));
        known.targets.sort_by_key(|target| target.outbox);
    });
    if let Some((target, _)) = target {
        let shards: Arc<[ShardMemory]> = core.shards.iter().map(|shard| shard.memory.clone()).collect();
        let base = forwarded(&*shards, outbox);
        let asks = source.asks_by(outbox);
        let feed = Feed { source: Arc::downgrade(source), outbox, shards, base, asks };
        target.links.change(|known| known.feeds.push(feed));
    }
    before
}

impl KernelShared {
    /// Ends the link to the kernel that an outbox was connected to, and returns that kernel. Nothing is
    /// forwarded to it by this outbox any more.
    fn end_link(&self, outbox: usize) -> Option<Arc<KernelShared>> {
        let known = self.links.known();
        let target = known.targets.iter().find(|target| target.outbox == outbox)?.kernel.upgrade()?;
        let ends = |feed: &Feed<Self>| feed.outbox == outbox && std::ptr::eq(feed.source.as_ptr(), self);
        target.links.change(|known| known.end_feeds(ends));
        Some(target)
    }

    /// Ends all links. Called after the last shard has terminated, and so after the rings were closed.
    /// Whoever waits for room then finds out that there will be none.
    pub(crate) fn end_links(&self) {
        self.wake_sources();
        drop(self.ask_by(None));
        for target in &self.links.known().targets {
            // What a shard has sent to it may be reported after this, when the kernel has no targets any more.
            if let Some(target) = self.end_link(target.outbox) {
                target.core().wake_all();
            }
        }
        self.links.change(|known| {
            known.targets.clear();
            known.end_feeds(|_| true);
        });
    }

    /// The kernel that this one is connected to, if it is still there: by several outboxes the first one that its
    /// shards wait for, or else the first one.
    pub(crate) fn target(&self) -> Option<Arc<KernelShared>> {
        let waited_for = self.linked_and_waited_for().into_iter().next();
        waited_for.or_else(|| self.targets().next())
    }

    /// The kernels that this one is connected to, as far as they are still there, in the order of the outboxes.
    pub(crate) fn targets(&self) -> impl Iterator<Item = Arc<KernelShared>> {
        let known = self.links.known();
        (0..known.targets.len()).filter_map(move |i| known.targets[i].kernel.upgrade())
    }

    /// Wakes the shards of connected kernels that wait for room here. Called after slots of this kernel's
    /// rings were given back, or after this kernel has ended.
    ///
    /// A shard stores `stalled`, fences, and tries once more; so one of the two sees the other (SYNC:
    /// stalled). Likewise one that has asked this kernel says so, parks, fences, and looks for answers.
    pub(crate) fn wake_sources(&self) {
        // SYNC: stalled
        fence(Ordering::SeqCst);
        for feed in &self.links.known().feeds {
            if feed.asks {
                self.wake_askers(feed);
                continue;
            }
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

    /// Wakes the shards of a kernel that asks this one, those that wait for room and those whose asks are open, behind a fence.
    /// A shard that runs writes the words that say so all the time: whether it sleeps is looked at first, and it looks for answers once
    /// more before it does.
    fn wake_askers(&self, feed: &Feed<KernelShared>) {
        let Some(source) = feed.source.upgrade() else { return };
        for (index, shard) in feed.shards.iter().enumerate() {
            if !source.core().is_asleep(index) {
                continue;
            }
            if Timers::of_word(shard.timers().load(Ordering::Relaxed)).asks != 0 {
                source.core().wake_next(index);
            } else if stall::is_said_behind_fence(shard.stalled()) {
                source.core().wake(index);
            }
        }
    }

    /// Wakes the targets after this kernel has sent over the device's memory: a target that runs in epochs needs
    /// a new epoch.
    pub(crate) fn wake_targets(&self) {
        for target in self.targets() {
            target.core().wake_all();
        }
    }

    /// How many messages other kernels have put into this kernel's rings in the device's memory.
    pub(crate) fn fed(&self) -> u64 {
        let known = self.links.known();
        known.fed_before + known.feeds.iter().map(Feed::fed).sum::<u64>()
    }

    /// How many messages of other kernels, in rings in the device's memory, this kernel has not taken; `None`
    /// if no message ever came that way.
    pub(crate) fn unread(&self) -> Option<u64> {
        let taken = self.taken();
        let fed = self.fed();
        (fed != 0).then(|| fed.saturating_sub(taken))
    }

    /// The same, as a number that observers add to what waits in inbound rings. 0 after the end: what is left was counted as
    /// undelivered, but for that of a lost device, of which nobody knows what was taken.
    pub(crate) fn linked(&self) -> u64 {
        self.linked_behind(self.taken() + self.left_unread())
    }

    /// The same, of one that has taken so many messages, or has counted them as left at its end. That was read before.
    pub(crate) fn linked_behind(&self, arrived: u64) -> u64 {
        let may_be_fed = self.core.options.shape.connectable && !self.core.is_finished();
        if may_be_fed { self.fed().saturating_sub(arrived) } else { 0 }
    }

    /// Messages of other kernels that blocks which have ended left in rings in the device's memory.
    pub(crate) fn left_unread(&self) -> u64 {
        // SYNC: none: keeps this look before that at what was fed.
        self.core.shards.iter().map(|shard| u64::from(shard.memory.unread().load(Ordering::Acquire))).sum()
    }

    pub(crate) fn taken(&self) -> u64 {
        // SYNC: none: keeps the look before that at what was fed. A sum that is too old is another one, and
        // is looked at again.
        self.core.shards.iter().map(|shard| shard.memory.taken().load(Ordering::Acquire)).sum()
    }

    /// Whether what other kernels have told that they sent is something else than what this one has told that
    /// it took.
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
        self.at_rest(Self::upstream).await;
    }

    /// Waits until this kernel has handled everything that was sent to it, while those that send to it are inactive: then they
    /// have told all that they have sent, and send nothing, so the proof above holds for this kernel alone.
    pub(crate) async fn rests_alone(self: &Arc<Self>) {
        match self.core().options.shape.connectable {
            true => self.at_rest(|this| vec![Arc::clone(this)]).await,
            false => self.rests().await,
        }
    }

    /// Waits until these kernels, which may become others, are at rest, or this one has finished.
    async fn at_rest(self: &Arc<Self>, kernels_of: impl Fn(&Arc<Self>) -> Vec<Arc<KernelShared>>) {
        let core = self.core();
        loop {
            let kernels = kernels_of(self);
            for kernel in &kernels {
                kernel.core().watched.watch();
            }
            // Stands between this and the look at the queues (SYNC: watched).
            fence(Ordering::SeqCst);
            if core.is_finished() || are_at_rest(&kernels) {
                return;
            }
            let listener = core.flow.listen();
            let now = kernels_of(self);
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

/// One scan (see the module): the counts of the kernels if they seem to be at rest, else `None`. A kernel
/// that has finished sends no more, and the messages that it had not taken are lost.
fn scan(kernels: &[Arc<KernelShared>]) -> Option<Vec<u64>> {
    let live: Vec<_> = kernels.iter().filter(|kernel| !kernel.core().is_finished()).collect();
    let shards = || live.iter().flat_map(|kernel| &kernel.core().shards);
    if live.iter().any(|kernel| kernel.awaits_answers()) {
        return None;
    }
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
    // SYNC: held (acquire)
    if live.iter().any(|kernel| kernel.stalled_shards() != 0 || kernel.holds()) {
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

/// Sorts kernels so that sources come before their targets, over links and over bridges. Kernels that form a cycle come in any
/// order; otherwise the given order is kept.
pub(crate) fn sources_first(kernels: Vec<Arc<KernelShared>>) -> Vec<Arc<KernelShared>> {
    let mut ordered = with_sources(&kernels);
    ordered.retain(|kernel| kernels.iter().any(|other| Arc::ptr_eq(other, kernel)));
    ordered
}

/// These kernels and all from which links and bridges lead to them, in that order.
pub(crate) fn with_sources(kernels: &[Arc<KernelShared>]) -> Vec<Arc<KernelShared>> {
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
        for feeder in kernel.feeders() {
            place(&feeder.source, seen, ordered);
        }
        ordered.push(Arc::clone(kernel));
    }
    let (mut seen, mut ordered) = (Vec::new(), Vec::new());
    for kernel in kernels {
        place(kernel, &mut seen, &mut ordered);
    }
    ordered
}
