//! A look at a kernel, from inside its process.

use std::sync::Arc;

use annulus_abi::vitals::read::Shard;
use annulus_kernel::{KernelDefinition, ProcessingMode, StateShape};

use crate::{handle::control::KernelControl, kernel::shared::KernelShared};

/// A kernel as an observer finds it. See [`KernelControl::look`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct KernelLook {
    /// Tells it from other kernels, as long as a [`KernelControl`] of it is there.
    pub id: u64,
    /// The kernel as data.
    pub definition: &'static KernelDefinition,
    /// How its blocks take messages.
    pub mode: ProcessingMode,
    /// Threads of a block.
    pub block: u32,
    /// Most messages of a turn.
    pub max_batch: u32,
    /// Its actors; 0 without state for each actor.
    pub actors: u64,
    /// Slots of each shard's inbound ring.
    pub inbound_capacity: u32,
    /// Slots of each shard's outbound ring.
    pub outbound_capacity: u32,
    /// The [`id`](Self::id) of the kernel that its outputs go to.
    pub target: Option<u64>,
    /// Whether it has ended.
    pub has_ended: bool,
    /// Handlers that took longer than the launch's [`slow_after`](crate::LaunchOptions::slow_after).
    pub slow: u64,
    /// Its shards, one for each block.
    pub shards: Vec<Shard>,
}

impl KernelControl {
    /// What an observer from outside would find of it: the words of its shards at this moment, and what they
    /// mean. `annulus-observe` is made of looks.
    ///
    /// ```
    /// # mod kernels { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doctests/kernels.rs")); }
    /// # use kernels::*;
    /// let kernel = launched();
    /// kernel.send_batch_blocking(&numbers(0..10))?;
    /// kernel.drained_blocking();
    /// let look = kernel.look();
    /// assert_eq!((look.shards.len(), look.shards[0].processed), (1, 10));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn look(&self) -> KernelLook {
        let id = |kernel: &Arc<KernelShared>| Arc::as_ptr(kernel) as u64;
        let core = self.kernel.core();
        let (definition, options) = (core.definition, &core.options);
        KernelLook {
            id: id(&self.kernel),
            definition,
            mode: core.mode(),
            block: options.shape.block,
            max_batch: core.max_batch(),
            actors: match definition.state {
                StateShape::PerActor(_) => options.shape.actors,
                _ => 0,
            },
            inbound_capacity: core.shards[0].inbound.ring().layout().capacity,
            outbound_capacity: core.shards[0].outbound.layout().capacity,
            target: self.kernel.target().map(|target| id(&target)),
            // Asked first: after the end nothing changes.
            has_ended: core.is_finished(),
            slow: core.slow.as_ref().map_or(0, |slow| slow.count()),
            shards: self.kernel.look(),
        }
    }
}
