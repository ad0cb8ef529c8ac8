//! Kernels that send to those that their outputs name.

use annulus_kernel::{KernelDefinition, RingKernel};
use annulus_macros::{RingMessage, ring_kernel};
use annulus_runtime::prelude::{Addressed, Outbox, Peer};

use super::{Item, Number, variants::Joined};

/// An item, and whom it is for.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Parcel {
    #[ring(key)]
    pub sender: u32,
    /// Sent so many times.
    pub copies: u32,
    pub to: Peer<Item>,
    pub item: Item,
}

/// The most copies of one parcel.
pub const COPIES: u32 = 3;

/// Sends the item to whom it is for, several times; the copies' producer is their number.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16, max_outputs = 3)]
pub fn carry(parcel: &Parcel, out: &Outbox<Addressed<Item>>) {
    for copy in 0..parcel.copies {
        out.send(Addressed { to: parcel.to, message: Item { producer: copy, ..parcel.item } });
    }
}

/// Without a key, to one after the other of those that it was given.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16)]
pub fn in_turn(number: &Number, known: &[Peer<Number>], out: &Outbox<Addressed<Number>>) {
    let to = known[(number.value % known.len() as u64) as usize];
    out.send(Addressed { to, message: *number });
}

/// Six bytes, for a variant of what the other takes.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16)]
pub fn introduce(number: &Number, coordinator: &Peer<Joined>, out: &Outbox<Addressed<Joined>>) {
    let message = Joined { weight: 5, worker: (number.value % 7) as u16, round: number.value as u16 };
    out.send(Addressed { to: *coordinator, message });
}

/// Sends the next number twice, to any.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16, max_outputs = 2)]
pub fn deal_twice(number: &Number, out: &Outbox<Addressed<Number>>) {
    for _ in 0..2 {
        out.send(Addressed { to: Peer::<Number>::ANY, message: Number { value: number.value + 1 } });
    }
}

/// All of them.
pub const PEERS: &[&KernelDefinition] =
    &[carry::DEFINITION, in_turn::DEFINITION, introduce::DEFINITION, deal_twice::DEFINITION];
