//! What the threads of a block share.

use std::{cell::Cell, fmt, rc::Rc};

use super::{team, value::BlockValue};

/// The state in a handler that a whole block runs.
///
/// All threads read it, and the leader, thread 0, writes it. It is a copy that belongs to the message: it is
/// committed if the message succeeds, and forgotten if it fails.
///
/// A thread that reads what the leader wrote for this message needs a barrier in between.
///
/// ```
/// use annulus_kernel::{Block, Cx, run_block};
///
/// let total = Block::new(5u32);
/// run_block(Cx::new(0, 1, 0).with_block_dim(4), |cx| {
///     if cx.is_leader() {
///         total.set(total.get() + cx.block_dim());
///     }
/// })?;
/// assert_eq!(total.get(), 9);
/// # Ok::<(), annulus_kernel::Failure>(())
/// ```
pub struct Block<S> {
    value: Cell<S>,
}

impl<S: Copy> Block<S> {
    /// The memory of a block, for a test that calls a handler.
    pub const fn new(value: S) -> Self {
        Self { value: Cell::new(value) }
    }

    /// The value.
    #[inline]
    pub fn get(&self) -> S {
        self.value.get()
    }

    /// Sets the value; only the leader may.
    ///
    /// # Panics
    ///
    /// If another thread than the block's leader calls it: the message fails with
    /// [`NOT_THE_LEADER`](annulus_abi::error::NOT_THE_LEADER).
    #[inline]
    #[track_caller]
    pub fn set(&self, value: S) {
        assert!(
            team::current_thread() == 0,
            "{}: thread {} does not",
            team::NOT_THE_LEADER,
            team::current_thread()
        );
        self.value.set(value);
    }
}

impl<S: Copy + fmt::Debug> fmt::Debug for Block<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Block").field(&self.get()).finish()
    }
}

/// `N` numbers that the threads of a block share while they work on one message: see
/// [`BlockCx::shared`](super::BlockCx::shared).
#[derive(Clone, Debug)]
pub struct BlockArray<T: BlockValue, const N: usize> {
    cells: Rc<[Cell<T>]>,
}

impl<T: BlockValue, const N: usize> BlockArray<T, N> {
    pub(super) fn new() -> Self {
        Self { cells: (0..N).map(|_| Cell::new(T::ZERO)).collect() }
    }

    /// The element at `index`.
    ///
    /// # Panics
    ///
    /// If there is none: the message fails with
    /// [`INDEX_OUT_OF_BOUNDS`](annulus_abi::error::INDEX_OUT_OF_BOUNDS).
    #[inline]
    #[track_caller]
    pub fn get(&self, index: usize) -> T {
        self.cells[index].get()
    }

    /// Sets the element at `index`. Other threads see it after the next barrier; if two threads set one
    /// element between two barriers, either value may stay.
    ///
    /// # Panics
    ///
    /// If there is none: the message fails with
    /// [`INDEX_OUT_OF_BOUNDS`](annulus_abi::error::INDEX_OUT_OF_BOUNDS).
    #[inline]
    #[track_caller]
    pub fn set(&self, index: usize, value: T) {
        self.cells[index].set(value);
    }

    /// How many elements there are: `N`.
    #[inline]
    #[allow(clippy::len_without_is_empty)] // Its type says how many there are.
    pub const fn len(&self) -> usize {
        N
    }
}
