//! The outputs of a kernel whose handler has several outboxes, sorted by them.
//!
//! All outboxes of a shard share its outbound ring, so an output may lie in front of those that somebody asks
//! for. Whoever receives by one outbox puts outputs of others aside, each in the queue of its outbox, under one
//! lock. So outputs of one shard and one outbox keep their order. A queue has room for as many outputs as the
//! outbound rings of all shards. If one is full, the next output for it stays in its ring, and what is behind
//! it waits: as if each outbox had a ring of its own, and the handlers waited for room in this one. After the
//! kernel has terminated nothing waits for room.
//!
//! Who receives by no outbox, from the kernel, gets what was put aside first, the oldest of all queues, and then what is
//! in the rings. So those of one shard come in their order: each output in a queue has a number. All of that is under the lock,
//! so nobody looks between a ring and a queue while an output is moved.
//!
//! # A look moves nothing
//!
//! The status counts outputs where they lie, in the queues and in the rings. A slot is the consumer's from when it is published
//! until it is given back, in every kind of ring, whoever writes there (see [`annulus_ring::ring`]). Whoever counts holds the
//! ring's end, under its lock, so no slot is given back meanwhile. It finds what is published in the same way as a receiver does,
//! one slot after the other, with an acquire of what the slot's producer wrote, and ends at the first that is not. It writes
//! nothing: `consumed` stays, and with it the room that the kernel has.
//!
//! # Who is woken
//!
//! A shard wakes as many receivers as it has published outputs, whichever outbox these wait for. So whoever
//! puts something aside, leaves something in a ring, or makes room in a full queue wakes all receivers. Each
//! looks once more before it sleeps.

use std::{
    collections::VecDeque,
    mem::MaybeUninit,
    sync::{Mutex, MutexGuard, PoisonError},
};

use annulus_abi::ring::kind;
use annulus_kernel::{KernelDefinition, PortDefinition};
use annulus_queue::TryRecvError;
use annulus_ring::{
    memory::PortWords,
    ring::{Consumer, Header},
};
use annulus_sync::{AtomicU64, Ordering};

use crate::kernel::{
    bytes::{ByteQueue, Bytes, blank},
    core::HostShard,
    outbound::{Destination, TakeRun},
    receive::empty,
    shared::KernelShared,
    status::PortStatus,
};
use crate::{
    stamps::note_stamp,
    traces::{note_received, noted},
};

/// What was received of several outboxes, and by whom nobody has asked for it yet.
pub(crate) struct Ports {
    /// The kernel's outboxes; none if it has fewer than two.
    definitions: &'static [PortDefinition],
    sorted: Mutex<Sorted>,
}

struct Sorted {
    /// Outputs that were put aside, of each outbox.
    aside: Box<[ByteQueue]>,
    /// Their numbers, in the order in which they came out of the rings.
    numbers: Box<[VecDeque<u64>]>,
    next_number: u64,
    /// The traces that they carry, or 0, of a kernel with tracing.
    traces: Box<[VecDeque<u64>]>,
    /// The stamps that they carry, of a kernel that gives some.
    stamps: Box<[VecDeque<u64>]>,
    /// How many were received, of each.
    received: Box<[u64]>,
    /// Room for an output of the kernel: of whoever sorts, and of whoever receives a batch.
    output: Box<Bytes>,
    spare: Box<Bytes>,
}

impl Ports {
    pub(crate) fn new(definition: &'static KernelDefinition) -> Self {
        let definitions = definition.ports;
        let sorted = Sorted {
            aside: definitions.iter().map(|_| ByteQueue::new()).collect(),
            numbers: definitions.iter().map(|_| VecDeque::new()).collect(),
            next_number: 0,
            traces: definitions.iter().map(|_| VecDeque::new()).collect(),
            stamps: definitions.iter().map(|_| VecDeque::new()).collect(),
            received: definitions.iter().map(|_| 0).collect(),
            output: blank(definition.output.map_or(0, |output| output.size)),
            spare: blank(definition.output.map_or(0, |output| output.size)),
        };
        Self { definitions, sorted: Mutex::new(sorted) }
    }

    fn lock(&self) -> MutexGuard<'_, Sorted> {
        // Nothing of the program runs under this lock. If memory ran out, one output is lost.
        self.sorted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether no output of this outbox was put aside. Whoever has taken one out of a ring has put it aside before this returns.
    pub(crate) fn is_none_aside(&self, port: usize) -> bool {
        self.lock().numbers[port].is_empty()
    }

    /// The number of the outbox by which this output of the kernel, which has several, was sent.
    fn of(&self, output: &Bytes) -> usize {
        // SAFETY: an output of several outboxes begins with the number of its own, in eight bytes that the handler wrote.
        self.numbered(unsafe { output.as_ptr().cast::<u64>().read_unaligned() })
    }

    /// The same, if this is what the output begins with.
    fn numbered(&self, word: u64) -> usize {
        let port = word as usize;
        assert!(
            port < self.definitions.len(),
            "a handler has sent by outbox {port} of {}",
            self.definitions.len()
        );
        port
    }

    /// Whether the kernel has several outboxes.
    #[inline]
    pub(crate) fn are_several(&self) -> bool {
        !self.definitions.is_empty()
    }

    /// How many outputs were put aside.
    pub(crate) fn waiting(&self) -> u64 {
        if !self.are_several() {
            return 0;
        }
        self.lock().aside.iter().map(|queue| queue.len() as u64).sum()
    }
}

/// What was put aside, and is received now.
struct Taken {
    trace: u64,
    stamp: u64,
    /// Its queue was full, so something in a ring may have room now.
    was_full: bool,
}

/// What is asked for.
struct Wanted<'a> {
    port: usize,
    /// How many outputs of this outbox, at most.
    most: usize,
    /// Where each of them goes.
    to: &'a mut dyn FnMut(&Bytes),
}

impl Sorted {
    /// Takes the oldest output of an outbox out of its queue; it goes to `to`.
    fn pop(&mut self, port: usize, room: usize, to: &mut dyn FnMut(&Bytes)) -> Option<Taken> {
        let was_full = self.aside[port].len() >= room;
        to(self.aside[port].pop()?);
        self.numbers[port].pop_front();
        self.received[port] += 1;
        let trace = self.traces[port].pop_front().unwrap_or(0);
        let stamp = self.stamps[port].pop_front().unwrap_or(0);
        Some(Taken { trace, stamp, was_full })
    }

    /// The outbox whose output was put aside first.
    fn oldest(&self) -> Option<usize> {
        let first = |port: &usize| self.numbers[*port].front();
        (0..self.numbers.len()).filter(|port| first(port).is_some()).min_by_key(first)
    }
}

impl Taken {
    /// Tells the thread that has received it, of a kernel with tracing or not. Of what carries no trace it is told, too: an
    /// output before it may have carried one.
    fn note(&self, traced: bool) {
        note_stamp(self.stamp);
        if traced {
            note_received(self.trace);
        }
    }
}

/// An output of any outbox was received.
struct First {
    /// Whether something in a ring may have room now.
    makes_room: bool,
}

/// Takes outputs out of rings: what somebody has asked for, and what is in front of it.
struct Sorting<'a, 'w> {
    ports: &'a Ports,
    sorted: &'a mut Sorted,
    wanted: Wanted<'w>,
    /// Room of each queue.
    room: usize,
    /// Whether outputs may carry traces.
    traced: bool,
    /// Whether they carry stamps.
    causal: bool,
    /// How many were there that were asked for.
    found: usize,
    /// Whether something was put aside.
    moved: bool,
    /// Whether something stays in a ring since its queue is full.
    blocked: bool,
}

/// What sorting has found.
struct Found {
    /// How many outputs were there that were asked for.
    count: usize,
    /// Whether more may be behind what has no room.
    blocked: bool,
    /// Whether something was put aside for others. They are woken without the lock, under which none of the
    /// program's wakers may run.
    moved: bool,
}

impl Sorting<'_, '_> {
    fn has_all(&self) -> bool {
        self.found >= self.wanted.most
    }
}

impl TakeRun for Sorting<'_, '_> {
    unsafe fn take_run(&mut self, ring: &mut Consumer, most: usize) -> usize {
        let mut taken = 0;
        while taken < most && !self.has_all() {
            let Some(slot) = ring.peek() else { break };
            if slot.kind == kind::MESSAGE {
                let output = &mut self.sorted.output;
                // SAFETY: the slot was just peeked, and is a message.
                unsafe { ring.read_bytes(&slot, output) };
                let port = self.ports.of(output);
                let PortDefinition { output: ty, offset, .. } = &self.ports.definitions[port];
                let payload = &output[*offset..][..ty.size];
                if port == self.wanted.port {
                    (self.wanted.to)(payload);
                    self.sorted.received[port] += 1;
                    self.found += 1;
                    let Header { trace, stamp, .. } = slot.header;
                    Taken { trace, stamp, was_full: false }.note(self.traced);
                } else if self.sorted.aside[port].len() >= self.room {
                    self.blocked = true;
                    break;
                } else {
                    self.sorted.aside[port].push(payload);
                    self.sorted.numbers[port].push_back(self.sorted.next_number);
                    self.sorted.next_number += 1;
                    if self.traced {
                        self.sorted.traces[port].push_back(slot.header.trace);
                    }
                    if self.causal {
                        self.sorted.stamps[port].push_back(slot.header.stamp);
                    }
                    self.moved = true;
                }
            }
            ring.advance(&slot);
            ring.give_back();
            taken += 1;
        }
        taken
    }
}

impl KernelShared {
    /// How many outputs of each outbox are put aside at most.
    fn room_of_port(&self) -> usize {
        self.core.shards.iter().map(|shard| shard.outbound.layout().capacity as usize).sum()
    }

    /// Sorts what lies in the rings, as far as there is room, until all that is wanted is found.
    fn sort(&self, sorted: &mut Sorted, wanted: Wanted<'_>, finished: bool) -> Found {
        let room = if finished { usize::MAX } else { self.room_of_port() };
        let mut sorting = Sorting {
            ports: &self.ports,
            sorted,
            wanted,
            room,
            traced: self.core.traced.is_some(),
            causal: self.core.stamps.is_some(),
            found: 0,
            moved: false,
            blocked: false,
        };
        let shards = self.outbound.len();
        let start = self.received.fetch_add(1, Ordering::Relaxed);
        for shard in (0..shards).map(|i| start.wrapping_add(i) % shards) {
            if !sorting.has_all() && self.may_have(shard) {
                // SAFETY: it takes outputs of several outboxes as they lie in this kernel's rings, bytes for
                // bytes.
                let taken = unsafe { self.outbound[shard].take_many(usize::MAX, &mut sorting) };
                if taken != 0 {
                    self.after_taking(shard);
                }
            }
        }
        let Sorting { found: count, moved, blocked, .. } = sorting;
        Found { count, blocked, moved }
    }

    fn may_have_more(&self) -> bool {
        (0..self.outbound.len()).any(|shard| self.may_have(shard))
    }

    /// Takes up to `max` outputs of an outbox, each to `to`: first what was put aside, then what is in the rings.
    fn take_by(&self, port: usize, max: usize, to: &mut dyn FnMut(&Bytes)) -> Result<usize, TryRecvError> {
        // Read before the look: then the look sees everything that was published before the kernel finished.
        let finished = self.core.is_finished();
        let traced = self.core.traced.is_some();
        let mut sorted = self.ports.lock();
        let room = self.room_of_port();
        let (mut taken, mut makes_room) = (0, false);
        while taken < max
            && let Some(next) = sorted.pop(port, room, to)
        {
            next.note(traced);
            makes_room |= next.was_full;
            taken += 1;
        }
        let mut found = Found { count: 0, blocked: false, moved: false };
        if taken < max {
            found = self.sort(&mut sorted, Wanted { port, most: max - taken, to }, finished);
            taken += found.count;
        }
        drop(sorted);
        if taken != 0 {
            self.after_receiving();
        }
        if makes_room || found.moved || taken != 0 && self.may_have_more() {
            self.core.ready.notify_all();
        }
        match taken {
            // What is behind outputs of others is not received yet.
            0 if max != 0 => Err(empty(finished && !found.blocked)),
            _ => Ok(taken),
        }
    }

    /// Receives by an outbox, without waiting.
    pub(crate) fn try_recv_by(&self, port: usize, output: &mut Bytes) -> Result<(), TryRecvError> {
        self.take_by(port, 1, &mut |payload| output.copy_from_slice(payload)).map(drop)
    }

    /// Up to `max` outputs of an outbox, appended to `outputs`.
    ///
    /// # Safety
    ///
    /// `outputs` takes outputs of this outbox's type.
    pub(crate) unsafe fn try_recv_batch_by(
        &self,
        port: usize,
        outputs: &mut dyn Destination,
        max: usize,
    ) -> Result<usize, TryRecvError> {
        // SAFETY: they are outputs of the outbox, which `outputs` takes by the caller's word.
        self.take_by(port, max, &mut |payload| unsafe { outputs.append(payload) })
    }

    /// Receives by whichever outbox, without waiting.
    pub(crate) fn try_recv_by_any(&self, output: &mut Bytes) -> Result<(), TryRecvError> {
        // Read before the look: then the look sees everything that was published before the kernel finished.
        let finished = self.core.is_finished();
        let mut sorted = self.ports.lock();
        let first = self.take_first(&mut sorted, output);
        drop(sorted);
        let Some(First { makes_room }) = first else { return Err(empty(finished)) };
        self.after_first(makes_room);
        Ok(())
    }

    /// Up to `max` outputs, by whichever outboxes, appended to `outputs`.
    ///
    /// # Safety
    ///
    /// `outputs` takes outputs of this kernel's type.
    pub(crate) unsafe fn try_recv_batch_by_any(
        &self,
        outputs: &mut dyn Destination,
        max: usize,
    ) -> Result<usize, TryRecvError> {
        let finished = self.core.is_finished();
        let mut sorted = self.ports.lock();
        // A panic would leave none: then the next batch makes one.
        let mut output = std::mem::take(&mut sorted.spare);
        if output.is_empty() {
            output = blank(sorted.output.len());
        }
        let (mut taken, mut makes_room) = (0, false);
        while taken < max {
            let before = noted();
            let Some(first) = self.take_first(&mut sorted, &mut output) else { break };
            if self.core.traced.is_some() && noted() == before {
                note_received(0);
            }
            makes_room |= first.makes_room;
            // SAFETY: it is an output of the kernel, which `outputs` takes by the caller's word.
            unsafe { outputs.append(&output) };
            taken += 1;
        }
        sorted.spare = output;
        drop(sorted);
        if taken == 0 {
            return if max == 0 { Ok(0) } else { Err(empty(finished)) };
        }
        self.after_first(makes_room);
        Ok(taken)
    }

    /// Takes the output that was put aside first, or else the next one out of a ring.
    fn take_first(&self, sorted: &mut Sorted, output: &mut Bytes) -> Option<First> {
        if let Some(port) = sorted.oldest() {
            let PortDefinition { output: ty, offset, .. } = &self.ports.definitions[port];
            let place = &mut output[*offset..][..ty.size];
            let taken =
                sorted.pop(port, self.room_of_port(), &mut |payload| place.copy_from_slice(payload))?;
            // As the handler wrote it.
            let number = (port as u64).to_ne_bytes().map(MaybeUninit::new);
            output[..number.len()].copy_from_slice(&number);
            taken.note(self.core.traced.is_some());
            return Some(First { makes_room: taken.was_full });
        }
        let taken = self.take_next(|shard| {
            let taken = self.outbound[shard].take(output);
            if taken {
                self.after_taking(shard);
            }
            taken
        });
        taken.then(|| {
            sorted.received[self.ports.of(output)] += 1;
            First { makes_room: false }
        })
    }

    /// After something was received by whichever outbox, without the lock.
    fn after_first(&self, makes_room: bool) {
        self.after_receiving();
        if makes_room {
            self.core.ready.notify_all();
        }
    }

    /// What the outboxes have sent to the host, of a handler that has several.
    pub(crate) fn port_statuses(&self) -> Vec<PortStatus> {
        if self.ports.definitions.is_empty() {
            return Vec::new();
        }
        let known = self.links.known();
        let connected_to = |number| {
            let target = known.targets.iter().find(|target| target.outbox == number)?.kernel.upgrade()?;
            Some(target.core.name.clone())
        };
        let count = |number, count: fn(PortWords<'_>) -> &AtomicU64| -> u64 {
            let of = |shard: &HostShard| shard.memory.port(number).map(count)?.load(Ordering::Relaxed).into();
            self.core.shards.iter().filter_map(of).sum()
        };
        let sorted = self.ports.lock();
        let mut waiting: Vec<u64> = sorted.aside.iter().map(|queue| queue.len() as u64).collect();
        for outbound in &self.outbound {
            // SAFETY: as in `Ports::of`.
            unsafe { outbound.look(|word| waiting[self.ports.numbered(word)] += 1) };
        }
        let status = |(number, port): (usize, &PortDefinition)| PortStatus {
            name: port.name,
            received: sorted.received[number],
            waiting: waiting[number],
            connected_to: connected_to(number),
            sent: count(number, |words| words.forwarded()),
            held: count(number, |words| words.held()),
            lost: count(number, |words| words.unforwarded()),
        };
        self.ports.definitions.iter().enumerate().map(status).collect()
    }
}
