//! The queues in front of a kernel's rings, one for each shard. They carry out its policies;
//! [`annulus_queue::front`] says how they work.
//!
//! A kernel has them if its launch asks for DropOldest, priority, deduplication or expiry, or names further
//! queues. Other kernels have none, and their messages go straight into the rings. Messages from other
//! kernels always go past these queues: on some devices the host never sees them.
//!
//! While the queue's lock is held, the effects of an operation are only noted. Afterwards the same thread
//! settles them: it notifies those who wait for space, wakes the shard, ends calls whose messages are gone,
//! and puts what has expired into the dead letters. Settling may run code of the program (a message's id, an
//! alert, a waker), so no lock is held then.
//!
//! # Who waits, and who tells them
//!
//! A send that waits for space waits for the queue in front, whatever room the ring has. Places become free
//! when messages are handed over or expire; whoever does that notifies as many waiters as there are free
//! places. A waiter that was notified may take no place, because its message has become a duplicate
//! meanwhile; then it notifies the next one. If duplicates are recognised, each message belongs to one shard,
//! by its key or else by its identity, so that duplicates go to the same shard. Then waiters wait for space
//! in that shard.
//!
//! A kernel is drained when nothing waits in front and nothing is in the rings. Expiry alone can bring this
//! about, so whoever settles expired messages tells those who watch.

use std::{mem::MaybeUninit, time::Duration};

use annulus_kernel::{BridgedMessage, KernelMessage, RingMessage, Visitor};
use annulus_queue::{
    Backpressure, Deduplication, SendOutcome, TrySendError,
    front::{Facts, Fate, Front, LaneOptions, RUN},
};
use annulus_ring::ring::{Archived, Header, Refused};
use annulus_sync::{AtomicBool, AtomicU64, Ordering, event::Event};

use crate::{
    kernel::{
        bytes::{Bytes, RawMessage, blank},
        calls::CallTable,
        carried::Carried,
        core::{HostShard, KernelCore},
        dead_letters::DeadLetterBacklog,
        drops::HostDrops,
        notes::{Back, Notes},
    },
    options::Inbound,
};

/// What the queues in front must know of messages: functions for the message type. All pointers must point to
/// valid messages.
#[derive(Clone, Copy)]
pub(crate) struct Asked {
    /// Whether the type declares an id.
    pub(crate) identified: bool,
    /// Writes the facts about messages that lie one behind the other, one for each element of the slice.
    facts: unsafe fn(*const u8, &Inbound, &mut [Facts]),
    /// The identity of a message: duplicates have the same one.
    identity: unsafe fn(*const u8) -> u64,
}

/// The queues in front, for each shard, or none.
pub(crate) struct Fronts {
    pub(super) fronts: Box<[Front]>,
    asked: Asked,
    /// One for each queue of the kernel, its own first, if it has named queues; else empty.
    pub(super) lanes: Box<[KernelLane]>,
}

/// One of several queues of a kernel.
pub(crate) struct KernelLane {
    /// Notified when the queue of some shard has space. Not used for the kernel's own.
    space: Event,
    /// The same for one shard each.
    spaces: Box<[Event]>,
    /// What it has dropped, which also counts for the kernel.
    pub(super) drops: HostDrops,
    /// Whether it was closed, other than with the kernel.
    pub(super) closed: AtomicBool,
}

/// The queues in front of a kernel, with the parts of the kernel that they need.
#[derive(Clone, Copy)]
pub(crate) struct FrontEnd<'a> {
    pub(crate) fronts: &'a Fronts,
    pub(crate) core: &'a KernelCore,
    pub(crate) dead_letters: Option<&'a DeadLetterBacklog>,
    pub(crate) calls: &'a CallTable,
}

/// An evicted message of at most this many bytes needs no memory from the heap.
const NEAR: usize = 256;

impl Asked {
    /// The functions for messages of type `M`.
    pub(crate) const fn of<M: KernelMessage>() -> Self {
        /// # Safety
        ///
        /// There are as many messages as facts, of bridged ones a single image.
        unsafe fn facts<M: KernelMessage>(messages: *const u8, options: &Inbound, to: &mut [Facts]) {
            M::visit(FactsOf(messages, options, to));
        }
        /// # Safety
        ///
        /// There is a message.
        unsafe fn identity<M: KernelMessage>(message: *const u8) -> u64 {
            M::visit(IdentityOf(message))
        }
        Self { identified: M::IDENTIFIED, facts: facts::<M>, identity: identity::<M> }
    }
}

struct FactsOf<'o, 't>(*const u8, &'o Inbound, &'t mut [Facts]);

impl<M: KernelMessage> Visitor<M> for FactsOf<'_, '_> {
    type Result = ();

    fn direct(self)
    where
        M: RingMessage,
    {
        let Self(messages, options, to) = self;
        // SAFETY: by the word of who made this; the caller borrows them meanwhile.
        let messages = unsafe { std::slice::from_raw_parts(messages.cast::<M>(), to.len()) };
        for (to, message) in to.iter_mut().zip(messages) {
            *to = facts_of(options, message);
        }
    }

    fn bridged(self)
    where
        M: BridgedMessage,
    {
        let Self(image, options, to) = self;
        if let Some(to) = to.first_mut() {
            // SAFETY: by the word of who made this; the caller borrows it meanwhile.
            *to = facts_of(options, &unsafe { read_image::<M>(image) });
        }
    }
}

struct IdentityOf(*const u8);

impl<M: KernelMessage> Visitor<M> for IdentityOf {
    type Result = u64;

    fn direct(self) -> u64
    where
        M: RingMessage,
    {
        // SAFETY: by the word of who made this.
        identity_of(unsafe { &*self.0.cast::<M>() })
    }

    fn bridged(self) -> u64
    where
        M: BridgedMessage,
    {
        // SAFETY: by the word of who made this.
        identity_of(&unsafe { read_image::<M>(self.0) })
    }
}

/// The message of an image.
///
/// # Safety
///
/// There is the image of an `M`.
unsafe fn read_image<M: KernelMessage>(image: *const u8) -> M {
    // SAFETY: by the caller's word.
    let length = unsafe { Archived::new(image) }.image_bytes();
    // SAFETY: the image has so many bytes.
    let image = unsafe { std::slice::from_raw_parts(image.cast(), length) };
    // SAFETY: by the caller's word.
    unsafe { M::of_bytes(image) }
}

/// The identity of a message: duplicates have the same one.
pub(crate) fn identity_of<M: KernelMessage>(message: &M) -> u64 {
    // A message without identity is a duplicate of no other, but needs one shard where it can wait.
    message.id().unwrap_or_else(|| message.hash())
}

impl Fronts {
    /// The queues that these options ask for. They keep at most two batches in each shard's ring.
    /// `runs_here`: blocks run on threads of this process.
    pub(crate) fn new(core: &KernelCore, shards: &[HostShard], asked: Asked, runs_here: bool) -> Self {
        let options = &core.options;
        if !options.has_policies() {
            return Self { fronts: Box::default(), asked, lanes: Box::default() };
        }
        let lanes: Vec<_> = (0..=options.queues.len()).map(|lane| lane_options(core.inbound(lane))).collect();
        let ahead = 2 * u64::from(core.max_batch());
        // A device goes on while the pump fills its ring. A block that runs here fills the ring itself, and
        // takes no message meanwhile: it leaves that to those who send, for as long as it has messages.
        let low = if runs_here { ahead / 4 } else { ahead };
        let front = |(index, shard): (usize, &HostShard)| {
            // SAFETY: messages of this kernel are offered, and bridged ones as images.
            let front = unsafe { Front::new(core.message_size(), ahead, low, &lanes, shard.inbound.clone()) };
            match core.home.as_ref().filter(|home| home.is_seen()) {
                Some(home) => front.shown_by(home.show_staged(index)),
                None => front,
            }
        };
        let named = if options.queues.is_empty() { 0 } else { lanes.len() };
        let lane = |_| KernelLane {
            space: Event::new(),
            spaces: shards.iter().map(|_| Event::new()).collect(),
            drops: HostDrops::default(),
            closed: AtomicBool::new(false),
        };
        Self {
            fronts: shards.iter().enumerate().map(front).collect(),
            asked,
            lanes: (0..named).map(lane).collect(),
        }
    }

    /// Counts what a queue has dropped, besides what the kernel counts. A kernel without named queues counts
    /// only once.
    #[inline]
    pub(crate) fn count(&self, lane: usize, cause: impl FnOnce(&HostDrops) -> &AtomicU64, messages: u64) {
        if let Some(lane) = self.lanes.get(lane) {
            cause(&lane.drops).fetch_add(messages, Ordering::Relaxed);
        }
    }

    /// Notified when a shard's queue has space. A message that may go to any shard waits for the first space.
    #[inline]
    pub(crate) fn space_of<'a>(&'a self, core: &'a KernelCore, lane: usize, shard: usize) -> &'a Event {
        let is_placed = core.definition.key.is_some() || core.deduplicates(lane);
        match lane {
            0 if is_placed => &core.shards[shard].space,
            0 => &core.space,
            lane if is_placed => &self.lanes[lane].spaces[shard],
            lane => &self.lanes[lane].space,
        }
    }

    /// Wakes all who wait for space in a queue, which was closed.
    pub(crate) fn notify_all(&self, lane: usize) {
        let Some(lane) = self.lanes.get(lane) else { return };
        lane.space.notify_all();
        lane.spaces.iter().for_each(Event::notify_all);
    }

    /// Whether somebody waits for space in a named queue.
    pub(crate) fn has_waiters(&self) -> bool {
        // SYNC: expected
        let waits =
            |lane: &KernelLane| lane.space.has_waiters() || lane.spaces.iter().any(Event::has_waiters);
        self.lanes.iter().any(waits)
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.fronts.is_empty()
    }

    /// How many messages wait in front of a shard's ring. Load this before the ring's depth.
    #[inline]
    pub(crate) fn waiting(&self, shard: usize) -> u64 {
        self.fronts.get(shard).map_or(0, |front| front.waiting() as u64)
    }

    /// How many messages the queues ever accepted; `None` if there are no queues.
    pub(crate) fn accepted(&self) -> Option<u64> {
        (!self.fronts.is_empty()).then(|| self.fronts.iter().map(Front::accepted).sum())
    }

    /// Takes out the messages that wait in front of a terminated shard.
    pub(crate) fn take_all(&self, shard: usize, mut to: impl FnMut(&Bytes)) {
        if let Some(front) = self.fronts.get(shard) {
            front.take_all(|lane, message, _| {
                self.count(lane, |drops| &drops.undelivered, 1);
                to(message);
            });
        }
    }

    /// The shard, of `shards` shards, to which a message and all its duplicates go.
    ///
    /// # Safety
    ///
    /// It is a message of this kernel, aligned as its type is.
    pub(crate) unsafe fn shard_by_identity(&self, message: *const u8, shards: usize) -> usize {
        // SAFETY: by the caller's word.
        Self::shard_of_identity(unsafe { (self.asked.identity)(message) }, shards)
    }

    /// The shard, of `shards` shards, to which messages of this identity go.
    pub(crate) fn shard_of_identity(identity: u64, shards: usize) -> usize {
        // A multiplicative hash, and its upper bits.
        let mixed = (u128::from(identity) * 0x9E37_79B9_7F4A_7C15_u128) as u64;
        ((u128::from(mixed) * shards as u128) >> 64) as usize
    }
}

impl KernelCore {
    /// The options of one of the kernel's queues: of its own, 0, or of a named one.
    #[inline]
    pub(crate) fn inbound(&self, lane: usize) -> &Inbound {
        match lane {
            0 => &self.options.inbound,
            lane => &self.options.queues[lane - 1].inbound,
        }
    }

    /// How many messages may wait for a shard: in the queues in front, if there are any, else in its ring.
    pub(crate) fn queue_capacity(&self) -> u64 {
        (0..=self.options.queues.len()).map(|lane| u64::from(self.inbound(lane).capacity)).sum()
    }

    /// Whether a queue recognises duplicates. If so, messages without a key also belong to one shard each.
    #[inline]
    pub(crate) fn deduplicates(&self, lane: usize) -> bool {
        self.inbound(lane).deduplication != Deduplication::Off
    }

    /// Whether messages expire in any of the kernel's queues.
    #[inline]
    fn expires(&self) -> bool {
        self.options.inbound.expiry.is_some()
            || self.options.queues.iter().any(|queue| queue.inbound.expiry.is_some())
    }

    /// The envelope of a message that is sent now.
    #[inline]
    pub(crate) fn header(&self) -> Header {
        self.followed(self.batch_header())
    }

    /// The envelope of messages that the host sends now, with the stamp of that event; which of them are followed is not
    /// said.
    #[inline]
    pub(crate) fn batch_header(&self) -> Header {
        let header = self.sending_header();
        match &self.stamps {
            Some(stamps) => Header { stamp: stamps.next(self.clock.now()), ..header },
            None => header,
        }
    }

    /// The envelope of messages that are sent now, whoever sends them: neither stamped nor followed.
    #[inline]
    pub(crate) fn sending_header(&self) -> Header {
        let is_timed = self.options.observe.timestamps || self.expires();
        let enqueue_time = if is_timed { self.clock.now() } else { 0 };
        // All shards have the same command, or are about to have it. For a message that is sent during a
        // change, either command is right.
        let command = self.shards[0].memory.command().load(Ordering::Relaxed);
        Header { enqueue_time, command, ..Header::default() }
    }
}

/// What a queue in front does, by its options.
pub(crate) fn lane_options(inbound: &Inbound) -> LaneOptions {
    let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX).max(1);
    LaneOptions {
        capacity: inbound.capacity as usize,
        backpressure: inbound.backpressure,
        priority: inbound.priority,
        window: (inbound.deduplication != Deduplication::Off)
            .then(|| inbound.deduplication_window.min(inbound.capacity) as usize),
        expiry: inbound.expiry.map(nanoseconds),
        share: inbound.share,
    }
}

/// The facts that a queue in front must know of a message.
#[inline]
pub(crate) fn facts_of<M: KernelMessage>(options: &Inbound, message: &M) -> Facts {
    let key = match options.deduplication {
        Deduplication::Off => None,
        Deduplication::ById => message.id(),
        Deduplication::ByPayload => message.id().or_else(|| Some(message.hash())),
    };
    Facts { priority: if options.priority { message.priority() } else { 0 }, key }
}

/// The outcome of offering one message.
fn outcome(refused: Option<Refused>, fate: Option<Fate>) -> Result<SendOutcome<()>, TrySendError<()>> {
    match (refused, fate) {
        (Some(Refused::Full), _) => Err(TrySendError::Full(())),
        (Some(Refused::Closed), _) => Err(TrySendError::Closed(())),
        (None, Some(Fate::Evicted)) => Ok(SendOutcome::Evicted(())),
        (None, Some(Fate::Discarded)) => Ok(SendOutcome::Discarded(())),
        (None, Some(Fate::Duplicate)) => Ok(SendOutcome::Duplicate(())),
        (None, _) => Ok(SendOutcome::Accepted),
    }
}

impl FrontEnd<'_> {
    /// Offers one message without waiting. Counts what becomes of messages, but not a refusal. If an older
    /// message is evicted, it replaces the given one. `again`: the message was accepted before, and must not
    /// count as a duplicate of itself.
    pub(crate) fn offer(
        &self,
        shard: usize,
        mut message: RawMessage<'_>,
        header: Header,
        again: bool,
    ) -> Result<SendOutcome<()>, TrySendError<()>> {
        let lane = message.lane();
        let options = self.core.inbound(lane);
        let mut facts = [Facts::default()];
        if options.priority || options.deduplication != Deduplication::Off {
            // SAFETY: it is a message of this kernel, as the type says, and aligned.
            unsafe { (self.fronts.asked.facts)(message.bytes().as_ptr().cast(), options, &mut facts) };
        }
        if again {
            facts[0].key = None;
        }
        let (mut near, mut far);
        let evicted = match message.bytes().len() {
            _ if options.backpressure != Backpressure::DropOldest => &mut [],
            // Who offers an image here wants no other message back.
            _ if self.core.definition.bridged.is_some() => &mut [],
            size @ ..=NEAR => {
                near = [MaybeUninit::uninit(); NEAR];
                &mut near[..size]
            }
            size => {
                far = blank(size);
                &mut far[..]
            }
        };
        let mut notes = Notes::new(Back::One(None, evicted), self, shard, lane);
        let offered = self.fronts.fronts[shard].offer(lane, message.bytes(), &facts, header, &mut notes);
        let mut fate = None;
        if let Back::One(found, evicted) = &notes.back {
            fate = *found;
            if fate == Some(Fate::Evicted) && !evicted.is_empty() {
                // SAFETY: it was offered to this kernel's queue, by this function or `offer_all`.
                unsafe { message.bytes_mut() }.copy_from_slice(evicted);
            }
        }
        self.settle_send(shard, notes);
        outcome(offered.refused, fate)
    }

    /// Offers one bridged message. `evicted` takes note of the older message that is evicted, and does
    /// nothing else: it is called under the queue's lock.
    pub(crate) fn offer_image(
        &self,
        (shard, lane): (usize, usize),
        image: &Bytes,
        facts: Facts,
        header: Header,
        evicted: &mut dyn FnMut(&Bytes),
    ) -> Result<SendOutcome<()>, TrySendError<()>> {
        let mut fate = None;
        let mut each = |found, message: &Bytes| {
            fate = Some(found);
            if found == Fate::Evicted {
                evicted(message);
            }
        };
        let mut notes = Notes::new(Back::Each(&mut each), self, shard, lane);
        let offered = self.fronts.fronts[shard].offer(lane, image, &[facts], header, &mut notes);
        self.settle_send(shard, notes);
        outcome(offered.refused, fate)
    }

    /// Offers a run of messages for one shard, at most [`RUN`] of them, until one is refused. Returns how
    /// many were taken, and why the next one was refused. Messages that come back go to `back`.
    ///
    /// # Safety
    ///
    /// They are messages of this kernel, one behind the other, aligned as their type is.
    pub(crate) unsafe fn offer_all(
        &self,
        shard: usize,
        lane: usize,
        messages: &Bytes,
        count: usize,
        header: Header,
        back: Back<'_>,
    ) -> (usize, Option<Refused>) {
        let mut facts = [Facts::default(); RUN];
        let facts = &mut facts[..count];
        let options = self.core.inbound(lane);
        if options.priority || options.deduplication != Deduplication::Off {
            // SAFETY: by the caller's word.
            unsafe { (self.fronts.asked.facts)(messages.as_ptr().cast(), options, facts) };
        }
        let mut notes = Notes::new(back, self, shard, lane);
        let offered = self.fronts.fronts[shard].offer(lane, messages, facts, header, &mut notes);
        self.settle_send(shard, notes);
        (offered.taken, offered.refused)
    }

    /// Called after a block has given slots back: hands over as many messages as there is room for. A SeqCst
    /// fence stands in it.
    pub(crate) fn refill(&self, shard: usize) {
        let Some(front) = self.fronts.fronts.get(shard) else { return };
        if !front.wants_refill() {
            return;
        }
        let mut notes = Notes::new(Back::Nowhere, self, shard, 0);
        front.refill(self.now(), &mut notes);
        self.settle(shard, notes);
    }

    /// Closes all queues to new messages.
    pub(crate) fn close(&self) {
        for (shard, front) in self.fronts.fronts.iter().enumerate() {
            let mut notes = Notes::new(Back::Nowhere, self, shard, 0);
            front.close(self.now(), &mut notes);
            self.settle(shard, notes);
        }
    }

    /// The time, if messages expire, and the command in force.
    pub(super) fn now(&self) -> Header {
        let command = self.core.shards[0].memory.command().load(Ordering::Relaxed);
        let enqueue_time = if self.core.expires() { self.core.clock.now() } else { 0 };
        Header { enqueue_time, command, ..Header::default() }
    }

    fn settle_send(&self, shard: usize, notes: Notes<'_, '_>) {
        if notes.duplicate != 0 && self.core.inbound(notes.lane).backpressure == Backpressure::Block {
            // The sender may have been woken for a place that it did not take.
            self.fronts.space_of(self.core, notes.lane, shard).notify(1);
        }
        self.settle(shard, notes);
        if self.fronts.waiting(shard) != 0 {
            self.core.expect();
        }
    }
}
