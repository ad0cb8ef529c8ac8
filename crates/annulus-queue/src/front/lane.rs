//! One of the queues in front of a ring: its messages, in the order in which they leave.

use std::collections::VecDeque;

use super::{Bytes, LaneOptions};
use crate::{buckets::Buckets, window::Window};
use annulus_ring::ring::Header;

/// A queue. All its memory is allocated when it is made.
pub(super) struct Lane {
    pub(super) options: LaneOptions,
    pub(super) order: Order,
    pub(super) cells: Cells,
    pub(super) window: Option<Window>,
    pub(super) closed: bool,
    /// How many messages it ever accepted, and how many of these were handed over.
    pub(super) accepted: u64,
    pub(super) handed_over: u64,
    /// How many messages waited when those who wait for space were last told.
    pub(super) was: usize,
}

#[derive(Clone, Copy)]
pub(super) struct Parcel {
    /// Where the message lies.
    cell: u32,
    /// Bytes of the message.
    length: u32,
    pub(super) header: Header,
}

/// The waiting messages, in the order in which they leave.
pub(super) enum Order {
    Fifo { parcels: VecDeque<Parcel>, capacity: usize },
    ByPriority(Buckets<Parcel>),
}

/// Places for messages.
pub(super) struct Cells {
    size: usize,
    bytes: Box<Bytes>,
    /// The cell that became free last is used first: it is in the cache.
    free: Vec<u32>,
}

impl Lane {
    pub(super) fn new(options: LaneOptions, size: usize) -> Self {
        let order = if options.priority {
            Order::ByPriority(Buckets::new(options.capacity))
        } else {
            let parcels = VecDeque::with_capacity(options.capacity);
            Order::Fifo { parcels, capacity: options.capacity }
        };
        let cells = Cells {
            size,
            bytes: Box::new_uninit_slice(size * options.capacity),
            free: (0..options.capacity as u32).rev().collect(),
        };
        let window = options.window.map(Window::new);
        Self { options, order, cells, window, closed: false, accepted: 0, handed_over: 0, was: 0 }
    }

    /// Whether the next message has expired at this time.
    #[inline]
    pub(super) fn has_expired(&self, now: u64) -> bool {
        let Some(lifetime) = self.options.expiry else { return false };
        self.order.next_at().is_some_and(|at| now.saturating_sub(at) >= lifetime)
    }
}

impl Cells {
    #[inline]
    pub(super) fn get(&self, parcel: Parcel) -> &Bytes {
        &self.bytes[parcel.cell as usize * self.size..][..parcel.length as usize]
    }

    /// Stores a message. The caller has made sure that there is space.
    #[inline]
    pub(super) fn put(&mut self, message: &Bytes, header: Header) -> Parcel {
        let cell = self.free.pop().expect("there are as many cells as messages");
        self.bytes[cell as usize * self.size..][..message.len()].copy_from_slice(message);
        Parcel { cell, length: message.len() as u32, header }
    }

    /// Returns a message that has left the order. Its cell is free from here on, and the next stored message
    /// overwrites it.
    #[inline]
    pub(super) fn take(&mut self, parcel: Parcel) -> &Bytes {
        self.free.push(parcel.cell);
        self.get(parcel)
    }
}

impl Order {
    #[inline]
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Fifo { parcels, .. } => parcels.len(),
            Self::ByPriority(buckets) => buckets.len(),
        }
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[inline]
    pub(super) fn is_full(&self) -> bool {
        match self {
            Self::Fifo { parcels, capacity } => parcels.len() >= *capacity,
            Self::ByPriority(buckets) => buckets.is_full(),
        }
    }

    /// The caller has made sure that there is space.
    #[inline]
    pub(super) fn push(&mut self, priority: u8, parcel: Parcel) {
        match self {
            Self::Fifo { parcels, .. } => parcels.push_back(parcel),
            Self::ByPriority(buckets) => buckets.push(priority, parcel.header.enqueue_time, parcel),
        }
    }

    /// When the next message was accepted.
    #[inline]
    pub(super) fn next_at(&self) -> Option<u64> {
        match self {
            Self::Fifo { parcels, .. } => parcels.front().map(|parcel| parcel.header.enqueue_time),
            Self::ByPriority(buckets) => buckets.highest().map(|priority| buckets.accepted_at(priority)),
        }
    }

    #[inline]
    pub(super) fn pop(&mut self) -> Option<Parcel> {
        match self {
            Self::Fifo { parcels, .. } => parcels.pop_front(),
            Self::ByPriority(buckets) => buckets.highest().map(|priority| buckets.pop(priority)),
        }
    }

    /// The next message, which stays.
    pub(super) fn peek(&self) -> Option<Parcel> {
        match self {
            Self::Fifo { parcels, .. } => parcels.front().copied(),
            Self::ByPriority(buckets) => {
                buckets.highest().and_then(|priority| buckets.peek(priority).copied())
            }
        }
    }

    /// The lowest priority present; 0 if there are no priorities.
    pub(super) fn lowest(&self) -> Option<u8> {
        match self {
            Self::Fifo { parcels, .. } => parcels.front().map(|_| 0),
            Self::ByPriority(buckets) => buckets.lowest(),
        }
    }

    /// Takes the oldest message of the lowest priority.
    pub(super) fn evict(&mut self) -> Option<Parcel> {
        match self {
            Self::Fifo { parcels, .. } => parcels.pop_front(),
            Self::ByPriority(buckets) => buckets.lowest().map(|priority| buckets.pop(priority)),
        }
    }
}
