//! Rounds: what a block takes of what lies in its ring. [`annulus_sync::rounds`] has the protocol.

use annulus_sync::rounds::{Outcome, Part, Vote};

use crate::{runner::Runner, turn::BlockCore};

impl<R: Runner> BlockCore<R> {
    /// How many messages a turn may take, of `limit`.
    #[inline]
    pub(crate) fn within_round(&self, limit: u32) -> u32 {
        match &self.round {
            None => limit,
            Some(part) => part.left(self.inbound.position()).min(limit.into()) as u32,
        }
    }

    /// Whether something is there that a turn would take.
    pub(crate) fn is_ready_in_round(&self) -> bool {
        self.within_round(1) != 0 && self.inbound.is_ready()
    }

    /// What the block says of its part of the round when it comes to the barrier.
    // TWIN: round_vote
    pub fn round_vote(&mut self) -> Option<Vote> {
        let (position, there) = (self.inbound.position(), self.inbound.ring().reserved());
        // What was sent and not delivered belongs to a message that is not given back.
        let wants = self.is_active();
        self.round.as_mut().map(|part| part.vote(position, there.max(position), wants))
    }

    /// What came of the last step; called before a turn.
    #[inline]
    pub fn follow_rounds(&mut self, outcome: Outcome) {
        if let Some(part) = &mut self.round
            && part.follow(outcome)
        {
            self.cx = self.cx.with_round(part.begun() - 1);
        }
    }

    /// Whether the block, which has found nothing, comes to the barrier though no other one has come.
    #[inline]
    pub fn comes_for_round(&self) -> bool {
        let comes = |part: &Part| {
            let has_more = self.is_active() && self.inbound.is_ready();
            part.comes(self.inbound.position(), has_more)
        };
        self.round.as_ref().is_some_and(comes)
    }
}
