//! Where a handler puts the messages that it sends to itself, to be taken later.

use std::{cell::Cell, fmt, marker::PhantomData, ops::Deref, ptr::NonNull};

use crate::RingMessage;

/// A message of a block to itself, or the place of one. Twin of `ann_timer`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct TimerEntry {
    /// When it is taken, in nanoseconds on the runtime's clock.
    pub due: u64,
    /// In the order in which timers were set, wrapping.
    pub number: u32,
    /// Where the message is.
    pub place: u32,
}

/// The untyped timers of one call: places for messages that the block keeps if the handler succeeds.
#[derive(Debug)]
pub struct RawLater {
    /// The entries of the timers that the call sets, with the places of their messages.
    entries: Cell<NonNull<TimerEntry>>,
    /// The message in place 0.
    messages: *mut u8,
    stride: usize,
    limit: Cell<u32>,
    now: Cell<u64>,
    set: Cell<u32>,
    refused: Cell<bool>,
    /// Whether the call may ask.
    may_ask: Cell<bool>,
}

/// Stands in place of an entry's number while its message is that of an ask.
pub const IS_ASK: u32 = 1;

impl RawLater {
    /// Timers whose messages lie `stride` bytes apart from `messages` on. They refuse all until
    /// [`begin`](Self::begin).
    ///
    /// # Safety
    ///
    /// As long as this is used for messages of type `M`: every place that an entry names is valid for writes of
    /// `M` and aligned for it.
    pub const unsafe fn new(messages: *mut u8, stride: usize) -> Self {
        Self {
            entries: Cell::new(NonNull::dangling()),
            messages,
            stride,
            limit: Cell::new(0),
            now: Cell::new(0),
            set: Cell::new(0),
            refused: Cell::new(false),
            may_ask: Cell::new(true),
        }
    }

    /// Says whether the call that has begun may ask.
    #[inline]
    pub fn let_ask(&self, may_ask: bool) {
        self.may_ask.set(may_ask);
    }

    /// The place of the next timer's message; `None`, and the message fails, beyond what there is room for.
    #[inline]
    fn next(&self, nanos: u64, number: u32) -> Option<*mut u8> {
        let set = self.set.get();
        if set >= self.limit.get() {
            self.refused.set(true);
            return None;
        }
        // SAFETY: the call has `limit` entries, by `begin`.
        let entry = unsafe { self.entries.get().add(set as usize) };
        // SAFETY: it belongs to the call alone.
        let place = unsafe { (*entry.as_ptr()).place };
        let due = self.now.get().saturating_add(nanos);
        // SAFETY: as above.
        unsafe { entry.write(TimerEntry { due, number, place }) };
        self.set.set(set + 1);
        // SAFETY: an entry names a place, by `new`.
        Some(unsafe { self.messages.add(place as usize * self.stride) })
    }

    /// The same for the message of an ask.
    #[inline]
    pub fn next_ask(&self, nanos: u64) -> Option<*mut u8> {
        if !self.may_ask.get() {
            self.refused.set(true);
            return None;
        }
        self.next(nanos, IS_ASK)
    }

    /// Begins a call that may set `limit` timers: in `entries`, and what comes behind it. The time is `now`, in
    /// nanoseconds.
    ///
    /// # Safety
    ///
    /// Until the last of the call's sends, that many entries, and the places that they name, belong to the caller
    /// alone.
    #[inline]
    pub unsafe fn begin(&self, entries: NonNull<TimerEntry>, limit: u32, now: u64) {
        self.entries.set(entries);
        self.limit.set(limit);
        self.now.set(now);
        self.set.set(0);
        self.refused.set(false);
    }

    /// How many timers were set since `begin`: at most the limit.
    #[inline]
    pub fn count(&self) -> u32 {
        self.set.get()
    }

    /// The time that `begin` was given.
    #[inline]
    pub fn now(&self) -> u64 {
        self.now.get()
    }

    /// Whether the handler tried to set more.
    #[inline]
    pub fn refused(&self) -> bool {
        self.refused.get()
    }
}

/// Sends messages of a handler to its own block, to be taken when their time has come.
///
/// A handler takes it as `later: &Later<M>`, with its own message type. Each message of it is taken as if somebody
/// had sent it then: the handler is called with it once more, also if no other message comes. Messages are taken in
/// the order of their times; those of one time in the order in which they were sent.
///
/// A block keeps at most as many as the attribute says, `#[ring_kernel(timers = 64)]`, and a handler sends at most
/// `max_timers` for one message: 64 and 1 unless it says so. Beyond this the message fails with
/// [`TIMERS_FULL`](annulus_abi::error::TIMERS_FULL). If a handler fails, nothing of what it sent is kept. A kernel
/// that ends loses the messages that wait; [`drained`] does not wait for them.
///
/// [`drained`]: https://docs.rs/annulus-runtime/latest/annulus_runtime/struct.KernelControl.html#method.drained
#[derive(Debug)]
#[repr(transparent)]
pub struct Later<M> {
    raw: RawLater,
    _messages: PhantomData<fn(M)>,
}

impl<M> Later<M> {
    /// Sends `message` to this block itself. It is taken after `nanos` nanoseconds, counted from
    /// [`Cx::now`](crate::Cx::now): not before, and as soon after it as the block comes to it. With 0 it is taken
    /// after the messages that wait now may have had a turn.
    #[inline]
    pub fn send_after(&self, message: M, nanos: u64) {
        let Some(payload) = self.raw.next(nanos, 0) else { return };
        // SAFETY: the place belongs to the call, and is valid and aligned for the message, by `new`.
        unsafe { payload.cast::<M>().write(message) };
    }

    /// The untyped timers.
    pub(crate) fn raw(&self) -> &RawLater {
        &self.raw
    }

    /// The typed view of untyped timers.
    ///
    /// # Safety
    ///
    /// `raw` was made for messages of type `M`, as [`RawLater::new`] requires.
    #[inline]
    pub unsafe fn from_raw(raw: &RawLater) -> &Self {
        // SAFETY: `Later` is a transparent wrapper of `RawLater`.
        unsafe { &*std::ptr::from_ref(raw).cast::<Self>() }
    }
}

/// Keeps the timers that a handler sets, for tests that call handlers as functions: pass `&later` where the handler
/// takes `&Later<M>`.
///
/// ```
/// # extern crate annulus_runtime as annulus;
/// use annulus::prelude::*;
/// use annulus_kernel::TestLater;
///
/// #[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
/// #[repr(C)]
/// struct Retry(u32);
///
/// /// Tries again after a millisecond, and after two, and so on.
/// #[ring_kernel]
/// fn retry(attempt: &Retry, later: &Later<Retry>) {
///     later.send_after(Retry(attempt.0 + 1), 1_000_000 * u64::from(attempt.0));
/// }
///
/// let mut later = TestLater::new(1);
/// retry(&Retry(2), &later);
/// assert_eq!(later.take(), [(2_000_000, Retry(3))]);
/// ```
pub struct TestLater<M> {
    raw: RawLater,
    entries: NonNull<TimerEntry>,
    messages: *mut M,
    /// These own the entries and the messages, which are accessed only through the pointers.
    _memory: (Vec<TimerEntry>, Vec<M>),
    max_timers: u32,
}

impl<M: RingMessage> TestLater<M> {
    /// Timers with room for `max_timers` before they are [taken](Self::take). Use the number in the kernel's
    /// attribute, or 1 if it has none.
    pub fn new(max_timers: u32) -> Self {
        let mut memory = Vec::with_capacity(max_timers as usize);
        let messages: *mut M = memory.as_mut_ptr();
        let mut entries: Vec<_> =
            (0..max_timers).map(|place| TimerEntry { due: 0, number: 0, place }).collect();
        let first = NonNull::new(entries.as_mut_ptr()).expect("a vector's pointer is never null");
        // SAFETY: places below `max_timers` lie in the vector's memory, one message apart, and nobody else touches
        // it.
        let raw = unsafe { RawLater::new(messages.cast(), size_of::<M>()) };
        let later = Self { raw, entries: first, messages, _memory: (entries, memory), max_timers };
        later.begin();
        later
    }

    fn begin(&self) {
        // SAFETY: there are that many entries and places. They are this one's own, and stay where they are; nobody
        // else touches them.
        unsafe { self.raw.begin(self.entries, self.max_timers, 0) };
    }

    /// The messages that were sent since the last call, in order, each with its time: so many nanoseconds later.
    /// Afterwards there is room for `max_timers` again.
    pub fn take(&mut self) -> Vec<(u64, M)> {
        let message = |index: usize| {
            // SAFETY: at most `max_timers` were set, and there are as many entries.
            let entry = unsafe { self.entries.add(index) };
            // SAFETY: the entry is initialised, and nobody writes it meanwhile: `send_after` needs a shared borrow.
            let due = unsafe { (*entry.as_ptr()).due };
            // SAFETY: entry `index` has place `index`, and there is room for as many messages.
            let place = unsafe { self.messages.add(index) };
            // SAFETY: `send_after` wrote a message there.
            (due, unsafe { place.read() })
        };
        let sent = (0..self.raw.count() as usize).map(message).collect();
        self.begin();
        sent
    }

    /// Whether more than `max_timers` were set since the last [`take`](Self::take). In a kernel such a call fails.
    pub fn set_too_many(&self) -> bool {
        self.raw.refused()
    }
}

impl<M: RingMessage> Deref for TestLater<M> {
    type Target = Later<M>;

    fn deref(&self) -> &Later<M> {
        // SAFETY: the untyped timers were made for messages of type `M`.
        unsafe { Later::from_raw(&self.raw) }
    }
}

impl<M> fmt::Debug for TestLater<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TestLater").field("set", &self.raw.count()).finish_non_exhaustive()
    }
}
