//! Kernels that look at the stamps of their messages.

use annulus_kernel::{KernelDefinition, RingKernel};
use annulus_macros::{RingMessage, ring_kernel};
use annulus_runtime::prelude::{Answer, Ask, BlockCx, Cx, Failure, Later, Outbox, Published, Topic};

use super::{Number, Total};

/// The kernels here.
pub const STAMPED: &[&KernelDefinition] = &[
    forks::DEFINITION,
    tell_stamp::DEFINITION,
    tell_stamps::DEFINITION,
    put_off::DEFINITION,
    shout::DEFINITION,
    inquire::DEFINITION,
    inform::DEFINITION,
    begin::DEFINITION,
];

/// A message has no greater stamp than the one that it was sent because of.
pub const BEFORE_ITS_CAUSE: u16 = 81;

/// A message that knows what it was sent because of.
#[derive(RingMessage, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Step {
    #[ring(key)]
    pub actor: u32,
    /// How many handlers it has come through, with those before it.
    pub hops: u32,
    /// The stamp of the message that it was sent because of, or 0.
    pub cause: u64,
}

/// Sends on by one outbox, and each third message by the other one, too.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16)]
pub fn forks(
    cx: &Cx,
    step: &Step,
    total: &mut Total,
    left: &Outbox<Step>,
    right: &Outbox<Step>,
) -> Result<(), Failure> {
    if cx.stamp() <= step.cause {
        return Err(Failure::of(BEFORE_ITS_CAUSE));
    }
    total.sum += 1;
    let next = Step { actor: step.actor.wrapping_add(1) % 4, hops: step.hops + 1, cause: cx.stamp() };
    left.send(next);
    if total.sum.is_multiple_of(3) {
        right.send(next);
    }
    Ok(())
}

/// Says the stamp of its message.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 64)]
pub fn tell_stamp(cx: &Cx, number: &Number, out: &Outbox<Number>) {
    let _ = number;
    out.send(Number { value: cx.stamp() });
}

/// A whole block does the same: the leader says what all its threads know.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16)]
pub fn tell_stamps(cx: &BlockCx, number: &Number, out: &Outbox<Number>) {
    let _ = number;
    let most = cx.block_reduce(cx.stamp(), |a, b| if a > b { a } else { b });
    if cx.is_leader() {
        out.send(Number { value: most });
    }
}

/// Sends each message to itself, to be handled later, and on then.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16, timers = 64)]
pub fn put_off(cx: &Cx, step: &Step, later: &Later<Step>, out: &Outbox<Step>) -> Result<(), Failure> {
    if cx.stamp() <= step.cause {
        return Err(Failure::of(BEFORE_ITS_CAUSE));
    }
    let next = Step { actor: step.actor, hops: step.hops + 1, cause: cx.stamp() };
    if step.hops.is_multiple_of(2) {
        later.send_after(next, 1000);
    } else {
        out.send(next);
    }
    Ok(())
}

/// What [`shout`](struct@shout) sends is on this topic.
pub const STEPS: Topic = Topic::of("steps");

/// Sends to all who want to hear it.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16)]
pub fn shout(cx: &Cx, step: &Step, out: &Outbox<Published<Step>>) {
    let next = Step { actor: step.actor, hops: step.hops + 1, cause: cx.stamp() };
    out.send(Published { topic: STEPS, message: next });
}

/// What comes of an ask.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Informed {
    pub cause: u64,
    pub told: Answer<Number>,
}

/// What a kernel that asks takes.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Inquiry {
    #[ring(from)]
    Number(Number),
    #[ring(from)]
    Informed(Informed),
}

/// Asks, and tells whether the answer has a greater stamp than the ask, and than what the answer was given because of.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16, timers = 64)]
pub fn inquire(
    cx: &Cx,
    inquiry: &Inquiry,
    out: &Outbox<Number>,
    ask: &Ask<Number, Informed>,
) -> Result<(), Failure> {
    match inquiry {
        Inquiry::Number(number) => {
            let told = Answer { ended: 0, code: 0, value: Number { value: 0 } };
            ask.send(*number, Informed { cause: cx.stamp(), told }, 60_000_000_000);
        }
        Inquiry::Informed(informed) => {
            if cx.stamp() <= informed.cause || cx.stamp() <= informed.told.value.value {
                return Err(Failure::of(BEFORE_ITS_CAUSE));
            }
            out.send(Number { value: informed.told.value.value });
        }
    }
    Ok(())
}

/// Answers with the stamp of the query.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16)]
pub fn inform(cx: &Cx, number: &Number, out: &Outbox<Number>) {
    let _ = number;
    out.send(Number { value: cx.stamp() });
}

/// A message, or the start.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Begun {
    Say {
        word: u64,
    },
    #[ring(start)]
    Start,
}

/// Says the stamp of each message, also of the one that nobody sends.
#[ring_kernel]
pub fn begin(cx: &Cx, begun: &Begun, out: &Outbox<Number>) {
    match begun {
        Begun::Say { word } => out.send(Number { value: cx.stamp() + *word }),
        Begun::Start => out.send(Number { value: cx.stamp() }),
    }
}
