//! The host's end of a shard's outbound ring, which carries outputs.

use annulus_abi::ring::kind;
use annulus_ring::ring::Consumer;
use annulus_sync::{Mutex, MutexGuard};

use std::sync::PoisonError;

use crate::{kernel::bytes::Bytes, stamps::note_stamp, traces::note_received};

/// The host's end of a shard's outbound ring, for any number of receivers.
pub(crate) struct Outbound(Mutex<Consumer>);

impl Outbound {
    pub(crate) fn new(consumer: Consumer) -> Self {
        Self(Mutex::new(consumer))
    }

    /// Writes the next output to `to`; `false` if there is none.
    #[inline]
    pub(crate) fn take(&self, to: &mut Bytes) -> bool {
        let mut consumer = self.lock();
        while let Some(slot) = consumer.peek() {
            let is_output = slot.kind == kind::MESSAGE;
            if is_output {
                // SAFETY: the slot was just peeked, and is a message.
                unsafe { consumer.read_bytes(&slot, to) };
                if slot.header.trace != 0 {
                    note_received(slot.header.trace);
                }
                note_stamp(slot.header.stamp);
            }
            consumer.advance(&slot);
            consumer.give_back();
            if is_output {
                return true;
            }
        }
        false
    }

    /// Takes up to `max` outputs.
    ///
    /// # Safety
    ///
    /// `outputs` takes outputs of this kernel's type.
    pub(crate) unsafe fn take_many<D: TakeRun + ?Sized>(&self, max: usize, outputs: &mut D) -> usize {
        // SAFETY: blocks write outputs of the kernel's type, which `outputs` takes by the caller's word.
        unsafe { outputs.take_run(&mut self.lock(), max) }
    }

    /// Shows the first word of each output that lies in the ring, and takes none.
    ///
    /// # Safety
    ///
    /// The kernel's outputs begin with such a word.
    pub(crate) unsafe fn look(&self, mut see: impl FnMut(u64)) {
        let consumer = self.lock();
        // This ends: a slot is published again only after it was given back.
        for slot in (0..).map_while(|slots| consumer.peek_after(slots)) {
            if slot.kind == kind::MESSAGE {
                // SAFETY: the slot was just peeked, is a message, and nobody moves past it under the lock; it begins with a
                // word by the caller's word.
                see(unsafe { consumer.read::<u64>(&slot) });
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Consumer> {
        // If a panic came between reading a slot and giving it back, the slot is read again.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes outputs out of a ring.
pub(crate) trait TakeRun {
    /// Takes up to `most` outputs out of the ring. Returns how many.
    ///
    /// # Safety
    ///
    /// Blocks write outputs of this type into the ring.
    unsafe fn take_run(&mut self, ring: &mut Consumer, most: usize) -> usize;
}

/// A destination for received outputs.
pub(crate) trait Destination: TakeRun {
    /// Appends this output.
    ///
    /// # Safety
    ///
    /// It is an output of the type that this takes.
    unsafe fn append(&mut self, output: &Bytes);
}
