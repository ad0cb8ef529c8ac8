//! Handles a message as a transaction.

use std::panic::{AssertUnwindSafe, catch_unwind};

use annulus_abi::{
    actors::Placed,
    error,
    ring::{is_through, kind},
};
use annulus_kernel::{Cx, Invocation, panic_code};
use annulus_ring::ring::{Answers, Header, Slot};
use annulus_sync::{Ordering, contain::discard, fence};

use crate::{
    publish::add,
    runner::Runner,
    state::Actor,
    timers::Timers,
    traced::Followed,
    turn::{BlockCore, TurnTotals},
};

/// A message that the block has taken.
pub(crate) struct Taken {
    /// Of the kernel's type. Nobody writes it while it is handled.
    pub(crate) message: *const u8,
    /// The call that it belongs to; 0 if it belongs to none.
    pub(crate) caller: u64,
    /// The queue that it came from.
    pub(crate) queue: u32,
    /// When it was sent; of a timer, when it was due.
    pub(crate) enqueued: u64,
    /// The trace that it carries; 0 for none.
    pub(crate) trace: u64,
    /// The stamp that it carries; 0 for none.
    pub(crate) stamp: u64,
}

impl<R: Runner> BlockCore<R> {
    /// Handles a slot's message.
    #[inline]
    pub(crate) fn handle_slot(&mut self, slot: &Slot, batch: &mut TurnTotals) {
        if slot.kind != kind::MESSAGE {
            return;
        }
        let Header { enqueue_time: enqueued, correlation: caller, trace, stamp, .. } = slot.header;
        let message = self.inbound.payload(slot);
        self.handle(&Taken { message, caller, queue: slot.queue, enqueued, trace, stamp }, batch);
    }

    /// Handles one message as a transaction.
    // TWIN: handle
    #[inline]
    pub(crate) fn handle(&mut self, taken: &Taken, batch: &mut TurnTotals) {
        let &Taken { message, caller, queue, enqueued, trace, stamp } = taken;
        let key = self.key.map_or(0, |key| {
            // SAFETY: it is a message of the kernel's type, which the key function takes.
            let key = unsafe { key(message) };
            self.at.key().store(key, Ordering::Relaxed);
            key
        });
        let is_here = self.timers.is_none() || self.state.is_of_block(key, self.cx.block_index());
        let actor = if is_here {
            // SAFETY: the states are the block's own while it handles messages.
            unsafe { self.state.of(key) }
        } else {
            None
        };
        if let Some(placed) = actor.and_then(|actor| actor.placed) {
            self.count_actor(placed);
        }
        let state = actor.map(|actor| actor.state);
        let cx = self.cx.with_queue(queue).with_stamp(stamp);
        self.begin_event(stamp);
        let goes_on = self.is_forwarded(caller);
        let is_parted = goes_on && self.puts_aside;
        if let Some(timers) = &mut self.timers {
            timers.begin(cx.now());
        }
        let followed = (trace != 0).then(|| Followed { word: trace, enqueued, taken: R::now(&self.clock) });
        let code = match state {
            None => error::UNKNOWN_ACTOR,
            Some(state) if caller != 0 && !goes_on || is_parted => {
                self.call_aside(cx, message, state, caller)
            }
            // SAFETY: the block has credit for `max_outputs` slots from the next ticket on.
            Some(state) => unsafe { self.call(cx, message, state, self.outbound.next()) },
        };
        self.trace = followed.map_or(0, |call| self.record(call, code, batch));
        if let (0, Some(timers)) = (code, &mut self.timers) {
            timers.keep(is_parted, self.stamp);
        }
        if code == 0
            && self.actor.ends()
            && let Some(actor) = actor
        {
            self.end_actor(actor);
        }
        if code == 0 && is_parted {
            if self.walk.is_some() {
                self.keep_along();
            } else {
                self.part(caller, batch);
            }
            if self.hold.is_some() {
                batch.forwarded = true;
                self.note_success(enqueued, batch);
            }
        } else if code == 0 && goes_on {
            self.hand_on(caller, 0, self.outbox.sent(), is_parted);
        } else if code == 0 {
            let sent = self.outbox.sent();
            self.counts.sent += u64::from(sent);
            if caller == 0 {
                let header = self.sent_header();
                for _ in 0..sent {
                    // SAFETY: there was credit for `max_outputs` slots, and the outbox has written the first
                    // `sent` payloads.
                    unsafe { self.outbound.publish(kind::MESSAGE, self.output_bytes, header) };
                }
                batch.produced += sent;
            } else {
                self.answer(caller, sent, batch);
            }
            self.note_success(enqueued, batch);
        } else {
            self.bury(message, code, batch);
            if caller != 0 {
                self.reply(caller, kind::FAILED, code.into());
            }
            batch.dropped += 1;
            batch.error = code;
            let counts = &mut self.counts;
            let count = if state.is_none() { &mut counts.unknown_actor } else { &mut counts.failed };
            *count += 1;
            self.at_failure(code, key);
        }
    }

    /// Tells the host of an actor that was not there before.
    #[inline]
    fn count_actor(&self, placed: Placed) {
        let count = match placed {
            Placed::Known(_) => return,
            Placed::New(_) => self.memory.actors_used(),
            Placed::Instead(_) => self.memory.actors_evicted(),
        };
        if let Some(count) = count {
            add(count, 1);
        }
    }

    /// Ends the actor whose message was handled, and tells the host.
    // TWIN: end_actor
    #[inline(never)]
    fn end_actor(&self, actor: Actor) {
        // SAFETY: the states are the block's own while it handles messages, and the actor is that of this message.
        unsafe { self.state.end(actor) };
        // Only if keys are sparse.
        if let (Some(used), Some(ended)) = (self.memory.actors_used(), self.memory.actors_ended()) {
            used.store(used.load(Ordering::Relaxed) - 1, Ordering::Relaxed);
            add(ended, 1);
        }
    }

    /// Calls the handler of a call's message. If the handler may send only one output, that is written where
    /// the reply goes. If it may send several, they are put aside.
    // Not inlined: messages without a caller are the common case, and `call` is inlined there.
    #[inline(never)]
    fn call_aside(&mut self, cx: Cx, message: *const u8, state: *mut u8, caller: u64) -> u16 {
        let place = match self.answers_of(caller) {
            Some((answers, call)) if self.aside.is_empty() => answers.payload(call),
            _ => {
                let offset = self.offset_aside(self.held_in_front());
                self.aside.as_mut_ptr().cast::<u8>().wrapping_add(offset)
            }
        };
        // SAFETY: there is one place, the reply's, which belongs to the block until it is published. Or there
        // are as many places as the handler may send outputs, one slot of the ring apart. They are aligned as
        // payloads, whose alignment is at most 64.
        let ring = unsafe { self.outbox.redirect(place) };
        // SAFETY: the places are the block's.
        let code = unsafe { self.call(cx, message, state, 0) };
        // SAFETY: this is the place where sends went before.
        unsafe { self.outbox.redirect(ring) };
        code
    }

    /// Publishes what a call's handler has sent: the first is the reply, all others are outputs.
    #[inline(never)]
    fn answer(&mut self, caller: u64, sent: u32, batch: &mut TurnTotals) {
        let replies = self.reply_first(sent);
        if is_through(caller) && !replies && self.reply_tag().is_some() {
            return self.decline(caller, sent, batch);
        }
        if sent == 0 {
            return self.reply(caller, kind::NO_REPLY, 0);
        }
        let layout = self.outbound.ring().layout();
        let (stride, size) = (layout.slot_stride, layout.payload_size);
        let put_aside = self.put_aside(self.held_in_front());
        if let (Some((answers, call)), false) = (self.answers_of(caller), self.aside.is_empty()) {
            // SAFETY: the first output is there, and has that many bytes. The reply's place is elsewhere.
            unsafe { put_aside.copy_to_nonoverlapping(answers.payload(call), size) };
        }
        self.reply(caller, kind::MESSAGE, self.output_bytes);
        batch.replied = true;
        let header = self.sent_header();
        for i in 1..sent as usize {
            let output = put_aside.wrapping_add(i * stride);
            // SAFETY: there was credit for all outputs except the first; an output is there.
            unsafe { self.outbound.publish_copy(kind::MESSAGE, self.output_bytes, header, output) };
        }
        batch.produced += sent - 1;
    }

    /// Where the reply to a call goes, and the call's address there.
    #[inline]
    pub(crate) fn answers_of(&self, caller: u64) -> Option<(&Answers, u64)> {
        match is_through(caller) && !self.landings.is_empty() {
            true => Some(self.landings.of(caller)),
            false => self.answers.as_ref().map(|answers| (answers, caller)),
        }
    }

    /// Publishes the reply to a call.
    pub(crate) fn reply(&self, caller: u64, kind: u8, length: u32) {
        let (answers, call) =
            self.answers_of(caller).expect("only a launch with calls has messages that are calls");
        // SAFETY: the message that is being handled carries the address, or a pending output of it does, and the call
        // has no other reply. If the reply is a message, its payload has been written.
        unsafe { answers.publish_with(call, kind, length, self.reply_header(kind)) };
    }

    /// Calls the handler; returns its error code, 0 for success.
    ///
    /// # Safety
    ///
    /// The outbox's places for `max_outputs` sends from `ticket` on are the block's.
    // TWIN: call
    #[inline(always)]
    pub(crate) unsafe fn call(&self, cx: Cx, message: *const u8, state: *mut u8, ticket: u64) -> u16 {
        // SAFETY: by the caller's promise.
        unsafe { self.outbox.begin(ticket) };
        if self.sequential {
            // SYNC: sequential (both ends): fences of other blocks, of which all have one order.
            fence(Ordering::SeqCst);
        }
        let later = self.timers.as_deref().map(Timers::later);
        self.actor.go_on();
        let invocation = Invocation {
            cx,
            message,
            state,
            bindings: &self.bindings,
            outbox: &self.outbox,
            later,
            actor: &self.actor,
        };
        // The handler's state is a copy that is committed on success, and its sends are not published yet. So
        // after a panic nobody sees anything half done, except in whole-kernel slices and shared atomics, as
        // documented.
        let verdict = catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: message, state, bindings and outbox have the types of the kernel's definition, which is
            // where the entry comes from.
            unsafe { (self.entry)(&invocation) }
        }));
        match verdict {
            Ok(Ok(())) if self.outbox.refused() => error::TOO_MANY_OUTPUTS,
            Ok(Ok(())) if self.timers.as_ref().is_some_and(|timers| timers.refused()) => error::TIMERS_FULL,
            Ok(Ok(())) => 0,
            Ok(Err(failure)) => failure.code(),
            Err(panic) => {
                let code = panic_code(&*panic);
                discard(panic);
                code
            }
        }
    }
}
