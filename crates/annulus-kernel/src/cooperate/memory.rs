//! What the threads of a block share.

use std::{cell::Cell, fmt, panic::Location, ptr, rc::Rc};

use super::{
    races::{self, Does},
    team::{self, Place},
    value::BlockValue,
};

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
///
/// # A slice
///
/// A `&Block<[T]>` is memory of the kernel, as long as what its launch binds, that the threads of its block
/// share from one message to the next:
///
/// ```
/// use annulus_kernel::{Block, Cx, run_block};
///
/// let mut memory = [1u32, 2, 3, 4];
/// let cells = Block::from_mut(&mut memory);
/// run_block(Cx::new(0, 1, 0).with_block_dim(4), |cx| {
///     let me = cx.thread_index() as usize;
///     let next = cells.get((me + 1) % cells.len());
///     cx.barrier();
///     cells.set(me, next);
/// })?;
/// assert_eq!(memory, [2, 3, 4, 1]);
/// # Ok::<(), annulus_kernel::Failure>(())
/// ```
#[repr(transparent)]
pub struct Block<S: ?Sized> {
    value: Cell<S>,
}

impl<S: Copy> Block<S> {
    /// The memory of a block, for a test that calls a handler.
    pub const fn new(value: S) -> Self {
        Self { value: Cell::new(value) }
    }

    /// The value.
    #[inline]
    #[track_caller]
    pub fn get(&self) -> S {
        self.note(Does::Reads, Location::caller());
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
        self.note(Does::Writes, Location::caller());
        self.value.set(value);
    }

    #[inline]
    fn note(&self, does: Does, at: Place) {
        races::note(does, ptr::from_ref(&self.value).addr(), || "the state".into(), at);
    }
}

impl<S: Copy + fmt::Debug> fmt::Debug for Block<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Block").field(&self.value.get()).finish()
    }
}

/// Memory of the kernel, which is not rolled back: if a message fails, what its threads have written stays.
impl<T: Copy> Block<[T]> {
    /// The memory of a block, for a test that calls a handler.
    pub fn from_mut(values: &mut [T]) -> &Self {
        let values = ptr::from_ref(Cell::from_mut(values));
        // SAFETY: a `Block` is a `Cell` and nothing else, by its representation; so the pointer leads to one
        // that lives as long as the borrow of `values`.
        unsafe { &*(values as *const Self) }
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
        let cell = &self.value.as_slice_of_cells()[index];
        note_element(Does::Reads, index, cell, Location::caller());
        cell.get()
    }

    /// Sets the element at `index`; every thread may. Other threads see it after the next barrier; if two
    /// threads set one element between two barriers, either value may stay.
    ///
    /// # Panics
    ///
    /// If there is none: the message fails with
    /// [`INDEX_OUT_OF_BOUNDS`](annulus_abi::error::INDEX_OUT_OF_BOUNDS).
    #[inline]
    #[track_caller]
    pub fn set(&self, index: usize, value: T) {
        let cell = &self.value.as_slice_of_cells()[index];
        note_element(Does::Writes, index, cell, Location::caller());
        cell.set(value);
    }

    /// How many elements there are: as many as the launch bound.
    #[inline]
    pub fn len(&self) -> usize {
        self.value.as_slice_of_cells().len()
    }

    /// Whether there is no element.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[inline]
fn note_element<T>(does: Does, index: usize, cell: &Cell<T>, at: Place) {
    races::note(does, ptr::from_ref(cell).addr(), || format!("element {index} of the block's memory"), at);
}

impl<T: Copy> fmt::Debug for Block<[T]> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Block").field(&format_args!("[_; {}]", self.len())).finish()
    }
}

/// `N` numbers that the threads of a block share while they work on one message: see
/// [`BlockCx::shared`](super::BlockCx::shared).
#[derive(Clone, Debug)]
pub struct BlockArray<T: BlockValue, const N: usize> {
    cells: Rc<[Cell<T>]>,
    /// Where the threads asked for it.
    shared_at: Place,
}

impl<T: BlockValue, const N: usize> BlockArray<T, N> {
    pub(super) fn new(shared_at: Place) -> Self {
        Self { cells: (0..N).map(|_| Cell::new(T::ZERO)).collect(), shared_at }
    }

    #[inline]
    fn note(&self, does: Does, index: usize, cell: &Cell<T>, at: Place) {
        let what = || format!("element {index} of the array that is shared at {}", self.shared_at);
        races::note(does, ptr::from_ref(cell).addr(), what, at);
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
        let cell = &self.cells[index];
        self.note(Does::Reads, index, cell, Location::caller());
        cell.get()
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
        let cell = &self.cells[index];
        self.note(Does::Writes, index, cell, Location::caller());
        cell.set(value);
    }

    /// How many elements there are: `N`.
    #[inline]
    #[allow(clippy::len_without_is_empty)] // Its type says how many there are.
    pub const fn len(&self) -> usize {
        N
    }
}
