//! Room for what handlers send.

use annulus_ring::ring::Slot;
use annulus_sync::stall;

use crate::{
    host::Progress,
    runner::Runner,
    turn::{BlockCore, TurnTotals},
};

/// What a block that waits for the host to receive says in its control block.
const STALLED_BY_HOST: u32 = 1;

impl<R: Runner> BlockCore<R> {
    /// Whether the outbound ring has room for all that a message may need; says so in the control block if
    /// not.
    // TWIN: has_credit
    #[inline]
    pub(crate) fn has_credit(&mut self, message: &Slot, batch: &TurnTotals) -> bool {
        let need = self.need(message);
        self.or_stall(STALLED_BY_HOST, batch, |block| block.outbound.has_credit(need))
    }

    /// Slots of the outbound ring that a message may need: a call's first output is its reply, and goes
    /// elsewhere.
    #[inline]
    fn need(&self, message: &Slot) -> u32 {
        self.credit.saturating_sub(u32::from(message.header.correlation != 0))
    }

    /// Whether there is room for what is attempted. If not, says so in the control block and tries once more
    /// after that: whoever makes room made it before, or sees that the block waits.
    ///
    /// It says so in a turn that has consumed nothing: what the one before has consumed was given back,
    /// so that whoever sees the block wait sees how full its ring is.
    // TWIN: or_stall
    #[inline]
    pub(crate) fn or_stall(
        &mut self,
        by: u32,
        batch: &TurnTotals,
        attempt: impl Fn(&mut Self) -> bool,
    ) -> bool {
        let mut room = attempt(self);
        if room != self.stalled || !room && batch.consumed != 0 {
            return room;
        }
        if !room {
            stall::say(self.memory.stalled(), by);
            room = attempt(self);
        }
        if room {
            stall::take_back(self.memory.stalled());
            self.rest();
        }
        self.stalled = !room;
        self.told_stalled = false;
        room
    }

    /// Whether what the block waits for has come.
    pub(crate) fn has_room(&mut self) -> bool {
        if self.pending.is_some() {
            return self.deliver();
        }
        let need = self.inbound.peek().map_or(self.credit, |message| self.need(&message));
        self.outbound.has_credit(need)
    }

    /// Before the block goes to sleep: reports that it waits for room in another kernel, if it does.
    // TWIN: publish_pending
    pub fn publish_pending(&mut self) {
        if self.stalled && self.pending.is_some() && !std::mem::replace(&mut self.told_stalled, true) {
            let progress = Progress { stalled: true, ..Progress::default() };
            if let Some(signals) = &self.signals {
                signals.progressed(self.cx.block_index(), progress);
            }
        }
    }
}
