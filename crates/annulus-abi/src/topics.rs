//! The table of topics: which places of a kernel take what is published on each.
//!
//! A topic is a word whose lowest [`PLACES`] bits are 0. Its entry in the table is the same word, and there these bits
//! name the places. So an entry is read and changed whole. The table is open, with linear probing; an entry never
//! moves, and never becomes that of another topic. An empty one is 0.
//!
//! The host writes entries at any time; blocks read them, and may find what was there before.

/// The lowest bits of an entry: one for each place.
pub const PLACES: u32 = 16;

/// The bit of the last place in an entry: the host takes the topic, too. That place itself stands for nobody, and nobody
/// takes a topic.
pub const HOST: u64 = 1 << (PLACES - 1);

/// Where a topic's entry lies at the earliest, in a table of so many entries: a power of two.
#[inline]
pub const fn first_entry(topic: u64, entries: usize) -> usize {
    (topic >> PLACES) as usize & (entries - 1)
}

/// Where a topic's entry lies: its place and what is there; or, if it has none, where it would.
///
/// # Errors
///
/// The place of the empty entry where it would lie; `None` if no entry is empty.
#[inline]
pub fn find(topic: u64, entries: usize, entry: impl Fn(usize) -> u64) -> Result<(usize, u64), Option<usize>> {
    let mut place = first_entry(topic, entries);
    for _ in 0..entries {
        let found = entry(place);
        if found == 0 {
            return Err(Some(place));
        }
        if found >> PLACES == topic >> PLACES {
            return Ok((place, found));
        }
        place = (place + 1) & (entries - 1);
    }
    Err(None)
}
