//! How a handler finds out where it runs.

use crate::FenceScope;

/// The context of one call of a handler.
#[derive(Clone, Copy, Debug)]
pub struct Cx {
    block_index: u32,
    grid_size: u32,
    thread_index: u32,
    queue: u32,
    now: u64,
    stamp: u64,
    round: u64,
    block_dim: u32,
}

impl Cx {
    /// The context of thread `thread_index` of block `block_index` in a grid of `grid_size` blocks.
    pub const fn new(block_index: u32, grid_size: u32, thread_index: u32) -> Self {
        Self { block_index, grid_size, thread_index, queue: 0, now: 0, stamp: 0, round: 0, block_dim: 1 }
    }

    /// The same context, for a message that came from this queue.
    #[inline]
    pub const fn with_queue(self, queue: u32) -> Self {
        Self { queue, ..self }
    }

    /// The same context, in a turn that began at this time.
    #[inline]
    pub const fn with_time(self, now: u64) -> Self {
        Self { now, ..self }
    }

    /// The same context, for a message with this stamp.
    #[inline]
    pub const fn with_stamp(self, stamp: u64) -> Self {
        Self { stamp, ..self }
    }

    /// The same context, in this round.
    #[inline]
    pub const fn with_round(self, round: u64) -> Self {
        Self { round, ..self }
    }

    /// The same context, in a block of `threads` threads that work on one message together.
    #[inline]
    pub const fn with_block_dim(self, threads: u32) -> Self {
        Self { block_dim: threads, ..self }
    }

    /// The same context, for another thread of the block.
    pub(crate) const fn with_thread(self, thread_index: u32) -> Self {
        Self { thread_index, ..self }
    }

    /// How many threads of its block work on this message together: 1 unless the handler takes a
    /// [`BlockCx`](crate::BlockCx).
    pub(crate) const fn block_dim(&self) -> u32 {
        self.block_dim
    }

    /// The block, and so the shard, that handles this message: `0..grid_size`.
    #[inline]
    pub const fn block_index(&self) -> u32 {
        self.block_index
    }

    /// How many blocks the kernel was launched with.
    #[inline]
    pub const fn grid_size(&self) -> u32 {
        self.grid_size
    }

    /// The thread within the block. Always 0 on the CPU backend, where a block without barriers is a plain
    /// loop.
    #[inline]
    pub const fn thread_index(&self) -> u32 {
        self.thread_index
    }

    /// The queue that the message came from: 0 for the kernel's own queue and for messages of connected
    /// kernels; from 1 on for the launch's named queues, in the order in which the launch names them.
    ///
    /// ```
    /// # use annulus_kernel::Cx;
    /// let cx = Cx::new(0, 1, 0);
    /// assert_eq!((cx.queue(), cx.with_queue(2).queue()), (0, 2));
    /// ```
    #[inline]
    pub const fn queue(&self) -> u32 {
        self.queue
    }

    /// The time at which the turn began, in nanoseconds since the runtime was built: the clock of enqueue
    /// times, telemetry and `Runtime::now`. All messages of a turn see the same time, and a later turn of the
    /// block never an earlier one: the clock is read once per turn, and only for a handler that asks.
    ///
    /// On a device the time comes from the device's own clock, which is set by the host's when the device is
    /// opened and while kernels run. Both differ by microseconds. Where a device has no clock, the time is
    /// the last that the host has told it, and may be milliseconds old. A handler that is called without a
    /// block, as in a test, sees 0, or what [`with_time`](Self::with_time) says.
    ///
    /// ```
    /// # use annulus_kernel::Cx;
    /// let cx = Cx::new(0, 1, 0).with_time(1_500);
    /// assert_eq!(cx.now(), 1_500);
    /// ```
    #[inline]
    pub const fn now(&self) -> u64 {
        self.now
    }

    /// The stamp of the message, in a kernel whose messages carry stamps (`LaunchOptions::causal`): a message that was sent
    /// because of another one has a greater stamp, across blocks, connected kernels and the host. Microseconds on the
    /// runtime's clock in the upper 48 bits, a count in the lower 16 ([`annulus_abi::stamp`]). 0 if the message was sent by a
    /// kernel that gives none, or if this kernel's messages carry none.
    ///
    /// What the handler sends gets a greater stamp, all of one call the same. A tick, a start or an end has a stamp of the
    /// block's own; a message that the handler has sent to itself that of the call which has sent it.
    ///
    /// ```
    /// # use annulus_kernel::Cx;
    /// let cx = Cx::new(0, 1, 0).with_stamp(7 << 16 | 3);
    /// assert_eq!(cx.stamp(), 7 << 16 | 3);
    /// ```
    #[inline]
    pub const fn stamp(&self) -> u64 {
        self.stamp
    }

    /// The round, in a kernel that goes in rounds (`LaunchOptions::rounds`): the first is 0. What a handler sends to its own
    /// kernel is handled in the round after this one. 0 in a kernel that goes in none.
    ///
    /// ```
    /// # use annulus_kernel::Cx;
    /// let cx = Cx::new(0, 1, 0).with_round(3);
    /// assert_eq!(cx.round(), 3);
    /// ```
    #[inline]
    pub const fn round(&self) -> u64 {
        self.round
    }

    /// A fence: what this thread has read and written before it comes, for everyone within `scope`, before
    /// what the thread reads and writes after it. All fences of a scope have one order: they are
    /// sequentially consistent.
    ///
    /// A fence orders bound atomics against each other and against messages: what is sent after it, and what
    /// was taken before it. It waits for nobody. A fence of the writer alone is not enough: the reader needs
    /// one between its reads, too, or an ordering that does the same.
    ///
    /// A scope that does not include all threads that share the memory orders nothing between them. On the
    /// CPU a fence for the block costs nothing, since a block runs in one thread at a time.
    ///
    /// ```
    /// # use annulus_kernel::{Cx, FenceScope};
    /// # use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
    /// # let (cx, value, ready) = (Cx::new(0, 1, 0), AtomicU32::new(0), AtomicU32::new(0));
    /// value.store(42, Relaxed);
    /// cx.fence(FenceScope::Device);
    /// ready.store(1, Relaxed); // Who reads this 1, and then fences, reads 42.
    /// ```
    #[inline]
    pub fn fence(&self, scope: FenceScope) {
        scope.fence();
    }
}
