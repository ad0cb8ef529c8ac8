//! Blocks of a kernel that take their turns in step.
//!
//! A block that has ended its turn arrives at the barrier ([`PhaseBarrier`]), gives its worker back and is
//! *awake, on no schedule*: wake-ups ignore it. The block that arrives last queues all blocks that wait. A
//! block that finds nothing sleeps as usual, and the first block that arrives wakes it. It then polls once
//! more, takes a turn if there is a message after all, and arrives. So a kernel without messages takes no
//! steps and costs nothing, and one block's message makes all blocks take a step. A block that terminates is
//! gone for good, and nobody waits for it.
//!
//! What a handler wrote in its turn happens before its block's arrival, that happens before the last arrival,
//! and that happens before every block's next turn. The barrier's word and the lock of the workers' queue
//! ensure this.
//!
//! A kernel may go in rounds ([`Rounds`]). Then a block says what is left of its part before it arrives, the last block
//! decides before it queues the others, and each follows before its turn.

use std::sync::{Arc, OnceLock, Weak};

use annulus_sync::{
    phase_barrier::{Arrival, PhaseBarrier},
    rounds::Rounds,
};

/// A block, as the other blocks in step with it see it.
pub(crate) trait Party {
    /// Whether the caller must queue the block, after giving it something to do.
    fn wake(&self) -> bool;

    /// It has terminated.
    fn set_gone(&self);

    /// Whether it has terminated; called by the block that opens the barrier.
    fn is_gone(&self) -> bool;
}

/// The barrier of a kernel, and its blocks.
pub(crate) struct InStep<B> {
    steps: PhaseBarrier,
    rounds: Option<Rounds>,
    /// Set before any block runs. The blocks live as long as one of them is not gone, since that one keeps
    /// the kernel.
    blocks: OnceLock<Box<[Weak<B>]>>,
}

impl<B: Party> InStep<B> {
    pub(crate) fn new(blocks: u32, rounds: bool) -> Self {
        Self { steps: PhaseBarrier::new(blocks), rounds: rounds.then(Rounds::new), blocks: OnceLock::new() }
    }

    /// What the blocks say of their rounds, if they go in rounds.
    #[inline]
    pub(crate) fn rounds(&self) -> Option<&Rounds> {
        self.rounds.as_ref()
    }

    /// Sets the blocks, before any of them runs.
    pub(crate) fn set_blocks(&self, blocks: &[Arc<B>]) {
        let blocks = blocks.iter().map(Arc::downgrade).collect();
        assert!(self.blocks.set(blocks).is_ok(), "a kernel is launched once");
    }

    /// Whether the barrier waits for blocks that have nothing to do.
    #[inline]
    pub(crate) fn has_begun(&self) -> bool {
        self.steps.has_begun()
    }

    /// Called when a block has ended its turn. Returns whether it may begin the next one; otherwise it is
    /// queued when it may.
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

    /// Called when a block has terminated.
    pub(crate) fn leave(&self, block: &B, push: impl Fn(Arc<B>)) {
        block.set_gone();
        if self.steps.leave() {
            self.queue_others(block, push);
        }
    }

    /// The barrier is open: queues all other blocks except those that are gone; they all wait.
    fn queue_others(&self, block: &B, push: impl Fn(Arc<B>)) {
        if let Some(rounds) = &self.rounds {
            rounds.decide();
        }
        self.others(block).filter(|other| !other.is_gone()).for_each(push);
    }

    fn others(&self, block: &B) -> impl Iterator<Item = Arc<B>> {
        let blocks = self.blocks.get().expect("they are told before any of them runs");
        let is_other = move |other: &Arc<B>| !std::ptr::eq(&raw const **other, block);
        blocks.iter().filter_map(Weak::upgrade).filter(is_other)
    }
}
