//! What a block has asked other kernels.
//!
//! An ask is a timer ([`timers`](crate::timers)): the message that comes of it waits in its place, and is taken when its time is
//! up. An answer is written into that message, and makes its time come at once. So an ask has room from the moment at which its
//! handler succeeds, ends exactly once, and ends also if nobody ever answers.
//!
//! The address that the query carries names a *place* in the asked kernel, which the asker has reserved for as long as it is
//! connected: `first + block * asks + entry`. The asked kernel answers there as it answers a call through a pipeline, and waits
//! for nothing. The asker looks at the places of its open asks. Nobody counts anything, and nobody has to be told.
//!
//! # An entry's life
//!
//! ```text
//!            keep               look (answer), lose
//!   free -----------> awaited ----------------------> free
//!                        |                              ^
//!                        | take (out of time)           | look (late answer)
//!                        +-----------> overdue ---------+
//! ```
//!
//! An entry that is *overdue* keeps its place until the answer has come, since who answers may be about to write it. A lost query
//! is answered by nobody, so its entry is free at once. When the way out is connected elsewhere, all that is awaited ends: the
//! host does that only if every answer has come, or the asked kernel has ended. A query that is held then has no ask any more: it
//! is lost, or goes to the host without an address ([`drop_query`](BlockCore::drop_query)). So an address goes only to the kernel
//! whose place it names.
//!
//! The answers outlive the asked kernel ([`Answered`]). Its host ends what no block of it will take, and that is seen as any other
//! answer.
//!
//! | word | written by | read by |
//! |---|---|---|
//! | the entries, the messages that wait | the asking block | the same |
//! | the query's correlation | the asking block | the block that handles the query |
//! | a place's slot | that block, or the asked kernel's host if the block will never take the query | the asking block |
//!
//! # Ordering
//!
//! * `slot-published`: the answer and the asker's look at the slot.
//! * The asker's reads come before the next answer is written there: it sends the next query with that place afterwards, with
//!   release, and the block that takes this query acquires it.

use std::sync::Arc;

use annulus_abi::{
    launch::asks_of,
    ring::{call_asked, is_ask, kind, place_of},
};
use annulus_kernel::{KernelDefinition, ended};

use crate::{
    host::{AskedIn, Link},
    runner::Runner,
    timers::Timers,
    turn::BlockCore,
};

/// The asks of a block.
pub(crate) struct Asks {
    /// The way out by which it asks.
    pub(crate) port: usize,
    /// Where in a message the words of an answer lie, and the answer itself.
    answer: usize,
    value: usize,
    /// Which block of its kernel this is.
    block: u32,
    /// Where the answers come; the number is that of the block's first place.
    way: Option<AskedIn>,
    entries: Box<[Entry]>,
    /// Entries whose places may be written, a bit for each; and those of them whose messages wait.
    busy: u64,
    awaited: u64,
    /// What the query of the message that was handled last carries; 0 if it has asked nothing that leaves.
    asked: u64,
    /// Whether fewer places are in use than the host was told.
    is_untold: bool,
}

#[derive(Clone, Copy, Default)]
struct Entry {
    generation: u32,
    /// That of its timer.
    number: u32,
}

/// The numbers of bits that are set.
fn bits(mut of: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = of;
        of &= of.wrapping_sub(1);
        (bit != 0).then(|| bit.trailing_zeros() as usize)
    })
}

impl Asks {
    /// The bytes that `new` allocates.
    pub(crate) fn bytes(definition: &KernelDefinition) -> usize {
        let asks = definition.ask().and(definition.timers).map_or(0, |timers| asks_of(timers.room));
        asks as usize * size_of::<Entry>()
    }

    /// Those of a block; `None` if its handler asks nothing.
    pub(crate) fn new(definition: &KernelDefinition, block: u32) -> Option<Self> {
        let port = definition.ask()?;
        let (ask, timers) = (port.ask?, definition.timers?);
        let begin = ask.inside().offset;
        Some(Self {
            port: port.tag as usize,
            answer: begin + ask.answer,
            value: begin + ask.value,
            block,
            way: None,
            entries: vec![Entry::default(); asks_of(timers.room) as usize].into(),
            busy: 0,
            awaited: 0,
            asked: 0,
            is_untold: false,
        })
    }

    /// How many places may be written.
    pub(crate) fn open(&self) -> u32 {
        self.busy.count_ones()
    }

    /// Whether a place is free.
    pub(crate) fn has_room(&self) -> bool {
        (self.open() as usize) < self.entries.len()
    }

    /// Takes an entry for the timer of this number; `None` if nobody is connected.
    fn take(&mut self, number: u32) -> Option<u64> {
        let way = self.way.as_ref()?;
        let entry = (!self.busy).trailing_zeros() as usize;
        let place = way.first + entry as u32;
        // Nobody writes there now, and no slot shows an ask that is to come.
        let generation = way.answers.answered(place).wrapping_add(1).max(1);
        self.entries[entry] = Entry { generation, number };
        self.busy |= 1 << entry;
        self.awaited |= 1 << entry;
        Some(call_asked(place, generation))
    }

    /// The entries whose answers are here.
    fn answered(&self) -> u64 {
        let Some(way) = &self.way else { return 0 };
        let is_here = |entry: &usize| {
            way.answers.answered(way.first + *entry as u32) == self.entries[*entry].generation
        };
        bits(self.busy).filter(is_here).fold(0, |found, entry| found | 1 << entry)
    }

    /// These places are not in use any more.
    fn free(&mut self, entries: u64) {
        self.is_untold |= self.busy & entries != 0;
        self.busy &= !entries;
        self.awaited &= !entries;
    }

    /// Whether fewer places are in use than the host was told.
    pub(crate) fn is_untold(&self) -> bool {
        self.is_untold
    }

    /// The host is told how many are in use.
    pub(crate) fn note_told(&mut self) -> u32 {
        self.is_untold = false;
        self.open()
    }

    /// Whether an answer is here. Orders nothing.
    // TWIN: has_answer
    pub(crate) fn has_answer(&self) -> bool {
        self.busy != 0 && self.answered() != 0
    }

    /// The message of the timer of this number was taken: whether an ask ends with it that nobody has answered.
    // TWIN: overdue
    pub(crate) fn overdue(&mut self, number: u32) -> bool {
        let Some(entry) = bits(self.awaited).find(|&entry| self.entries[entry].number == number) else {
            return false;
        };
        self.awaited &= !(1 << entry);
        true
    }

    /// Writes how an ask has ended into the message that comes of it.
    ///
    /// # Safety
    ///
    /// The message is one of the kernel's, which holds an awaited one, and is the block's to write.
    pub(crate) unsafe fn write(&self, message: *mut u8, ended: u32, code: u16) {
        // SAFETY: by the caller's word an `Answer` lies there, which begins with two words.
        let words = unsafe { message.add(self.answer) }.cast::<[u32; 2]>();
        // SAFETY: as above; it is aligned for them.
        unsafe { words.write([ended, code.into()]) };
    }

    /// Where queries go from now on. Returns whether that is elsewhere.
    fn lead(&mut self, link: Option<&Link>) -> bool {
        let way = link.and_then(|link| link.asks.as_ref()).map(|way| AskedIn {
            first: way.first + self.block * self.entries.len() as u32,
            answers: Arc::clone(&way.answers),
        });
        let is_same = match (&self.way, &way) {
            (None, None) => true,
            (Some(old), Some(new)) => {
                old.first == new.first
                    && std::ptr::addr_eq(Arc::as_ptr(&old.answers), Arc::as_ptr(&new.answers))
            }
            _ => false,
        };
        self.way = way;
        !is_same
    }

    /// What the query carries of the message that was handled last.
    pub(crate) fn asked(&self) -> u64 {
        self.asked
    }

    /// A message was handled, which has asked nothing that leaves.
    pub(crate) fn forget(&mut self) {
        self.asked = 0;
    }
}

impl Timers {
    /// The timer in this entry of the heap is that of an ask, which `leaves` for another kernel or does not.
    // TWIN: open_ask
    pub(crate) fn open_ask(&mut self, index: usize, leaves: bool) {
        let number = self.entries[index].number;
        let Some(asks) = &mut self.asks else { return };
        let taken = if leaves { asks.take(number) } else { None };
        asks.asked = taken.unwrap_or(0);
        if taken.is_none() {
            let message = self.message_of(index);
            let asks = self.asks.as_ref().expect("just seen");
            // SAFETY: the handler has written an awaited message there, in a place that is a timer's.
            unsafe { asks.write(message, ended::LOST, 0) };
            self.entries[index].due = self.entries[index].due.min(self.later.now());
        }
    }

    /// Takes the answers that have come: their messages are due now.
    // TWIN: look_for_answers
    pub(crate) fn look_for_answers(&mut self, now: u64) {
        let Some(asks) = self.asks.as_mut().filter(|asks| asks.busy != 0) else { return };
        let found = asks.answered();
        let awaited = asks.awaited & found;
        asks.free(found);
        for entry in bits(awaited) {
            let Some(asks) = &self.asks else { return };
            let Some(way) = &asks.way else { return };
            let Entry { generation, number } = asks.entries[entry];
            let call = call_asked(way.first + entry as u32, generation);
            let index = self.index_of(number);
            let value = self.message_of(index).wrapping_add(asks.value);
            // SAFETY: the entry was seen to show this ask. The awaited message has room for what the kernel answers.
            let (kind, code, stamp) = unsafe { way.answers.answer(call, value) };
            self.raise_stamp(index, stamp);
            self.end_ask(index, ended_by(kind), code, now);
        }
    }

    /// Ends the ask whose timer is in this entry of the heap.
    // TWIN: end_ask
    fn end_ask(&mut self, index: usize, ended: u32, code: u16, now: u64) {
        let message = self.message_of(index);
        let Some(asks) = &self.asks else { return };
        // SAFETY: an awaited message waits there, in a place that is a timer's.
        unsafe { asks.write(message, ended, code) };
        self.hurry(index, now);
    }

    /// The query that carried this ask was lost.
    // TWIN: lose_ask
    pub(crate) fn lose_ask(&mut self, call: u64, now: u64) {
        let Some(asks) = &mut self.asks else { return };
        let Some(way) = &asks.way else { return };
        let entry = place_of(call).wrapping_sub(way.first) as usize;
        // What is held never names a place of another kernel: `drop_query`.
        let Some(&Entry { number, .. }) = asks.entries.get(entry) else { return };
        let is_awaited = asks.awaited >> entry & 1 != 0;
        asks.free(1 << entry);
        if is_awaited {
            self.end_ask(self.index_of(number), ended::LOST, 0, now);
        }
    }

    /// Where queries go from now on. If that is elsewhere, whatever was asked ends. Returns whether it is.
    // TWIN: lead_asks
    pub(crate) fn lead_asks(&mut self, links: &[Option<Link>], now: u64) -> bool {
        // What has come before is an answer.
        self.look_for_answers(now);
        let Some(asks) = &mut self.asks else { return false };
        let link = links.get(asks.port).and_then(Option::as_ref);
        if !asks.lead(link) {
            return false;
        }
        let awaited = asks.awaited;
        asks.free(!0);
        for entry in bits(awaited) {
            let number = self.asks.as_ref().expect("just seen").entries[entry].number;
            self.end_ask(self.index_of(number), ended::CLOSED, 0, now);
        }
        true
    }
}

/// How an ask has ended, by the kind of the answer.
fn ended_by(kind: u8) -> u32 {
    match kind {
        kind::MESSAGE => ended::ANSWERED,
        kind::FAILED => ended::FAILED,
        kind::NO_REPLY => ended::NO_REPLY,
        kind::ENDED => ended::CLOSED,
        _ => ended::LOST,
    }
}

impl<R: Runner> BlockCore<R> {
    /// What the query carries of the message that was handled last, if it has asked.
    pub(crate) fn asked(&self) -> u64 {
        self.timers.as_ref().and_then(|timers| timers.asks.as_ref()).map_or(0, Asks::asked)
    }

    /// Whether an output was sent by the way out by which it asks.
    pub(crate) fn asks_by(&self, tag: u64) -> bool {
        self.timers
            .as_ref()
            .and_then(|timers| timers.asks.as_ref())
            .is_some_and(|asks| asks.port as u64 == tag)
    }

    /// Links have changed: what was asked ends if it was asked elsewhere, and with it the query that is held. The host is told
    /// before it is told that the command is obeyed.
    pub(crate) fn lead_asks(&mut self) {
        let Some(timers) = self.timers.as_mut().filter(|timers| timers.asks.is_some()) else { return };
        let port = timers.asks.as_ref().map(|asks| asks.port);
        if timers.lead_asks(&self.links, R::now(&self.clock))
            && let Some(port) = port
        {
            self.drop_query(port);
        }
        self.tell_if_freed();
    }

    /// Tells the host of places that are not in use any more, though no turn takes anything.
    // TWIN: tell_if_freed
    pub(crate) fn tell_if_freed(&mut self) {
        if self.timers.as_ref().and_then(|timers| timers.asks.as_ref()).is_some_and(Asks::is_untold) {
            self.tell_timers();
            // Somebody may wait until it asks no more.
            self.goes_on = true;
        }
    }

    /// An output was lost that carried an ask. Returns whether it did.
    pub(crate) fn lose_ask(&mut self, call: u64) -> bool {
        let Some(timers) = self.timers.as_mut().filter(|timers| is_ask(call) && timers.asks.is_some()) else {
            return false;
        };
        timers.lose_ask(call, R::now(&self.clock));
        true
    }
}

#[cfg(test)]
mod tests;
