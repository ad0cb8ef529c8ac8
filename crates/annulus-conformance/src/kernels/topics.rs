//! Kernels that send to all who take a topic.

use annulus_kernel::{KernelDefinition, RingKernel};
use annulus_macros::{RingMessage, ring_kernel};
use annulus_runtime::prelude::{Outbox, Published, Topic};

use super::{Item, Number};

/// An item, and what it is about.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Note {
    #[ring(key)]
    pub sender: u32,
    /// Sent so many times.
    pub times: u32,
    pub topic: Topic,
    pub item: Item,
}

/// The most times that one note is sent.
pub const TIMES: u32 = 3;

/// Publishes the item several times; the producer is the number of the time.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16, max_outputs = 3)]
pub fn tell(note: &Note, out: &Outbox<Published<Item>>) {
    for time in 0..note.times {
        out.send(Published { topic: note.topic, message: Item { producer: time, ..note.item } });
    }
}

/// Topics that a program knows when it is built.
pub const THREES: Topic = Topic::of("number.threes");
/// All others.
pub const OTHERS: Topic = Topic::of("number.others");

/// Without a key.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16)]
pub fn announce(number: &Number, out: &Outbox<Published<Number>>) {
    let topic = if number.value.is_multiple_of(3) { THREES } else { OTHERS };
    out.send(Published { topic, message: *number });
}

/// All of them.
pub const TOPICS: &[&KernelDefinition] = &[tell::DEFINITION, announce::DEFINITION];
