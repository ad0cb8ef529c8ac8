//! A queue with policies in front of a ring: priority, deduplication, expiry and eviction reach what waits
//! here, and nothing of what has gone on.
//!
//! A ring is first in, first out, and its messages belong to its consumer, which may be a device. So a
//! message waits in front until the ring holds fewer than [`ahead`](FrontOptions::ahead) messages; whoever
//! sends, and whoever hears that the consumer has taken some, moves messages on. The next in order go first:
//! by priority where there are priorities, else as they came.
//!
//! # States of a message
//!
//! *Offered* → *waiting* → *handed over*. An offered message may end as a duplicate, discarded or refused; a
//! waiting one as evicted or expired; one that was handed over is in the ring. A message that finds nobody
//! waiting and room in the ring is handed over at once.
//!
//! # Words and writers
//!
//! | word | written by | read by |
//! |---|---|---|
//! | the store, the window, `closed`, the count of what was ever accepted | whoever holds the lock of the [`CombiningLock`] | the same |
//! | `waiting`: how many messages wait | the same | anybody, without the lock |
//! | `accepted`: how many were ever accepted | the same | anybody, without the lock |
//! | the ring | whoever holds the lock, through [`Producers`]; and other producers of that ring | its consumer |
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
//! * *None arrives that was not accepted.* `accepted` goes up before the slot is published; whoever sees that
//!   the consumer has taken a message sees it counted.
//! * *Closing and sending happen one before the other*, since both hold the lock: what was accepted before
//!   [`Front::close`] is moved on or [taken out](Front::take_all), and nothing is accepted after it.
//!
//! The lock is a mutex, held for as long as 64 messages take (about a microsecond). No code of the program's
//! runs under it: what is asked of a message ([`Facts`]) is asked before, and what becomes of it is told to a
//! [`Told`], which only takes note.
//!
//! Messages are bytes here, so that this is compiled once. What waits lies in cells of one block of memory,
//! and its place in the order refers to its cell.

use std::{collections::VecDeque, mem::MaybeUninit};

use crate::{Backpressure, buckets::Buckets, window::Window};
use annulus_ring::ring::{Header, Producers, Refused};
use annulus_sync::{AtomicU64, AtomicUsize, Ordering, combining::CombiningLock};

/// The bytes of a message, or of a place for one. Those of padding may be uninitialised.
pub type Bytes = [MaybeUninit<u8>];

/// At most this many messages are offered under one lock.
pub const RUN: usize = 64;

/// How a front is made. What is validated elsewhere is not looked at here.
#[derive(Clone, Copy, Debug)]
pub struct FrontOptions {
    /// Bytes of a message.
    pub size: usize,
    /// How many messages wait at most: 1 to 2^20.
    pub capacity: usize,
    /// What happens to a message when as many wait.
    pub backpressure: Backpressure,
    /// Whether messages leave by [`Facts::priority`], 255 first.
    pub priority: bool,
    /// How many accepted keys are remembered, if duplicates are to be recognised: 1 to 65,536.
    pub window: Option<usize>,
    /// How long a message waits at most, in nanoseconds, from its [`Header::enqueue_time`] on.
    pub expiry: Option<u64>,
    /// The ring is filled while it holds fewer messages than this.
    pub ahead: u64,
}

/// What a front must know of a message.
#[derive(Clone, Copy, Debug, Default)]
pub struct Facts {
    /// 255 leaves first.
    pub priority: u8,
    /// By what it is recognised when it comes again; `None` if it is never a duplicate.
    pub key: Option<u64>,
}

/// Why a message is not, or no longer, in a front.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It left for a newer one.
    Evicted,
    /// It was new, and there was no space.
    Discarded,
    /// It had come before.
    Duplicate,
    /// It had waited for too long.
    Expired,
}

/// Takes note of what an operation did beside what it was asked for. Called under the front's lock: does
/// nothing else.
pub trait Told {
    /// This became of a message.
    fn gone(&mut self, fate: Fate, message: &Bytes, header: Header);
    /// Messages are in the ring now.
    fn moved(&mut self);
    /// So many more places are free than before.
    fn freed(&mut self, places: usize);
    /// A message is about to be put into the slot of this ticket, which the front holds and publishes after
    /// this. Asked once for each; returns the header that it is to have there.
    fn hands_over(&mut self, ticket: u64, header: Header) -> Header {
        let _ = ticket;
        header
    }
}

/// How far an offer got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offered {
    /// Messages of the front of the run that were accepted, discarded or recognised as duplicates.
    pub taken: usize,
    /// Why the next one was not.
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
    header: Header,
}

/// What waits, and in which order it leaves.
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
    /// The last that became free is the first to be used again: it is in the cache.
    free: Vec<u32>,
}

impl Front {
    /// A front of the ring that `producers` write to. All that it will ever need is allocated here.
    pub fn new(options: FrontOptions, producers: Producers) -> Self {
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

    /// How many messages were ever accepted, those included that have been evicted or have expired since.
    pub fn accepted(&self) -> u64 {
        // SYNC: accepted (acquire)
        self.accepted.load(Ordering::Acquire)
    }

    /// Offers messages, one for each of the facts, at most [`RUN`], in order, until one is refused: `Full`
    /// under Block and Reject. `messages` are their bytes, one behind the other. All get this header, whose
    /// time is now.
    ///
    /// What could be handed over then is in the ring.
    ///
    /// # Panics
    ///
    /// If there are not as many bytes as messages, or too many messages.
    pub fn offer(&self, messages: &Bytes, facts: &[Facts], header: Header, told: &mut impl Told) -> Offered {
        assert!(facts.len() <= RUN && messages.len() == facts.len() * self.options.size, "a run of messages");
        self.state.with_on(
            told,
            |told, state| state.offer(self, messages, facts, header, told),
            |told, state| state.hand_over(self, header, told),
        )
    }

    /// Hands over what there is room for. The header tells the time, if messages expire, and the command that
    /// is in force.
    pub fn refill(&self, now: Header, told: &mut impl Told) {
        self.state.run(|state| state.hand_over(self, now, told));
    }

    /// Accepts nothing any more. What waits is handed over as before.
    pub fn close(&self, now: Header, told: &mut impl Told) {
        self.state.with_on(
            told,
            |_, state| state.closed = true,
            |told, state| state.hand_over(self, now, told),
        );
    }

    /// Takes out what waits, in the order in which it would have been handed over; to be called when the ring
    /// takes nothing any more.
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

    /// How many more messages are to be in the ring.
    #[inline]
    fn room(&self) -> u64 {
        self.options.ahead.saturating_sub(self.producers.ring().depth())
    }
}

impl Cells {
    #[inline]
    fn get(&self, cell: u32) -> &Bytes {
        &self.bytes[cell as usize * self.size..][..self.size]
    }

    /// Keeps a message. The caller knows that there is space.
    #[inline]
    fn put(&mut self, message: &Bytes, header: Header) -> Parcel {
        let cell = self.free.pop().expect("there are as many cells as messages");
        self.bytes[cell as usize * self.size..][..self.size].copy_from_slice(message);
        Parcel { cell, header }
    }

    /// A message that has left the order. Its place is free from here on, and written by the next that is
    /// kept.
    #[inline]
    fn take(&mut self, parcel: Parcel) -> &Bytes {
        self.free.push(parcel.cell);
        self.get(parcel.cell)
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
        let mut taken = 0;
        if self.order.is_empty() && !front.options.priority {
            taken = self.pass(front, messages, facts, header, told);
        }
        let mut refused = None;
        // Whether there may be room in the ring that nobody has looked at.
        let mut may_advance = true;
        while let Some(&facts) = facts.get(taken) {
            let message = &messages[taken * front.options.size..][..front.options.size];
            // Before space is looked for: a duplicate is one on a full queue as well.
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

    /// Hands messages over at once, as far as there is room, since none waits; says how many it has dealt
    /// with.
    fn pass(
        &mut self,
        front: &Front,
        messages: &Bytes,
        facts: &[Facts],
        header: Header,
        told: &mut impl Told,
    ) -> usize {
        let room = front.room().min(front.options.capacity as u64).min(facts.len() as u64) as usize;
        let size = front.options.size;
        let mut fresh = [0u8; RUN];
        let mut count = 0;
        for (i, facts) in facts[..room].iter().enumerate() {
            if let (Some(window), Some(key)) = (&mut self.window, facts.key) {
                let Some(vacancy) = window.look_up(key) else {
                    told.gone(Fate::Duplicate, &messages[i * size..][..size], header);
                    continue;
                };
                // There is room for it, here if not in the ring.
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
                slots.write_bytes(message, header);
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

    /// Hands over what there is room for, and takes out what has expired as far as it stands before that.
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
                // It lives: what has expired was taken out, up to the first that lives.
                let Some(parcel) = self.order.pop() else { break };
                let message = self.cells.take(parcel);
                let header = told.hands_over(slots.ticket(), parcel.header);
                slots.write_bytes(message, Header { command: now.command, ..header });
                if front.options.expiry.is_some() {
                    self.expire(front, now, told);
                }
            }
            // What expired on the way leaves slots over. They become tombstones.
            drop(slots);
            told.moved();
        }
    }

    /// Takes out what has expired and is next.
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

    /// The caller knows that there is space.
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

    /// The lowest priority present; 0 where there are none.
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
