//! Named queues of a launch.

use std::time::Duration;

use annulus_queue::{Backpressure, Deduplication, Share};

use crate::options::{Inbound, LaunchOptions};

/// A queue of a kernel beside the kernel's own. Its messages go to the same handler, which learns from
/// [`Cx::queue`](annulus_kernel::Cx::queue) where they come from.
///
/// It has the options that the kernel's own queue has, and the same defaults; the method of the same name of
/// [`LaunchOptions`] says what each means. [`LaunchOptions::queue`] adds it to a launch.
///
/// ```
/// use annulus_runtime::{LaunchOptions, NamedQueue, Share};
/// let options = LaunchOptions::high_throughput()
///     .queue(NamedQueue::new("urgent").capacity(64).share(Share::Rank(1)))
///     .queue(NamedQueue::new("bulk").priority(true));
/// assert_eq!(options.queues[1].name, "bulk");
/// assert!(options.validate().is_ok());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NamedQueue {
    /// By which it is found; other queues of the kernel have other names.
    pub name: String,
    /// Its options.
    pub inbound: Inbound,
}

impl NamedQueue {
    /// A queue with the default options.
    ///
    /// ```
    /// # use annulus_runtime::NamedQueue;
    /// assert_eq!(NamedQueue::new("urgent").inbound.capacity, 4096);
    /// ```
    pub fn new(name: impl Into<String>) -> Self {
        Self::with(name, Inbound::default())
    }

    /// A queue with these options. Several queues can share them, or use those of a preset.
    ///
    /// ```
    /// # use annulus_runtime::{LaunchOptions, NamedQueue};
    /// let shared = LaunchOptions::realtime().inbound;
    /// let queues = ["left", "right"].map(|name| NamedQueue::with(name, shared.clone()));
    /// assert_eq!(queues[1].inbound.capacity, 512);
    /// ```
    pub fn with(name: impl Into<String>, inbound: Inbound) -> Self {
        Self { name: name.into(), inbound }
    }

    /// See [`LaunchOptions::capacity`].
    ///
    /// ```
    /// # use annulus_runtime::NamedQueue;
    /// assert_eq!(NamedQueue::new("urgent").capacity(64).inbound.capacity, 64);
    /// ```
    pub fn capacity(mut self, messages: u32) -> Self {
        self.inbound.capacity = messages;
        self
    }

    /// See [`LaunchOptions::sized_for`].
    ///
    /// ```
    /// # use annulus_runtime::NamedQueue;
    /// # use std::time::Duration;
    /// let queue = NamedQueue::new("urgent").sized_for(2000.0, Duration::from_millis(10));
    /// assert_eq!(queue.inbound.capacity, 64);
    /// ```
    pub fn sized_for(mut self, messages_per_second: f64, interval: Duration) -> Self {
        self.inbound = self.inbound.sized_for(messages_per_second, interval);
        self
    }

    /// See [`LaunchOptions::backpressure`].
    ///
    /// ```
    /// # use annulus_runtime::{Backpressure, NamedQueue};
    /// let queue = NamedQueue::new("urgent").backpressure(Backpressure::Reject);
    /// assert_eq!(queue.inbound.backpressure, Backpressure::Reject);
    /// ```
    pub fn backpressure(mut self, backpressure: Backpressure) -> Self {
        self.inbound.backpressure = backpressure;
        self
    }

    /// See [`LaunchOptions::deduplication`]. Each queue recognises its own duplicates.
    ///
    /// ```
    /// # use annulus_runtime::{Deduplication, NamedQueue};
    /// let queue = NamedQueue::new("urgent").deduplication(Deduplication::ById);
    /// assert_eq!(queue.inbound.deduplication, Deduplication::ById);
    /// ```
    pub fn deduplication(mut self, by: Deduplication) -> Self {
        self.inbound.deduplication = by;
        self
    }

    /// See [`LaunchOptions::deduplication_window`].
    ///
    /// ```
    /// # use annulus_runtime::NamedQueue;
    /// assert_eq!(NamedQueue::new("urgent").deduplication_window(16).inbound.deduplication_window, 16);
    /// ```
    pub fn deduplication_window(mut self, messages: u32) -> Self {
        self.inbound.deduplication_window = messages;
        self
    }

    /// See [`LaunchOptions::priority`]: the order within this queue.
    ///
    /// ```
    /// # use annulus_runtime::NamedQueue;
    /// assert!(NamedQueue::new("urgent").priority(true).inbound.priority);
    /// ```
    pub fn priority(mut self, on: bool) -> Self {
        self.inbound.priority = on;
        self
    }

    /// See [`LaunchOptions::expiry`].
    ///
    /// ```
    /// # use annulus_runtime::NamedQueue;
    /// use std::time::Duration;
    /// let queue = NamedQueue::new("urgent").expiry(Duration::from_secs(1));
    /// assert_eq!(queue.inbound.expiry, Some(Duration::from_secs(1)));
    /// ```
    pub fn expiry(mut self, lifetime: impl Into<Option<Duration>>) -> Self {
        self.inbound.expiry = lifetime.into();
        self
    }

    /// Its share of the messages that the kernel takes; see [`LaunchOptions::share`].
    ///
    /// ```
    /// # use annulus_runtime::{NamedQueue, Share};
    /// assert_eq!(NamedQueue::new("urgent").share(Share::Rank(1)).inbound.share, Share::Rank(1));
    /// ```
    pub fn share(mut self, share: Share) -> Self {
        self.inbound.share = share;
        self
    }
}

/// # Named queues
impl LaunchOptions {
    /// The most named queues of a kernel.
    pub const MAX_QUEUES: usize = annulus_abi::ring::MAX_QUEUES;
    /// The greatest weight of a queue.
    pub const MAX_WEIGHT: u32 = 1000;

    /// Gives the kernel a further queue, [`KernelHandle::queue`](crate::KernelHandle::queue): up to 16. They
    /// have the numbers from 1 on, in the order in which they are added.
    ///
    /// Messages then go through host queues in front of the rings, as under a policy: see
    /// [`priority`](Self::priority). Each shard has each queue. At most two batches of all queues are in the
    /// shard's ring.
    ///
    /// ```
    /// # use annulus_runtime::{LaunchOptions, NamedQueue};
    /// let options = LaunchOptions::production().queue(NamedQueue::new("urgent").capacity(64));
    /// assert_eq!(options.queues.len(), 1);
    /// ```
    pub fn queue(mut self, queue: NamedQueue) -> Self {
        self.queues.push(queue);
        self
    }

    /// The share of the kernel's own queue, if there are named ones: which queue's message the kernel gets
    /// next, if several have messages. A queue with a rank goes before those with a weight, and a higher rank
    /// before a lower one; so the lower ones may wait for ever. Queues of equal rank take turns. Queues with
    /// a weight take turns, each as often as its weight (1 ..= 1000) says. `Weight(1)` by default.
    ///
    /// ```
    /// # use annulus_runtime::{LaunchOptions, Share};
    /// let options = LaunchOptions::production().share(Share::Weight(3));
    /// assert_eq!(options.inbound.share, Share::Weight(3));
    /// ```
    pub fn share(mut self, share: Share) -> Self {
        self.inbound.share = share;
        self
    }
}

/// # Presets of the documents
///
/// | preset | capacity | window | backpressure | priority |
/// |---|---|---|---|---|
/// | [`orleans`](Self::orleans) | 4096 | 1024 | Block | yes |
/// | [`graph`](Self::graph) | 16,384 | 1024 | DropOldest | |
/// | [`realtime`](Self::realtime) | 512 | 256 | DropOldest | |
/// | [`ml`](Self::ml) | 8192 | 1024 | Reject | yes |
///
/// They are those of [`QueueOptions`](annulus_queue::QueueOptions::orleans). All have a queue of the host in
/// front of the ring. The window is used once [`deduplication`](Self::deduplication) is switched on.
impl LaunchOptions {
    /// For requests to virtual actors: urgent ones first, and nothing is lost.
    ///
    /// ```
    /// # use annulus_runtime::LaunchOptions;
    /// let inbound = LaunchOptions::orleans().inbound;
    /// assert_eq!((inbound.capacity, inbound.priority), (4096, true));
    /// ```
    pub fn orleans() -> Self {
        Self::production().priority(true)
    }

    /// For updates of a graph's vertices, where newer ones replace older ones.
    ///
    /// ```
    /// # use annulus_runtime::{Backpressure, LaunchOptions};
    /// let inbound = LaunchOptions::graph().inbound;
    /// assert_eq!((inbound.capacity, inbound.backpressure), (16_384, Backpressure::DropOldest));
    /// ```
    pub fn graph() -> Self {
        Self::high_throughput().backpressure(Backpressure::DropOldest)
    }

    /// For signals if only the newest ones matter.
    ///
    /// ```
    /// # use annulus_runtime::{Backpressure, LaunchOptions};
    /// let inbound = LaunchOptions::realtime().inbound;
    /// assert_eq!((inbound.capacity, inbound.backpressure), (512, Backpressure::DropOldest));
    /// ```
    pub fn realtime() -> Self {
        Self::production().capacity(512).deduplication_window(256).backpressure(Backpressure::DropOldest)
    }

    /// For inference requests: urgent ones first, and a caller learns at once that it must go elsewhere.
    ///
    /// ```
    /// # use annulus_runtime::{Backpressure, LaunchOptions};
    /// let inbound = LaunchOptions::ml().inbound;
    /// assert_eq!((inbound.capacity, inbound.backpressure), (8192, Backpressure::Reject));
    /// ```
    pub fn ml() -> Self {
        Self::production().capacity(8192).backpressure(Backpressure::Reject).priority(true)
    }
}
