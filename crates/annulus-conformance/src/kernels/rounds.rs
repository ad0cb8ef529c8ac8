//! Kernels that go in rounds.

use annulus_kernel::Cx;
use annulus_macros::{DeviceType, RingMessage, device_fn, ring_kernel};
use annulus_runtime::prelude::{Along, Outbox};

/// What [`multiply`](struct@multiply) takes, and sends to itself.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Spark {
    #[ring(key)]
    pub to: u32,
    /// How often it is sent on.
    pub left: u32,
    /// The round in which it was sent, from 1 on; 0 if the host has sent it.
    pub sent_in: u64,
    pub path: u64,
}

/// What it tells the host of each message.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Lit {
    /// The round in which it was handled, from 1 on.
    pub round: u64,
    pub sent_in: u64,
    pub path: u64,
    pub at: u32,
    /// How many its actor had had before.
    pub before: u32,
}

#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Sparks {
    pub count: u32,
    pub last: u64,
}

/// How many actors it has.
pub const SPARKING: u32 = 64;

/// Sends two messages for each, to itself, and tells the host.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16, max_outputs(onward = 2, lit = 1))]
pub fn multiply(cx: &Cx, spark: &Spark, sparks: &mut Sparks, onward: &Outbox<Spark>, lit: &Outbox<Lit>) {
    let round = cx.round() + 1;
    lit.send(Lit { round, sent_in: spark.sent_in, path: spark.path, at: spark.to, before: sparks.count });
    sparks.count += 1;
    sparks.last = round;
    if spark.left > 0 {
        let mut turn = 0u32;
        while turn < 2 {
            let path = spark.path * 2 + turn as u64;
            let to = (path.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as u32 % SPARKING;
            onward.send(Spark { to, left: spark.left - 1, sent_in: round, path });
            turn += 1;
        }
    }
}

/// Somebody is reached.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Reach {
    #[ring(key)]
    pub vertex: u32,
}

#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Level {
    /// The round in which it was reached first, from 1 on.
    pub level: u32,
    /// How often it was reached in that round.
    pub ways: u32,
}

/// Breadth first search: the first round in which a vertex is reached is its distance.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 32)]
pub fn levels(cx: &Cx, reach: &Reach, found: &mut Level, edges: &Outbox<Along<Reach>>) {
    let round = this_round(cx);
    if found.level == 0 {
        found.level = round;
        edges.send(Along { row: reach.vertex, from: 0, message: *reach });
    }
    if found.level == round {
        found.ways += 1;
    }
}

/// In a function, the context goes along.
#[device_fn]
fn this_round(cx: &Cx) -> u32 {
    cx.round() as u32 + 1
}
