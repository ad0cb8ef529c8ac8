//! The host's end of a shard's outbound ring: outputs, and replies to calls.

use std::mem::MaybeUninit;

use annulus_abi::ring::kind;
use annulus_ring::ring::Consumer;
use annulus_sync::{AtomicUsize, combining::CombiningLock};

use crate::{
    error::CallError,
    kernel::{
        bytes::{ByteQueue, Bytes, blank},
        calls::CallTable,
    },
};

/// The host's end of a shard's outbound ring.
pub(crate) struct Outbound {
    pub(crate) end: CombiningLock<OutboundEnd>,
    /// How many outputs are parked in the end, or one more. Written under its lock; before an output leaves
    /// the ring to be parked, it is counted here, so that a look without the lock finds it in one of the two
    /// (`SYNC: parked`).
    pub(crate) parked: AtomicUsize,
}

pub(crate) struct OutboundEnd {
    pub(crate) consumer: Consumer,
    /// Outputs that stood before replies that somebody waits for: at most twice as many as the ring has
    /// slots, and what the ring holds in the end.
    pub(crate) parked: ByteQueue,
    /// A place for what is put aside, if it is large.
    passing: Box<Bytes>,
}

/// Bytes of an output that passes through the stack. Source: this project's choice.
const NEAR: usize = 256;

impl Outbound {
    /// For outputs of `size` bytes.
    pub(crate) fn new(consumer: Consumer, size: usize) -> Self {
        let (parked, passing) = (ByteQueue::new(size), blank(size));
        Self {
            end: CombiningLock::new(OutboundEnd { consumer, parked, passing }),
            parked: AtomicUsize::new(0),
        }
    }
}

impl OutboundEnd {
    /// Writes the next output that is no reply to `to`; `false` if there is none. Completes the calls whose
    /// replies stand before it.
    #[inline]
    pub(crate) fn take(&mut self, calls: &CallTable, to: &mut Bytes) -> bool {
        if self.parked.pop(to) {
            return true;
        }
        loop {
            match Self::step(&mut self.consumer, calls, to) {
                Some(false) => {}
                taken => return taken.is_some(),
            }
        }
    }

    /// Completes every call whose reply is there, as far as there is room to park what stands in between.
    /// What stands in front is parked only while somebody waits for a reply; replies that nobody waits for
    /// any more always go.
    #[inline]
    pub(crate) fn demultiplex(&mut self, calls: &CallTable, room: usize) {
        // Not in a line that two cores write in turn, if it is small.
        let mut near = [MaybeUninit::uninit(); NEAR];
        let size = self.passing.len();
        let passing = if size <= NEAR { &mut near[..size] } else { &mut *self.passing };
        while let Some(slot) = self.consumer.peek() {
            let reply = slot.header.correlation != 0;
            if !reply && (calls.pending() == 0 || self.parked.len() >= room) {
                return;
            }
            if Self::step(&mut self.consumer, calls, passing) == Some(true) {
                self.parked.push(passing);
            }
        }
    }

    /// Takes one slot out of the ring: `None` if there is none, `Some(true)` if it held an output, which is
    /// written to `to`. Writes there in any case.
    #[inline]
    fn step(consumer: &mut Consumer, calls: &CallTable, to: &mut Bytes) -> Option<bool> {
        let slot = consumer.peek()?;
        let result = match slot.kind {
            kind::MESSAGE => {
                // SAFETY: the slot was just peeked, and is a message.
                unsafe { consumer.read_bytes(&slot, to) };
                Ok(())
            }
            kind::FAILED => Err(CallError::Failed { code: slot.length as u16 }),
            _ => Err(CallError::NoReply),
        };
        consumer.advance(&slot);
        consumer.give_back();
        if slot.header.correlation == 0 {
            return Some(result.is_ok());
        }
        calls.complete(slot.header.correlation, result.map(|()| &*to));
        Some(false)
    }
}

/// Room for outputs.
pub(crate) trait Destination {
    /// A place for one output.
    fn place(&mut self) -> &mut Bytes;
    /// Takes outputs out of the ring, up to `most` and up to the first slot that has something else; how
    /// many.
    ///
    /// # Safety
    ///
    /// Blocks write outputs of this type into the ring.
    unsafe fn take_run(&mut self, ring: &mut Consumer, most: usize) -> usize;
    /// Keeps what was written to the [`place`](Self::place).
    ///
    /// # Safety
    ///
    /// It was asked for just now, and an output of the type was written there.
    unsafe fn keep_one(&mut self);
}
