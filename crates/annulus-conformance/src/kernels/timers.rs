//! Kernels that send to themselves.

use annulus_kernel::{KernelDefinition, RingKernel};
use annulus_macros::{RingMessage, ring_kernel};
use annulus_runtime::prelude::{Cx, Failure, Later, Outbox};

use super::{Number, Total};

/// The kernels here.
pub const TIMERS: &[&KernelDefinition] = &[remind::DEFINITION, remind_by_two::DEFINITION];

/// A message that says what its handler sends to itself.
#[derive(RingMessage, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Remind {
    #[ring(key)]
    pub actor: u32,
    /// The actor that what comes later is for.
    pub to: u32,
    /// Those that come later count on from it.
    pub id: u32,
    /// How many come later,
    pub sets: u32,
    /// and how often each of them sends one more.
    pub repeats: u32,
    /// Whether the handler fails.
    pub fails: u32,
    /// After so many nanoseconds.
    pub after: u64,
    /// When it was sent to itself; 0 for a message of the host.
    pub set_at: u64,
}

/// That a message was taken.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Reminded {
    pub id: u32,
    pub actor: u32,
    /// Which of its actor's it was.
    pub count: u64,
    /// When it was sent to itself, and when it was due; 0 for a message of the host.
    pub set_at: u64,
    pub due: u64,
    pub now: u64,
}

/// Says that it takes a message, and sends others to itself. Room for eight.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16, timers = 8, max_timers = 8)]
pub fn remind(
    cx: &Cx,
    message: &Remind,
    total: &mut Total,
    later: &Later<Remind>,
    out: &Outbox<Reminded>,
) -> Result<(), Failure> {
    total.sum += 1;
    let mut due = 0;
    if message.set_at != 0 {
        due = message.set_at + message.after;
    }
    out.send(Reminded {
        id: message.id,
        actor: message.actor,
        count: total.sum,
        set_at: message.set_at,
        due,
        now: cx.now(),
    });
    for i in 0..message.sets {
        let mut next = *message;
        next.actor = message.to;
        next.id += i + 1;
        next.sets = 0;
        if message.repeats != 0 {
            next.sets = 1;
            next.repeats = message.repeats - 1;
        }
        next.set_at = cx.now();
        later.send_after(next, message.after);
    }
    if message.fails != 0 {
        return Err(Failure::of(9));
    }
    Ok(())
}

/// Says that it takes a message by two outboxes, and sends one more to itself.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16, timers = 8)]
pub fn remind_by_two(
    cx: &Cx,
    message: &Remind,
    total: &mut Total,
    later: &Later<Remind>,
    reminded: &Outbox<Reminded>,
    numbers: &Outbox<Number>,
) {
    total.sum += 1;
    let mut due = 0;
    if message.set_at != 0 {
        due = message.set_at + message.after;
    }
    numbers.send(Number { value: u64::from(message.id) });
    reminded.send(Reminded {
        id: message.id,
        actor: message.actor,
        count: total.sum,
        set_at: message.set_at,
        due,
        now: cx.now(),
    });
    if message.sets != 0 {
        let mut next = *message;
        next.id += 1;
        next.sets = u32::from(message.repeats != 0);
        next.repeats = message.repeats.saturating_sub(1);
        next.set_at = cx.now();
        later.send_after(next, message.after);
    }
}

/// Sends on that a message was taken.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16)]
pub fn note(taken: &Reminded, out: &Outbox<Reminded>) {
    out.send(*taken);
}

/// Sends on what is to be taken.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16)]
pub fn pass_remind(message: &Remind, out: &Outbox<Remind>) {
    out.send(*message);
}
