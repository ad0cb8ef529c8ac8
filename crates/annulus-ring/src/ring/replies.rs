//! Replies to calls: a ring whose slots belong to the slots of the inbound ring.
//!
//! # Room
//!
//! The ring of replies has as many slots as the inbound ring. The reply to the message in an inbound slot
//! goes to the slot of the same number. So a caller that has a slot for a call's message also has one for the
//! reply. No reply waits for room, the block asks for no credit, and neither outputs nor other replies can
//! block a reply.
//!
//! # Words and writers
//!
//! | word | written by | read by |
//! |---|---|---|
//! | a message's correlation: the call's address, [`call_at`] | the call's sender | the block that handles the message |
//! | a slot's `commit`, `meta`, payload, or its units | that block | the caller, or whoever rescues the reply |
//! | a *place*, one for each slot, in the host's own memory: generation and state | see below | the host |
//!
//! The ring's header is not used, since nobody counts replies. A slot is published with the call's generation
//! as its lap.
//!
//! # A place's life
//!
//! ```text
//!            begin                    take
//!   free -----------> awaited -------------------> reading ---> free
//!                     |  |  ^                         ^
//!            give_up  |  |  | begin          rescue   |
//!                     v  |  |                         |
//!                  given up +-------------------------+
//! ```
//!
//! * *Begin*: by the holder of an inbound ticket, before it publishes the message. The former message of that
//!   slot was given back. So if it belonged to a call, its reply is published (`slots-returned`: a block
//!   publishes replies before it gives slots back). The slot now belongs to the new call.
//! * *Take*: by the caller. *Rescue*: by the thread that has got the ticket and finds the former call still
//!   *awaited*, since its caller has not looked yet. The thread that wins the exchange reads the reply. The
//!   other one finds the reply rescued, or the place free.
//! * *Give up*: by the caller. The reply will be written, but nobody reads it.
//!
//! # Ordering
//!
//! * `slot-published`, as in any ring: the block's release store of `commit` and the reader's acquire load.
//! * `reply-read`: the thread that has read a reply stores *free* with release; the thread that begins the
//!   next call there loads the place with acquire. The message that it then publishes passes this order on to
//!   the block: reads are complete before the block writes the slot again.

#[cfg(not(loom))]
use std::mem::MaybeUninit;
use std::sync::OnceLock;

use annulus_abi::ring::call_at;
use annulus_sync::{AtomicU64, Ordering, fence, wait::Backoff};

#[cfg(not(loom))]
use super::copy;
use super::{Header, Ring};
use crate::{region::Region, sealed::Opened};

const FREE: u64 = 0;
const AWAITED: u64 = 1;
const READING: u64 = 2;
const GIVEN_UP: u64 = 3;

/// A call's address. The call's message carries it; it says where the reply goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Call(u64);

impl Call {
    /// The address as an envelope carries it. Never 0.
    #[inline]
    pub fn word(self) -> u64 {
        self.0
    }

    /// The number of its slot.
    #[inline]
    pub fn slot(self) -> u32 {
        self.0 as u32
    }

    fn generation(self) -> u64 {
        self.0 >> 32
    }

    /// The ticket that has the call's slot and lap.
    #[inline]
    fn ticket(self, ring: &Ring) -> u64 {
        (self.generation().wrapping_sub(1)) << ring.layout.capacity.trailing_zeros()
            | u64::from(self.slot() & (ring.layout.capacity - 1))
    }

    /// The value of its place in a given state.
    #[inline]
    fn place(self, state: u64) -> u64 {
        self.generation() << 32 | state
    }
}

/// The host's end: calls begin here, and their replies are taken. Any number of threads may use it.
#[derive(Debug)]
pub struct Callers {
    ring: Ring,
    /// Allocated by the first call.
    places: OnceLock<Box<[AtomicU64]>>,
}

/// The place belongs to a call whose caller has not taken the reply yet: [rescue](Callers::rescue) the reply
/// first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Occupied;

/// The result of a caller's look for its reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look<R> {
    /// The reply, as `read` returned it.
    Reply(R),
    /// The reply has not come yet.
    NotYet,
    /// The reply was rescued, or is being rescued.
    Rescued,
}

/// A published reply, still in its slot.
#[derive(Debug)]
pub struct Reply<'a> {
    /// What it is, see [`kind`](annulus_abi::ring::kind).
    pub kind: u8,
    /// Bytes of the payload, or an error code.
    pub length: u32,
    ring: &'a Ring,
    /// Where the payload is; if the slot is sealed, where the image is.
    at: At,
}

#[derive(Debug)]
// An image is copied once, without using the heap.
#[allow(clippy::large_enum_variant)]
enum At {
    Open(usize),
    Sealed(Opened),
}

impl Callers {
    /// The host's end of a ring of replies.
    ///
    /// # Safety
    ///
    /// There is no other host's end. The ring's other end is one [`Answers`], or a block's end on a device.
    pub unsafe fn new(ring: Ring) -> Self {
        let callers = Self { ring, places: OnceLock::new() };
        // Models do not support that cell.
        if cfg!(loom) {
            callers.places();
        }
        callers
    }

    /// Whether there ever was a call.
    #[inline]
    pub fn is_used(&self) -> bool {
        self.places.get().is_some()
    }

    fn places(&self) -> &[AtomicU64] {
        let fresh = || (0..self.ring.layout.capacity).map(|_| AtomicU64::new(FREE)).collect();
        self.places.get_or_init(fresh)
    }

    #[inline]
    fn place(&self, slot: u32) -> &AtomicU64 {
        &self.places()[(slot & (self.ring.layout.capacity - 1)) as usize]
    }

    /// Begins a call whose message has this inbound ticket.
    ///
    /// # Errors
    ///
    /// The reply to the slot's former call must be rescued first.
    ///
    /// # Safety
    ///
    /// The caller holds the ticket of the inbound ring that the replies belong to, and has not published its
    /// slot. It begins one call with it, at most.
    #[inline]
    pub unsafe fn begin(&self, ticket: u64) -> Result<Call, Occupied> {
        let slot = self.slot_of(ticket);
        let place = self.place(slot);
        let mut backoff = Backoff::new();
        loop {
            // SYNC: reply-read (acquire)
            let now = place.load(Ordering::Acquire);
            match now & u64::from(u32::MAX) {
                AWAITED => return Err(Occupied),
                // Another thread copies a few bytes meanwhile.
                READING => backoff.snooze(),
                _ => {
                    let generation = ((now >> 32) as u32).wrapping_add(1).max(1);
                    let call = Call(call_at(slot, generation));
                    place.store(call.place(AWAITED), Ordering::Relaxed);
                    return Ok(call);
                }
            }
        }
    }

    /// Reads the reply to the former call of a ticket's slot, unless its caller takes it meanwhile. `None`
    /// instead of a reply means that it never came: the kernel was lost.
    ///
    /// # Safety
    ///
    /// As for [`begin`](Self::begin).
    #[cold]
    pub unsafe fn rescue<R>(
        &self,
        ticket: u64,
        read: impl FnOnce(Call, Option<Reply<'_>>) -> R,
    ) -> Option<R> {
        let slot = self.slot_of(ticket);
        let now = self.place(slot).load(Ordering::Relaxed);
        let call = Call(call_at(slot, (now >> 32) as u32));
        if now != call.place(AWAITED) {
            return None;
        }
        self.claim(call).then(|| {
            let result = read(call, self.published(call));
            self.free(call);
            result
        })
    }

    /// Takes the reply to a call.
    #[inline]
    pub fn take<R>(&self, call: Call, read: impl FnOnce(Reply<'_>) -> R) -> Look<R> {
        if !self.is_answered(call) {
            return self.unanswered(call);
        }
        if !self.claim(call) {
            return Look::Rescued;
        }
        let Some(reply) = self.published(call) else {
            // A sealed slot's last unit came before the others. SYNC: reply-read (release)
            self.place(call.slot()).store(call.place(AWAITED), Ordering::Release);
            return Look::NotYet;
        };
        let result = read(reply);
        self.free(call);
        Look::Reply(result)
    }

    /// Whether the reply has come and was not taken.
    pub fn is_waiting(&self, call: Call) -> bool {
        self.is_answered(call) && self.place(call.slot()).load(Ordering::Relaxed) == call.place(AWAITED)
    }

    /// How many replies have come and were not taken.
    pub fn waiting(&self) -> usize {
        let Some(places) = self.places.get() else { return 0 };
        let of = |(slot, place): (usize, &AtomicU64)| {
            Call(call_at(slot as u32, (place.load(Ordering::Relaxed) >> 32) as u32))
        };
        places
            .iter()
            .enumerate()
            .map(of)
            .filter(|&call| call.generation() != 0 && self.is_waiting(call))
            .count()
    }

    /// Gives a call up: nobody takes its reply. Returns `false` if the reply was rescued.
    pub fn give_up(&self, call: Call) -> bool {
        let place = self.place(call.slot());
        let mut backoff = Backoff::new();
        loop {
            let (from, to) = (call.place(AWAITED), call.place(GIVEN_UP));
            // Nobody reads the reply, so there is nothing to release.
            match place.compare_exchange(from, to, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return true,
                Err(now) if now == call.place(READING) => backoff.snooze(),
                Err(_) => return false,
            }
        }
    }

    #[cold]
    fn unanswered<R>(&self, call: Call) -> Look<R> {
        // If the slot already has another call's reply, the load below sees that the place belongs to that
        // call.
        // SYNC: slot-published (acquire)
        fence(Ordering::Acquire);
        let now = self.place(call.slot()).load(Ordering::Relaxed);
        if now == call.place(AWAITED) { Look::NotYet } else { Look::Rescued }
    }

    /// The slot in which the reply to the message of an inbound ticket arrives.
    pub fn slot_of(&self, ticket: u64) -> u32 {
        ticket as u32 & (self.ring.layout.capacity - 1)
    }

    /// Whether a call's reply is published and still in its slot. Orders nothing.
    #[inline]
    pub fn is_answered(&self, call: Call) -> bool {
        self.ring.is_published(call.ticket(&self.ring))
    }

    /// Claims a call's reply for this thread to read.
    #[inline]
    fn claim(&self, call: Call) -> bool {
        let (from, to) = (call.place(AWAITED), call.place(READING));
        let place = self.place(call.slot());
        place.compare_exchange(from, to, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    #[inline]
    fn free(&self, call: Call) {
        // SYNC: reply-read (release)
        self.place(call.slot()).store(call.place(FREE), Ordering::Release);
    }

    /// A call's reply, if it has come. The caller has claimed it, so nobody writes it.
    #[inline]
    fn published(&self, call: Call) -> Option<Reply<'_>> {
        published_in(&self.ring, call.0)
    }
}

/// The ticket that has the slot and the lap of this address.
#[inline]
pub(super) fn ticket(call: u64, ring: &Ring) -> u64 {
    Call(call).ticket(ring)
}

/// The reply to the call of this address in a ring, if it has come. Nobody writes it as long as the result is used.
#[inline]
pub(super) fn published_in(ring: &Ring, call: u64) -> Option<Reply<'_>> {
    let Ring { region, layout, .. } = ring;
    let ticket = ticket(call, ring);
    let (meta, at): (u32, At) = if layout.is_sealed() {
        let image = Opened::new(region, layout, ticket)?;
        // SAFETY: the block put a word there.
        (unsafe { image.get(4) }, At::Sealed(image))
    } else {
        if !ring.is_published(ticket) {
            return None;
        }
        // SYNC: slot-published (acquire)
        fence(Ordering::Acquire);
        let slot = layout.slot_offset(ticket);
        (region.u32(slot + 4).load(Ordering::Relaxed), At::Open(slot + layout.payload_offset))
    };
    Some(Reply { kind: (meta >> 24) as u8, length: meta & 0xFF_FFFF, ring, at })
}

impl Reply<'_> {
    /// The stamp of the event that sent it; 0 for none, and of what is no
    /// [message](annulus_abi::ring::kind::MESSAGE).
    pub fn stamp(&self) -> u64 {
        let layout = &self.ring.layout;
        match (layout.stamp_offset, &self.at) {
            (Some(offset), At::Open(payload)) if self.kind == annulus_abi::ring::kind::MESSAGE => {
                // SAFETY: the slot is published, and as long as the reply exists nobody has it written again. The block
                // writes this word with a message.
                unsafe { self.ring.region.read(payload - layout.payload_offset + offset) }
            }
            _ => 0,
        }
    }

    /// A copy of the payload.
    ///
    /// # Safety
    ///
    /// It is a [`kind::MESSAGE`](annulus_abi::ring::kind::MESSAGE), and the block wrote a `T`.
    pub unsafe fn read<T: Copy>(&self) -> T {
        match &self.at {
            // SAFETY: the caller vouches for its type.
            At::Sealed(image) => unsafe { image.get(self.ring.layout.payload_offset) },
            // SAFETY: the slot is published, and as long as the reply exists nobody has the slot written
            // again. The caller vouches for its type.
            At::Open(payload) => unsafe { self.ring.region.read(*payload) },
        }
    }

    /// Copies the payload: [`read`](Self::read) for callers that do not know its type.
    ///
    /// # Panics
    ///
    /// If the ring's payload has another size.
    ///
    /// # Safety
    ///
    /// It is a [`kind::MESSAGE`](annulus_abi::ring::kind::MESSAGE).
    #[cfg(not(loom))]
    #[inline]
    pub unsafe fn read_bytes(&self, to: &mut [MaybeUninit<u8>]) {
        assert!(to.len() == self.ring.layout.payload_size, "a ring's payload has its message type's size");
        // SAFETY: by the caller's word.
        unsafe { self.read_part(0, to) };
    }

    /// Copies a part of the payload, from this offset on.
    ///
    /// # Panics
    ///
    /// If the payload ends before.
    ///
    /// # Safety
    ///
    /// It is a [`kind::MESSAGE`](annulus_abi::ring::kind::MESSAGE).
    #[cfg(not(loom))]
    #[inline]
    pub unsafe fn read_part(&self, offset: usize, to: &mut [MaybeUninit<u8>]) {
        let Ring { region, layout, .. } = self.ring;
        assert!(offset + to.len() <= layout.payload_size, "a part of a payload lies in it");
        match &self.at {
            At::Sealed(image) => image.get_bytes(layout.payload_offset + offset, to),
            At::Open(payload) => {
                let payload = region.pointer(*payload + offset).cast_const().cast();
                // SAFETY: as for `read`; the payload has as many bytes there, by the assertion, and is not `to`,
                // since nobody has a pointer into the ring.
                unsafe { copy(payload, to.as_mut_ptr(), to.len()) };
            }
        }
    }
}

/// The block's end: replies are written here.
#[derive(Debug)]
pub struct Answers {
    ring: Ring,
}

impl Answers {
    /// How many slots there are.
    #[inline]
    pub(super) fn capacity(&self) -> u32 {
        self.ring.layout.capacity
    }

    /// The block's end of a ring of replies.
    ///
    /// # Safety
    ///
    /// No other one exists or will exist.
    ///
    /// # Panics
    ///
    /// If slots are sealed: this end writes payloads in place.
    pub unsafe fn new(ring: Ring) -> Self {
        assert!(!ring.layout.is_sealed(), "this end's slots are open");
        Self { ring }
    }

    /// From the ring's start to the payload of a call's reply.
    #[inline]
    fn payload_offset(&self, call: u64) -> usize {
        let layout = &self.ring.layout;
        layout.slot_offset(Call(call).ticket(&self.ring)) + layout.payload_offset
    }

    /// Where the payload of a call's reply goes. It belongs to the block until it is published.
    #[cfg(not(loom))]
    #[inline]
    pub fn payload(&self, call: u64) -> *mut u8 {
        self.ring.region.pointer(self.payload_offset(call))
    }

    /// Writes the payload of a call's reply.
    ///
    /// # Safety
    ///
    /// As for [`publish`](Self::publish), and the reply is not published yet. The ring's payloads have the
    /// type's size.
    pub unsafe fn write<T: Copy>(&self, call: u64, value: T) {
        let region: &Region = &self.ring.region;
        // SAFETY: the slot is the block's by the caller's promise, and inside the region by the layout.
        unsafe { region.write(self.payload_offset(call), value) };
    }

    /// Publishes the reply to a call. A message's payload must have been written to it before.
    ///
    /// # Safety
    ///
    /// `call` is the address in a message that the block has taken and not given back, and this is its one
    /// reply.
    #[inline]
    pub unsafe fn publish(&self, call: u64, kind: u8, length: u32) {
        // SAFETY: by the caller's word.
        unsafe { self.publish_with(call, kind, length, Header::default()) };
    }

    /// The same, with an envelope.
    ///
    /// # Safety
    ///
    /// As for [`publish`](Self::publish).
    #[inline]
    pub unsafe fn publish_with(&self, call: u64, kind: u8, length: u32, header: Header) {
        // SAFETY: the slot is the block's by the caller's word.
        unsafe { self.ring.publish(Call(call).ticket(&self.ring), kind, length, header) };
    }
}
