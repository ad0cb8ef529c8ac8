//! Kernels that send along the rows of a graph.

use annulus_kernel::{KernelDefinition, RingKernel};
use annulus_macros::{DeviceType, RingMessage, ring_kernel};
use annulus_runtime::prelude::{Along, Failure, Later, Outbox};

use super::Number;

/// What [`spread`](struct@spread) is told to send.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Order {
    #[ring(key)]
    pub sender: u32,
    pub row: u32,
    pub from: u32,
    pub sequence: u32,
    /// Sent so many times, along this row and those behind it.
    pub times: u32,
    /// Whether the handler fails afterwards.
    pub fails: u32,
}

/// What goes along rows: 20 bytes, the key is not the first.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(C)]
pub struct Hop {
    pub row: u32,
    pub sequence: u32,
    #[ring(key)]
    pub to: u32,
    #[ring(edge)]
    pub weight: i32,
    pub time: u32,
}

/// What [`spread`](struct@spread) fails with.
pub const NOT_TODAY: u16 = 81;

/// Sends along rows, up to three times.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16, max_outputs = 3)]
pub fn spread(order: &Order, out: &Outbox<Along<Hop>>) -> Result<(), Failure> {
    for time in 0..order.times {
        let row = order.row.wrapping_add(time);
        let message = Hop { row, sequence: order.sequence, to: 7, weight: -5, time };
        out.send(Along { row, from: order.from, message });
    }
    if order.fails != 0 {
        return Err(Failure::of(NOT_TODAY));
    }
    Ok(())
}

/// Sends every copy on.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 64)]
pub fn arrive(hop: &Hop, out: &Outbox<Hop>) {
    out.send(*hop);
}

/// Four bytes, aligned to two.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Hint {
    pub from: u16,
    #[ring(key)]
    pub to: u16,
}

/// Sixteen bytes, aligned to eight.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Push {
    #[ring(key)]
    pub to: u64,
    #[ring(edge)]
    pub share: f32,
    pub from: u32,
}

/// Of small messages, a row for each number.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16)]
pub fn hint(number: &Number, out: &Outbox<Along<Hint>>) {
    let row = number.value as u32;
    out.send(Along { row, from: 0, message: Hint { from: row as u16, to: 0 } });
}

/// With values that are fractions.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16)]
pub fn push(number: &Number, out: &Outbox<Along<Push>>) {
    let row = number.value as u32;
    out.send(Along { row, from: 0, message: Push { from: row, to: 0, share: 0.5 } });
}

/// Takes both.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(u8)]
pub enum Told {
    #[ring(from)]
    Hint(Hint),
    #[ring(from)]
    Push(Push),
}

/// What came, in numbers.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(C)]
pub struct Heard {
    pub kind: u32,
    pub from: u32,
    pub to: u64,
    pub bits: u32,
    /// How many this actor has heard.
    pub nth: u32,
}

/// Says what it was told.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16)]
pub fn hear(told: &Told, count: &mut u32, out: &Outbox<Heard>) {
    *count += 1;
    let nth = *count;
    match told {
        Told::Hint(hint) => {
            out.send(Heard { kind: 0, from: hint.from as u32, to: hint.to as u64, bits: 0, nth });
        }
        Told::Push(push) => {
            out.send(Heard { kind: 1, from: push.from, to: push.to, bits: push.share.to_bits(), nth });
        }
    }
}

/// A way to a vertex.
#[derive(RingMessage, Clone, Copy, Debug)]
#[repr(C)]
pub struct Visit {
    #[ring(key)]
    pub vertex: u32,
    /// Of the last edge.
    #[ring(edge)]
    pub length: u32,
    /// From where it began to the edge.
    pub so_far: u64,
}

/// What is known of a vertex.
#[derive(DeviceType, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Nearest {
    pub distance: u64,
}

impl Default for Nearest {
    fn default() -> Self {
        Self { distance: u64::MAX }
    }
}

/// Shortest ways: who is reached by a shorter one tells all neighbours.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 32)]
pub fn search(visit: &Visit, nearest: &mut Nearest, out: &Outbox<Along<Visit>>) {
    let distance = visit.so_far + visit.length as u64;
    if distance < nearest.distance {
        nearest.distance = distance;
        let message = Visit { vertex: visit.vertex, length: 0, so_far: distance };
        out.send(Along { row: visit.vertex, from: 0, message });
    }
}

/// What [`chime`](struct@chime) takes: from somebody or itself, and from nobody.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Chime {
    /// So many come behind it, one after the other.
    Ring { behind: u32 },
    #[ring(tick)]
    Tick,
    #[ring(stop)]
    Stop,
}

/// How often [`chime`](struct@chime) has rung, and ticked.
#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Rung {
    pub rings: u32,
    pub ticks: u32,
}

/// The rows along which [`chime`](struct@chime) sends what it takes, and the number of what it sends last.
pub const RING: u32 = 0;
pub const TICK: u32 = 1;
pub const STOP: u32 = 2;

/// Sends along a row whatever comes, and sends itself what comes behind it.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 4, timers = 2, on_tick = "5 ms")]
pub fn chime(message: &Chime, rung: &mut Rung, later: &Later<Chime>, out: &Outbox<Along<Hop>>) {
    let (row, sequence) = match message {
        Chime::Ring { behind } => {
            rung.rings += 1;
            if *behind != 0 {
                later.send_after(Chime::Ring { behind: *behind - 1 }, 1_000);
            }
            (RING, rung.rings)
        }
        Chime::Tick => {
            rung.ticks += 1;
            (TICK, rung.ticks)
        }
        Chime::Stop => (STOP, 1),
    };
    out.send(Along { row, from: 0, message: Hop { row, sequence, to: 7, weight: -5, time: 0 } });
}

/// All of them.
pub const ROWS: &[&KernelDefinition] = &[
    spread::DEFINITION,
    arrive::DEFINITION,
    hint::DEFINITION,
    push::DEFINITION,
    hear::DEFINITION,
    search::DEFINITION,
    chime::DEFINITION,
];
