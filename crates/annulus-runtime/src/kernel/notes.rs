//! What a queue in front reports under its lock, and what is done about it afterwards.
//!
//! [`front`](super::front) says when, and why no lock is held then.

use std::{mem, task::Waker};

use annulus_abi::ring::MAX_QUEUES;
use annulus_queue::front::{Fate, Told};
use annulus_ring::ring::Header;
use annulus_sync::{AtomicU64, Ordering, event::wake};

use crate::{
    error::CallError,
    kernel::{
        bytes::{ByteQueue, Bytes},
        calls::CallTable,
        drops::{Dropped, HostDrops},
        front::FrontEnd,
    },
};

/// The destination of messages that come back to the sender.
pub(crate) enum Back<'a> {
    /// They are only counted.
    Nowhere,
    /// The sender sends one message, and gets at most one back. An evicted message is copied here.
    One(Option<Fate>, &'a mut Bytes),
    /// The function takes note of each message, and does nothing else: it is called under the queue's lock.
    Each(&'a mut dyn FnMut(Fate, &Bytes)),
}

/// The effects of an operation, to be settled without the lock.
pub(crate) struct Notes<'b, 'a> {
    pub(super) back: Back<'b>,
    moved: bool,
    /// The queue that the messages were offered to.
    pub(super) lane: usize,
    /// Places that became free in that queue, and in the others.
    freed: usize,
    freed_elsewhere: Option<[u8; MAX_QUEUES + 1]>,
    evicted: u64,
    discarded: u64,
    pub(super) duplicate: u64,
    /// Messages that have expired, and their calls.
    expired: Option<(ByteQueue, Vec<(u64, usize)>)>,
    /// Held from the moment at which a message expires until that is settled.
    unsettled: Option<Unsettled<'a>>,
    drops: &'a HostDrops,
    /// Calls whose messages were evicted.
    ended: Vec<u64>,
    /// The shard, and the kernel's calls.
    calls: (usize, &'a CallTable),
    /// Wakers of callers whose replies were put aside to make room for the calls that were handed over.
    displaced: Vec<Waker>,
}

/// Adds 1 to the count while it exists. So the kernel is not drained while messages have left the queue and
/// are not counted yet.
struct Unsettled<'a>(&'a AtomicU64);

impl<'a> Unsettled<'a> {
    fn new(count: &'a AtomicU64) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Unsettled<'_> {
    fn drop(&mut self) {
        // SYNC: settled (release)
        self.0.fetch_sub(1, Ordering::Release);
    }
}

impl Told for Notes<'_, '_> {
    fn gone(&mut self, lane: usize, fate: Fate, message: &Bytes, header: Header) {
        match fate {
            Fate::Expired => {
                // Under the queue's lock: whoever sees that the queue is empty also sees this.
                self.unsettled.get_or_insert_with(|| Unsettled::new(&self.drops.unsettled));
                let (messages, calls) = self.expired.get_or_insert_with(|| (ByteQueue::new(), Vec::new()));
                messages.push(message);
                calls.push((header.correlation, lane));
                return;
            }
            Fate::Evicted => {
                self.evicted += 1;
                if header.correlation != 0 {
                    self.ended.push(header.correlation);
                }
            }
            Fate::Discarded => self.discarded += 1,
            Fate::Duplicate => self.duplicate += 1,
        }
        match &mut self.back {
            Back::Nowhere => {}
            Back::One(to, place) => {
                *to = Some(fate);
                if fate == Fate::Evicted && !place.is_empty() {
                    place.copy_from_slice(message);
                }
            }
            Back::Each(each) => each(fate, message),
        }
    }

    #[inline]
    fn moved(&mut self) {
        self.moved = true;
    }

    fn freed(&mut self, lane: usize, places: usize) {
        if lane == self.lane {
            self.freed += places;
        } else {
            // So many that the number does not fit wake all who wait.
            let freed = &mut self.freed_elsewhere.get_or_insert([0; MAX_QUEUES + 1])[lane];
            *freed = freed.saturating_add(u8::try_from(places).unwrap_or(u8::MAX));
        }
    }

    #[inline]
    fn hands_over(&mut self, ticket: u64, header: Header) -> Header {
        if header.correlation == 0 {
            return header;
        }
        let (shard, calls) = self.calls;
        // SAFETY: the front holds the ticket in the shard's ring, whose slot it is about to publish, once.
        let (correlation, displaced) = unsafe { calls.hand_over(shard, ticket, header.correlation) };
        self.displaced.extend(displaced);
        Header { correlation, ..header }
    }
}

impl<'b, 'a> Notes<'b, 'a> {
    pub(super) fn new(back: Back<'b>, front: &FrontEnd<'a>, shard: usize, lane: usize) -> Self {
        Self {
            back,
            unsettled: None,
            drops: &front.core.drops,
            calls: (shard, front.calls),
            displaced: Vec::new(),
            moved: false,
            lane,
            freed: 0,
            freed_elsewhere: None,
            evicted: 0,
            discarded: 0,
            duplicate: 0,
            expired: None,
            ended: Vec::new(),
        }
    }
}

impl FrontEnd<'_> {
    /// Settles the effects. Called after the lock is released.
    #[inline]
    pub(super) fn settle(&self, shard: usize, mut notes: Notes<'_, '_>) {
        mem::take(&mut notes.displaced).into_iter().for_each(wake);
        if notes.moved {
            self.core.wake(shard);
        }
        if notes.freed != 0 {
            self.fronts.space_of(self.core, notes.lane, shard).notify(notes.freed);
        }
        for (lane, freed) in notes.freed_elsewhere.into_iter().flatten().enumerate() {
            match freed {
                0 => {}
                u8::MAX => self.fronts.space_of(self.core, lane, shard).notify_all(),
                _ => self.fronts.space_of(self.core, lane, shard).notify(freed.into()),
            }
        }
        if notes.evicted + notes.discarded + notes.duplicate != 0 || notes.expired.is_some() {
            self.settle_drops(notes);
        }
    }

    #[cold]
    fn settle_drops(&self, notes: Notes<'_, '_>) {
        let drops = &self.core.drops;
        let (messages, calls) = notes.expired.unzip();
        let expired = messages.as_ref().map_or(0, |messages| messages.len() as u64);
        // Bury before counting: whoever sees the count also finds the dead letters.
        if let (Some(dead_letters), Some(messages)) = (self.dead_letters, messages) {
            // SAFETY: they were sent to this kernel.
            unsafe { dead_letters.bury_expired(messages) };
        }
        self.fronts.count(notes.lane, |drops| &drops.evicted, notes.evicted);
        self.fronts.count(notes.lane, |drops| &drops.discarded, notes.discarded);
        self.fronts.count(notes.lane, |drops| &drops.duplicate, notes.duplicate);
        for &(_, lane) in calls.iter().flatten() {
            self.fronts.count(lane, |drops| &drops.expired, 1);
        }
        for (count, of, cause) in [
            (&drops.evicted, notes.evicted, Dropped::Evicted),
            (&drops.discarded, notes.discarded, Dropped::Discarded),
            (&drops.duplicate, notes.duplicate, Dropped::Duplicate),
            (&drops.expired, expired, Dropped::Expired),
        ] {
            if of != 0 {
                count.fetch_add(of, Ordering::Relaxed);
                self.core.show_drops(cause, of);
            }
        }
        for call in notes.ended {
            self.calls.complete(call, CallError::Dropped);
        }
        for (call, _) in calls.into_iter().flatten().filter(|&(call, _)| call != 0) {
            self.calls.complete(call, CallError::Expired);
        }
        if notes.unsettled.is_some() {
            drop(notes.unsettled);
            // Whoever waits until the kernel is drained looks at this count.
            self.core.watched.tell(|| self.core.tell());
        }
    }
}
