//! Kernels that ask which queue a message came from.

use annulus_macros::{device_fn, ring_kernel};
use annulus_runtime::prelude::{Cx, Outbox};

use super::{
    Total,
    policies::{Ticket, Visit},
};

/// Answers each ticket with the number of its queue, one at a time.
#[ring_kernel]
pub fn sorter(cx: &Cx, ticket: &Ticket, replies: &Outbox<Ticket>) {
    replies.send(Ticket { id: ticket.id, value: u64::from(cx.queue()), priority: ticket.priority });
}

#[device_fn]
fn origin(cx: &Cx, base: u64) -> u64 {
    base + u64::from(cx.queue())
}

/// [`sorter`](struct@sorter) in batches; a function that it calls asks.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 8)]
pub fn batch_sorter(cx: &Cx, ticket: &Ticket, replies: &Outbox<Ticket>) {
    replies.send(Ticket { id: ticket.id, value: origin(cx, 0), priority: ticket.priority });
}

/// Answers each visit with the number of its queue, and how many visits its actor has had.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 8)]
pub fn visit_sorter(cx: &Cx, visit: &Visit, total: &mut Total, replies: &Outbox<Ticket>) {
    total.sum += 1;
    replies.send(Ticket {
        id: visit.id as u64,
        value: origin(cx, total.sum * 100),
        priority: visit.priority,
    });
}
