//! A queue with policies in front of a ring. Priority, deduplication, expiry and eviction apply to messages
//! that wait here, and not to messages that are already in the ring.
//!
//! A ring is first in, first out, and its messages belong to its consumer, which may be a device. So a
//! message waits in front until the ring holds fewer than [`ahead`](FrontOptions::ahead) messages. A thread
//! that sends, or that learns that the consumer has taken some, moves messages on. They go in order: by
//! priority if there are priorities, else first in, first out.
//!
//! # States of a message
//!
//! *Offered* → *waiting* → *handed over*. An offered message may end as a duplicate, discarded or refused. A
//! waiting message may end as evicted or expired. A message that was handed over is in the ring. A message is
//! handed over at once if no other waits and the ring has room.
//!
//! # Words and writers
//!
//! | word | written by | read by |
//! |---|---|---|
//! | the store, the window, `closed`, the count of accepted messages | the thread that holds the lock of the [`CombiningLock`] | the same |
//! | `waiting`: how many messages wait | the same | anybody, without the lock |
//! | `accepted`: how many were ever accepted | the same | anybody, without the lock |
//! | the ring | the lock's holder, through [`Producers`]; and other producers of that ring | its consumer |
//!
//! # Ordering
//!
//! * *Nobody is left behind.* Moving is the combining lock's job: after [`Front::refill`] has returned,
//!   messages were moved as far as there was room when it was called, or the thread that holds the lock will
//!   do it before it leaves (`SYNC: combining`).
//! * *A message is always seen to be somewhere.* Its ticket in the ring comes first, then `waiting` goes
//!   down, then its slot is published. So whoever loads `waiting` and then the ring's depth finds each
//!   message at least once (`SYNC: handed-over`), and whoever has seen the consumer done with a message finds
//!   it no longer waiting.
//! * *No message arrives before it counts as accepted.* `accepted` is raised before the slot is published, so
//!   a reader that sees that the consumer has taken a message also sees it counted.
//! * *Each send happens either before or after the close*, since both hold the lock: a message accepted
//!   before [`Front::close`] is moved on or [taken out](Front::take_all), and no message is accepted after
//!   it.
//!
//! The lock is a mutex, held for as long as 64 messages take (about a microsecond). The user's code never
//! runs under it: the properties of a message ([`Facts`]) are read before, and what happens to it is reported
//! to a [`Told`], which only records it.
//!
//! Messages are bytes here, so that this code is compiled once. Waiting messages lie in the cells of one
//! block of memory; an entry of the order refers to its message's cell. Bridged messages have different sizes;
//! a cell has room for the largest one.

use std::{collections::VecDeque, mem::MaybeUninit};

use crate::{Backpressure, buckets::Buckets, window::Window};
use annulus_ring::ring::{Header, Producers, Refused};
use annulus_sync::{AtomicU64, AtomicUsize, Ordering, combining::CombiningLock};

/// The bytes of a message, or of a place for one. Padding bytes may be uninitialised.
pub type Bytes = [MaybeUninit<u8>];

/// At most this many messages are offered under one lock.
pub const RUN: usize = 64;

/// How a front is made. These options are validated elsewhere, not here.
#[derive(Clone, Copy, Debug)]
pub struct FrontOptions {
    /// The size of a message, in bytes; of bridged messages, that of the largest image.
    pub size: usize,
    /// How many messages wait at most: 1 to 2^20.
    pub capacity: usize,
    /// What happens to a new message when `capacity` messages wait.
    pub backpressure: Backpressure,
    /// Whether messages leave by [`Facts::priority`], 255 first.
    pub priority: bool,
    /// How many accepted keys are remembered, 1 to 65,536; `None` if duplicates are not recognised.
    pub window: Option<usize>,
    /// How long a message waits at most, in nanoseconds, from its [`Header::enqueue_time`] on.
    pub expiry: Option<u64>,
    /// The ring is filled while it holds fewer messages than this.
    pub ahead: u64,
}

/// What a front must know about a message.
#[derive(Clone, Copy, Debug, Default)]
pub struct Facts {
    /// 255 leaves first.
    pub priority: u8,
    /// The key by which a duplicate is recognised; `None` if the message is never a duplicate.
    pub key: Option<u64>,
}

/// Why a message is not, or no longer, in a front.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It left to make room for a newer message.
    Evicted,
    /// It was the new message, and there was no space.
    Discarded,
    /// It was sent before.
    Duplicate,
    /// It had waited for too long.
    Expired,
}

/// Records the side effects of an operation. Called under the front's lock, so it must do nothing else.
pub trait Told {
    /// A message is not, or no longer, in the front, for this reason.
    fn gone(&mut self, fate: Fate, message: &Bytes, header: Header);
    /// Messages are in the ring now.
    fn moved(&mut self);
    /// This many places became free.
    fn freed(&mut self, places: usize);
    /// A message will now be put into the slot of this ticket, which the front holds and publishes after this
    /// call. Called once for each message. Returns the header that the message gets there.
    fn hands_over(&mut self, ticket: u64, header: Header) -> Header {
        let _ = ticket;
        header
    }
}

/// How far an offer got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offered {
    /// How many messages, from the start of the run, were accepted, discarded or recognised as duplicates.
    pub taken: usize,
    /// Why the next message was refused.
    pub refused: Option<Refused>,
}

/// The queue; see the module.
pub struct Front {
    state: CombiningLock<State>,
    waiting: AtomicUsize,
    accepted: AtomicU64,
    options: FrontOptions,
    producers: Producers,
}

#[derive(Clone, Copy)]
struct Parcel {
    /// Where the message lies.
    cell: u32,
    /// Bytes of the message.
    length: u32,
    header: Header,
}

/// The waiting messages, in the order in which they leave.
enum Order {
    Fifo { parcels: VecDeque<Parcel>, capacity: usize },
    ByPriority(Buckets<Parcel>),
}

struct State {
    order: Order,
    cells: Cells,
    window: Option<Window>,
    closed: bool,
    accepted: u64,
}

/// Places for messages.
struct Cells {
    size: usize,
    bytes: Box<Bytes>,
    /// The cell that became free last is used first: it is in the cache.
    free: Vec<u32>,
}

impl Front {
    /// A front of the ring that `producers` write to. All its memory is allocated here.
    ///
    /// # Safety
    ///
    /// If the ring carries bridged messages, only images of such messages are offered.
    pub unsafe fn new(options: FrontOptions, producers: Producers) -> Self {
        let order = if options.priority {
            Order::ByPriority(Buckets::new(options.capacity))
        } else {
            let parcels = VecDeque::with_capacity(options.capacity);
            Order::Fifo { parcels, capacity: options.capacity }
        };
        let cells = Cells {
            size: options.size,
            bytes: Box::new_uninit_slice(options.size * options.capacity),
            free: (0..options.capacity as u32).rev().collect(),
        };
        let window = options.window.map(Window::new);
        Self {
            state: CombiningLock::new(State { order, cells, window, closed: false, accepted: 0 }),
            waiting: AtomicUsize::new(0),
            accepted: AtomicU64::new(0),
            options,
            producers,
        }
    }

    /// How many messages wait. Load this before the ring's depth to find each message in one of the two.
    #[inline]
    pub fn waiting(&self) -> usize {
        // SYNC: handed-over (acquire)
        self.waiting.load(Ordering::Acquire)
    }

    /// How many messages were accepted so far, including those that were evicted or have expired since.
    pub fn accepted(&self) -> u64 {
        // SYNC: accepted (acquire)
        self.accepted.load(Ordering::Acquire)
    }

    /// Offers messages in order, one for each of the facts and at most [`RUN`], until one is refused: `Full`
    /// under Block and Reject. `messages` has their bytes, one message after the other. Bridged messages are
    /// offered one by one. All get this header; its time is now.
    ///
    /// On return, the messages that could be handed over are in the ring.
    ///
    /// # Panics
    ///
    /// If the number of bytes does not fit the number of messages, or if there are too many messages.
    pub fn offer(&self, messages: &Bytes, facts: &[Facts], header: Header, told: &mut impl Told) -> Offered {
        let size = self.size_in(messages, facts);
        assert!(
            facts.len() <= RUN && messages.len() == facts.len() * size && size <= self.options.size,
            "a run of messages"
        );
        self.state.with_on(
            told,
            |told, state| state.offer(self, messages, facts, header, told),
            |told, state| state.hand_over(self, header, told),
        )
    }

    /// Hands over as many messages as the ring has room for. The header contains the time, if messages
    /// expire, and the current command.
    pub fn refill(&self, now: Header, told: &mut impl Told) {
        self.state.run(|state| state.hand_over(self, now, told));
    }

    /// Accepts no more messages. Waiting messages are handed over as before.
    pub fn close(&self, now: Header, told: &mut impl Told) {
        self.state.with_on(
            told,
            |_, state| state.closed = true,
            |told, state| state.hand_over(self, now, told),
        );
    }

    /// Takes out the waiting messages, in the order in which they would have been handed over. Call it when
    /// the ring takes no more messages.
    pub fn take_all(&self, mut to: impl FnMut(&Bytes, Header)) {
        self.state.with(
            |state| {
                while let Some(parcel) = state.order.pop() {
                    to(state.cells.take(parcel), parcel.header);
                }
                // SYNC: handed-over (release)
                self.waiting.store(0, Ordering::Release);
            },
            |_| {},
        );
    }

    /// The size of each message of a run.
    #[inline]
    fn size_in(&self, messages: &Bytes, facts: &[Facts]) -> usize {
        if facts.len() == 1 { messages.len() } else { self.options.size }
    }

    /// How many more messages may go into the ring.
    #[inline]
    fn room(&self) -> u64 {
        self.options.ahead.saturating_sub(self.producers.ring().depth())
    }
}

impl Cells {
    #[inline]
    fn get(&self, parcel: Parcel) -> &Bytes {
        &self.bytes[parcel.cell as usize * self.size..][..parcel.length as usize]
    }

    /// Stores a message. The caller has made sure that there is space.
    #[inline]
    fn put(&mut self, message: &Bytes, header: Header) -> Parcel {
        let cell = self.free.pop().expect("there are as many cells as messages");
        self.bytes[cell as usize * self.size..][..message.len()].copy_from_slice(message);
        Parcel { cell, length: message.len() as u32, header }
    }

    /// Returns a message that has left the order. Its cell is free from here on, and the next stored message
    /// overwrites it.
    #[inline]
    fn take(&mut self, parcel: Parcel) -> &Bytes {
        self.free.push(parcel.cell);
        self.get(parcel)
    }
}

impl State {
    fn offer(
        &mut self,
        front: &Front,
        messages: &Bytes,
        facts: &[Facts],
        header: Header,
        told: &mut impl Told,
    ) -> Offered {
        if self.closed {
            return Offered { taken: 0, refused: Some(Refused::Closed) };
        }
        let before = self.order.len();
        let size = front.size_in(messages, facts);
        let mut taken = 0;
        if self.order.is_empty() && !front.options.priority {
            taken = self.pass(front, messages, facts, header, told);
        }
        let mut refused = None;
        // Whether the ring may have room that was not checked yet.
        let mut may_advance = true;
        while let Some(&facts) = facts.get(taken) {
            let message = &messages[taken * size..][..size];
            // Checked before the space: a duplicate is a duplicate on a full queue as well.
            let vacancy = match (&self.window, facts.key) {
                (Some(window), Some(key)) => match window.look_up(key) {
                    Some(vacancy) => Some((vacancy, key)),
                    None => {
                        told.gone(Fate::Duplicate, message, header);
                        taken += 1;
                        continue;
                    }
                },
                _ => None,
            };
            if self.order.is_full() && std::mem::take(&mut may_advance) {
                self.advance(front, header, told);
            }
            if self.order.is_full() {
                match front.options.backpressure {
                    Backpressure::Block | Backpressure::Reject => {
                        refused = Some(Refused::Full);
                        break;
                    }
                    Backpressure::DropOldest if self.order.lowest() <= Some(facts.priority) => {
                        if let Some(oldest) = self.order.evict() {
                            told.gone(Fate::Evicted, self.cells.take(oldest), oldest.header);
                        }
                    }
                    Backpressure::DropOldest | Backpressure::DropNew => {
                        told.gone(Fate::Discarded, message, header);
                        taken += 1;
                        continue;
                    }
                }
            }
            self.order.push(facts.priority, self.cells.put(message, header));
            if let (Some(window), Some((vacancy, key))) = (&mut self.window, vacancy) {
                window.insert(vacancy, key);
            }
            self.accepted += 1;
            taken += 1;
        }
        self.advance(front, header, told);
        self.tell_freed(before, told);
        Offered { taken, refused }
    }

    /// Hands messages over at once, as far as there is room, because none waits. Returns how many it has
    /// processed.
    fn pass(
        &mut self,
        front: &Front,
        messages: &Bytes,
        facts: &[Facts],
        header: Header,
        told: &mut impl Told,
    ) -> usize {
        let room = front.room().min(front.options.capacity as u64).min(facts.len() as u64) as usize;
        let size = front.size_in(messages, facts);
        let mut fresh = [0u8; RUN];
        let mut count = 0;
        for (i, facts) in facts[..room].iter().enumerate() {
            if let (Some(window), Some(key)) = (&mut self.window, facts.key) {
                let Some(vacancy) = window.look_up(key) else {
                    told.gone(Fate::Duplicate, &messages[i * size..][..size], header);
                    continue;
                };
                // There is room for it: in the ring, or else here.
                window.insert(vacancy, key);
            }
            fresh[count] = i as u8;
            count += 1;
        }
        if count == 0 {
            return room;
        }
        self.accepted += count as u64;
        // SYNC: accepted (release)
        front.accepted.store(self.accepted, Ordering::Release);
        let mut fresh = fresh[..count].iter().map(|&i| &messages[usize::from(i) * size..][..size]);
        // Other producers of the ring may have taken the room.
        if let Ok(mut slots) = front.producers.reserve(count as u32) {
            for message in fresh.by_ref().take(slots.remaining() as usize) {
                let header = told.hands_over(slots.ticket(), header);
                // SAFETY: it was offered, so it is what the ring carries, by the promise of `new`.
                unsafe { slots.write_bytes(message, header) };
            }
            told.moved();
        }
        for message in fresh {
            self.order.push(0, self.cells.put(message, header));
        }
        room
    }

    fn hand_over(&mut self, front: &Front, now: Header, told: &mut impl Told) {
        let before = self.order.len();
        self.advance(front, now, told);
        self.tell_freed(before, told);
    }

    fn tell_freed(&self, before: usize, told: &mut impl Told) {
        let after = self.order.len();
        if after < before {
            told.freed(before - after);
        }
    }

    /// Hands over as many messages as there is room for, and takes out the expired messages that come before
    /// them.
    fn advance(&mut self, front: &Front, now: Header, told: &mut impl Told) {
        // SYNC: accepted (release)
        front.accepted.store(self.accepted, Ordering::Release);
        loop {
            self.expire(front, now, told);
            let waiting = self.order.len();
            // SYNC: handed-over (release)
            front.waiting.store(waiting, Ordering::Release);
            let room = if waiting == 0 { 0 } else { front.room().min(waiting as u64) };
            if room == 0 {
                break;
            }
            let Ok(mut slots) = front.producers.reserve(room as u32) else { break };
            let count = slots.remaining() as usize;
            // SYNC: handed-over (release): after the tickets, before any slot is published.
            front.waiting.store(waiting - count, Ordering::Release);
            for _ in 0..count {
                // It has not expired: all expired messages before it were taken out.
                let Some(parcel) = self.order.pop() else { break };
                let message = self.cells.take(parcel);
                let header = told.hands_over(slots.ticket(), parcel.header);
                // SAFETY: as in `pass`.
                unsafe { slots.write_bytes(message, Header { command: now.command, ..header }) };
                if front.options.expiry.is_some() {
                    self.expire(front, now, told);
                }
            }
            // Messages that expired meanwhile leave slots unused. These become tombstones.
            drop(slots);
            told.moved();
        }
    }

    /// Takes out messages from the start of the order, as long as they have expired.
    fn expire(&mut self, front: &Front, now: Header, told: &mut impl Told) {
        let Some(lifetime) = front.options.expiry else { return };
        while self.order.next_at().is_some_and(|at| now.enqueue_time.saturating_sub(at) >= lifetime) {
            if let Some(parcel) = self.order.pop() {
                told.gone(Fate::Expired, self.cells.take(parcel), parcel.header);
            }
        }
    }
}

impl Order {
    #[inline]
    fn len(&self) -> usize {
        match self {
            Self::Fifo { parcels, .. } => parcels.len(),
            Self::ByPriority(buckets) => buckets.len(),
        }
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[inline]
    fn is_full(&self) -> bool {
        match self {
            Self::Fifo { parcels, capacity } => parcels.len() >= *capacity,
            Self::ByPriority(buckets) => buckets.is_full(),
        }
    }

    /// The caller has made sure that there is space.
    #[inline]
    fn push(&mut self, priority: u8, parcel: Parcel) {
        match self {
            Self::Fifo { parcels, .. } => parcels.push_back(parcel),
            Self::ByPriority(buckets) => buckets.push(priority, parcel.header.enqueue_time, parcel),
        }
    }

    /// When the next message was accepted.
    #[inline]
    fn next_at(&self) -> Option<u64> {
        match self {
            Self::Fifo { parcels, .. } => parcels.front().map(|parcel| parcel.header.enqueue_time),
            Self::ByPriority(buckets) => buckets.highest().map(|priority| buckets.accepted_at(priority)),
        }
    }

    #[inline]
    fn pop(&mut self) -> Option<Parcel> {
        match self {
            Self::Fifo { parcels, .. } => parcels.pop_front(),
            Self::ByPriority(buckets) => buckets.highest().map(|priority| buckets.pop(priority)),
        }
    }

    /// The lowest priority present; 0 if there are no priorities.
    fn lowest(&self) -> Option<u8> {
        match self {
            Self::Fifo { parcels, .. } => parcels.front().map(|_| 0),
            Self::ByPriority(buckets) => buckets.lowest(),
        }
    }

    /// Takes the oldest message of the lowest priority.
    fn evict(&mut self) -> Option<Parcel> {
        match self {
            Self::Fifo { parcels, .. } => parcels.pop_front(),
            Self::ByPriority(buckets) => buckets.lowest().map(|priority| buckets.pop(priority)),
        }
    }
}

impl std::fmt::Debug for Front {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Front")
            .field("options", &self.options)
            .field("waiting", &self.waiting.load(Ordering::Relaxed))
            .finish_non_exhaustive()
    }
}
