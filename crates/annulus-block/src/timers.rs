//! Messages of a block to itself, which it takes when their time has come.
//!
//! They are a binary heap, by their due times, then by their numbers, which follow the order in which they were set.
//! Each entry names the place of its message. There is one place more than there may be timers: the message of a
//! timer stays where it is while its handler runs. The entries behind the heap name the places that are free; the
//! first of these is the one that is in use, if a timer's message is being handled.
//!
//! A handler writes the messages that it sends to itself into free places, those of the next entries. If it
//! succeeds, these entries become timers. Otherwise nothing has happened.
//!
//! A block that is connected to another kernel may have to wait until what a timer's handler sent has gone. Until then
//! the message keeps its place, and the block takes no other message: see the module `links`.
//!
//! The runtime's own messages, ticks for one, are taken among them, and lie in one place more: see the module
//! [`events`](crate::events).
//!
//! A turn takes either timers or messages of the ring. If there are both, turns of the two alternate, so neither
//! keeps the other waiting. All timers of a turn are due at the time that the turn began with.

use std::ptr::NonNull;

use annulus_abi::control::{self, command};
use annulus_kernel::{
    IS_ASK, KernelDefinition, ProcessingMode, RawLater, TimerEntry, TimersDefinition, TypeDescriptor, ended,
};
use annulus_sync::{Ordering, fence};

use crate::{
    asks::Asks,
    events::Events,
    handle::Taken,
    runner::Runner,
    turn::{BlockCore, Line, Turn, TurnTotals},
};

/// The timers of a block.
pub(crate) struct Timers {
    /// As many entries as places; the first `count` are the heap.
    pub(crate) entries: Box<[TimerEntry]>,
    /// The stamps of the messages that wait, by their places.
    stamps: Box<[u64]>,
    count: u32,
    /// That of the next timer, wrapping.
    number: u32,
    /// The most that one message sets.
    each: u32,
    /// When the timer was due whose message is handled, or waits until its outputs have gone: its place is that
    /// of the entry behind the heap.
    in_use: Option<u64>,
    /// The last turn that had a choice took timers.
    after: bool,
    pub(crate) later: RawLater,
    /// What the handler has asked others, if it asks.
    pub(crate) asks: Option<Asks>,
    stride: usize,
    /// The first of the places.
    messages: NonNull<u8>,
    /// Those that nobody sends. The place behind all others has the one that is handled.
    events: Events,
    /// Owns the places, which are accessed only through pointers.
    _memory: Vec<Line>,
}

impl Timers {
    /// No timers, of a kernel with messages of this type.
    pub(crate) fn new(definition: TimersDefinition, message: &TypeDescriptor, asks: Option<Asks>) -> Self {
        let places = definition.room as usize + 1;
        let lines = message.size.div_ceil(size_of::<Line>()).max(1);
        let mut memory = vec![Line::default(); definition.places() as usize * lines];
        let messages = NonNull::from(memory.as_mut_slice()).cast::<u8>();
        let stride = lines * size_of::<Line>();
        // SAFETY: each place, by a number below `places`, has room for a message, aligned to a line; payloads need
        // no more. Nobody touches the memory but by these pointers, and it lives as long.
        let later = unsafe { RawLater::new(messages.as_ptr(), stride) };
        let entry = |place| TimerEntry { due: 0, number: 0, place };
        Self {
            entries: (0..places as u32).map(entry).collect(),
            stamps: vec![0; places].into(),
            count: 0,
            number: 0,
            each: definition.each,
            in_use: None,
            after: false,
            later,
            asks,
            stride,
            messages,
            events: Events::new(&definition, message),
            _memory: memory,
        }
    }

    /// The bytes that `new` allocates for messages that wait, and for asks.
    pub(crate) fn bytes(definition: &KernelDefinition) -> usize {
        let Some(timers) = definition.timers else { return 0 };
        let lines = definition.message.size.div_ceil(size_of::<Line>()).max(1);
        let places = timers.room as usize + 1;
        places * (size_of::<TimerEntry>() + size_of::<u64>())
            + timers.places() as usize * lines * size_of::<Line>()
            + Asks::bytes(definition)
    }

    /// How many are set.
    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    /// When the first one is due.
    pub(crate) fn due(&self) -> Option<u64> {
        let set = (self.count != 0).then(|| self.entries[0].due);
        set.into_iter().chain(self.events.due()).min()
    }

    /// Where the handler that is called sets timers.
    pub(crate) fn later(&self) -> &RawLater {
        &self.later
    }

    /// Begins a call of the handler, in a turn that began at `now`.
    pub(crate) fn begin(&mut self, now: u64) {
        let room = self.entries.len() as u32 - 1 - self.count;
        let free = &mut self.entries[self.count as usize + usize::from(self.in_use.is_some())..];
        let first = NonNull::from(free).cast();
        // SAFETY: there are `room` free entries behind the heap and the place that is in use, and the places that
        // they name are nobody's. Nothing touches either before the handler has returned.
        unsafe { self.later.begin(first, room.min(self.each), now) };
        if let Some(asks) = &mut self.asks {
            asks.forget();
            self.later.let_ask(asks.has_room());
        }
    }

    /// Whether the handler has tried to set more than there is room for.
    pub(crate) fn refused(&self) -> bool {
        self.later.refused()
    }

    /// Keeps what the handler has set: it has succeeded. `leaves` says whether what it has sent goes to other kernels;
    /// `stamp` is that of the call, or 0.
    // TWIN: keep
    pub(crate) fn keep(&mut self, leaves: bool, stamp: u64) {
        for _ in 0..self.later.count() {
            let i = self.count as usize;
            // Each moves the place that is in use, if one is, behind itself.
            self.entries.swap(i, i + usize::from(self.in_use.is_some()));
            let asks = self.entries[i].number == IS_ASK;
            self.entries[i].number = self.number;
            self.stamps[self.entries[i].place as usize] = stamp;
            self.number = self.number.wrapping_add(1);
            self.count += 1;
            if asks {
                self.open_ask(i, leaves);
            }
            self.rise(i);
        }
    }

    /// Moves an entry of the heap to where its time belongs, which has not become later.
    fn rise(&mut self, mut i: usize) {
        while i != 0 && self.is_before(i, (i - 1) / 2) {
            self.entries.swap(i, (i - 1) / 2);
            i = (i - 1) / 2;
        }
    }

    /// A timer is due at `now`, or earlier.
    pub(crate) fn hurry(&mut self, index: usize, now: u64) {
        self.entries[index].due = self.entries[index].due.min(now);
        self.rise(index);
    }

    /// The entry of the heap of the timer with this number, which waits.
    // TWIN: index_of
    pub(crate) fn index_of(&self, number: u32) -> usize {
        let waiting = &self.entries[..self.count as usize];
        waiting.iter().position(|entry| entry.number == number).expect("what is awaited waits")
    }

    /// The message of an entry comes of an event with this stamp, too.
    pub(crate) fn raise_stamp(&mut self, index: usize, stamp: u64) {
        let own = &mut self.stamps[self.entries[index].place as usize];
        *own = stamp.max(*own);
    }

    /// The message of an entry.
    pub(crate) fn message_of(&self, index: usize) -> *mut u8 {
        let place = self.entries[index].place as usize;
        // SAFETY: an entry names a place, and the places lie in the memory.
        unsafe { self.messages.add(place * self.stride) }.as_ptr()
    }

    /// Takes the first timer, if it is due at `now`: when it was due, its message, which is there until the next one is
    /// taken, or [`release`](Self::release) is called, and its stamp; none if nobody has sent it.
    // TWIN: take
    pub(crate) fn take(&mut self, now: u64) -> Option<(u64, *const u8, Option<u64>)> {
        let due = self.due().filter(|due| *due <= now || self.events.starts())?;
        if self.events.starts() || self.events.due().is_some_and(|event| event <= due) {
            return self.take_event(now);
        }
        self.count -= 1;
        self.in_use = Some(due);
        let count = self.count as usize;
        self.entries.swap(0, count);
        let mut i = 0;
        loop {
            let children = (2 * i + 1..=2 * i + 2).filter(|child| *child < count);
            let first =
                children.fold(i, |first, child| if self.is_before(child, first) { child } else { first });
            if first == i {
                break;
            }
            self.entries.swap(i, first);
            i = first;
        }
        let message = self.message_of(count);
        let number = self.entries[count].number;
        if let Some(asks) = &mut self.asks
            && asks.overdue(number)
        {
            // SAFETY: an awaited message is there, and the timer's place is the block's.
            unsafe { asks.write(message, ended::OUT_OF_TIME, 0) };
        }
        Some((due, message, Some(self.stamps[self.entries[count].place as usize])))
    }

    /// The same for a message that nobody has sent. The place behind the heap is not used then, and free.
    // TWIN: take_event
    fn take_event(&mut self, now: u64) -> Option<(u64, *const u8, Option<u64>)> {
        let (due, bytes) = self.events.take(now)?;
        self.in_use = Some(due);
        // SAFETY: there is one place more than entries if there are such messages.
        let place = unsafe { self.messages.add(self.entries.len() * self.stride) };
        // SAFETY: a place has room for a message, whose bytes these are, and this one is no timer's.
        unsafe { place.copy_from_nonoverlapping(NonNull::from(bytes).cast(), bytes.len()) };
        Some((due, place.as_ptr(), None))
    }

    /// No timer's message is handled any more.
    pub(crate) fn release(&mut self) {
        self.in_use = None;
    }

    fn is_before(&self, a: usize, b: usize) -> bool {
        let (a, b) = (&self.entries[a], &self.entries[b]);
        // Numbers wrap, and fewer than half of all are in the heap.
        a.due < b.due || a.due == b.due && (a.number.wrapping_sub(b.number) as i32) < 0
    }
}

impl<R: Runner> BlockCore<R> {
    /// When the first of its timers is due that it may take: it is active, and does not wait for room. Whoever makes
    /// room wakes it.
    pub fn next_due(&mut self) -> Option<u64> {
        let due = self.timers.as_ref().filter(|_| self.is_active())?.due()?;
        let takes = match self.hold.is_some() {
            // It has not said that it waits: when the timer is due it says so.
            true => !self.stalled || self.may_take_timers(),
            false => !self.stalled || self.has_room(),
        };
        takes.then_some(due)
    }

    /// Whether a timer is due now, or the answer to an ask is here.
    #[inline]
    pub(crate) fn is_due(&self) -> bool {
        self.timers.as_ref().is_some_and(|timers| {
            timers.asks.as_ref().is_some_and(Asks::has_answer)
                || timers.due().is_some_and(|due| due <= R::now(&self.clock))
        })
    }

    /// When the timer was due whose message has outputs that have not gone, if such a message holds the block.
    pub(crate) fn pending_timer(&self) -> Option<u64> {
        self.pending?;
        self.timers.as_ref()?.in_use
    }

    /// The time, if this turn takes timers, or goes on with one. If the ring has a message, too, the two take
    /// turns; a message may also find room that a timer does not.
    // TWIN: begin_timers
    pub(crate) fn begin_timers(&mut self) -> Option<u64> {
        self.arm_events();
        let held_up = self.is_held_up();
        let timers = self.timers.as_mut()?;
        if held_up {
            return timers.in_use.map(|_| R::now(&self.clock));
        }
        if timers.asks.as_ref().is_some_and(Asks::has_answer) {
            timers.look_for_answers(R::now(&self.clock));
        }
        let due = timers.due()?;
        let starts = timers.events.starts();
        if !starts && self.inbound.is_ready() {
            if std::mem::take(&mut timers.after) {
                return None;
            }
            if !self.outbound.has_credit(self.credit) {
                return None;
            }
        }
        let now = R::now(&self.clock);
        if now < due && !starts {
            return None;
        }
        timers.after = true;
        Some(now)
    }

    /// By an active block: if it was not active before, its first tick is due after a period.
    // TWIN: arm_events
    fn arm_events(&mut self) {
        let Some(timers) = self.timers.as_mut().filter(|timers| !timers.events.is_armed()) else { return };
        timers.events.arm(R::now(&self.clock));
        self.tell_timers();
    }

    /// The time, if this turn takes the last message: the block has seen a command that it has not obeyed. If that message
    /// has no room, or something that was sent still waits for some, it never comes.
    // TWIN: begin_stop
    pub(crate) fn begin_stop(&mut self, command: u32) -> Option<u64> {
        if command & command::TERMINATE == 0 || !self.is_active() {
            return None;
        }
        let now = R::now(&self.clock);
        if !self.timers.as_mut()?.events.stop(now) {
            return None;
        }
        if !self.is_held_up() && self.has_room_for_timer(&mut TurnTotals::default()) {
            return Some(now);
        }
        self.timers.as_mut()?.events.miss_stop();
        self.tell_timers();
        None
    }

    /// The number of the next message, wherever it comes from.
    // TWIN: next_number
    #[inline]
    pub(crate) fn next_number(&self) -> u64 {
        self.inbound.position() + self.counts.timed
    }

    /// Takes a turn of timers that are due at `now`, the one first that waits until its outputs have gone.
    pub(crate) fn take_timers(&mut self, now: u64, command: u32) -> Turn {
        // Nothing comes behind the last message.
        let is_last = command & command::TERMINATE != 0;
        let limit = if is_last || self.mode == ProcessingMode::Continuous { 1 } else { self.max_batch };
        let mut batch = TurnTotals::default();
        self.cx = self.cx.with_time(now);
        let is_same = |block: &Self| block.memory.command().load(Ordering::Relaxed) == command;
        while batch.due < limit {
            if !is_same(self) {
                if batch.due == 0 {
                    return Turn::Progress;
                }
                break;
            }
            let pending = self.pending_timer();
            let due = match pending {
                Some(due) => due,
                None if !self.has_room_for_timer(&mut batch) => break,
                None => {
                    let Some((due, message, stamp)) =
                        self.timers.as_mut().and_then(|timers| timers.take(now))
                    else {
                        break;
                    };
                    if self.is_linked {
                        R::hand_over();
                    }
                    // What nobody sends is an event of the block's own.
                    let stamp = stamp.unwrap_or_else(|| self.begin_event(0));
                    let taken = Taken { message, caller: 0, queue: 0, enqueued: due, trace: 0, stamp };
                    self.at_handler();
                    self.handle(&taken, &mut batch);
                    due
                }
            };
            if self.hold.is_none() && self.pending.is_some() && !self.release(due, &mut batch) {
                break;
            }
            self.end_timer(&mut batch);
        }
        self.finish_turn(&mut batch)
    }

    /// Whether there is room for all that the handler of a timer's message may send.
    fn has_room_for_timer(&mut self, batch: &mut TurnTotals) -> bool {
        match self.hold.is_some() {
            true => self.has_room_holding(batch),
            false => self.has_credit_of(self.credit, batch),
        }
    }

    /// A timer's message was handled, and nothing holds it any more.
    pub(crate) fn end_timer(&mut self, batch: &mut TurnTotals) {
        self.counts.timed += 1;
        batch.due += 1;
        if let Some(timers) = &mut self.timers {
            timers.release();
        }
    }

    /// Tells the host what is set.
    // TWIN: tell_timers
    pub(crate) fn tell_timers(&mut self) {
        let Some(timers) = &mut self.timers else { return };
        // Whoever sees that an ask has ended, and that what came of it was taken, sees what that did. SYNC: asks (release), both
        self.memory.due().store(timers.due().unwrap_or(0), Ordering::Release);
        let word = control::Timers {
            waiting: timers.count() + u32::from(timers.events.has_missed()),
            asks: timers.asks.as_mut().map_or(0, Asks::note_told),
            taken: self.counts.timed,
        }
        .word();
        self.memory.timers().store(word, Ordering::Release);
        if timers.asks.as_ref().is_some_and(|asks| asks.open() != 0) {
            // Stands between this and the look for answers: whoever answers sees that the block has asked, or this sees the
            // answer (SYNC: stalled).
            fence(Ordering::SeqCst);
        }
    }
}

#[cfg(test)]
mod tests {
    use annulus_kernel::{DeviceType, Later};

    use super::*;

    /// What the heap must give: the first by due time, then by number.
    struct Model {
        waiting: Vec<(u64, u32, u64)>,
        number: u32,
    }

    impl Model {
        fn take(&mut self, now: u64) -> Option<(u64, u64)> {
            let place = |(due, number, _): &(u64, u32, u64)| (*due, number.wrapping_sub(NEAR_THE_END));
            let first = (0..self.waiting.len()).min_by_key(|&at| place(&self.waiting[at]))?;
            (self.waiting[first].0 <= now).then(|| {
                let (due, _, message) = self.waiting.remove(first);
                (due, message)
            })
        }
    }

    /// Numbers wrap in the middle of the test.
    const NEAR_THE_END: u32 = u32::MAX - 500;

    fn random(state: &mut u64) -> u64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *state >> 33
    }

    /// Handlers, some of which fail, set timers, in turns of the ring and of timers; and what comes is what the model
    /// gives.
    #[test]
    fn p07_timers_come_as_a_sorted_list_gives_them() {
        for (room, each, seed) in [(1, 1, 1), (7, 3, 2), (64, 5, 3)] {
            let definition = TimersDefinition { room, each, ..TimersDefinition::default() };
            let mut timers = Timers::new(definition, u64::DESCRIPTOR, None);
            timers.number = NEAR_THE_END;
            let mut model = Model { waiting: Vec::new(), number: NEAR_THE_END };
            let (mut seed, mut now, mut full, mut taken, mut failed) = (seed, 1, 0, 0, 0);
            for message in 0..4000_u64 {
                now += random(&mut seed) % 4;
                let of_timer = random(&mut seed).is_multiple_of(2);
                if of_timer {
                    let expected = model.take(now);
                    let found = timers.take(now);
                    // SAFETY: a message was written there when the timer was set, and its place is in use.
                    let value = |message: *const u8| unsafe { message.cast::<u64>().read() };
                    assert_eq!(found.map(|(due, message, _)| (due, value(message))), expected);
                    taken += u64::from(found.is_some());
                    if found.is_none() {
                        continue;
                    }
                }
                timers.begin(now);
                // SAFETY: the places have room for a message of eight bytes.
                let later: &Later<u64> = unsafe { Later::from_raw(timers.later()) };
                let limit = each.min(room - model.waiting.len() as u32);
                let sets = random(&mut seed) as u32 % (each + 2);
                let sent: Vec<_> = (0..sets).map(|_| (random(&mut seed) % 40, random(&mut seed))).collect();
                sent.iter().for_each(|(nanos, message)| later.send_after(*message, *nanos));
                assert_eq!(timers.refused(), sets > limit, "{message}");
                full += u64::from(timers.refused());
                if !timers.refused() && !random(&mut seed).is_multiple_of(4) {
                    timers.keep(true, 0);
                    for (nanos, message) in sent {
                        model.waiting.push((now + nanos, model.number, message));
                        model.number = model.number.wrapping_add(1);
                    }
                } else {
                    failed += 1;
                }
                timers.release();
                assert_eq!(timers.count() as usize, model.waiting.len());
                assert_eq!(timers.due(), model.waiting.iter().map(|waiting| waiting.0).min());
            }
            assert!(full != 0 && taken > 100 && failed > full, "{full}, {taken}, {failed}");
        }
    }
}
