//! Kernels that ask for the time.

use annulus_kernel::{KernelDefinition, RingKernel};
use annulus_macros::{device_fn, ring_kernel};
use annulus_runtime::prelude::{Cx, Outbox};

use super::{Item, Number, Total, Tracked};

/// The kernels here.
pub const TIMES: &[&KernelDefinition] = &[clock::DEFINITION, batch_clock::DEFINITION, lateness::DEFINITION];

/// Answers the time.
#[ring_kernel]
pub fn clock(cx: &Cx, message: &Number, times: &Outbox<Number>) {
    let _ = message;
    times.send(Number { value: cx.now() });
}

#[device_fn]
fn since(cx: &Cx, earlier: u64) -> u64 {
    cx.now().wrapping_sub(earlier)
}

/// [`clock`](struct@clock) in batches; a function that it calls asks.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16)]
pub fn batch_clock(cx: &Cx, message: &Number, times: &Outbox<Number>) {
    times.send(Number { value: since(cx, message.value) });
}

/// Answers each item with the time, which its actor keeps, and with the time that it kept before.
#[ring_kernel(mode = Adaptive)]
pub fn lateness(cx: &Cx, item: &Item, last: &mut Total, times: &Outbox<Tracked>) {
    times.send(Tracked { key: item.key, producer: item.producer, sequence: cx.now(), count: last.sum });
    last.sum = cx.now();
}
