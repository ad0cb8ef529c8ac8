//! A block whose kernel is connected to another one.
//!
//! The outputs of a handler are in slots of the outbound ring that are not published. From there they are
//! delivered to the other kernel's rings, as a thread of the host would send them: those in a row for one of
//! its blocks by one ticket, which is one atomic operation, one look at the clock and one wake-up. Then the
//! slots are used again. Until the last output has gone, the message is *pending*: its slot is not given
//! back, it is not counted, no other message is taken, and its handler is not called again. So whoever sees
//! that a message was consumed sees all its outputs in the next ring. A timer's message keeps its place likewise
//! (see `timers`).
//!
//! If a delivery finds no room, the block stalls: it says so in its control block, fences, and tries
//! once more (`SYNC: stalled`); the runtime wakes it when slots of the other kernel's rings were given back.
//! A block that terminates with a pending message counts the outputs that had not gone as lost. A block that
//! delivers wakes blocks of other kernels through the pool, or keeps one for its own worker. It takes no lock
//! of theirs. Outputs of a call are published as usual: the first is its reply.

use annulus_abi::{control::STALLED_BY_KERNEL, ring::kind};
use annulus_kernel::Inside;
use annulus_ring::ring::Header;
use annulus_sync::{Ordering, fence};

use crate::{
    host::{Deliver, Delivery, Row},
    publish::add,
    runner::Runner,
    turn::{BlockCore, Line, PendingOutputs, TurnTotals},
};

/// What became of a row that was offered to a kernel.
pub(crate) enum Offered {
    /// So many of it have gone, from the first on.
    Taken(usize),
    /// The first is lost.
    Lost,
    /// The first has to wait for room.
    Waits,
}

impl<R: Runner> BlockCore<R> {
    /// Delivers the pending outputs of a message that was sent at `enqueued` to the connected kernel, as far as
    /// there is room. Returns whether nothing holds the message any more.
    pub(crate) fn release(&mut self, enqueued: u64, batch: &mut TurnTotals) -> bool {
        if std::mem::take(&mut self.returns) {
            batch.produced += self.return_parted();
        }
        let released = self.or_stall(STALLED_BY_KERNEL, batch, Self::deliver);
        self.tell_lost();
        if !released {
            return false;
        }
        if let Some(pending) = self.pending.take() {
            batch.produced += self.publish_rest(pending);
            self.count_pending(pending, enqueued, batch);
        }
        true
    }

    /// From now on outputs go where the host has said.
    pub(crate) fn load_links(&mut self) {
        self.links.clone_from(&self.next_links.lock());
        self.is_linked = self.links.iter().any(Option::is_some);
        self.lead_asks();
        self.returns = false;
        if let Some(pending) = self.pending.filter(|pending| pending.is_parted) {
            self.returns = true;
            if self.walk.is_none() {
                self.sort_out(pending.all);
            }
        }
        let whole =
            self.links.iter().flatten().filter_map(|link| link.inside).map(|inside| inside.whole).max();
        // One for each output of a message, or for each copy that is offered at once.
        let outputs = self.hold.as_ref().map_or(self.credit, |hold| hold.room());
        let most = self.walk.as_ref().map_or(outputs as usize, |walk| walk.most());
        let lines = whole.unwrap_or(0).div_ceil(size_of::<Line>()) * most;
        if lines > self.whole.len() {
            self.whole = vec![Line::default(); lines].into();
        }
    }

    /// An output as the connected kernel takes it: as it is, or in a message of that kernel's, of which there is one for
    /// each number below `max_outputs`.
    ///
    /// # Safety
    ///
    /// It is what the variant of this place holds, and a link has it since the last command.
    pub(crate) unsafe fn as_taken(
        &mut self,
        output: *const u8,
        inside: Option<Inside>,
        number: usize,
    ) -> *const u8 {
        let Some(inside) = inside else { return output };
        let lines = inside.whole.div_ceil(size_of::<Line>());
        let whole = self.whole[number * lines..(number + 1) * lines].as_mut_ptr().cast::<u8>();
        // SAFETY: the output is there by the caller's word; `load_links` has made room for the message, and both
        // are memory of the block's own.
        unsafe { inside.write(output, whole) };
        whole
    }

    /// Offers a row to a connected kernel, or to one that is gone.
    ///
    /// # Safety
    ///
    /// All are messages of that kernel's type.
    pub(crate) unsafe fn offer(
        &mut self,
        target: Option<&dyn Deliver>,
        waits: bool,
        row: Row<'_>,
    ) -> Offered {
        // SAFETY: by the caller's word.
        match unsafe { self.try_out(target, waits, row) } {
            Delivery::Done(count) => Offered::Taken(count),
            Delivery::Full if waits => Offered::Waits,
            Delivery::Full | Delivery::Closed => {
                self.lose(row.carried(0));
                Offered::Lost
            }
        }
    }

    /// As above, of a row that is not lost if this kernel does not take it.
    ///
    /// # Safety
    ///
    /// As above.
    pub(crate) unsafe fn try_out(
        &mut self,
        target: Option<&dyn Deliver>,
        waits: bool,
        row: Row<'_>,
    ) -> Delivery {
        if (self.stalled || self.hold.as_ref().is_some_and(|hold| hold.is_said())) && !self.moves {
            // SAFETY: by the caller's word.
            let is_full = |target: &dyn Deliver| unsafe { !target.has_room(row.messages[0]) };
            // An output that does not wait is lost and counted. The link may have been another one before.
            if waits && target.is_some_and(is_full) {
                return Delivery::Full;
            }
            self.begin_to_move();
        }
        // SAFETY: by the caller's word.
        target.map_or(Delivery::Closed, |target| unsafe { target.deliver(row) })
    }

    /// Delivers pending outputs until one has to wait for room. Returns whether none has to wait.
    // TWIN: deliver
    pub(crate) fn deliver(&mut self) -> bool {
        let Some(mut pending) = self.pending else { return true };
        if self.walk.is_some() {
            return self.deliver_rows(pending);
        }
        if pending.is_parted {
            return self.deliver_parted(pending);
        }
        let Some(link) = &self.links[0] else { return true };
        let (waits, inside) = (link.waits, link.inside);
        let target = link.target.upgrade();
        let mut messages = std::mem::take(&mut self.row);
        messages.clear();
        for (number, index) in (pending.gone..pending.all).enumerate() {
            let output = self.pending_output(index);
            // SAFETY: the handler wrote an output there, and the variant is of the link's target.
            messages.push(unsafe { self.as_taken(output, inside, number) });
        }
        let bearer = (pending.bearer as usize).wrapping_sub(pending.gone as usize);
        let (trace, stamp) = (pending.trace, pending.stamp);
        let mut row = Row { messages: &messages, call: pending.call, bearer, trace, stamp };
        let mut lost = 0;
        let _near = R::delivering();
        while pending.gone < pending.all {
            // SAFETY: outputs are messages of the target's type, or what its variant holds: the maker of the link
            // promised that.
            let count = match unsafe { self.offer(target.as_deref(), waits, row) } {
                Offered::Taken(count) => count,
                Offered::Lost => {
                    lost += 1;
                    1
                }
                Offered::Waits => break,
            };
            row = row.after(count);
            pending.gone += count as u32;
            self.pending = Some(pending);
        }
        self.row = messages;
        if lost != 0 {
            add(self.memory.unforwarded(), lost);
        }
        let all_gone = pending.gone == pending.all;
        if !all_gone {
            self.rest();
        }
        all_gone
    }

    /// Called before a block that has said that it waits delivers something. The word that says so is still
    /// set when its last output has gone. Whoever sees the ticket of such an output sees that the block does
    /// not rest.
    // TWIN: begin_to_move
    pub(crate) fn begin_to_move(&mut self) {
        self.moves = true;
        self.memory
            .rested()
            .store(self.memory.taken().load(Ordering::Relaxed).wrapping_sub(1), Ordering::Relaxed);
        // SYNC: unrested (release)
        fence(Ordering::Release);
    }

    /// Called after the block has said whether it still waits, so that word is correct again.
    // TWIN: rest
    pub(crate) fn rest(&mut self) {
        if std::mem::take(&mut self.moves) {
            // SYNC: rested (release)
            self.memory.rested().store(self.memory.taken().load(Ordering::Relaxed), Ordering::Release);
        }
    }

    /// Where output number `index` of the pending message is.
    pub(crate) fn pending_output(&self, index: u32) -> *const u8 {
        let layout = self.outbound.ring().layout();
        let slot = layout.slot_offset(self.outbound.next() + u64::from(index));
        self.memory.outbound_payloads().wrapping_add(slot - layout.slot_offset(0))
    }

    /// Publishes the outputs that have not gone, because the kernel was disconnected first. Returns their
    /// number.
    // TWIN: publish_rest
    fn publish_rest(&mut self, pending: PendingOutputs) -> u32 {
        let rest = pending.all - pending.gone;
        if pending.gone <= pending.bearer {
            self.lose(pending.call);
        }
        for _ in 0..rest {
            // The distance between the next slot and the output stays the same, since both move on.
            let output = self.pending_output(pending.gone);
            let header = Header { trace: pending.trace, stamp: pending.stamp, ..Header::default() };
            if pending.gone == 0 {
                // SAFETY: there was credit for `max_outputs` slots, and the handler has written this one.
                unsafe { self.outbound.publish(kind::MESSAGE, self.output_bytes, header) };
            } else {
                // SAFETY: as above, for a slot whose own output has gone. There is an output at the pointer.
                unsafe { self.outbound.publish_copy(kind::MESSAGE, self.output_bytes, header, output) };
            }
        }
        rest
    }

    fn count_pending(&mut self, pending: PendingOutputs, enqueued: u64, batch: &mut TurnTotals) {
        self.counts.sent += u64::from(pending.all);
        batch.forwarded = true;
        self.note_success(enqueued, batch);
    }

    /// Called before the end: a pending message counts as processed, and its outputs that have not gone count
    /// as lost.
    // TWIN: abandon
    pub(crate) fn abandon(&mut self) {
        let timed = self.pending_timer();
        let Some(pending) = self.pending.take() else { return };
        if self.hold.is_some() {
            return self.abandon_held(pending);
        }
        let mut batch = TurnTotals::default();
        if pending.is_parted {
            batch.produced = self.abandon_parted(pending);
        } else if !self.is_linked {
            batch.produced = self.publish_rest(pending);
            if self.walk.is_some() {
                self.forget_rows();
            }
        } else if self.walk.is_some() {
            self.abandon_rows(&pending);
        } else {
            if pending.gone <= pending.bearer {
                self.lose(pending.call);
            }
            add(self.memory.unforwarded(), u64::from(pending.all - pending.gone));
        }
        if let Some(due) = timed {
            self.count_pending(pending, due, &mut batch);
            self.end_timer(&mut batch);
        } else {
            let slot = self.inbound.peek().expect("the message whose outputs are pending is in its slot");
            self.count_pending(pending, slot.header.enqueue_time, &mut batch);
            self.inbound.advance(&slot);
            batch.consumed = 1;
        }
        self.publish(&batch);
        self.rest();
    }
}
