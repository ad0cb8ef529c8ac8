//! Launches of one kernel on several devices, used as one: messages are shared out, and collectives go to all.

use std::{
    collections::BTreeMap,
    fmt,
    future::{Future, poll_fn},
    hash::{BuildHasher, BuildHasherDefault, DefaultHasher},
    sync::Arc,
    task::Poll,
    time::{Duration, Instant},
};

use annulus_abi::{actors::first_entry, control::command};
use annulus_kernel::{DeviceType, RingKernel, StateShape};
use annulus_queue::{Message as _, RecvError, SendError, SendOutcome, TryRecvError, TrySendError};
use annulus_sync::{
    AtomicBool, AtomicUsize, Ordering,
    event::Event,
    wait::{block_on, block_on_deadline},
};

use crate::{
    bridge::{any, carry::Spread},
    error::{CallError, LifecycleError},
    handle::{KernelHandle, Shutdown, send::BatchError},
    kernel::front::identity_of,
    snapshot::{Snapshot, SnapshotError},
    time::deadline,
};

/// Launches of one kernel, used as one. Each is a *member*, and runs on a runtime of its own, or on one of others: on
/// several devices, or on one.
///
/// A message that is [sent](Self::send) goes to one member: the actors are shared out among them by their keys. So each
/// actor lives on one device, and its messages keep their order. A message without a key goes to the member with the
/// fewest messages waiting. A *collective* goes to all members: [`broadcast`](Self::broadcast),
/// [`gather`](Self::gather), [`reduce`](Self::reduce), and what makes the states or the bound memory of all the same,
/// [`all_reduce_states`](Self::all_reduce_states) and [`all_reduce_memory`](Self::all_reduce_memory).
///
/// The host carries all of it: no device writes into another one's memory. The members need not run on the same
/// backend, nor with the same grid. Their kernels take the same actors: each member is launched with all of them, and
/// has states for all.
///
/// ```
/// use annulus::prelude::*;
/// use annulus::KernelGroup;
///
/// #[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
/// #[repr(C)]
/// struct Word { #[ring(key)] letter: u32, count: u64 }
///
/// #[ring_kernel]
/// fn tally(word: &Word, sum: &mut u64, sums: &Outbox<Word>) {
///     *sum += word.count;
///     sums.send(Word { letter: word.letter, count: *sum });
/// }
///
/// // Two devices: here two runtimes on the CPU.
/// let runtimes = [Runtime::builder().build()?, Runtime::builder().build()?];
/// let options = LaunchOptions::production().actors(26);
/// let members = runtimes.iter().map(|runtime| tally::launch(runtime, options.clone()));
/// let group = KernelGroup::new(members.collect::<Result<Vec<_>, _>>()?)?;
///
/// for letter in 0..26 {
///     let _ = group.send_blocking(Word { letter, count: 1 })?;
/// }
/// group.drained_blocking();
/// let each = group.members().iter().map(|member| member.status().processed);
/// assert_eq!(each.collect::<Vec<_>>(), [13, 13]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct KernelGroup<K: RingKernel> {
    /// At least one.
    members: Vec<KernelHandle<K>>,
    /// How many keys there are, if messages have some; 0 if any may come.
    actors: u64,
    /// Where the next search among the members begins: for one that takes a message, and for an output.
    next: AtomicUsize,
    next_output: AtomicUsize,
    /// Whether one of the clones changes what the members keep.
    change: Arc<Change>,
}

/// One at a time changes what all members of a group keep.
#[derive(Default)]
struct Change {
    is_under_way: AtomicBool,
    /// Notified when it is over.
    over: Event,
}

/// The right to change it.
struct Changing<'a>(&'a Change);

impl Change {
    async fn begin(&self) -> Changing<'_> {
        loop {
            let listener = self.over.listen();
            // SYNC: group-change (acquire)
            if !self.is_under_way.swap(true, Ordering::Acquire) {
                return Changing(self);
            }
            listener.await;
        }
    }
}

impl Drop for Changing<'_> {
    fn drop(&mut self) {
        // SYNC: group-change (release)
        self.0.is_under_way.store(false, Ordering::Release);
        self.0.over.notify(1);
    }
}

/// Tells members, with their numbers, to be active again, when it is dropped: also if whoever waits has given up.
struct Again<'a, K: RingKernel>(Vec<(usize, &'a KernelHandle<K>)>);

impl<K: RingKernel> Drop for Again<'_, K> {
    fn drop(&mut self) {
        for (_, member) in self.0.drain(..) {
            // It has the command with the first look; nobody waits here until it has obeyed.
            let _ = block_on_deadline(member.activate(), Instant::now());
        }
    }
}

/// What a member of a group could not do.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GroupError {
    /// A group without members.
    #[error("a group has no members: launch the kernel on a runtime at least")]
    Empty,
    /// Two members are the same launch.
    #[error("member {second} is the same launch as member {first}: launch the kernel once for each")]
    Twice {
        /// The number of one, from 0.
        first: usize,
        /// The number of the other.
        second: usize,
    },
    /// A message was not sent to a member.
    #[error("member {member}, `{kernel}` on {backend}: {cause}")]
    Send {
        /// Its number, from 0.
        member: usize,
        /// The kernel's name.
        kernel: String,
        /// Its backend.
        backend: &'static str,
        /// Why.
        #[source]
        cause: SendError<()>,
    },
    /// A part of a batch was not sent to a member.
    #[error("member {member}, `{kernel}` on {backend}: {cause}")]
    Batch {
        /// Its number, from 0.
        member: usize,
        /// The kernel's name.
        kernel: String,
        /// Its backend.
        backend: &'static str,
        /// Why; and how many of the messages that were for this member were sent.
        #[source]
        cause: BatchError,
    },
    /// A member has not answered.
    #[error("member {member}, `{kernel}` on {backend}: {cause}")]
    Call {
        /// Its number, from 0.
        member: usize,
        /// The kernel's name.
        kernel: String,
        /// Its backend.
        backend: &'static str,
        /// Why.
        #[source]
        cause: CallError,
    },
    /// A member could not be deactivated, or activated again.
    #[error("member {member}, `{kernel}` on {backend}: {cause}")]
    Lifecycle {
        /// Its number, from 0.
        member: usize,
        /// The kernel's name.
        kernel: String,
        /// Its backend.
        backend: &'static str,
        /// Why.
        #[source]
        cause: LifecycleError,
    },
    /// What a member keeps could not be read or set.
    #[error("member {member}, `{kernel}` on {backend}: {cause}")]
    Snapshot {
        /// Its number, from 0.
        member: usize,
        /// The kernel's name.
        kernel: String,
        /// Its backend.
        backend: &'static str,
        /// Why.
        #[source]
        cause: SnapshotError,
    },
    /// Two members keep different numbers of values: of actors, or of elements of bound memory.
    #[error(
        "member {member} keeps {its}, and member 0 {first}: launch all with as many actors, and bind as much memory"
    )]
    Differ {
        /// The member's number, from 0.
        member: usize,
        /// How many it keeps.
        its: usize,
        /// How many the first one keeps.
        first: usize,
    },
    /// One member's keys are [sparse](crate::LaunchOptions::sparse_keys), and another one's are not.
    #[error("member {member} differs from member 0 in sparse_keys: launch all with it, or none")]
    Keys {
        /// The member's number, from 0.
        member: usize,
    },
}

crate::error::debug_in_words!(GroupError);

/// Makes an error of a member.
macro_rules! of_member {
    ($group:expr, $number:expr, $kind:ident, $cause:expr) => {{
        let member = &$group.members[$number];
        GroupError::$kind {
            member: $number,
            kernel: member.name().to_owned(),
            backend: member.backend(),
            cause: $cause,
        }
    }};
}

impl<K: RingKernel> KernelGroup<K> {
    /// Of these launches.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::KernelGroup;
    /// assert_eq!(KernelGroup::new([launched()])?.members().len(), 1);
    /// let error = KernelGroup::<double>::new([]).unwrap_err().to_string();
    /// assert_eq!(error, "a group has no members: launch the kernel on a runtime at least");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`GroupError::Empty`] without any, [`GroupError::Twice`] if two are the same launch, [`GroupError::Differ`] if they
    /// have not all as many actors, [`GroupError::Keys`] if only some of them have sparse keys.
    pub fn new(members: impl IntoIterator<Item = KernelHandle<K>>) -> Result<Self, GroupError> {
        let members = Vec::from_iter(members);
        let actors = |member: &KernelHandle<K>| member.shared().core.options.shape.actors;
        let actors = members.iter().map(actors).max().ok_or(GroupError::Empty)?;
        for (second, member) in members.iter().enumerate() {
            let is_same = |other: &KernelHandle<K>| Arc::ptr_eq(other.shared_arc(), member.shared_arc());
            if let Some(first) = members[..second].iter().position(is_same) {
                return Err(GroupError::Twice { first, second });
            }
        }
        let is_sparse = members[0].shared().core.options.shape.sparse_keys;
        // Where there is no state by key, a key may be any, whatever the launch says of actors.
        let is_by_key = matches!(members[0].shared().core.definition.state, StateShape::PerActor(_));
        for (number, member) in members.iter().enumerate() {
            let of = |member: &KernelHandle<K>| member.shared().core.options.shape.actors as usize;
            let (its, first) = (of(member), of(&members[0]));
            if is_by_key && its != first {
                return Err(GroupError::Differ { member: number, its, first });
            }
            if member.shared().core.options.shape.sparse_keys != is_sparse {
                return Err(GroupError::Keys { member: number });
            }
        }
        let actors = if is_by_key && !is_sparse { actors } else { 0 };
        let (next, next_output) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Ok(Self { members, actors, next, next_output, change: Arc::default() })
    }

    /// Its members, in the order in which they were given.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::KernelGroup;
    /// let group = KernelGroup::new([launched()])?;
    /// println!("{}", group.members()[0].status());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn members(&self) -> &[KernelHandle<K>] {
        &self.members
    }

    /// The number of the member that takes a message. Of messages with a key it is always the same: each member has an
    /// equal share of the keys in a row, with *n* members and *a* actors the keys from `member * a / n` on; if keys are
    /// [sparse](crate::LaunchOptions::sparse_keys), or there is no state by key, a hash of the key says which. So it is of
    /// messages without a key that the members [recognise](crate::LaunchOptions::deduplication) when they come again.
    /// Other messages go to the member with the fewest waiting, of those whose queues are not all full.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::KernelGroup;
    /// let runtimes = [Runtime::builder().build()?, Runtime::builder().build()?];
    /// let options = keep::options().actors(8).grid(2);
    /// let members = runtimes.iter().map(|runtime| keep::launch(runtime, options.clone()));
    /// let group = KernelGroup::new(members.collect::<Result<Vec<_>, _>>()?)?;
    /// let of = |account| group.member_of(&Deposit { account, amount: 1 });
    /// assert_eq!([0, 1, 3, 4, 7].map(of), [0, 0, 0, 1, 1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn member_of(&self, message: &K::Message) -> usize {
        let count = self.members.len() as u64;
        if count == 1 {
            return 0;
        }
        if K::Message::KEYED {
            return member_of_key(message.key(), self.actors, self.members.len());
        }
        if self.deduplicates() {
            // Each member takes the shard by the same number: mixed, so that one of them says nothing of the other.
            let mixed = BuildHasherDefault::<DefaultHasher>::default().hash_one(identity_of(message));
            return (mixed % count) as usize;
        }
        self.emptiest(|number| {
            let shared = self.members[number].shared();
            let (waiting, room) = (shared.pending(), shared.core.queue_capacity());
            // One with larger queues, or more of them, may have room where one with fewer messages has none.
            (waiting >= room.saturating_mul(shared.core.shards.len() as u64), waiting)
        })
    }

    /// How a bridge shares messages out to the members.
    pub(crate) fn spread(&self) -> Spread {
        if K::Message::KEYED { Spread::Keyed { actors: self.actors } } else { Spread::Any }
    }

    fn deduplicates(&self) -> bool {
        self.members.iter().any(|member| member.shared().core.deduplicates(0))
    }

    /// The member with the fewest messages waiting, as this says; equal ones take turns.
    fn emptiest<W: Ord>(&self, waiting: impl Fn(usize) -> W) -> usize {
        let start = self.next.fetch_add(1, Ordering::Relaxed);
        let numbers = (0..self.members.len()).map(|i| start.wrapping_add(i) % self.members.len());
        // Of equal ones the first.
        numbers.min_by_key(|&number| waiting(number)).unwrap_or(0)
    }

    /// Sends a message to [its member](Self::member_of), waiting for space.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::KernelGroup;
    /// # annulus::block_on(async {
    /// let group = KernelGroup::new([launched()])?;
    /// let _ = group.send(Number { value: 21 }).await?;
    /// assert_eq!(group.recv().await?, (0, Number { value: 42 }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`KernelHandle::send`].
    pub async fn send(&self, message: K::Message) -> Result<SendOutcome<K::Message>, SendError<K::Message>> {
        self.members[self.member_of(&message)].send(message).await
    }

    /// [`send`](Self::send), blocking.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::KernelGroup;
    /// let group = KernelGroup::new([launched()])?;
    /// let _ = group.send_blocking(Number { value: 21 })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method.
    pub fn send_blocking(
        &self,
        message: K::Message,
    ) -> Result<SendOutcome<K::Message>, SendError<K::Message>> {
        self.members[self.member_of(&message)].send_blocking(message)
    }

    /// [`send_blocking`](Self::send_blocking), for at most `limit`: [`KernelHandle::send_timeout`].
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use {annulus::KernelGroup, std::time::Duration};
    /// let group = KernelGroup::new([launched()])?;
    /// let _ = group.send_timeout(Number { value: 21 }, Duration::from_secs(60))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for that method.
    pub fn send_timeout(
        &self,
        message: K::Message,
        limit: Duration,
    ) -> Result<SendOutcome<K::Message>, SendError<K::Message>> {
        self.members[self.member_of(&message)].send_timeout(message, limit)
    }

    /// [`send`](Self::send), without waiting: [`KernelHandle::try_send`]. A message without a key goes to [one
    /// member](Self::member_of); no other one is tried, so one whose shard is full there, while others have room, is
    /// [`Full`](TrySendError::Full).
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::KernelGroup;
    /// let group = KernelGroup::new([launched()])?;
    /// let _ = group.try_send(Number { value: 21 })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for that method.
    pub fn try_send(&self, message: K::Message) -> Result<SendOutcome<K::Message>, TrySendError<K::Message>> {
        self.members[self.member_of(&message)].try_send(message)
    }

    /// Sends a message to its member, and waits for the reply to it: [`KernelHandle::call`].
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::KernelGroup;
    /// # annulus::block_on(async {
    /// let group = KernelGroup::new([launched()])?;
    /// assert_eq!(group.call(Number { value: 21 }).await?, Number { value: 42 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for that method.
    pub async fn call(&self, message: K::Message) -> Result<K::Output, CallError> {
        self.members[self.member_of(&message)].call(message).await
    }

    /// [`call`](Self::call), blocking.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::KernelGroup;
    /// let group = KernelGroup::new([launched()])?;
    /// assert_eq!(group.call_blocking(Number { value: 21 })?, Number { value: 42 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method.
    pub fn call_blocking(&self, message: K::Message) -> Result<K::Output, CallError> {
        self.members[self.member_of(&message)].call_blocking(message)
    }

    /// [`call_blocking`](Self::call_blocking), for at most `limit`: [`KernelHandle::call_timeout`].
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use {annulus::KernelGroup, std::time::Duration};
    /// let group = KernelGroup::new([launched()])?;
    /// let reply = group.call_timeout(Number { value: 21 }, Duration::from_secs(60))?;
    /// assert_eq!(reply, Number { value: 42 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for that method.
    pub fn call_timeout(&self, message: K::Message, limit: Duration) -> Result<K::Output, CallError> {
        self.members[self.member_of(&message)].call_timeout(message, limit)
    }

    /// What one of the members has sent, and the number of that member, without waiting. The search goes around.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::{KernelGroup, TryRecvError};
    /// assert_eq!(KernelGroup::new([launched()])?.try_recv(), Err(TryRecvError::Empty));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`TryRecvError::Empty`] if there is no output now, [`TryRecvError::Closed`] when all members have terminated, and
    /// everything was received.
    pub fn try_recv(&self) -> Result<(usize, K::Output), TryRecvError> {
        let start = self.next_output.fetch_add(1, Ordering::Relaxed);
        let mut nothing = TryRecvError::Closed;
        for number in (0..self.members.len()).map(|i| start.wrapping_add(i) % self.members.len()) {
            match self.members[number].try_recv() {
                Ok(output) => return Ok((number, output)),
                Err(TryRecvError::Closed) => {}
                Err(empty) => nothing = empty,
            }
        }
        Err(nothing)
    }

    /// [`try_recv`](Self::try_recv), waiting for as long as it takes. Dropping the future before it is done loses nothing.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::KernelGroup;
    /// # annulus::block_on(async {
    /// let group = KernelGroup::new([launched()])?;
    /// let _ = group.members()[0].send(Number { value: 21 }).await?;
    /// assert_eq!(group.recv().await?, (0, Number { value: 42 }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`RecvError::Closed`], as above.
    pub async fn recv(&self) -> Result<(usize, K::Output), RecvError> {
        let attempt = || match self.try_recv() {
            Ok(received) => Some(Ok(received)),
            Err(TryRecvError::Closed) => Some(Err(RecvError::Closed)),
            Err(_) => None,
        };
        let mut has_waited = false;
        loop {
            if let Some(received) = attempt() {
                // It may have been woken for an output of another member, for which somebody else waits, too.
                if has_waited {
                    self.members.iter().for_each(|member| member.shared().core.ready.notify(1));
                }
                return received;
            }
            let listeners: Vec<_> =
                self.members.iter().map(|member| member.shared().core.ready.listen()).collect();
            // Looks once more after it began to listen.
            if let Some(received) = attempt() {
                return received;
            }
            self.members.iter().for_each(|member| member.shared().core.expect());
            any(listeners).await;
            has_waited = true;
        }
    }

    /// [`recv`](Self::recv), blocking.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::KernelGroup;
    /// let group = KernelGroup::new([launched()])?;
    /// let _ = group.send_blocking(Number { value: 21 })?;
    /// assert_eq!(group.recv_blocking()?, (0, Number { value: 42 }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method.
    pub fn recv_blocking(&self) -> Result<(usize, K::Output), RecvError> {
        block_on(self.recv())
    }

    /// [`recv_blocking`](Self::recv_blocking) for at most `limit`.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::KernelGroup;
    /// use std::time::Duration;
    /// let received = KernelGroup::new([launched()])?.recv_timeout(Duration::from_millis(1));
    /// assert_eq!(received, Err(RecvError::Timeout));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method, and [`RecvError::Timeout`].
    pub fn recv_timeout(&self, limit: Duration) -> Result<(usize, K::Output), RecvError> {
        block_on_deadline(self.recv(), deadline(limit)).unwrap_or(Err(RecvError::Timeout))
    }

    /// Waits until each member has handled everything that was sent to it, or has terminated.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::KernelGroup;
    /// # annulus::block_on(async {
    /// KernelGroup::new([launched()])?.drained().await;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn drained(&self) {
        for member in &self.members {
            member.drained().await;
        }
    }

    /// [`drained`](Self::drained), blocking.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::KernelGroup;
    /// KernelGroup::new([launched()])?.drained_blocking();
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn drained_blocking(&self) {
        block_on(self.drained());
    }

    /// Shuts all members down, at the same time, each within `limit`: [`KernelHandle::shutdown`].
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::KernelGroup;
    /// # annulus::block_on(async {
    /// use std::time::Duration;
    /// let group = KernelGroup::new([launched()])?;
    /// assert!(group.shutdown(Duration::from_secs(60)).await[0].undelivered.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn shutdown(&self, limit: Duration) -> Vec<Shutdown<K::Message>> {
        all(self.members.iter().map(|member| member.shutdown(limit))).await
    }

    /// [`shutdown`](Self::shutdown), blocking.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::{KernelGroup, ShutdownOutcome};
    /// use std::time::Duration;
    /// let group = KernelGroup::new([launched()])?;
    /// assert_eq!(group.shutdown_blocking(Duration::from_secs(60))[0].outcome, ShutdownOutcome::Drained);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn shutdown_blocking(&self, limit: Duration) -> Vec<Shutdown<K::Message>> {
        block_on(self.shutdown(limit))
    }

    /// The messages of a batch, by members, in order.
    fn shared_out(&self, messages: &[K::Message]) -> Vec<Vec<K::Message>>
    where
        K::Message: Clone,
    {
        let mut shares: Vec<_> = self.members.iter().map(|_| Vec::new()).collect();
        // What is dealt out counts as waiting.
        let is_anybodys = !K::Message::KEYED && !self.deduplicates();
        let mut waiting: Vec<_> = self.members.iter().map(|member| member.shared().pending()).collect();
        for message in messages {
            let number = match is_anybodys {
                true => self.emptiest(|number| waiting[number]),
                false => self.member_of(message),
            };
            waiting[number] += 1;
            shares[number].push(message.clone());
        }
        shares
    }

    /// Sends each message of a batch to its member, waiting for space: a *scatter*. The members are sent to at the same
    /// time, so one that is full does not hold up the others' parts.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::KernelGroup;
    /// # annulus::block_on(async {
    /// let group = KernelGroup::new([launched()])?;
    /// group.send_batch(&numbers(0..100)).await?;
    /// group.drained().await;
    /// assert_eq!(group.members()[0].status().processed, 100);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`GroupError::Batch`] of the first member that has not taken all of its part; others may have taken theirs.
    pub async fn send_batch(&self, messages: &[K::Message]) -> Result<(), GroupError>
    where
        K::Message: Clone,
    {
        let shares = self.shared_out(messages);
        let sends = self.members.iter().zip(&shares).map(|(member, share)| member.send_batch(share));
        let sent = all(sends).await;
        sent.into_iter()
            .enumerate()
            .try_for_each(|(number, sent)| sent.map_err(|cause| of_member!(self, number, Batch, cause)))
    }

    /// [`send_batch`](Self::send_batch), blocking.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::KernelGroup;
    /// KernelGroup::new([launched()])?.send_batch_blocking(&numbers(0..100))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method.
    pub fn send_batch_blocking(&self, messages: &[K::Message]) -> Result<(), GroupError>
    where
        K::Message: Clone,
    {
        block_on(self.send_batch(messages))
    }
}

/// # Collectives of messages
///
/// Each member handles a copy of the message, whatever its key: the actor of that key in each member.
impl<K: RingKernel<Message: Clone>> KernelGroup<K> {
    /// Sends a message to all members, waiting for space, and returns what became of it in each. They are sent to at the
    /// same time.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::KernelGroup;
    /// # annulus::block_on(async {
    /// let group = KernelGroup::new([launched()])?;
    /// let _ = group.broadcast(Number { value: 21 }).await?;
    /// assert_eq!(group.recv().await?, (0, Number { value: 42 }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`GroupError::Send`] of the first member whose queue has refused it; others may have taken it.
    pub async fn broadcast(&self, message: K::Message) -> Result<Vec<SendOutcome<K::Message>>, GroupError> {
        let sent = all(self.members.iter().map(|member| member.send(message.clone()))).await;
        let of = |(number, sent): (usize, Result<_, SendError<_>>)| {
            sent.map_err(|error| of_member!(self, number, Send, error.map(drop)))
        };
        sent.into_iter().enumerate().map(of).collect()
    }

    /// [`broadcast`](Self::broadcast), blocking.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::KernelGroup;
    /// # use annulus::SendOutcome;
    /// let outcomes = KernelGroup::new([launched()])?.broadcast_blocking(Number { value: 21 })?;
    /// assert_eq!(outcomes, [SendOutcome::Accepted]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method.
    pub fn broadcast_blocking(
        &self,
        message: K::Message,
    ) -> Result<Vec<SendOutcome<K::Message>>, GroupError> {
        block_on(self.broadcast(message))
    }

    /// Calls all members with a message, at the same time, and returns their replies, in the order of the members.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::KernelGroup;
    /// # annulus::block_on(async {
    /// let runtimes = [Runtime::builder().build()?, Runtime::builder().build()?];
    /// let members = runtimes.iter().map(|runtime| double::launch(runtime, double::options()));
    /// let group = KernelGroup::new(members.collect::<Result<Vec<_>, _>>()?)?;
    /// assert_eq!(group.gather(Number { value: 21 }).await?, [Number { value: 42 }; 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`GroupError::Call`] of the first member that has not answered; others may have.
    pub async fn gather(&self, message: K::Message) -> Result<Vec<K::Output>, GroupError> {
        let replies = all(self.members.iter().map(|member| member.call(message.clone()))).await;
        let numbered = replies.into_iter().enumerate();
        numbered.map(|(number, reply)| reply.map_err(|cause| of_member!(self, number, Call, cause))).collect()
    }

    /// [`gather`](Self::gather), blocking.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::KernelGroup;
    /// let group = KernelGroup::new([launched()])?;
    /// assert_eq!(group.gather_blocking(Number { value: 21 })?, [Number { value: 42 }]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method.
    pub fn gather_blocking(&self, message: K::Message) -> Result<Vec<K::Output>, GroupError> {
        block_on(self.gather(message))
    }

    /// [`gather`](Self::gather), and makes one of the replies: `fold` takes what came of the earlier members, and the
    /// reply of the next. So the result does not depend on who answered first.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::KernelGroup;
    /// # annulus::block_on(async {
    /// let runtimes = [Runtime::builder().build()?, Runtime::builder().build()?];
    /// let members = runtimes.iter().map(|runtime| double::launch(runtime, double::options()));
    /// let group = KernelGroup::new(members.collect::<Result<Vec<_>, _>>()?)?;
    /// let sum = group.reduce(Number { value: 21 }, |a, b| Number { value: a.value + b.value }).await?;
    /// assert_eq!(sum, Number { value: 84 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`gather`](Self::gather).
    pub async fn reduce(
        &self,
        message: K::Message,
        fold: impl FnMut(K::Output, K::Output) -> K::Output,
    ) -> Result<K::Output, GroupError> {
        let replies = self.gather(message).await?;
        replies.into_iter().reduce(fold).ok_or(GroupError::Empty)
    }

    /// [`reduce`](Self::reduce), blocking.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::KernelGroup;
    /// let group = KernelGroup::new([launched()])?;
    /// let sum = group.reduce_blocking(Number { value: 21 }, |a, b| Number { value: a.value + b.value })?;
    /// assert_eq!(sum, Number { value: 42 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method.
    pub fn reduce_blocking(
        &self,
        message: K::Message,
        fold: impl FnMut(K::Output, K::Output) -> K::Output,
    ) -> Result<K::Output, GroupError> {
        block_on(self.reduce(message, fold))
    }
}

/// # Collectives of what the members keep
///
/// They deactivate all members, so that these handle nothing meanwhile, and activate those again that were active, also
/// if they fail, or are given up. Messages wait in the queues until then. One at a time does so in a group and its clones; a
/// program that activates members itself meanwhile makes it fail. What a kernel cannot give out, such as one that stays on a
/// device with memory of its own that has no copies, its [`snapshot`](crate::KernelControl::snapshot) refuses, and so
/// do these.
impl<K: RingKernel> KernelGroup<K> {
    /// Makes one state of those of each actor, and sets it in all members: an *all-reduce*. `fold` takes what came of
    /// the earlier members, and the state of the next. Returns the states, by key. If keys are
    /// [sparse](crate::LaunchOptions::sparse_keys), each member gets an actor for every key that one of them has.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::KernelGroup;
    /// # annulus::block_on(async {
    /// let runtimes = [Runtime::builder().build()?, Runtime::builder().build()?];
    /// let members = runtimes.iter().map(|runtime| keep::launch(runtime, keep::options().actors(3)));
    /// let group = KernelGroup::new(members.collect::<Result<Vec<_>, _>>()?)?;
    /// let _ = group.broadcast(Deposit { account: 1, amount: 5 }).await?;
    /// group.drained().await;
    /// assert_eq!(group.all_reduce_states(|a: i64, b: i64| a + b).await?, [0, 10, 0]);
    /// let _ = group.broadcast(Deposit { account: 1, amount: 1 }).await?;
    /// group.drained().await;
    /// assert_eq!(group.all_reduce_states(i64::max).await?, [0, 11, 0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`GroupError::Snapshot`] if the kernel's states are of another type than `S`, or cannot be read or set;
    /// [`GroupError::Differ`]; [`GroupError::Lifecycle`]. If setting fails, members before that one have the new states, and
    /// that one may have a part of them.
    pub async fn all_reduce_states<S: DeviceType>(
        &self,
        fold: impl Fn(S, S) -> S,
    ) -> Result<Vec<S>, GroupError> {
        if self.members[0].shared().core.options.shape.sparse_keys {
            return self.all_reduce_sparse(fold).await;
        }
        self.all_reduce(fold, Snapshot::states, Snapshot::set_states).await
    }

    /// Of sparse keys: of those that have an actor in some member.
    async fn all_reduce_sparse<S: DeviceType>(&self, fold: impl Fn(S, S) -> S) -> Result<Vec<S>, GroupError> {
        self.at_rest(|| async {
            let mut snapshots = self.snapshots().await?;
            let mut folded = BTreeMap::<u64, S>::new();
            for (number, snapshot) in snapshots.iter().enumerate() {
                let states = snapshot.states().map_err(|cause| of_member!(self, number, Snapshot, cause))?;
                for (&key, state) in snapshot.keys().unwrap_or_default().iter().zip(states) {
                    let state = folded.get(&key).map_or(state, |&before| fold(before, state));
                    folded.insert(key, state);
                }
            }
            // All have room for them, or none is changed: their grids may differ.
            for (number, member) in self.members.iter().enumerate() {
                let room = member.shared().core.check_room(folded.keys().copied());
                room.map_err(|cause| of_member!(self, number, Snapshot, cause))?;
            }
            let actors: Vec<_> = folded.iter().map(|(&key, &state)| (key, state)).collect();
            self.restore(&mut snapshots, |snapshot| snapshot.set_actors(&actors)).await?;
            Ok(folded.into_values().collect())
        })
        .await
    }

    /// Of all members, which are inactive.
    async fn snapshots(&self) -> Result<Vec<Snapshot>, GroupError> {
        let snapshots = all(self.members.iter().map(|member| member.snapshot())).await;
        let of = |(number, snapshot): (usize, Result<_, _>)| {
            snapshot.map_err(|cause| of_member!(self, number, Snapshot, cause))
        };
        snapshots.into_iter().enumerate().map(of).collect()
    }

    /// Changes these snapshots of all members, which are inactive, and restores them.
    async fn restore(
        &self,
        snapshots: &mut [Snapshot],
        change: impl Fn(&mut Snapshot) -> Result<(), SnapshotError>,
    ) -> Result<(), GroupError> {
        for (number, snapshot) in snapshots.iter_mut().enumerate() {
            let restored = match change(snapshot) {
                Ok(()) => self.members[number].restore(snapshot).await,
                refused => refused,
            };
            restored.map_err(|cause| of_member!(self, number, Snapshot, cause))?;
        }
        Ok(())
    }

    /// [`all_reduce_states`](Self::all_reduce_states), blocking.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::KernelGroup;
    /// let runtime = Runtime::builder().build()?;
    /// let group = KernelGroup::new([keep::launch(&runtime, keep::options().actors(3))?])?;
    /// assert_eq!(group.all_reduce_states_blocking(i64::max)?, [0, 0, 0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method.
    pub fn all_reduce_states_blocking<S: DeviceType>(
        &self,
        fold: impl Fn(S, S) -> S,
    ) -> Result<Vec<S>, GroupError> {
        block_on(self.all_reduce_states(fold))
    }

    /// Makes one array of the bound memory of this name of all members, element by element, and sets it in all. `fold`
    /// takes what came of the earlier members, and the element of the next. Returns the array.
    ///
    /// ```
    /// use annulus::prelude::*;
    /// use annulus::KernelGroup;
    /// use std::sync::atomic::{AtomicU32, Ordering};
    ///
    /// #[derive(RingMessage, Clone, Copy)]
    /// #[repr(C)]
    /// struct Value { place: u32 }
    ///
    /// #[ring_kernel]
    /// fn count(value: &Value, bins: &[AtomicU32]) {
    ///     bins[value.place as usize].fetch_add(1, Ordering::Relaxed);
    /// }
    ///
    /// let runtimes = [Runtime::builder().build()?, Runtime::builder().build()?];
    /// let members = runtimes.iter().map(|runtime| count::bind(&[0; 3]).launch(runtime, count::options()));
    /// let group = KernelGroup::new(members.collect::<Result<Vec<_>, _>>()?)?;
    /// for place in [0, 2, 2, 1, 2] {
    ///     let _ = group.send_blocking(Value { place })?;
    /// }
    /// group.drained_blocking();
    /// let sums = annulus::block_on(group.all_reduce_memory("bins", |a: u32, b: u32| a + b))?;
    /// assert_eq!(sums, [1, 1, 3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`all_reduce_states`](Self::all_reduce_states).
    pub async fn all_reduce_memory<T: DeviceType>(
        &self,
        name: &str,
        fold: impl Fn(T, T) -> T,
    ) -> Result<Vec<T>, GroupError> {
        let set = |snapshot: &mut Snapshot, values: &[T]| snapshot.set_memory(name, values);
        self.all_reduce(fold, |snapshot| snapshot.memory(name), set).await
    }

    /// [`all_reduce_memory`](Self::all_reduce_memory), blocking.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// # use annulus::KernelGroup;
    /// let error = KernelGroup::new([launched()])?.all_reduce_memory_blocking("bins", u32::max).unwrap_err();
    /// assert!(error.to_string().starts_with("member 0, `double` on cpu: "), "{error}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of that method.
    pub fn all_reduce_memory_blocking<T: DeviceType>(
        &self,
        name: &str,
        fold: impl Fn(T, T) -> T,
    ) -> Result<Vec<T>, GroupError> {
        block_on(self.all_reduce_memory(name, fold))
    }

    async fn all_reduce<T: DeviceType>(
        &self,
        fold: impl Fn(T, T) -> T,
        get: impl Fn(&Snapshot) -> Result<Vec<T>, SnapshotError>,
        set: impl Fn(&mut Snapshot, &[T]) -> Result<(), SnapshotError>,
    ) -> Result<Vec<T>, GroupError> {
        self.at_rest(|| async {
            let mut snapshots = self.snapshots().await?;
            let mut folded: Option<Vec<T>> = None;
            for (number, snapshot) in snapshots.iter().enumerate() {
                let values = get(snapshot).map_err(|cause| of_member!(self, number, Snapshot, cause))?;
                folded = Some(match folded {
                    None => values,
                    Some(before) if before.len() != values.len() => {
                        return Err(GroupError::Differ {
                            member: number,
                            its: values.len(),
                            first: before.len(),
                        });
                    }
                    Some(before) => before.into_iter().zip(values).map(|(a, b)| fold(a, b)).collect(),
                });
            }
            let folded = folded.unwrap_or_default();
            self.restore(&mut snapshots, |snapshot| set(snapshot, &folded)).await?;
            Ok(folded)
        })
        .await
    }

    /// Does something while all members are inactive.
    async fn at_rest<R, F: Future<Output = Result<R, GroupError>>>(
        &self,
        work: impl FnOnce() -> F,
    ) -> Result<R, GroupError> {
        let _changing = self.change.begin().await;
        // What they were told: blocks that have just been launched have not begun yet.
        let is_active =
            |member: &KernelHandle<K>| member.shared().core.current_command() & command::ACTIVE != 0;
        let active = self.members.iter().enumerate().filter(|(_, member)| is_active(member));
        let mut again = Again(active.collect());
        let of = |(number, changed): (usize, Result<_, _>)| match changed {
            Ok(_) => Ok(()),
            Err(cause) => Err(of_member!(self, number, Lifecycle, cause)),
        };
        let rested = all(self.members.iter().map(|member| member.deactivate())).await;
        let done = match rested.into_iter().enumerate().try_for_each(of) {
            Ok(()) => work().await,
            Err(error) => Err(error),
        };
        let active = std::mem::take(&mut again.0);
        let activated = all(active.iter().map(|(_, member)| member.activate())).await;
        // What failed first says more.
        let done = done?;
        active.iter().zip(activated).try_for_each(|(&(number, _), activated)| of((number, activated)))?;
        Ok(done)
    }
}

impl<K: RingKernel> Clone for KernelGroup<K> {
    fn clone(&self) -> Self {
        let (next, next_output) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Self {
            members: self.members.clone(),
            actors: self.actors,
            next,
            next_output,
            change: Arc::clone(&self.change),
        }
    }
}

impl<K: RingKernel> fmt::Debug for KernelGroup<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KernelGroup").field("members", &self.members).finish_non_exhaustive()
    }
}

/// The member of so many that has this key of so many; of any keys, if `actors` is 0.
pub(crate) fn member_of_key(key: u64, actors: u64, members: usize) -> usize {
    if actors == 0 {
        // Bits that say nothing of the member's block, which is the key's remainder.
        let mixed = first_entry(key, 1 << 32);
        return ((u128::from(mixed) * members as u128) >> 32) as usize;
    }
    // A key that names no actor is refused by the last one.
    let share = u128::from(key) * members as u128 / u128::from(actors);
    share.min(members as u128 - 1) as usize
}

/// The results of all these futures, which are polled together, in their order.
async fn all<F: Future>(futures: impl IntoIterator<Item = F>) -> Vec<F::Output> {
    let mut futures: Vec<_> = futures.into_iter().map(|future| (Box::pin(future), None)).collect();
    poll_fn(|context| {
        let mut is_done = true;
        for (future, result) in &mut futures {
            if result.is_none() {
                match future.as_mut().poll(context) {
                    Poll::Ready(ready) => *result = Some(ready),
                    Poll::Pending => is_done = false,
                }
            }
        }
        if is_done { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    futures.into_iter().map(|(_, result)| result.expect("each is done")).collect()
}
