//! A ring of plain old data. It has one writer, which never waits: a message that a reader does not read in
//! time is overwritten.
//!
//! Use it for readings if only the newest ones matter. The writer does not know its readers, so there may be
//! any number. Each reads all messages since it was made, at its own pace. A reader that falls behind by more
//! than the capacity loses the oldest messages, and counts how many. Unlike in a [`queue`](crate::queue)
//! under [`DropOldest`](crate::Backpressure::DropOldest), nobody gets the overwritten messages back.
//!
//! ```
//! use annulus_queue::{TryRecvError, lossy::ring};
//!
//! let (mut tx, mut rx) = ring::<[u64; 2]>(16)?;
//! for i in 0..20 {
//!     tx.send([i, i * i]);
//! }
//! assert_eq!(rx.try_recv(), Ok([4, 16]));
//! assert_eq!(rx.lost(), 4);
//! while rx.try_recv().is_ok() {}
//! drop(tx);
//! assert_eq!(rx.try_recv(), Err(TryRecvError::Closed));
//! # Ok::<(), annulus_queue::InvalidOptions>(())
//! ```
//!
//! # Protocol
//!
//! The nth message has ticket n, and lies in slot `n mod capacity`. Its words are copied as atomics, so a
//! reader may look while the writer writes. All words are written by the writer only.
//!
//! ```text
//!  stamp 2t + 1   the message of ticket t is being written
//!  stamp 2t + 2   it is written
//! ```
//!
//! The writer stores `2t + 1`, makes a release fence, stores the words, and releases `2t + 2` (`SYNC:
//! lossy-written`). A reader acquires the stamp, loads the words, makes an acquire fence, and loads the stamp
//! again. If a word was of a later message, the two fences meet over it (`SYNC: lossy-torn`): the second
//! stamp is at least that message's `2t + 1`, and differs from the first. So what a reader returns is whole.

use std::{fmt, marker::PhantomData, mem::MaybeUninit};

use crate::{InvalidOptions, OptionProblem, TryRecvError, memory::shared_bytes};
use annulus_sync::{Arc, AtomicBool, AtomicU64, Ordering, fence};

/// Data that consists only of its bytes.
///
/// # Safety
/// The type has no padding, any bytes are a value of it, and its size is a multiple of 8 bytes. It has no
/// pointers, not even raw ones: a ring copies messages as integers, and a copy of its bytes loses what a
/// pointer may point to.
pub unsafe trait Plain: Copy + Send + 'static {}

// SAFETY: eight bytes, all of them the value.
unsafe impl Plain for u64 {}
// SAFETY: the same.
unsafe impl Plain for i64 {}
// SAFETY: the same.
unsafe impl Plain for f64 {}
// SAFETY: elements follow each other without padding, and are plain.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}

/// Words of one cache line.
const LINE: usize = 8;

/// A cache line.
#[repr(align(64))]
struct Line([AtomicU64; LINE]);

struct Ring {
    /// For each slot, its stamp and then its words, in as many lines as needed.
    lines: Box<[Line]>,
    lines_each: usize,
    /// The capacity, less one.
    mask: u64,
    /// Whether the writer is gone. Written once, after its last message.
    closed: AtomicBool,
}

/// The writing end of a lossy ring. There is one.
pub struct Writer<T> {
    ring: Arc<Ring>,
    next: u64,
    writes: PhantomData<fn(T)>,
}

/// A reading end of a lossy ring. A clone continues at the same message as the original.
pub struct Reader<T> {
    ring: Arc<Ring>,
    /// The next ticket to read.
    next: u64,
    lost: u64,
    reads: PhantomData<fn() -> T>,
}

/// Makes a lossy ring for `capacity` messages, rounded up to a power of two and to at least two.
///
/// ```
/// use annulus_queue::lossy::ring;
///
/// let (mut tx, mut rx) = ring(16)?;
/// tx.send(1.5);
/// assert_eq!(rx.try_recv(), Ok(1.5));
/// assert!(ring::<u64>(usize::MAX).is_err());
/// # Ok::<(), annulus_queue::InvalidOptions>(())
/// ```
pub fn ring<T: Plain>(capacity: usize) -> Result<(Writer<T>, Reader<T>), InvalidOptions> {
    let given = capacity;
    let capacity = slots::<T>(given).ok_or_else(|| no_memory(given, None))?;
    let lines_each = lines_each::<T>();
    let count = capacity * lines_each;
    let mut lines = Vec::new();
    lines.try_reserve_exact(count).map_err(|_| no_memory(given, Some(count * size_of::<Line>())))?;
    lines.extend((0..count).map(|_| Line(std::array::from_fn(|_| AtomicU64::new(0)))));
    let closed = AtomicBool::new(false);
    let lines = lines.into_boxed_slice();
    let ring = Arc::new(Ring { lines, lines_each, mask: capacity as u64 - 1, closed });
    let writer = Writer { ring: Arc::clone(&ring), next: 0, writes: PhantomData };
    Ok((writer, Reader { ring, next: 0, lost: 0, reads: PhantomData }))
}

/// The exact number of bytes that [`ring`] allocates for messages of type `T`; nothing is allocated later.
/// `usize::MAX` if that exceeds the address space.
///
/// ```
/// // A message of up to 56 bytes takes a cache line.
/// assert!(annulus_queue::lossy::memory_usage::<[u64; 7]>(16) >= 16 * 64);
/// ```
pub fn memory_usage<T: Plain>(capacity: usize) -> usize {
    slots::<T>(capacity)
        .map_or(usize::MAX, |slots| shared_bytes::<Ring>() + slots * lines_each::<T>() * size_of::<Line>())
}

fn no_memory(given: usize, bytes: Option<usize>) -> InvalidOptions {
    InvalidOptions::of(OptionProblem::Memory { given, bytes })
}

/// How many slots a ring for `capacity` messages has; `None` if that exceeds the largest possible allocation.
fn slots<T: Plain>(capacity: usize) -> Option<usize> {
    let slots = capacity.checked_next_power_of_two()?.max(2);
    let bytes = slots.checked_mul(lines_each::<T>() * size_of::<Line>())?;
    isize::try_from(bytes).is_ok().then_some(slots)
}

/// How many lines a slot has.
const fn lines_each<T: Plain>() -> usize {
    (1 + words::<T>()).div_ceil(LINE)
}

const fn words<T: Plain>() -> usize {
    assert!(size_of::<T>().is_multiple_of(8), "`Plain` promises a size in words");
    size_of::<T>() / 8
}

impl Ring {
    /// The lines of the slot that serves `ticket`.
    #[inline(always)]
    fn slot(&self, ticket: u64) -> &[Line] {
        let first = (ticket & self.mask) as usize * self.lines_each;
        &self.lines[first..first + self.lines_each]
    }
}

/// Word 0 of a slot is its stamp; the words from 1 on are its message.
#[inline(always)]
fn word(slot: &[Line], i: usize) -> &AtomicU64 {
    &slot[i / LINE].0[i % LINE]
}

impl<T: Plain> Writer<T> {
    /// Writes a message. If the ring is full, it overwrites the oldest. Never waits.
    ///
    /// ```
    /// # let (mut tx, mut rx) = annulus_queue::lossy::ring(2)?;
    /// (0..3u64).for_each(|i| tx.send(i));
    /// assert_eq!(rx.try_recv(), Ok(1));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    #[inline]
    pub fn send(&mut self, message: T) {
        let ticket = self.next;
        let slot = self.ring.slot(ticket);
        let stamp = word(slot, 0);
        stamp.store(2 * ticket + 1, Ordering::Relaxed);
        // SYNC: lossy-torn
        fence(Ordering::Release);
        let from = (&raw const message).cast::<u64>();
        for i in 0..words::<T>() {
            // SAFETY: there are as many words as the message has.
            let from = unsafe { from.add(i) };
            // SAFETY: inside the message, all of whose bytes are initialized, by `Plain`; it may be aligned
            // to less.
            let value = unsafe { from.read_unaligned() };
            word(slot, 1 + i).store(value, Ordering::Relaxed);
        }
        // SYNC: lossy-written
        stamp.store(2 * ticket + 2, Ordering::Release);
        self.next = ticket + 1;
    }
}

impl<T: Plain> Reader<T> {
    /// Returns the oldest message that this reader has not read and that is still there. The writer may
    /// overwrite messages at any time: a message that it overwrites during the copy counts as lost, and the
    /// reader continues with the oldest that is there then. So a writer that laps the reader again and again,
    /// which can happen with a small ring and large messages, delays the reader for as long as it does so.
    ///
    /// ```
    /// # use annulus_queue::{TryRecvError, lossy::ring};
    /// let (mut tx, mut rx) = ring(16)?;
    /// tx.send(7u64);
    /// assert_eq!((rx.try_recv(), rx.try_recv()), (Ok(7), Err(TryRecvError::Empty)));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    #[inline]
    pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
        loop {
            let expected = 2 * self.next + 2;
            let slot = self.ring.slot(self.next);
            let stamp = word(slot, 0);
            // SYNC: lossy-written
            let before = stamp.load(Ordering::Acquire);
            if before == expected {
                let mut message = MaybeUninit::<T>::uninit();
                let to = message.as_mut_ptr().cast::<u64>();
                for i in 0..words::<T>() {
                    let value = word(slot, 1 + i).load(Ordering::Relaxed);
                    // SAFETY: there are as many words as the message has.
                    let to = unsafe { to.add(i) };
                    // SAFETY: inside the message, which may be aligned to less.
                    unsafe { to.write_unaligned(value) };
                }
                // SYNC: lossy-torn
                fence(Ordering::Acquire);
                let after = stamp.load(Ordering::Relaxed);
                if after == before {
                    self.next += 1;
                    // SAFETY: all of its words were written, and any bytes are a message, by `Plain`.
                    return Ok(unsafe { message.assume_init() });
                }
                self.skip(after);
            } else if before > expected {
                self.skip(before);
            } else if self.ring.closed.load(Ordering::Acquire) {
                // SYNC: lossy-closed. The writer stored its last stamp before; had there been one here, it
                // would be visible now.
                if stamp.load(Ordering::Relaxed) < expected {
                    return Err(TryRecvError::Closed);
                }
            } else {
                return Err(TryRecvError::Empty);
            }
        }
    }

    /// Skips the overwritten messages: the slot of this reader now has a later message's stamp.
    #[cold]
    fn skip(&mut self, stamp: u64) {
        // The writer is at this ticket or further, so all messages up to one lap before it are overwritten.
        let later = (stamp - 1) / 2;
        let oldest = later - self.ring.mask;
        self.lost += oldest - self.next;
        self.next = oldest;
    }

    /// How many messages were overwritten before this reader read them.
    ///
    /// ```
    /// # let (mut tx, mut rx) = annulus_queue::lossy::ring(2)?;
    /// (0..5u64).for_each(|i| tx.send(i));
    /// assert_eq!((rx.try_recv(), rx.lost()), (Ok(3), 3));
    /// # Ok::<(), annulus_queue::InvalidOptions>(())
    /// ```
    pub fn lost(&self) -> u64 {
        self.lost
    }
}

impl<T> Clone for Reader<T> {
    fn clone(&self) -> Self {
        Self { ring: Arc::clone(&self.ring), next: self.next, lost: self.lost, reads: PhantomData }
    }
}

impl<T> Drop for Writer<T> {
    fn drop(&mut self) {
        // SYNC: lossy-closed
        self.ring.closed.store(true, Ordering::Release);
    }
}

impl<T> fmt::Debug for Writer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").field("sent", &self.next).finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for Reader<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader").field("next", &self.next).field("lost", &self.lost).finish_non_exhaustive()
    }
}
