//! How a handler finds out where it runs.

/// The context of one call of a handler.
#[derive(Clone, Copy, Debug)]
pub struct Cx {
    block_index: u32,
    grid_size: u32,
    thread_index: u32,
    queue: u32,
}

impl Cx {
    /// The context of thread `thread_index` of block `block_index` in a grid of `grid_size` blocks.
    pub const fn new(block_index: u32, grid_size: u32, thread_index: u32) -> Self {
        Self { block_index, grid_size, thread_index, queue: 0 }
    }

    /// The same context, for a message that came from this queue.
    #[inline]
    pub const fn with_queue(self, queue: u32) -> Self {
        Self { queue, ..self }
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
}
