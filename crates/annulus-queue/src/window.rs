//! The last N accepted keys, to recognise a message that was sent before.
//!
//! It is a ring of the keys in the order of their acceptance, and a hash table of positions in the ring (open
//! addressing, linear probing). A key that is N messages old leaves, and the entries behind it move up, so
//! that the table holds exactly the window and no tombstones. Nothing is allocated after the start: about 40
//! bytes per key.
//!
//! The table has eight places per key, so that nearly every probe ends at the first: mispredicted branches
//! cost most of the time here. At a window of 1024, a new key and an old one took 32 ns with two places per
//! key, 16 ns with four and 8 ns with eight; a standard hash set with a fast hash and a ring took 11 ns.

use std::hash::{BuildHasher, RandomState};

pub(crate) struct Window {
    /// One more than the window, so that a new key finds a place before the oldest leaves. Position `p` holds
    /// the key that was last inserted there.
    keys: Box<[u64]>,
    /// How many of the newest keys are in the table: up to the window.
    filled: usize,
    /// Where the next key goes.
    next: usize,
    /// A position plus 1, or [`FREE`]. Their number is a power of two and greater than that of the keys, so a
    /// probe always ends.
    table: Box<[u32]>,
    /// Random, so that nobody can choose ids that collide.
    seed: u64,
}

/// The place in the table for a key that is not there. Valid until the window changes.
pub(crate) struct Vacancy(usize);

const FREE: u32 = 0;

impl Window {
    /// `size` is 1 ..= 65,536; options are validated before they come here.
    pub(crate) fn new(size: usize) -> Self {
        Self {
            keys: vec![0; size + 1].into(),
            filled: 0,
            next: 0,
            table: vec![FREE; Self::places(size)].into(),
            seed: RandomState::new().hash_one(0u8),
        }
    }

    /// The bytes that a window of `size` keys allocates.
    pub(crate) const fn bytes(size: usize) -> usize {
        let keys = size.saturating_add(1).saturating_mul(size_of::<u64>());
        let places = match size.saturating_mul(8).checked_next_power_of_two() {
            Some(places) => places.saturating_mul(size_of::<u32>()),
            None => usize::MAX,
        };
        keys.saturating_add(places)
    }

    const fn places(size: usize) -> usize {
        (8 * size).next_power_of_two()
    }

    /// Where to insert the key; `None` if it is in the window.
    #[inline(always)]
    pub(crate) fn look_up(&self, key: u64) -> Option<Vacancy> {
        let mut place = self.home(key);
        loop {
            match self.table[place] {
                FREE => return Some(Vacancy(place)),
                entry if self.key_of(entry) == key => return None,
                _ => place = self.after(place),
            }
        }
    }

    /// Inserts a key at the place that `look_up` returned, and removes the oldest if the window is full.
    #[inline(always)]
    pub(crate) fn insert(&mut self, Vacancy(place): Vacancy, key: u64) {
        self.keys[self.next] = key;
        // At most 65,537.
        self.table[place] = self.next as u32 + 1;
        self.next = if self.next + 1 == self.keys.len() { 0 } else { self.next + 1 };
        if self.filled + 1 < self.keys.len() {
            self.filled += 1;
        } else {
            // The ring has one position that is no longer in the window: the one after the newest.
            self.forget(self.next);
        }
    }

    /// Removes a position from the table, and moves up each entry behind it that a probe from its home would
    /// no longer reach.
    #[inline(always)]
    fn forget(&mut self, position: usize) {
        let entry = position as u32 + 1;
        let mut gap = self.home(self.keys[position]);
        while self.table[gap] != entry {
            gap = self.after(gap);
        }
        let mask = self.table.len() - 1;
        let mut place = self.after(gap);
        while self.table[place] != FREE {
            let home = self.home(self.key_of(self.table[place]));
            // Whether the gap lies between the entry's home and the entry, also around the end of the table.
            if place.wrapping_sub(home) & mask >= place.wrapping_sub(gap) & mask {
                self.table[gap] = self.table[place];
                gap = place;
            }
            place = self.after(place);
        }
        self.table[gap] = FREE;
    }

    #[inline(always)]
    fn key_of(&self, entry: u32) -> u64 {
        self.keys[entry as usize - 1]
    }

    /// Where a probe for the key begins: both halves of a 128-bit product, so that every bit of the key
    /// counts.
    #[inline(always)]
    fn home(&self, key: u64) -> usize {
        let product = u128::from(key ^ self.seed) * 0x9e37_79b9_7f4a_7c15_u128;
        ((product >> 64) as usize ^ product as usize) & (self.table.len() - 1)
    }

    #[inline(always)]
    fn after(&self, place: usize) -> usize {
        (place + 1) & (self.table.len() - 1)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::collections::VecDeque;

    use proptest::prelude::*;

    use super::{FREE, Window};

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// compared with a simple, slow queue of keys, for keys that often repeat and often collide.
        #[test]
        fn q_21_the_window_is_the_last_n_accepted_keys(
            size in 1usize..40,
            crowded in any::<bool>(),
            keys in prop::collection::vec(prop_oneof![0u64..60, (0u64..8).prop_map(|k| k << 61)], 0..600),
        ) {
            let mut window = Window::new(size);
            if crowded {
                // As few places as possible, so that nearly every entry is away from its home.
                window.table = vec![FREE; (size + 2).next_power_of_two()].into();
            }
            let mut model = VecDeque::new();
            for key in keys {
                let vacancy = window.look_up(key);
                prop_assert_eq!(vacancy.is_none(), model.contains(&key));
                if let Some(vacancy) = vacancy {
                    window.insert(vacancy, key);
                    model.push_back(key);
                    if model.len() > size {
                        model.pop_front();
                    }
                }
                prop_assert_eq!(window.table.iter().filter(|&&entry| entry != FREE).count(), model.len());
            }
        }
    }
}
