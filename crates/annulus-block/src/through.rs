//! Calls through pipelines: a call that is answered by another kernel than the one that it was made to.
//!
//! A message may carry the address of such a call ([`is_through`]). If the kernel's first outbox is connected, the call
//! *goes on*: the address moves with the first output of that outbox. Otherwise the block answers, as it answers a
//! direct call. A block also ends a call that goes no further, with the reason: the handler failed; it sent nothing by
//! which the call could go on; the output that carried it was lost.
//!
//! An address is in one place at a time: in the message that is handled, or in the block's [`PendingOutputs`], or in a
//! message of the next kernel. So it is used once. Answers go to [landings](annulus_ring::ring::Landings), where there is
//! room for each call, so they wait for nobody.
//!
//! [`PendingOutputs`]: crate::turn::PendingOutputs

use annulus_abi::ring::{is_through, kind};

use crate::{
    host::Progress,
    runner::Runner,
    turn::{BlockCore, PendingOutputs},
};

impl<R: Runner> BlockCore<R> {
    /// Whether what the handler of a message sends goes to another kernel: not if the message is a direct call.
    // TWIN: is_forwarded
    #[inline]
    pub(crate) fn is_forwarded(&self, caller: u64) -> bool {
        self.is_linked && (caller == 0 || is_through(caller))
    }

    /// The message of a call was handled, and `all` outputs of its handler go on, of which the first `before` of them are
    /// not of the first outbox: so does the call. If there is none of that outbox, the call ends.
    // TWIN: hand_on
    #[inline]
    pub(crate) fn hand_on(&mut self, caller: u64, before: u32, all: u32, is_parted: bool) {
        let goes_on = before < all;
        if caller != 0 && !goes_on {
            self.reply(caller, kind::NO_REPLY, 0);
        }
        let call = if goes_on { caller } else { 0 };
        let (trace, stamp) = (self.trace, self.stamp);
        self.pending = Some(PendingOutputs { gone: 0, all, is_parted, call, bearer: before, trace, stamp });
    }

    /// The call that a pending output carries; 0 if it carries none.
    #[inline]
    pub(crate) fn carried(pending: &PendingOutputs, index: u32) -> u64 {
        if index == pending.bearer { pending.call } else { 0 }
    }

    /// The output that carried this call was lost, and so is the call; 0 for none.
    // TWIN: lose
    #[cold]
    pub(crate) fn lose(&mut self, call: u64) {
        if call != 0 && !self.lose_ask(call) {
            self.reply(call, kind::LOST, 0);
            self.lost_call.set(true);
        }
    }

    /// Called when nothing is being delivered: whoever made a call that was lost is woken now, for the message may stay
    /// pending.
    #[inline]
    pub(crate) fn tell_lost(&self) {
        if self.lost_call.take()
            && let Some(signals) = &self.signals
        {
            let progress = Progress { traffic: true, ..Progress::default() };
            signals.progressed(self.cx.block_index(), progress);
        }
    }
}
