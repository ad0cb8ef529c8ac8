//! Kernels that remember what they have seen, exactly or in little memory.

use std::sync::atomic::{AtomicU32, Ordering};

use annulus_macros::{DeviceType, RingMessage, device_fn, device_impl, ring_kernel};
use annulus_runtime::prelude::Outbox;

use super::{Known, Lookup};

/// A bloom filter with three hashes: adds the key, and says whether it may have been there.
#[ring_kernel]
pub fn bloom(lookup: &Lookup, bits: &[AtomicU32], answers: &Outbox<Known>) {
    let mut hash = lookup.key;
    let mut known = true;
    for _ in 0..3 {
        hash = (hash ^ (hash >> 33)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
        let bit = hash as usize % (bits.len() * 32);
        let mask = 1 << (bit % 32);
        if bits[bit / 32].fetch_or(mask, Ordering::Relaxed) & mask == 0 {
            known = false;
        }
    }
    answers.send(Known { key: lookup.key, known });
}

/// The least recently used table of an actor: keys, and when each was used last.
#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Recent {
    pub keys: [u64; 4],
    pub used: [u32; 4],
    pub clock: u32,
}

/// Looks a key up in a table of four that forgets the least recently used.
#[ring_kernel]
pub fn least_recent(lookup: &Lookup, recent: &mut Recent, answers: &Outbox<Known>) {
    recent.clock = recent.clock.saturating_add(1);
    let mut oldest = 0;
    let mut i = 0;
    let place = loop {
        if i == 4 || recent.keys[i] == lookup.key && recent.used[i] != 0 {
            break i;
        }
        if recent.used[i] < recent.used[oldest] {
            oldest = i;
        }
        i += 1;
    };
    let known = place < 4;
    let place = if known { place } else { oldest };
    recent.keys[place] = lookup.key;
    recent.used[place] = recent.clock;
    answers.send(Known { key: lookup.key, known });
}

/// How often a key was there, about.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Frequency {
    pub key: u64,
    pub count: u32,
}

/// A bijection that spreads what differs little.
#[device_fn]
pub fn scatter(key: u64) -> u64 {
    let key = (key ^ (key >> 33)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    let key = (key ^ (key >> 33)).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    key ^ (key >> 33)
}

/// A count-min sketch of four rows: counts the key, and says how often it was there at most.
#[ring_kernel]
pub fn count_min(lookup: &Lookup, counts: &[AtomicU32], answers: &Outbox<Frequency>) {
    let width = counts.len() / 4;
    let mut hash = lookup.key;
    let mut least = u32::MAX;
    for row in counts.chunks_exact(width) {
        hash = scatter(hash.wrapping_add(1));
        let before = row[hash as usize % width].fetch_add(1, Ordering::Relaxed);
        least = least.min(before.saturating_add(1));
    }
    answers.send(Frequency { key: lookup.key, count: least });
}

/// What happens at a counter of distinct visitors.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(u32)]
pub enum Visit {
    By { visitor: u64 },
    HowMany,
}

/// How many there are, about.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Estimate {
    pub value: f32,
}

/// HyperLogLog: counts distinct visitors in as many small registers as are bound, and says how many there were when asked.
#[ring_kernel]
pub fn distinct(visit: &Visit, registers: &[AtomicU32], answers: &Outbox<Estimate>) {
    let count = registers.len() as f32;
    if let Visit::By { visitor } = *visit {
        let hash = scatter(visitor);
        let register = (hash >> 32) as usize % registers.len();
        let rank = (hash as u32).leading_zeros() + 1;
        registers[register].fetch_max(rank, Ordering::Relaxed);
        return;
    }
    let mut sum = 0.0;
    let mut empty = 0.0f32;
    for register in registers {
        let rank = register.load(Ordering::Relaxed).min(33);
        sum += 1.0 / (1u64 << rank) as f32;
        if rank == 0 {
            empty += 1.0;
        }
    }
    let raw = 0.7213 / (1.0 + 1.079 / count) * count * count / sum;
    let value = if raw <= 2.5 * count && empty > 0.0 { count * (count / empty).ln() } else { raw };
    answers.send(Estimate { value });
}

/// An item of a stream of unknown length.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Arrival {
    #[ring(key)]
    pub stream: u32,
    pub item: u32,
}

/// A fair choice of what a stream had so far.
#[derive(DeviceType, Clone, Copy, Debug)]
#[repr(C)]
pub struct Reservoir {
    pub items: [u32; 8],
    pub seen: u32,
    pub random: u64,
}

impl Default for Reservoir {
    fn default() -> Self {
        Self { items: [0; 8], seen: 0, random: 0x9E37_79B9_7F4A_7C15 }
    }
}

/// That an item is among the chosen, until another takes its place.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Chosen {
    pub item: u32,
    pub place: u32,
}

/// The next number of a xorshift generator.
#[device_fn]
pub fn xorshift(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

/// Reservoir sampling: of all items so far, each is among the eight with the same probability.
#[ring_kernel]
pub fn reservoir(arrival: &Arrival, reservoir: &mut Reservoir, chosen: &Outbox<Chosen>) {
    // Every stream draws numbers of its own.
    if reservoir.seen == 0 {
        reservoir.random = scatter(reservoir.random ^ u64::from(arrival.stream));
    }
    reservoir.seen = reservoir.seen.saturating_add(1);
    let random = xorshift(&mut reservoir.random) >> 32;
    let drawn = (random * u64::from(reservoir.seen)) >> 32;
    let place = if reservoir.seen <= 8 { reservoir.seen - 1 } else { drawn as u32 };
    if let Some(kept) = reservoir.items.get_mut(place as usize) {
        *kept = arrival.item;
        chosen.send(Chosen { item: arrival.item, place });
    }
}

/// Candidates for a stream's most frequent items; a count of 0 is a free place.
#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Candidates {
    pub items: [u32; 8],
    pub counts: [u32; 8],
}

/// Misra and Gries' heavy hitters: whatever makes up more than a ninth of a stream is among the candidates. Answers with the item's
/// count, which is at most a ninth of the stream too low.
#[ring_kernel]
pub fn heavy_hitters(arrival: &Arrival, candidates: &mut Candidates, answers: &Outbox<Frequency>) {
    let mut free = None;
    for (place, (item, count)) in candidates.items.iter().zip(&mut candidates.counts).enumerate() {
        if *count == 0 {
            free = Some(place);
        } else if *item == arrival.item {
            *count = count.saturating_add(1);
            answers.send(Frequency { key: arrival.item.into(), count: *count });
            return;
        }
    }
    if let Some(place) = free {
        candidates.items[place] = arrival.item;
        candidates.counts[place] = 1;
        answers.send(Frequency { key: arrival.item.into(), count: 1 });
        return;
    }
    for count in &mut candidates.counts {
        *count -= 1;
    }
}

/// A player's result.
#[derive(RingMessage, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Score {
    #[ring(key)]
    pub game: u32,
    pub player: u32,
    pub points: u32,
}

/// The best results of a game as a heap, the least of them first.
#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Best {
    pub scores: [Score; 10],
    pub len: u32,
}

#[device_impl]
impl Best {
    /// Lets the score at `at` rise to where no parent is greater.
    fn rise(&mut self, mut at: usize) {
        while at > 0 && self.scores[at].points < self.scores[(at - 1) / 2].points {
            self.scores.swap(at, (at - 1) / 2);
            at = (at - 1) / 2;
        }
    }

    /// Lets the first score sink to where no child is less.
    fn sink(&mut self) {
        let mut at = 0;
        loop {
            let mut least = at;
            for child in [2 * at + 1, 2 * at + 2] {
                if child < self.scores.len() && self.scores[child].points < self.scores[least].points {
                    least = child;
                }
            }
            if least == at {
                break;
            }
            self.scores.swap(at, least);
            at = least;
        }
    }
}

/// The ten best results of each game. Sends what leaves the list; while there is room, nothing does.
#[ring_kernel]
pub fn top_ten(score: &Score, best: &mut Best, dropped: &Outbox<Score>) {
    let len = best.len as usize;
    if len < best.scores.len() {
        best.scores[len] = *score;
        best.len += 1;
        best.rise(len);
    } else if score.points > best.scores[0].points {
        dropped.send(best.scores[0]);
        best.scores[0] = *score;
        best.sink();
    } else {
        dropped.send(*score);
    }
}

/// A numbered packet of a sender.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Packet {
    #[ring(key)]
    pub sender: u32,
    pub number: u32,
}

/// Which of a sender's last 64 packets have come; bit 0 stands for the highest number.
#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Received {
    pub highest: u32,
    pub bits: u64,
}

/// A sliding window against duplicates, as IPsec has: lets each packet through once, and what is too old not at all.
#[ring_kernel]
pub fn replay_window(packet: &Packet, received: &mut Received, fresh: &Outbox<Packet>) {
    if received.bits == 0 {
        *received = Received { highest: packet.number, bits: 0 };
    }
    if packet.number > received.highest {
        let ahead = packet.number - received.highest;
        received.bits = received.bits.checked_shl(ahead).unwrap_or(0);
        received.highest = packet.number;
    }
    let behind = received.highest - packet.number;
    if behind >= 64 || received.bits >> behind & 1 == 1 {
        return;
    }
    received.bits |= 1 << behind;
    fresh.send(*packet);
}
