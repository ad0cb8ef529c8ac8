//! Messages that are written directly into the slot from which they are read.

use std::{fmt, mem::MaybeUninit};

use crate::TrySendError;
use annulus_sync::Ordering;

use super::{ProducerMode, Sender, VOID};

/// A place in the queue for one message, to be [written](Self::write) and [committed](Self::commit).
#[must_use = "nothing is sent unless it is written and committed"]
pub struct Reservation<'a, T: Send, P: ProducerMode> {
    sender: &'a mut Sender<T, P>,
    ticket: u64,
    /// Whether the place holds a message.
    written: bool,
}

impl<'a, T: Send, P: ProducerMode> Reservation<'a, T, P> {
    pub(super) fn new(sender: &'a mut Sender<T, P>, ticket: u64) -> Self {
        Self { sender, ticket, written: false }
    }

    /// Writes the message, dropping one that was written before, and gives access to it.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, single_consumer::spsc};
    /// # let (mut tx, mut rx) = spsc(QueueOptions::new())?;
    /// let mut place = tx.try_reserve()?;
    /// place.write([0; 32])[3] = 7;
    /// place.commit().unwrap();
    /// assert_eq!(rx.try_recv().unwrap()[3], 7);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn write(&mut self, message: T) -> &mut T {
        self.forget_written();
        self.written = true;
        self.place().write(message)
    }

    /// The uninitialized place, for a message that is built piece by piece: see
    /// [`assume_written`](Self::assume_written).
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, single_consumer::spsc};
    /// # let (mut tx, mut rx) = spsc::<u64>(QueueOptions::new())?;
    /// let mut place = tx.try_reserve()?;
    /// place.as_uninit().write(7);
    /// // SAFETY: it has just been written.
    /// unsafe { place.assume_written() };
    /// place.commit().unwrap();
    /// assert_eq!(rx.try_recv(), Ok(7));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn as_uninit(&mut self) -> &mut MaybeUninit<T> {
        self.forget_written();
        self.place()
    }

    /// Says that the place holds a message.
    ///
    /// # Safety
    /// All of the message was written through [`as_uninit`](Self::as_uninit), after its last call.
    #[inline]
    pub unsafe fn assume_written(&mut self) {
        self.written = true;
    }

    /// Sends the message. If the queue was closed meanwhile, the message comes back.
    ///
    /// # Panics
    /// If none was written.
    #[inline]
    pub fn commit(mut self) -> Result<(), TrySendError<T>> {
        assert!(self.written, "a reservation is committed after its message was written");
        self.written = false;
        let Self { sender: Sender { core, local }, ticket, .. } = &mut self;
        let ticket = *ticket;
        if P::CLAIM_IS_FINAL {
            // Before the receiver can count the message as received.
            core.tally.reserved.take_one();
        }
        // SYNC: single-consumer-published
        core.slab.slot(ticket).stamp.store(ticket + 1, Ordering::Release);
        local.pass(&core.producers, ticket);
        let accepted = core.announce(ticket + 1) > ticket;
        let outcome = if accepted { Ok(()) } else { core.refuse_published(local, ticket) };
        std::mem::forget(self);
        outcome
    }

    fn place(&mut self) -> &mut MaybeUninit<T> {
        // SAFETY: the ticket belongs to this sender, and the receiver has passed the one a lap before. So the
        // slot belongs to the sender until it is committed. The reference borrows the reservation, so there
        // is one at a time.
        unsafe { self.sender.core.slab.slot(self.ticket).place() }
    }

    fn forget_written(&mut self) {
        if std::mem::take(&mut self.written) {
            // SAFETY: the place holds a message, by `written`, which is false from here on.
            unsafe { self.place().assume_init_drop() };
        }
    }
}

impl<T: Send, P: ProducerMode> Drop for Reservation<'_, T, P> {
    fn drop(&mut self) {
        if P::CLAIM_IS_FINAL {
            // Before the message is dropped, since its `Drop` may panic: the receiver must not wait for ever.
            // But after that the slot belongs to the receiver, which may free it; so the message is moved out
            // first.
            // SAFETY: if `written`, the place holds a message; it is moved out once, since the reservation
            // ends here.
            let written = self.written.then(|| unsafe { self.sender.core.slab.slot(self.ticket).read() });
            let core = &*self.sender.core;
            // It stays counted as reserved.
            // SYNC: single-consumer-published
            core.slab.slot(self.ticket).stamp.store((self.ticket + 1) | VOID, Ordering::Release);
            // For a receiver that waits for messages behind the void: it looks again. The void itself needs
            // no wake-up.
            core.announce(self.ticket + 1);
            drop(written);
        } else {
            self.forget_written();
        }
    }
}

impl<T: Send, P: ProducerMode> fmt::Debug for Reservation<'_, T, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reservation").field("written", &self.written).finish_non_exhaustive()
    }
}
