//! The data under a front's lock, and the work on it.

use super::{Bytes, Facts, Fate, Front, Offered, RUN, Told, lane::Lane, schedule::Schedule};
use crate::Backpressure;
use annulus_ring::ring::{Header, Refused};
use annulus_sync::Ordering;

pub(super) struct State {
    pub(super) lanes: Box<[Lane]>,
    pub(super) schedule: Schedule,
    /// How many messages wait, in all lanes.
    pub(super) waiting: usize,
    /// How many messages were ever accepted.
    pub(super) accepted: u64,
}

impl State {
    pub(super) fn offer(
        &mut self,
        front: &Front,
        at: usize,
        messages: &Bytes,
        facts: &[Facts],
        header: Header,
        told: &mut impl Told,
    ) -> Offered {
        if self.lanes[at].closed {
            return Offered { taken: 0, refused: Some(Refused::Closed) };
        }
        let size = front.size_in(messages, facts);
        let mut taken = 0;
        if self.waiting == 0 && !self.lanes[at].options.priority {
            taken = self.pass(front, at, messages, facts, header, told);
        }
        let mut refused = None;
        // Whether the ring may have room that was not checked yet.
        let mut may_advance = true;
        while let Some(&facts) = facts.get(taken) {
            let message = &messages[taken * size..][..size];
            let lane = &mut self.lanes[at];
            // Checked before the space: a duplicate is a duplicate on a full queue as well.
            let vacancy = match (&lane.window, facts.key) {
                (Some(window), Some(key)) => match window.look_up(key) {
                    Some(vacancy) => Some((vacancy, key)),
                    None => {
                        told.gone(at, Fate::Duplicate, message, header);
                        taken += 1;
                        continue;
                    }
                },
                _ => None,
            };
            if lane.order.is_full() && std::mem::take(&mut may_advance) {
                self.advance(front, header, told);
            }
            let lane = &mut self.lanes[at];
            if lane.order.is_full() {
                match lane.options.backpressure {
                    Backpressure::Block | Backpressure::Reject => {
                        refused = Some(Refused::Full);
                        break;
                    }
                    Backpressure::DropOldest if lane.order.lowest() <= Some(facts.priority) => {
                        if let Some(oldest) = lane.order.evict() {
                            self.waiting -= 1;
                            told.gone(at, Fate::Evicted, lane.cells.take(oldest), oldest.header);
                        }
                    }
                    Backpressure::DropOldest | Backpressure::DropNew => {
                        told.gone(at, Fate::Discarded, message, header);
                        taken += 1;
                        continue;
                    }
                }
            }
            lane.order.push(facts.priority, lane.cells.put(message, header));
            if let (Some(window), Some((vacancy, key))) = (&mut lane.window, vacancy) {
                window.insert(vacancy, key);
            }
            lane.accepted += 1;
            self.accepted += 1;
            self.waiting += 1;
            taken += 1;
        }
        self.show(front, at);
        self.hand_over(front, header, told);
        Offered { taken, refused }
    }

    /// Hands messages over at once, as far as there is room, because none waits. Returns how many it has
    /// processed.
    fn pass(
        &mut self,
        front: &Front,
        at: usize,
        messages: &Bytes,
        facts: &[Facts],
        header: Header,
        told: &mut impl Told,
    ) -> usize {
        let lane = &mut self.lanes[at];
        let room = front.room().min(lane.options.capacity as u64).min(facts.len() as u64) as usize;
        let size = front.size_in(messages, facts);
        let mut fresh = [0u8; RUN];
        let mut count = 0;
        for (i, facts) in facts[..room].iter().enumerate() {
            if let (Some(window), Some(key)) = (&mut lane.window, facts.key) {
                let Some(vacancy) = window.look_up(key) else {
                    told.gone(at, Fate::Duplicate, &messages[i * size..][..size], header);
                    continue;
                };
                // There is room for it: in the ring, or else here.
                window.insert(vacancy, key);
            }
            fresh[count] = i as u8;
            count += 1;
        }
        if count == 0 {
            return room;
        }
        lane.accepted += count as u64;
        self.accepted += count as u64;
        // SYNC: accepted (release)
        front.accepted.store(self.accepted, Ordering::Release);
        let mut fresh = fresh[..count].iter().map(|&i| &messages[usize::from(i) * size..][..size]);
        // Other producers of the ring may have taken the room.
        if let Ok(mut slots) = front.producers.reserve(count as u32) {
            lane.handed_over += u64::from(slots.remaining());
            let words = &front.lanes[at];
            words.handed_over.store(lane.handed_over, Ordering::Relaxed);
            // SYNC: lane-counts (release)
            words
                .accepted
                .store(lane.accepted - (count as u64 - u64::from(slots.remaining())), Ordering::Release);
            for message in fresh.by_ref().take(slots.remaining() as usize) {
                let header = told.hands_over(slots.ticket(), header);
                // SAFETY: it was offered, so it is what the ring carries, by the promise of `Front::new`.
                unsafe { slots.write_bytes_from(at as u32, message, header) };
            }
            told.moved();
        }
        for message in fresh {
            lane.order.push(0, lane.cells.put(message, header));
            self.waiting += 1;
        }
        room
    }

    pub(super) fn hand_over(&mut self, front: &Front, now: Header, told: &mut impl Told) {
        self.advance(front, now, told);
        self.tell_freed(told);
    }

    pub(super) fn tell_freed(&mut self, told: &mut impl Told) {
        for (at, lane) in self.lanes.iter_mut().enumerate() {
            let waiting = lane.order.len();
            if waiting < lane.was {
                told.freed(at, lane.was - waiting);
            }
            lane.was = waiting;
        }
    }

    /// Hands over as many messages as there is room for, and takes out the expired messages that come before
    /// them.
    fn advance(&mut self, front: &Front, now: Header, told: &mut impl Told) {
        // SYNC: accepted (release)
        front.accepted.store(self.accepted, Ordering::Release);
        loop {
            (0..self.lanes.len()).for_each(|at| self.expire(front, at, now, told));
            let waiting = self.waiting;
            // SYNC: handed-over (release)
            front.waiting.store(waiting, Ordering::Release);
            let room = if waiting == 0 { 0 } else { front.room().min(waiting as u64) };
            if room == 0 {
                break;
            }
            let Ok(mut slots) = front.producers.reserve(room as u32) else { break };
            let count = slots.remaining() as usize;
            // SYNC: handed-over (release): after the tickets, before any slot is published.
            front.waiting.store(waiting - count, Ordering::Release);
            for _ in 0..count {
                // It has not expired: all expired messages before it were taken out.
                let Some(at) = self.next() else { break };
                let Some(parcel) = self.pop(at) else { break };
                self.lanes[at].handed_over += 1;
                if self.lanes.len() > 1 {
                    self.show(front, at);
                }
                let header = told.hands_over(slots.ticket(), parcel.header);
                let message = self.lanes[at].cells.take(parcel);
                // SAFETY: as in `pass`.
                unsafe {
                    slots.write_bytes_from(at as u32, message, Header { command: now.command, ..header });
                }
                self.expire(front, at, now, told);
            }
            // Messages that expired meanwhile leave slots unused. These become tombstones.
            drop(slots);
            told.moved();
        }
        if self.lanes.len() == 1 {
            self.show(front, 0);
        }
    }

    /// Takes out messages from the start of a lane's order, as long as they have expired.
    pub(super) fn expire(&mut self, front: &Front, at: usize, now: Header, told: &mut impl Told) {
        let lane = &mut self.lanes[at];
        let before = self.waiting;
        while lane.has_expired(now.enqueue_time) {
            if let Some(parcel) = lane.order.pop() {
                self.waiting -= 1;
                told.gone(at, Fate::Expired, lane.cells.take(parcel), parcel.header);
            }
        }
        if self.waiting != before {
            self.show(front, at);
        }
    }

    /// The lane whose message is next.
    #[inline]
    pub(super) fn next(&mut self) -> Option<usize> {
        let lanes = &self.lanes;
        if lanes.len() == 1 {
            return Some(0);
        }
        self.schedule.next(|at| !lanes[at].order.is_empty())
    }

    /// Takes a lane's next message out of its order.
    #[inline]
    pub(super) fn pop(&mut self, at: usize) -> Option<super::lane::Parcel> {
        let parcel = self.lanes[at].order.pop()?;
        self.waiting -= 1;
        Some(parcel)
    }

    /// Shows a lane's counts to those who have no lock.
    #[inline]
    pub(super) fn show(&self, front: &Front, at: usize) {
        let (words, lane) = (&front.lanes[at], &self.lanes[at]);
        words.waiting.store(lane.order.len(), Ordering::Relaxed);
        words.handed_over.store(lane.handed_over, Ordering::Relaxed);
        // SYNC: lane-counts (release)
        words.accepted.store(lane.accepted, Ordering::Release);
    }
}
