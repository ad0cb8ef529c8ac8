//! The table of a block's actors, of a kernel whose keys are sparse: which place in the block's states is which key's.
//!
//! A place is given to a key with the first message for it, in the order in which the block takes messages. A place that an
//! actor has given back is given again, the last of them first; else places are given from 0 on. Those that nobody has hold
//! initial states. When all are in use, a new key gets none; or, if the launch evicts actors, that of an actor that has had no
//! message for long. Its state is forgotten, and the new actor begins with an initial one.
//!
//! ```text
//!   word 0     1      2      3      4      5          6      7          …
//!   ┌───────┬──────┬──────┬──────┬──────┬──────────┬──────┬──────────┬───┬───────┬──────┬───────┬──────┬───┐
//!   │ given │ hand │ free │ back │ key  │ place + 1│ key  │ place + 1│ … │ key   │ mark │ key   │ mark │ … │
//!   └───────┴──────┴──────┴──────┴──────┴──────────┴──────┴──────────┴───┴───────┴──────┴───────┴──────┴───┘
//!                                 as many entries as `entries` says       one record for each place, if actors go
//! ```
//!
//! Of the places below *given*, as many as *back* says are free. They are a list: *free* is the first one's number plus 1, and
//! instead of a key each one's record has the next one's; 0 is the end.
//!
//! The entries are an open table with linear probing. An empty entry has 0 in its second word. At most three quarters of
//! them are used, so a search ends. An entry moves only when another one is taken away: those behind it that were pushed away
//! from where they would lie close the gap.
//!
//! # Who is evicted
//!
//! The *hand* goes round over the places, as in the clock algorithm (second chance) of operating systems. A message marks its
//! actor's place as [`SEEN`], unless it is the actor's first one: so those that come once do not push out those that come
//! often. The hand takes the mark away from those that it passes, and evicts the first without one: that has had no message
//! for a round of the hand, or has had but one. An actor with a message in the turn that is under way is [`IN_TURN`] or
//! [`NEW`], and passed over.
//!
//! # Who ends
//!
//! A handler may end its actor ([`Exits::ended`]). Its thread sets the state to an initial one and marks the place as [`ENDED`].
//! A further message of the same turn makes the actor anew, and takes the mark away. When no thread of the turn handles any more, the
//! leader takes the entries of those that are marked away, and puts their places into the list.
//!
//! # Who writes when
//!
//! The table belongs to the block, as the states do. Only the block's leader writes entries, between two barriers where other
//! threads of the block read them; a place's mark is written by the thread that handles the actor's message, or by the leader
//! when no thread handles any. While the block is inactive or has ended, the table belongs to the runtime, which reads it for
//! a snapshot, and writes it to restore one. So no word needs an atomic access. The counts for the host are other words:
//! [`ActorCounts`](crate::control::ActorCounts).

/// Words in front of the entries.
const HEAD: u64 = 4;

/// The word of places that were given so far, the hand's, that of the first free place, and of how many are free.
const GIVEN: usize = 0;
const HAND: usize = 1;
const FREE: usize = 2;
const BACK: usize = 3;

/// A place's mark: its actor has had a further message since the hand passed.
pub const SEEN: u64 = 1;

/// A place's mark, in a turn of several threads: its actor has a message in this turn.
pub const IN_TURN: u64 = 2;

/// A place's mark, until its actor's first message is handled.
pub const NEW: u64 = 3;

/// A place's mark: its actor has ended in this turn.
pub const ENDED: u64 = 4;

/// How actors go. If they go at all, a table has records of its places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exits {
    /// One without recent messages gives way to a new key when all places are in use.
    pub evicted: bool,
    /// The handler ends its own.
    pub ended: bool,
}

impl Exits {
    /// Whether any may go.
    #[inline]
    pub const fn any(self) -> bool {
        self.evicted || self.ended
    }
}

/// Entries of a table for so many places: a power of two, of which at most three quarters are used. For more places than
/// any memory has, the greatest power of two.
// TWIN: entries
#[inline]
pub const fn entries(places: u64) -> u64 {
    let mut entries = 4;
    while entries / 4 * 3 < places && entries < 1 << 63 {
        entries *= 2;
    }
    entries
}

/// Words of 8 bytes of a table for so many places; `u64::MAX` if they cannot be counted.
// TWIN: words
#[inline]
pub const fn words(places: u64, exits: Exits) -> u64 {
    words_of(entries(places), places, exits)
}

const fn words_of(entries: u64, places: u64, exits: Exits) -> u64 {
    let ends = if exits.any() { places.saturating_mul(2) } else { 0 };
    entries.saturating_mul(2).saturating_add(HEAD).saturating_add(ends)
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
    /// As many as [`entries`] says.
    entries: u64,
    exits: Exits,
}

/// Where the actor of a key is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placed {
    /// At a place that it had.
    Known(u64),
    /// At a place that nobody had.
    New(u64),
    /// At a place whose actor was evicted for it: the state there is to be set.
    Instead(u64),
}

impl Placed {
    /// The place.
    #[inline]
    pub const fn place(self) -> u64 {
        let (Self::Known(place) | Self::New(place) | Self::Instead(place)) = self;
        place
    }
}

impl<'a> ActorTable<'a> {
    /// The table that lies in these words. If they are 0, it is empty.
    ///
    /// # Panics
    ///
    /// If there are not [as many words](words) as the places need.
    #[inline]
    pub fn new(words: &'a mut [u64], places: u64, exits: Exits) -> Self {
        // Once for each look: a message waits for it.
        let entries = entries(places);
        assert_eq!(words.len() as u64, words_of(entries, places, exits), "as many words as a table has");
        Self { words, places, entries, exits }
    }

    /// How many places are in use.
    #[inline]
    pub fn used(&self) -> u64 {
        self.words[GIVEN] - self.words[BACK]
    }

    /// Where the key's entry lies, or the empty one that ends the search: the index of its first word.
    // TWIN: find_actor
    #[inline]
    fn find_actor(&self, key: u64) -> usize {
        let entries = self.entries;
        let mut entry = first_entry(key, entries);
        loop {
            let at = (HEAD + 2 * entry) as usize;
            if self.words[at + 1] == 0 || self.words[at] == key {
                return at;
            }
            entry = (entry + 1) & (entries - 1);
        }
    }

    /// Where a place's record lies.
    #[inline]
    fn record(&self, place: u64) -> usize {
        (HEAD + 2 * self.entries + 2 * place) as usize
    }

    /// The place of this key, which is given one if it has none; `None` if all are in use, and none is evicted.
    // TWIN: place
    #[inline]
    pub fn place(&mut self, key: u64) -> Option<Placed> {
        let at = self.find_actor(key);
        let placed = match self.words[at + 1] {
            0 if self.words[FREE] != 0 => {
                let place = self.words[FREE] - 1;
                self.words[FREE] = self.words[self.record(place)];
                self.words[BACK] -= 1;
                self.enter(at, key, place);
                Placed::New(place)
            }
            0 if self.words[GIVEN] < self.places => {
                let place = self.words[GIVEN];
                self.words[GIVEN] = place + 1;
                self.enter(at, key, place);
                Placed::New(place)
            }
            0 => {
                let place = self.evict_actor()?;
                // Entries may have moved.
                self.enter(self.find_actor(key), key, place);
                Placed::Instead(place)
            }
            place => Placed::Known(place - 1),
        };
        if self.exits.evicted {
            let record = self.record(placed.place());
            self.words[record + 1] = if let Placed::Known(_) = placed { SEEN } else { 0 };
        }
        Some(placed)
    }

    fn enter(&mut self, at: usize, key: u64, place: u64) {
        self.words[at] = key;
        self.words[at + 1] = place + 1;
        if self.exits.any() {
            let record = self.record(place);
            self.words[record] = key;
        }
    }

    /// Takes the entry of the actor away that the hand finds without a mark, and says which place that was; `None` if actors
    /// are not evicted, or all of them have a message in this turn.
    // TWIN: evict_actor
    fn evict_actor(&mut self) -> Option<u64> {
        if !self.exits.evicted {
            return None;
        }
        // In the second round no mark is left but those of the turn.
        for _ in 0..2 * self.places {
            let place = self.words[HAND];
            self.words[HAND] = if place + 1 < self.places { place + 1 } else { 0 };
            let record = self.record(place);
            match self.words[record + 1] {
                IN_TURN | NEW => {}
                SEEN => self.words[record + 1] = 0,
                _ => {
                    self.remove_actor(self.words[record]);
                    return Some(place);
                }
            }
        }
        None
    }

    /// Ends the actor at this place: its entry goes, and the place is free. The state there is to be set. In a table whose
    /// actors are [ended](Exits::ended).
    // TWIN: free_actor
    pub fn free_actor(&mut self, place: u64) {
        debug_assert!(self.exits.ended, "the free places have records");
        let record = self.record(place);
        self.remove_actor(self.words[record]);
        self.words[record] = self.words[FREE];
        self.words[record + 1] = 0;
        self.words[FREE] = place + 1;
        self.words[BACK] += 1;
    }

    /// Takes the entry of this key away, and closes the gap.
    // TWIN: remove_actor
    fn remove_actor(&mut self, key: u64) {
        let entries = self.entries;
        let index = |at: usize| (at as u64 - HEAD) / 2;
        let mut gap = index(self.find_actor(key));
        let mut next = gap;
        loop {
            next = (next + 1) & (entries - 1);
            let at = (HEAD + 2 * next) as usize;
            if self.words[at + 1] == 0 {
                break;
            }
            // How far it lies from where it would lie, and from the gap. If it would lie behind the gap, it stays.
            let pushed = (next.wrapping_sub(first_entry(self.words[at], entries))) & (entries - 1);
            if pushed >= next.wrapping_sub(gap) & (entries - 1) {
                let to = (HEAD + 2 * gap) as usize;
                self.words[to] = self.words[at];
                self.words[to + 1] = self.words[at + 1];
                gap = next;
            }
        }
        self.words[(HEAD + 2 * gap) as usize + 1] = 0;
    }

    /// The keys that have places, and their places, in no particular order.
    pub fn actors(&self) -> impl Iterator<Item = (u64, u64)> {
        let entries = self.words[HEAD as usize..][..2 * self.entries as usize].chunks_exact(2);
        entries.filter(|entry| entry[1] != 0).map(|entry| (entry[0], entry[1] - 1))
    }
}
