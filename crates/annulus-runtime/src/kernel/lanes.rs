//! What can be asked and done about one of a kernel's queues: the kernel's own, 0, or a named one.
//!
//! A message is within the host's reach while it waits in front of the ring. In the ring it belongs to its
//! consumer, which may be a device: there it can be counted, and neither looked at nor taken out. A kernel
//! without queues in front has all its messages there.

use std::time::Instant;

use annulus_queue::{Counters, QueueStatus};
use annulus_sync::Ordering;

use crate::{
    error::CallError,
    kernel::{
        bytes::ByteQueue,
        drops::Dropped,
        front::FrontEnd,
        notes::{Back, Notes},
        shared::KernelShared,
    },
};

impl FrontEnd<'_> {
    /// Copies the next message of a shard's queue; `false` if none waits there.
    fn peek(&self, shard: usize, lane: usize, to: &mut ByteQueue) -> bool {
        let mut notes = Notes::new(Back::Nowhere, self, shard, lane);
        let found = self.fronts.fronts[shard].peek(lane, self.now(), &mut notes, |next| to.push(next));
        self.settle(shard, notes);
        found
    }

    /// Takes out what waits in a shard's queue.
    fn clear(&self, shard: usize, lane: usize, taken: &mut ByteQueue) {
        let before = taken.len();
        let mut calls = Vec::new();
        let mut notes = Notes::new(Back::Nowhere, self, shard, lane);
        self.fronts.fronts[shard].clear(lane, self.now(), &mut notes, |message, header| {
            taken.push(message);
            if header.correlation != 0 {
                calls.push(header.correlation);
            }
        });
        let count = (taken.len() - before) as u64;
        self.fronts.count(lane, |drops| &drops.cleared, count);
        self.core.drops.cleared.fetch_add(count, Ordering::Relaxed);
        self.core.show_drops(Dropped::Cleared, count);
        calls.into_iter().for_each(|call| self.calls.complete(call, CallError::Dropped));
        self.settle(shard, notes);
        // The kernel may be drained by this.
        self.core.watched.tell(|| self.core.tell());
    }

    /// Closes a queue. Returns whether it was open.
    fn close_lane(&self, lane: usize) -> bool {
        let mut was_open = false;
        for (shard, front) in self.fronts.fronts.iter().enumerate() {
            let mut notes = Notes::new(Back::Nowhere, self, shard, lane);
            was_open |= front.close_lane(lane, self.now(), &mut notes);
            self.settle(shard, notes);
        }
        self.fronts.lanes[lane].closed.store(true, Ordering::Relaxed);
        self.fronts.notify_all(lane);
        self.core.changed.notify_all();
        self.core.closed.notify_all();
        was_open
    }
}

impl KernelShared {
    /// The number of the queue of this name.
    pub(crate) fn lane(&self, name: &str) -> Option<usize> {
        self.core.options.queues.iter().position(|queue| queue.name == name).map(|at| at + 1)
    }

    /// The name of a queue; the kernel's own has that of the kernel.
    pub(crate) fn lane_name(&self, lane: usize) -> &str {
        match lane {
            0 => &self.core.name,
            lane => &self.core.options.queues[lane - 1].name,
        }
    }

    /// The next message that waits in a queue, of the first shard that has one.
    pub(crate) fn peek(&self, lane: usize) -> ByteQueue {
        let mut found = ByteQueue::new();
        let _ = (0..self.fronts.fronts.len()).any(|shard| self.front_end().peek(shard, lane, &mut found));
        found
    }

    /// Takes out all messages that wait in a queue.
    pub(crate) fn clear(&self, lane: usize) -> ByteQueue {
        let mut taken = ByteQueue::new();
        (0..self.fronts.fronts.len()).for_each(|shard| self.front_end().clear(shard, lane, &mut taken));
        taken
    }

    /// Closes a named queue.
    pub(crate) fn close_lane(&self, lane: usize) -> bool {
        self.front_end().close_lane(lane)
    }

    /// How many messages wait in a queue.
    pub(crate) fn waiting_in(&self, lane: usize) -> u64 {
        self.fronts.fronts.iter().map(|front| front.counts(lane).waiting as u64).sum()
    }

    /// How many messages have left a queue, and how many it ever accepted.
    pub(crate) fn passed_of(&self, lane: usize) -> (u64, u64) {
        let counts = self.fronts.fronts.iter().map(|front| front.counts(lane));
        counts.fold((0, 0), |(left, accepted), counts| {
            (left + counts.accepted.saturating_sub(counts.waiting as u64), accepted + counts.accepted)
        })
    }

    /// The status of every queue, the kernel's own first; empty if no queue is named.
    pub(crate) fn lane_statuses(&self) -> Vec<QueueStatus> {
        (0..self.fronts.lanes.len()).map(|lane| self.lane_status(lane)).collect()
    }

    fn lane_status(&self, lane: usize) -> QueueStatus {
        let (core, fronts) = (&self.core, &self.fronts.fronts);
        let drops = &self.fronts.lanes[lane].drops;
        let count = |count: &annulus_sync::AtomicU64| count.load(Ordering::Relaxed);
        let mut counters = Counters::default();
        counters.rejected = count(&drops.rejected);
        counters.evicted = count(&drops.evicted);
        counters.discarded = count(&drops.discarded);
        counters.duplicate = count(&drops.duplicate);
        counters.expired = count(&drops.expired);
        counters.abandoned = count(&drops.undelivered);
        counters.dequeued = count(&drops.cleared);
        let mut waiting = 0;
        for front in fronts {
            let counts = front.counts(lane);
            counters.dequeued += counts.handed_over;
            counters.enqueued += counts.accepted;
            waiting += counts.waiting;
        }
        let inbound = core.inbound(lane);
        let size = core.message_size();
        QueueStatus::of(
            (self.lane_name(lane).to_owned(), core.definition.message_name()),
            (waiting, inbound.capacity as usize * fronts.len(), inbound.backpressure),
            self.is_lane_closed(lane),
            counters,
            inbound.capacity as usize * fronts.len() * size,
            Instant::now(),
        )
    }

    pub(crate) fn is_lane_closed(&self, lane: usize) -> bool {
        // SYNC: closing (acquire)
        self.core.closing.load(Ordering::Acquire)
            || self.fronts.lanes.get(lane).is_some_and(|lane| lane.closed.load(Ordering::Relaxed))
    }
}
