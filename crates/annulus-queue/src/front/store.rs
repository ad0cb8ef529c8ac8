//! The messages that wait in one lane, in the order in which they leave.
//!
//! Without priorities, cells are used round and round, in the order of the messages. With priorities, there
//! is a list of cells for each priority, first in first out, and a list of the free cells.

use super::{Bytes, cells::Cells};
use crate::levels::Levels;
use annulus_ring::ring::Header;

/// Messages that wait. All its memory is allocated when it is made.
pub(super) struct Store {
    cells: Cells,
    order: Order,
    len: usize,
    capacity: usize,
}

/// A message that has left the order. Its cell keeps it until the next one is stored.
#[derive(Clone, Copy, Default)]
pub(super) struct Left(u32);

enum Order {
    /// The cell of the next message. The others follow it, in a circle.
    Fifo {
        first: usize,
    },
    ByPriority(Box<Lists>),
}

struct Lists {
    /// The cells that were used and are free now, the last one first: it is in the cache.
    free: u32,
    /// How many cells were used so far. The others are free, too, and have no message yet.
    used: u32,
    /// One per priority.
    lists: [List; 256],
    /// Which lists are not empty.
    present: Levels,
}

/// The two ends have no meaning while the list is empty.
#[derive(Clone, Copy)]
struct List {
    first: u32,
    last: u32,
}

/// Greater than any capacity.
const NONE: u32 = u32::MAX;

impl Store {
    /// Room for `capacity` messages of at most `size` bytes. `capacity` is at most 2^20.
    pub(super) fn new(capacity: usize, size: usize, by_priority: bool) -> Self {
        let order = if by_priority {
            let lists = [List { first: NONE, last: NONE }; 256];
            Order::ByPriority(Box::new(Lists { free: NONE, used: 0, lists, present: Levels::default() }))
        } else {
            Order::Fifo { first: 0 }
        };
        Self { cells: Cells::new(size, capacity), order, len: 0, capacity }
    }

    /// The bytes that `new` allocates.
    pub(super) const fn bytes(capacity: usize, size: usize, by_priority: bool) -> usize {
        let lists = if by_priority { size_of::<Lists>() } else { 0 };
        Cells::bytes(size, capacity).saturating_add(lists)
    }

    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    pub(super) fn is_full(&self) -> bool {
        self.len >= self.capacity
    }

    /// Stores a message.
    ///
    /// # Panics
    ///
    /// If there is no space.
    #[inline(always)]
    pub(super) fn push(&mut self, priority: u8, message: &Bytes, header: Header) {
        assert!(self.len < self.capacity, "there is space for a message that is stored");
        match &mut self.order {
            Order::Fifo { first } => {
                // At most 2^20.
                let cell = wrapped(*first + self.len, self.capacity) as u32;
                self.cells.put(cell, message, header, NONE);
            }
            Order::ByPriority(lists) => {
                let mut cell = lists.free;
                if cell == NONE {
                    cell = lists.used;
                    lists.used += 1;
                } else {
                    // SAFETY: a cell that was used has a message.
                    lists.free = unsafe { self.cells.next(cell) };
                }
                self.cells.put(cell, message, header, NONE);
                let list = &mut lists.lists[usize::from(priority)];
                if lists.present.contains(priority) {
                    // SAFETY: a cell on a list has a message.
                    unsafe { self.cells.set_next(list.last, cell) };
                } else {
                    lists.present.insert(priority);
                    list.first = cell;
                }
                list.last = cell;
            }
        }
        self.len += 1;
    }

    /// The next message, which stays.
    #[inline(always)]
    pub(super) fn peek(&self) -> Option<&Bytes> {
        // SAFETY: a message that waits is in its cell.
        self.next().map(|cell| unsafe { self.cells.message(cell) })
    }

    /// When the next message was accepted.
    #[inline(always)]
    pub(super) fn next_at(&self) -> Option<u64> {
        // SAFETY: a message that waits is in its cell.
        self.next().map(|cell| unsafe { self.cells.header(cell) }.enqueue_time)
    }

    #[inline(always)]
    fn next(&self) -> Option<u32> {
        match &self.order {
            _ if self.len == 0 => None,
            Order::Fifo { first } => Some(*first as u32),
            Order::ByPriority(lists) => {
                let highest = lists.present.highest()?;
                Some(lists.lists[usize::from(highest)].first)
            }
        }
    }

    /// Takes the next message out of the order.
    #[inline(always)]
    pub(super) fn pop(&mut self) -> Option<Left> {
        let highest = match &self.order {
            Order::Fifo { .. } => 0,
            Order::ByPriority(lists) => lists.present.highest().unwrap_or(0),
        };
        self.take(highest)
    }

    /// Takes the oldest message of the lowest priority out of the order.
    pub(super) fn evict(&mut self) -> Option<Left> {
        self.take(self.lowest()?)
    }

    /// The lowest priority present; 0 if there are no priorities.
    pub(super) fn lowest(&self) -> Option<u8> {
        match &self.order {
            Order::Fifo { .. } => (self.len != 0).then_some(0),
            Order::ByPriority(lists) => lists.present.lowest(),
        }
    }

    /// Takes out the oldest message of a priority, which is present if any message is.
    #[inline(always)]
    fn take(&mut self, priority: u8) -> Option<Left> {
        if self.len == 0 {
            return None;
        }
        self.len -= 1;
        match &mut self.order {
            Order::Fifo { first } => {
                let cell = *first as u32;
                *first = wrapped(*first + 1, self.capacity);
                Some(Left(cell))
            }
            Order::ByPriority(lists) => {
                let list = &mut lists.lists[usize::from(priority)];
                let cell = list.first;
                if cell == list.last {
                    lists.present.remove(priority);
                } else {
                    // SAFETY: a cell on a list has a message.
                    list.first = unsafe { self.cells.next(cell) };
                }
                // SAFETY: as above; it keeps the message.
                unsafe { self.cells.set_next(cell, lists.free) };
                lists.free = cell;
                Some(Left(cell))
            }
        }
    }

    /// A message that has left, and the header that it was stored with, without the command. Nothing was
    /// stored since it left.
    #[inline(always)]
    pub(super) fn get(&self, left: Left) -> (&Bytes, Header) {
        // SAFETY: only cells with a message leave, and a cell keeps having one.
        let message = unsafe { self.cells.message(left.0) };
        // SAFETY: as above.
        (message, unsafe { self.cells.header(left.0) })
    }
}

/// `index` in a circle of `length` places, of which it is less than one round away.
#[inline(always)]
fn wrapped(index: usize, length: usize) -> usize {
    if index >= length { index - length } else { index }
}
