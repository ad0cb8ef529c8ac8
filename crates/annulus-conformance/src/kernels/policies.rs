//! Kernels whose messages have an id and a priority, for the policies of the queues in front of them.

use annulus_macros::{RingMessage, ring_kernel};
use annulus_runtime::prelude::{Failure, Outbox};

use super::{FAIL, TEAPOT, Total};

/// A message that can be recognised and put in order. Its priority leaves padding behind it.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(C)]
pub struct Ticket {
    #[ring(id)]
    pub id: u64,
    pub value: u64,
    #[ring(priority)]
    pub priority: u8,
}

/// A ticket for an actor.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(C)]
pub struct Visit {
    #[ring(key)]
    pub who: u32,
    #[ring(id)]
    pub id: u32,
    #[ring(priority)]
    pub priority: u8,
}

/// Answers each ticket with itself, one at a time.
#[ring_kernel]
pub fn gate(ticket: &Ticket, replies: &Outbox<Ticket>) {
    replies.send(*ticket);
}

/// [`gate`](struct@gate) in batches, with a small queue.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 8)]
pub fn batch_gate(ticket: &Ticket, replies: &Outbox<Ticket>) {
    replies.send(*ticket);
}

/// [`gate`](struct@gate) with all policies, by its attribute.
#[ring_kernel(
    capacity = 16,
    backpressure = DropNew,
    deduplication = ById,
    deduplication_window = 16,
    priority = true,
    expiry = "10 min",
    active = false
)]
pub fn strict_gate(ticket: &Ticket, replies: &Outbox<Ticket>) {
    replies.send(*ticket);
}

/// [`gate`](struct@gate) that fails for a ticket of the value [`FAIL`].
#[ring_kernel]
pub fn fragile_gate(ticket: &Ticket, tries: &mut Total, replies: &Outbox<Ticket>) -> Result<(), Failure> {
    if ticket.value == FAIL {
        return Err(Failure::of(TEAPOT));
    }
    tries.sum += 1;
    replies.send(*ticket);
    Ok(())
}

/// Counts each actor's visits.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 8)]
pub fn visits(visit: &Visit, total: &mut Total, replies: &Outbox<Ticket>) {
    total.sum += 1;
    replies.send(Ticket { id: visit.id as u64, value: total.sum, priority: visit.priority });
}
