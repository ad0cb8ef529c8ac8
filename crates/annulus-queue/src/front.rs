//! Queues with policies in front of a ring. Priority, deduplication, expiry and eviction apply to messages
//! that wait here, and not to messages that are already in the ring.
//!
//! A ring is first in, first out, and its messages belong to its consumer, which may be a device. So a
//! message waits in front until the ring holds fewer than `ahead` messages ([`Front::new`]). A thread
//! that sends, or that learns that the consumer has taken some, moves messages on. They go in order: by
//! priority if there are priorities, else first in, first out.
//!
//! There may be several queues in front of one ring, called *lanes*. Each has its own options. A
//! [schedule](Share) says from which lane the next message is handed over. It decides as late as it can: for
//! each message, when there is room for it.
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
//! | the lanes (stores, windows, `closed`, counts) and the schedule | the thread that holds the lock of the [`CombiningLock`] | the same |
//! | `waiting`: how many messages wait, in all lanes | the same | anybody, without the lock |
//! | the word that [`Front::shown_by`] names: the same as `waiting`, a moment later | the same | observers; nothing rests on it |
//! | `accepted`: how many were ever accepted | the same | anybody, without the lock |
//! | a lane's counts ([`LaneCounts`]) | the same | anybody, without the lock |
//! | the ring | the lock's holder, through [`Producers`]; and other producers of that ring | its consumer |
//!
//! # Ordering
//!
//! * *Nobody is left behind.* Moving is the combining lock's job: after [`Front::refill`] has returned,
//!   messages were moved as far as there was room when it was called, or the thread that holds the lock will
//!   do it before it leaves (`SYNC: combining`).
//! * *Nobody is left behind where nothing waited.* The consumer gives slots back, fences, and loads `waiting`
//!   ([`Front::wants_refill`]); it calls `refill` only if a message waits. Whoever offers a message that
//!   waits stores `waiting`, fences (the lock does), and loads the ring's room (`SYNC: front-waits`). One of
//!   the two fences comes first. So the consumer sees the message, or the offering thread sees the room and
//!   calls `refill` itself. Only an offer makes `waiting` greater than 0, so no other thread has to look.
//! * *A message is always seen to be somewhere.* Its ticket in the ring comes first, then `waiting` goes
//!   down, then its slot is published. So whoever loads `waiting` and then the ring's depth finds each
//!   message at least once (`SYNC: handed-over`), and whoever has seen the consumer done with a message finds
//!   it no longer waiting.
//! * *No message arrives before it counts as accepted.* `accepted` is raised before the slot is published, so
//!   a reader that sees that the consumer has taken a message also sees it counted.
//! * *A lane's counts are never ahead.* `accepted` is stored last and read first (`SYNC: lane-counts`), so
//!   whoever subtracts those that wait never counts a message as gone that waits. If there are several lanes,
//!   they are stored before a message's slot is published. So whoever has seen the consumer done with the
//!   message finds it in `handed_over`.
//! * *Each send happens either before or after the close*, since both hold the lock: a message accepted
//!   before [`Front::close`] is moved on or [taken out](Front::take_all), and no message is accepted after
//!   it.
//!
//! The lock is a mutex, held for as long as 64 messages take (about a microsecond). The user's code never
//! runs under it: the properties of a message ([`Facts`]) are read before, and what happens to it is reported
//! to a [`Told`], which only records it.
//!
//! # What a message costs
//!
//! If none waits and the ring has room, messages are copied once, straight into their slots; a run with
//! priorities is sorted before (the private module `pass`). Otherwise a message waits in a cell of the lane's
//! memory, with its header in front of its bytes, and is copied twice (`store`). So a lane without priorities
//! hands over what waits before it looks at new messages: those may pass again as soon as possible. The
//! consumer has the ring filled only when it is low, because those who send do it, too, and they are often
//! the faster side.
//!
//! Messages are bytes here, so that this code is compiled once. Bridged messages have different sizes; a cell
//! has room for the largest one.

use std::mem::MaybeUninit;

use crate::Backpressure;
use annulus_ring::ring::{Header, Producers, Refused};
use annulus_sync::{AtomicU64, AtomicUsize, Ordering, combining::CombiningLock, fence};

mod cells;
mod lane;
mod pass;
mod schedule;
mod state;
mod store;

use lane::Lane;
use schedule::Schedule;
pub use schedule::Share;
use state::State;

/// The bytes of a message, or of a place for one. Padding bytes may be uninitialised.
pub type Bytes = [MaybeUninit<u8>];

/// At most this many messages are offered under one lock.
pub const RUN: usize = 64;

/// How a lane is made. These options are validated elsewhere, not here.
#[derive(Clone, Copy, Debug)]
pub struct LaneOptions {
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
    /// Its share of the messages that are handed over. A lane that is alone has all.
    pub share: Share,
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
    /// A message is not, or no longer, in this lane, for this reason.
    fn gone(&mut self, lane: usize, fate: Fate, message: &Bytes, header: Header);
    /// Messages are in the ring now.
    fn moved(&mut self);
    /// This many places of a lane became free.
    fn freed(&mut self, lane: usize, places: usize);
    /// A message will now be put into the slot of this ticket, which the front holds and publishes after this
    /// call. Called once for each message of a call, that is, if `correlation` is not 0. Returns the header
    /// that the message gets there.
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

/// The queues; see the module.
pub struct Front {
    state: CombiningLock<State>,
    waiting: AtomicUsize,
    /// Is told of each value of `waiting`, under the lock, so that the last one stays.
    shown: Option<Box<dyn Fn(usize) + Send + Sync>>,
    accepted: AtomicU64,
    /// One for each lane.
    lanes: Box<[LaneWords]>,
    /// The size of a message, in bytes; of bridged messages, that of the largest image.
    size: usize,
    /// The ring is filled while it holds fewer messages than this.
    ahead: u64,
    /// The consumer has the ring filled when it holds fewer messages than this: 1 to `ahead`.
    low: u64,
    producers: Producers,
}

#[derive(Default)]
struct LaneWords {
    waiting: AtomicUsize,
    accepted: AtomicU64,
    handed_over: AtomicU64,
}

/// How many messages of a lane were accepted, were handed over, and wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaneCounts {
    /// Ever accepted, including those that were evicted or have expired since.
    pub accepted: u64,
    /// Handed over to the ring.
    pub handed_over: u64,
    /// Waiting now.
    pub waiting: usize,
}

impl Front {
    /// A front of the ring that `producers` write to, for messages of `size` bytes. The ring is filled while
    /// it holds fewer than `ahead` messages: by those who offer messages, and, when it holds fewer than
    /// `low`, by the consumer. There is at least one lane. All memory is allocated here. Images of bridged
    /// messages have at most `size` bytes.
    ///
    /// # Safety
    ///
    /// If the ring carries bridged messages, only images of such messages are offered.
    pub unsafe fn new(
        size: usize,
        ahead: u64,
        low: u64,
        lanes: &[LaneOptions],
        producers: Producers,
    ) -> Self {
        assert!(!lanes.is_empty(), "a front has a lane");
        Self {
            state: CombiningLock::new(State {
                lanes: lanes.iter().map(|&options| Lane::new(options, size)).collect(),
                schedule: Schedule::new(lanes.iter().map(|options| options.share)),
                waiting: 0,
                accepted: 0,
            }),
            waiting: AtomicUsize::new(0),
            shown: None,
            accepted: AtomicU64::new(0),
            lanes: lanes.iter().map(|_| LaneWords::default()).collect(),
            size,
            ahead,
            low: low.clamp(1, ahead),
            producers,
        }
    }

    /// The bytes that [`new`](Self::new) allocates for what waits, and for what is remembered of duplicates.
    pub fn memory_usage(size: usize, lanes: &[LaneOptions]) -> usize {
        let lanes = lanes.iter().map(|options| Lane::bytes(options, size));
        lanes.fold(0, usize::saturating_add)
    }

    /// The same front, which tells `show` how many messages wait, each time that the number changes. `show` is called
    /// under the lock, so it must do nothing but store the number. A message that passes changes nothing.
    pub fn shown_by(self, show: impl Fn(usize) + Send + Sync + 'static) -> Self {
        Self { shown: Some(Box::new(show)), ..self }
    }

    /// Says how many messages wait. Called under the lock.
    #[inline]
    fn set_waiting(&self, waiting: usize) {
        // SYNC: handed-over (release)
        self.waiting.store(waiting, Ordering::Release);
        if let Some(show) = &self.shown {
            show(waiting);
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

    /// The counts of a lane. They are read one after the other, and are exact if nobody sends or takes.
    ///
    /// # Panics
    ///
    /// If there is no such lane.
    pub fn counts(&self, lane: usize) -> LaneCounts {
        let words = &self.lanes[lane];
        // First, since it was stored last.
        // SYNC: lane-counts (acquire)
        let accepted = words.accepted.load(Ordering::Acquire);
        LaneCounts {
            accepted,
            handed_over: words.handed_over.load(Ordering::Relaxed),
            waiting: words.waiting.load(Ordering::Relaxed),
        }
    }

    /// Offers messages to a lane in order, one for each of the facts and at most [`RUN`], until one is
    /// refused: `Full` under Block and Reject. `messages` has their bytes, one message after the other;
    /// bridged messages are offered one by one. All get this header; its time is now.
    ///
    /// On return, the messages that could be handed over are in the ring.
    ///
    /// # Panics
    ///
    /// If the number of bytes does not fit the number of messages, if there are too many messages, or if
    /// there is no such lane.
    pub fn offer(
        &self,
        lane: usize,
        messages: &Bytes,
        facts: &[Facts],
        header: Header,
        told: &mut impl Told,
    ) -> Offered {
        let size = self.size_in(messages, facts);
        assert!(
            facts.len() <= RUN && messages.len() == facts.len() * size && size <= self.size,
            "a run of messages"
        );
        let offered = self.state.with_on(
            told,
            |told, state| state.offer(self, lane, messages, facts, header, told),
            |told, state| state.hand_over(self, header, told),
        );
        // Only a message that was taken can have begun to wait.
        // SYNC: front-waits (behind the lock's fence)
        if offered.taken != 0 && self.waiting.load(Ordering::Relaxed) != 0 && self.room() != 0 {
            self.refill(header, told);
        }
        offered
    }

    /// Called after the consumer has given slots back: whether [`refill`](Self::refill) must be called. If
    /// not, nobody is left behind: either the consumer will come back, since its ring has messages, or
    /// whoever offers a message that waits sees the room. A SeqCst fence stands in this.
    #[inline]
    pub fn wants_refill(&self) -> bool {
        // SYNC: front-waits
        fence(Ordering::SeqCst);
        // Relaxed: these loads come after the fence.
        self.waiting.load(Ordering::Relaxed) != 0 && self.producers.ring().depth() < self.low
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
            |_, state| state.lanes.iter_mut().for_each(|lane| lane.closed = true),
            |told, state| state.hand_over(self, now, told),
        );
    }

    /// Accepts no more messages in one lane. Returns whether it was open.
    pub fn close_lane(&self, lane: usize, now: Header, told: &mut impl Told) -> bool {
        self.state.with_on(
            told,
            |_, state| !std::mem::replace(&mut state.lanes[lane].closed, true),
            |told, state| state.hand_over(self, now, told),
        )
    }

    /// Shows the message that this lane hands over next to `look`; `false` if none waits there. `look` is
    /// called under the lock, so it must do nothing but copy.
    pub fn peek(&self, lane: usize, now: Header, told: &mut impl Told, look: impl FnOnce(&Bytes)) -> bool {
        self.state.with_on(
            told,
            |told, state| {
                state.hand_over(self, now, told);
                state.lanes[lane].store.peek().map(look).is_some()
            },
            |told, state| state.hand_over(self, now, told),
        )
    }

    /// Takes out the messages that wait in one lane, in the order in which they would have been handed over.
    pub fn clear(&self, lane: usize, now: Header, told: &mut impl Told, mut to: impl FnMut(&Bytes, Header)) {
        self.state.with_on(
            told,
            |told, state| {
                state.expire(self, lane, now, told);
                while let Some(left) = state.pop(lane) {
                    let (message, header) = state.lanes[lane].store.get(left);
                    to(message, header);
                }
                self.set_waiting(state.waiting);
                state.show(self, lane);
                state.tell_freed(told);
            },
            |told, state| state.hand_over(self, now, told),
        );
    }

    /// Takes out the waiting messages with their lanes, in the order in which they would have been handed
    /// over. Call it when the ring takes no more messages.
    pub fn take_all(&self, mut to: impl FnMut(usize, &Bytes, Header)) {
        self.state.with(
            |state| {
                while let Some(lane) = state.next() {
                    let Some(left) = state.pop(lane) else { break };
                    let (message, header) = state.lanes[lane].store.get(left);
                    to(lane, message, header);
                }
                self.set_waiting(0);
                (0..state.lanes.len()).for_each(|lane| state.show(self, lane));
            },
            |_| {},
        );
    }

    /// The size of each message of a run.
    #[inline]
    fn size_in(&self, messages: &Bytes, facts: &[Facts]) -> usize {
        if facts.len() == 1 { messages.len() } else { self.size }
    }

    /// How many more messages may go into the ring.
    #[inline]
    fn room(&self) -> u64 {
        self.ahead.saturating_sub(self.producers.ring().depth())
    }
}

impl std::fmt::Debug for Front {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Front")
            .field("lanes", &self.lanes.len())
            .field("waiting", &self.waiting.load(Ordering::Relaxed))
            .finish_non_exhaustive()
    }
}
