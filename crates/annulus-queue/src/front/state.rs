//! The data under a front's lock, and the work on it.

use super::{Bytes, Facts, Fate, Front, Offered, RUN, Told, lane::Lane, schedule::Schedule, store::Left};
use crate::Backpressure;
use annulus_ring::ring::{Header, Refused, SlotReservation};
use annulus_sync::Ordering;

pub(super) struct State {
    pub(super) lanes: Box<[Lane]>,
    pub(super) schedule: Schedule,
    /// How many messages wait, in all lanes.
    pub(super) waiting: usize,
    /// How many messages were ever accepted.
    pub(super) accepted: u64,
}

/// Messages that have left their order, with their lanes.
struct Leaving {
    each: [(u32, Left); RUN],
    count: usize,
}

impl Leaving {
    fn get(&self) -> &[(u32, Left)] {
        &self.each[..self.count]
    }
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
        if self.waiting != 0 && self.is_fifo() {
            // They come before the new ones in any case. If all of them go, the new ones pass.
            self.advance(front, header, told);
        }
        let mut taken = 0;
        if self.waiting == 0 {
            taken = self.pass(front, at, messages, facts, header, told);
            if taken == facts.len() && self.waiting == 0 {
                self.tell_freed(told);
                return Offered { taken, refused: None };
            }
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
            if lane.store.is_full() && std::mem::take(&mut may_advance) {
                self.advance(front, header, told);
            }
            let lane = &mut self.lanes[at];
            if lane.store.is_full() {
                match lane.options.backpressure {
                    wait @ (Backpressure::Block | Backpressure::Reject) => {
                        lane.refused |= wait == Backpressure::Block;
                        refused = Some(Refused::Full);
                        break;
                    }
                    Backpressure::DropOldest if lane.store.lowest() <= Some(facts.priority) => {
                        if let Some(oldest) = lane.store.evict() {
                            self.waiting -= 1;
                            let (oldest, header) = lane.store.get(oldest);
                            told.gone(at, Fate::Evicted, oldest, header);
                        }
                    }
                    Backpressure::DropOldest | Backpressure::DropNew => {
                        told.gone(at, Fate::Discarded, message, header);
                        taken += 1;
                        continue;
                    }
                }
            }
            lane.push(facts.priority, message, header);
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

    /// Whether all messages leave in the order in which they came.
    fn is_fifo(&self) -> bool {
        matches!(&*self.lanes, [lane] if !lane.options.priority)
    }

    pub(super) fn hand_over(&mut self, front: &Front, now: Header, told: &mut impl Told) {
        self.advance(front, now, told);
        self.tell_freed(told);
    }

    /// Tells how many messages have left. Until a sender was refused nobody waits, and only what became free on
    /// balance is told: a message that comes as another leaves then costs no look for waiters.
    pub(super) fn tell_freed(&mut self, told: &mut impl Told) {
        for (at, lane) in self.lanes.iter_mut().enumerate() {
            let waiting = lane.store.len();
            if waiting < lane.was {
                told.freed(at, lane.was - waiting);
            }
            lane.was = waiting;
        }
    }

    /// Hands over as many messages as there is room for, and takes out the expired messages that come before
    /// them.
    pub(super) fn advance(&mut self, front: &Front, now: Header, told: &mut impl Told) {
        // SYNC: accepted (release)
        front.accepted.store(self.accepted, Ordering::Release);
        loop {
            (0..self.lanes.len()).for_each(|at| self.expire(front, at, now, told));
            let waiting = self.waiting;
            front.set_waiting(waiting);
            let room = if waiting == 0 { 0 } else { front.room().min(waiting as u64) };
            if room == 0 {
                break;
            }
            let Ok(mut slots) = front.producers.reserve(room as u32) else { break };
            let count = slots.remaining() as usize;
            // After the tickets, before any slot is published.
            front.set_waiting(waiting - count);
            let mut left = count;
            while left != 0 {
                let leaving = self.leaving(front, left.min(RUN), now, told);
                left -= leaving.get().len().min(left);
                self.write(&mut slots, leaving.get(), now, told);
                if leaving.get().is_empty() {
                    break;
                }
            }
            // Messages that expired meanwhile leave slots unused. These become tombstones.
            drop(slots);
            told.moved();
        }
        if self.lanes.len() == 1 {
            self.show(front, 0);
        }
    }

    /// Takes up to `count` messages out of their order, at most [`RUN`], and counts them as handed over.
    /// Expired messages that come before others are taken out.
    #[inline]
    fn leaving(&mut self, front: &Front, count: usize, now: Header, told: &mut impl Told) -> Leaving {
        let mut leaving = Leaving { each: [(0, Left::default()); RUN], count: 0 };
        while leaving.count < count {
            // It has not expired: all expired messages before it were taken out.
            let Some(at) = self.next() else { break };
            let Some(message) = self.pop(at) else { break };
            // There are 17 lanes at most.
            leaving.each[leaving.count] = (at as u32, message);
            leaving.count += 1;
            self.lanes[at].handed_over += 1;
            if self.lanes.len() > 1 {
                self.show(front, at);
            }
            self.expire(front, at, now, told);
        }
        leaving
    }

    /// Writes messages that have left into their slots.
    #[inline]
    fn write(
        &self,
        slots: &mut SlotReservation<'_>,
        leaving: &[(u32, Left)],
        now: Header,
        told: &mut impl Told,
    ) {
        let each = |i: usize, ticket| {
            let (at, left) = leaving[i];
            let (message, mut header) = self.lanes[at as usize].store.get(left);
            if header.correlation != 0 {
                header = told.hands_over(ticket, header);
            }
            (at, message, Header { command: now.command, ..header })
        };
        // SAFETY: as in `pass`.
        unsafe { slots.write_all_bytes_from(leaving.len(), each) };
    }

    /// Takes out messages from the start of a lane's order, as long as they have expired.
    #[inline(always)]
    pub(super) fn expire(&mut self, front: &Front, at: usize, now: Header, told: &mut impl Told) {
        if self.lanes[at].has_expired(now.enqueue_time) {
            self.take_expired(front, at, now, told);
        }
    }

    #[cold]
    fn take_expired(&mut self, front: &Front, at: usize, now: Header, told: &mut impl Told) {
        let lane = &mut self.lanes[at];
        while lane.has_expired(now.enqueue_time) {
            if let Some(oldest) = lane.store.pop() {
                self.waiting -= 1;
                let (oldest, header) = lane.store.get(oldest);
                told.gone(at, Fate::Expired, oldest, header);
            }
        }
        self.show(front, at);
    }

    /// The lane whose message is next.
    #[inline]
    pub(super) fn next(&mut self) -> Option<usize> {
        let lanes = &self.lanes;
        if lanes.len() == 1 {
            return Some(0);
        }
        self.schedule.next(|at| lanes[at].store.len() != 0)
    }

    /// Takes a lane's next message out of its order.
    #[inline]
    pub(super) fn pop(&mut self, at: usize) -> Option<Left> {
        let left = self.lanes[at].store.pop()?;
        self.waiting -= 1;
        Some(left)
    }

    /// Shows a lane's counts to those who have no lock.
    #[inline]
    pub(super) fn show(&self, front: &Front, at: usize) {
        let (words, lane) = (&front.lanes[at], &self.lanes[at]);
        words.waiting.store(lane.store.len(), Ordering::Relaxed);
        words.handed_over.store(lane.handed_over, Ordering::Relaxed);
        // SYNC: lane-counts (release)
        words.accepted.store(lane.accepted, Ordering::Release);
    }
}
