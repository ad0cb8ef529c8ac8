//! What a block reports to the host's side of its kernel, and where it delivers messages for other kernels.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use annulus_abi::topics;
use annulus_kernel::{Inside, KernelDefinition, Rows};
use annulus_sync::{AtomicU64, Ordering};

/// The receiver of reports on a shard's progress. The thread that drives the shard calls it: a worker or the
/// runtime's pump.
pub trait Signals: Send + Sync {
    /// The shard made progress. What it reports was published before the call.
    fn progressed(&self, shard: u32, progress: Progress);

    /// The handler of a message failed, or its key named no actor. Called only by blocks that share the host's
    /// process, before the turn's results are published.
    fn failed(&self, shard: u32, failure: MessageFailure) {
        let _ = (shard, failure);
    }
}

/// A message whose handler failed, or whose key named no actor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageFailure {
    /// The handler's code, or one of [`annulus_abi::error`].
    pub code: u16,
    /// The message's number, from 0 in each shard.
    pub number: u64,
    /// Its key; 0 without keys.
    pub key: u64,
    /// How many have failed in the shard since launch, this one included.
    pub failures: u64,
}

/// What happened in a shard since its last report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Slots that it gave back in its inbound ring.
    pub consumed: u32,
    /// Messages that it published in its outbound ring.
    pub produced: u32,
    /// Dead letters that it published.
    pub dead_letters: u32,
    /// Whether it may have printed something that is not reported yet, or lost a print; or written a record of a
    /// message that carried a trace.
    pub prints: bool,
    /// Whether it has obeyed a new command, and acknowledged it.
    pub state_changed: bool,
    /// Whether its device-local traffic changed: it has sent messages to other kernels, taken or lost such
    /// messages, or begun or stopped waiting for room there.
    pub traffic: bool,
    /// Whether a wait for room has ended, whoever made it: then all may be handled, though no slot was given back. A backend
    /// that does not see each wait says so when a message to oneself was taken.
    pub goes_on: bool,
    /// Whether a body has ended its kernel: the host terminates it.
    pub leaving: bool,
    /// Whether it has begun to wait for room in the kernel that it is connected to. A backend that reports
    /// this as `traffic` need not set it.
    pub stalled: bool,
}

/// A kernel that receives other kernels' messages from a thread of this process.
pub trait Deliver: Send + Sync {
    /// Puts the first messages of a row into the inbound ring of their shard, by one ticket: as many of them as are for
    /// that shard, and find room.
    ///
    /// # Panics
    ///
    /// If the row is empty.
    ///
    /// # Safety
    ///
    /// All are messages of the kernel's type.
    unsafe fn deliver(&self, row: Row<'_>) -> Delivery;

    /// Whether `deliver` would now return something else than [`Delivery::Full`] for a row that begins with this message.
    ///
    /// # Safety
    ///
    /// It is a message of the kernel's type.
    unsafe fn has_room(&self, message: *const u8) -> bool;
}

/// Where a kernel answers what other kernels ask it. It may outlive that kernel: what was answered stays there. Dropping it runs no
/// code of the program.
pub trait Answered: Send + Sync {
    /// The generation of the last ask that was answered in a place of this kernel. Who sees that of an ask sees its answer.
    fn answered(&self, place: u32) -> u32;

    /// How the ask ended that a place shows: the kind of the answer, its code if the handler failed, and its stamp, or 0. An
    /// answer is written to `to`.
    ///
    /// # Safety
    ///
    /// The caller has the place, and has seen that it shows the ask. `to` is valid for writes of what the kernel answers.
    unsafe fn answer(&self, call: u64, to: *mut u8) -> (u8, u16, u64);
}

/// Messages of one block for one kernel, in their order.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// Where they lie. Nobody writes them meanwhile.
    pub messages: &'a [*const u8],
    /// The address of the call through a pipeline that one of them carries, or 0.
    pub call: u64,
    /// Which of them that is, from 0 on; a number of no message if it is none of them.
    pub bearer: usize,
    /// The trace that all of them carry, or 0.
    pub trace: u64,
    /// The stamp that all of them carry, or 0.
    pub stamp: u64,
}

impl Row<'_> {
    /// The address of the call that a message of the row carries, or 0.
    #[inline]
    pub fn carried(&self, index: usize) -> u64 {
        if index == self.bearer { self.call } else { 0 }
    }

    /// The messages behind the first `count`.
    #[inline]
    pub(crate) fn after(self, count: usize) -> Self {
        Self { messages: &self.messages[count..], bearer: self.bearer.wrapping_sub(count), ..self }
    }
}

/// Where a block's outputs go, if not to the host.
#[derive(Clone)]
pub struct Link {
    /// The kernel that takes them.
    pub target: Weak<dyn Deliver>,
    /// If true, an output without room waits, and the block takes no message until it has gone. If false, the
    /// output is lost and counted.
    pub waits: bool,
    /// Where in a message of the target's an output lies, if a variant of it takes outputs.
    pub inside: Option<Inside>,
    /// The address of the kernel, for a source whose outputs say whom they are for; else 0.
    pub peer: u64,
    /// Where the answers are, if the source asks by this outbox.
    pub asks: Option<AskedIn>,
}

/// Where the blocks of a kernel find the answers to what they ask another one.
#[derive(Clone)]
pub struct AskedIn {
    /// The first of the places that their asks have there.
    pub first: u32,
    /// Those of the asked kernel.
    pub answers: Arc<dyn Answered>,
}

/// Where the outputs of a kernel's blocks go after the next command, by each of its outboxes.
pub struct NextLinks {
    links: Mutex<Box<[Option<Link>]>>,
    /// The [table of topics](annulus_abi::topics). It is changed at any time.
    topics: Box<[AtomicU64]>,
    /// The graph of a kernel whose outputs go along rows; without rows for others.
    graph: Arc<Rows>,
}

impl NextLinks {
    /// All outputs go to the host. The table of topics has so many entries, and all are empty: a power of two, or 0 for
    /// a kernel that publishes nothing.
    pub fn new(definition: &KernelDefinition, topics: usize) -> Self {
        Self {
            links: Mutex::new((0..definition.places()).map(|_| None).collect()),
            topics: (0..topics).map(|_| AtomicU64::new(0)).collect(),
            graph: Arc::default(),
        }
    }

    /// The same for a kernel whose outputs go along the rows of this graph.
    pub fn with_rows(mut self, graph: Option<Arc<Rows>>) -> Self {
        self.graph = graph.unwrap_or_default();
        self
    }

    pub(crate) fn graph(&self) -> &Arc<Rows> {
        &self.graph
    }

    /// Sets an entry of the table of topics.
    ///
    /// # Panics
    ///
    /// If the table has no entry there.
    pub fn set_topic(&self, place: usize, entry: u64) {
        // Whoever is told afterwards that it was set, by a message, say, sees it: a word of its own, which stands for
        // nothing else.
        self.topics[place].store(entry, Ordering::Relaxed);
    }

    /// The places that take a topic: a bit for each.
    pub(crate) fn takers(&self, topic: u64) -> u64 {
        if self.topics.is_empty() {
            return 0;
        }
        let entry = |place: usize| self.topics[place].load(Ordering::Relaxed);
        topics::find(topic, self.topics.len(), entry)
            .map_or(0, |(_, entry)| entry & ((1 << topics::PLACES) - 1))
    }

    /// Sets where the outputs of an outbox go: to another kernel, or to the host. A kernel with one outbox has
    /// number 0 alone. Of one whose outputs say whom they are for, it is one of its
    /// [places](KernelDefinition::places).
    ///
    /// # Panics
    ///
    /// If the kernel has no outbox of this number.
    pub fn set(&self, outbox: usize, link: Option<Link>) {
        self.lock()[outbox] = link;
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Box<[Option<Link>]>> {
        // A link is replaced by one assignment, so a panic cannot leave it half written.
        self.links.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What became of a row of messages between kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// The kernel has so many of them, from the first on: at least one.
    Done(usize),
    /// There is no room for the first.
    Full,
    /// The kernel ends, or has ended.
    Closed,
}
