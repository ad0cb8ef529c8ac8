//! A kernel's dead letters: how they get from the rings of its shards into a store that the program reads.
//!
//! When a handler fails, the block puts the message into its shard's ring of dead letters before it gives the
//! message's slot back. So whoever sees the message consumed finds the dead letter, in the store or in the
//! ring. Whoever collects moves one dead letter at a time from the ring into the store, under the ring's
//! lock. So there is no moment at which it is in neither.
//!
//! Dead letters are kept as bytes in a backlog, until the program asks for them. It gets a store that knows
//! their type; so the store is compiled only for programs that ask for it. The store replaces the backlog,
//! under the backlog's lock.
//!
//! # Who collects
//!
//! A ring has room for as many dead letters as the host keeps ([`ring_capacity`]). What finds no room is lost, and counted.
//! Those collect who hear of failures: on the CPU the block itself, after each turn; of a device the pump, which looks at least
//! every 50 ms. Besides, whoever asks for the store or the status collects, and so does whoever finds that the kernel has
//! drained. So a program that waits until its kernels have drained loses none of what fails in between, if a ring has room for
//! that.
//!
//! [`Redriving`] sends no more messages again than a ring has room for, until they are handled and their dead letters
//! collected.
//!
//! # Code of the program
//!
//! Two parts of this are code of the program, and run with no lock held: the function for the message's id,
//! which is called before the dead letter is moved, and the alert. Alerts come one after the other, in the
//! order of the dead letters, since only one thread at a time tells them. A collector may find that another
//! one is already telling alerts; then it leaves its alerts to that one. (The other one may be further up on
//! its own stack, if the alert asks for dead letters.) Whoever asks for the status, or waits until the kernel has drained, may
//! hold locks that the alert takes. So alerts of what was collected there wait for the next report, which comes in any case,
//! since the pump or the block has not yet reported these dead letters.

use std::{
    any::Any,
    collections::VecDeque,
    sync::{OnceLock, PoisonError},
    time::SystemTime,
};

use annulus_abi::error::{self, ErrorName};
use annulus_kernel::{KernelDefinition, KernelMessage};
use annulus_queue::{Alert, DeadLetters, Reason};
use annulus_ring::ring::Consumer;
use annulus_sync::{Mutex, MutexGuard, combining::CombiningLock, contain::contained};

use crate::kernel::{
    bytes::{ByteQueue, Bytes, blank},
    carried::Carried,
};

/// The fewest and the most slots of a shard's ring of dead letters. Source: this project's choice.
const LEAST_SLOTS: u32 = 64;
const MOST_SLOTS: u32 = 65_536;
/// The most bytes of such a ring, if it has more than the fewest slots. Source: this project's choice; a launch with a block for
/// each of the 132 multiprocessors of an H100 then takes a gigabyte at most.
const MOST_BYTES: usize = 8 << 20;

/// Slots of a shard's ring of dead letters, of which each takes so many bytes: as many as the host keeps, and as a block
/// takes messages in an iteration, so that on the CPU, where each turn's are collected after it, none is lost.
pub(crate) const fn ring_capacity(kept: u32, iteration: u32, slot: usize) -> u32 {
    let wanted = if kept > iteration { kept } else { iteration };
    let wanted = if wanted < MOST_SLOTS { wanted.next_power_of_two() } else { MOST_SLOTS };
    let fit = MOST_BYTES / slot;
    let fit = if fit == 0 { 0 } else { 1 << fit.ilog2() };
    let slots = if (wanted as usize) < fit { wanted } else { fit as u32 };
    if slots < LEAST_SLOTS { LEAST_SLOTS } else { slots }
}

/// Returns the id of a message. The bytes must be a message of the kernel.
pub(crate) type MessageId = unsafe fn(&Bytes) -> Option<u64>;

/// The [`MessageId`] of messages of type `M`.
///
/// # Safety
///
/// The bytes are an `M`.
pub(crate) unsafe fn id_of<M: KernelMessage>(message: &Bytes) -> Option<u64> {
    // What has no id need not be read.
    if !M::IDENTIFIED && M::BRIDGED.is_some() {
        return None;
    }
    // SAFETY: by the caller's word.
    unsafe { M::of_bytes(message) }.id()
}

/// The dead letters of a kernel, and the host's ends of the shards' rings.
pub(crate) struct DeadLetterBacklog {
    id: MessageId,
    /// The names of the kernel's failures.
    names: &'static [ErrorName],
    /// Whether its handler may send messages to itself.
    has_timers: bool,
    /// They carry messages of the kernel.
    rings: Box<[Mutex<Consumer>]>,
    /// Slots of each of them.
    room: u64,
    /// The dead letters that were collected before there was a store.
    backlog: Mutex<Backlog>,
    /// The store, once the program has asked for it. Set under the backlog's lock.
    store: OnceLock<Box<dyn Store>>,
    /// Alerts that are still to be told.
    alerts: Mutex<VecDeque<Alert>>,
    /// Held by the thread that tells them.
    teller: CombiningLock<()>,
    redriving: Mutex<Redriving>,
}

/// Messages that were sent again, and of which nobody knows yet that they are handled and their dead letters collected.
#[derive(Default)]
struct Redriving {
    /// At least as many as there are. Never more than a ring has room for.
    open: u64,
    /// Of these, those that a thread is about to send.
    about: u64,
    /// All that ever were.
    all: u64,
}

/// The latest dead letters: at most as many as the store may hold.
struct Backlog {
    capacity: usize,
    messages: ByteQueue,
    stamps: VecDeque<Stamp>,
    evicted: u64,
}

/// What a dead letter says about its message.
struct Stamp {
    id: Option<u64>,
    cause: Cause,
    at: SystemTime,
}

/// Why a message is in a dead letter.
#[derive(Clone, Copy)]
enum Cause {
    /// The error code: its handler failed, or it is for no actor.
    Code(u16),
    /// It is for no actor, and may be one that the handler has sent to itself.
    NoActorLater,
    /// An error code that the program has named.
    Named(&'static ErrorName),
    Expired,
}

/// A store of messages of any type.
trait Store: Send + Sync {
    /// Puts a dead letter in; returns what the alert is to be told.
    ///
    /// # Safety
    ///
    /// `message` is a message of the store's type.
    unsafe fn bury(&self, message: &Bytes, stamp: Stamp) -> Option<Alert>;
    fn count_evicted(&self, dead_letters: u64);
    fn tell(&self, alert: &Alert);
    /// Whoever knows the type gets the typed store with this.
    fn as_any(&self) -> &dyn Any;
}

impl<M: KernelMessage> Store for DeadLetters<M> {
    unsafe fn bury(&self, message: &Bytes, stamp: Stamp) -> Option<Alert> {
        let Stamp { id, cause, at } = stamp;
        // SAFETY: an `M` by the caller's word.
        let message = unsafe { M::of_bytes(message) };
        self.bury_silently(message, id, reason(cause), at).1
    }

    fn count_evicted(&self, dead_letters: u64) {
        DeadLetters::count_evicted(self, dead_letters);
    }

    fn tell(&self, alert: &Alert) {
        DeadLetters::tell(self, alert);
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

fn reason(cause: Cause) -> Reason {
    match cause {
        Cause::Named(name) => Reason::Named(*name),
        Cause::Expired => Reason::Expired,
        Cause::Code(code @ error::UNKNOWN_ACTOR) => Reason::Invalid(error::describe(code).into()),
        Cause::NoActorLater => Reason::Invalid(
            format!("{}{}", error::describe(error::UNKNOWN_ACTOR), error::UNKNOWN_LATER_ACTOR).into(),
        ),
        Cause::Code(code) => Reason::Handler { code },
    }
}

impl DeadLetterBacklog {
    /// A backlog for at most `capacity` dead letters, from these rings.
    ///
    /// # Safety
    ///
    /// The rings carry messages of the type whose ids `id` knows, and nothing else.
    pub(crate) unsafe fn new(
        capacity: u32,
        id: MessageId,
        definition: &KernelDefinition,
        rings: impl Iterator<Item = Consumer>,
    ) -> Self {
        let rings: Box<[Consumer]> = rings.collect();
        let room = rings.first().map_or(0, |ring| ring.ring().layout().capacity.into());
        let backlog = Backlog {
            capacity: (capacity as usize).max(1),
            messages: ByteQueue::new(),
            stamps: VecDeque::new(),
            evicted: 0,
        };
        Self {
            id,
            names: definition.errors,
            has_timers: definition.timers.is_some(),
            rings: rings.into_iter().map(Mutex::new).collect(),
            room,
            backlog: Mutex::new(backlog),
            store: OnceLock::new(),
            alerts: Mutex::default(),
            teller: CombiningLock::new(()),
            redriving: Mutex::default(),
        }
    }

    /// The store, with all dead letters that the shards have published.
    ///
    /// # Safety
    ///
    /// `M` is the kernel's message type.
    pub(crate) unsafe fn collected<M: KernelMessage>(&self) -> Option<&DeadLetters<M>> {
        if self.store.get().is_none() {
            // SAFETY: by the caller's word.
            unsafe { self.open(|capacity| Box::new(DeadLetters::<M>::with_capacity(capacity))) };
        }
        self.collect_all();
        self.tell_alerts();
        self.store.get()?.as_any().downcast_ref()
    }

    /// Takes what is kept, with all dead letters that the shards have published, as long as nobody has asked for the store:
    /// then they are in that.
    #[cfg(feature = "registry")]
    pub(crate) fn take(&self, mut each: impl FnMut(&Bytes, Reason, SystemTime)) {
        self.collect_all();
        let mut backlog = lock(&self.backlog);
        while let Some((message, Stamp { cause, at, .. })) = backlog.pop() {
            each(message, reason(cause), at);
        }
    }

    /// Replaces the backlog by a store, unless there is a store already.
    ///
    /// # Safety
    ///
    /// The store is of the kernel's message type.
    unsafe fn open(&self, new: impl FnOnce(usize) -> Box<dyn Store>) {
        let mut backlog = lock(&self.backlog);
        if self.store.get().is_some() {
            return;
        }
        let store = new(backlog.capacity);
        store.count_evicted(backlog.evicted);
        while let Some((message, stamp)) = backlog.pop() {
            // SAFETY: the backlog has messages of the kernel; the store is of their type by the caller's
            // word. Nobody can have set its alert yet.
            let _ = unsafe { store.bury(message, stamp) };
        }
        // Nobody else sets it at the same time: that needs the lock.
        let _ = self.store.set(store);
    }

    /// Collects the dead letters that a shard has published, and tells of them.
    pub(crate) fn collect(&self, shard: usize) {
        self.collect_silently(shard);
        self.tell_alerts();
    }

    /// Collects the dead letters that all shards have published. Their alerts wait until somebody [tells](Self::collect) of
    /// some.
    pub(crate) fn collect_all(&self) {
        (0..self.rings.len()).for_each(|shard| self.collect_silently(shard));
    }

    fn collect_silently(&self, shard: usize) {
        let mut message = Box::default();
        loop {
            // A separate statement, so that the lock ends here. In the head of a `while let` the lock would
            // be held during the body.
            let first = self.front(&lock(&self.rings[shard]), &mut message);
            let Some(position) = first else { break };
            // SAFETY: it was just read, a message of the kernel.
            let id = contained(|| unsafe { (self.id)(&message) }).flatten();
            let mut ring = lock(&self.rings[shard]);
            let still_there = ring.peek().filter(|_| ring.position() == position);
            // If it is no longer there, somebody else has moved it meanwhile.
            let Some(slot) = still_there else { continue };
            let stamp = Stamp { id, cause: self.cause(slot.length as u16), at: SystemTime::now() };
            // SAFETY: as above.
            unsafe { self.bury(&message, stamp) };
            ring.advance(&slot);
            ring.give_back();
        }
    }

    /// Tells the alerts that wait, unless another thread does.
    fn tell_alerts(&self) {
        // A separate statement, so that the lock ends here.
        let none = lock(&self.alerts).is_empty();
        if !none {
            self.teller.run(|()| self.tell());
        }
    }

    /// Sends a message again by `send`, which says whether it was sent; unless its dead letter might find no room. Then
    /// returns what `otherwise` makes of the message. `pending` says how many messages of the kernel are not handled yet.
    pub(crate) fn send_again<M, S, R>(
        &self,
        message: M,
        pending: impl Fn() -> u64,
        send: impl FnOnce(M) -> Result<S, R>,
        otherwise: impl FnOnce(M) -> R,
    ) -> Result<S, R> {
        if !self.begin_sending() {
            self.recount(pending);
            if !self.begin_sending() {
                return Err(otherwise(message));
            }
        }
        let sent = send(message);
        let mut redriving = lock(&self.redriving);
        redriving.about -= 1;
        if sent.is_err() {
            redriving.open -= 1;
        }
        sent
    }

    /// Counts one more message that is sent again, if there is room for its dead letter.
    fn begin_sending(&self) -> bool {
        let mut redriving = lock(&self.redriving);
        let has_room = redriving.open < self.room;
        if has_room {
            redriving.open += 1;
            redriving.about += 1;
            redriving.all += 1;
        }
        has_room
    }

    /// Forgets those that are handled.
    fn recount(&self, pending: impl Fn() -> u64) {
        let (about, all) = {
            let redriving = lock(&self.redriving);
            (redriving.about, redriving.all)
        };
        // In this order: a block shows a dead letter before it gives the message's slot back.
        let pending = pending();
        self.collect_all();
        let mut redriving = lock(&self.redriving);
        let since = redriving.all - all;
        redriving.open = redriving.open.min(pending + about + since);
    }

    /// Takes messages that expired before a shard took them. Called with no lock held, since it asks for
    /// their ids, and may call the alert.
    ///
    /// # Safety
    ///
    /// They are messages of the kernel.
    pub(crate) unsafe fn bury_expired(&self, mut messages: ByteQueue) {
        while let Some(message) = messages.pop() {
            // SAFETY: by the caller's word.
            let id = contained(|| unsafe { (self.id)(message) }).flatten();
            let stamp = Stamp { id, cause: Cause::Expired, at: SystemTime::now() };
            // SAFETY: by the caller's word.
            unsafe { self.bury(message, stamp) };
        }
        self.tell_alerts();
    }

    fn cause(&self, code: u16) -> Cause {
        match self.names.iter().find(|name| name.code == code) {
            Some(name) => Cause::Named(name),
            None if code == error::UNKNOWN_ACTOR && self.has_timers => Cause::NoActorLater,
            None => Cause::Code(code),
        }
    }

    /// Copies the message of the dead letter at the front of a ring; returns its position.
    fn front(&self, ring: &Consumer, message: &mut Box<Bytes>) -> Option<u64> {
        let slot = ring.peek()?;
        // SAFETY: the slot was just peeked; blocks copy messages into rings of dead letters.
        let size = unsafe { ring.bytes_of(&slot) };
        if message.len() != size {
            *message = blank(size);
        }
        // SAFETY: as above.
        unsafe { ring.read_bytes(&slot, message) };
        Some(ring.position())
    }

    /// Puts a dead letter into the store, or into the backlog if there is no store yet. What the alert is to be told waits
    /// until somebody [tells](Self::tell_alerts) it.
    ///
    /// # Safety
    ///
    /// `message` is a message of the kernel.
    unsafe fn bury(&self, message: &Bytes, stamp: Stamp) {
        if self.store.get().is_none() {
            let mut backlog = lock(&self.backlog);
            if self.store.get().is_none() {
                return backlog.push(message, stamp);
            }
        }
        let Some(store) = self.store.get() else { return };
        // SAFETY: the store is of the kernel's message type (`open`).
        if let Some(alert) = unsafe { store.bury(message, stamp) } {
            lock(&self.alerts).push_back(alert);
        }
    }

    /// Tells all waiting alerts.
    fn tell(&self) {
        // There are no alerts without a store.
        let Some(store) = self.store.get() else { return };
        loop {
            let next = lock(&self.alerts).pop_front();
            let Some(alert) = next else { return };
            // This thread may be a worker or the pump.
            contained(|| store.tell(&alert));
        }
    }
}

impl Backlog {
    fn push(&mut self, message: &Bytes, stamp: Stamp) {
        if self.stamps.len() == self.capacity {
            self.pop();
            self.evicted += 1;
        }
        self.messages.push(message);
        self.stamps.push_back(stamp);
    }

    fn pop(&mut self) -> Option<(&Bytes, Stamp)> {
        let stamp = self.stamps.pop_front()?;
        Some((self.messages.pop()?, stamp))
    }
}

/// The locked value is complete at every point where a panic could poison its lock, so poison is ignored.
fn lock<T>(locked: &Mutex<T>) -> MutexGuard<'_, T> {
    locked.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rings_follow_what_is_kept() {
        let of = |kept| ring_capacity(kept, 64, 64);
        assert_eq!([1, 64, 65, 100, 2000].map(of), [64, 64, 128, 128, 2048]);
        assert_eq!([65_535, 65_536, 65_537, u32::MAX].map(of), [65_536; 4]);
        // An iteration's messages may all fail.
        assert_eq!(ring_capacity(100, 1000, 64), 1024);
        // Large messages: no more than 8 MiB, except for the fewest slots.
        assert_eq!(
            [128, 4352, 65_792, 1 << 30].map(|slot| ring_capacity(u32::MAX, 1, slot)),
            [65_536, 1024, 64, 64]
        );
    }
}
