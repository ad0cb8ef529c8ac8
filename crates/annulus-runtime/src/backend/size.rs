//! How much memory a launch takes of its backend.

use annulus_abi::kernel::KernelLayout;
use annulus_kernel::{Binding, KernelDefinition, ProcessingMode, Rows};

use crate::options::RunMode;

/// Of a launch, what decides how much memory it takes. The fields are those of [`LaunchSpec`](super::LaunchSpec).
#[derive(Clone, Copy)]
pub struct LaunchSize<'a> {
    /// The kernel as data.
    pub definition: &'static KernelDefinition,
    /// The layout of a shard.
    pub layout: &'a KernelLayout,
    /// The bound parameters, as the definition lists them.
    pub bindings: &'a [Binding],
    /// The graph whose rows the kernel's outputs go along, if it was given one.
    pub rows: Option<&'a Rows>,
    /// Blocks.
    pub grid: u32,
    /// Threads of a block.
    pub block: u32,
    /// Actors of the kernel; 0 without per-actor state.
    pub actors: u64,
    /// Whether any keys may come.
    pub sparse: bool,
    /// Whether actors give way to new ones.
    pub evicts: bool,
    /// How a block takes its messages.
    pub mode: ProcessingMode,
    /// At most this many messages in one iteration.
    pub max_messages_per_iteration: u32,
    /// Whether the kernel can be connected.
    pub connectable: bool,
    /// Whether the blocks take their turns together.
    pub supersteps: bool,
    /// Whether they go in rounds, too.
    pub rounds: bool,
    /// Whether the kernel stays.
    pub run_mode: RunMode,
    /// Whether calls go through the kernel to others.
    pub through: bool,
    /// How many outputs for connected kernels may wait in a block.
    pub hold: u32,
    /// Entries of the table of topics.
    pub topics: usize,
}

/// The bytes that a launch takes of its backend, besides the memory of its shards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BackendMemory {
    /// For states, and for tables of actors.
    pub states: u64,
    /// For bound parameters.
    pub bindings: u64,
    /// For messages of other kernels, and for the records of the kernels that it sends to.
    pub links: u64,
    /// For what its blocks work with.
    pub scratch: u64,
}

impl LaunchSize<'_> {
    /// The bytes of the bound parameters.
    pub fn binding_bytes(&self) -> u64 {
        self.bindings.iter().map(|binding| (binding.len() * binding.ty().size) as u64).sum()
    }
}
