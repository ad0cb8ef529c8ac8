//! Kernels that send to themselves, by timers and by a link.

use annulus::prelude::*;

/// A message that comes again so many times; 56 bytes.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(crate) struct Again {
    left: u64,
    /// After so many nanoseconds, where a timer brings it.
    after: u64,
    rest: [u64; 5],
}

impl Again {
    pub(crate) fn new(left: u64, after: u64) -> Self {
        Self { left, after, rest: [!left; 5] }
    }
}

/// Sets a timer for each message that is to come again.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 64, timers = 1024)]
pub(crate) fn again_later(message: &Again, later: &Later<Again>) {
    if message.left > 0 {
        later.send_after(Again { left: message.left - 1, ..*message }, message.after);
    }
}

/// Sends it to whom it is connected to: itself.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 64)]
pub(crate) fn again_by_link(message: &Again, next: &Outbox<Again>) {
    if message.left > 0 {
        next.send(Again { left: message.left - 1, ..*message });
    }
}

/// Asks to be told how late a timer is.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(crate) struct Alarm {
    after: u64,
    /// When it is due; 0 for who asks.
    due: u64,
}

impl Alarm {
    pub(crate) fn new(after: u64) -> Self {
        Self { after, due: 0 }
    }
}

/// So many nanoseconds after its time.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(crate) struct Late {
    pub(crate) nanos: u64,
}

/// Sets a timer, and says by how much it came late.
#[ring_kernel]
pub(crate) fn alarm(cx: &Cx, message: &Alarm, later: &Later<Alarm>, late: &Outbox<Late>) {
    if message.due == 0 {
        later.send_after(Alarm { due: cx.now() + message.after, ..*message }, message.after);
    } else {
        late.send(Late { nanos: cx.now() - message.due });
    }
}
