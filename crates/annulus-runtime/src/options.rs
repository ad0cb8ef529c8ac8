//! How a kernel is launched.

use std::{sync::Arc, time::Duration};

use annulus_kernel::{KernelDefinition, ProcessingMode, Rows};
use annulus_queue::{Backpressure, Deduplication, InvalidOptions, QueueOptions};

/// Smallest deduplication window of a launch.
pub const MIN_WINDOW: u32 = 16;
/// Largest deduplication window of a launch.
pub const MAX_WINDOW: u32 = 1024;
/// Largest grid, in blocks. Source: this project's choice; every block has two rings.
pub const MAX_GRID: u32 = 65_536;
/// Largest block, in threads. Source: CUDA's limit, which OpenCL and Metal devices share.
pub const MAX_BLOCK: u32 = 1024;

mod black_box;
mod domain;
mod groups;
mod order;
mod problem;
mod queues;
mod said;
mod slow;

pub use black_box::TypeLimit;
pub use domain::Domain;
pub use groups::{Inbound, Observe, Outbound, RunMode, Shape};
pub use order::Consistency;
pub use problem::{BodyOption, LaunchProblem, NoHold, WholeKernel};
pub use queues::NamedQueue;

use said::{Said, Word};

/// How a kernel is launched: start from a preset, change what you need.
///
/// What the kernel's attribute says, as `#[ring_kernel(hold = 64)]`, holds for each option that a launch does not name. A launch
/// names an option if it calls the option's method, or sets its field to another value than
/// [`production`](Self::production) has. The kernel's own `options()` shows what its attribute says.
///
/// There is a method for each option. The options are fields of four groups. A program can read these fields,
/// and set them where that is shorter.
///
/// ```
/// use annulus_runtime::{Backpressure, LaunchOptions};
/// let mut options = LaunchOptions::low_latency().actors(1024).grid(4).backpressure(Backpressure::Block);
/// assert!(options.validate().is_ok());
/// assert_eq!((options.shape.grid, options.inbound.capacity), (4, 256));
/// options.observe.dead_letters = 0; // as `.dead_letters(0)` does
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LaunchOptions {
    /// See [`name`](Self::name()).
    pub name: Option<String>,
    /// What the kernel consists of, and how its blocks run.
    pub shape: Shape,
    /// What happens to messages on their way to the kernel.
    pub inbound: Inbound,
    /// The kernel's named queues; see [`queue`](Self::queue).
    pub queues: Vec<NamedQueue>,
    /// What happens to the outputs that the kernel sends.
    pub outbound: Outbound,
    /// What the host can learn about each message.
    pub observe: Observe,
    said: Said,
}

/// Why the options of a launch were refused.
pub type InvalidLaunch = InvalidOptions<LaunchProblem>;

impl LaunchOptions {
    /// Largest [`grid`](Self::grid), in blocks.
    pub const MAX_GRID: u32 = MAX_GRID;
    /// Largest [`block`](Self::block), in threads.
    pub const MAX_BLOCK: u32 = MAX_BLOCK;
    /// Longest [`spin`](Self::spin). Source: this project's choice; the longest that its benchmarks use.
    pub const MAX_SPIN: Duration = Duration::from_secs(10);
    /// Longest [`name`](Self::name) of a kernel or a queue, in bytes: as of queues without a kernel. Observers show no longer
    /// ones.
    pub const MAX_NAME: usize = annulus_queue::QueueOptions::MAX_NAME;
    /// Most [`dead_letters`](Self::dead_letters). Source: this project's choice, as many as the largest ring has slots.
    pub const MAX_DEAD_LETTERS: u32 = annulus_abi::ring::MAX_CAPACITY;

    /// Nothing is lost, and bursts fit: capacity 4096, window 1024, Block, first in first out. Also the
    /// default. It names no option, so what the kernel's attribute says holds.
    ///
    /// ```
    /// # use annulus_runtime::LaunchOptions;
    /// assert_eq!(LaunchOptions::production(), LaunchOptions::default());
    /// assert_eq!(LaunchOptions::production().inbound.capacity, 4096);
    /// ```
    pub fn production() -> Self {
        Self {
            name: None,
            shape: Shape::default(),
            inbound: Inbound::default(),
            queues: Vec::new(),
            outbound: Outbound::default(),
            observe: Observe::default(),
            said: Said::default(),
        }
    }

    /// A short queue that says at once when it is full: capacity 256, window 256, Reject. Blocks look for
    /// messages for longer before they sleep.
    ///
    /// ```
    /// # use annulus_runtime::{Backpressure, LaunchOptions};
    /// let inbound = LaunchOptions::low_latency().inbound;
    /// assert_eq!((inbound.capacity, inbound.backpressure), (256, Backpressure::Reject));
    /// ```
    pub fn low_latency() -> Self {
        Self::production()
            .capacity(256)
            .deduplication_window(256)
            .backpressure(Backpressure::Reject)
            .spin(Duration::from_micros(200))
    }

    /// A long queue: capacity 16,384. All else is as in [`production`](Self::production).
    ///
    /// ```
    /// # use annulus_runtime::LaunchOptions;
    /// assert_eq!(LaunchOptions::high_throughput().inbound.capacity, 16_384);
    /// ```
    pub fn high_throughput() -> Self {
        Self::production().capacity(16_384)
    }

    /// The name of this instance in the runtime; the kernel's id if none is given. Two kernels cannot have
    /// the same name at the same time. Names have [`MAX_NAME`](Self::MAX_NAME) bytes at most.
    ///
    /// ```
    /// # use annulus_runtime::LaunchOptions;
    /// let options = LaunchOptions::production().name("north");
    /// assert_eq!(options.name.as_deref(), Some("north"));
    /// ```
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Number of blocks: 1 ..= 65,536. Each block is a shard with rings of its own.
    ///
    /// ```
    /// # use annulus_runtime::LaunchOptions;
    /// let options = LaunchOptions::production().grid(4);
    /// assert_eq!(options.shape.grid, 4);
    /// ```
    pub fn grid(mut self, blocks: u32) -> Self {
        self.said.add(Word::Grid);
        self.shape.grid = blocks;
        self
    }

    /// Threads of a block: 1 ..= 1024. The CPU backend runs a block as one loop, whatever this says, unless
    /// the whole block works on one message: then there are so many threads on every backend.
    ///
    /// ```
    /// # use annulus_runtime::LaunchOptions;
    /// let options = LaunchOptions::production().block(64);
    /// assert_eq!(options.shape.block, 64);
    /// ```
    pub fn block(mut self, threads: u32) -> Self {
        self.said.add(Word::Block);
        self.shape.block = threads;
        self
    }

    /// Number of actors, for a kernel with state by key: keys are `0..actors`. If they are not dense, such as customer
    /// numbers, see [`sparse_keys`](Self::sparse_keys).
    ///
    /// A kernel that keeps no state by key takes any key, and messages without one: there this has no effect.
    ///
    /// ```
    /// # use annulus_runtime::LaunchOptions;
    /// let options = LaunchOptions::production().actors(1000);
    /// assert_eq!(options.shape.actors, 1000);
    /// ```
    pub fn actors(mut self, actors: u64) -> Self {
        self.said.add(Word::Actors);
        self.shape.actors = actors;
        self
    }

    /// Whether a kernel with state by key takes messages with any keys, and not only with those below
    /// [`actors`](Self::actors). That is then how many different keys it has room for. An actor begins with the first
    /// message for its key, with its type's default as state. It keeps its place as long as the kernel lives, or
    /// until its handler [ends](annulus_kernel::ThisActor::end) it. Off by default.
    ///
    /// A key belongs to the block `key % grid`, as always. Each block has places for `actors / grid` keys, rounded up. When
    /// a block has no place left, messages for further keys are not handled: they count under
    /// [`unknown_actor`](crate::Drops::unknown_actor), and become dead letters. So give more actors than you expect keys if
    /// keys are spread unevenly. [`KernelStatus::actors`](crate::KernelStatus::actors) tells how many places are
    /// in use.
    ///
    /// A message costs a look into a table more, in the memory of the states: 16 bytes for each entry, and 1.3 to 2.7
    /// entries for each actor.
    ///
    /// ```
    /// use annulus_runtime::{LaunchOptions, Runtime, prelude::*};
    /// # #[derive(RingMessage, Clone, Copy)]
    /// # #[repr(C)]
    /// # struct Order {
    /// #     #[ring(key)]
    /// #     customer: u64,
    /// # }
    /// #[ring_kernel]
    /// fn count(_: &Order, orders: &mut u32) {
    ///     *orders += 1;
    /// }
    ///
    /// let runtime = Runtime::builder().backend(annulus_runtime::Noop).build()?;
    /// let options = LaunchOptions::production().actors(1000).sparse_keys(true);
    /// let kernel = count::launch(&runtime, options)?;
    /// let _ = kernel.try_send(Order { customer: 4_711_000_815 })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sparse_keys(mut self, on: bool) -> Self {
        self.said.add(Word::SparseKeys);
        self.shape.sparse_keys = on;
        self
    }

    /// Whether an actor gives way when there is no place for a new key: one that has had no message for long. Its state is
    /// forgotten. If a message for its key comes again, it begins anew. So the kernel keeps the actors that are in use, of any
    /// number of keys, as a cache does. Off by default. Sets [`sparse_keys`](Self::sparse_keys).
    ///
    /// Which one it is, the *clock* algorithm says (second chance): a hand goes round over the block's places, spares once those
    /// that have had a further message since it passed, and takes the first that has not. So keys that come once do not push
    /// out those that come often. Actors with a message in the turn that is
    /// under way stay; if all have one, the new key's message counts under
    /// [`unknown_actor`](crate::Drops::unknown_actor). [`ActorStatus::evicted`](crate::ActorStatus::evicted) counts those that
    /// were forgotten.
    ///
    /// ```
    /// use annulus_runtime::LaunchOptions;
    /// let options = LaunchOptions::production().actors(1000).evict_actors(true);
    /// assert!(options.shape.sparse_keys && options.validate().is_ok());
    /// let invalid = options.sparse_keys(false).validate().unwrap_err();
    /// assert!(invalid.to_string().contains("evict_actors is on, and sparse_keys off"));
    /// ```
    pub fn evict_actors(mut self, on: bool) -> Self {
        self.said.add(Word::EvictActors);
        self.shape.evict_actors = on;
        if on {
            self.said.add(Word::SparseKeys);
            self.shape.sparse_keys = true;
        }
        self
    }

    /// Slots of each shard's inbound ring: a power of two, 16 ..= 1,048,576.
    ///
    /// ```
    /// # use annulus_runtime::LaunchOptions;
    /// let options = LaunchOptions::production().capacity(64);
    /// assert_eq!(options.inbound.capacity, 64);
    /// ```
    pub fn capacity(mut self, slots: u32) -> Self {
        self.said.add(Word::Capacity);
        self.inbound.capacity = slots;
        self
    }

    /// Room in each shard for twice the messages of one `interval`, at a peak of `messages_per_second`, of a kernel that gets to
    /// its messages every `interval`; and for [duplicates](Self::deduplication) a window of twice as many keys again. The
    /// capacity is the next power of two, at least 16, and a launch refuses one that is too large: as
    /// [`QueueOptions::sized_for`](annulus_queue::QueueOptions::sized_for), but with the greatest window that launches have.
    ///
    /// The rate is that of a shard. Where messages spread evenly over several, it is that of the kernel, divided by the
    /// [grid](Self::grid).
    ///
    /// ```
    /// use annulus_runtime::LaunchOptions;
    /// use std::time::Duration;
    /// // 100,000 a second, and the kernel is busy with other things for up to 10 ms: 1000 meanwhile.
    /// let options = LaunchOptions::production().sized_for(100_000.0, Duration::from_millis(10));
    /// assert_eq!((options.inbound.capacity, options.inbound.deduplication_window), (2048, 1024));
    /// let refused = options.sized_for(1e9, Duration::from_secs(1)).validate().unwrap_err();
    /// assert!(refused.to_string().contains("1048576"));
    /// ```
    pub fn sized_for(mut self, messages_per_second: f64, interval: Duration) -> Self {
        self.said.add(Word::Capacity);
        self.said.add(Word::DeduplicationWindow);
        self.inbound = self.inbound.sized_for(messages_per_second, interval);
        self
    }

    /// Slots of each shard's outbound ring. By default it has as many as the inbound ring.
    ///
    /// ```
    /// # use annulus_runtime::LaunchOptions;
    /// let options = LaunchOptions::production().output_capacity(64);
    /// assert_eq!(options.outbound.capacity, Some(64));
    /// ```
    pub fn output_capacity(mut self, slots: u32) -> Self {
        self.said.add(Word::OutputCapacity);
        self.outbound.capacity = Some(slots);
        self
    }

    /// What happens to a message when the shard's queue is full.
    ///
    /// ```
    /// # use annulus_runtime::Backpressure;
    /// # use annulus_runtime::LaunchOptions;
    /// let options = LaunchOptions::production().backpressure(Backpressure::Reject);
    /// assert_eq!(options.inbound.backpressure, Backpressure::Reject);
    /// ```
    pub fn backpressure(mut self, backpressure: Backpressure) -> Self {
        self.said.add(Word::Backpressure);
        self.inbound.backpressure = backpressure;
        self
    }

    /// How duplicates are recognised. A duplicate comes back as [`Duplicate`](crate::SendOutcome::Duplicate).
    /// `ById` needs a message with a `#[ring(id)]`. If messages have no key, their identity decides which
    /// shard they go to, so that duplicates go to the same shard.
    ///
    /// ```
    /// # use annulus_runtime::Deduplication;
    /// # use annulus_runtime::LaunchOptions;
    /// let options = LaunchOptions::production().deduplication(Deduplication::ByPayload);
    /// assert_eq!(options.inbound.deduplication, Deduplication::ByPayload);
    /// ```
    pub fn deduplication(mut self, by: Deduplication) -> Self {
        self.said.add(Word::Deduplication);
        self.inbound.deduplication = by;
        self
    }

    /// Size of the window in which a shard looks for duplicates, in accepted messages, counted back from the
    /// last: 16 ..= 1024. A window larger than the capacity is clamped to it.
    ///
    /// ```
    /// # use annulus_runtime::LaunchOptions;
    /// let options = LaunchOptions::production().deduplication_window(64);
    /// assert_eq!(options.inbound.deduplication_window, 64);
    /// ```
    pub fn deduplication_window(mut self, messages: u32) -> Self {
        self.said.add(Word::DeduplicationWindow);
        self.inbound.deduplication_window = messages;
        self
    }

    /// Whether messages are handed over to the kernel by their `#[ring(priority)]`, 255 first, instead of
    /// first in, first out. Messages of equal priority are first in, first out; messages without a priority
    /// are all equal. Messages that were handed over (two batches at most) are not overtaken any more.
    ///
    /// ```
    /// # use annulus_runtime::LaunchOptions;
    /// assert!(LaunchOptions::production().priority(true).inbound.priority);
    /// ```
    pub fn priority(mut self, on: bool) -> Self {
        self.said.add(Word::Priority);
        self.inbound.priority = on;
        self
    }

    /// How long a message may wait to be handed over to the kernel, from the moment at which it was sent; for
    /// ever by default. A message that is older when its turn comes has expired: it is skipped and counted,
    /// and goes to the [dead letters](Self::dead_letters), if the launch keeps them. A call that waits for
    /// its reply ends. Expired messages are found only when somebody sends to that shard, or when the kernel
    /// takes messages; until then they keep their places. Messages that were handed over (two batches at
    /// most) do not expire.
    ///
    /// Costs one clock read per send or batch (the same one that [`timestamps`](Self::timestamps) need), and
    /// one each time that messages are handed over.
    ///
    /// ```
    /// # use annulus_runtime::LaunchOptions;
    /// use std::time::Duration;
    /// let options = LaunchOptions::production().expiry(Duration::from_secs(1));
    /// assert_eq!(options.clone().expiry(None).inbound.expiry, None);
    /// assert_eq!(options.inbound.expiry, Some(Duration::from_secs(1)));
    /// ```
    pub fn expiry(mut self, lifetime: impl Into<Option<Duration>>) -> Self {
        self.said.add(Word::Expiry);
        self.inbound.expiry = lifetime.into();
        self
    }

    /// The largest payload of a [bridged](crate::KernelMessage) message, in bytes: 64 ..= 65,536. A send of a
    /// larger one fails with [`Oversize`](crate::SendError::Oversize). 4096 by default. Kernels that take
    /// direct messages ignore it.
    ///
    /// Each slot of the inbound ring and of the ring of dead letters has a *spill block* of this size, for
    /// payloads of more than 208 bytes; smaller ones lie in the slot. On the CPU, a spill block that no
    /// message has used takes no memory.
    ///
    /// ```
    /// # use annulus_runtime::LaunchOptions;
    /// assert_eq!(LaunchOptions::production().max_payload(65_536).inbound.max_payload, 65_536);
    /// ```
    pub fn max_payload(mut self, bytes: u32) -> Self {
        self.said.add(Word::MaxPayload);
        self.inbound.max_payload = bytes;
        self
    }

    /// How a block takes its messages. By default, the kernel's attribute decides.
    ///
    /// ```
    /// # use annulus_runtime::ProcessingMode;
    /// # use annulus_runtime::LaunchOptions;
    /// let options = LaunchOptions::production().mode(ProcessingMode::Batch);
    /// assert_eq!(options.shape.mode, Some(ProcessingMode::Batch));
    /// ```
    pub fn mode(mut self, mode: ProcessingMode) -> Self {
        self.shape.mode = Some(mode);
        self
    }

    /// At most this many messages in one iteration: 1 ..= the capacity. By default, the kernel's attribute
    /// decides. This is also the limit of fairness between kernels that share a worker: on the CPU, a block
    /// gives its worker up after each iteration if other blocks wait.
    ///
    /// ```
    /// # use annulus_runtime::LaunchOptions;
    /// let options = LaunchOptions::production().max_messages_per_iteration(8);
    /// assert_eq!(options.shape.max_messages_per_iteration, Some(8));
    /// ```
    pub fn max_messages_per_iteration(mut self, messages: u32) -> Self {
        self.shape.max_messages_per_iteration = Some(messages);
        self
    }

    /// Whether messages carry the time at which they were enqueued. Latencies need it. Costs a clock read per
    /// send or batch, and 8 bytes per slot. On by default.
    ///
    /// ```
    /// # use annulus_runtime::LaunchOptions;
    /// assert!(!LaunchOptions::production().timestamps(false).observe.timestamps);
    /// ```
    pub fn timestamps(mut self, on: bool) -> Self {
        self.said.add(Word::Timestamps);
        self.observe.timestamps = on;
        self
    }

    /// Whether `call` can be used. Costs 8 bytes per slot, and a ring for replies, with as many slots as the
    /// inbound one. On by default.
    ///
    /// ```
    /// # use annulus_runtime::LaunchOptions;
    /// assert!(!LaunchOptions::production().calls(false).outbound.calls);
    /// ```
    pub fn calls(mut self, on: bool) -> Self {
        self.said.add(Word::Calls);
        self.outbound.calls = on;
        self
    }

    /// Makes the kernel a part of [pipelines](crate::Pipeline): calls go through it to other kernels, at most so many at a
    /// time, 1 ..= 4096. Also makes it connectable. Off by default.
    ///
    /// A pipeline has as many calls open as each of its kernels has room for, less those of other pipelines of the
    /// runtime. Costs a slot for each call, like those of replies. On a device, blocks have one thread.
    ///
    /// A kernel that asks others ([`Ask`](crate::prelude::Ask)), and each that is asked, is launched with this, too. An asked kernel has
    /// room for so many asks, besides the calls: each kernel that is connected to it by `&Ask<Q, A>` takes 64 for each of its blocks,
    /// or as many as it has timers, if that is less. Room in the kernel that asks is not used for that. Costs another slot for each.
    ///
    /// ```
    /// # use annulus_runtime::LaunchOptions;
    /// let options = LaunchOptions::production().through(64);
    /// assert!(options.shape.connectable && options.outbound.through == 64);
    /// ```
    pub fn through(mut self, calls: u32) -> Self {
        self.said.add(Word::Through);
        self.outbound.through = calls;
        if calls != 0 {
            self.said.add(Word::Connectable);
            self.shape.connectable = true;
        }
        self
    }

    /// How many outputs of each block may wait for room in kernels that this one is connected to, while the block goes on taking
    /// messages: up to 65,536, and not fewer than its handler may send for a message. Also makes the kernel connectable.
    ///
    /// Without this a block takes no message while an output waits, so that one kernel without room soon stops its source. With it
    /// the source goes on for the others until the hold is full of what waits; a message is taken while there is room for all that
    /// its handler may send. Outputs from one block to one other stay in order. It is for kernels with several ways out: several
    /// outboxes, [addresses](crate::Addressed) or [topics](crate::Published); and for those that send along
    /// [rows](crate::Along), of which each output is one, however many copies wait. On a device, blocks have one thread.
    ///
    /// In a cycle of kernels, or in one that sends to itself, all that is on its way at a time needs room. If an actor sends once,
    /// as in a search that visits each node once, `actors / grid`, rounded up, times the outputs of one message, and `max_outputs`
    /// more, is always enough; an output along a row is one.
    ///
    /// Costs memory for so many outputs in each block, and on a device that a program is compiled for this number.
    ///
    /// ```
    /// # use annulus_runtime::LaunchOptions;
    /// let options = LaunchOptions::production().hold(256);
    /// assert!(options.shape.connectable && options.outbound.hold == 256);
    /// ```
    pub fn hold(mut self, outputs: u32) -> Self {
        self.said.add(Word::Hold);
        self.outbound.hold = outputs;
        if outputs != 0 {
            self.said.add(Word::Connectable);
            self.shape.connectable = true;
        }
        self
    }

    /// How many topics a kernel knows that sends [`Published`](crate::Published) messages: 1 ..= 65,536, 64 by default. A
    /// topic is known from the first subscription to its name, or from when it was [named](crate::Topics::name), until the
    /// kernel is connected anew; each costs 16 bytes or more. Has no effect on other kernels.
    ///
    /// ```
    /// # use annulus_runtime::LaunchOptions;
    /// assert_eq!(LaunchOptions::default().outbound.topics, 64);
    /// assert_eq!(LaunchOptions::default().topics(1000).outbound.topics, 1000);
    /// ```
    pub fn topics(mut self, topics: u32) -> Self {
        self.said.add(Word::Topics);
        self.outbound.topics = topics;
        self
    }

    /// The graph whose rows the outputs of the kernel go along: one that sends [`Along`](crate::Along) messages. It lies in
    /// the memory of the device, and stays what it is as long as the kernel runs. Makes the kernel connectable, too; it is
    /// connected by [`connect_along`](crate::KernelHandle::connect_along).
    ///
    /// ```
    /// # use annulus_runtime::{LaunchOptions, Rows};
    /// let friends = Rows::of_lists([vec![1, 2], vec![2], vec![]])?;
    /// let options = LaunchOptions::production().rows(friends);
    /// assert!(options.shape.connectable && options.outbound.rows.is_some_and(|rows| rows.entries() == 3));
    /// # Ok::<(), annulus_runtime::RowsError>(())
    /// ```
    pub fn rows(mut self, rows: impl Into<Arc<Rows>>) -> Self {
        self.said.add(Word::Connectable);
        self.outbound.rows = Some(rows.into());
        self.shape.connectable = true;
        self
    }

    /// The most [topics](Self::topics) that a kernel knows.
    pub const MAX_TOPICS: u32 = 65_536;

    /// The most calls through pipelines that a kernel has [room](Self::through) for.
    pub const MAX_THROUGH: u32 = 4096;
    /// See [`hold`](Self::hold).
    pub const MAX_HOLD: u32 = 65_536;

    /// Whether each shard measures the latency of every message, in nanoseconds, and keeps a histogram of the
    /// latencies, for percentiles. A message's latency ends when the handlers of its iteration have ended, as
    /// in telemetry: the clock is read once for all messages of the iteration (see
    /// [`max_messages_per_iteration`](Self::max_messages_per_iteration)). Costs this clock read, some
    /// nanoseconds a message, and 15 KB per shard. Off by default; needs timestamps.
    ///
    /// ```
    /// # use annulus_runtime::LaunchOptions;
    /// assert!(LaunchOptions::production().track_latency(true).observe.track_latency);
    /// ```
    pub fn track_latency(mut self, on: bool) -> Self {
        self.said.add(Word::TrackLatency);
        self.observe.track_latency = on;
        self
    }

    /// Whether small messages lie in *sealed slots*, where the backend can do it: on CUDA. A block then finds and loads a
    /// message with one read of the host's memory instead of two: on an H200 a round trip takes 2.7 µs, and 4.6 µs with open slots.
    /// But a message takes up to half as much memory again, and its writer more time. So for a stream into many
    /// blocks, of which each sending thread fills two or more, open slots are faster: one thread sent 85 million messages a second
    /// with them, and 58 million without. On by default. CPU and OpenCL have no sealed slots. The
    /// guide's page on CUDA has the details.
    ///
    /// ```
    /// # use annulus_runtime::LaunchOptions;
    /// assert!(LaunchOptions::production().shape.sealed);
    /// assert!(!LaunchOptions::high_throughput().sealed(false).shape.sealed);
    /// ```
    pub fn sealed(mut self, on: bool) -> Self {
        self.said.add(Word::Sealed);
        self.shape.sealed = on;
        self
    }

    /// How many dead letters the host keeps: messages whose handler failed, and messages for no actor. When
    /// that many are kept, a newer one replaces the oldest. 100 by default, [`MAX_DEAD_LETTERS`](Self::MAX_DEAD_LETTERS) at
    /// most; 0 keeps none.
    ///
    /// Each shard has a ring from which the host collects them: for as many messages, rounded up to a power of two, and at
    /// least 64. With 0 there is none. It has no more than 65,536 slots, and no more than 8 MiB, with the spill blocks of
    /// [bridged messages](Self::max_payload): at their default size these are 1024 slots, and 64 at the largest. What fails
    /// on a device when the ring is full is lost, and [counted](crate::KernelStatus::dead_letters_lost). The host collects
    /// when it hears of failures, and in [`drained`](crate::KernelControl::drained),
    /// [`status`](crate::KernelControl::status), [`dead_letters`](crate::KernelHandle::dead_letters) and
    /// [`redrive`](crate::KernelHandle::redrive).
    ///
    /// ```
    /// # use annulus_runtime::LaunchOptions;
    /// let options = LaunchOptions::production().dead_letters(0);
    /// assert_eq!(options.observe.dead_letters, 0);
    /// ```
    pub fn dead_letters(mut self, dead_letters: u32) -> Self {
        self.said.add(Word::DeadLetters);
        self.observe.dead_letters = dead_letters;
        self
    }

    /// Whether messages carry a causal stamp. Then each has one word more, and a message that was sent because of another
    /// one has a greater [`Stamp`](crate::Stamp), across blocks, kernels with this and the host. Off by default.
    ///
    /// The host stamps what it sends: a batch is one event, and has one stamp. A handler finds its message's by
    /// `cx.stamp()`, and what it sends carries the stamp of its call, also into connected kernels that have this, to the
    /// takers of a topic, to itself by `Later`, with an ask, and back to the host, which finds it by
    /// [`Stamp::received`](crate::Stamp::received). A kernel that has this not gives no stamps: its messages carry none. A
    /// device gives such a kernel slots that are not sealed. Kernels whose bodies take messages themselves refuse it.
    ///
    /// ```
    /// # use annulus_runtime::LaunchOptions;
    /// assert!(LaunchOptions::production().causal(true).observe.causal);
    /// ```
    pub fn causal(mut self, on: bool) -> Self {
        self.said.add(Word::Causal);
        self.observe.causal = on;
        self
    }

    /// Whether messages may be followed: then each carries one word more, and what a followed one and all that handlers
    /// send because of it went through is told by [`Runtime::take_traces`](crate::Runtime::take_traces), with the time that
    /// it waited and the time that its handler took. Off by default. Needs timestamps.
    ///
    /// What is followed: each message that is sent within a [`TraceContext`](crate::TraceContext), and a
    /// [sample](Self::trace_sample) of all others that the host sends. Outputs go on with the trace of their message, also
    /// into connected kernels that have this, and back to the host; in kernels that have it not, the trace ends. What a
    /// handler sends to itself by `Later` begins without a trace. A device gives such a kernel slots that are not sealed.
    ///
    /// ```
    /// # use annulus_runtime::LaunchOptions;
    /// assert!(LaunchOptions::production().tracing(true).observe.tracing);
    /// ```
    ///
    /// Off, it also forgets the sample, which a kernel's attribute may have said.
    pub fn tracing(mut self, on: bool) -> Self {
        self.said.add(Word::Tracing);
        self.observe.tracing = on;
        if !on {
            self.said.add(Word::TraceSample);
            self.observe.trace_sample = None;
        }
        self
    }

    /// Which part of the messages that the host sends is followed, chosen by chance: from 0, none, to 1, all; 0.01 by
    /// default. Exact to a millionth. Needs [tracing](Self::tracing).
    ///
    /// ```
    /// # use annulus_runtime::LaunchOptions;
    /// let options = LaunchOptions::production().tracing(true).trace_sample(0.001);
    /// assert_eq!(options.observe.trace_sample, Some(1000));
    /// assert!(options.trace_sample(1.5).validate().is_err());
    /// assert!(LaunchOptions::production().trace_sample(0.5).validate().is_err());
    /// ```
    pub fn trace_sample(mut self, part: f64) -> Self {
        self.said.add(Word::TraceSample);
        // Not a number is no part, either.
        let valid = (0.0..=1.0).contains(&part);
        self.observe.trace_sample = Some(if valid { (part * 1e6).round() as u32 } else { u32::MAX });
        self
    }

    /// Whether the kernel is connectable: whether it can be [connected](crate::KernelHandle::connect) to
    /// another kernel, as the one that sends or as the one that receives. Off by default. On a device, each
    /// block of a connectable kernel has a second inbound ring, in the device's own memory. It is as large as
    /// the first, and the block looks at both.
    ///
    /// ```
    /// # use annulus_runtime::LaunchOptions;
    /// assert!(LaunchOptions::production().connectable(true).shape.connectable);
    /// ```
    pub fn connectable(mut self, on: bool) -> Self {
        self.said.add(Word::Connectable);
        self.shape.connectable = on;
        self
    }

    /// Whether what the kernel sends to another one may become a variant of that one's messages, marked
    /// `#[ring(from)]`. Off by default. Then its device program writes the variant's tag. A kernel that is
    /// [launched into](crate::Bound::launch_into) such a target has this without being asked.
    ///
    /// ```
    /// # use annulus_runtime::LaunchOptions;
    /// assert!(LaunchOptions::production().connectable(true).into_variants(true).shape.into_variants);
    /// ```
    pub fn into_variants(mut self, on: bool) -> Self {
        self.said.add(Word::IntoVariants);
        self.shape.into_variants = on;
        self
    }

    /// Whether the kernel begins active. On by default. If off, messages wait until the kernel is activated.
    ///
    /// ```
    /// # use annulus_runtime::LaunchOptions;
    /// assert!(!LaunchOptions::production().active(false).shape.active);
    /// ```
    pub fn active(mut self, on: bool) -> Self {
        self.said.add(Word::Active);
        self.shape.active = on;
        self
    }

    /// Whether the kernel's blocks take their turns together, in *supersteps* (the bulk-synchronous model):
    /// no block begins its next turn before all blocks have ended this one. In a turn, each shard handles one
    /// message or a batch, as [`ProcessingMode`] says. Off by default.
    ///
    /// All handlers see in the next superstep what handlers wrote to shared tables (`&[AtomicU32]`) in this
    /// one; relaxed accesses are enough. They may or may not see what others write in the same superstep. A
    /// shard that has no messages, has no room for answers, or is inactive takes part and handles nothing.
    /// Messages and commands reach each shard by itself: the shards need not begin, pause or end in the same
    /// superstep. After [`activate`](crate::KernelControl::activate), one may handle its first message while another
    /// handles its second, although all of them were there before. So a superstep is no round of a program: that
    /// is [`rounds`](Self::rounds).
    ///
    /// All blocks must run at the same time. A launch is refused if the device has not enough places for the
    /// grid, also in epochs. On CUDA it is a cooperative launch. Each superstep is as long as its longest
    /// turn, and a handler that does not return stops all blocks.
    ///
    /// ```
    /// use annulus_runtime::LaunchOptions;
    /// let options = LaunchOptions::production().grid(4).supersteps(true);
    /// assert!(options.validate().is_ok());
    /// ```
    pub fn supersteps(mut self, on: bool) -> Self {
        self.said.add(Word::Supersteps);
        self.shape.supersteps = on;
        self
    }

    /// Whether the kernel goes in *rounds*, as in the bulk-synchronous model of Valiant and Pregel. A round is all that lies
    /// in the inbound rings when it begins. What handlers send to their own kernel in a round (over a
    /// [link](crate::KernelHandle::connect) to itself) is handled in the next one. It begins when every block has handled
    /// its part, and all that was sent has arrived. [`cx.round()`](annulus_kernel::Cx::round) tells a handler which one
    /// it is: the first is 0. [`KernelStatus::rounds`](crate::KernelStatus::rounds) counts them. Off by default.
    ///
    /// Messages of the host, and of other kernels, are of the round that begins after they have come. What was sent before
    /// [`activate`](crate::KernelControl::activate) is one round. Without messages no round begins.
    ///
    /// The messages of a round wait in the rings. So a kernel that is connected to itself needs a
    /// [`capacity`](Self::capacity) for all that is sent to one block in a round, beside what it takes in the same round: if
    /// they do not fit, the round cannot end, and the status says so. On the CPU the host's messages lie in the same rings: a host
    /// that sends all the time takes their room.
    ///
    /// Turns are taken in step, so the conditions are those of [`supersteps`](Self::supersteps), which this sets.
    ///
    /// ```
    /// use annulus_runtime::LaunchOptions;
    /// let options = LaunchOptions::production().grid(4).rounds(true);
    /// assert!(options.shape.supersteps && options.validate().is_ok());
    /// let invalid = options.supersteps(false).validate().unwrap_err();
    /// assert!(invalid.to_string().contains("rounds are on, and supersteps off"));
    /// ```
    pub fn rounds(mut self, on: bool) -> Self {
        self.said.add(Word::Rounds);
        self.shape.rounds = on;
        if on {
            self.said.add(Word::Supersteps);
            self.shape.supersteps = true;
        }
        self
    }

    /// How long a block with nothing to do polls for messages before it sleeps. Waking costs microseconds;
    /// polling keeps a core busy. (If other blocks wait in the worker's queue, the block gives way at once.)
    /// [`MAX_SPIN`](Self::MAX_SPIN) at most.
    ///
    /// ```
    /// # use annulus_runtime::LaunchOptions;
    /// use std::time::Duration;
    /// assert!(LaunchOptions::production().spin(Duration::ZERO).shape.spin.is_zero());
    /// assert!(LaunchOptions::production().spin(Duration::from_secs(100)).validate().is_err());
    /// ```
    pub fn spin(mut self, time: Duration) -> Self {
        self.said.add(Word::Spin);
        self.shape.spin = time;
        self
    }

    /// Whether the kernel stays where it runs ([`Persistent`](RunMode::Persistent), the default), or leaves
    /// after some messages or without work, and comes back
    /// ([`EventDriven`](RunMode::EventDriven)). Every backend does what this says. Results are the same.
    /// [`KernelStatus::epochs`](crate::KernelStatus::epochs) counts how often it came.
    ///
    /// An event-driven kernel leaves a device to other kernels: it takes no resident slot while it is idle,
    /// and a launch never fails for want of one (except with [`supersteps`](Self::supersteps)). The price is
    /// a launch for each epoch, some microseconds.
    ///
    /// ```
    /// # use annulus_runtime::{LaunchOptions, RunMode};
    /// let options = LaunchOptions::production().run_mode(RunMode::EventDriven);
    /// assert_eq!(options.shape.run_mode, RunMode::EventDriven);
    /// ```
    pub fn run_mode(mut self, mode: RunMode) -> Self {
        self.said.add(Word::RunMode);
        self.shape.run_mode = mode;
        self
    }

    /// After how many messages each block of an [event-driven](RunMode::EventDriven) kernel leaves: 1 or
    /// more; 1000 by default. A turn is not cut in two, so a block may take up to
    /// [`max_messages_per_iteration`](Self::max_messages_per_iteration) less 1 more. A device may leave
    /// earlier, so that an epoch stays short. A persistent kernel ignores it.
    ///
    /// ```
    /// # use annulus_runtime::LaunchOptions;
    /// assert_eq!(LaunchOptions::production().leave_after(64).shape.leave_after, 64);
    /// ```
    pub fn leave_after(mut self, messages: u32) -> Self {
        self.said.add(Word::LeaveAfter);
        self.shape.leave_after = messages;
        self
    }

    /// Whether each shard counts its turns, for [`KernelStatus::turns`](crate::KernelStatus::turns). With it
    /// one sees how many messages a turn takes. Costs a store per turn. Off by default.
    ///
    /// ```
    /// # use annulus_runtime::LaunchOptions;
    /// assert!(LaunchOptions::production().count_turns(true).observe.count_turns);
    /// ```
    pub fn count_turns(mut self, on: bool) -> Self {
        self.said.add(Word::CountTurns);
        self.observe.count_turns = on;
        self
    }

    /// Whether messages go through a host queue in front of the ring.
    pub(crate) fn has_policies(&self) -> bool {
        self.inbound.backpressure == Backpressure::DropOldest
            || self.inbound.priority
            || self.inbound.deduplication != Deduplication::Off
            || self.inbound.expiry.is_some()
            || !self.queues.is_empty()
    }

    /// The deduplication window that is really used: at most the capacity.
    ///
    /// ```
    /// # use annulus_runtime::LaunchOptions;
    /// let options = LaunchOptions::production().capacity(64).deduplication_window(1024);
    /// assert_eq!(options.effective_deduplication_window(), 64);
    /// ```
    pub fn effective_deduplication_window(&self) -> u32 {
        self.inbound.deduplication_window.min(self.inbound.capacity)
    }

    /// The options of a host queue that does what these launch options ask for: capacity, backpressure,
    /// priority, expiry, deduplication with its effective window, and name.
    ///
    /// ```
    /// # use annulus_runtime::LaunchOptions;
    /// let (tx, _rx) = annulus_queue::queue::<u64>(LaunchOptions::production().to_queue_options())?;
    /// assert_eq!(tx.capacity(), 4096);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_queue_options(&self) -> QueueOptions {
        let options = QueueOptions::new()
            .capacity(self.inbound.capacity as usize)
            .backpressure(self.inbound.backpressure)
            .priority(self.inbound.priority)
            .expiry(self.inbound.expiry)
            .deduplication(self.inbound.deduplication)
            .deduplication_window(self.effective_deduplication_window() as usize);
        match &self.name {
            Some(name) => options.name(name),
            None => options,
        }
    }

    /// Checks everything that can be checked without a kernel.
    ///
    /// ```
    /// # use annulus_runtime::{LaunchOptions, LaunchProblem};
    /// let invalid = LaunchOptions::production().grid(0).validate().unwrap_err();
    /// assert!(matches!(invalid.problems(), [LaunchProblem::Range { option: "grid", given: 0, min: 1, .. }]));
    /// assert_eq!(invalid.to_string(), "invalid launch options: grid is 0, and must be 1 ..= 65536: use 1");
    /// ```
    ///
    /// # Errors
    ///
    /// Lists every problem at once, each with the value, the limit and the remedy.
    pub fn validate(&self) -> Result<(), InvalidLaunch> {
        InvalidOptions::unless_empty(problem::of(self))
    }

    /// Checks these options together with the kernel that is to be launched.
    pub(crate) fn validate_for(
        &self,
        kernel: &KernelDefinition,
        identified: bool,
    ) -> Result<(), InvalidLaunch> {
        InvalidOptions::unless_empty(problem::of_launch(self, kernel, identified))
    }
}

impl Default for LaunchOptions {
    fn default() -> Self {
        Self::production()
    }
}
