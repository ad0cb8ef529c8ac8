//! Blocks of a kernel that take their turns in step.
//!
//! A block that has ended its turn comes to the barrier ([`PhaseBarrier`]), gives its worker back and is
//! *awake, on no schedule*: calls leave it alone. Who comes last queues all who wait. A block that finds
//! nothing sleeps as others do, and is called by the first that comes; it then looks once more, takes a turn
//! if there is a message after all, and comes. So a kernel in which nobody has a message takes no steps and
//! costs nothing, and what comes first for one block makes all take a step. A block that terminates is gone
//! for good, and nobody waits for it.
//!
//! What a handler wrote in its turn comes before its block's coming, that before the last one's, and that
//! before every block's next turn: by the barrier's word, and by the lock of the workers' queue.

use std::sync::{Arc, OnceLock, Weak};

use annulus_sync::phase_barrier::{Arrival, PhaseBarrier};

/// A block, to those in step with it.
pub(crate) trait Party {
    /// Whether the caller must queue the block, after giving it something to do.
    fn wake(&self) -> bool;

    /// It has terminated.
    fn set_gone(&self);

    /// Whether it has terminated, by whoever opens the barrier.
    fn is_gone(&self) -> bool;
}

/// The barrier of a kernel, and its blocks.
pub(crate) struct InStep<B> {
    steps: PhaseBarrier,
    /// Set before any of them runs. They live as long as one of them is not gone, since that one keeps the
    /// kernel.
    blocks: OnceLock<Box<[Weak<B>]>>,
}

impl<B: Party> InStep<B> {
    pub(crate) fn new(blocks: u32) -> Self {
        Self { steps: PhaseBarrier::new(blocks), blocks: OnceLock::new() }
    }

    /// Tells it its blocks, before any of them runs.
    pub(crate) fn set_blocks(&self, blocks: &[Arc<B>]) {
        let blocks = blocks.iter().map(Arc::downgrade).collect();
        assert!(self.blocks.set(blocks).is_ok(), "a kernel is launched once");
    }

    /// Whether blocks that do nothing are waited for.
    #[inline]
    pub(crate) fn has_begun(&self) -> bool {
        self.steps.has_begun()
    }

    /// A block has ended its turn; whether it may begin the next one. Else it is queued when it may.
    pub(crate) fn arrive(&self, block: &B, push: impl Fn(Arc<B>)) -> bool {
        match self.steps.arrive() {
            Arrival::First => {
                self.others(block).filter(|other| other.wake()).for_each(push);
                false
            }
            Arrival::Later => false,
            Arrival::Last => {
                self.queue_others(block, push);
                true
            }
        }
    }

    /// A block has terminated.
    pub(crate) fn leave(&self, block: &B, push: impl Fn(Arc<B>)) {
        block.set_gone();
        if self.steps.leave() {
            self.queue_others(block, push);
        }
    }

    /// All others wait, but those that are gone.
    fn queue_others(&self, block: &B, push: impl Fn(Arc<B>)) {
        self.others(block).filter(|other| !other.is_gone()).for_each(push);
    }

    fn others(&self, block: &B) -> impl Iterator<Item = Arc<B>> {
        let blocks = self.blocks.get().expect("they are told before any of them runs");
        let is_other = move |other: &Arc<B>| !std::ptr::eq(&raw const **other, block);
        blocks.iter().filter_map(Weak::upgrade).filter(is_other)
    }
}
