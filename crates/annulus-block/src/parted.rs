//! A block of several outboxes, of which some are connected, each to another kernel.
//!
//! A message's outputs are put aside, in a row. Those for the host are published at once. The others are held
//! where they are, each with the number of its outbox in front, until all have gone. A pass takes one outbox after
//! the other, and offers what waits for its kernel as one row, in order: what lies in a row for one block takes one
//! ticket. The first that finds no room stops those behind it in the same row, and no others. So each waits for its
//! own kernel alone, and those of one outbox keep their order. An output that is for several places stands in the
//! row of each.

use std::{
    mem::{replace, take},
    ops::Range,
    sync::Arc,
};

use annulus_abi::{
    ring::{is_ask, kind},
    topics,
};
use annulus_kernel::{Inside, MOST_PORTS};
use annulus_ring::ring::Header;
use annulus_sync::Ordering;

use crate::{
    host::{Deliver, Link, Row},
    links::Offered,
    publish::add,
    runner::Runner,
    turn::{BlockCore, PendingOutputs, TurnTotals},
};

/// Stands in front of an output that has gone, in place of its outbox's number.
pub(crate) const GONE: u64 = u64::MAX;

/// Where in the front of an output on a topic the places stand that it is still for. A topic with all other bits set has no entry, and so no
/// places.
const TOPIC_PLACES: u64 = (1 << topics::PLACES) - 1;

/// The kernels that outboxes lead to, of which those were looked up that something was offered to. A kernel may be gone.
pub(crate) type Near = [Option<Option<Arc<dyn Deliver>>>; MOST_PORTS];

/// The places of an output, from the first on.
pub(crate) struct Places(u64);

impl Iterator for Places {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let place = self.0;
        self.0 &= place.wrapping_sub(1);
        (place != 0).then(|| place.trailing_zeros() as usize)
    }
}

impl<R: Runner> BlockCore<R> {
    /// Of a message's outputs, which were put aside, those of connected outboxes are held, and the others
    /// published.
    // TWIN: part
    #[inline(never)]
    pub(crate) fn part(&mut self, caller: u64, batch: &mut TurnTotals) {
        let sent = self.outbox.sent();
        let size = self.outbound.ring().layout().payload_size;
        // What is held already stays in front of it.
        let base = self.held_in_front();
        let mut all = base;
        let mut bearer = None;
        let asked = self.asked();
        let mut query = None;
        let replies = caller != 0 && self.reply_first(sent);
        if replies {
            self.reply_from_here(caller, batch);
        }
        for index in base + u32::from(replies)..base + sent {
            let tag = self.mark_apart(index);
            let wanted = self.wanted_by(tag);
            if self.is_heard(tag) {
                self.tell_host(index, tag);
                batch.produced += 1;
                if wanted == 0 {
                    continue;
                }
            }
            if wanted == 0 {
                self.publish_aside(index, self.sent_header());
                batch.produced += 1;
                continue;
            }
            if bearer.is_none() && tag == 0 {
                bearer = Some(all);
            }
            if asked != 0 && self.asks_by(tag) {
                query = Some(all);
            }
            if index != all {
                let [from, to] = [index, all].map(|index| self.offset_aside(index));
                let aside = self.aside.as_mut_ptr().cast::<u8>();
                // SAFETY: both are places for outputs, of that size; the second is in front of the first.
                unsafe { aside.wrapping_add(from).copy_to(aside.wrapping_add(to), size) };
            }
            self.wanted[all as usize] = wanted;
            all += 1;
        }
        let caller = if replies { 0 } else { caller };
        if self.hold.is_some() {
            self.counts.sent += u64::from(sent);
            self.keep_held(caller, bearer, query, base..all);
            self.lost_call.set(replies);
            return;
        }
        self.counts.sent += u64::from(sent - all);
        self.hand_on(caller, bearer.unwrap_or(all), all, true);
        if let (Some(query), Some(pending)) = (query, &mut self.pending) {
            // Its message belongs to no call: who asks is not asked.
            (pending.call, pending.bearer) = (asked, query);
        }
        if replies {
            self.lost_call.set(all != 0);
        }
    }

    /// Offers the held outputs to their kernels, those of each outbox together, as far as that kernel has room.
    /// Returns whether none has to wait. What is for the host stays.
    // TWIN: deliver_parted
    pub(crate) fn deliver_parted(&mut self, mut pending: PendingOutputs) -> bool {
        let mut held = [0_u64; MOST_PORTS];
        // Dropped behind the guard: the last one of a kernel that has ended drops
        // it, which is code of the program.
        let mut near: Near = [const { None }; MOST_PORTS];
        let mut lost = 0;
        let (mut messages, mut numbers) = (take(&mut self.row), take(&mut self.numbers));
        let _delivering = R::delivering();
        let wanted = &self.wanted[..pending.all as usize];
        for port in Places(wanted.iter().fold(0, |places, wanted| places | wanted)) {
            if self.is_for_any(port) {
                held[port] = self.deliver_to_any(&mut near);
                pending = self.pending.unwrap_or(pending);
                continue;
            }
            // A place that takes a topic, and has no kernel any more, is as one whose kernel has ended.
            if self.hold.is_some() {
                held[port] = self.deliver_held(port, &mut near[port], &mut numbers, &mut messages);
                continue;
            }
            let link = self.links[port].as_ref();
            let (waits, inside) = link.map_or((false, None), |link| (link.waits, link.inside));
            let target = near[port].insert(link.and_then(|link| link.target.upgrade())).as_deref();
            self.gather(port, inside, 0..usize::MAX, &mut numbers, &mut messages);
            let bearer = numbers.iter().position(|&index| index == pending.bearer).unwrap_or(usize::MAX);
            let (trace, stamp) = (pending.trace, pending.stamp);
            let mut row = Row { messages: &messages, call: pending.call, bearer, trace, stamp };
            let mut left = &numbers[..];
            while !left.is_empty() {
                // SAFETY: what this outbox sends are messages of the target's type, or what its variant holds: the
                // maker of the link promised that.
                let offered = unsafe { self.offer(target, waits, row) };
                let words = self.memory.port(port).expect("a shard has counts for each of several outboxes");
                let count = match offered {
                    Offered::Taken(count) => {
                        add(words.forwarded(), count as u64);
                        count
                    }
                    Offered::Lost => {
                        add(words.unforwarded(), 1);
                        lost += 1;
                        1
                    }
                    Offered::Waits => {
                        held[port] = left.len() as u64;
                        break;
                    }
                };
                let (gone, rest) = left.split_at(count);
                for &index in gone {
                    pending.gone += u32::from(self.take_from(index, port));
                }
                self.pending = Some(pending);
                (row, left) = (row.after(count), rest);
            }
        }
        (self.row, self.numbers) = (messages, numbers);
        if lost != 0 {
            add(self.memory.unforwarded(), lost);
        }
        let waits = held.iter().any(|&held| held != 0);
        if self.hold.is_some() {
            return !waits;
        }
        self.tell_held(&held);
        if waits {
            self.rest();
        }
        !waits
    }

    /// Queries that are held, sent by this outbox, have no asks any more, since queries go elsewhere: to the host, as other outputs do,
    /// but without an address; if they go to another kernel, they are lost. So no other kernel gets an address that was not made for
    /// it.
    // TWIN: drop_query
    #[cold]
    pub(crate) fn drop_query(&mut self, port: usize) {
        let Some(mut pending) = self.pending.filter(|pending| pending.is_parted) else { return };
        if is_ask(pending.call) {
            pending.call = 0;
        }
        for index in 0..pending.all {
            let tag = self.tag(index);
            if tag != port as u64 {
                continue;
            }
            if let Some(hold) = &mut self.hold {
                hold.carry_nothing(index);
            }
            if self.stays(tag) {
                continue;
            }
            self.take_aside(index);
            pending.gone += 1;
            let words = self.memory.port(port).expect("a shard has counts for each of several outboxes");
            add(words.unforwarded(), 1);
            add(self.memory.unforwarded(), 1);
        }
        self.pending = Some(pending);
    }

    /// Links have changed: where held outputs go now.
    #[cold]
    pub(crate) fn sort_out(&mut self, all: u32) {
        for index in 0..all {
            let tag = self.tag(index);
            self.wanted[index as usize] = if tag == GONE { 0 } else { self.wanted_by(tag) };
        }
    }

    /// The outputs that wait for a place, in order: their numbers, and where they lie. The range is of the first place to
    /// look at, and as many more as are gathered at most.
    pub(crate) fn gather(
        &mut self,
        port: usize,
        inside: Option<Inside>,
        range: Range<usize>,
        numbers: &mut Vec<u32>,
        messages: &mut Vec<*const u8>,
    ) {
        numbers.clear();
        messages.clear();
        let all = self.pending.map_or(0, |pending| pending.all as usize);
        let is_for = |(index, wanted): (usize, &u64)| (wanted >> port & 1 != 0).then_some(index as u32);
        let waiting = self.wanted[..all].iter().enumerate().skip(range.start).filter_map(is_for);
        numbers.extend(waiting.take(range.len()));
        let offset = self.offset_of(port);
        for (number, &index) in numbers.iter().enumerate() {
            let output = self.put_aside(index).wrapping_add(offset);
            // SAFETY: the handler wrote an output there, and the variant is of the link's target.
            messages.push(unsafe { self.as_taken(output, inside, number) });
        }
    }

    /// Gives the host what is held of outboxes that are connected no more. Returns how much that is.
    // TWIN: return_parted
    #[cold]
    pub(crate) fn return_parted(&mut self) -> u32 {
        let Some(mut pending) = self.pending else { return 0 };
        let before = pending.gone;
        let mut returned = 0;
        let mut is_full = false;
        for index in 0..pending.all {
            let tag = self.tag(index);
            if tag == GONE || !self.stays(tag) {
                continue;
            }
            let by_topic = self.peers.is_some_and(|peers| peers.by_topic);
            let host_has_it = by_topic && tag & topics::HOST != 0;
            if !host_has_it {
                if by_topic {
                    // Who takes it is no part of the topic.
                    self.set_tag(index, tag & !TOPIC_PLACES);
                }
                // Without a long hold there was credit for all that the message sends.
                is_full |= self.hold.is_some() && !self.outbound.has_credit(1);
                if is_full {
                    // What follows must not overtake it, when the host makes room.
                    self.returns = true;
                    continue;
                }
                self.lose(self.carried_by(&pending, index));
                self.publish_aside(index, self.header_of(index));
                returned += 1;
            }
            self.take_aside(index);
            pending.gone += 1;
        }
        self.pending = Some(pending);
        if let Some(hold) = &mut self.hold {
            hold.moved |= pending.gone != before;
        }
        returned
    }

    /// Before the block ends: gives the host what is for it, and counts the rest as lost. Returns how much the
    /// host got.
    pub(crate) fn abandon_parted(&mut self, pending: PendingOutputs) -> u32 {
        self.pending = Some(pending);
        let returned = self.return_parted();
        for index in 0..pending.all {
            let tag = self.tag(index);
            if tag == GONE {
                continue;
            }
            for place in self.places_of(tag) {
                let words = self.memory.port(place).expect("a shard has counts for each of several outboxes");
                add(words.unforwarded(), 1);
                add(self.memory.unforwarded(), 1);
            }
            self.lose(self.carried_by(&pending, index));
        }
        self.returns = false;
        self.tell_held(&[0; MOST_PORTS]);
        self.pending = None;
        returned
    }

    /// Says how many outputs of each outbox are held, if some are, or it was said that some are.
    pub(crate) fn tell_held(&mut self, held: &[u64; MOST_PORTS]) {
        let holds = held.iter().any(|&held| held != 0);
        if !replace(&mut self.told_held, holds) && !holds {
            return;
        }
        if let Some(hold) = self.hold.as_mut().filter(|_| !holds) {
            hold.is_empty_now();
        }
        for (port, &held) in held.iter().enumerate().take(self.links.len()) {
            if let Some(words) = self.memory.port(port) {
                // SYNC: held (release)
                words.held().store(held, Ordering::Release);
            }
        }
    }

    /// Where output number `index` of a message is put aside.
    pub(crate) fn put_aside(&self, index: u32) -> *const u8 {
        self.aside.as_ptr().cast::<u8>().wrapping_add(self.offset_aside(index))
    }

    pub(crate) fn offset_aside(&self, index: u32) -> usize {
        index as usize * self.outbound.ring().layout().slot_stride
    }

    /// The outbox that an output was sent by; or, of outputs that begin with an address, the place of the kernel with
    /// this address. The last place stands for nobody; and there waits what is for any, until another place takes it.
    // TWIN: place_of
    fn place_of(&self, tag: u64) -> usize {
        if self.peers.is_none() {
            return tag as usize;
        }
        let nobody = self.links.len() - 1;
        let is_its = |link: &Option<Link>| link.as_ref().is_some_and(|link| link.peer == tag);
        self.links[..nobody].iter().position(|link| tag != 0 && is_its(link)).unwrap_or(nobody)
    }

    /// The places of kernels that an output is still for: one, or those that took its topic when it was sent. What nobody
    /// takes is for the last place, which stands for nobody.
    // TWIN: places_of
    fn places_of(&self, tag: u64) -> Places {
        Places(match self.peers {
            Some(peers) if peers.by_topic => match tag & TOPIC_PLACES {
                0 => 1 << (self.links.len() - 1),
                places => places & !topics::HOST,
            },
            _ => 1 << self.place_of(tag),
        })
    }

    /// The places of an output that is held, of which some are for kernels that are connected no more.
    pub(crate) fn places_left(&self, index: u32) -> Places {
        match (self.wanted[index as usize], self.tag(index)) {
            (0, GONE) => Places(0),
            (0, tag) => self.places_of(tag),
            (wanted, _) => Places(wanted),
        }
    }

    /// Whether an output goes to the host.
    fn stays(&self, tag: u64) -> bool {
        self.wanted_by(tag) == 0
    }

    /// The places that an output is still for, a bit for each; none if it goes to the host.
    fn wanted_by(&self, tag: u64) -> u64 {
        match self.peers {
            // Nobody is connected together with the others.
            Some(peers) if peers.by_topic && self.links.last().is_some_and(Option::is_none) => 0,
            Some(peers) if peers.by_topic => self.places_of(tag).0,
            _ => {
                let place = self.place_of(tag);
                u64::from(self.links[place].is_some()) << place
            }
        }
    }

    /// Where in an output that lies which was sent.
    pub(crate) fn offset_of(&self, port: usize) -> usize {
        self.peers.map_or_else(|| self.ports[port].offset, |peers| peers.offset)
    }

    /// An output was sent: if it goes on, finds out who takes its topic. An address that nobody has may look like an output
    /// that has gone. Returns its first word.
    // TWIN: mark_apart
    fn mark_apart(&mut self, index: u32) -> u64 {
        let tag = self.tag(index);
        let marked = match self.peers {
            Some(peers) if peers.by_topic && self.links.last().is_some_and(Option::is_some) => {
                let topic = tag & !TOPIC_PLACES;
                topic | self.next_links.takers(topic)
            }
            Some(peers) if !peers.by_topic && tag == GONE && !self.stays(tag) => GONE - 1,
            _ => return tag,
        };
        self.set_tag(index, marked);
        marked
    }

    /// Whether the host takes the topic of an output, which was marked.
    // TWIN: is_heard
    fn is_heard(&self, tag: u64) -> bool {
        let is_connected = || self.links.last().is_some_and(Option::is_some);
        self.peers.is_some_and(|peers| peers.by_topic) && is_connected() && tag & topics::HOST != 0
    }

    /// Gives the host its copy of an output. There is room: a message is taken when there is credit for all that it sends.
    // TWIN: tell_host
    fn tell_host(&mut self, index: u32, tag: u64) {
        self.set_tag(index, tag & !TOPIC_PLACES);
        self.publish_aside(index, self.sent_header());
        let words =
            self.memory.port(self.links.len() - 1).expect("a shard has counts for each of its places");
        add(words.forwarded(), 1);
        self.set_tag(index, tag);
    }

    /// The first word of an output: the number of its outbox, or an address; or [`GONE`].
    pub(crate) fn tag(&self, index: u32) -> u64 {
        // SAFETY: an output was put aside there, which begins with this word, and is aligned for it.
        unsafe { self.put_aside(index).cast::<u64>().read() }
    }

    /// Says that it has gone, by this place. Returns whether it has gone by all.
    // TWIN: take_from
    pub(crate) fn take_from(&mut self, index: u32, place: usize) -> bool {
        self.wanted[index as usize] &= !(1 << place);
        let tag = self.tag(index);
        if self.peers.is_some_and(|peers| peers.by_topic) {
            let left = tag & TOPIC_PLACES & !(1 << place);
            if left & !topics::HOST != 0 {
                self.set_tag(index, tag & !TOPIC_PLACES | left);
                return false;
            }
        }
        self.take_aside(index);
        true
    }

    /// Says that it has gone.
    fn take_aside(&mut self, index: u32) {
        self.set_tag(index, GONE);
    }

    fn set_tag(&mut self, index: u32, tag: u64) {
        let at = self.offset_aside(index);
        let output = self.aside.as_mut_ptr().cast::<u8>().wrapping_add(at);
        // SAFETY: as in `tag`; the memory is the block's.
        unsafe { output.cast::<u64>().write(tag) };
    }

    pub(crate) fn publish_aside(&mut self, index: u32, header: Header) {
        let output = self.put_aside(index);
        // SAFETY: there was credit for all outputs of the message, or now for one, and each takes a slot at most once; an
        // output is there.
        unsafe { self.outbound.publish_copy(kind::MESSAGE, self.output_bytes, header, output) };
    }
}
