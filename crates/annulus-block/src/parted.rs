//! A block of several outboxes, of which some are connected, each to another kernel.
//!
//! A message's outputs are put aside, in a row. Those for the host are published at once. The others are held
//! where they are, each with the number of its outbox in front, until all have gone. A pass offers them in
//! order, and passes over those whose outbox was found full in it. So each waits for its own kernel alone, and
//! those of one outbox keep their order.

use annulus_abi::{ring::kind, topics};
use annulus_kernel::MOST_PORTS;
use annulus_ring::ring::Header;
use annulus_sync::Ordering;

use crate::{
    host::{Deliver, Delivery, Link},
    publish::add,
    runner::Runner,
    turn::{BlockCore, PendingOutputs, TurnTotals},
};

/// Stands in front of an output that has gone, in place of its outbox's number.
const GONE: u64 = u64::MAX;

/// Where in the front of an output on a topic the places stand that it is still for. A topic with all other bits set has no entry, and so no
/// places.
const TOPIC_PLACES: u64 = (1 << topics::PLACES) - 1;

/// The places of an output, from the first on.
struct Places(u64);

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
        let mut all = 0;
        let mut bearer = None;
        for index in 0..sent {
            if self.stays(self.tag(index)) {
                self.publish_aside(index);
                batch.produced += 1;
                continue;
            }
            self.mark_apart(index);
            if bearer.is_none() && self.tag(index) == 0 {
                bearer = Some(all);
            }
            let [from, to] = [index, all].map(|index| self.offset_aside(index));
            let aside = self.aside.as_mut_ptr().cast::<u8>();
            // SAFETY: both are places for outputs, of that size; the second is the first, or in front of it.
            unsafe { aside.wrapping_add(from).copy_to(aside.wrapping_add(to), size) };
            all += 1;
        }
        self.counts.sent += u64::from(sent - all);
        self.hand_on(caller, bearer.unwrap_or(all), all, true);
    }

    /// Offers each of the held outputs to its kernel, and passes over those whose outbox was found full.
    /// Returns whether none has to wait. What is for the host stays.
    // TWIN: deliver_parted
    pub(crate) fn deliver_parted(&mut self, mut pending: PendingOutputs) -> bool {
        let mut held = [0_u64; MOST_PORTS];
        // The kernel that each outbox leads to, once it was asked for. Dropped behind the guard: the last one of a kernel
        // that has ended drops it, which is code of the program.
        let mut near = [const { None }; MOST_PORTS];
        let mut lost = 0;
        let _delivering = R::delivering();
        for index in 0..pending.all {
            let tag = self.tag(index);
            if tag == GONE {
                continue;
            }
            for port in self.places_of(tag) {
                if held[port] != 0 {
                    held[port] += 1;
                    continue;
                }
                // What is for the host stays. A place that takes a topic, and has no kernel any more, is as one whose
                // kernel has ended.
                if self.stays(tag) {
                    break;
                }
                let link = self.links[port].as_ref();
                let (waits, inside) = link.map_or((false, None), |link| (link.waits, link.inside));
                let target = near[port].get_or_insert_with(|| link.and_then(|link| link.target.upgrade()));
                let message = self.put_aside(index).wrapping_add(self.offset_of(port));
                // SAFETY: the handler wrote an output there, and the variant is of the link's target.
                let message = unsafe { self.as_taken(message, inside) };
                if self.stalled && !self.moves {
                    // SAFETY: as below.
                    let is_full = |target: &dyn Deliver| unsafe { !target.has_room(message) };
                    // An output that does not wait is lost and counted. The link may have been another one before.
                    if waits && target.as_ref().is_some_and(|target| is_full(&**target)) {
                        held[port] = 1;
                        continue;
                    }
                    self.begin_to_move();
                }
                let call = Self::carried(&pending, index);
                let delivery = target.as_ref().map_or(Delivery::Closed, |target| {
                    // SAFETY: the handler wrote an output there. What this outbox sends are messages of the target's
                    // type, or what its variant holds: the maker of the link promised that.
                    unsafe { target.deliver(message, call, pending.trace) }
                });
                let words = self.memory.port(port).expect("a shard has counts for each of several outboxes");
                match delivery {
                    Delivery::Done => add(words.forwarded(), 1),
                    Delivery::Full if waits => {
                        held[port] = 1;
                        continue;
                    }
                    Delivery::Full | Delivery::Closed => {
                        add(words.unforwarded(), 1);
                        lost += 1;
                        self.lose(call);
                    }
                }
                if self.take_from(index, port) {
                    pending.gone += 1;
                    self.pending = Some(pending);
                }
            }
        }
        if lost != 0 {
            add(self.memory.unforwarded(), lost);
        }
        let waits = held.iter().any(|&held| held != 0);
        self.tell_held(&held);
        if waits {
            self.rest();
        }
        !waits
    }

    /// Gives the host what is held of outboxes that are connected no more. Returns how much that is.
    // TWIN: return_parted
    #[cold]
    pub(crate) fn return_parted(&mut self) -> u32 {
        let Some(mut pending) = self.pending else { return 0 };
        let before = pending.gone;
        for index in 0..pending.all {
            let tag = self.tag(index);
            if tag != GONE && self.stays(tag) {
                self.lose(Self::carried(&pending, index));
                if self.peers.is_some_and(|peers| peers.by_topic) {
                    // Who takes it is no part of the topic.
                    self.set_tag(index, tag & !TOPIC_PLACES);
                }
                self.publish_aside(index);
                self.take_aside(index);
                pending.gone += 1;
            }
        }
        self.pending = Some(pending);
        pending.gone - before
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
            self.lose(Self::carried(&pending, index));
        }
        self.tell_held(&[0; MOST_PORTS]);
        self.pending = None;
        returned
    }

    /// Says how many outputs of each outbox are held, if some are, or it was said that some are.
    fn tell_held(&mut self, held: &[u64; MOST_PORTS]) {
        let holds = held.iter().any(|&held| held != 0);
        if !std::mem::replace(&mut self.told_held, holds) && !holds {
            return;
        }
        for (port, &held) in held.iter().enumerate().take(self.links.len()) {
            if let Some(words) = self.memory.port(port) {
                words.held().store(held, Ordering::Relaxed);
            }
        }
    }

    /// Where output number `index` of a message is put aside.
    fn put_aside(&self, index: u32) -> *const u8 {
        self.aside.as_ptr().cast::<u8>().wrapping_add(self.offset_aside(index))
    }

    fn offset_aside(&self, index: u32) -> usize {
        index as usize * self.outbound.ring().layout().slot_stride
    }

    /// The outbox that an output was sent by; or, of outputs that begin with an address, the place of the kernel with
    /// this address. The last place stands for nobody.
    // TWIN: place_of
    fn place_of(&self, tag: u64) -> usize {
        if self.peers.is_none() {
            return tag as usize;
        }
        let nobody = self.links.len() - 1;
        let is_its = |link: &Option<Link>| link.as_ref().is_some_and(|link| link.peer == tag);
        self.links[..nobody].iter().position(|link| tag != 0 && is_its(link)).unwrap_or(nobody)
    }

    /// The places that an output is still for: one, or those that took its topic when it was sent. What nobody takes is
    /// for the last place, which stands for nobody.
    // TWIN: places_of
    fn places_of(&self, tag: u64) -> Places {
        Places(match self.peers {
            Some(peers) if peers.by_topic => match tag & TOPIC_PLACES {
                0 => 1 << (self.links.len() - 1),
                places => places,
            },
            _ => 1 << self.place_of(tag),
        })
    }

    /// Whether an output goes to the host.
    fn stays(&self, tag: u64) -> bool {
        match self.peers {
            // Nobody is connected together with the others.
            Some(peers) if peers.by_topic => self.links.last().is_some_and(Option::is_none),
            _ => self.links[self.place_of(tag)].is_none(),
        }
    }

    /// Where in an output that lies which was sent.
    fn offset_of(&self, port: usize) -> usize {
        self.peers.map_or_else(|| self.ports[port].offset, |peers| peers.offset)
    }

    /// An output was sent: finds out who takes its topic. An address that nobody has may look like an output that has
    /// gone.
    // TWIN: mark_apart
    fn mark_apart(&mut self, index: u32) {
        let tag = self.tag(index);
        match self.peers {
            Some(peers) if peers.by_topic => {
                let topic = tag & !TOPIC_PLACES;
                self.set_tag(index, topic | self.next_links.takers(topic));
            }
            Some(_) if tag == GONE => self.set_tag(index, GONE - 1),
            _ => {}
        }
    }

    /// The first word of an output: the number of its outbox, or an address; or [`GONE`].
    fn tag(&self, index: u32) -> u64 {
        // SAFETY: an output was put aside there, which begins with this word, and is aligned for it.
        unsafe { self.put_aside(index).cast::<u64>().read() }
    }

    /// Says that it has gone, by this place. Returns whether it has gone by all.
    // TWIN: take_from
    fn take_from(&mut self, index: u32, place: usize) -> bool {
        let tag = self.tag(index);
        if self.peers.is_some_and(|peers| peers.by_topic) {
            let left = tag & TOPIC_PLACES & !(1 << place);
            if left != 0 {
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

    fn publish_aside(&mut self, index: u32) {
        let output = self.put_aside(index);
        // No other message was handled since.
        let header = Header { trace: self.trace, ..Header::default() };
        // SAFETY: there was credit for all outputs of the message, and each takes a slot at most once; an output
        // is there.
        unsafe { self.outbound.publish_copy(kind::MESSAGE, self.output_bytes, header, output) };
    }
}
