//! The groups of a launch's options. The method of the same name says what each option means.

use std::{sync::Arc, time::Duration};

use annulus_abi::ring::MIN_CAPACITY;
use annulus_kernel::{ProcessingMode, Rows};
use annulus_queue::{Backpressure, Deduplication, Share};

#[cfg(doc)]
use crate::options::LaunchOptions;
use crate::options::{MAX_WINDOW, MIN_WINDOW, order::Consistency};

/// What a kernel consists of, and how its blocks run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shape {
    /// Blocks; see [`LaunchOptions::grid`].
    pub grid: u32,
    /// Threads of a block; see [`LaunchOptions::block`].
    pub block: u32,
    /// See [`LaunchOptions::actors`].
    pub actors: u64,
    /// See [`LaunchOptions::sparse_keys`].
    pub sparse_keys: bool,
    /// See [`LaunchOptions::evict_actors`].
    pub evict_actors: bool,
    /// See [`LaunchOptions::mode`]; `None` for the kernel's own.
    pub mode: Option<ProcessingMode>,
    /// See [`LaunchOptions::max_messages_per_iteration`]; `None` for the kernel's own.
    pub max_messages_per_iteration: Option<u32>,
    /// See [`LaunchOptions::supersteps`].
    pub supersteps: bool,
    /// See [`LaunchOptions::rounds`].
    pub rounds: bool,
    /// See [`LaunchOptions::connectable`].
    pub connectable: bool,
    /// See [`LaunchOptions::into_variants`].
    pub into_variants: bool,
    /// Whether it begins active; see [`LaunchOptions::active`].
    pub active: bool,
    /// See [`LaunchOptions::spin`].
    pub spin: Duration,
    /// See [`LaunchOptions::run_mode`].
    pub run_mode: RunMode,
    /// In messages; see [`LaunchOptions::leave_after`].
    pub leave_after: u32,
    /// See [`LaunchOptions::consistency`].
    pub consistency: Consistency,
    /// See [`LaunchOptions::causal_ordering`]; `None` for as the kernel needs it.
    pub causal_ordering: Option<bool>,
    /// See [`LaunchOptions::sealed`].
    pub sealed: bool,
}

/// Whether a kernel stays where it runs, or leaves and comes back.
///
/// ```
/// use annulus_runtime::{LaunchOptions, RunMode};
/// let options = LaunchOptions::production().run_mode(RunMode::EventDriven).leave_after(500);
/// assert!(options.validate().is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum RunMode {
    /// The kernel stays on the device, and waits there for messages. Where a device lets no kernel stay, it
    /// runs in epochs, as if it were event-driven; a block on the CPU keeps its worker for as long as it
    /// finds messages and no other block waits for one.
    #[default]
    Persistent,
    /// The kernel leaves after so many messages ([`LaunchOptions::leave_after`]), or when it has found none
    /// for as long as [`LaunchOptions::spin`] says, and comes back when there is work. On a device that is an
    /// epoch: the host launches the kernel again. On the CPU a block gives its worker back, and goes to the
    /// end of the queue if messages wait.
    EventDriven,
}

/// What happens to messages on their way to a kernel, in its own queue or in a named one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Inbound {
    /// Slots of each shard's inbound ring; see [`LaunchOptions::capacity`].
    pub capacity: u32,
    /// See [`LaunchOptions::backpressure`].
    pub backpressure: Backpressure,
    /// See [`LaunchOptions::deduplication`].
    pub deduplication: Deduplication,
    /// In messages; see [`LaunchOptions::deduplication_window`].
    pub deduplication_window: u32,
    /// See [`LaunchOptions::priority`].
    pub priority: bool,
    /// See [`LaunchOptions::expiry`]; `None` for never.
    pub expiry: Option<Duration>,
    /// In bytes; see [`LaunchOptions::max_payload`].
    pub max_payload: u32,
    /// See [`LaunchOptions::share`]. Used if the kernel has several queues.
    pub share: Share,
}

/// What happens to the outputs that a kernel sends.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outbound {
    /// Slots of each shard's outbound ring; `None` for as many as in the inbound ring. See
    /// [`LaunchOptions::output_capacity`].
    pub capacity: Option<u32>,
    /// See [`LaunchOptions::calls`].
    pub calls: bool,
    /// How many calls through pipelines may be open at a time; 0 for none. See [`LaunchOptions::through`].
    pub through: u32,
    /// How many outputs of a block may wait while it goes on; 0 for none. See [`LaunchOptions::hold`].
    pub hold: u32,
    /// See [`LaunchOptions::topics`].
    pub topics: u32,
    /// See [`LaunchOptions::rows`].
    pub rows: Option<Arc<Rows>>,
}

/// What the host can learn about each message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Observe {
    /// See [`LaunchOptions::timestamps`].
    pub timestamps: bool,
    /// See [`LaunchOptions::track_latency`].
    pub track_latency: bool,
    /// How many dead letters the host keeps; see [`LaunchOptions::dead_letters`].
    pub dead_letters: u32,
    /// See [`LaunchOptions::count_turns`].
    pub count_turns: bool,
    /// See [`LaunchOptions::slow_after`]; `None` for never.
    pub slow_after: Option<Duration>,
    /// See [`LaunchOptions::black_box`].
    pub black_box: bool,
    /// See [`LaunchOptions::causal`].
    pub causal: bool,
    /// See [`LaunchOptions::tracing`].
    pub tracing: bool,
    /// How many of a million messages are followed, if said; see [`LaunchOptions::trace_sample`].
    pub trace_sample: Option<u32>,
}

impl Default for Shape {
    fn default() -> Self {
        Self {
            grid: 1,
            block: 1,
            actors: 0,
            sparse_keys: false,
            evict_actors: false,
            mode: None,
            max_messages_per_iteration: None,
            supersteps: false,
            rounds: false,
            connectable: false,
            into_variants: false,
            active: true,
            spin: Duration::from_micros(20),
            run_mode: RunMode::Persistent,
            leave_after: 1000,
            consistency: Consistency::ReleaseAcquire,
            causal_ordering: None,
            sealed: true,
        }
    }
}

impl Inbound {
    /// See [`LaunchOptions::sized_for`].
    pub(crate) fn sized_for(self, messages_per_second: f64, interval: Duration) -> Self {
        // Casts of floats saturate; a rate that is not a number gives the least capacity.
        let burst = (messages_per_second * interval.as_secs_f64()).ceil() as u32;
        let capacity = burst.saturating_mul(2).max(MIN_CAPACITY);
        let capacity = capacity.checked_next_power_of_two().unwrap_or(u32::MAX);
        let window = burst.saturating_mul(4).clamp(MIN_WINDOW, MAX_WINDOW);
        Self { capacity, deduplication_window: window, ..self }
    }
}

impl Default for Inbound {
    fn default() -> Self {
        Self {
            capacity: 4096,
            backpressure: Backpressure::Block,
            deduplication: Deduplication::Off,
            deduplication_window: 1024,
            priority: false,
            expiry: None,
            max_payload: 4096,
            share: Share::default(),
        }
    }
}

impl Default for Outbound {
    fn default() -> Self {
        Self { capacity: None, calls: true, through: 0, hold: 0, topics: 64, rows: None }
    }
}

impl Default for Observe {
    fn default() -> Self {
        Self {
            timestamps: true,
            track_latency: false,
            dead_letters: 100,
            count_turns: false,
            slow_after: None,
            black_box: false,
            causal: false,
            tracing: false,
            trace_sample: None,
        }
    }
}
