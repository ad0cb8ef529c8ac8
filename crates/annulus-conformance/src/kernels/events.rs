//! Kernels that get messages which nobody sends.

use annulus_kernel::{KernelDefinition, RingKernel};
use annulus_macros::{RingMessage, ring_kernel};
use annulus_runtime::prelude::{Cx, DeviceType, Failure, Later, Outbox};

/// The kernels here.
pub const EVENTS: &[&KernelDefinition] =
    &[beat::DEFINITION, swift::DEFINITION, begun::DEFINITION, closing::DEFINITION];

/// What comes by itself, and what somebody sends.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Pulse {
    /// Sets so many timers, which are due at the end of time, and fails if it is told to.
    Set { timers: u32, fails: u32 },
    #[ring(tick)]
    Tick,
    #[ring(start)]
    Start,
    /// From now on so many ticks fail.
    Fail { ticks: u32 },
}

/// Which message was taken.
pub const SET: u32 = 0;
pub const TICK: u32 = 1;
pub const START: u32 = 2;
pub const FAIL: u32 = 3;

/// That a message was taken.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Beat {
    pub of: u32,
    pub block: u32,
    /// How many were before it, and succeeded.
    pub number: u64,
    pub now: u64,
}

/// What the kernels keep.
#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Beats {
    number: u64,
}

/// The period of [`struct@beat`], in nanoseconds.
pub const PERIOD: u64 = 20_000_000;

/// Says what it takes. Room for two timers.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16, timers = 2, max_timers = 2, on_tick = "20 ms")]
pub fn beat(
    cx: &Cx,
    message: &Pulse,
    beats: &mut Beats,
    failing: &mut [u32],
    later: &Later<Pulse>,
    out: &Outbox<Beat>,
) -> Result<(), Failure> {
    let of = match message {
        Pulse::Set { timers, fails } => {
            for _ in 0..*timers {
                later.send_after(Pulse::Set { timers: 0, fails: 0 }, 3_600_000_000_000);
            }
            if *fails != 0 {
                return Err(Failure::of(5));
            }
            SET
        }
        Pulse::Fail { ticks } => {
            // Memory of the whole kernel is no part of the transaction.
            failing[0] = *ticks;
            FAIL
        }
        Pulse::Tick => TICK,
        Pulse::Start => START,
    };
    out.send(Beat { of, block: cx.block_index(), number: beats.number, now: cx.now() });
    beats.number += 1;
    if of == TICK && failing[0] != 0 {
        failing[0] -= 1;
        return Err(Failure::of(6));
    }
    Ok(())
}

/// Ticks often, and sends itself nothing. Each block by itself.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16, on_tick = "500 us")]
pub fn swift(cx: &Cx, message: &Pulse, out: &Outbox<Beat>) {
    let of = match message {
        Pulse::Set { .. } => SET,
        Pulse::Tick => TICK,
        Pulse::Start => START,
        Pulse::Fail { .. } => FAIL,
    };
    out.send(Beat { of, block: cx.block_index(), number: 0, now: cx.now() });
}

/// A message that has a start, and no tick.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Begun {
    Take(u8),
    #[ring(start)]
    Start = 200,
}

/// Says what it takes; the start as 1000.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16)]
pub fn begun(message: &Begun, out: &Outbox<super::Number>) {
    match message {
        Begun::Take(value) => out.send(super::Number { value: (*value).into() }),
        Begun::Start => out.send(super::Number { value: 1000 }),
    }
}

/// A message that has an end.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum Closing {
    Take(u32),
    #[ring(stop)]
    Stop,
    /// The end fails.
    Fail,
}

/// What was taken.
#[derive(DeviceType, Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct Taken {
    sum: u64,
    fails: u32,
    unused: u32,
}

/// Says what it takes; at its end 1000 and the sum of all. Then a message to itself is too late.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16)]
pub fn closing(
    message: &Closing,
    taken: &mut Taken,
    later: &Later<Closing>,
    out: &Outbox<super::Number>,
) -> Result<(), Failure> {
    match message {
        Closing::Take(value) => {
            taken.sum += u64::from(*value);
            out.send(super::Number { value: (*value).into() });
        }
        Closing::Fail => {
            taken.fails = 1;
            out.send(super::Number { value: 0 });
        }
        Closing::Stop => {
            out.send(super::Number { value: 1000 + taken.sum });
            later.send_after(Closing::Take(1), 0);
            if taken.fails != 0 {
                return Err(Failure::of(8));
            }
        }
    }
    Ok(())
}

/// Sends on what was taken.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16)]
pub fn pass_beat(beat: &Beat, out: &Outbox<Beat>) {
    out.send(*beat);
}

/// Sends on what is to be taken, but for its own start.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16)]
pub fn pass_begun(message: &Begun, out: &Outbox<Begun>) {
    if let Begun::Take(_) = message {
        out.send(*message);
    }
}
