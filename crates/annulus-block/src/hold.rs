//! A block that goes on while outputs wait: its hold is longer than what one message sends.
//!
//! Such a block has several ways out, or sends along rows. What a message's handler sends for other kernels is put behind what is held
//! already, and the message is counted, and given back, with its turn: not when its outputs have gone. A message is
//! taken while there is room in the hold for all that its handler may send. So a kernel without room stops its source
//! only when the hold is full.
//!
//! **The words.** The word `held` of an outbox is raised before the turn's messages are given back, and lowered, with
//! release, behind what went meanwhile: behind the ticket in the other kernel's ring, and the counts (`SYNC: held`). The word
//! `stalled` says [`STALLED_HOLDS`] while something is held, and the block takes messages nevertheless, so that whoever makes
//! room wakes it; and that it waits for a kernel only while no message is taken. Before a turn that has found nothing leaves
//! the block to sleep, it has said so, has fenced, and has tried once more.
//!
//! **Order.** What is held stays in the order in which it was sent, and a pass offers it in that order, place by place. So all
//! that is said of one message's outputs holds (see the module `parted`). Outputs along rows go one after the other (see the
//! module `rows`): what has gone lies in front of what is held.
//!
//! **Changes.** If an outbox is disconnected, what is held of it goes to the host, as far as there is room, and no message is
//! taken before all of it has gone: what a later message sends must not overtake it.

use std::{mem::take, ops::Range, sync::Arc};

use annulus_abi::{
    control::{STALLED_BY_HOST, STALLED_BY_KERNEL, STALLED_HOLDS},
    ring::kind,
};
use annulus_kernel::MOST_PORTS;
use annulus_ring::ring::Header;
use annulus_sync::{Ordering, stall};

use crate::{
    host::{Deliver, Progress, Row},
    links::Offered,
    parted::GONE,
    publish::add,
    runner::Runner,
    turn::{BlockCore, PendingOutputs, Turn, TurnTotals},
};

/// What a block with a long hold knows of it.
pub(crate) struct Hold {
    /// How many outputs there is room for; not less than what one message may send.
    room: u32,
    /// What each of them carries.
    carried: Box<[Carried]>,
    /// The word `stalled`.
    said: u32,
    /// It was fenced since, and tried once more.
    is_fenced: bool,
    /// Something has gone since this was last looked at.
    pub(crate) moved: bool,
    /// Nothing is held any more, and the host was not told that.
    tells: bool,
}

/// What an output that is held carries besides what was sent.
#[derive(Clone, Copy, Default)]
struct Carried {
    call: u64,
    trace: u64,
    stamp: u64,
}

/// The most outputs that are offered to a kernel at a time.
const MOST_IN_A_ROW: usize = 64;

impl Hold {
    /// With room for so many outputs; none for 0.
    pub(crate) fn new(room: u32) -> Option<Box<Self>> {
        let carried = vec![Carried::default(); room as usize].into();
        (room != 0)
            .then(|| Box::new(Self { room, carried, said: 0, is_fenced: false, moved: false, tells: false }))
    }

    /// The bytes that `new` allocates for outputs.
    pub(crate) fn bytes(room: u32) -> usize {
        room as usize * size_of::<Carried>()
    }

    /// How many outputs there is room for.
    pub(crate) fn room(&self) -> u32 {
        self.room
    }

    /// Whether the word in the control block says something.
    pub(crate) fn is_said(&self) -> bool {
        self.said != 0
    }

    /// What is held in this place is no call's and no ask's any more.
    pub(crate) fn carry_nothing(&mut self, index: u32) {
        self.carried[index as usize].call = 0;
    }

    /// Nothing is held any more; the host is to be told.
    pub(crate) fn is_empty_now(&mut self) {
        self.tells = true;
    }
}

impl<R: Runner> BlockCore<R> {
    /// How many places of the hold are in use in front of the next message's outputs: those that have gone included.
    #[inline]
    pub(crate) fn held_in_front(&self) -> u32 {
        self.hold.as_ref().and(self.pending).map_or(0, |pending| pending.all)
    }

    /// Whether it takes no message because of outputs that wait.
    // TWIN: is_held_up
    #[inline]
    pub(crate) fn is_held_up(&self) -> bool {
        let Some(pending) = self.pending else { return false };
        let fits = |hold: &Hold| pending.all - pending.gone + self.credit <= hold.room;
        self.returns || !self.hold.as_deref().is_some_and(fits)
    }

    /// The call that an output carries which is held or pending; 0 if it carries none.
    pub(crate) fn carried_by(&self, pending: &PendingOutputs, index: u32) -> u64 {
        match &self.hold {
            Some(hold) => hold.carried[index as usize].call,
            None => Self::carried(pending, index),
        }
    }

    /// The envelope of an output which is held or pending.
    pub(crate) fn header_of(&self, index: u32) -> Header {
        // Without a hold no other message was handled since.
        let Some(hold) = &self.hold else { return self.sent_header() };
        let Carried { trace, stamp, .. } = hold.carried[index as usize];
        Header { trace, stamp, ..Header::default() }
    }

    /// A message was handled, and what its handler sent for other kernels lies in these places: it is held from now on. The
    /// message's call goes on with the bearer, and what it has asked with the query.
    pub(crate) fn keep_held(
        &mut self,
        caller: u64,
        bearer: Option<u32>,
        query: Option<u32>,
        places: Range<u32>,
    ) {
        if caller != 0 && bearer.is_none() {
            self.reply(caller, kind::NO_REPLY, 0);
        }
        let (asked, trace, stamp) = (self.asked(), self.trace, self.stamp);
        let hold = self.hold.as_mut().expect("only a block with a hold keeps outputs in it");
        for index in places.clone() {
            let call = match Some(index) {
                // Its message belongs to no call: who asks is not asked.
                index if index == query => asked,
                index if index == bearer => caller,
                _ => 0,
            };
            hold.carried[index as usize] = Carried { call, trace, stamp };
        }
        if !places.is_empty() {
            let gone = self.pending.map_or(0, |pending| pending.gone);
            let nobody = u32::MAX;
            self.pending = Some(PendingOutputs {
                gone,
                all: places.end,
                is_parted: true,
                call: 0,
                bearer: nobody,
                trace: 0,
                stamp: 0,
            });
        }
    }

    /// Whether the next message's outputs have room in the hold. If there is too little, sends what it can, and moves
    /// together what is left.
    fn has_hold_room(&mut self, batch: &mut TurnTotals) -> bool {
        if self.is_held_up() {
            self.send_held(batch);
            if self.is_held_up() {
                return false;
            }
        }
        let room = self.hold.as_ref().map_or(0, |hold| hold.room);
        if self.held_in_front() + self.credit > room {
            self.squeeze();
        }
        true
    }

    /// Moves what is held together, in its order, to the front of the hold.
    // TWIN: squeeze
    fn squeeze(&mut self) {
        let Some(mut pending) = self.pending else { return };
        let size = self.outbound.ring().layout().slot_stride;
        let mut to = 0;
        for from in 0..pending.all {
            if self.has_gone(&pending, from) {
                continue;
            }
            if from != to {
                let [source, target] = [from, to].map(|index| self.offset_aside(index));
                let aside = self.aside.as_mut_ptr().cast::<u8>();
                // SAFETY: both are places of the hold, one slot of the ring apart; the second is in front of the first.
                unsafe {
                    aside.wrapping_add(source).copy_to_nonoverlapping(aside.wrapping_add(target), size)
                };
                self.wanted[to as usize] = self.wanted[from as usize];
                if let Some(hold) = &mut self.hold {
                    hold.carried[to as usize] = hold.carried[from as usize];
                }
            }
            to += 1;
        }
        if let Some(walk) = &mut self.walk {
            walk.forget(pending.gone);
        }
        (pending.all, pending.gone) = (to, 0);
        self.pending = (to != 0).then_some(pending);
    }

    fn has_gone(&self, pending: &PendingOutputs, index: u32) -> bool {
        if self.walk.is_some() { index < pending.gone } else { self.tag(index) == GONE }
    }

    /// Offers what is held by a place to its kernel, as far as that has room. Returns 1 if some have to wait.
    pub(crate) fn deliver_held(
        &mut self,
        port: usize,
        near: &mut Option<Option<Arc<dyn Deliver>>>,
        numbers: &mut Vec<u32>,
        messages: &mut Vec<*const u8>,
    ) -> u64 {
        let link = self.links[port].as_ref();
        let (waits, inside) = link.map_or((false, None), |link| (link.waits, link.inside));
        let target = near.insert(link.and_then(|link| link.target.upgrade())).as_deref();
        let mut from = 0;
        loop {
            self.gather(port, inside, from..from.saturating_add(MOST_IN_A_ROW), numbers, messages);
            let Some(&first) = numbers.first() else { return 0 };
            let mut at = 0;
            while at < numbers.len() {
                let row = self.row_of(&numbers[at..], &messages[at..]);
                // SAFETY: what this place takes are messages of the target's type, or what its variant holds: the maker of
                // the link promised that.
                let offered = unsafe { self.offer(target, waits, row) };
                let words = self.memory.port(port).expect("a shard has counts for each of several outboxes");
                let count = match offered {
                    Offered::Taken(count) => {
                        add(words.forwarded(), count as u64);
                        count
                    }
                    Offered::Lost => {
                        add(words.unforwarded(), 1);
                        add(self.memory.unforwarded(), 1);
                        1
                    }
                    Offered::Waits => return 1,
                };
                for &index in &numbers[at..at + count] {
                    let gone = u32::from(self.take_from(index, port));
                    if let Some(pending) = &mut self.pending {
                        pending.gone += gone;
                    }
                }
                if let Some(hold) = &mut self.hold {
                    hold.moved = true;
                }
                at += count;
            }
            from = first as usize;
        }
    }

    /// The first of these outputs, as many as carry one trace and one stamp, and one call at most.
    pub(crate) fn row_of<'a>(&self, numbers: &[u32], messages: &'a [*const u8]) -> Row<'a> {
        let hold = self.hold.as_ref().expect("only a block with a hold has such rows");
        let carried = |index: u32| hold.carried[index as usize];
        let Carried { trace, stamp, .. } = carried(numbers[0]);
        let (mut call, mut bearer) = (0, usize::MAX);
        let mut len = 0;
        for &index in numbers {
            let own = carried(index);
            if (own.trace, own.stamp) != (trace, stamp) || own.call != 0 && call != 0 {
                break;
            }
            if own.call != 0 {
                (call, bearer) = (own.call, len);
            }
            len += 1;
        }
        Row { messages: &messages[..len], call, bearer, trace, stamp }
    }

    /// Gives the host what is held for kernels that are connected no more, as far as it has room. Returns how much that is.
    pub(crate) fn return_held(&mut self) -> u32 {
        if self.walk.is_some() { self.return_along() } else { self.return_parted() }
    }

    /// Sends what is held, as far as there is room, and says how much is left of each place. Returns whether something has gone.
    fn send_held(&mut self, batch: &mut TurnTotals) -> bool {
        if self.pending.is_none() {
            return false;
        }
        if take(&mut self.returns) {
            batch.produced += self.return_held();
        }
        self.deliver();
        self.pending = self.pending.filter(|pending| pending.gone != pending.all);
        if self.walk.is_none() {
            let mut held = [0; MOST_PORTS];
            for index in 0..self.held_in_front() {
                for place in self.places_left(index) {
                    held[place] += 1;
                }
            }
            self.tell_held(&held);
        }
        self.tell_lost();
        self.hold.as_mut().is_some_and(|hold| take(&mut hold.moved))
    }

    /// Takes a turn of messages of the ring, at most so many.
    pub(crate) fn take_holding(&mut self, command: u32, limit: u32) -> Turn {
        let mut batch = TurnTotals::default();
        while batch.consumed < limit {
            let Some(slot) = self.inbound.peek() else { break };
            if self.memory.command().load(Ordering::Relaxed) != command {
                if batch.consumed == 0 {
                    return Turn::Progress;
                }
                break;
            }
            if self.asks_time && batch.consumed == 0 {
                self.cx = self.cx.with_time(R::now(&self.clock));
            }
            if !self.has_hold_room(&mut batch) || !self.outbound.has_credit(self.need(&slot)) {
                break;
            }
            if self.is_linked {
                R::hand_over();
            }
            if batch.processed + batch.dropped == 0 {
                self.at_handler();
            }
            self.handle_slot(&slot, &mut batch);
            self.advance(&slot);
            batch.consumed += 1;
        }
        self.finish_turn(&mut batch)
    }

    /// Whether a timer's message has room for all that its handler may send.
    pub(crate) fn has_room_holding(&mut self, batch: &mut TurnTotals) -> bool {
        self.has_hold_room(batch) && self.outbound.has_credit(self.credit)
    }

    /// What the block waits for, as its word says it.
    fn waits_by(&mut self) -> u32 {
        if self.is_held_up() {
            return STALLED_BY_KERNEL;
        }
        let need = match self.inbound.peek() {
            Some(message) => Some(self.need(&message)),
            None => self.is_due().then_some(self.credit),
        };
        if need.is_some_and(|need| !self.outbound.has_credit(need)) {
            return STALLED_BY_HOST;
        }
        if self.pending.is_some() { STALLED_HOLDS } else { 0 }
    }

    /// Sends what the turn holds, and says what waits. Returns what the turn found, if it has taken nothing.
    pub(crate) fn finish_holding(&mut self, batch: &mut TurnTotals) -> Option<Turn> {
        let mut moved = self.send_held(batch);
        let took = batch.consumed + batch.due != 0;
        if moved && !took {
            // The next turn says what waits then.
            self.show_returned(batch);
            return Some(Turn::Progress);
        }
        let by = match self.waits_by() {
            // Whoever sees the block wait sees what the turn gave back: the next one says so.
            _ if took => {
                if self.pending.is_some() {
                    STALLED_HOLDS
                } else {
                    0
                }
            }
            by => by,
        };
        let hold = self.hold.as_mut().expect("only a block with a hold ends turns so");
        let is_new = hold.said != by;
        if is_new || by != 0 && !took && !hold.is_fenced {
            hold.said = by;
            hold.is_fenced = !took;
            let stalled = by != 0 && by != STALLED_HOLDS;
            self.goes_on |= self.stalled && !stalled;
            self.stalled = stalled;
            self.told_stalled &= !is_new;
            if took || by == 0 {
                self.memory.stalled().store(by, Ordering::Relaxed);
            } else {
                stall::say(self.memory.stalled(), by);
                moved = self.send_held(batch);
                if moved || self.waits_by() != by {
                    self.show_returned(batch);
                    return Some(Turn::Progress);
                }
                if self.stalled {
                    self.at_stall(by);
                }
            }
        }
        self.rest();
        if self.hold.as_mut().is_some_and(|hold| take(&mut hold.tells))
            && let Some(signals) = &self.signals
        {
            let progress = Progress { traffic: true, ..Progress::default() };
            signals.progressed(self.cx.block_index(), progress);
        }
        None
    }

    fn show_returned(&self, batch: &TurnTotals) {
        if batch.produced != 0 || batch.replied {
            self.show(batch.produced);
        }
    }

    /// Whether a turn would find something to do: something that is held has gone now, or a message may be taken, or the block
    /// has not said what it waits for.
    pub(crate) fn finds_room_holding(&mut self) -> bool {
        let mut batch = TurnTotals::default();
        if self.send_held(&mut batch) {
            self.show_returned(&batch);
            return true;
        }
        let by = self.waits_by();
        let is_ready = self.inbound.is_ready() || self.is_due();
        let takes = by == 0 || by == STALLED_HOLDS;
        is_ready && takes || self.hold.as_ref().is_some_and(|hold| hold.said != by)
    }

    /// Whether a timer may be taken once it is due.
    pub(crate) fn may_take_timers(&mut self) -> bool {
        !self.is_held_up() && self.outbound.has_credit(self.credit)
    }

    /// Before the end: gives the host what is for it, as far as it has room, and counts the rest as lost.
    pub(crate) fn abandon_held(&mut self, pending: PendingOutputs) {
        let mut batch = TurnTotals::default();
        if self.walk.is_some() {
            self.pending = Some(pending);
            batch.produced = self.return_along();
            if let Some(pending) = self.pending.take() {
                self.abandon_rows(&pending);
            }
            self.returns = false;
        } else {
            batch.produced = self.abandon_parted(pending);
        }
        self.show_returned(&batch);
        self.tell_lost();
        self.rest();
    }
}
