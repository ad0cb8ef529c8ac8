//! Options that suit common uses.
//!
//! Each sets the capacity, the deduplication window and the backpressure in the table. Deduplication itself
//! stays off until it is switched on, since equal messages are allowed.

use std::time::Duration;

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
/// The window is used once [`deduplication`](Self::deduplication) is switched on.
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

    /// A short queue that reports at once when it cannot keep up.
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

    /// For signals if only the newest ones matter.
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

    /// Room for twice the messages of one `interval`, at a peak of `messages_per_second`, for a receiver that
    /// receives every `interval`. The capacity is the next power of two, at least 16; a capacity above
    /// [`MAX_CAPACITY`](Self::MAX_CAPACITY) is refused when the queue is made. The deduplication window holds
    /// twice as many keys again, up to the greatest window, so that a sender that repeats its last burst is
    /// recognised.
    ///
    /// ```
    /// use std::time::Duration;
    /// # use annulus_queue::{QueueOptions, queue};
    /// // 100,000 a second, received every 10 ms: 1000 between two looks.
    /// let options = QueueOptions::sized_for(100_000.0, Duration::from_millis(10));
    /// assert_eq!(queue::<u32>(options)?.0.capacity(), 2048);
    ///
    /// let refused = queue::<u32>(QueueOptions::sized_for(1e9, Duration::from_secs(1))).unwrap_err();
    /// assert!(refused.to_string().contains("1048576"));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn sized_for(messages_per_second: f64, interval: Duration) -> Self {
        // Casts of floats saturate; a rate that is not a number gives the least capacity.
        let burst = (messages_per_second * interval.as_secs_f64()).ceil() as usize;
        let capacity = burst.saturating_mul(2).max(Self::MIN_CAPACITY);
        let capacity = capacity.checked_next_power_of_two().unwrap_or(usize::MAX);
        let window = burst.saturating_mul(4).clamp(Self::MIN_WINDOW, Self::MAX_WINDOW);
        Self::new().capacity(capacity).deduplication_window(window)
    }
}
