//! How a kernel is launched.

use std::{fmt, time::Duration};

use annulus_abi::{
    LINE,
    ring::{MAX_CAPACITY, MAX_PAYLOAD, MIN_CAPACITY},
};
use annulus_kernel::{BindingKind, KernelDefinition, ProcessingMode, StateShape, TypeDescriptor};
use annulus_queue::{Backpressure, Deduplication, QueueOptions};

/// Smallest deduplication window of a launch.
pub const MIN_WINDOW: u32 = 16;
/// Largest deduplication window of a launch.
pub const MAX_WINDOW: u32 = 1024;
/// Largest grid, in blocks. Source: this project's choice; every block has two rings.
pub const MAX_GRID: u32 = 65_536;
/// Largest block, in threads. Source: CUDA's limit, which OpenCL and Metal devices share.
pub const MAX_BLOCK: u32 = 1024;

/// How a kernel is launched: start from a preset, change what you need.
///
/// ```
/// use annulus_runtime::{Backpressure, LaunchOptions};
/// let options = LaunchOptions::low_latency().actors(1024).grid(4).backpressure(Backpressure::Block);
/// assert!(options.validate().is_ok());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchOptions {
    pub(crate) name: Option<String>,
    pub(crate) grid: u32,
    pub(crate) block: u32,
    pub(crate) actors: u64,
    pub(crate) capacity: u32,
    pub(crate) output_capacity: Option<u32>,
    pub(crate) backpressure: Backpressure,
    pub(crate) deduplication: Deduplication,
    pub(crate) deduplication_window: u32,
    pub(crate) priority: bool,
    pub(crate) expiry: Option<Duration>,
    pub(crate) mode: Option<ProcessingMode>,
    pub(crate) max_messages_per_iteration: Option<u32>,
    pub(crate) timestamps: bool,
    pub(crate) calls: bool,
    pub(crate) track_latency: bool,
    pub(crate) dead_letters: u32,
    pub(crate) connectable: bool,
    pub(crate) active: bool,
    pub(crate) supersteps: bool,
    pub(crate) spin: Duration,
}

impl LaunchOptions {
    /// Nothing is lost, and bursts fit: capacity 4096, window 1024, Block, first in first out. Also the
    /// default.
    pub fn production() -> Self {
        Self {
            name: None,
            grid: 1,
            block: 1,
            actors: 0,
            capacity: 4096,
            output_capacity: None,
            backpressure: Backpressure::Block,
            deduplication: Deduplication::Off,
            deduplication_window: 1024,
            priority: false,
            expiry: None,
            mode: None,
            max_messages_per_iteration: None,
            timestamps: true,
            calls: true,
            track_latency: false,
            dead_letters: 100,
            connectable: false,
            active: true,
            supersteps: false,
            spin: Duration::from_micros(20),
        }
    }

    /// A short queue that says at once when it is full: capacity 256, window 256, Reject. Blocks look for
    /// messages for longer before they sleep.
    pub fn low_latency() -> Self {
        Self {
            capacity: 256,
            deduplication_window: 256,
            backpressure: Backpressure::Reject,
            spin: Duration::from_micros(200),
            ..Self::production()
        }
    }

    /// A long queue: capacity 16,384, window 1024, Block.
    pub fn high_throughput() -> Self {
        Self { capacity: 16_384, ..Self::production() }
    }

    /// The name of this instance in the runtime; the kernel's id if none is given. Two kernels cannot have
    /// the same name at the same time.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Blocks, and so shards, each with rings of its own: 1 ..= 65,536.
    pub fn grid(mut self, blocks: u32) -> Self {
        self.grid = blocks;
        self
    }

    /// Threads of a block: 1 ..= 1024. The CPU backend runs a block as one loop, whatever this says.
    pub fn block(mut self, threads: u32) -> Self {
        self.block = threads;
        self
    }

    /// Actors, for a kernel with state by key: keys are `0..actors`.
    pub fn actors(mut self, actors: u64) -> Self {
        self.actors = actors;
        self
    }

    /// Slots of each shard's inbound ring: a power of two, 16 ..= 1,048,576.
    pub fn capacity(mut self, slots: u32) -> Self {
        self.capacity = slots;
        self
    }

    /// Slots of each shard's outbound ring, if not as many as of the inbound one.
    pub fn output_capacity(mut self, slots: u32) -> Self {
        self.output_capacity = Some(slots);
        self
    }

    /// What happens to a message when the shard's queue is full.
    pub fn backpressure(mut self, backpressure: Backpressure) -> Self {
        self.backpressure = backpressure;
        self
    }

    /// By what duplicates are recognised: they come back as [`Duplicate`](crate::SendOutcome::Duplicate).
    /// `ById` needs a message with a `#[ring(id)]`. Where messages have no key, their identity decides which
    /// shard they go to, so that duplicates meet.
    pub fn deduplication(mut self, by: Deduplication) -> Self {
        self.deduplication = by;
        self
    }

    /// How many of the last accepted messages of a shard duplicates are looked for in: 16 ..= 1024. A window
    /// larger than the capacity is clamped to it.
    pub fn deduplication_window(mut self, messages: u32) -> Self {
        self.deduplication_window = messages;
        self
    }

    /// Whether messages are handed over to the kernel by their `#[ring(priority)]`, 255 first, instead of
    /// first in, first out; equals are first in, first out. Messages without one are all equal. What was
    /// handed over, two batches at most, is not overtaken any more.
    pub fn priority(mut self, on: bool) -> Self {
        self.priority = on;
        self
    }

    /// How long a message waits to be handed over to the kernel, from the moment at which it was sent; for
    /// ever unless given. One that is older when its turn comes is skipped, counted, and goes to the [dead
    /// dead letters](Self::dead_letters), if there are any; a call that waits for its reply ends. Nobody
    /// looks for expired messages but who sends to that shard, and the kernel when it takes messages: until
    /// then they take their places. What was handed over, two batches at most, does not expire.
    ///
    /// Costs a clock read per send or batch, which [`timestamps`](Self::timestamps) cost already, and one
    /// each time that messages are handed over.
    pub fn expiry(mut self, lifetime: impl Into<Option<Duration>>) -> Self {
        self.expiry = lifetime.into();
        self
    }

    /// How a block takes its messages, if not as the kernel's attribute says.
    pub fn mode(mut self, mode: ProcessingMode) -> Self {
        self.mode = Some(mode);
        self
    }

    /// At most this many messages in one iteration, if not as the kernel's attribute says: 1 ..= the
    /// capacity.
    pub fn max_messages_per_iteration(mut self, messages: u32) -> Self {
        self.max_messages_per_iteration = Some(messages);
        self
    }

    /// Whether messages carry the time at which they were enqueued, which latencies need. Costs a clock read
    /// per send or batch, and 8 bytes per slot. On by default.
    pub fn timestamps(mut self, on: bool) -> Self {
        self.timestamps = on;
        self
    }

    /// Whether `call` can be used. Costs 8 bytes per slot, and a ring for replies, with as many slots as the
    /// inbound one. On by default.
    pub fn calls(mut self, on: bool) -> Self {
        self.calls = on;
        self
    }

    /// Whether each shard measures the latency of every message, in nanoseconds, and keeps a histogram of
    /// them, for percentiles. A message's latency ends when the handlers of its iteration have ended, as
    /// telemetry's does: the clock is read once for all of
    /// [`max_messages_per_iteration`](Self::max_messages_per_iteration). Costs that, some nanoseconds a
    /// message, and 15 KB per shard. Off by default; needs timestamps.
    pub fn track_latency(mut self, on: bool) -> Self {
        self.track_latency = on;
        self
    }

    /// How many dead letters the host keeps: messages whose handler failed, and such as were for no actor.
    /// The oldest leaves for a newer one. 100 unless said otherwise; 0 for none, which saves each shard a
    /// ring of 64 messages.
    pub fn dead_letters(mut self, dead_letters: u32) -> Self {
        self.dead_letters = dead_letters;
        self
    }

    /// Whether the kernel can be [connected](crate::KernelHandle::connect): to another kernel that takes what
    /// its handlers send, or as the one that takes. Off by default. On a device each block then has a second
    /// inbound ring, in the device's own memory, as large as the first, and looks at both.
    pub fn connectable(mut self, on: bool) -> Self {
        self.connectable = on;
        self
    }

    /// Whether the kernel begins active. On by default; otherwise messages wait until it is activated.
    pub fn active(mut self, on: bool) -> Self {
        self.active = on;
        self
    }

    /// Whether the kernel's blocks take their turns together, in *supersteps* (the bulk-synchronous model):
    /// no block begins its next turn before all have ended this one. A turn is what [`ProcessingMode`] makes
    /// of it: one message of each shard, or a batch. Off by default.
    ///
    /// What handlers wrote to shared tables (`&[AtomicU32]`) in one superstep all handlers see in the next,
    /// with relaxed accesses; what others write in the same superstep they may see or not. A shard without
    /// messages, without room for answers, or inactive takes part and handles nothing. Commands reach the
    /// shards one after the other: they need not begin, pause or end in the same superstep.
    ///
    /// All blocks must run at once: a launch is refused where the grid has not that many places on the
    /// device, also in epochs. On CUDA it is a cooperative launch. Each superstep is as long as its longest
    /// turn, and a handler that does not return holds all up.
    ///
    /// ```
    /// use annulus_runtime::LaunchOptions;
    /// let options = LaunchOptions::production().grid(4).supersteps(true);
    /// assert!(options.validate().is_ok());
    /// ```
    pub fn supersteps(mut self, on: bool) -> Self {
        self.supersteps = on;
        self
    }

    /// How long a block with nothing to do looks for messages before it sleeps. Waking costs microseconds;
    /// looking costs a core that nobody else wants (a block that has company in the worker's queue gives way
    /// at once).
    pub fn spin(mut self, time: Duration) -> Self {
        self.spin = time;
        self
    }

    /// Whether messages go through a queue of the host's in front of the ring.
    pub(crate) fn has_policies(&self) -> bool {
        self.backpressure == Backpressure::DropOldest
            || self.priority
            || self.deduplication != Deduplication::Off
            || self.expiry.is_some()
    }

    /// The deduplication window that is used: at most the capacity.
    pub fn effective_deduplication_window(&self) -> u32 {
        self.deduplication_window.min(self.capacity)
    }

    /// The options of a host queue that does what these launch options ask for: capacity, backpressure,
    /// priority, deduplication with the window that is used, and name.
    pub fn to_queue_options(&self) -> QueueOptions {
        let options = QueueOptions::new()
            .capacity(self.capacity as usize)
            .backpressure(self.backpressure)
            .priority(self.priority)
            .expiry(self.expiry)
            .deduplication(self.deduplication)
            .deduplication_window(self.effective_deduplication_window() as usize);
        match &self.name {
            Some(name) => options.name(name),
            None => options,
        }
    }

    /// Checks everything that can be checked without a kernel.
    ///
    /// # Errors
    ///
    /// Every problem at once, each with the value, the limit and the remedy.
    pub fn validate(&self) -> Result<(), InvalidOptions> {
        let problems = self.problems();
        if problems.is_empty() { Ok(()) } else { Err(InvalidOptions { problems }) }
    }

    fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        check_capacity(&mut problems, "capacity", self.capacity);
        if let Some(capacity) = self.output_capacity {
            check_capacity(&mut problems, "output_capacity", capacity);
        }
        check_range(&mut problems, "deduplication_window", self.deduplication_window, MIN_WINDOW, MAX_WINDOW);
        check_range(&mut problems, "grid", self.grid, 1, MAX_GRID);
        check_range(&mut problems, "block", self.block, 1, MAX_BLOCK);
        if let Some(cap) = self.max_messages_per_iteration {
            check_range(&mut problems, "max_messages_per_iteration", cap, 1, self.capacity.max(1));
        }
        if self.track_latency && !self.timestamps {
            problems.push("track_latency needs timestamps: leave timestamps on".into());
        }
        if self.expiry == Some(Duration::ZERO) {
            problems.push(
                "expiry is 0, in which no message can be handed over: use a longer one, or leave it out"
                    .into(),
            );
        }
        if self.name.as_deref() == Some("") {
            problems.push("name is empty: leave it out to use the kernel's id".into());
        }
        problems
    }

    /// Checks these options together with the kernel that they are to launch.
    pub(crate) fn validate_for(
        &self,
        kernel: &KernelDefinition,
        identified: bool,
    ) -> Result<(), InvalidOptions> {
        let mut problems = self.problems();
        let name = kernel.name;
        if self.deduplication == Deduplication::ById && !identified {
            problems.push(format!(
                "deduplication is ById, and messages of `{name}` have no id: mark a field of {} with #[ring(id)], or \
                 use ByPayload",
                kernel.message.name
            ));
        }
        match kernel.state {
            StateShape::PerActor(_) if self.actors == 0 => problems.push(format!(
                "`{name}` keeps state by key, and actors is 0: say how many keys there are with .actors(n)"
            )),
            StateShape::Whole(_) if self.grid != 1 => problems.push(one_block(name, self.grid, "state")),
            _ => {}
        }
        if self.grid != 1 && kernel.bindings.iter().any(|binding| binding.kind == BindingKind::Whole) {
            problems.push(one_block(name, self.grid, "memory"));
        }
        check_payload(&mut problems, "message", kernel.message);
        if let Some(output) = kernel.output {
            check_payload(&mut problems, "output", output);
        }
        let outputs = self.output_capacity.unwrap_or(self.capacity);
        if kernel.max_outputs > outputs {
            problems.push(format!(
                "`{name}` may send {} messages at once, and the outbound ring has {outputs} slots: raise output_capacity",
                kernel.max_outputs
            ));
        }
        if problems.is_empty() { Ok(()) } else { Err(InvalidOptions { problems }) }
    }
}

impl Default for LaunchOptions {
    fn default() -> Self {
        Self::production()
    }
}

fn one_block(name: &str, grid: u32, what: &str) -> String {
    format!(
        "`{name}` has {what} of the whole kernel, which one block owns, and grid is {grid}: use .grid(1), or give its \
         message a #[ring(key)] so that each actor has its own"
    )
}

fn check_payload(problems: &mut Vec<String>, what: &str, ty: &TypeDescriptor) {
    if ty.size > MAX_PAYLOAD || ty.align > LINE {
        problems.push(format!(
            "the {what} type {} has {} bytes aligned to {}, and a slot takes {MAX_PAYLOAD} bytes aligned to {LINE}: send it \
             in parts",
            ty.name, ty.size, ty.align
        ));
    }
}

fn check_range(problems: &mut Vec<String>, what: &str, value: u32, min: u32, max: u32) {
    if !(min..=max).contains(&value) {
        problems
            .push(format!("{what} is {value}, and must be {min} ..= {max}: use {}", value.clamp(min, max)));
    }
}

fn check_capacity(problems: &mut Vec<String>, what: &str, value: u32) {
    if !value.is_power_of_two() || !(MIN_CAPACITY..=MAX_CAPACITY).contains(&value) {
        let next = value.clamp(MIN_CAPACITY, MAX_CAPACITY).next_power_of_two();
        problems.push(format!(
            "{what} is {value}, and must be a power of 2, {MIN_CAPACITY} ..= {MAX_CAPACITY}: use {next}"
        ));
    }
}

/// Every problem of a set of options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidOptions {
    problems: Vec<String>,
}

impl InvalidOptions {
    /// The problems, each with the value, the limit and the remedy. Never empty.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }
}

impl fmt::Display for InvalidOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invalid launch options: {}", self.problems.join("; "))
    }
}

impl std::error::Error for InvalidOptions {}
