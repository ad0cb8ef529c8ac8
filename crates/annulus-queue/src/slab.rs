//! The slots of a queue in memory: where each lies, and what its owner may do with it.
//!
//! A slot is a stamp and a message. Which stamp means what, and who owns a slot when, is the business of the protocols in
//! `slots` and `solo`; here is only where they lie. **A slot that fits into a cache line lies in one**, stamp and all: 8 bytes of stamp
//! and up to 56 of message move between two cores as one line. Such slots are padded to a power of two, and the first begins a
//! line. Larger ones follow each other as closely as their alignment allows.
//!
//! **Streams move messages in words of 8 bytes**, although vectors would take fewer instructions. A core that writes line after line
//! to another waits for the right to each, and hides that by asking for the lines of the stores that it holds back; measured on
//! Zen 4, it does so far ahead for plain word stores, in ascending order, with no others between, and hardly for vector stores:
//! 8 ns a line against 19. That is also why the stamp comes last. Where a compare-exchange comes between messages, which waits for all
//! stores before it, there is nothing to hide, and vectors are as good.

use std::{
    alloc::{Layout, alloc, dealloc, handle_alloc_error},
    marker::PhantomData,
    mem::{MaybeUninit, needs_drop},
    ops::Range,
    ptr::NonNull,
};

use crate::{
    dropping::drop_all,
    sync::{AtomicU64, Ordering, UnsafeCell},
};

/// The usual size of a cache line, and where a slab begins: a multiple, since x86-64 fetches lines in pairs.
const LINE: usize = 64;
const START: usize = 2 * LINE;

/// The stamp lies behind the message, since it is written after it.
#[repr(C)]
pub(crate) struct Slot<T> {
    /// Holds a message exactly while the protocol says so.
    message: UnsafeCell<MaybeUninit<T>>,
    /// The state, as the protocol says. Written by the slot's owner only.
    pub(crate) stamp: AtomicU64,
}

// SAFETY: a shared slot gives access to its message only to its owner, and there is one at a time, with a happens-before edge
// from each to the next (that is what the callers of its unsafe methods promise). So messages only move between threads,
// which `T: Send` allows.
unsafe impl<T: Send> Sync for Slot<T> {}

impl<T> Slot<T> {
    /// # Safety
    /// The caller owns the slot, and it holds no message.
    #[inline(always)]
    pub(crate) unsafe fn write(&self, message: T) {
        self.message.with_mut(|place| {
            // SAFETY: the place is inside the slot, so it is aligned and lives; the caller owns the slot, so nobody else looks.
            unsafe { place.write(MaybeUninit::new(message)) }
        });
    }

    /// # Safety
    /// The caller owns the slot, it holds a message, and the caller treats it as holding none afterwards.
    #[inline(always)]
    pub(crate) unsafe fn read(&self) -> T {
        self.message.with_mut(|place| {
            // SAFETY: the place is aligned, lives, and holds a message, all by the caller's word; nobody else looks, since the
            // caller owns the slot; and it is read once, since the caller treats it as moved out.
            unsafe { place.cast::<T>().read() }
        })
    }

    /// [`write`](Self::write) for streams: in words.
    ///
    /// # Safety
    /// The caller owns the slot, and it holds no message.
    #[inline(always)]
    pub(crate) unsafe fn write_words(&self, message: T) {
        self.message.with_mut(|place| {
            // SAFETY: the place is inside the slot, so it is aligned and lives; the caller owns the slot, so nobody else looks.
            unsafe { store(place, MaybeUninit::new(message)) }
        });
    }

    /// The place of the message, for its owner to write.
    ///
    /// # Safety
    /// The caller owns the slot for as long as it uses the reference, and makes no second one meanwhile.
    #[inline]
    #[allow(clippy::mut_from_ref, reason = "ownership of a slot is a ticket, not a borrow")]
    pub(crate) unsafe fn place(&self) -> &mut MaybeUninit<T> {
        self.message.with_mut(|place| {
            // SAFETY: the place is inside the slot, so it is aligned and lives, and any bytes are a `MaybeUninit`; the caller
            // owns the slot, so there is no other reference.
            unsafe { &mut *place }
        })
    }

    /// Looks at the message without taking it.
    ///
    /// # Safety
    /// The caller owns the slot until `look` returns, and it holds a message.
    #[inline]
    pub(crate) unsafe fn peek<R>(&self, look: impl FnOnce(&T) -> R) -> R {
        self.message.with(|place| {
            // SAFETY: the place is aligned, lives, and holds a message; its owner does not write while it looks.
            look(unsafe { &*place.cast::<T>() })
        })
    }
}

type Word = MaybeUninit<u64>;

/// How many words a message of type `T` is; zero if it is not made of words, or so large that it is moved as the compiler likes.
const fn words<T>() -> usize {
    let size = size_of::<T>();
    if size.is_multiple_of(size_of::<Word>()) && size <= LINE { size / size_of::<Word>() } else { 0 }
}

/// Writes a message, word by word if it is made of words.
///
/// # Safety
/// `place` is valid for writes and lies as a slot's message does, aligned to 8 bytes.
#[inline(always)]
unsafe fn store<T>(place: *mut MaybeUninit<T>, message: MaybeUninit<T>) {
    if words::<T>() == 0 {
        // SAFETY: the caller's word.
        return unsafe { place.write(message) };
    }
    let from = (&raw const message).cast::<Word>();
    let to = place.cast::<Word>();
    for i in 0..words::<T>() {
        // SAFETY: the word lies inside the message.
        let from = unsafe { from.add(i) };
        // SAFETY: valid for reads; the message's type may have a lesser alignment.
        let word = unsafe { from.read_unaligned() };
        // SAFETY: the word lies inside the place, which is aligned for words.
        let to = unsafe { to.add(i) };
        // Volatile, so that the compiler makes no vectors of it.
        // SAFETY: valid for writes, by the caller's word.
        unsafe { to.write_volatile(word) };
    }
}

/// A power of two of slots, found by ticket. Dropping it drops no messages: who made it takes them out before.
pub(crate) struct Slab<T> {
    places: Places<T>,
    owns: PhantomData<Slot<T>>,
}

/// Where the slots of a slab lie. An end keeps a copy, which needs no look at what it shares with others.
pub(crate) struct Places<T> {
    first: NonNull<Slot<T>>,
    /// The capacity, less one.
    mask: usize,
}

impl<T> Clone for Places<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Places<T> {}

// SAFETY: it gives out shared slots, whose users promise that the slab lives; slots may be shared if messages may be sent.
unsafe impl<T: Send> Send for Places<T> {}
// SAFETY: the same.
unsafe impl<T: Send> Sync for Places<T> {}

impl<T> Places<T> {
    /// Bytes from one slot to the next.
    const STRIDE: usize = {
        let size = size_of::<Slot<T>>();
        if size <= LINE { size.next_power_of_two() } else { size }
    };

    /// The slot that serves `ticket`.
    ///
    /// # Safety
    /// The slab lives for `'a`.
    #[inline(always)]
    pub(crate) unsafe fn slot<'a>(self, ticket: u64) -> &'a Slot<T> {
        let slot = self.pointer(ticket);
        // SAFETY: `Slab::new` made a slot there, which lives as long as the slab; only shared references to it are ever made.
        unsafe { &*slot }
    }

    #[inline(always)]
    fn pointer(self, ticket: u64) -> *mut Slot<T> {
        // The capacity is a power of two, and the mask is below it, so the cast loses nothing that counts.
        let index = ticket as usize & self.mask;
        // SAFETY: the index is below the capacity, so the offset is inside the allocation, whose size `layout` checked.
        unsafe { self.first.as_ptr().byte_add(index * Self::STRIDE) }
    }
}

impl<T> Slab<T> {
    /// `capacity` slots, a power of two, stamped with 0, 1, 2, ….
    pub(crate) fn new(capacity: usize) -> Self {
        assert!(capacity.is_power_of_two(), "options are validated before they come here");
        let layout = Self::layout(capacity);
        // SAFETY: a slot has a stamp, so the layout's size is not zero.
        let Some(start) = NonNull::new(unsafe { alloc(layout) }) else { handle_alloc_error(layout) };
        let slab = Self { places: Places { first: start.cast(), mask: capacity - 1 }, owns: PhantomData };
        for ticket in 0..capacity as u64 {
            let slot =
                Slot { stamp: AtomicU64::new(ticket), message: UnsafeCell::new(MaybeUninit::uninit()) };
            // SAFETY: the pointer is inside the allocation, aligned, and nobody has it yet.
            unsafe { slab.places.pointer(ticket).write(slot) };
        }
        slab
    }

    /// How many bytes `new` allocates.
    pub(crate) const fn bytes(capacity: usize) -> usize {
        Places::<T>::STRIDE * capacity
    }

    /// What `new` allocates.
    pub(crate) fn layout(capacity: usize) -> Layout {
        let align = START.max(align_of::<Slot<T>>());
        let bytes = Places::<T>::STRIDE.checked_mul(capacity);
        bytes
            .and_then(|bytes| Layout::from_size_align(bytes, align).ok())
            .expect("the greatest capacity times the size of a message is less than the address space")
    }

    #[inline]
    pub(crate) fn capacity(&self) -> usize {
        self.places.mask + 1
    }

    /// Drops the messages of those tickets that are published, which their stamps say by the ticket plus one.
    ///
    /// # Safety
    /// Where a stamp says so, the slot holds a message, which nobody else uses, now or later.
    pub(crate) unsafe fn drop_published(&self, mut tickets: Range<u64>) {
        if !needs_drop::<T>() {
            return;
        }
        drop_all(|| {
            let is_published = |ticket: &u64| self.slot(*ticket).stamp.load(Ordering::Relaxed) == ticket + 1;
            let slot = self.slot(tickets.find(is_published)?);
            // SAFETY: the slot holds a message and is the caller's, by the caller's word; each ticket comes once.
            Some(unsafe { slot.read() })
        });
    }

    /// Where the slots lie.
    pub(crate) fn places(&self) -> Places<T> {
        self.places
    }

    /// The slot that serves `ticket`.
    #[inline(always)]
    pub(crate) fn slot(&self, ticket: u64) -> &Slot<T> {
        // SAFETY: the slab lives as long as it is borrowed.
        unsafe { self.places.slot(ticket) }
    }
}

impl<T> Drop for Slab<T> {
    fn drop(&mut self) {
        for ticket in 0..self.capacity() as u64 {
            // SAFETY: `new` made a slot there; it is dropped once, here, and not used again.
            unsafe { self.places.pointer(ticket).drop_in_place() };
        }
        // SAFETY: `new` allocated this start with this very layout.
        unsafe { dealloc(self.places.first.as_ptr().cast(), Self::layout(self.capacity())) };
    }
}
