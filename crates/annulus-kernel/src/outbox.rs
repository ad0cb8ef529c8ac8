//! Where a handler puts the messages that it sends.

use std::{cell::Cell, marker::PhantomData, ops::Deref, ptr::NonNull};

use crate::PortDefinition;

/// The untyped outbox of one call: a window of outbound slots. Nobody else sees them until the block commits
/// them.
///
/// The block has credit for `limit` slots before it calls the handler. `send` writes straight into their
/// payloads. If the handler succeeds, the block publishes them; otherwise it discards them.
#[derive(Debug)]
pub struct RawOutbox {
    /// Where sends go now.
    payloads: Cell<*mut u8>,
    stride: usize,
    mask: u64,
    first: Cell<u64>,
    limit: u32,
    sent: Cell<u32>,
    refused: Cell<bool>,
    /// Of one of several outboxes: the one that all of them send by, and how its own outputs lie there.
    port: Option<PortOf>,
}

/// What one of several outboxes knows of the one that all of them send by.
#[derive(Clone, Copy, Debug)]
struct PortOf {
    /// It lives longer than this.
    whole: NonNull<RawOutbox>,
    tag: u64,
    offset: usize,
}

impl RawOutbox {
    /// An outbox over a ring with `mask + 1` slots, `stride` bytes apart. The payload of slot 0 is at
    /// `payloads`.
    ///
    /// # Safety
    ///
    /// As long as the outbox is used for sends of type `M`: every payload is valid for writes of `M` and
    /// aligned for it, and the slots of tickets `0 .. limit` belong to the caller alone until the first
    /// [`begin`](Self::begin).
    pub const unsafe fn new(payloads: *mut u8, stride: usize, mask: u64, limit: u32) -> Self {
        Self {
            payloads: Cell::new(payloads),
            stride,
            mask,
            first: Cell::new(0),
            limit,
            sent: Cell::new(0),
            refused: Cell::new(false),
            port: None,
        }
    }

    /// An outbox that refuses every send, for the threads of a block that are not its leader.
    pub const fn closed() -> Self {
        // SAFETY: no ticket is below the limit, so no payload is ever written.
        unsafe { Self::new(std::ptr::null_mut(), 0, 0, 0) }
    }

    /// Refuses every send until the next [`begin`](Self::begin).
    pub fn close(&self) {
        self.sent.set(self.limit);
    }

    /// Fails the call as if the handler had tried to send more than its `max_outputs`.
    pub fn refuse(&self) {
        self.refused.set(true);
    }

    /// Starts a call whose sends go to the slots from ticket `first` on.
    ///
    /// # Safety
    ///
    /// The slots of tickets `first .. first + limit` belong to the caller alone until the next `begin`.
    #[inline]
    pub unsafe fn begin(&self, first: u64) {
        self.first.set(first);
        self.sent.set(0);
        self.refused.set(false);
    }

    /// Redirects sends from the next [`begin`](Self::begin) on: to places with the same distance as the
    /// ring's payloads. Returns where sends went before.
    ///
    /// # Safety
    ///
    /// As for [`new`](Self::new), except that places must exist, and belong to the caller alone, only for the
    /// tickets `0 .. limit` of a `begin(0)`.
    #[inline]
    pub unsafe fn redirect(&self, payloads: *mut u8) -> *mut u8 {
        self.payloads.replace(payloads)
    }

    /// Sends by one of several outboxes.
    ///
    /// # Safety
    ///
    /// This is such a one, and `port` what it knows. It was made for sends of type `M`.
    #[inline]
    unsafe fn send_by<M>(&self, port: PortOf, message: M) {
        // SAFETY: the outbox of all ports lives longer than this, by `PortOf`.
        let whole = unsafe { port.whole.as_ref() };
        let (own, sent) = (self.sent.get(), whole.sent.get());
        if own >= self.limit || sent >= whole.limit {
            whole.refused.set(true);
            return;
        }
        let slot = (whole.first.get() + u64::from(sent)) & whole.mask;
        // SAFETY: as in `Outbox::send`, for an output of the kernel's type.
        let output = unsafe { whole.payloads.get().add(slot as usize * whole.stride) };
        // SAFETY: the payload belongs to the caller. An enum with a `u64` representation begins with its tag,
        // and is aligned for it.
        unsafe { output.cast::<u64>().write(port.tag) };
        // SAFETY: the variant's field lies there, inside the payload, by the port's definition.
        let place = unsafe { output.add(port.offset) };
        // SAFETY: it is of type `M`, and aligned in an output that is.
        unsafe { place.cast::<M>().write(message) };
        self.sent.set(own + 1);
        whole.sent.set(sent + 1);
    }

    /// How many messages the handler has sent since `begin`: at most the limit.
    #[inline]
    pub fn sent(&self) -> u32 {
        self.sent.get()
    }

    /// Whether the handler tried to send more than its `max_outputs`.
    #[inline]
    pub fn refused(&self) -> bool {
        self.refused.get()
    }
}

/// Sends messages of type `M` out of a handler.
///
/// A handler may send up to `max_outputs` messages (1 unless the attribute says more). If it sends more, the
/// whole message fails: its state and all its sends are rolled back. Sent messages become visible when the
/// handler succeeds.
#[derive(Debug)]
#[repr(transparent)]
pub struct Outbox<M> {
    raw: RawOutbox,
    _messages: PhantomData<fn(M)>,
}

// `M` need not be a message here: a kernel makes an outbox of its output, which is one, and `TestOutbox`
// requires it. So a type that is no message gives an error where the kernel names it, not at each send.
impl<M> Outbox<M> {
    /// Sends `message`. Messages leave in the order of the calls, when the handler succeeds, never before.
    #[inline]
    pub fn send(&self, message: M) {
        let raw = &self.raw;
        if let Some(port) = raw.port {
            // SAFETY: this was made for sends of type `M` by a port, by `from_raw` and `PortOutbox::new`.
            unsafe { raw.send_by(port, message) };
            return;
        }
        let sent = raw.sent.get();
        if sent >= raw.limit {
            raw.refused.set(true);
            return;
        }
        let slot = (raw.first.get() + u64::from(sent)) & raw.mask;
        // SAFETY: `slot` is below the ring's slot count, so the offset stays inside the ring's allocation, by
        // `new`; after `redirect`, `slot` is `sent` itself, and the place exists by the promise there.
        let payload = unsafe { raw.payloads.get().add(slot as usize * raw.stride) };
        // SAFETY: the ticket is inside `first .. first + limit`, so the payload belongs to the caller, and is
        // valid and aligned, by `new`.
        unsafe { payload.cast::<M>().write(message) };
        raw.sent.set(sent + 1);
    }

    /// The typed view of an untyped outbox.
    ///
    /// # Safety
    ///
    /// `raw` was made for messages of type `M`, as [`RawOutbox::new`] requires.
    #[inline]
    pub unsafe fn from_raw(raw: &RawOutbox) -> &Self {
        // SAFETY: `Outbox` is a transparent wrapper of `RawOutbox`.
        unsafe { &*std::ptr::from_ref(raw).cast::<Self>() }
    }
}

/// One of several outboxes of a handler, during one call. `#[ring_kernel]` makes it.
#[derive(Debug)]
pub struct PortOutbox<'a, M> {
    outbox: Outbox<M>,
    _whole: PhantomData<&'a RawOutbox>,
}

impl<'a, M> PortOutbox<'a, M> {
    /// The port of an outbox that all ports send by.
    ///
    /// # Safety
    ///
    /// `whole` was made for the output type of the kernel that `port` belongs to, and `M` is the port's type.
    #[inline]
    pub(crate) unsafe fn new(whole: &'a RawOutbox, port: &PortDefinition) -> Self {
        let &PortDefinition { tag, offset, max_outputs, .. } = port;
        // SAFETY: it has no payloads of its own; `send_by` uses those of the whole.
        let mut raw = unsafe { RawOutbox::new(std::ptr::null_mut(), 0, 0, max_outputs) };
        raw.port = Some(PortOf { whole: NonNull::from(whole), tag, offset });
        Self { outbox: Outbox { raw, _messages: PhantomData }, _whole: PhantomData }
    }
}

impl<M> PortOutbox<'_, M> {
    /// The outbox by itself. It is used only as long as what it sends to lives.
    pub(crate) fn into_outbox(self) -> Outbox<M> {
        self.outbox
    }
}

impl<M> Deref for PortOutbox<'_, M> {
    type Target = Outbox<M>;

    #[inline]
    fn deref(&self) -> &Outbox<M> {
        &self.outbox
    }
}
