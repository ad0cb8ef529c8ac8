//! Outputs for any of the connected kernels: see `PROTOCOL.md`, "Any of them".
//!
//! Their address is [`Peer::ANY`], which is no kernel's own. So their place is the last one, which stands for nobody; and
//! there they wait, and are counted if they are lost. A pass that has served all other places offers each of them, in
//! order, to one kernel after the other, from the one whose turn it is: until one takes it. The turn goes to the kernel behind
//! that one. If none has room, it waits, if it may wait for one of them at least, and stops those behind it; else it is lost.

use annulus_kernel::Peer;

use crate::{
    host::{Delivery, Row},
    links::Offered,
    parted::Near,
    publish::add,
    runner::Runner,
    turn::BlockCore,
};

/// The address of what is for any.
const ANY: u64 = Peer::<()>::ANY.bits();

impl<R: Runner> BlockCore<R> {
    /// Whether this is the place of what is for nobody, or for any.
    pub(crate) fn is_for_any(&self, port: usize) -> bool {
        port + 1 == self.links.len() && self.peers.is_some_and(|peers| !peers.by_topic)
    }

    /// Sends what is for any kernel, in order; the first that no kernel has room for stops those behind it. What is for nobody is
    /// lost. Returns how many have to wait.
    // TWIN: deliver_to_any
    pub(crate) fn deliver_to_any(&mut self, near: &mut Near) -> u64 {
        let last = self.links.len() - 1;
        let mut waits = 0;
        for index in 0..self.pending.map_or(0, |pending| pending.all) {
            if self.wanted[index as usize] >> last & 1 == 0 {
                continue;
            }
            let became = match self.tag(index) {
                ANY if waits != 0 => Offered::Waits,
                ANY => self.offer_around(index, near),
                // SAFETY: nobody takes it.
                _ => unsafe { self.offer(None, false, self.alone(index, &[self.put_aside(index)])) },
            };
            match became {
                Offered::Waits => {
                    waits += 1;
                    continue;
                }
                Offered::Lost => {
                    let words = self.memory.port(last).expect("a shard has counts for each of its places");
                    add(words.unforwarded(), 1);
                    add(self.memory.unforwarded(), 1);
                }
                Offered::Taken(_) => {}
            }
            let gone = u32::from(self.take_from(index, last));
            if let Some(pending) = &mut self.pending {
                pending.gone += gone;
            }
            if let Some(hold) = &mut self.hold {
                hold.moved = true;
            }
        }
        waits
    }

    /// Offers an output for any to one kernel after the other, from the one whose turn it is.
    // TWIN: offer_around
    fn offer_around(&mut self, index: u32, near: &mut Near) -> Offered {
        let last = self.links.len() - 1;
        let moved = self.moves;
        let mut may_wait = false;
        for place in (self.turn..last).chain(0..self.turn) {
            let Some(link) = &self.links[place] else { continue };
            let (waits, inside) = (link.waits, link.inside);
            let target = near[place].get_or_insert_with(|| link.target.upgrade()).as_deref();
            let output = self.put_aside(index).wrapping_add(self.offset_of(place));
            // SAFETY: the handler wrote an output there, and the variant is of the link's target.
            let message = [unsafe { self.as_taken(output, inside, 0) }];
            // SAFETY: what this place takes are messages of the target's type, or what its variant holds: the maker of the
            // link promised that.
            match unsafe { self.try_out(target, true, self.alone(index, &message)) } {
                Delivery::Done(_) => {
                    self.turn = (place + 1) % last;
                    let words = self.memory.port(place).expect("a shard has counts for each of its places");
                    add(words.forwarded(), 1);
                    return Offered::Taken(1);
                }
                Delivery::Full => may_wait |= waits,
                Delivery::Closed => {}
            }
        }
        if may_wait {
            // A kernel that has ended refuses what it is offered, although there looked to be room for it.
            if !moved {
                self.rest();
            }
            return Offered::Waits;
        }
        // SAFETY: nobody takes it.
        unsafe { self.offer(None, false, self.alone(index, &[self.put_aside(index)])) }
    }

    /// A row of one output that is held or pending, which lies there.
    fn alone<'a>(&self, index: u32, message: &'a [*const u8]) -> Row<'a> {
        match self.pending {
            Some(pending) if self.hold.is_none() => {
                let bearer = if index == pending.bearer { 0 } else { usize::MAX };
                let (trace, stamp) = (pending.trace, pending.stamp);
                Row { messages: message, call: pending.call, bearer, trace, stamp }
            }
            _ => self.row_of(&[index], message),
        }
    }
}
