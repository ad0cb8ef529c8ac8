//! Batches for several shards.
//!
//! A reservation costs a read-modify-write, which waits until everything that was stored before is in the cache:
//! also the lines of the slots that were just written, which the device has read since. One for each message
//! would expose the way of these lines for each message. So the messages of a batch that go to one shard get
//! their slots together, as those of a kernel with a single shard do; and the slots of all shards are reserved
//! before the first of them is written.
//!
//! * *Without keys* a batch is dealt out in runs, so that afterwards the shards have as many messages as each
//!   other, as far as the batch suffices. How many they have is looked up once per shard and [`DEAL`] messages,
//!   for the consumer's count lies in a line that a device writes.
//! * *With keys* each message has its shard. [`WINDOW`] of them are counted by shards, slots are reserved for
//!   each shard at once, and the messages are written in their order. So those of one shard keep their order,
//!   and what was sent when there is no more space is the batch's first part, as promised. Before slots are
//!   reserved the rings are asked for their room, and the window ends before the first message without. Only if
//!   other producers take that room meanwhile, the kernel is closed, or a message turns out to be too large, slots
//!   of other shards are left over; these become tombstones.
//!
//! The rings' protocol knows nothing of this: a producer may hold slots of several rings, and waits for none of
//! them. But what others publish behind these slots is seen when they have been written: so a thread that loses its
//! processor in between holds up all shards of the batch, for which it would hold up one if it sent message by message. For
//! the same reason bridged messages, which are encoded into their slots by code of the program, go message by message.

use annulus_kernel::KernelMessage;
use annulus_queue::{SendError, TrySendError};
use annulus_ring::ring::{Header, Refused};
use annulus_sync::Ordering;

use crate::{
    handle::send::Inlet,
    kernel::{
        carried::Carried,
        send::{HostSlots, Touched},
        traced::Sampler,
    },
};

/// Messages per shard that are dealt out at a time, so that the last shard of many does not wait for its first
/// message until the other shards have all of theirs.
const DEAL: usize = 64;
/// Messages with keys whose slots are reserved together.
const WINDOW: usize = 256;
/// Messages per shard from which on the slots of a batch with keys are reserved together: for fewer, that saves
/// less than the counting costs.
const WORTH: usize = 4;

/// Why a batch ends before its end: `None` if waiting helps.
type Ended = Result<(), Option<SendError<()>>>;

/// A shard to which messages without keys are dealt out.
struct Heap<'a> {
    /// Messages in its ring.
    depth: u64,
    /// What it gets.
    slots: Option<HostSlots<'a>>,
    touched: bool,
}

impl Heap<'_> {
    fn of_depth(depth: u64) -> Self {
        Self { depth, slots: None, touched: false }
    }
}

/// A shard that takes messages of a window.
struct Group<'a> {
    /// Messages of the window for it.
    count: u32,
    slots: Result<HostSlots<'a>, Refused>,
    touched: bool,
}

impl<M: KernelMessage> Inlet<'_, M> {
    /// Sends a batch to several shards, without queues in front of them.
    #[inline(never)] // A kernel with a single shard has little code around its own.
    pub(super) fn attempt_spread(self, messages: &[M], header: Header) -> (usize, Option<SendError<()>>) {
        if let [message] = messages {
            let ended = self.send_one(message, header);
            return (ended.is_ok().into(), ended.err().flatten());
        }
        let shards = self.core.shards.len();
        let has_shard = M::KEYED || self.core.deduplicates(self.lane);
        let few =
            if has_shard { messages.len().min(WINDOW) < WORTH * shards } else { messages.len() <= shards };
        // Encoding these takes long, and may fail: nobody should stand behind slots of a whole window meanwhile.
        let few = few || M::BRIDGED.is_some();
        let mut sent = 0;
        let ended = match (few, has_shard) {
            (true, _) => self.send_each(messages, header, &mut sent),
            (_, true) => self.send_sorted(messages, header, &mut sent),
            (_, false) => self.deal(messages, header, &mut sent),
        };
        (sent, ended.err().flatten())
    }

    /// Sends a single message.
    fn send_one(self, message: &M, header: Header) -> Ended {
        let shard = self.shard_of(message);
        let mut slot = self.reserve(shard, 1).map_err(|refused| self.refusal(refused))?;
        let header = Header { trace: self.core.sampler().next(), ..header };
        let put = self.put(message, &mut slot, header);
        drop(slot);
        self.core.wake(shard);
        put.map_err(|error| Some(error.into()))
    }

    /// Sends message by message, each to the shard that [`shard_of`](Self::shard_of) says.
    #[inline(never)]
    fn send_each(self, messages: &[M], header: Header, sent: &mut usize) -> Ended {
        let mut touched = Touched::new(self.core.shards.len());
        let mut sampler = self.core.sampler();
        let send = |message: &M| {
            let shard = self.shard_of(message);
            let mut slot = self.reserve(shard, 1).map_err(|refused| self.refusal(refused))?;
            touched.insert(shard);
            let header = Header { trace: sampler.next(), ..header };
            self.put(message, &mut slot, header).map_err(|error| Some(error.into()))?;
            *sent += 1;
            Ok(())
        };
        let ended = messages.iter().try_for_each(send);
        touched.wake(&self.core);
        ended
    }

    /// Sends messages without keys, run by run.
    #[inline(never)]
    fn deal(self, messages: &[M], header: Header, sent: &mut usize) -> Ended {
        let mut heaps: Vec<_> = self.core.shards.iter().map(|_| Heap::of_depth(0)).collect();
        let mut sampler = self.core.sampler();
        let mut ended = Ok(());
        while ended.is_ok() && *sent < messages.len() {
            let count = (messages.len() - *sent).min(DEAL * heaps.len());
            ended = self.deal_out(&messages[*sent..][..count], header, &mut heaps, &mut sampler, sent);
        }
        let touched = heaps.iter().enumerate().filter(|(_, heap)| heap.touched);
        touched.for_each(|(shard, _)| self.core.wake(shard));
        ended
    }

    /// Deals these messages out, as far as there is room for them.
    #[inline(always)]
    fn deal_out<'a>(
        &'a self,
        messages: &[M],
        header: Header,
        heaps: &mut [Heap<'a>],
        sampler: &mut Sampler<'_>,
        sent: &mut usize,
    ) -> Ended {
        let rings = &self.core.shards;
        for (heap, shard) in heaps.iter_mut().zip(rings) {
            heap.depth = shard.inbound.ring().depth();
        }
        let capacity = u64::from(rings[0].inbound.ring().layout().capacity);
        if heaps.iter().all(|heap| heap.depth == capacity) {
            // The first is asked for a slot all the same: it says why it has none.
            heaps[0].depth -= 1;
        }
        let mut deal = Deal::new(heaps, messages.len() as u64, capacity);
        let first = self.dealt.fetch_add(1, Ordering::Relaxed);
        let in_turn = || (0..rings.len()).map(|i| first.wrapping_add(i) % rings.len());
        let mut ended = Err(Refused::Full);
        for shard in in_turn() {
            let heap = &mut heaps[shard];
            let share = deal.share(heap.depth);
            if share == 0 {
                continue;
            }
            match self.reserve(shard, share as u32) {
                Ok(slots) => {
                    heap.slots = Some(slots);
                    heap.touched = true;
                    ended = Ok(());
                }
                // Others have taken the room. There may be some elsewhere.
                Err(Refused::Full) => {}
                // What has slots is sent all the same.
                Err(Refused::Closed) => {
                    ended = Err(Refused::Closed);
                    break;
                }
            }
        }
        let mut rest = messages.iter();
        for shard in in_turn() {
            let Some(mut slots) = heaps[shard].slots.take() else { continue };
            for message in rest.by_ref().take(slots.remaining() as usize) {
                let header = Header { trace: sampler.next(), ..header };
                if let Err(error) = self.put(message, &mut slots, header) {
                    let others = heaps.iter_mut().filter_map(|heap| heap.slots.take());
                    others.for_each(|slots| self.core.drops.void(slots.remaining()));
                    return Err(Some(error.into()));
                }
                *sent += 1;
            }
        }
        ended.map_err(|refused| self.refusal(refused))
    }

    /// Sends messages with keys, window by window.
    #[inline(never)]
    fn send_sorted(self, messages: &[M], header: Header, sent: &mut usize) -> Ended {
        let group = |_| Group { count: 0, slots: Err(Refused::Full), touched: false };
        let mut groups: Vec<_> = (0..self.core.shards.len()).map(group).collect();
        let mut sampler = self.core.sampler();
        let mut ended = Ok(());
        while ended.is_ok() && *sent < messages.len() {
            let count = (messages.len() - *sent).min(WINDOW);
            ended = self.send_window(&messages[*sent..][..count], header, &mut groups, &mut sampler, sent);
        }
        let touched = groups.iter().enumerate().filter(|(_, group)| group.touched);
        touched.for_each(|(shard, _)| self.core.wake(shard));
        ended
    }

    /// Sends a window, as far as there is room for it.
    #[inline(always)]
    fn send_window<'a>(
        &'a self,
        window: &[M],
        header: Header,
        groups: &mut [Group<'a>],
        sampler: &mut Sampler<'_>,
        sent: &mut usize,
    ) -> Ended {
        let mut shards = [0; WINDOW];
        let mut shards = &mut shards[..window.len()];
        for (shard, message) in shards.iter_mut().zip(window) {
            *shard = self.shard_of(message) as u32;
            groups[*shard as usize].count += 1;
        }
        let mut has_room = true;
        for (shard, group) in self.core.shards.iter().zip(&*groups).filter(|(_, group)| group.count != 0) {
            has_room &= shard.inbound.room(group.count) == group.count;
        }
        if !has_room {
            let end = self.end_before_full(shards, groups);
            shards = &mut shards[..end];
        }
        // If the first has no room, nothing else need be reserved.
        let first = shards[0] as usize;
        groups[first].slots = self.reserve(first, groups[first].count);
        if let Err(refused) = groups[first].slots {
            groups.iter_mut().for_each(|group| group.count = 0);
            return Err(self.refusal(refused));
        }
        groups[first].touched = true;
        let others =
            groups.iter_mut().enumerate().filter(|(shard, group)| *shard != first && group.count != 0);
        for (shard, group) in others {
            group.slots = self.reserve(shard, group.count);
            group.touched |= group.slots.is_ok();
        }
        let mut put = |(shard, message): (&mut u32, &M)| {
            let slots = match &mut groups[*shard as usize].slots {
                Ok(slots) if slots.remaining() != 0 => slots,
                // Others have taken the room.
                Ok(_) => return Err(self.refusal(Refused::Full)),
                Err(refused) => return Err(self.refusal(*refused)),
            };
            let header = Header { trace: sampler.next(), ..header };
            let put = message.put(slots, header);
            put.map_err(|_| Some(TrySendError::from(self.oversize(message)).into()))?;
            *sent += 1;
            Ok(())
        };
        let ended = shards.iter_mut().zip(window).try_for_each(&mut put);
        for group in groups {
            // Of a message that is too large, and of those behind it; or behind one whose room others have taken.
            if let Ok(slots) = &group.slots
                && slots.remaining() != 0
            {
                self.core.drops.void(slots.remaining());
            }
            group.slots = Err(Refused::Full);
            group.count = 0;
        }
        ended
    }

    /// Shortens a window to the messages that there is room for, or to the first; gives its length.
    #[cold]
    fn end_before_full(&self, window: &[u32], groups: &mut [Group<'_>]) -> usize {
        let room = |(shard, group): (usize, &Group<'_>)| self.core.shards[shard].inbound.room(group.count);
        let mut rooms: Vec<u32> = groups.iter().enumerate().map(room).collect();
        groups.iter_mut().for_each(|group| group.count = 0);
        let fits = |shard: &&u32| {
            let room = &mut rooms[**shard as usize];
            let fits = *room != 0;
            *room = room.saturating_sub(1);
            fits
        };
        // The first is tried in any case: its ring says why it has no room.
        let end = window.iter().take_while(fits).count().max(1);
        for &shard in &window[..end] {
            groups[shard as usize].count += 1;
        }
        end
    }
}

/// How messages are dealt out to rings that hold different numbers.
struct Deal {
    /// Rings with fewer messages get as many as they have fewer than this.
    level: u64,
    /// So many of the rings that are then at the level get one more.
    left: u64,
}

impl Deal {
    /// Deals `count` messages out to rings of this capacity; fewer if they have no room for them.
    fn new(heaps: &[Heap<'_>], count: u64, capacity: u64) -> Self {
        let needed = |level: u64| heaps.iter().map(|heap| level.saturating_sub(heap.depth)).sum::<u64>();
        let lowest = heaps.iter().map(|heap| heap.depth).min().unwrap_or(0).min(capacity);
        // The highest level that there are enough messages for is at least `level` and less than `beyond`.
        let (mut level, mut beyond) = (lowest, capacity.min(lowest + count) + 1);
        while beyond - level > 1 {
            let middle = level + (beyond - level) / 2;
            if needed(middle) <= count { level = middle } else { beyond = middle }
        }
        let left = if level == capacity { 0 } else { count - needed(level) };
        Self { level, left }
    }

    /// What the next ring gets, which holds so many.
    fn share(&mut self, depth: u64) -> u64 {
        let more = u64::from(self.left != 0 && depth <= self.level);
        self.left -= more;
        self.level.saturating_sub(depth) + more
    }
}

#[cfg(test)]
mod tests {
    use super::{Deal, Heap};

    fn shares(depths: &[u64], count: u64, capacity: u64) -> Vec<u64> {
        let heaps: Vec<_> = depths.iter().copied().map(Heap::of_depth).collect();
        let mut deal = Deal::new(&heaps, count, capacity);
        depths.iter().map(|depth| deal.share(*depth)).collect()
    }

    #[test]
    fn rings_are_levelled() {
        assert_eq!(shares(&[0; 4], 256, 1024), [64; 4]);
        assert_eq!(shares(&[0; 4], 6, 1024), [2, 2, 1, 1]);
        assert_eq!(shares(&[10, 0, 3], 4, 1024), [0, 4, 0]);
        assert_eq!(shares(&[10, 0, 3], 8, 1024), [0, 6, 2]);
        assert_eq!(shares(&[10, 0, 3], 18, 1024), [1, 10, 7]);
        assert_eq!(shares(&[5, 5], 1, 1024), [1, 0]);
    }

    #[test]
    fn no_ring_gets_more_than_it_has_room_for() {
        assert_eq!(shares(&[16, 12, 16], 100, 16), [0, 4, 0]);
        assert_eq!(shares(&[16, 16], 3, 16), [0, 0]);
        assert_eq!(shares(&[15, 16], 1, 16), [1, 0]);
        for depths in [[0, 16, 3], [7, 7, 7], [1, 2, 16]] {
            for count in 0..60 {
                let shares = shares(&depths, count, 16);
                let room: u64 = depths.iter().map(|depth| 16 - depth).sum();
                assert_eq!(shares.iter().sum::<u64>(), count.min(room), "{depths:?}, {count}");
                assert!(shares.iter().zip(depths).all(|(share, depth)| share + depth <= 16), "{shares:?}");
            }
        }
    }
}
