//! Messages that carry a trace.
//!
//! A launch may ask for one more word in the envelope: [`trace`]. The handler's call of a message whose word is not 0 gets a
//! span of its own, which all its outputs carry, and the block writes a [`Record`] of it. The ring of records is like that
//! of dead letters: one producer, the block; one consumer, the host; a record without room is lost and counted. So a block
//! waits for nobody because of traces, and reads the clock only for messages that carry one.
//!
//! What a handler sends to itself carries no trace: else a kernel that ticks would be followed for ever.

use annulus_abi::{
    ring::kind,
    trace::{self, Record},
};
use annulus_ring::{
    memory::ShardMemory,
    ring::{Header, SoleProducer},
};

use crate::{
    publish::add,
    runner::Runner,
    turn::{BlockCore, TurnTotals},
};

/// The block's end of the ring of records.
pub(crate) struct Records {
    ring: SoleProducer,
    seed: u32,
    /// Messages that carried a trace since launch.
    number: u32,
}

impl Records {
    /// `None` if the launch keeps none.
    ///
    /// # Safety
    ///
    /// The block makes it once, and keeps the memory beside it.
    pub(crate) unsafe fn new(memory: &ShardMemory, seed: u32) -> Option<Self> {
        // SAFETY: by the caller's word.
        let ring = unsafe { memory.records() }?;
        // SAFETY: as above.
        Some(Self { ring: unsafe { SoleProducer::new(ring) }, seed, number: 0 })
    }
}

/// A call of the handler of a message that carries a trace.
#[derive(Clone, Copy)]
pub(crate) struct Followed {
    pub(crate) word: u64,
    pub(crate) enqueued: u64,
    pub(crate) taken: u64,
}

impl<R: Runner> BlockCore<R> {
    /// Writes the record of a call that has just ended, or counts it as lost. Returns the word of what it has sent.
    // TWIN: record
    #[cold]
    pub(crate) fn record(&mut self, call: Followed, code: u16, batch: &mut TurnTotals) -> u64 {
        let Some(records) = &mut self.records else { return 0 };
        let span = trace::span(records.seed, self.cx.block_index(), records.number);
        records.number = records.number.wrapping_add(1);
        let record = Record {
            word: call.word,
            span,
            code: code.into(),
            enqueued: call.enqueued,
            taken: call.taken,
            done: R::now(&self.clock),
            sent: if code == 0 { self.outbox.sent() } else { 0 },
            together: 1,
        };
        if records.ring.has_credit(1) {
            let bytes = size_of::<Record>() as u32;
            let from = std::ptr::from_ref(&record).cast();
            // SAFETY: there is credit for the slot, and the ring's payloads are records.
            unsafe { records.ring.publish_copy(kind::RECORD, bytes, Header::default(), from) };
            records.ring.show();
            batch.recorded = true;
        } else {
            add(records.ring.ring().lost(), 1);
        }
        trace::word_of(call.word, span)
    }
}
