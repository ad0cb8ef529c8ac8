//! A kernel's dead letters: from the rings of its shards into a store that the program reads.
//!
//! A block puts the message of a failed call into its shard's ring of letters before it gives the message's slot back, so whoever
//! sees the message consumed finds the letter, here or in the ring. Whoever collects takes one letter at a time under the ring's
//! lock and buries it outside, since burying may call the program's alert.

use std::panic::{AssertUnwindSafe, catch_unwind};

use annulus_abi::error;
use annulus_kernel::RingMessage;
use annulus_queue::{
    DeadLetters, Reason,
    ring::Consumer,
    sync::{Mutex, MutexGuard},
};

/// Slots of a shard's ring of letters. Source: this project's choice; letters are collected at each report of progress.
pub(crate) const RING_CAPACITY: u32 = 64;

/// The store, and the host's ends of the shards' rings.
pub(crate) struct Letters<M> {
    store: DeadLetters<M>,
    rings: Box<[Mutex<Consumer>]>,
}

impl<M: RingMessage> Letters<M> {
    /// A store of `capacity` letters for these rings.
    pub(crate) fn new(capacity: u32, rings: impl Iterator<Item = Consumer>) -> Self {
        Self { store: DeadLetters::with_capacity(capacity as usize), rings: rings.map(Mutex::new).collect() }
    }

    /// The store, with all that the shards have published.
    pub(crate) fn collected(&self) -> &DeadLetters<M> {
        (0..self.rings.len()).for_each(|shard| self.collect(shard));
        &self.store
    }

    /// Takes what a shard has published.
    pub(crate) fn collect(&self, shard: usize) {
        while let Some((message, code)) = take(&mut self.lock(shard)) {
            let reason = if code == error::UNKNOWN_ACTOR {
                Reason::Invalid(error::describe(code).into())
            } else {
                Reason::Handler { code }
            };
            // The alert is the program's code, and this may be a worker or the pump: the panic hook has told.
            let _ = catch_unwind(AssertUnwindSafe(|| self.store.bury_with_id(message, message.id(), reason)));
        }
    }

    fn lock(&self, shard: usize) -> MutexGuard<'_, Consumer> {
        // Nothing panics under the lock.
        self.rings[shard].lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

fn take<M: RingMessage>(ring: &mut Consumer) -> Option<(M, u16)> {
    let slot = ring.peek()?;
    // SAFETY: the slot was just peeked, and blocks copy messages of the kernel's message type into rings of letters.
    let message = unsafe { ring.read::<M>(&slot) };
    ring.advance(&slot);
    ring.give_back();
    Some((message, slot.length as u16))
}
