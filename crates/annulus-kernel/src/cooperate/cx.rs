//! The context of a thread whose block works on one message.

use std::{cell::Cell, panic::Location, rc::Rc};

use super::{
    memory::BlockArray,
    team::{Operation, Stop, Team, Waiter},
    value::BlockValue,
};
use crate::{Cx, FenceScope};

/// How many threads a warp has, on every backend: results that depend on it are the same everywhere.
pub const WARP: u32 = 32;

/// The context of one thread of a block that works on one message together.
///
/// A handler with a parameter `cx: &BlockCx` is run by all threads of its block for each message. How many
/// they are, the launch says
/// ([`block`](https://docs.rs/annulus/latest/annulus/struct.LaunchOptions.html#method.block)).
///
/// ```
/// use annulus_kernel::{Cx, run_block};
///
/// run_block(Cx::new(0, 1, 0).with_block_dim(64), |cx| {
///     let values = cx.shared::<u32, 64>();
///     let me = cx.thread_index() as usize;
///     values.set(me, cx.thread_index());
///     cx.barrier();
///     let next = values.get((me + 1) % 64);
///     assert_eq!(next, (cx.thread_index() + 1) % 64);
///     assert_eq!(cx.block_reduce(next, |a, b| a + b), 64 * 63 / 2);
/// })?;
/// # Ok::<(), annulus_kernel::Failure>(())
/// ```
#[derive(Debug)]
pub struct BlockCx {
    cx: Cx,
    pub(super) team: Rc<Team>,
    waiter: Waiter,
    /// Which of the team's two sets of exchanged words is next; the same in all threads.
    turn: Cell<bool>,
    /// How many shared arrays the thread has asked for.
    arrays: Cell<usize>,
}

impl BlockCx {
    pub(super) fn new(cx: Cx, team: Rc<Team>, waiter: Waiter) -> Self {
        Self { cx, team, waiter, turn: Cell::new(false), arrays: Cell::new(0) }
    }

    /// The block, and so the shard, that handles this message: `0..grid_size`.
    #[inline]
    pub const fn block_index(&self) -> u32 {
        self.cx.block_index()
    }

    /// How many blocks the kernel was launched with.
    #[inline]
    pub const fn grid_size(&self) -> u32 {
        self.cx.grid_size()
    }

    /// The queue that the message came from: see [`Cx::queue`].
    #[inline]
    pub const fn queue(&self) -> u32 {
        self.cx.queue()
    }

    /// The time of the turn: see [`Cx::now`].
    #[inline]
    pub const fn now(&self) -> u64 {
        self.cx.now()
    }

    /// The stamp of the message: see [`Cx::stamp`].
    #[inline]
    pub const fn stamp(&self) -> u64 {
        self.cx.stamp()
    }

    /// The round: see [`Cx::round`].
    #[inline]
    pub const fn round(&self) -> u64 {
        self.cx.round()
    }

    /// The thread within the block: `0..block_dim`.
    #[inline]
    pub const fn thread_index(&self) -> u32 {
        self.cx.thread_index()
    }

    /// How many threads the block has: `LaunchOptions::block`.
    #[inline]
    pub const fn block_dim(&self) -> u32 {
        self.cx.block_dim()
    }

    /// The thread's warp within the block: `thread_index / 32`.
    #[inline]
    pub const fn warp(&self) -> u32 {
        self.thread_index() / WARP
    }

    /// The thread within its warp: `thread_index % 32`.
    #[inline]
    pub const fn lane(&self) -> u32 {
        self.thread_index() % WARP
    }

    /// Whether this is thread 0, which alone sends and sets the state.
    #[inline]
    pub const fn is_leader(&self) -> bool {
        self.thread_index() == 0
    }

    /// Waits until all threads of the block have come here. What any of them wrote before, to shared arrays,
    /// to the state and to bound memory, all see afterwards.
    ///
    /// All threads must come to the same barrier: if some of them have returned, or wait at another one, the
    /// message fails with [`BARRIER_NOT_REACHED`](annulus_abi::error::BARRIER_NOT_REACHED), and on the CPU
    /// the panic's text names a thread and the place.
    #[inline]
    #[track_caller]
    pub fn barrier(&self) {
        self.waiter.wait(Stop { operation: Operation::Barrier, at: Location::caller() });
    }

    /// Waits in an operation of this name.
    #[inline]
    pub(super) fn meet(&self, operation: Operation, at: &'static Location<'static>) {
        self.waiter.wait(Stop { operation, at });
    }

    /// All threads give a word, and then see all words. They are there until the thread waits again, and so
    /// is what the leader changes in them before.
    #[inline]
    pub(super) fn exchange(
        &self,
        word: u64,
        operation: Operation,
        at: &'static Location<'static>,
    ) -> &[Cell<u64>] {
        let turn = self.turn.get();
        self.turn.set(!turn);
        let words = self.team.exchanged(turn);
        words[self.thread_index() as usize].set(word);
        self.meet(operation, at);
        words
    }

    /// A fence: see [`Cx::fence`]. It is no barrier: it waits for nobody, and threads may come to it alone.
    /// For what threads of the block write to shared arrays it is not enough: that needs a
    /// [`barrier`](Self::barrier).
    ///
    /// ```
    /// # use annulus_kernel::{Cx, FenceScope, run_block};
    /// run_block(Cx::new(0, 1, 0).with_block_dim(4), |cx| {
    ///     if cx.is_leader() {
    ///         cx.fence(FenceScope::Device);
    ///     }
    /// })?;
    /// # Ok::<(), annulus_kernel::Failure>(())
    /// ```
    #[inline]
    pub fn fence(&self, scope: FenceScope) {
        scope.fence();
    }

    /// An array that the threads of the block share, all zeros when a message begins.
    ///
    /// All threads call it, outside of loops and conditions, and get the same array. It lasts as long as the
    /// message. All arrays of a handler together may have 16 KiB, unless its attribute says another
    /// `shared_memory`.
    ///
    /// # Panics
    ///
    /// If the threads do not ask for the same arrays in the same order: the message fails.
    #[track_caller]
    pub fn shared<T: BlockValue, const N: usize>(&self) -> BlockArray<T, N> {
        let number = self.arrays.get();
        self.arrays.set(number + 1);
        self.team.array(number, Location::caller())
    }

    /// All threads give a value, and all get the result of combining these values two by two.
    ///
    /// The order is fixed, so a result is the same on every backend. Within each warp, for a distance of 16,
    /// then 8, 4, 2, 1: value `i` becomes `combine(value[i], value[i + distance])` for each `i` below the
    /// distance whose partner exists. Then the results of the warps are combined in the same order.
    ///
    /// It is a barrier, so all threads must call it. `combine` runs in thread 0 of each warp. It must not use
    /// variables that differ between threads.
    #[inline]
    #[track_caller]
    pub fn block_reduce<T: BlockValue>(&self, value: T, combine: impl Fn(T, T) -> T) -> T {
        let place = Location::caller();
        if self.block_dim() == 1 {
            return value;
        }
        let values = self.team.values();
        values[self.thread_index() as usize].set(value.to_word());
        self.meet(Operation::BlockReduce, place);
        // After each barrier thread 0 runs first, and if it fails no other thread does.
        if self.is_leader() {
            let (dim, warp) = (values.len(), WARP as usize);
            for first in (0..dim).step_by(warp) {
                combine_all(&values[first..dim.min(first + warp)], 1, &combine);
            }
            combine_all(values, warp, &combine);
            self.team.give(values[0].get());
        }
        T::of_word(self.team.given())
    }
}

/// Combines every `stride`-th of at most 32 · `stride` values into the first, in the order of
/// [`BlockCx::block_reduce`].
pub(super) fn combine_all<T: BlockValue>(values: &[Cell<u64>], stride: usize, combine: &impl Fn(T, T) -> T) {
    let count = values.len().div_ceil(stride);
    let value = |index: usize| T::of_word(values[index * stride].get());
    let mut distance = WARP as usize / 2;
    while distance > 0 {
        for index in 0..distance.min(count.saturating_sub(distance)) {
            let combined = combine(value(index), value(index + distance));
            values[index * stride].set(combined.to_word());
        }
        distance /= 2;
    }
}
