//! Messages that are handed over at once, since none waits: they are copied once, into their slots.

use super::{Bytes, Facts, Fate, Front, RUN, Told, state::State};
use crate::levels::Levels;
use annulus_ring::ring::Header;
use annulus_sync::Ordering;

/// Messages of a run, by their places in it, in the order in which they leave.
struct Order {
    places: [u8; RUN],
    count: usize,
}

impl Order {
    fn new() -> Self {
        Self { places: [0; RUN], count: 0 }
    }

    #[inline]
    fn push(&mut self, place: usize) {
        // Less than `RUN`.
        self.places[self.count] = place as u8;
        self.count += 1;
    }

    fn get(&self) -> &[u8] {
        &self.places[..self.count]
    }

    /// Sorts by priority, the highest first. Messages of one priority keep their order.
    fn sort(&mut self, facts: &[Facts]) {
        if self.count < 2 {
            return;
        }
        let mut counts = [0u8; 256];
        let mut present = Levels::default();
        for &place in self.get() {
            let priority = facts[usize::from(place)].priority;
            counts[usize::from(priority)] += 1;
            present.insert(priority);
        }
        // From here on, `counts` has the place of the next message of a priority.
        let mut before = 0;
        while let Some(priority) = present.highest() {
            present.remove(priority);
            let count = &mut counts[usize::from(priority)];
            before += std::mem::replace(count, before);
        }
        let mut sorted = [0; RUN];
        for &place in self.get() {
            let to = &mut counts[usize::from(facts[usize::from(place)].priority)];
            sorted[usize::from(*to)] = place;
            *to += 1;
        }
        self.places = sorted;
    }
}

impl State {
    /// Hands messages over at once, as far as there is room, because none waits. Returns how many it has
    /// processed. Messages with priorities leave in another order than they came in, so they are handed over
    /// only if there is room for all.
    pub(super) fn pass(
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
        if lane.options.priority && room < facts.len() {
            return 0;
        }
        let size = front.size_in(messages, facts);
        let mut fresh = Order::new();
        for (i, facts) in facts[..room].iter().enumerate() {
            if let (Some(window), Some(key)) = (&mut lane.window, facts.key) {
                let Some(vacancy) = window.look_up(key) else {
                    told.gone(at, Fate::Duplicate, &messages[i * size..][..size], header);
                    continue;
                };
                // There is room for it: in the ring, or else here.
                window.insert(vacancy, key);
            }
            fresh.push(i);
        }
        if fresh.count == 0 {
            return room;
        }
        if lane.options.priority {
            fresh.sort(facts);
        }
        let count = fresh.count as u64;
        lane.accepted += count;
        self.accepted += count;
        // SYNC: accepted (release)
        front.accepted.store(self.accepted, Ordering::Release);
        let (fresh, mut gone) = (fresh.get(), 0);
        let message = |i: u8| &messages[usize::from(i) * size..][..size];
        // Other producers of the ring may have taken the room.
        if let Ok(mut slots) = front.producers.reserve(count as u32) {
            gone = slots.remaining() as usize;
            lane.handed_over += gone as u64;
            lane.passed(gone);
            let words = &front.lanes[at];
            words.handed_over.store(lane.handed_over, Ordering::Relaxed);
            // SYNC: lane-counts (release)
            words.accepted.store(lane.accepted - (count - gone as u64), Ordering::Release);
            let each = |i: usize, ticket| {
                let header = if header.correlation == 0 { header } else { told.hands_over(ticket, header) };
                (at as u32, message(fresh[i]), header)
            };
            // SAFETY: they were offered, so they are what the ring carries, by the promise of `Front::new`.
            unsafe { slots.write_all_bytes_from(gone, each) };
            told.moved();
        }
        for &i in &fresh[gone..] {
            lane.push(facts[usize::from(i)].priority, message(i), header);
            self.waiting += 1;
        }
        room
    }
}
