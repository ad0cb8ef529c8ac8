//! The state that a block keeps between messages.
//!
//! # Whose it is when
//!
//! The states are the block's from a command that makes it active, which it acquires (`SYNC: command`), until
//! it acknowledges one that makes it inactive or ends it, which releases all that its handlers did (`SYNC:
//! state`). From then on they are the runtime's, which has acquired that acknowledgement, and reads and sets
//! them under the lock under which commands change; the next command releases what it did. So the block needs
//! no lock of its own: a snapshot may be taken while the block's worker calls a waker of the program, or in
//! that waker.

use std::{
    alloc::{Layout, alloc_zeroed, dealloc},
    fmt,
    mem::MaybeUninit,
    ptr::NonNull,
};

use annulus_abi::actors::{self, ActorTable, Exits, Placed};
use annulus_kernel::{StateDefinition, StateShape};

/// There is not enough memory for a block's states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyStates {
    /// How many there would be.
    pub count: u64,
    /// Bytes of each.
    pub size: usize,
}

impl fmt::Display for TooManyStates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { count, size } = self;
        write!(
            f,
            "{count} states of {size} bytes in one block are more memory than there is: launch with fewer actors"
        )
    }
}

impl std::error::Error for TooManyStates {}

/// A block's share of a kernel's state, stored in its [`StateMemory`].
#[derive(Clone, Copy, Debug)]
pub enum BlockState {
    /// The kernel has no state.
    Stateless,
    /// The kernel's one state.
    Whole(Cells),
    /// The states of the actors whose key, modulo the grid, is this block's index. Actor `k` has place
    /// `k / grid`.
    PerActor {
        /// The states.
        cells: Cells,
        /// The number of the kernel's blocks.
        grid: u64,
    },
    /// The states of actors whose keys are sparse: whichever keys come first, of those whose remainder by the grid is this
    /// block's index.
    Sparse {
        /// The states, by places.
        cells: Cells,
        /// Which place is which key's.
        table: Table,
        /// The number of the kernel's blocks.
        grid: u64,
    },
}

/// An [`ActorTable`]. It belongs to whoever the states belong to.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    words: NonNull<[u64]>,
    exits: Exits,
}

/// Whether a kernel's keys are sparse, and what happens when a new key finds no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    /// Keys are those below the number of actors.
    Dense,
    /// Any keys may come. When all places are in use, the message is not handled; or, if actors are evicted, an actor without
    /// recent messages gives way.
    Sparse {
        /// Whether they are.
        evicts: bool,
    },
}

impl Keys {
    /// How many actors block `block` of `grid` has room for.
    fn places(self, actors: u64, block: u64, grid: u64) -> u64 {
        match self {
            Self::Sparse { .. } => actors.div_ceil(grid),
            Self::Dense => actors.saturating_sub(block).div_ceil(grid),
        }
    }
}

/// An actor that a block has looked up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Actor {
    /// Its state.
    pub(crate) state: *mut u8,
    /// How it got its place, if the keys are sparse.
    pub(crate) placed: Option<Placed>,
}

/// A row of initialised states of one type.
#[derive(Clone, Copy, Debug)]
pub struct Cells {
    first: NonNull<u8>,
    size: usize,
    count: u64,
    init: unsafe fn(*mut u8),
}

/// The memory of a block's states.
#[derive(Debug)]
pub struct StateMemory {
    state: BlockState,
    /// The layout of the allocation, if there is one.
    layout: Option<Layout>,
}

// SAFETY: the memory is owned, and holds plain old data: a state's type is `DeviceType`, which is `Send`.
unsafe impl Send for StateMemory {}
// SAFETY: as for `Send`. Only `read` and `write`, under their contracts, and the block reach a cell through a
// shared reference.
unsafe impl Sync for StateMemory {}

impl BlockState {
    /// The actor of a message with this key; `None` if the key names none. If keys are sparse and there is room, a new key gets
    /// a place.
    ///
    /// # Safety
    ///
    /// The caller is the block that the states belong to, and they are its own now.
    // TWIN: of
    #[inline]
    pub(crate) unsafe fn of(&self, key: u64) -> Option<Actor> {
        let known = |state| Some(Actor { state, placed: None });
        match self {
            Self::Stateless => known(NonNull::dangling().as_ptr()),
            Self::Whole(cells) => known(cells.first.as_ptr()),
            Self::PerActor { cells, grid } => {
                // For a key that belongs to this block this is `key < actors`. A key of another block finds a
                // state of this block or none; only a message type that returns different keys for one
                // message can cause that.
                let index = key / grid;
                if index < cells.count { known(cells.at(index)) } else { None }
            }
            Self::Sparse { cells, table, .. } => {
                // SAFETY: the table is the block's own, by the caller's promise.
                let mut actors = unsafe { table.of(cells.count) };
                let placed = actors.place(key)?;
                let state = cells.at(placed.place());
                if let Placed::Instead(_) = placed {
                    // SAFETY: it is the place of a state of the type, which is nobody's any more.
                    unsafe { (cells.init)(state) };
                }
                Some(Actor { state, placed: Some(placed) })
            }
        }
    }

    /// Ends an actor: its state is as it begins. If keys are sparse, its place is free.
    ///
    /// # Safety
    ///
    /// As for [`of`](Self::of), which has found the actor, and nobody has ended it since.
    pub(crate) unsafe fn end(&self, actor: Actor) {
        match self {
            Self::Stateless => {}
            Self::Whole(cells) | Self::PerActor { cells, .. } | Self::Sparse { cells, .. } => {
                // SAFETY: it is the place of a state of the type, and the block's own, by the caller's promise.
                unsafe { (cells.init)(actor.state) };
                if let (Self::Sparse { table, .. }, Some(placed)) = (self, actor.placed) {
                    // SAFETY: the table is the block's own, by the caller's promise.
                    unsafe { table.of(cells.count) }.free_actor(placed.place());
                }
            }
        }
    }

    /// Whether a message with this key is for block `block`. A message that a handler sends to itself may be for an
    /// actor of another block, which is no actor here.
    #[inline]
    pub(crate) fn is_of_block(&self, key: u64, block: u32) -> bool {
        match self {
            Self::PerActor { grid, .. } | Self::Sparse { grid, .. } => key % grid == u64::from(block),
            Self::Stateless | Self::Whole(_) => true,
        }
    }
}

impl Cells {
    /// The address of a state.
    #[inline]
    fn at(&self, index: u64) -> *mut u8 {
        self.first.as_ptr().wrapping_add(index as usize * self.size)
    }
}

impl Table {
    /// An empty one for so many places.
    fn new(places: u64, exits: Exits) -> Option<Self> {
        let words = usize::try_from(actors::words(places, exits)).ok()?;
        let mut memory = Vec::new();
        memory.try_reserve_exact(words).ok()?;
        memory.resize(words, 0);
        Some(Self { words: NonNull::from(Box::leak(memory.into_boxed_slice())), exits })
    }

    /// The table in this memory.
    ///
    /// # Safety
    ///
    /// The table is the caller's own for as long as the result is used, and nobody else uses it meanwhile.
    #[inline]
    unsafe fn of<'a>(self, places: u64) -> ActorTable<'a> {
        // SAFETY: the memory lives as long as the `StateMemory`, which outlives the block; nobody else uses it, by the
        // caller's promise.
        let words = unsafe { &mut *self.words.as_ptr() };
        ActorTable::new(words, places, self.exits)
    }
}

impl StateMemory {
    /// Memory for the states of block `block` of `grid`. Each has its type's initial value.
    ///
    /// # Errors
    ///
    /// If there is not enough memory.
    pub fn new(
        shape: StateShape,
        actors: u64,
        keys: Keys,
        block: u64,
        grid: u64,
    ) -> Result<Self, TooManyStates> {
        let own = keys.places(actors, block, grid);
        let (definition, count) = match shape {
            StateShape::Stateless => return Ok(Self { state: BlockState::Stateless, layout: None }),
            StateShape::Whole(definition) => (definition, 1),
            StateShape::PerActor(definition) => (definition, own),
        };
        let (cells, layout) = allocate(definition, count)?;
        let mut memory = Self { state: BlockState::Whole(cells), layout: Some(layout) };
        if let StateShape::PerActor(_) = shape {
            memory.state = BlockState::PerActor { cells, grid };
            if let Keys::Sparse { evicts } = keys {
                let table = Table::new(count, definition.exits(evicts))
                    .ok_or(TooManyStates { count, size: definition.ty.size })?;
                memory.state = BlockState::Sparse { cells, table, grid };
            }
        }
        for index in 0..count as usize {
            // SAFETY: the cell lies in the allocation, which has room for `count` of them at the type's
            // alignment.
            unsafe { (definition.init)(cells.at(index as u64)) };
        }
        Ok(memory)
    }

    /// The bytes that `new` allocates: for states, and for the table of sparse keys.
    pub fn bytes_of(shape: StateShape, actors: u64, keys: Keys, block: u64, grid: u64) -> u64 {
        match shape {
            StateShape::Stateless => 0,
            StateShape::Whole(definition) => definition.ty.size as u64,
            StateShape::PerActor(definition) => {
                let own = keys.places(actors, block, grid);
                let table = match keys {
                    Keys::Sparse { evicts } => actors::words(own, definition.exits(evicts)).saturating_mul(8),
                    Keys::Dense => 0,
                };
                own.saturating_mul(definition.ty.size as u64).saturating_add(table)
            }
        }
    }

    /// The states in this memory, for the block. It may use them as long as this lives.
    pub fn states(&self) -> BlockState {
        self.state
    }

    /// The address of all states, in the order of their actors, and their size in bytes.
    fn bytes(&self) -> (*mut MaybeUninit<u8>, usize) {
        match self.state {
            BlockState::Stateless => (NonNull::dangling().as_ptr(), 0),
            BlockState::Whole(cells)
            | BlockState::PerActor { cells, .. }
            | BlockState::Sparse { cells, .. } => {
                (cells.first.as_ptr().cast(), cells.count as usize * cells.size)
            }
        }
    }

    /// Copies all states out, in the order of their actors.
    ///
    /// # Panics
    ///
    /// If there are more or fewer bytes.
    ///
    /// # Safety
    ///
    /// The block is inactive or has terminated; the caller has acquired this, and it stays so. Nobody else
    /// reads or writes its states meanwhile.
    pub unsafe fn read(&self, states: &mut [MaybeUninit<u8>]) {
        let (from, bytes) = self.bytes();
        assert_eq!(states.len(), bytes, "as many as the block's states have");
        // SAFETY: the allocation has that many bytes, and so has the caller's memory, which is elsewhere;
        // nobody writes either.
        unsafe { from.copy_to_nonoverlapping(states.as_mut_ptr(), bytes) };
    }

    /// Sets all states.
    ///
    /// # Panics
    ///
    /// If there are more or fewer bytes.
    ///
    /// # Safety
    ///
    /// As for [`read`](Self::read), and `states` holds valid values of the kernel's state type.
    pub unsafe fn write(&self, states: &[MaybeUninit<u8>]) {
        let (to, bytes) = self.bytes();
        assert_eq!(states.len(), bytes, "as many as the block's states have");
        // SAFETY: as for `read`, in the other direction.
        unsafe { states.as_ptr().copy_to_nonoverlapping(to, bytes) };
    }

    /// Copies the table of actors out, if keys are sparse.
    ///
    /// # Panics
    ///
    /// If the table has more or fewer words.
    ///
    /// # Safety
    ///
    /// As for [`read`](Self::read).
    pub unsafe fn read_actors(&self, words: &mut [u64]) {
        if let BlockState::Sparse { table, .. } = self.state {
            // SAFETY: nobody else uses it meanwhile, by the caller's promise.
            words.copy_from_slice(unsafe { table.words.as_ref() });
        }
    }

    /// Sets the table of actors, if keys are sparse.
    ///
    /// # Panics
    ///
    /// If the table has more or fewer words.
    ///
    /// # Safety
    ///
    /// As for [`read`](Self::read), and the words are a table for as many places.
    pub unsafe fn write_actors(&self, words: &[u64]) {
        if let BlockState::Sparse { mut table, .. } = self.state {
            // SAFETY: nobody else uses it meanwhile, by the caller's promise.
            unsafe { table.words.as_mut() }.copy_from_slice(words);
        }
    }
}

/// Zeroed memory for `count` states of a type.
fn allocate(definition: StateDefinition, count: u64) -> Result<(Cells, Layout), TooManyStates> {
    let size = definition.ty.size;
    let too_large = || TooManyStates { count, size };
    let bytes = usize::try_from(count).ok().and_then(|count| count.checked_mul(size));
    let align = definition.ty.align.max(64);
    let layout =
        Layout::from_size_align(bytes.ok_or_else(too_large)?.max(1), align).map_err(|_| too_large())?;
    // SAFETY: the layout's size is not zero.
    let first = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or_else(too_large)?;
    Ok((Cells { first, size, count, init: definition.init }, layout))
}

impl Drop for StateMemory {
    fn drop(&mut self) {
        let (first, _) = self.bytes();
        if let BlockState::Sparse { table, .. } = self.state {
            // SAFETY: it came from a box, and is freed once.
            drop(unsafe { Box::from_raw(table.words.as_ptr()) });
        }
        if let Some(layout) = self.layout {
            // SAFETY: `first` came from `alloc_zeroed` with this layout and is freed once; plain old data
            // needs no drop.
            unsafe { dealloc(first.cast(), layout) };
        }
    }
}
