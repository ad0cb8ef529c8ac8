//! What a block looks for when a turn has found nothing.

use annulus_abi::control::command;
use annulus_sync::Ordering;

use crate::{runner::Runner, turn::BlockCore};

/// Whether a block that has seen the command `seen` would find something to do. That is another command, or,
/// while the block is active, a message that may be handled according to `has_room`.
///
/// A message without credit is still work as long as the block has not said that it is stalled. Only after
/// that does the host that makes room know which block to wake. So `has_room` returns true if the block has
/// not said that it is stalled, or if there is room now.
///
/// The block asks this before it sleeps. For a block that does not run, the host asks it.
#[inline]
pub fn finds_work(command: u32, seen: u32, is_ready: bool, has_room: impl FnOnce() -> bool) -> bool {
    command != seen || (command & command::ACTIVE != 0 && is_ready && has_room())
}

impl<R: Runner> BlockCore<R> {
    /// Whether a turn would find something to do. The thread that parked the block asks this; see
    /// [`finds_work`].
    // TWIN: has_work
    pub fn has_work(&mut self) -> bool {
        let command = self.memory.command().load(Ordering::Relaxed);
        let is_ready = self.is_ready_in_round() || self.is_due() || self.pending_timer().is_some();
        // A body that has ended its kernel takes nothing more.
        let is_ready = is_ready && !self.is_leaving() || self.holds();
        let finds_work = finds_work(command, self.seen_command, is_ready, || {
            !self.stalled && self.hold.is_none() || self.has_room()
        });
        finds_work || self.comes_for_round()
    }

    /// Whether outputs wait though it takes messages.
    fn holds(&self) -> bool {
        self.hold.is_some() && self.pending.is_some()
    }

    /// Whether the last command that it obeyed lets it take messages.
    #[inline]
    pub fn is_active(&self) -> bool {
        self.seen_command & command::ACTIVE != 0
    }
}
