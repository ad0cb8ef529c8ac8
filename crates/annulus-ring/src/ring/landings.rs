//! Answers to calls through pipelines: slots that belong to places, one in each kernel on the way.
//!
//! # Room
//!
//! A call through a pipeline has a *place*: a number that no other open call of the runtime has. In the memory of each
//! kernel that such calls pass there is a slot for each place, so whichever of these kernels ends the call has room to
//! say so. No answer waits for room, and nothing is asked for credit.
//!
//! What other kernels ask has places of its own, which each asked kernel numbers for itself: the second half of the slots. On a
//! device these slots lie elsewhere, where other kernels see them.
//!
//! # Words and writers
//!
//! | word | written by | read by |
//! |---|---|---|
//! | a message's correlation: the call's address, [`call_through`](annulus_abi::ring::call_through) | the caller; a block that sends the call on | the block that takes the message |
//! | in each kernel, the slot of a place: `commit`, `meta`, payload | the block of that kernel that ends the call | the caller |
//! | a place's generation, and who has it | the host, under a lock | the host, under that lock |
//!
//! **One answer.** An address is in one message at a time: the caller writes it into one, and a block that has taken this
//! one either answers, or writes it into one output, which it sends or loses. So one block answers, once. It publishes
//! the slot with the call's generation as its lap, which tells the caller that it is *its* answer.
//!
//! **A place is used again** only after its answer was read, or would be read by nobody and has come. The next call
//! takes a generation that no slot of the place shows.
//!
//! # Ordering
//!
//! * `slot-published`: as in any ring.
//! * The caller's reads come before the next answer is written there: it gives the place back under the lock under which
//!   the next caller takes it, who then publishes its message (release); each block on the way takes the message with
//!   acquire and sends it on with release.

use annulus_abi::ring::{call_asked, call_at, is_ask, kind, place_of};

use annulus_sync::Ordering;

use super::{Answers, Reply, Ring, replies::published_in};

/// The host's end of a kernel's landings. Any number of threads may use it.
#[derive(Debug)]
pub struct Landings {
    /// By shards.
    rings: Box<[Ring]>,
}

/// In which of `shards` shards the slot of a call or an ask is, and its address there. Each shard has so many slots, of which the
/// second half is for asks.
#[inline]
fn slot(call: u64, shards: usize, slots: u32) -> (usize, u64) {
    let (place, shards) = (place_of(call), shards as u32);
    let first = if is_ask(call) { slots / 2 } else { 0 };
    ((place % shards) as usize, call_at(first + place / shards, (call >> 32) as u32))
}

impl Landings {
    /// The host's end.
    ///
    /// # Safety
    ///
    /// The rings are a kernel's landings, by its shards, and their slots are open.
    pub unsafe fn new(rings: impl Iterator<Item = Ring>) -> Self {
        Self { rings: rings.collect() }
    }

    /// The ring with the slot of a call or an ask, and its address there.
    #[inline]
    fn of(&self, call: u64) -> (&Ring, u64) {
        let (shard, call) = slot(call, self.rings.len(), self.rings[0].layout().capacity);
        (&self.rings[shard], call)
    }

    /// Whether the answer to this call is here. Orders nothing.
    #[inline]
    pub fn shows(&self, call: u64) -> bool {
        let (ring, call) = self.of(call);
        ring.is_published(super::replies::ticket(call, ring))
    }

    /// The generation that a place of asks shows: that of the last one that was answered there. Who sees that of an ask sees the
    /// answer.
    #[inline]
    pub fn generation(&self, place: u32) -> u32 {
        let (ring, call) = self.of(call_asked(place, 0));
        // SYNC: slot-published (acquire)
        ring.commit(super::replies::ticket(call, ring)).load(Ordering::Acquire)
    }

    /// Ends a call that no block will end any more.
    ///
    /// # Safety
    ///
    /// No block has its address, and none gets it.
    pub unsafe fn end(&self, call: u64) {
        let (ring, call) = self.of(call);
        // SAFETY: nobody else writes this slot, by the caller's word.
        let answers = unsafe { Answers::new(ring.clone()) };
        // SAFETY: as above; there is no payload.
        unsafe { answers.publish(call, kind::ENDED, 0) };
    }

    /// Reads the answer to this call, if it is here. The caller has the call's place.
    #[inline]
    pub fn look<R>(&self, call: u64, read: impl FnOnce(Reply<'_>) -> R) -> Option<R> {
        let (ring, call) = self.of(call);
        published_in(ring, call).map(read)
    }
}

/// A block's end of its kernel's landings.
#[derive(Debug)]
pub struct Ends {
    /// By shards.
    answers: Box<[Answers]>,
}

impl Ends {
    /// A block's end.
    ///
    /// # Safety
    ///
    /// The rings are the landings of the block's kernel, by its shards.
    pub unsafe fn new(rings: impl Iterator<Item = Ring>) -> Self {
        // SAFETY: by the caller's word. Several ends of one ring are sound here: a slot is written for one call, by
        // the one block that ends it.
        Self { answers: rings.map(|ring| unsafe { Answers::new(ring) }).collect() }
    }

    /// Whether there are any.
    pub fn is_empty(&self) -> bool {
        self.answers.is_empty()
    }

    /// Where the answer to a call goes: a ring, and the call's address in it.
    #[inline]
    pub fn of(&self, call: u64) -> (&Answers, u64) {
        let (shard, call) = slot(call, self.answers.len(), self.answers[0].capacity());
        (&self.answers[shard], call)
    }
}
