//! What the block is at, for whoever watches it from outside.
//!
//! The words lie in a line of their own ([`annulus_abi::vitals::At`]), whose only writer is the block. They
//! are stored relaxed, and the block reads no clock: a reader that looks twice and finds the same words knows
//! that the block has been at the same message for the time between its looks.
//!
//! | phase | said |
//! |---|---|
//! | in handler | before the first call of a turn |
//! | publishing | once a turn that took messages |
//! | stalled | when the block says so in its control block |
//! | looking | by a turn that finds nothing, if the block said something else before |
//! | at the barrier | before the block waits for the kernel's other blocks |
//! | asleep | before the block parks, unless it is stalled or inactive |
//! | inactive, ended | when it obeys the command |
//!
//! The last failure stays in two more words, with its code, its message's number and its key.
//!
//! With the phase, the block stores the number of the message at the front. When it moves past that, it adds one
//! to the number, so the number is right before each call without being worked out. Before the call it stores the
//! key, if messages have one. So a message costs one or two words (two to four instructions), and a turn four more.

use annulus_abi::{
    control::{STALLED_BY_KERNEL, state},
    vitals::{At, phase},
};
use annulus_ring::ring::Slot;
use annulus_sync::Ordering;

use crate::{host::MessageFailure, publish::add, runner::Runner, turn::BlockCore};

impl<R: Runner> BlockCore<R> {
    /// What the block says that it is at.
    pub fn at(&self) -> At {
        self.at.load()
    }

    /// Says that the turn's first handler is called. Those behind it need not say so.
    // TWIN: at_handler
    #[inline]
    pub(crate) fn at_handler(&self) {
        self.say(phase::IN_HANDLER);
    }

    /// Moves past the message at the front, and says the number of the next one. A message costs its line one
    /// instruction, since the number is there already.
    #[inline(always)]
    pub(crate) fn advance(&mut self, slot: &Slot) {
        self.inbound.advance(slot);
        add(self.at.number(), 1);
    }

    /// Says that the message at the front failed, or names no actor. It is counted already.
    #[cold]
    pub(crate) fn at_failure(&self, code: u16, key: u64) {
        let number = self.next_number();
        self.at.failed_key().store(key, Ordering::Relaxed);
        self.at.failed().store(At::failure(code, number), Ordering::Relaxed);
        if let Some(signals) = &self.signals {
            let failures = self.counts.failed + self.counts.unknown_actor;
            let failure = MessageFailure { code, number, key, failures };
            signals.failed(self.cx.block_index(), failure);
        }
    }

    /// Says a phase, with the number of the message that is next.
    // TWIN: say
    #[inline]
    pub(crate) fn say(&self, phase: u64) {
        self.at.number().store(self.next_number(), Ordering::Relaxed);
        self.at.phase().store(phase, Ordering::Relaxed);
    }

    /// Says that the block found nothing, unless it said so before, or says already why it takes nothing.
    // TWIN: at_nothing
    #[inline]
    pub(crate) fn at_nothing(&self) {
        // The block is the only writer. A line that is only read stays in the caches of those who watch.
        let said = self.at.phase().load(Ordering::Relaxed);
        if !self.stalled && self.is_active() && said != phase::LOOKING {
            self.say(phase::LOOKING);
        }
    }

    /// Says why the block waits for room.
    // TWIN: at_stall
    pub(crate) fn at_stall(&self, by: u32) {
        self.say(if by == STALLED_BY_KERNEL { phase::STALLED_ON_KERNEL } else { phase::STALLED_ON_HOST });
    }

    /// Says what a command has made of the block.
    // TWIN: at_command
    pub(crate) fn at_command(&self, now: u32) {
        self.say(match now {
            state::TERMINATED => phase::ENDED,
            state::INACTIVE => phase::INACTIVE,
            _ if self.stalled => return self.at_stall(self.memory.stalled().load(Ordering::Relaxed)),
            _ => phase::LOOKING,
        });
    }

    /// Called before the block is parked.
    // TWIN: at_rest
    pub fn at_rest(&self) {
        if !self.stalled && self.is_active() {
            self.say(phase::ASLEEP);
        }
    }

    /// Called before the block waits for the kernel's other blocks.
    // TWIN: at_barrier
    pub fn at_barrier(&self) {
        if !self.stalled && self.is_active() {
            self.say(phase::AT_BARRIER);
        }
    }
}
