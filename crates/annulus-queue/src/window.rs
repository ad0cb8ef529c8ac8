//! The last N accepted keys, to recognise a message that was sent before.
//!
//! A ring of the keys in the order of their acceptance, and a hash table of positions in the ring: open addressing, linear
//! probing, twice as many places as keys. Whatever key is N messages old leaves, and the entries behind it move up, so that
//! the table holds exactly the window and no tombstones. Nothing is allocated after the start: 16 bytes per key.

use std::hash::{BuildHasher, RandomState};

pub(crate) struct Window {
    /// The key at position `p` is the last one that was inserted there; only the first `filled` are any.
    keys: Box<[u64]>,
    /// Up to the ring's length.
    filled: usize,
    /// Where the next key goes; the oldest one lies there once the ring is filled.
    next: usize,
    /// A position plus 1, or [`FREE`]. A power of two of them, at least twice the window, so a probe always finds a free one.
    table: Box<[u32]>,
    /// Random, so that nobody can choose ids that collide.
    seed: u64,
}

const FREE: u32 = 0;

impl Window {
    /// `size` is 1 ..= 65,536; options are validated before they come here.
    pub(crate) fn new(size: usize) -> Self {
        Self {
            keys: vec![0; size].into(),
            filled: 0,
            next: 0,
            table: vec![FREE; Self::places(size)].into(),
            seed: RandomState::new().hash_one(0u8),
        }
    }

    /// What a window of `size` keys allocates, in bytes.
    pub(crate) const fn bytes(size: usize) -> usize {
        size * size_of::<u64>() + Self::places(size) * size_of::<u32>()
    }

    const fn places(size: usize) -> usize {
        (2 * size).next_power_of_two()
    }

    #[inline]
    pub(crate) fn contains(&self, key: u64) -> bool {
        let mut place = self.home(key);
        loop {
            match self.table[place] {
                FREE => return false,
                entry if self.key_of(entry) == key => return true,
                _ => place = self.after(place),
            }
        }
    }

    /// Remembers a key that is not in the window, and forgets the oldest if the window is full.
    #[inline]
    pub(crate) fn insert(&mut self, key: u64) {
        if self.filled == self.keys.len() {
            self.forget(self.next);
        } else {
            self.filled += 1;
        }
        self.keys[self.next] = key;
        let mut place = self.home(key);
        while self.table[place] != FREE {
            place = self.after(place);
        }
        // At most 65,536.
        self.table[place] = self.next as u32 + 1;
        self.next += 1;
        if self.next == self.keys.len() {
            self.next = 0;
        }
    }

    /// Takes a position out of the table, and moves up each entry behind it that a probe from its home would no longer reach.
    #[inline]
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
            // Whether the gap lies on the way from its home to it, around the end of the table.
            if place.wrapping_sub(home) & mask >= place.wrapping_sub(gap) & mask {
                self.table[gap] = self.table[place];
                gap = place;
            }
            place = self.after(place);
        }
        self.table[gap] = FREE;
    }

    #[inline]
    fn key_of(&self, entry: u32) -> u64 {
        self.keys[entry as usize - 1]
    }

    /// Where a probe for the key begins: both halves of a 128-bit product, so that every bit of the key counts.
    #[inline]
    fn home(&self, key: u64) -> usize {
        let product = u128::from(key ^ self.seed) * 0x9e37_79b9_7f4a_7c15_u128;
        ((product >> 64) as usize ^ product as usize) & (self.table.len() - 1)
    }

    #[inline]
    fn after(&self, place: usize) -> usize {
        (place + 1) & (self.table.len() - 1)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::collections::VecDeque;

    use proptest::prelude::*;

    use super::Window;

    proptest! {
        /// against a queue of keys that does the same slowly, with keys that often come again, and often collide.
        #[test]
        fn q_21_the_window_is_the_last_n_accepted_keys(
            size in 1usize..40,
            keys in prop::collection::vec(prop_oneof![0u64..60, (0u64..8).prop_map(|k| k << 61)], 0..600),
        ) {
            let mut window = Window::new(size);
            let mut model = VecDeque::new();
            for key in keys {
                prop_assert_eq!(window.contains(key), model.contains(&key));
                if !model.contains(&key) {
                    window.insert(key);
                    model.push_back(key);
                    if model.len() > size {
                        model.pop_front();
                    }
                }
                prop_assert_eq!(window.table.iter().filter(|&&entry| entry != super::FREE).count(), model.len());
            }
        }
    }
}
