//! What a block that has found nothing looks for.

use annulus_abi::control::command;
use annulus_sync::Ordering;

use crate::{runner::Runner, turn::BlockCore};

impl<R: Runner> BlockCore<R> {
    /// Whether a turn would find something to do. Asked by whoever parked the block.
    ///
    /// Without credit a message is still work as long as the block has not said that it is stalled: only then
    /// does the host that makes space know whom to wake.
    // TWIN: has_work
    pub fn has_work(&mut self) -> bool {
        let command = self.memory.command().load(Ordering::Relaxed);
        command != self.seen_command
            || (command & command::ACTIVE != 0
                && self.inbound.is_ready()
                && (!self.stalled || self.has_room()))
    }

    /// Whether the command that it obeyed last lets it take messages.
    #[inline]
    pub fn is_active(&self) -> bool {
        self.seen_command & command::ACTIVE != 0
    }
}
