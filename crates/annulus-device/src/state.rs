//! Memory that a kernel keeps between messages: states and bound memory.

use std::{
    alloc::{Layout, alloc_zeroed, dealloc},
    mem::MaybeUninit,
    ptr::NonNull,
    slice,
    sync::Arc,
};

use annulus_abi::actors;
use annulus_kernel::{Binding, StateDefinition, StateShape};
use annulus_runtime::BackendError;

use crate::driver::{Driver, Memory};

/// The states of a kernel: each block's part has `per_block` places. If actors are evicted or end, one more state follows, as
/// it begins. If keys are sparse, the blocks' [tables of actors](annulus_abi::actors) follow, aligned to an entry.
pub(crate) struct States {
    pub(crate) memory: Arc<dyn Memory>,
    pub(crate) per_block: u64,
    /// Where the tables begin, in bytes.
    pub(crate) tables: usize,
}

/// Bytes of an entry of a table of actors, and its alignment.
const ENTRY: usize = 16;

impl States {
    /// The bytes that `new` allocates.
    pub(crate) fn bytes(
        shape: StateShape,
        actors: u64,
        (sparse, evicts): (bool, bool),
        grid: u64,
    ) -> Result<usize, BackendError> {
        let per_block = per_block(shape, actors, grid);
        let layout = |definition| Cells::layout(definition, per_block, (sparse, evicts), grid);
        shape.definition().map_or(Ok(0), |definition| Ok(layout(definition)?.layout.size()))
    }

    /// Initialised states.
    pub(crate) fn new(
        driver: &dyn Driver,
        shape: StateShape,
        actors: u64,
        (sparse, evicts): (bool, bool),
        grid: u64,
    ) -> Result<Self, BackendError> {
        let per_block = per_block(shape, actors, grid);
        let mut tables = 0;
        let memory = match shape.definition() {
            None => driver.scratch(0),
            Some(definition) => {
                let cells = Cells::new(definition, per_block, (sparse, evicts), grid)?;
                tables = cells.tables;
                driver.own(cells.bytes())
            }
        };
        let memory = memory.map_err(|error| {
            BackendError::new(format!(
                "the device has no room for {per_block} states in each of {grid} blocks ({error}): launch with fewer actors"
            ))
        })?;
        Ok(Self { memory, per_block, tables })
    }
}

/// How many states a block has room for.
fn per_block(shape: StateShape, actors: u64, grid: u64) -> u64 {
    match shape {
        StateShape::Stateless => 0,
        StateShape::Whole(_) => 1,
        StateShape::PerActor(_) => actors.div_ceil(grid),
    }
}

/// Where states lie.
struct CellsLayout {
    layout: Layout,
    count: usize,
    /// Where the tables of actors begin: at the end, if there are none.
    tables: usize,
}

/// Initial states in the host's memory, on their way to the device.
struct Cells {
    first: NonNull<u8>,
    layout: Layout,
    /// Where the tables of actors begin: at the end, if there are none.
    tables: usize,
}

fn too_large(size: usize, per_block: u64, grid: u64) -> BackendError {
    BackendError::new(format!(
        "{per_block} states of {size} bytes in each of {grid} blocks are more memory than there is: launch with fewer actors"
    ))
}

impl Cells {
    /// Their layout for this many states in each block.
    fn layout(
        definition: StateDefinition,
        per_block: u64,
        (sparse, evicts): (bool, bool),
        grid: u64,
    ) -> Result<CellsLayout, BackendError> {
        let size = definition.ty.size;
        let too_large = || too_large(size, per_block, grid);
        let exits = definition.exits(evicts);
        // One more, by which states begin anew.
        let count = per_block
            .checked_mul(grid)
            .and_then(|count| count.checked_add(exits.any().into()))
            .and_then(|count| usize::try_from(count).ok())
            .ok_or_else(too_large)?;
        // In C a state without bytes has one, which its handler writes.
        let states = count.checked_mul(size.max(1)).ok_or_else(too_large)?.max(1);
        let (tables, bytes) = if sparse {
            let tables = states.checked_next_multiple_of(ENTRY).ok_or_else(too_large)?;
            let bytes = actors::words(per_block, exits).checked_mul(8 * grid);
            let bytes = bytes.and_then(|bytes| usize::try_from(bytes).ok()).ok_or_else(too_large)?;
            (tables, tables.checked_add(bytes).ok_or_else(too_large)?)
        } else {
            (states, states)
        };
        let layout =
            Layout::from_size_align(bytes, definition.ty.align.max(ENTRY)).map_err(|_| too_large())?;
        Ok(CellsLayout { layout, count, tables })
    }

    fn new(
        definition: StateDefinition,
        per_block: u64,
        keys: (bool, bool),
        grid: u64,
    ) -> Result<Self, BackendError> {
        let size = definition.ty.size;
        let CellsLayout { layout, count, tables } = Self::layout(definition, per_block, keys, grid)?;
        // SAFETY: the layout's size is not zero: it has a byte at least.
        let first = NonNull::new(unsafe { alloc_zeroed(layout) });
        let first = first.ok_or_else(|| too_large(size, per_block, grid))?;
        let cells = Self { first, layout, tables };
        for index in 0..count {
            let cell = first.as_ptr().wrapping_add(index * size);
            // SAFETY: the cell lies in the allocation, which has room for `count` of them at the type's
            // alignment.
            unsafe { (definition.init)(cell) };
        }
        Ok(cells)
    }

    /// All of them, padding and tables too.
    fn bytes(&self) -> &[MaybeUninit<u8>] {
        // SAFETY: the allocation is that long and lives as long as `self`; `MaybeUninit` accepts any bytes.
        unsafe { slice::from_raw_parts(self.first.as_ptr().cast(), self.layout.size()) }
    }
}

impl Drop for Cells {
    fn drop(&mut self) {
        // SAFETY: `first` came from `alloc_zeroed` with this layout and is freed once; plain old data needs
        // no drop.
        unsafe { dealloc(self.first.as_ptr(), self.layout) };
    }
}

/// A bound parameter's memory.
pub(crate) fn bind(driver: &dyn Driver, binding: &Binding) -> Result<Arc<dyn Memory>, BackendError> {
    let bytes = binding.len() * binding.ty().size;
    // SAFETY: the binding's memory holds that many bytes, and is borrowed for as long; `MaybeUninit` accepts
    // any bytes.
    let contents = unsafe { slice::from_raw_parts(binding.as_ptr().cast::<MaybeUninit<u8>>(), bytes) };
    driver.own(contents).map_err(|error| {
        BackendError::new(format!(
            "the device has no {bytes} bytes for a table of {} ({error}): bind a smaller one",
            binding.ty().name
        ))
    })
}
