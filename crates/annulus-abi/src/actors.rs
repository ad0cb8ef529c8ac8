//! The table of a block's actors, of a kernel whose keys are sparse: which place in the block's states is which key's.
//!
//! A place is given to a key with the first message for it, in the order in which the block takes messages, and stays
//! the key's as long as the kernel lives. Places are given from 0 on, so those below the count of places in use are
//! taken, and the others hold initial states.
//!
//! ```text
//!   word 0      1    2      3          4      5          …
//!   ┌────────┬─────┬──────┬──────────┬──────┬──────────┬───┐
//!   │ in use │  0  │ key  │ place + 1│ key  │ place + 1│ … │   as many entries as `entries` says
//!   └────────┴─────┴──────┴──────────┴──────┴──────────┴───┘
//! ```
//!
//! The entries are an open table with linear probing. An empty entry has 0 in its second word. Entries never move. At
//! most three quarters of them are used, so a search ends.
//!
//! # Who writes when
//!
//! The table belongs to the block, as the states do: only the block's leader writes it, between two barriers where other
//! threads of the block read it. While the block is inactive or has ended, it belongs to the runtime, which reads it for
//! a snapshot, and writes it to restore one. So no word needs an atomic access. The count for the host is another
//! word: [`ActorCounts`](crate::control::ActorCounts).

/// Words in front of the entries.
const HEAD: u64 = 2;

/// Entries of a table for so many places: a power of two, of which at most three quarters are used.
#[inline]
pub const fn entries(places: u64) -> u64 {
    let mut entries = 4;
    while entries / 4 * 3 < places {
        entries *= 2;
    }
    entries
}

/// Words of 8 bytes of a table for so many places.
#[inline]
pub const fn words(places: u64) -> u64 {
    HEAD + 2 * entries(places)
}

/// Where a key's entry lies at the earliest, in a table of so many entries. All bits of the key count: keys that differ
/// only in some of them, such as multiples of the grid, do not meet.
///
/// Source: the finalizer of MurmurHash3, whose bits each depend on all bits of the key.
// TWIN: first_entry
#[inline]
pub const fn first_entry(key: u64, entries: u64) -> u64 {
    let key = (key ^ key >> 33).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    let key = (key ^ key >> 33).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    (key ^ key >> 33) & (entries - 1)
}

/// A block's table, for as many places as the block has.
#[derive(Debug)]
pub struct ActorTable<'a> {
    words: &'a mut [u64],
    places: u64,
}

/// Where a key is, or would be.
enum Found {
    Place(u64),
    /// The empty entry that ends the search.
    Entry(usize),
}

impl<'a> ActorTable<'a> {
    /// The table that lies in these words. If they are 0, it is empty.
    ///
    /// # Panics
    ///
    /// If there are not [as many words](words) as the places need.
    #[inline]
    pub fn new(words: &'a mut [u64], places: u64) -> Self {
        assert_eq!(words.len() as u64, self::words(places), "as many words as a table has");
        Self { words, places }
    }

    /// How many places are in use.
    #[inline]
    pub fn used(&self) -> u64 {
        self.words[0]
    }

    // TWIN: find_actor
    #[inline]
    fn find(&self, key: u64) -> Found {
        let entries = (self.words.len() as u64 - HEAD) / 2;
        let mut entry = first_entry(key, entries);
        loop {
            let at = (HEAD + 2 * entry) as usize;
            match (self.words[at], self.words[at + 1]) {
                (_, 0) => return Found::Entry(at),
                (found, place) if found == key => return Found::Place(place - 1),
                _ => entry = (entry + 1) & (entries - 1),
            }
        }
    }

    /// The place of this key, and whether it was given just now; `None` if it has none, and all are in use.
    // TWIN: place_actor
    #[inline]
    pub fn place(&mut self, key: u64) -> Option<(u64, bool)> {
        let at = match self.find(key) {
            Found::Place(place) => return Some((place, false)),
            Found::Entry(at) => at,
        };
        let place = self.used();
        if place == self.places {
            return None;
        }
        self.words[at] = key;
        self.words[at + 1] = place + 1;
        self.words[0] = place + 1;
        Some((place, true))
    }

    /// The keys that have places, and their places, in no particular order.
    pub fn actors(&self) -> impl Iterator<Item = (u64, u64)> {
        let entries = self.words[HEAD as usize..].chunks_exact(2);
        entries.filter(|entry| entry[1] != 0).map(|entry| (entry[0], entry[1] - 1))
    }
}
