//! What the threads of a block take messages from, where the loop is theirs.

use std::{cell::Cell, fmt, marker::PhantomData, ops::Deref, ptr::NonNull, rc::Rc};

use crate::RawOutbox;

/// The messages that a turn has found, untyped: what all threads of a block share of them. The threads are coroutines of
/// one thread of the system, so its cells need no lock.
#[derive(Debug, Default)]
pub struct RawInbox {
    /// Each leads to a message of the kernel's type, which nobody writes while the body runs.
    messages: Vec<*const u8>,
    /// How many outputs each of them has.
    sent: Vec<Cell<u32>>,
    /// How many were taken, from the first on.
    taken: Cell<u32>,
    ends: Cell<bool>,
    /// Where outputs go: `limit` places for each message, `stride` bytes apart.
    outputs: Cell<*mut u8>,
    stride: Cell<usize>,
    limit: Cell<u32>,
}

impl RawInbox {
    /// An inbox without messages.
    pub fn new() -> Self {
        Self::default()
    }

    /// Begins a turn: no messages, whose outputs go to places from `outputs` on, `limit` for each message.
    ///
    /// # Safety
    ///
    /// Until the next `begin`, if a message is [put](Self::put) in: the places of all messages are valid for writes of the
    /// kernel's output type and aligned for it, `stride` bytes apart, and nobody else uses them.
    pub unsafe fn begin(&mut self, outputs: *mut u8, stride: usize, limit: u32) {
        self.messages.clear();
        self.sent.clear();
        self.taken.set(0);
        self.ends.set(false);
        self.outputs.set(outputs);
        self.stride.set(stride);
        self.limit.set(limit);
    }

    /// Puts a message behind the others.
    ///
    /// # Safety
    ///
    /// It is a message of the kernel's type, and nobody writes it until the next [`begin`](Self::begin).
    pub unsafe fn put(&mut self, message: *const u8) {
        self.messages.push(message);
        self.sent.push(Cell::new(0));
    }

    /// How many messages the turn has found.
    pub fn found(&self) -> u32 {
        self.messages.len() as u32
    }

    /// How many were taken: the first ones.
    pub fn taken(&self) -> u32 {
        self.taken.get()
    }

    /// How many outputs message number `index` has.
    pub fn sent(&self, index: u32) -> u32 {
        self.sent[index as usize].get()
    }

    /// Whether a thread has asked that the kernel ends.
    pub fn ends(&self) -> bool {
        self.ends.get()
    }

    /// An outbox of a thread that has taken nothing yet.
    pub fn outbox_of_thread(&self) -> RawOutbox {
        // SAFETY: it is closed until a thread has taken a message, of which `begin` promises that there are places.
        let outbox =
            unsafe { RawOutbox::new(self.outputs.get(), self.stride.get(), u64::MAX, self.limit.get()) };
        outbox.close();
        outbox
    }

    /// A thread's inbox. Its sends go by `outbox`, which [`outbox_of_thread`](Self::outbox_of_thread) made.
    ///
    /// # Safety
    ///
    /// `M` is the kernel's message type. Both live longer than the result.
    pub unsafe fn of_thread<M>(&self, outbox: &RawOutbox) -> Inbox<M> {
        Inbox {
            turn: NonNull::from(self),
            outbox: Some(NonNull::from(outbox)),
            at: Cell::new(None),
            _messages: PhantomData,
        }
    }
}

/// The messages that a turn has found, for a *body*: a handler whose whole block works on all of them.
///
/// Each thread takes what it wants, and each message is taken by one thread. Messages are taken in the order in which they
/// came; those that no thread takes stay for the next turn. What a thread sends belongs to the message that it took last:
/// up to `max_outputs` for each, and the first output answers a call.
///
/// A body is called when there is a message, and is one transaction: if a thread fails, all messages fail that were taken
/// in this turn, or the first one if none was.
///
/// ```
/// use annulus_kernel::{Cx, TestInbox, run_block};
///
/// let inbox = TestInbox::new([10u32, 20, 30, 40, 50]);
/// let sum = std::cell::Cell::new(0);
/// run_block(Cx::new(0, 1, 0).with_block_dim(4), |cx| {
///     if cx.thread_index() < 3
///         && let Some(number) = inbox.try_recv()
///     {
///         sum.set(sum.get() + number);
///     }
/// })?;
/// assert_eq!((sum.get(), inbox.taken()), (60, 3));
/// # Ok::<(), annulus_kernel::Failure>(())
/// ```
pub struct Inbox<M> {
    turn: NonNull<RawInbox>,
    outbox: Option<NonNull<RawOutbox>>,
    /// The message that the thread took last.
    at: Cell<Option<u32>>,
    _messages: PhantomData<fn() -> M>,
}

impl<M: Copy> Inbox<M> {
    /// Takes the next message that no thread of the block has taken in this turn; `None` if there is none.
    #[inline]
    pub fn try_recv(&self) -> Option<M> {
        let turn = self.turn();
        let index = turn.taken.get();
        let message = *turn.messages.get(index as usize)?;
        turn.taken.set(index + 1);
        self.end_message();
        self.at.set(Some(index));
        if let Some(outbox) = self.outbox() {
            // What it has sent too much belongs to the whole turn.
            let refused = outbox.refused();
            // SAFETY: the places of this message are this thread's alone, which has taken it.
            unsafe { outbox.begin(u64::from(index) * u64::from(turn.limit.get())) };
            if refused {
                outbox.refuse();
            }
        }
        // SAFETY: it is a message of the kernel's type, by `put`, which is `M`, by `of_thread`.
        Some(unsafe { message.cast::<M>().read() })
    }
}

impl<M> Inbox<M> {
    /// How many messages the turn has found; the same in all threads of the block, and at least 1.
    #[inline]
    pub fn found(&self) -> u32 {
        self.turn().found()
    }

    /// Ends the kernel after this turn, if the body succeeds: no block takes messages any more, and the kernel terminates
    /// as if the host had asked for it. Any thread may call it. Messages that were not taken are undelivered.
    #[inline]
    pub fn end_kernel(&self) {
        self.turn().ends.set(true);
    }

    fn turn(&self) -> &RawInbox {
        // SAFETY: it lives longer than this, by `of_thread`, and is only shared meanwhile.
        unsafe { self.turn.as_ref() }
    }

    fn outbox(&self) -> Option<&RawOutbox> {
        // SAFETY: as above.
        self.outbox.map(|outbox| unsafe { outbox.as_ref() })
    }

    /// Notes how many outputs the message has that the thread took last.
    fn end_message(&self) {
        if let (Some(last), Some(outbox)) = (self.at.get(), self.outbox()) {
            self.turn().sent[last as usize].set(outbox.sent());
        }
    }
}

impl<M> Drop for Inbox<M> {
    /// The thread has returned.
    fn drop(&mut self) {
        self.end_message();
    }
}

impl<M> fmt::Debug for Inbox<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inbox").field("found", &self.found()).finish_non_exhaustive()
    }
}

/// Messages for a test that calls a body as a function: pass `&inbox` where the body takes `&Inbox<M>`.
///
/// All threads share it. What they send goes to a [`TestOutbox`](crate::TestOutbox), which does not tell the messages
/// apart: give it room for the outputs of all. [`Inbox`] shows it.
pub struct TestInbox<M> {
    /// Declared first, so that it is dropped first.
    inbox: Inbox<M>,
    turn: Rc<RawInbox>,
    _messages: Rc<[M]>,
}

impl<M: Copy> TestInbox<M> {
    /// An inbox with these messages.
    pub fn new(messages: impl IntoIterator<Item = M>) -> Self {
        let messages: Rc<[M]> = messages.into_iter().collect();
        let mut turn = RawInbox::new();
        for message in &*messages {
            // SAFETY: the messages live as long as the inbox, which only reads them.
            unsafe { turn.put(std::ptr::from_ref(message).cast()) };
        }
        let turn = Rc::new(turn);
        let inbox =
            Inbox { turn: NonNull::from(&*turn), outbox: None, at: Cell::new(None), _messages: PhantomData };
        Self { inbox, turn, _messages: messages }
    }
}

impl<M> TestInbox<M> {
    /// How many messages were taken: the first ones.
    pub fn taken(&self) -> u32 {
        self.turn.taken()
    }

    /// Whether a thread has asked that the kernel ends.
    pub fn ends(&self) -> bool {
        self.turn.ends()
    }
}

impl<M> Deref for TestInbox<M> {
    type Target = Inbox<M>;

    fn deref(&self) -> &Inbox<M> {
        &self.inbox
    }
}

impl<M> fmt::Debug for TestInbox<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TestInbox").field("turn", &self.turn).finish_non_exhaustive()
    }
}
