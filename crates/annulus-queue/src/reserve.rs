//! Messages that are written directly into the slot from which they are read.

use std::{fmt, mem::MaybeUninit};

use crate::{TrySendError, queue::Shared, slots::Claim};

/// A place in a queue for one message, to be [written](Self::write) and [committed](Self::commit):
/// see [`Sender::try_reserve`](crate::Sender::try_reserve).
#[must_use = "nothing is sent unless it is written and committed"]
pub struct Reservation<'a, T> {
    shared: &'a Shared<T>,
    /// `Some` until the reservation is committed or dropped.
    claim: Option<Claim>,
    /// Whether the place holds a message.
    written: bool,
}

impl<'a, T> Reservation<'a, T> {
    pub(crate) fn new(shared: &'a Shared<T>) -> Result<Self, TrySendError<()>> {
        Ok(Self { shared, claim: Some(shared.reserve()?), written: false })
    }

    /// Writes the message, dropping one that was written before, and gives access to it.
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, queue};
    /// # let (tx, rx) = queue(QueueOptions::new())?;
    /// let mut place = tx.try_reserve()?;
    /// place.write([0; 32])[3] = 7;
    /// place.commit();
    /// assert_eq!(rx.try_recv().unwrap()[3], 7);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn write(&mut self, message: T) -> &mut T {
        self.drop_written();
        self.written = true;
        self.place().write(message)
    }

    /// The uninitialized place, for a message that is built piece by piece: see
    /// [`assume_written`](Self::assume_written).
    ///
    /// ```
    /// # use annulus_queue::{QueueOptions, queue};
    /// # let (tx, rx) = queue::<u64>(QueueOptions::new())?;
    /// let mut place = tx.try_reserve()?;
    /// place.as_uninit().write(7);
    /// // SAFETY: it has just been written.
    /// unsafe { place.assume_written() };
    /// place.commit();
    /// assert_eq!(rx.try_recv(), Ok(7));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn as_uninit(&mut self) -> &mut MaybeUninit<T> {
        self.drop_written();
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

    /// Sends the message. If the queue was closed meanwhile, the message is accepted all the same, since its
    /// place was taken before.
    ///
    /// # Panics
    /// If none was written.
    #[inline]
    pub fn commit(mut self) {
        assert!(self.written, "a reservation is committed after its message was written");
        let claim = self.claim.take().expect("only here and in `drop` it is taken");
        // SAFETY: the place holds a message, by `written`.
        unsafe { self.shared.commit(claim) };
    }

    fn place(&mut self) -> &mut MaybeUninit<T> {
        let claim = self.claim.as_mut().expect("it is there until the reservation ends");
        self.shared.place(claim)
    }

    fn drop_written(&mut self) {
        if std::mem::take(&mut self.written) {
            // SAFETY: the place holds a message, by `written`, which is false from here on.
            unsafe { self.place().assume_init_drop() };
        }
    }
}

impl<T> Drop for Reservation<'_, T> {
    /// Leaves an empty ticket, which receivers skip.
    fn drop(&mut self) {
        if self.claim.is_none() {
            return;
        }
        // The message is moved out of the slot before the slot is given to the consumers, and dropped after
        // that: its `Drop` may panic.
        let written = std::mem::take(&mut self.written).then(|| {
            // SAFETY: the place holds a message, by `written`; it is moved out once.
            unsafe { self.place().assume_init_read() }
        });
        if let Some(claim) = self.claim.take() {
            self.shared.withdraw(claim);
        }
        drop(written);
    }
}

impl<T> fmt::Debug for Reservation<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reservation").field("written", &self.written).finish_non_exhaustive()
    }
}
