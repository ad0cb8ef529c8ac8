//! The turn of a body: a handler whose whole block works on all messages that a turn has found.
//!
//! The block finds messages as for any other kernel, as many as it has room for the outputs of. The body takes the first ones
//! of them. Only these are given back and counted: those that no thread took stay in the ring, and the next turn begins with
//! them. While the body runs, the outputs of each message have places of their own, since its threads take turns; they are
//! published behind it, in the messages' order.
//!
//! A body is one transaction. If it fails, all messages fail that it took. If it took none, the first one fails: else the same
//! body would be called with the same messages for ever.
//!
//! If a body ends its kernel, the block says so in its control block (`leaving`), and takes nothing more. The host then
//! terminates the kernel as if somebody had asked for that.

use std::ptr;

use annulus_abi::ring::kind;
use annulus_kernel::RawInbox;
use annulus_ring::ring::{Header, Slot};
use annulus_sync::Ordering;

use crate::{
    host::Progress,
    runner::Runner,
    turn::{BlockCore, Line, Turn, TurnTotals},
};

/// What a body's turn has.
#[derive(Default)]
pub(crate) struct Body {
    inbox: RawInbox,
    /// The slots that the turn has found, and has room for the outputs of.
    slots: Vec<Slot>,
    /// Where the outputs of each message go.
    places: Box<[Line]>,
    /// It has ended its kernel.
    has_left: bool,
}

impl<R: Runner> BlockCore<R> {
    /// Whether a body has ended the kernel.
    pub(crate) fn is_leaving(&self) -> bool {
        self.body.as_ref().is_some_and(|body| body.has_left)
    }

    /// Takes a turn of a body, of at most `limit` slots.
    pub(crate) fn take_as_body(&mut self, command: u32, limit: u32) -> Turn {
        let Some(mut body) = self.body.take() else { return Turn::Nothing };
        let turn = self.turn_of(&mut body, command, limit);
        self.body = Some(body);
        turn
    }

    fn turn_of(&mut self, body: &mut Body, command: u32, limit: u32) -> Turn {
        let mut batch = TurnTotals::default();
        if body.has_left || !self.find(body, limit, &batch) {
            return self.finish_turn(&mut batch);
        }
        // A message that was sent after a command is handled after it.
        if self.memory.command().load(Ordering::Relaxed) != command {
            return Turn::Progress;
        }
        let code = self.run_body(body);
        self.end_body(body, code, &mut batch);
        if batch.consumed != 0 {
            let turn = self.finish_turn(&mut batch);
            self.tell_leaving(body);
            return turn;
        }
        // It has left all messages where they are, and is called again when others have had their turn.
        self.tell_leaving(body);
        self.at_nothing();
        self.note_depth();
        Turn::Progress
    }

    /// What became of the messages that the body has taken; those that it left stay in the ring.
    // TWIN: end_body
    fn end_body(&mut self, body: &mut Body, code: u16, batch: &mut TurnTotals) {
        let found = body.inbox.found();
        let taken = match (code, body.inbox.taken()) {
            // Else it would be called with the same messages for ever.
            (1.., 0) => found.min(1),
            (_, taken) => taken,
        };
        let mut index = 0;
        for slot in &body.slots {
            if slot.kind == kind::MESSAGE {
                if index == taken {
                    break;
                }
                self.end_message(body, slot, index, code, batch);
                index += 1;
            }
            self.inbound.advance(slot);
            batch.consumed += 1;
        }
        body.has_left = code == 0 && body.inbox.ends();
        if body.has_left {
            // SYNC: leaving (release)
            self.memory.leaving().store(1, Ordering::Release);
        }
    }

    /// Asks the host to terminate the kernel.
    fn tell_leaving(&self, body: &Body) {
        if let (true, Some(signals)) = (body.has_left, &self.signals) {
            let progress = Progress { leaving: true, ..Progress::default() };
            signals.progressed(self.cx.block_index(), progress);
        }
    }

    /// Finds the slots of a turn; whether there is any.
    fn find(&mut self, body: &mut Body, limit: u32, batch: &TurnTotals) -> bool {
        body.slots.clear();
        let mut need = 0;
        while let Some(slot) = self.inbound.peek_after(body.slots.len() as u32) {
            // That there is no room is said of the first message alone.
            let is_first = body.slots.is_empty();
            need += self.need(&slot);
            if is_first && !self.has_credit(&slot, batch) || !is_first && !self.outbound.has_credit(need) {
                break;
            }
            body.slots.push(slot);
            if body.slots.len() == limit as usize {
                break;
            }
        }
        !body.slots.is_empty()
    }

    /// Runs the body, unless there is no message among the slots; its code.
    fn run_body(&mut self, body: &mut Body) -> u16 {
        let stride = self.outbound.ring().layout().slot_stride;
        let lines = body.slots.len() * self.credit as usize * stride / size_of::<Line>();
        if body.places.len() < lines {
            body.places = vec![Line::default(); lines].into();
        }
        // SAFETY: there are `credit` places for each slot, as far apart as the ring's payloads, and aligned as these, whose
        // alignment is at most 64. They are the block's own.
        unsafe { body.inbox.begin(body.places.as_mut_ptr().cast(), stride, self.credit) };
        for slot in body.slots.iter().filter(|slot| slot.kind == kind::MESSAGE) {
            // SAFETY: it is a message of the kernel's type, in a slot that is given back behind the body.
            unsafe { body.inbox.put(self.inbound.payload(slot)) };
        }
        if body.inbox.found() == 0 {
            return 0;
        }
        if self.asks_time {
            self.cx = self.cx.with_time(R::now(&self.clock));
        }
        self.at_handler();
        // SAFETY: the states are the block's own while it handles messages.
        let Some(actor) = (unsafe { self.state.of(0) }) else { return annulus_abi::error::UNKNOWN_ACTOR };
        // SAFETY: a body's threads send by outboxes of the inbox, and this one only says whether they sent too much. What
        // the entry of a body takes as its message is the inbox.
        unsafe { self.call(self.cx, ptr::from_ref(&body.inbox).cast(), actor.state, 0) }
    }

    /// Publishes what became of a message that the body has taken.
    fn end_message(&mut self, body: &Body, slot: &Slot, index: u32, code: u16, batch: &mut TurnTotals) {
        let Header { enqueue_time: enqueued, correlation: caller, .. } = slot.header;
        if code != 0 {
            self.bury(self.inbound.payload(slot), code, batch);
            if caller != 0 {
                self.reply(caller, kind::FAILED, code.into());
            }
            batch.dropped += 1;
            batch.error = code;
            self.counts.failed += 1;
            return self.at_failure(code, 0);
        }
        let sent = body.inbox.sent(index);
        let first = u64::from(index) * u64::from(self.credit);
        let layout = self.outbound.ring().layout();
        let (stride, size) = (layout.slot_stride, layout.payload_size);
        let output = |number: u32| {
            let place = (first + u64::from(number)) as usize * stride;
            body.places.as_ptr().cast::<u8>().wrapping_add(place)
        };
        let replies = u32::from(caller != 0);
        if caller != 0 && sent == 0 {
            self.reply(caller, kind::NO_REPLY, 0);
        } else if caller != 0 {
            if let Some((answers, call)) = self.answers_of(caller) {
                // SAFETY: the first output is there, and has that many bytes. The reply's place is elsewhere.
                unsafe { output(0).copy_to_nonoverlapping(answers.payload(call), size) };
            }
            self.reply(caller, kind::MESSAGE, self.output_bytes);
            batch.replied = true;
        }
        for number in replies..sent {
            // SAFETY: there was credit for all outputs, but for a reply; an output is there.
            unsafe {
                self.outbound.publish_copy(
                    kind::MESSAGE,
                    self.output_bytes,
                    Header::default(),
                    output(number),
                );
            }
        }
        batch.produced += sent.saturating_sub(replies);
        self.counts.sent += u64::from(sent);
        self.note_success(enqueued, batch);
    }
}
