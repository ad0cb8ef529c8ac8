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
//! Two parts of this are code of the program, and run with no lock held: the function for the message's id,
//! which is called before the dead letter is moved, and the alert. Alerts come one after the other, in the
//! order of the dead letters, since only one thread at a time tells them. A collector may find that another
//! one is already telling alerts; then it leaves its alerts to that one. (The other one may be further up on
//! its own stack, if the alert asks for dead letters.)

use std::{
    any::Any,
    collections::VecDeque,
    sync::{OnceLock, PoisonError},
    time::SystemTime,
};

use annulus_abi::error::{self, ErrorName};
use annulus_kernel::KernelMessage;
use annulus_queue::{Alert, DeadLetters, Reason};
use annulus_ring::ring::Consumer;
use annulus_sync::{Mutex, MutexGuard, combining::CombiningLock, contain::contained};

use crate::kernel::{
    bytes::{ByteQueue, Bytes, blank},
    carried::Carried,
};

/// Slots of a shard's ring of dead letters. Source: this project's choice; dead letters are collected at each
/// report of progress.
pub(crate) const RING_CAPACITY: u32 = 64;

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
    /// They carry messages of the kernel.
    rings: Box<[Mutex<Consumer>]>,
    /// The dead letters that were collected before there was a store.
    backlog: Mutex<Backlog>,
    /// The store, once the program has asked for it. Set under the backlog's lock.
    store: OnceLock<Box<dyn Store>>,
    /// Alerts that are still to be told.
    alerts: Mutex<VecDeque<Alert>>,
    /// Held by the thread that tells them.
    teller: CombiningLock<()>,
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
        names: &'static [ErrorName],
        rings: impl Iterator<Item = Consumer>,
    ) -> Self {
        let backlog = Backlog {
            capacity: (capacity as usize).max(1),
            messages: ByteQueue::new(),
            stamps: VecDeque::new(),
            evicted: 0,
        };
        Self {
            id,
            names,
            rings: rings.map(Mutex::new).collect(),
            backlog: Mutex::new(backlog),
            store: OnceLock::new(),
            alerts: Mutex::default(),
            teller: CombiningLock::new(()),
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
        (0..self.rings.len()).for_each(|shard| self.collect(shard));
        self.store.get()?.as_any().downcast_ref()
    }

    /// Takes what is kept, with all dead letters that the shards have published, as long as nobody has asked for the store:
    /// then they are in that.
    #[cfg(feature = "registry")]
    pub(crate) fn take(&self, mut each: impl FnMut(&Bytes, Reason, SystemTime)) {
        (0..self.rings.len()).for_each(|shard| self.collect(shard));
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

    /// Collects the dead letters that a shard has published.
    pub(crate) fn collect(&self, shard: usize) {
        let mut alerts = false;
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
            alerts |= unsafe { self.bury(&message, stamp) };
            ring.advance(&slot);
            ring.give_back();
        }
        if alerts {
            self.teller.run(|()| self.tell());
        }
    }

    /// Takes messages that expired before a shard took them. Called with no lock held, since it asks for
    /// their ids, and may call the alert.
    ///
    /// # Safety
    ///
    /// They are messages of the kernel.
    pub(crate) unsafe fn bury_expired(&self, mut messages: ByteQueue) {
        let mut alerts = false;
        while let Some(message) = messages.pop() {
            // SAFETY: by the caller's word.
            let id = contained(|| unsafe { (self.id)(message) }).flatten();
            let stamp = Stamp { id, cause: Cause::Expired, at: SystemTime::now() };
            // SAFETY: by the caller's word.
            alerts |= unsafe { self.bury(message, stamp) };
        }
        if alerts {
            self.teller.run(|()| self.tell());
        }
    }

    fn cause(&self, code: u16) -> Cause {
        let name = self.names.iter().find(|name| name.code == code);
        name.map_or(Cause::Code(code), Cause::Named)
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

    /// Puts a dead letter into the store, or into the backlog if there is no store yet. Returns whether there
    /// is something to [tell](Self::tell) the alert.
    ///
    /// # Safety
    ///
    /// `message` is a message of the kernel.
    unsafe fn bury(&self, message: &Bytes, stamp: Stamp) -> bool {
        if self.store.get().is_none() {
            let mut backlog = lock(&self.backlog);
            if self.store.get().is_none() {
                backlog.push(message, stamp);
                return false;
            }
        }
        let Some(store) = self.store.get() else { return false };
        // SAFETY: the store is of the kernel's message type (`open`).
        let Some(alert) = (unsafe { store.bury(message, stamp) }) else { return false };
        lock(&self.alerts).push_back(alert);
        true
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
