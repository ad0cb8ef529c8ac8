//! What a block that has found nothing looks for.

use annulus_abi::control::command;
use annulus_sync::Ordering;

use crate::{runner::Runner, turn::BlockCore};

/// Whether a block would find something to do that has seen the command `seen`: another command, or, while it
/// is active, a message for which `has_room` says that it may be handled.
///
/// Without credit a message is still work as long as the block has not said that it is stalled: only then
/// does the host that makes space know whom to wake. So there is room if the block has not said that, or if
/// what it waits for has come.
///
/// The block asks itself so before it sleeps, and the host of one that does not run asks so on its behalf.
#[inline]
pub fn finds_work(command: u32, seen: u32, is_ready: bool, has_room: impl FnOnce() -> bool) -> bool {
    command != seen || (command & command::ACTIVE != 0 && is_ready && has_room())
}

impl<R: Runner> BlockCore<R> {
    /// Whether a turn would find something to do. Asked by whoever parked the block; see [`finds_work`].
    // TWIN: has_work
    pub fn has_work(&mut self) -> bool {
        let command = self.memory.command().load(Ordering::Relaxed);
        let is_ready = self.inbound.is_ready();
        finds_work(command, self.seen_command, is_ready, || !self.stalled || self.has_room())
    }

    /// Whether the command that it obeyed last lets it take messages.
    #[inline]
    pub fn is_active(&self) -> bool {
        self.seen_command & command::ACTIVE != 0
    }
}
