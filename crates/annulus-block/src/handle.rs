//! A message as a transaction.

use std::panic::{AssertUnwindSafe, catch_unwind};

use annulus_abi::{error, ring::kind};
use annulus_kernel::{Invocation, panic_code};
use annulus_ring::ring::{Header, Slot};
use annulus_sync::contain::discard;

use crate::{
    runner::Runner,
    turn::{BlockCore, PendingOutputs, TurnTotals},
};

impl<R: Runner> BlockCore<R> {
    /// Handles one message as a transaction.
    // TWIN: handle
    #[inline]
    pub(crate) fn handle(&mut self, slot: &Slot, batch: &mut TurnTotals) {
        if slot.kind != kind::MESSAGE {
            return;
        }
        let message = self.inbound.payload(slot);
        // SAFETY: the slot holds a message of the kernel's type, which the key function takes.
        let key = self.key.map_or(0, |key| unsafe { key(message) });
        let state = self.state.of(key);
        let code = state.map_or(error::UNKNOWN_ACTOR, |state| self.call(message, state));
        let caller = slot.header.correlation;
        let reply = |correlation| Header { correlation, ..Header::default() };
        if code == 0 && caller == 0 && self.link.is_some() {
            self.pending = Some(PendingOutputs { gone: 0, all: self.outbox.sent() });
        } else if code == 0 {
            let sent = self.outbox.sent();
            for i in 0..sent {
                let header = reply(if i == 0 { caller } else { 0 });
                // SAFETY: there was credit for `max_outputs` slots, and the outbox has written the first
                // `sent` payloads.
                unsafe { self.outbound.publish(kind::MESSAGE, self.output_bytes, header) };
            }
            batch.produced += sent;
            self.counts.sent += u64::from(sent);
            if sent == 0 && caller != 0 {
                // SAFETY: there was credit for one slot at least; this kind has no payload.
                unsafe { self.outbound.publish(kind::NO_REPLY, 0, reply(caller)) };
                batch.produced += 1;
            }
            self.note_success(slot.header.enqueue_time, batch);
        } else {
            self.bury(message, code, batch);
            if caller != 0 {
                // SAFETY: as above.
                unsafe { self.outbound.publish(kind::FAILED, code.into(), reply(caller)) };
                batch.produced += 1;
            }
            batch.dropped += 1;
            batch.error = code;
            let counts = &mut self.counts;
            let count = if state.is_none() { &mut counts.unknown_actor } else { &mut counts.failed };
            *count += 1;
        }
    }

    /// Calls the handler; returns its error code, 0 for success.
    // TWIN: call
    #[inline]
    fn call(&self, message: *const u8, state: *mut u8) -> u16 {
        // SAFETY: the block has credit for `max_outputs` slots from the next ticket on.
        unsafe { self.outbox.begin(self.outbound.next()) };
        let invocation =
            Invocation { cx: self.cx, message, state, bindings: &self.bindings, outbox: &self.outbox };
        // The handler's state is a copy that is committed on success, and its sends are not published yet, so
        // a panic leaves nothing half done that anybody sees, but for whole-kernel slices and shared atomics,
        // as documented.
        let verdict = catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: message, state, bindings and outbox have the types of the kernel's definition, which is
            // where the entry comes from.
            unsafe { (self.entry)(&invocation) }
        }));
        match verdict {
            Ok(Ok(())) if self.outbox.refused() => error::TOO_MANY_OUTPUTS,
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
