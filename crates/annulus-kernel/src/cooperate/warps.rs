//! What the threads of a warp give each other, and scans.

use std::{cell::Cell, panic::Location};

use super::{
    cx::{BlockCx, WARP, combine_all},
    team::Operation,
    value::BlockValue,
};

/// # Warps
///
/// All threads of the block must call each of these methods, as [`barrier`](Self::barrier): if some of them
/// have returned, or wait elsewhere, the message fails with
/// [`BARRIER_NOT_REACHED`](annulus_abi::error::BARRIER_NOT_REACHED), and on the CPU the panic's text names
/// the method. A warp has 32 threads on every backend; the last one of a block may have fewer.
///
/// On CUDA they are the instructions for warps. Elsewhere the values go through the block's memory, and each
/// call costs a barrier of the block.
///
/// ```
/// use annulus_kernel::{Cx, run_block};
///
/// run_block(Cx::new(0, 1, 0).with_block_dim(40), |cx| {
///     let me = cx.thread_index();
///     // The last warp has the threads 32 .. 40.
///     let next = cx.shuffle_down(me, 1);
///     assert_eq!(next, if me == 31 || me == 39 { me } else { me + 1 });
///     let even = cx.ballot(me % 2 == 0);
///     assert_eq!(even, if cx.warp() == 0 { 0x5555_5555 } else { 0x55 });
///     let sum = cx.warp_reduce(1u32, |a, b| a + b);
///     assert_eq!(sum, if cx.warp() == 0 { 32 } else { 8 });
///     assert_eq!(cx.block_scan(1u32, |a, b| a + b), me + 1);
///     assert_eq!(cx.block_scan_exclusive(1u32, 0, |a, b| a + b), me);
/// })?;
/// # Ok::<(), annulus_kernel::Failure>(())
/// ```
impl BlockCx {
    /// Waits until all threads of the warp have come here. What any of them wrote before, to shared arrays
    /// and to bound memory, all threads of the warp see afterwards; threads of other warps may not see it
    /// before the next [`barrier`](Self::barrier).
    #[inline]
    #[track_caller]
    pub fn warp_barrier(&self) {
        self.meet(Operation::WarpBarrier, Location::caller());
    }

    /// All threads give a value, and each gets that of thread `lane` of its warp. If the warp has no such
    /// thread, it gets its own.
    ///
    /// Here CUDA would take `lane % 32`.
    #[inline]
    #[track_caller]
    pub fn shuffle<T: BlockValue>(&self, value: T, lane: u32) -> T {
        self.of_lane(value, Some(lane), Location::caller())
    }

    /// All threads give a value, and each gets that of the thread `by` places before it in its warp. The
    /// warp's first `by` threads get their own.
    #[inline]
    #[track_caller]
    pub fn shuffle_up<T: BlockValue>(&self, value: T, by: u32) -> T {
        self.of_lane(value, self.lane().checked_sub(by), Location::caller())
    }

    /// All threads give a value, and each gets that of the thread `by` places after it in its warp. The
    /// warp's last `by` threads get their own.
    #[inline]
    #[track_caller]
    pub fn shuffle_down<T: BlockValue>(&self, value: T, by: u32) -> T {
        self.of_lane(value, self.lane().checked_add(by), Location::caller())
    }

    /// All threads give a value, and each gets that of the thread `lane ^ mask` of its warp. If the warp has
    /// no such thread, it gets its own.
    #[inline]
    #[track_caller]
    pub fn shuffle_xor<T: BlockValue>(&self, value: T, mask: u32) -> T {
        self.of_lane(value, Some(self.lane() ^ mask), Location::caller())
    }

    #[inline]
    fn of_lane<T: BlockValue>(&self, value: T, lane: Option<u32>, at: &'static Location<'static>) -> T {
        let words = self.exchange(value.to_word(), Operation::Shuffle, at);
        match lane {
            Some(lane) if lane < WARP => {
                words.get((self.warp() * WARP + lane) as usize).map_or(value, |word| T::of_word(word.get()))
            }
            _ => value,
        }
    }

    /// Which threads of the warp say yes: bit `i` is thread `i`'s.
    #[inline]
    #[track_caller]
    pub fn ballot(&self, yes: bool) -> u32 {
        self.vote(yes, Location::caller())
    }

    /// Whether any thread of the warp says yes.
    #[inline]
    #[track_caller]
    pub fn any(&self, yes: bool) -> bool {
        self.vote(yes, Location::caller()) != 0
    }

    /// Whether all threads of the warp say yes.
    #[inline]
    #[track_caller]
    pub fn all(&self, yes: bool) -> bool {
        self.vote(!yes, Location::caller()) == 0
    }

    #[inline]
    fn vote(&self, yes: bool, at: &'static Location<'static>) -> u32 {
        let words = self.exchange(yes.into(), Operation::Vote, at);
        // After each barrier the leader runs first.
        if self.is_leader() {
            for warp in words.chunks(WARP as usize) {
                let votes = warp.iter().rev().fold(0, |votes, word| votes << 1 | word.get());
                warp[0].set(votes);
            }
        }
        words[(self.warp() * WARP) as usize].get() as u32
    }

    /// All threads give a value, and each gets the result of combining the values of its warp two by two.
    ///
    /// The order is that of [`block_reduce`](Self::block_reduce) within a warp. `combine` must compute from
    /// its two values alone: which thread runs it differs between backends.
    #[inline]
    #[track_caller]
    pub fn warp_reduce<T: BlockValue>(&self, value: T, combine: impl Fn(T, T) -> T) -> T {
        let words = self.exchange(value.to_word(), Operation::WarpReduce, Location::caller());
        if self.is_leader() {
            for warp in words.chunks(WARP as usize) {
                combine_all(warp, 1, &combine);
            }
        }
        T::of_word(words[(self.warp() * WARP) as usize].get())
    }

    /// An inclusive scan: all threads give a value, and thread `i` gets the result of combining those of the
    /// threads `0 ..= i`.
    ///
    /// The order is fixed, so a result is the same on every backend. Within each warp, for a distance of 1,
    /// then 2, 4, 8, 16: value `i` becomes `combine(value[i - distance], value[i])`, of what both were
    /// before, for each `i` from the distance on. The last values of the warps are scanned in the same way. Then
    /// each value of a later warp becomes `combine(scanned[warp - 1], value)`.
    ///
    /// `combine` must compute from its two values alone: which thread runs it differs between backends.
    ///
    /// What each thread wrote before, all threads see afterwards, as behind a [`barrier`](Self::barrier).
    #[inline]
    #[track_caller]
    pub fn block_scan<T: BlockValue>(&self, value: T, combine: impl Fn(T, T) -> T) -> T {
        let words = self.scanned(value, &combine, Location::caller());
        T::of_word(words[self.thread_index() as usize].get())
    }

    /// An exclusive scan: each thread gets what [`block_scan`](Self::block_scan) gives the thread before it,
    /// and thread 0 gets `first`.
    #[inline]
    #[track_caller]
    pub fn block_scan_exclusive<T: BlockValue>(&self, value: T, first: T, combine: impl Fn(T, T) -> T) -> T {
        let words = self.scanned(value, &combine, Location::caller());
        match self.thread_index() {
            0 => first,
            me => T::of_word(words[me as usize - 1].get()),
        }
    }

    fn scanned<T: BlockValue>(
        &self,
        value: T,
        combine: &impl Fn(T, T) -> T,
        at: &'static Location<'static>,
    ) -> &[Cell<u64>] {
        let words = self.exchange(value.to_word(), Operation::BlockScan, at);
        if self.is_leader() {
            let mut last = Vec::with_capacity(words.len().div_ceil(WARP as usize));
            for warp in words.chunks(WARP as usize) {
                scan_all(warp, combine);
                last.push(warp[warp.len() - 1].clone());
            }
            scan_all(&last, combine);
            for (warp, before) in words.chunks(WARP as usize).skip(1).zip(&last) {
                for value in warp {
                    set_combined(value, before.get(), value.get(), combine);
                }
            }
        }
        words
    }
}

#[inline]
fn set_combined<T: BlockValue>(to: &Cell<u64>, a: u64, b: u64, combine: &impl Fn(T, T) -> T) {
    to.set(combine(T::of_word(a), T::of_word(b)).to_word());
}

/// Scans at most 32 values in the order of [`BlockCx::block_scan`]: in each step from the last one on, so
/// that each still finds what the one before it was.
fn scan_all<T: BlockValue>(values: &[Cell<u64>], combine: &impl Fn(T, T) -> T) {
    let mut distance = 1;
    while distance < WARP as usize {
        for index in (distance..values.len()).rev() {
            set_combined(&values[index], values[index - distance].get(), values[index].get(), combine);
        }
        distance *= 2;
    }
}
