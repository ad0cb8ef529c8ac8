//! What a handler answers by its [`Reply`](annulus_kernel::Reply), which is one of its ways out.
//!
//! If the message belongs to a call, what was sent by the reply is moved in front of what was sent by outboxes. So it is the
//! answer, wherever the first output is the answer; and a call through a pipeline is answered by it though the kernel is
//! connected. The other outputs go where they go without one; those of a direct call go to the host.
//!
//! A last kernel of a pipeline that has a reply answers by nothing else: its outputs have another type. So does one in the
//! middle: the call goes on with the first output of the first outbox.

use annulus_abi::ring::kind;

use crate::{
    runner::Runner,
    turn::{BlockCore, TurnTotals},
};

impl<R: Runner> BlockCore<R> {
    /// The first word of an output that was sent by the reply, if the handler has one.
    pub(crate) fn reply_tag(&self) -> Option<u64> {
        self.ports.iter().find(|port| port.is_reply).map(|port| port.tag)
    }

    /// Moves what was sent by the reply to the front of a message's outputs, which are put aside. Returns whether something
    /// was.
    // TWIN: reply_first
    pub(crate) fn reply_first(&mut self, sent: u32) -> bool {
        let Some(tag) = self.reply_tag() else { return false };
        let base = self.held_in_front();
        let Some(at) = (base..base + sent).find(|&index| self.tag(index) == tag) else { return false };
        let size = self.outbound.ring().layout().payload_size;
        for index in (base + 1..=at).rev() {
            let [here, before] = [index, index - 1].map(|index| self.offset_aside(index));
            let aside = self.aside.as_mut_ptr().cast::<u8>();
            let (here, before) = (aside.wrapping_add(here), aside.wrapping_add(before));
            // SAFETY: both are places of outputs in the block's own memory, at least that far apart.
            unsafe { std::ptr::swap_nonoverlapping(here, before, size) };
        }
        true
    }

    /// Answers a call from the middle of its pipeline, by the first of the outputs that were put aside.
    // TWIN: reply_from_here
    pub(crate) fn reply_from_here(&mut self, call: u64, batch: &mut TurnTotals) {
        let size = self.outbound.ring().layout().payload_size;
        let output = self.put_aside(self.held_in_front());
        if let Some((answers, call)) = self.answers_of(call) {
            // SAFETY: the output is there, and has that many bytes. The answer's place is elsewhere.
            unsafe { output.copy_to_nonoverlapping(answers.payload(call), size) };
        }
        self.reply(call, kind::MESSAGE, self.output_bytes);
        batch.replied = true;
    }

    /// Ends a call through a pipeline whose last kernel has sent nothing by its reply. What it has sent by outboxes is for
    /// the host.
    // TWIN: decline
    pub(crate) fn decline(&mut self, call: u64, sent: u32, batch: &mut TurnTotals) {
        self.reply(call, kind::NO_REPLY, 0);
        for index in 0..sent {
            self.publish_aside(self.held_in_front() + index, self.sent_header());
        }
        batch.produced += sent;
    }
}
