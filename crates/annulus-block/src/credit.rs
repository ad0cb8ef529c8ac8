//! Room for what handlers send.

use annulus_abi::control::STALLED_BY_HOST;
use annulus_ring::ring::Slot;
use annulus_sync::stall;

use crate::{
    host::Progress,
    runner::Runner,
    turn::{BlockCore, TurnTotals},
};

impl<R: Runner> BlockCore<R> {
    /// Whether the outbound ring has room for all that a message may need. If not, says in the control block
    /// that the block waits.
    // TWIN: has_credit
    #[inline]
    pub(crate) fn has_credit(&mut self, message: &Slot, batch: &TurnTotals) -> bool {
        self.has_credit_of(self.need(message), batch)
    }

    /// The same for a message that may need `slots`.
    #[inline]
    pub(crate) fn has_credit_of(&mut self, slots: u32, batch: &TurnTotals) -> bool {
        self.or_stall(STALLED_BY_HOST, batch, |block| block.outbound.has_credit(slots))
    }

    /// Slots of the outbound ring that a message may need. A call's first output is its reply, and needs
    /// none, unless the call goes on.
    #[inline]
    pub(crate) fn need(&self, message: &Slot) -> u32 {
        let caller = message.header.correlation;
        self.credit.saturating_sub(u32::from(caller != 0 && !self.is_forwarded(caller)))
    }

    /// Whether there is room for `attempt`. If not, says in the control block that the block waits, and tries
    /// once more. The side that makes room has made it before the second try, or sees that the block waits.
    ///
    /// The block says so only in a turn that has consumed nothing. What the turn before consumed was given
    /// back then, so whoever sees the block wait sees how full its ring is.
    // TWIN: or_stall
    #[inline]
    pub(crate) fn or_stall(
        &mut self,
        by: u32,
        batch: &TurnTotals,
        attempt: impl Fn(&mut Self) -> bool,
    ) -> bool {
        let mut room = attempt(self);
        if room != self.stalled || !room && batch.consumed + batch.due != 0 {
            return room;
        }
        if !room {
            stall::say(self.memory.stalled(), by);
            room = attempt(self);
        }
        if room {
            stall::take_back(self.memory.stalled());
            self.rest();
            // Also of a wait that ends here at once: somebody may have seen the word.
            self.goes_on = true;
        }
        if !room {
            self.at_stall(by);
        }
        self.stalled = !room;
        self.told_stalled = false;
        room
    }

    /// Whether what the block waits for has come.
    pub(crate) fn has_room(&mut self) -> bool {
        if self.hold.is_some() {
            return self.finds_room_holding();
        }
        if self.pending.is_some() {
            let delivered = self.deliver();
            self.tell_lost();
            return delivered;
        }
        let need = self.inbound.peek().map_or(self.credit, |message| self.need(&message));
        self.outbound.has_credit(need)
    }

    /// Called before the block goes to sleep: if it waits for room in another kernel, reports that; and if it waits no more
    /// though it has taken nothing.
    // TWIN: publish_pending
    pub fn publish_pending(&mut self) {
        let goes_on = std::mem::take(&mut self.goes_on);
        let stalled =
            self.stalled && self.pending.is_some() && !std::mem::replace(&mut self.told_stalled, true);
        if (goes_on || stalled)
            && let Some(signals) = &self.signals
        {
            let progress = Progress { goes_on, stalled, ..Progress::default() };
            signals.progressed(self.cx.block_index(), progress);
        }
    }
}
