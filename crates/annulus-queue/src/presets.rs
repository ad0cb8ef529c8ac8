//! Options that suit common uses.
//!
//! Each sets the capacity, the deduplication window and the backpressure that the table says. Deduplication itself stays off
//! until it is asked for, since equal messages are legitimate.

use crate::{Backpressure, QueueOptions};

/// # Presets
///
/// | preset | capacity | window | backpressure | priority |
/// |---|---|---|---|---|
/// | [`production`](Self::production) | 4096 | 1024 | Block | |
/// | [`low_latency`](Self::low_latency) | 256 | 256 | Reject | |
/// | [`high_throughput`](Self::high_throughput) | 16,384 | 1024 | Block | |
/// | [`orleans`](Self::orleans) | 4096 | 1024 | Block | yes |
/// | [`graph`](Self::graph) | 16,384 | 1024 | DropOldest | |
/// | [`realtime`](Self::realtime) | 512 | 256 | DropOldest | |
/// | [`ml`](Self::ml) | 8192 | 1024 | Reject | yes |
///
/// The window counts once [`deduplication`](Self::deduplication) is switched on.
impl QueueOptions {
    fn preset(capacity: usize, window: usize, backpressure: Backpressure) -> Self {
        Self::new().capacity(capacity).deduplication_window(window).backpressure(backpressure)
    }

    /// Safe for most uses: 4096 messages, and nothing is lost.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, queue};
    /// assert_eq!(queue::<u32>(QueueOptions::production())?.0.capacity(), 4096);
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn production() -> Self {
        Self::preset(4096, 1024, Backpressure::Block)
    }

    /// A short queue that says at once when it cannot keep up.
    ///
    /// ```
    /// # use annulus_queue::{Backpressure, QueueOptions, queue};
    /// assert_eq!(queue::<u32>(QueueOptions::low_latency())?.0.backpressure(), Backpressure::Reject);
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn low_latency() -> Self {
        Self::preset(256, 256, Backpressure::Reject)
    }

    /// A long queue for bursts, and nothing is lost.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, queue};
    /// assert_eq!(queue::<u32>(QueueOptions::high_throughput())?.0.capacity(), 16_384);
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn high_throughput() -> Self {
        Self::preset(16_384, 1024, Backpressure::Block)
    }

    /// For requests to virtual actors: urgent ones first, and nothing is lost.
    ///
    /// ```
    /// # use annulus_queue::{MessageQueue, QueueOptions};
    /// assert_eq!(MessageQueue::<u32>::new(QueueOptions::orleans())?.capacity(), 4096);
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn orleans() -> Self {
        Self::preset(4096, 1024, Backpressure::Block).priority(true)
    }

    /// For updates of a graph's vertices, where newer ones replace older ones.
    ///
    /// ```
    /// # use annulus_queue::{Backpressure, QueueOptions, queue};
    /// assert_eq!(queue::<u32>(QueueOptions::graph())?.0.backpressure(), Backpressure::DropOldest);
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn graph() -> Self {
        Self::preset(16_384, 1024, Backpressure::DropOldest)
    }

    /// For signals of which only the newest count.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, queue};
    /// assert_eq!(queue::<u32>(QueueOptions::realtime())?.0.capacity(), 512);
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn realtime() -> Self {
        Self::preset(512, 256, Backpressure::DropOldest)
    }

    /// For inference requests: urgent ones first, and a caller learns at once that it must go elsewhere.
    ///
    /// ```
    /// # use annulus_queue::{MessageQueue, QueueOptions};
    /// assert_eq!(MessageQueue::<u32>::new(QueueOptions::ml())?.capacity(), 8192);
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn ml() -> Self {
        Self::preset(8192, 1024, Backpressure::Reject).priority(true)
    }
}
