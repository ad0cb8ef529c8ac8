//! How a handler finds out where it runs.

/// The context of one call of a handler.
#[derive(Clone, Copy, Debug)]
pub struct Cx {
    block_index: u32,
    grid_size: u32,
    thread_index: u32,
}

impl Cx {
    /// The context of thread `thread_index` of block `block_index` in a grid of `grid_size` blocks.
    pub const fn new(block_index: u32, grid_size: u32, thread_index: u32) -> Self {
        Self { block_index, grid_size, thread_index }
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
}
