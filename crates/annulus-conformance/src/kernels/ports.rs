//! Kernels whose handlers have several outboxes.

use annulus_kernel::{KernelDefinition, RingKernel};
use annulus_macros::{device_fn, ring_kernel};
use annulus_runtime::prelude::{BlockCx, Failure, Outbox};

use super::{Done, Item, Number, Total};

/// What [`sort_out`](struct@sort_out) fails with.
pub const NOT_SORTED: u16 = 78;
/// Makes [`sort_out`](struct@sort_out) send more by one outbox than that may send, and less than all may.
pub const TOO_MANY: u64 = u64::MAX - 1;

/// Sends a number, and again with this added to it.
#[device_fn]
pub fn twice(value: u64, more: u64, out: &Outbox<Number>) {
    out.send(Number { value });
    out.send(Number { value: value + more });
}

/// By the sequence's last two bits: two numbers; the item; one output by each outbox; the same, and then it
/// fails. Numbers say how many messages of their actor were handled.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 64, max_outputs(numbers = 2, kept = 1))]
pub fn sort_out(
    item: &Item,
    handled: &mut Total,
    numbers: &Outbox<Number>,
    kept: &Outbox<Item>,
    marks: &Outbox<Done>,
) -> Result<(), Failure> {
    handled.sum += 1;
    match item.sequence % 4 {
        0 => twice(handled.sum, 1000, numbers),
        1 => kept.send(*item),
        _ => {
            marks.send(Done {});
            kept.send(*item);
            if item.sequence == TOO_MANY {
                kept.send(*item);
            }
            numbers.send(Number { value: handled.sum });
        }
    }
    if item.sequence % 4 == 3 {
        return Err(Failure::of(NOT_SORTED));
    }
    Ok(())
}

/// The sum over the block's threads goes out by one outbox, and what is odd by another one.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16)]
pub fn sum_and_odd(cx: &BlockCx, number: &Number, sums: &Outbox<Number>, odd: &Outbox<Number>) {
    let sum = cx.block_reduce(number.value, |a, b| a + b);
    if cx.is_leader() {
        sums.send(Number { value: sum / u64::from(cx.block_dim()) });
        if number.value % 2 == 1 {
            odd.send(*number);
        }
    }
}

/// Sends every item on by both.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 4)]
pub fn spread(item: &Item, left: &Outbox<Item>, right: &Outbox<Item>) {
    left.send(*item);
    right.send(*item);
}

/// Those whose texts are looked at.
pub const PORTS: &[&KernelDefinition] = &[sort_out::DEFINITION, sum_and_odd::DEFINITION];
