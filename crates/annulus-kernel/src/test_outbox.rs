//! An outbox for tests that call a handler as a plain function.

use std::{fmt, mem::MaybeUninit, ops::Deref};

use crate::{Outbox, RawOutbox, RingMessage};

/// Keeps what a handler sends, for tests that call handlers as functions: pass `&outbox` where the handler
/// takes `&Outbox<M>`.
///
/// It rolls nothing back: the kernel around the handler undoes the state and the sends of a failed call.
///
/// ```
/// # extern crate annulus_runtime as annulus;
/// use annulus::prelude::*;
/// use annulus_kernel::TestOutbox;
///
/// #[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
/// #[repr(C)]
/// struct Number(u32);
///
/// /// Halves even numbers.
/// #[ring_kernel]
/// fn halve(number: &Number, halves: &Outbox<Number>) {
///     if number.0.is_multiple_of(2) {
///         halves.send(Number(number.0 / 2));
///     }
/// }
///
/// let mut outbox = TestOutbox::new(1);
/// halve(&Number(8), &outbox);
/// assert_eq!(outbox.take(), [Number(4)]);
/// halve(&Number(7), &outbox);
/// assert!(outbox.take().is_empty());
/// ```
pub struct TestOutbox<M> {
    raw: RawOutbox,
    slots: *mut MaybeUninit<M>,
    /// Owns the slots, which are accessed only through the pointer.
    _memory: Vec<MaybeUninit<M>>,
}

impl<M: RingMessage> TestOutbox<M> {
    /// An outbox with room for `max_outputs` messages before they are [taken](Self::take). Use the number in
    /// the kernel's attribute, or 1 if it has none.
    pub fn new(max_outputs: u32) -> Self {
        let count = (max_outputs as usize).next_power_of_two();
        let mut memory = Vec::with_capacity(count);
        memory.resize_with(count, MaybeUninit::uninit);
        let slots = memory.as_mut_ptr();
        // SAFETY: `count` payloads of `M`, one after the other, belong to this outbox alone as long as it
        // lives, since the vector is neither touched nor dropped before. The tickets up to the limit name
        // different payloads.
        let raw = unsafe { RawOutbox::new(slots.cast(), size_of::<M>(), count as u64 - 1, max_outputs) };
        Self { raw, slots, _memory: memory }
    }

    /// The messages that were sent since the last call, in order. Afterwards there is room for `max_outputs`
    /// messages again.
    pub fn take(&mut self) -> Vec<M> {
        let sent = self.raw.sent() as usize;
        let message = |index| {
            // SAFETY: at most `max_outputs` messages are sent, and there are as many slots.
            let slot = unsafe { self.slots.add(index) };
            // SAFETY: the slot belongs to this outbox, and nobody writes to it meanwhile: `send` needs a
            // shared borrow.
            let slot = unsafe { slot.read() };
            // SAFETY: `send` wrote a message to each of the first `sent` slots.
            unsafe { slot.assume_init() }
        };
        let messages = (0..sent).map(message).collect();
        // SAFETY: the slots are this outbox's own.
        unsafe { self.raw.begin(0) };
        messages
    }

    /// Whether more than `max_outputs` messages were sent since the last [`take`](Self::take). In a kernel
    /// such a call fails.
    pub fn sent_too_many(&self) -> bool {
        self.raw.refused()
    }
}

impl<M: RingMessage> Deref for TestOutbox<M> {
    type Target = Outbox<M>;

    fn deref(&self) -> &Outbox<M> {
        // SAFETY: the untyped outbox was made for messages of type `M`.
        unsafe { Outbox::from_raw(&self.raw) }
    }
}

impl<M> fmt::Debug for TestOutbox<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TestOutbox").field("sent", &self.raw.sent()).finish_non_exhaustive()
    }
}
