//! The slots of a queue in memory: where each slot lies, and what its owner may do with it.
//!
//! A slot is a stamp and a message. The protocols in `slots` and `single_consumer` define what a stamp means
//! and who owns a slot at what time. This module only defines where the slots lie. **A slot that fits into a
//! cache line lies in one line**, together with its stamp: 8 bytes of stamp and up to 56 of message move
//! between two cores as one line. Such slots are padded to a power of two, and the first slot begins a line.
//! Larger slots follow each other as closely as their alignment allows.
//!
//! **Small messages may share a stamp** ([`Packing`]), if one thread stamps them all, in order: a line then
//! has seven messages of 8 bytes and a stamp, instead of four slots. A ticket's place is found by a division
//! by a constant. There is one line more than the capacity needs, so that all places of a line serve the same
//! lap: the thread that writes the first of them knows that the last was read.
//!
//! **Streams move messages in words of 8 bytes**, although vectors would take fewer instructions. A core that
//! writes line after line for another core must wait for the ownership of each line. It hides this wait by
//! requesting the lines of the stores in its store buffer early. Measured on Zen 4, it does so far ahead for
//! plain word stores in ascending order with no other stores between, and hardly for vector stores: 8 ns a
//! line against 19. The store buffer limits this, so every other store between messages reduces the number of
//! lines in flight: two words of an end's own state for each line of 64 bytes raised 8 ns to 18. For the same
//! reason the stamp comes last. If a compare-exchange comes between messages, it waits for all stores before
//! it. Then there is nothing to hide, and vectors are as good.

use std::{
    alloc::{Layout, alloc, dealloc, handle_alloc_error},
    marker::PhantomData,
    mem::{MaybeUninit, needs_drop},
    ops::Range,
    ptr::NonNull,
};

use crate::dropping::drop_all;
use annulus_sync::{AtomicU64, Ordering, UnsafeCell};

/// The usual size of a cache line. A slab begins at a multiple of it, since x86-64 fetches lines in pairs.
const LINE: usize = 64;
const START: usize = 2 * LINE;

/// Bytes of a stamp.
const STAMP: usize = size_of::<u64>();

/// Which messages share a stamp.
pub trait Packing {
    /// Whether small messages share a stamp. If not, each message has its own.
    const SHARES: bool;

    /// Whether the stamp says that the message of `ticket` is published. The ticket must be one that uses
    /// this stamp.
    fn is_published(stamp: u64, ticket: u64) -> bool;
}

/// Each message has its own stamp. The value ticket plus one says that the message is published.
pub(crate) struct Apart;

impl Packing for Apart {
    const SHARES: bool = false;

    #[inline(always)]
    fn is_published(stamp: u64, ticket: u64) -> bool {
        stamp == ticket + 1
    }
}

/// The place of a message. It holds a message exactly while the protocol says so.
#[repr(transparent)]
struct Message<T>(UnsafeCell<MaybeUninit<T>>);

// SAFETY: a slot gives access to its message only to its owner. There is one owner at a time, with a
// happens-before edge from each to the next (the callers of its unsafe methods promise that). So messages
// only move between threads, which `T: Send` allows.
unsafe impl<T: Send> Sync for Message<T> {}

/// A message's place and its stamp. The stamp lies behind the messages, since it is written after them.
pub(crate) struct Slot<'a, T> {
    message: &'a Message<T>,
    /// The state of the slot, as the protocol defines it. Only the slot's owner writes it.
    pub(crate) stamp: &'a AtomicU64,
}

impl<T> Clone for Slot<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Slot<'_, T> {}

impl<'a, T> Slot<'a, T> {
    /// The slot of the ticket that comes `tickets` later.
    ///
    /// # Safety
    /// The two tickets share a stamp.
    #[inline(always)]
    pub(crate) unsafe fn later(self, tickets: u64) -> Self {
        // SAFETY: messages that share a stamp follow each other in one allocation.
        let message = unsafe { (&raw const *self.message).add(tickets as usize) };
        // SAFETY: `Slab::new` made it there, it lives as long as this one, and only shared references to it
        // are ever made.
        Self { message: unsafe { &*message }, stamp: self.stamp }
    }

    /// # Safety
    /// The caller owns the slot, and it holds no message.
    #[inline(always)]
    pub(crate) unsafe fn write(&self, message: T) {
        self.message.0.with_mut(|place| {
            // SAFETY: the place is inside the slot, so it is aligned and live. The caller owns the slot, so
            // nobody else accesses it.
            unsafe { place.write(MaybeUninit::new(message)) }
        });
    }

    /// # Safety
    /// The caller owns the slot, it holds a message, and the caller treats it as holding none afterwards.
    #[inline(always)]
    pub(crate) unsafe fn read(&self) -> T {
        self.message.0.with_mut(|place| {
            // SAFETY: the place is aligned, live, and holds a message; the caller guarantees all of this.
            // Nobody else accesses it, since the caller owns the slot. It is read once, since the caller
            // treats it as moved out.
            unsafe { place.cast::<T>().read() }
        })
    }

    /// [`write`](Self::write) for streams: in words.
    ///
    /// # Safety
    /// The caller owns the slot, and it holds no message.
    #[inline(always)]
    pub(crate) unsafe fn write_words(&self, message: T) {
        self.message.0.with_mut(|place| {
            // SAFETY: the place is inside the slot, so it is aligned and live. The caller owns the slot, so
            // nobody else accesses it.
            unsafe { store(place, MaybeUninit::new(message)) }
        });
    }

    /// The place of the message, for its owner to write.
    ///
    /// # Safety
    /// The caller owns the slot for as long as it uses the reference, and makes no second one meanwhile.
    #[inline]
    #[allow(clippy::mut_from_ref, reason = "ownership of a slot is a ticket, not a borrow")]
    pub(crate) unsafe fn place(&self) -> &'a mut MaybeUninit<T> {
        self.message.0.with_mut(|place| {
            // SAFETY: the place is inside the slot, so it is aligned and live, and any bytes are a valid
            // `MaybeUninit`. The caller owns the slot, so there is no other reference.
            unsafe { &mut *place }
        })
    }

    /// Looks at the message without taking it.
    ///
    /// # Safety
    /// The caller owns the slot until `look` returns, and it holds a message.
    #[inline]
    pub(crate) unsafe fn peek<R>(&self, look: impl FnOnce(&T) -> R) -> R {
        self.message.0.with(|place| {
            // SAFETY: the place is aligned, live, and holds a message. Its owner does not write while it
            // looks.
            look(unsafe { &*place.cast::<T>() })
        })
    }
}

type Word = MaybeUninit<u64>;

/// How many words a message of type `T` has. Zero if it is not made of words, or if it is so large that the
/// compiler chooses how to move it.
const fn words<T>() -> usize {
    let size = size_of::<T>();
    if size.is_multiple_of(size_of::<Word>()) && size <= LINE { size / size_of::<Word>() } else { 0 }
}

/// Writes a message, word by word if it is made of words.
///
/// # Safety
/// `place` is valid for writes and aligned to 8 bytes, like a slot's message.
#[inline(always)]
unsafe fn store<T>(place: *mut MaybeUninit<T>, message: MaybeUninit<T>) {
    if words::<T>() == 0 {
        // SAFETY: the caller guarantees it.
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
        // Volatile, so that the compiler does not turn it into vector stores.
        // SAFETY: valid for writes; the caller guarantees it.
        unsafe { to.write_volatile(word) };
    }
}

/// Slots, found by ticket. Dropping it drops no messages: its owner takes them out before.
pub(crate) struct Slab<T, K: Packing> {
    places: SlotArray<T, K>,
    /// The number of tickets that have places at the same time.
    capacity: usize,
    owns: PhantomData<Message<T>>,
}

/// Where the slots of a slab lie. An end keeps a copy ([`Cursor`]), so it need not read memory that it shares
/// with others.
pub(crate) struct SlotArray<T, K> {
    first: NonNull<Message<T>>,
    /// The number of stamps, which is a power of two, minus one.
    mask: usize,
    packing: PhantomData<fn() -> K>,
}

impl<T, K> Clone for SlotArray<T, K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, K> Copy for SlotArray<T, K> {}

// SAFETY: it gives out shared slots. Their users promise that the slab lives. Slots may be shared if messages
// may be sent.
unsafe impl<T: Send, K> Send for SlotArray<T, K> {}
// SAFETY: the same.
unsafe impl<T: Send, K> Sync for SlotArray<T, K> {}

impl<T, K: Packing> SlotArray<T, K> {
    /// How many messages share a stamp: as many as fit into a line beside it, if that is more than the number
    /// of slots that fit into a line.
    pub(crate) const SHARING: usize = {
        let alone = Self::padded(size_of::<T>() + STAMP);
        let slots = if alone < LINE { LINE / alone } else { 1 };
        // A model must reach the next lap after a few messages.
        let most = if cfg!(loom) { 2 } else { usize::MAX };
        let together = if size_of::<T>() == 0 { 1 } else { (LINE - STAMP) / size_of::<T>() };
        match K::SHARES && align_of::<T>() <= STAMP && together > slots {
            true if together > most => most,
            true => together,
            false => 1,
        }
    };
    /// Bytes from a group of messages to their stamp.
    const TO_STAMP: usize =
        (Self::SHARING * size_of::<Message<T>>()).next_multiple_of(align_of::<AtomicU64>());
    /// Bytes from one group to the next.
    const STRIDE: usize = {
        let size = Self::TO_STAMP + size_of::<AtomicU64>();
        let align = if align_of::<Message<T>>() > align_of::<AtomicU64>() {
            align_of::<Message<T>>()
        } else {
            align_of::<AtomicU64>()
        };
        let size = size.next_multiple_of(align);
        if Self::SHARING > 1 { size.next_multiple_of(LINE) } else { Self::padded(size) }
    };

    const fn padded(size: usize) -> usize {
        if size <= LINE { size.next_power_of_two() } else { size }
    }

    /// How many groups of messages there are for `capacity` tickets.
    const fn groups(capacity: usize) -> usize {
        if Self::SHARING == 1 {
            return capacity;
        }
        // One more than needed when the first and the last ticket are in the same group, so that no group
        // serves two laps at once.
        (capacity + Self::SHARING - 1).div_ceil(Self::SHARING).next_power_of_two()
    }

    /// The slot that serves `ticket`.
    ///
    /// # Safety
    /// The slab lives for `'a`.
    #[inline(always)]
    pub(crate) unsafe fn slot<'a>(self, ticket: u64) -> Slot<'a, T> {
        let sharing = Self::SHARING as u64;
        let group = self.group(ticket / sharing);
        // SAFETY: the offset is inside the group.
        let message = unsafe { group.add((ticket % sharing) as usize) };
        // SAFETY: the offset is inside the group, and a multiple of a stamp's alignment.
        let stamp = unsafe { group.byte_add(Self::TO_STAMP) }.cast::<AtomicU64>();
        // SAFETY: `Slab::new` made it there, it lives as long as the slab, and only shared references to it
        // are ever made.
        let message = unsafe { &*message };
        // SAFETY: the same.
        let stamp = unsafe { &*stamp };
        Slot { message, stamp }
    }

    /// Prefetches a line that will be read later, when it may have arrived: the line of a group a few groups
    /// after that of `ticket`. It does not wait for the line; only speed depends on it.
    #[inline(always)]
    pub(crate) fn fetch_early(self, ticket: u64) {
        // A transfer between far cores takes as long as the work on 16 lines. In a small slab, a sender may
        // be writing the line at that moment.
        let ahead = 16.min(self.mask as u64 / 4);
        let group = self.group(ticket / Self::SHARING as u64 + ahead);
        #[cfg(all(target_arch = "x86_64", not(any(loom, miri))))]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            // SAFETY: a prefetch reads nothing that the program sees, and every x86-64 has it.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(group.cast()) };
        }
        #[cfg(not(all(target_arch = "x86_64", not(any(loom, miri)))))]
        let _ = group;
    }

    /// The first message of a group. The group number wraps around.
    #[inline(always)]
    fn group(self, group: u64) -> *mut Message<T> {
        // The number of groups is a power of two, and the mask is less than it, so the cast loses no bit that
        // matters.
        let index = group as usize & self.mask;
        // SAFETY: the index is below the number of groups, so the offset is inside the allocation, whose size
        // `layout` checked.
        unsafe { self.first.as_ptr().byte_add(index * Self::STRIDE) }
    }
}

/// The position of an end that goes from ticket to ticket. It finds the next slot without a division.
pub(crate) struct Cursor<T, K> {
    places: SlotArray<T, K>,
    /// The place of the next ticket's message, if messages share stamps.
    at: NonNull<Message<T>>,
}

// SAFETY: it gives out the same slots as `SlotArray`.
unsafe impl<T: Send, K> Send for Cursor<T, K> {}
// SAFETY: the same.
unsafe impl<T: Send, K> Sync for Cursor<T, K> {}

impl<T, K> Clone for Cursor<T, K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, K> Copy for Cursor<T, K> {}

impl<T, K: Packing> Cursor<T, K> {
    /// Where the slots lie.
    pub(crate) fn places(self) -> SlotArray<T, K> {
        self.places
    }

    /// The slot of the next ticket, which must be `ticket`.
    ///
    /// # Safety
    /// The slab lives for `'a`.
    #[inline(always)]
    pub(crate) unsafe fn slot<'a>(self, ticket: u64) -> Slot<'a, T> {
        if SlotArray::<T, K>::SHARING == 1 {
            // SAFETY: the caller guarantees it.
            return unsafe { self.places.slot(ticket) };
        }
        // SAFETY: the caller guarantees it.
        debug_assert!(std::ptr::eq(unsafe { self.places.slot(ticket) }.message, self.at.as_ptr()));
        let group = self.at.as_ptr().map_addr(|at| at & !(SlotArray::<T, K>::STRIDE - 1));
        // SAFETY: a group begins at a multiple of its size, and its stamp's offset is inside it.
        let stamp = unsafe { group.byte_add(SlotArray::<T, K>::TO_STAMP) }.cast::<AtomicU64>();
        // SAFETY: `Slab::new` made it there, it lives as long as the slab, and only shared references to it
        // are ever made.
        let message = unsafe { self.at.as_ref() };
        // SAFETY: the same.
        let stamp = unsafe { &*stamp };
        Slot { message, stamp }
    }

    /// Moves to the next ticket, which must be `ticket`.
    #[inline(always)]
    pub(crate) fn advance(&mut self, ticket: u64) {
        if SlotArray::<T, K>::SHARING == 1 {
            return;
        }
        // SAFETY: the place is inside a group, and the stamp lies behind all the group's places.
        self.at = unsafe { self.at.add(1) };
        if self.at.addr().get() % SlotArray::<T, K>::STRIDE
            >= SlotArray::<T, K>::SHARING * size_of::<Message<T>>()
        {
            self.jump(ticket);
        }
    }

    /// Moves to a ticket.
    #[inline(always)]
    pub(crate) fn jump(&mut self, ticket: u64) {
        if SlotArray::<T, K>::SHARING != 1 {
            // SAFETY: the reference is not used.
            self.at = NonNull::from_ref(unsafe { self.places.slot(ticket) }.message);
        }
    }
}

impl<T, K: Packing> Slab<T, K> {
    /// Slots for `capacity` tickets, a power of two, each stamped with the first ticket that it serves: 0, 1,
    /// 2, ….
    pub(crate) fn new(capacity: usize) -> Self {
        assert!(capacity.is_power_of_two(), "options are validated before they come here");
        let layout = Self::layout(capacity);
        // SAFETY: a slot has a stamp, so the layout's size is not zero.
        let Some(start) = NonNull::new(unsafe { alloc(layout) }) else { handle_alloc_error(layout) };
        let groups = SlotArray::<T, K>::groups(capacity);
        let places = SlotArray { first: start.cast(), mask: groups - 1, packing: PhantomData };
        let sharing = SlotArray::<T, K>::SHARING;
        for index in 0..groups {
            let group = places.group(index as u64);
            for message in 0..sharing {
                // SAFETY: the offset is inside the group.
                let place = unsafe { group.add(message) };
                // SAFETY: the place is inside the allocation, aligned, and nobody has it yet.
                unsafe { place.write(Message(UnsafeCell::new(MaybeUninit::uninit()))) };
            }
            // SAFETY: the offset is inside the group.
            let stamp = unsafe { group.byte_add(SlotArray::<T, K>::TO_STAMP) }.cast::<AtomicU64>();
            // SAFETY: the place is inside the allocation, aligned, and nobody has it yet.
            unsafe { stamp.write(AtomicU64::new((index * sharing) as u64)) };
        }
        Self { places, capacity, owns: PhantomData }
    }

    /// How many bytes `new` allocates.
    pub(crate) const fn bytes(capacity: usize) -> usize {
        SlotArray::<T, K>::STRIDE.saturating_mul(SlotArray::<T, K>::groups(capacity))
    }

    /// What `new` allocates.
    pub(crate) fn layout(capacity: usize) -> Layout {
        let align = START.max(align_of::<Message<T>>()).max(align_of::<AtomicU64>());
        let bytes = SlotArray::<T, K>::STRIDE.checked_mul(SlotArray::<T, K>::groups(capacity));
        bytes
            .and_then(|bytes| Layout::from_size_align(bytes, align).ok())
            .expect("the greatest capacity times the size of a message is less than the address space")
    }

    #[inline]
    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    /// Drops the messages of those tickets that are published, as their stamps say.
    ///
    /// # Safety
    /// If a stamp says that a message is published, the slot holds it, and nobody else uses it, now or later.
    pub(crate) unsafe fn drop_published(&self, mut tickets: Range<u64>) {
        if !needs_drop::<T>() {
            return;
        }
        drop_all(|| {
            let is_published =
                |ticket: &u64| K::is_published(self.slot(*ticket).stamp.load(Ordering::Relaxed), *ticket);
            let slot = self.slot(tickets.find(is_published)?);
            // SAFETY: the slot holds a message and belongs to the caller; the caller guarantees it. Each
            // ticket comes once.
            Some(unsafe { slot.read() })
        });
    }

    /// The place of the first ticket.
    pub(crate) fn cursor(&self) -> Cursor<T, K> {
        Cursor { places: self.places, at: self.places.first }
    }

    /// The slot that serves `ticket`.
    #[inline(always)]
    pub(crate) fn slot(&self, ticket: u64) -> Slot<'_, T> {
        // SAFETY: the slab lives as long as it is borrowed.
        unsafe { self.places.slot(ticket) }
    }
}

impl<T, K: Packing> Drop for Slab<T, K> {
    fn drop(&mut self) {
        // Places and stamps need no drop, except those of a model.
        if cfg!(loom) {
            for index in 0..=self.places.mask {
                let group = self.places.group(index as u64);
                for message in 0..SlotArray::<T, K>::SHARING {
                    // SAFETY: the offset is inside the group.
                    let place = unsafe { group.add(message) };
                    // SAFETY: `new` made a place there. It is dropped once, here, and not used again.
                    unsafe { place.drop_in_place() };
                }
                // SAFETY: the offset is inside the group.
                let stamp = unsafe { group.byte_add(SlotArray::<T, K>::TO_STAMP) }.cast::<AtomicU64>();
                // SAFETY: as above.
                unsafe { stamp.drop_in_place() };
            }
        }
        // SAFETY: `new` allocated this start with this same layout.
        unsafe { dealloc(self.places.first.as_ptr().cast(), Self::layout(self.capacity)) };
    }
}
