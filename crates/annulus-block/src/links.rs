//! A block whose kernel is connected to another one.
//!
//! What a handler has sent lies in slots of the outbound ring that are not published. From there it is
//! delivered, one by one, to the other kernel's rings, as a thread of the host would send it, and the slots
//! are used again. Until the last has gone the message is *pending*: its slot is not given back, it is not
//! counted, and no other is taken; its handler is not called again. So whoever sees a message consumed sees
//! all that came of it in the next ring.
//!
//! A delivery that finds no room makes the block stall: it says so in its control block, fences, and tries
//! once more (`SYNC: stalled`); the runtime wakes it when slots of the other kernel's rings were given back.
//! A block that terminates with a message pending counts what had not gone as lost. A block that delivers
//! wakes blocks of other kernels, by way of the pool, or keeps one for its own worker; it takes no lock of
//! theirs. Outputs of a call are its reply, and are published as ever.

use annulus_abi::{control::STALLED_BY_KERNEL, ring::kind};
use annulus_ring::ring::{Header, Slot};
use annulus_sync::{Ordering, fence};

use crate::{
    host::{Deliver, Delivery},
    publish::add,
    runner::Runner,
    turn::{BlockCore, PendingOutputs, TurnTotals},
};

impl<R: Runner> BlockCore<R> {
    /// Lets the outputs of the message at the front go to the connected kernel, as far as there is room. Says
    /// whether nothing holds the message any more.
    pub(crate) fn release(&mut self, slot: &Slot, batch: &mut TurnTotals) -> bool {
        if !self.or_stall(STALLED_BY_KERNEL, batch, Self::deliver) {
            return false;
        }
        if let Some(pending) = self.pending.take() {
            batch.produced += self.publish_rest(pending);
            self.count_pending(pending, slot, batch);
        }
        true
    }

    /// Delivers pending outputs until one has to wait for room; says whether none has.
    // TWIN: deliver
    pub(crate) fn deliver(&mut self) -> bool {
        let (Some(link), Some(mut pending)) = (&self.link, self.pending) else { return true };
        let waits = link.waits;
        let target = link.target.upgrade();
        let mut lost = 0;
        let _near = R::delivering();
        while pending.gone < pending.all {
            if self.stalled && !self.moves {
                // SAFETY: as below.
                let room =
                    |target: &dyn Deliver| unsafe { target.has_room(self.pending_output(pending.gone)) };
                // What does not wait is lost, and counted: the kernel may have been connected otherwise
                // before.
                if waits && target.as_ref().is_some_and(|target| !room(&**target)) {
                    break;
                }
                self.begin_to_move();
            }
            let delivery = target.as_ref().map_or(Delivery::Closed, |target| {
                // SAFETY: the handler wrote an output there, and outputs are messages of the target's, as
                // whoever made the link vouched.
                unsafe { target.deliver(self.pending_output(pending.gone)) }
            });
            match delivery {
                Delivery::Done => {}
                Delivery::Full if waits => break,
                Delivery::Full | Delivery::Closed => lost += 1,
            }
            pending.gone += 1;
            self.pending = Some(pending);
        }
        if lost != 0 {
            add(self.memory.unforwarded(), lost);
        }
        let all_gone = pending.gone == pending.all;
        if !all_gone {
            self.rest();
        }
        all_gone
    }

    /// Before a block that has said that it waits delivers something: the word that says so is still there
    /// when its last output has gone. Whoever sees the ticket of such an output sees that the block does not
    /// rest.
    // TWIN: begin_to_move
    fn begin_to_move(&mut self) {
        self.moves = true;
        self.memory
            .rested()
            .store(self.memory.taken().load(Ordering::Relaxed).wrapping_sub(1), Ordering::Relaxed);
        // SYNC: unrested (release)
        fence(Ordering::Release);
    }

    /// After it has said whether it still waits: that word is as it should be.
    // TWIN: rest
    pub(crate) fn rest(&mut self) {
        if std::mem::take(&mut self.moves) {
            // SYNC: rested (release)
            self.memory.rested().store(self.memory.taken().load(Ordering::Relaxed), Ordering::Release);
        }
    }

    /// Where a pending message's output lies, by its number.
    fn pending_output(&self, index: u32) -> *const u8 {
        let layout = self.outbound.ring().layout();
        let slot = layout.slot_offset(self.outbound.next() + u64::from(index));
        self.memory.outbound_payloads().wrapping_add(slot - layout.slot_offset(0))
    }

    /// Publishes what has not gone, if the kernel was disconnected before that; says how much.
    // TWIN: publish_rest
    fn publish_rest(&mut self, pending: PendingOutputs) -> u32 {
        let rest = pending.all - pending.gone;
        for _ in 0..rest {
            // The gap between the next slot and the output is as wide as before, since both move on.
            let output = self.pending_output(pending.gone);
            let header = Header::default();
            if pending.gone == 0 {
                // SAFETY: there was credit for `max_outputs` slots, and the handler has written this one.
                unsafe { self.outbound.publish(kind::MESSAGE, self.output_bytes, header) };
            } else {
                // SAFETY: as above, for a slot whose own output has gone; an output lies at the pointer.
                unsafe { self.outbound.publish_copy(kind::MESSAGE, self.output_bytes, header, output) };
            }
        }
        rest
    }

    fn count_pending(&mut self, pending: PendingOutputs, slot: &Slot, batch: &mut TurnTotals) {
        self.counts.sent += u64::from(pending.all);
        batch.forwarded = true;
        self.note_success(slot.header.enqueue_time, batch);
    }

    /// Before the end: a message that is held counts as processed, and what has not gone as lost.
    // TWIN: abandon
    pub(crate) fn abandon(&mut self) {
        let (Some(pending), Some(slot)) = (self.pending.take(), self.inbound.peek()) else { return };
        let mut batch = TurnTotals { consumed: 1, ..TurnTotals::default() };
        if self.link.is_none() {
            batch.produced = self.publish_rest(pending);
        } else {
            add(self.memory.unforwarded(), u64::from(pending.all - pending.gone));
        }
        self.count_pending(pending, &slot, &mut batch);
        self.inbound.advance(&slot);
        self.publish(&batch);
        self.rest();
    }
}
