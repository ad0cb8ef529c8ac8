//! Kernels that send to each other.

use annulus_macros::{DeviceType, RingMessage, ring_kernel};
use annulus_runtime::prelude::{Failure, Outbox};

use super::{Item, Number, Total};

/// The actors of [`aggregate`](struct@aggregate).
pub const PLACES: u64 = 8;
/// What [`validate`](struct@validate) fails with.
pub const ODD_ONE: u16 = 77;
/// How many items make a window of [`aggregate`](struct@aggregate).
pub const WINDOW: u64 = 10;

/// Sends every item on.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 64)]
pub fn pass(item: &Item, out: &Outbox<Item>) {
    out.send(*item);
}

/// Sends the next number.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 64)]
pub fn next(number: &Number, out: &Outbox<Number>) {
    out.send(Number { value: number.value + 1 });
}

/// Sends every number twice.
#[ring_kernel(mode = Batch, max_outputs = 2)]
pub fn double(number: &Number, out: &Outbox<Number>) {
    out.send(*number);
    out.send(*number);
}

/// Sends three numbers for each.
#[ring_kernel(mode = Batch, max_outputs = 3)]
pub fn triple(number: &Number, out: &Outbox<Number>) {
    for place in 0..3 {
        out.send(Number { value: number.value * 3 + place });
    }
}

/// A ball, and how often it is still to be hit.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Ball {
    #[ring(key)]
    pub number: u32,
    pub left: u32,
}

/// Counts each ball's hits, and sends it on unless it was the last.
#[ring_kernel(mode = Adaptive, max_messages_per_iteration = 16)]
pub fn hit(ball: &Ball, hits: &mut Total, out: &Outbox<Ball>) {
    hits.sum += 1;
    if ball.left > 1 {
        out.send(Ball { number: ball.number, left: ball.left - 1 });
    }
}

/// Refuses every seventh number.
#[ring_kernel(mode = Batch)]
pub fn validate(number: &Number, out: &Outbox<Number>) -> Result<(), Failure> {
    if number.value % 7 == 3 {
        return Err(Failure::of(ODD_ONE));
    }
    out.send(*number);
    Ok(())
}

/// Makes an item of a number.
#[ring_kernel(mode = Batch)]
pub fn transform(number: &Number, out: &Outbox<Item>) {
    out.send(Item { key: (number.value % PLACES) as u32, producer: 0, sequence: 3 * number.value });
}

/// What came since the last window.
#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Window {
    pub count: u64,
    pub sum: u64,
}

/// Sends the sum of each window.
#[ring_kernel(mode = Adaptive)]
pub fn aggregate(item: &Item, window: &mut Window, out: &Outbox<Number>) {
    window.count += 1;
    window.sum += item.sequence;
    if window.count == WINDOW {
        out.send(Number { value: window.sum });
        window.count = 0;
        window.sum = 0;
    }
}
