//! The state that a block keeps between messages.

use std::{
    alloc::{Layout, alloc_zeroed, dealloc},
    mem::MaybeUninit,
    ptr::NonNull,
};

use annulus_kernel::{StateDefinition, StateShape};
use annulus_runtime::BackendError;

/// A block's share of a kernel's state.
pub(crate) enum BlockState {
    Stateless,
    /// The kernel's one state.
    Whole(Cells),
    /// Those of the actors whose key, modulo the grid, is this block's index; actor `k` stands at `k / grid`.
    PerActor {
        cells: Cells,
        grid: u64,
    },
}

/// A row of initialised states of one type.
pub(crate) struct Cells {
    first: NonNull<u8>,
    size: usize,
    count: u64,
    layout: Layout,
}

// SAFETY: the cells are owned, and hold plain old data: a state's type is `DeviceType`, which is `Send`.
unsafe impl Send for Cells {}

impl BlockState {
    pub(crate) fn new(shape: StateShape, actors: u64, block: u64, grid: u64) -> Result<Self, BackendError> {
        Ok(match shape {
            StateShape::Stateless => Self::Stateless,
            StateShape::Whole(definition) => Self::Whole(Cells::new(definition, 1)?),
            StateShape::PerActor(definition) => {
                let own = actors.saturating_sub(block).div_ceil(grid);
                Self::PerActor { cells: Cells::new(definition, own)?, grid }
            }
        })
    }

    /// All states, in the order of their actors.
    pub(crate) fn bytes(&mut self) -> &mut [MaybeUninit<u8>] {
        match self {
            Self::Stateless => &mut [],
            Self::Whole(cells) | Self::PerActor { cells, .. } => cells.bytes(),
        }
    }

    /// The state for a message with this key; `None` if the key names no actor.
    #[inline]
    pub(crate) fn of(&self, key: u64) -> Option<*mut u8> {
        match self {
            Self::Stateless => Some(NonNull::dangling().as_ptr()),
            Self::Whole(cells) => Some(cells.first.as_ptr()),
            Self::PerActor { cells, grid } => {
                // For a key that belongs to this block this is `key < actors`; one that does not, which only a message type that
                // changes its mind can give, finds a state of this block or none.
                let index = key / grid;
                (index < cells.count).then(|| cells.first.as_ptr().wrapping_add(index as usize * cells.size))
            }
        }
    }
}

impl Cells {
    fn new(definition: StateDefinition, count: u64) -> Result<Self, BackendError> {
        let too_large = || {
            BackendError::new(format!(
                "{count} states of {} bytes in one block are more memory than there is: launch with fewer actors",
                definition.ty.size
            ))
        };
        let bytes = usize::try_from(count).ok().and_then(|count| count.checked_mul(definition.ty.size));
        let layout =
            Layout::from_size_align(bytes.ok_or_else(too_large)?.max(1), definition.ty.align.max(64))
                .map_err(|_| too_large())?;
        // SAFETY: the layout's size is not zero.
        let first = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or_else(too_large)?;
        let cells = Self { first, size: definition.ty.size, count, layout };
        for index in 0..count as usize {
            let cell = first.as_ptr().wrapping_add(index * cells.size);
            // SAFETY: the cell lies in the allocation, which has room for `count` of them at the type's alignment.
            unsafe { (definition.init)(cell) };
        }
        Ok(cells)
    }
}

impl Cells {
    fn bytes(&mut self) -> &mut [MaybeUninit<u8>] {
        let bytes = self.count as usize * self.size;
        // SAFETY: the allocation has room for `count` cells of `size` bytes, any byte is a `MaybeUninit`, and the cells are borrowed
        // exclusively.
        unsafe { std::slice::from_raw_parts_mut(self.first.as_ptr().cast(), bytes) }
    }
}

impl Drop for Cells {
    fn drop(&mut self) {
        // SAFETY: `first` came from `alloc_zeroed` with this layout and is freed once; plain old data needs no drop.
        unsafe { dealloc(self.first.as_ptr(), self.layout) };
    }
}
