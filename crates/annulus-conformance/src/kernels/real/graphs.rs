//! Kernels over graphs and tables.

use std::sync::atomic::{AtomicU32, Ordering};

use annulus_macros::{DeviceType, RingMessage, ring_kernel};
use annulus_runtime::prelude::{Failure, Outbox};

use super::Checksum;

/// Two elements that belong together.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Union {
    pub a: u32,
    pub b: u32,
}

/// Union-find with path halving, in memory of the whole kernel. Answers with the common root.
#[ring_kernel]
pub fn union_find(union: &Union, parents: &mut [u32], roots: &Outbox<Checksum>) {
    // What the launch bound may be anything: outside the table, an element is its own parent.
    for i in 0..parents.len() {
        if parents[i] as usize >= parents.len() || parents[i] as usize > i {
            parents[i] = i as u32;
        }
    }
    let mut ends = [union.a as usize % parents.len(), union.b as usize % parents.len()];
    for end in 0..2 {
        let mut at = ends[end];
        while parents[at] as usize != at {
            parents[at] = parents[parents[at] as usize];
            at = parents[at] as usize;
        }
        ends[end] = at;
    }
    let root = ends[0].min(ends[1]);
    parents[ends[0].max(ends[1])] = root as u32;
    roots.send(Checksum { value: root as u32 });
}

/// Some rank that came to a page, in hundred-millionths.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Push {
    pub page: u32,
    pub rank: u32,
}

/// A page of the web: where its links stand in the list of all.
#[derive(DeviceType, Clone, Copy, Debug)]
#[repr(C)]
pub struct Page {
    pub first: u32,
    pub count: u32,
}

/// What is less than this waits until more comes.
pub const ENOUGH: u32 = 10_000;

/// PageRank by pushing: when enough has come to a page, it keeps 15 of 100 and hands the rest on to the pages that it links to. What is
/// sent goes back in, until nothing comes any more.
#[ring_kernel(max_outputs = 8)]
pub fn page_rank(
    push: &Push,
    pages: &[Page],
    links: &[u32],
    ranks: &[AtomicU32],
    waiting: &[AtomicU32],
    pushes: &Outbox<Push>,
) {
    let here = push.page as usize;
    let page = pages[here];
    let links = &links[page.first as usize..][..page.count as usize];
    let before = waiting[here].fetch_add(push.rank, Ordering::Relaxed);
    if before.saturating_add(push.rank) < ENOUGH {
        return;
    }
    let rank = waiting[here].swap(0, Ordering::Relaxed);
    let share = (u64::from(rank) * 85 / 100 / links.len().max(1) as u64) as u32;
    let mut kept = rank;
    for link in links {
        pushes.send(Push { page: *link, rank: share });
        kept -= share;
    }
    ranks[here].fetch_add(kept, Ordering::Relaxed);
}

/// That a place was reached, so many steps from the start.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Reached {
    pub place: u32,
    pub steps: u32,
}

/// Breadth-first search by messages: who reaches a place with fewer steps than anyone before tells its neighbours. `streets` has the
/// neighbours of each place, four at most; `u32::MAX` is none.
#[ring_kernel(max_outputs = 4)]
pub fn frontier(reached: &Reached, streets: &[[u32; 4]], steps: &[AtomicU32], next: &Outbox<Reached>) {
    let place = reached.place as usize % streets.len().min(steps.len());
    let before = steps[place].fetch_min(reached.steps, Ordering::Relaxed);
    if reached.steps >= before {
        return;
    }
    for neighbour in streets[place] {
        if neighbour != u32::MAX {
            next.send(Reached { place: neighbour, steps: reached.steps.saturating_add(1) });
        }
    }
}

/// A row of one of two tables that are joined.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(u32)]
pub enum Row {
    Left { key: u32, value: u32 },
    Right { key: u32, value: u32 },
}

/// A place of a hash table.
#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Entry {
    pub key: u32,
    pub value: u32,
    pub taken: bool,
}

/// Two rows that belong together.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(C)]
pub struct Joined {
    pub key: u32,
    pub left: u32,
    pub right: u32,
}

/// The table is full.
pub const TABLE_FULL: Failure = Failure::of(150);

/// A hash join: rows of the left table are kept, with open addressing; those of the right one find all that have their key.
#[ring_kernel(max_outputs = 16)]
pub fn hash_join(row: &Row, table: &mut [Entry], joined: &Outbox<Joined>) -> Result<(), Failure> {
    let key = match *row {
        Row::Left { key, .. } => key,
        Row::Right { key, .. } => key,
    };
    let start = key.wrapping_mul(0x9E37_79B9) as usize;
    for i in 0..table.len() {
        let entry = &mut table[(start + i) % table.len()];
        match *row {
            Row::Left { value, .. } if !entry.taken => {
                *entry = Entry { key, value, taken: true };
                return Ok(());
            }
            Row::Right { .. } if !entry.taken => return Ok(()),
            Row::Right { value, .. } if entry.key == key => {
                joined.send(Joined { key, left: entry.value, right: value });
            }
            _ => {}
        }
    }
    match row {
        Row::Left { .. } => Err(TABLE_FULL),
        Row::Right { .. } => Ok(()),
    }
}
