//! Kernels that ask others, and kernels that are asked.

use annulus_kernel::{KernelDefinition, RingKernel, ended};
use annulus_macros::{RingMessage, ring_kernel};
use annulus_runtime::prelude::{Answer, Ask, Failure, Later, Outbox, Reply};

use super::{Total, resilience::client, through::REFUSED};

/// The kernels here.
pub const ASKING: &[&KernelDefinition] =
    &[asker::DEFINITION, gatherer::DEFINITION, teller::DEFINITION, advisor::DEFINITION, client::DEFINITION];

/// What happens to a query, or to the order that asks it.
pub mod act {
    /// The asked handler answers.
    pub const ANSWER: u32 = 0;
    /// It answers, and sends something besides: in front of the answer, where it can.
    pub const TOLD: u32 = 1;
    /// It succeeds, and answers nothing.
    pub const DROP: u32 = 2;
    /// It fails.
    pub const FAIL: u32 = 3;
    /// The handler of the order fails behind its ask.
    pub const FAIL_BEHIND: u32 = 4;
    /// The handler of the order tells of it before it asks.
    pub const TELL_BEFORE: u32 = 5;
}

/// What makes a kernel ask.
#[derive(RingMessage, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Order {
    #[ring(key)]
    pub actor: u32,
    pub number: u32,
    pub act: u32,
    /// How many more orders come of it, with numbers that follow.
    pub more: u32,
    /// How long the answer may take.
    pub limit: u64,
}

/// What is asked.
#[derive(RingMessage, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Query {
    #[ring(key)]
    pub desk: u32,
    pub item: u32,
    pub act: u32,
}

/// What is answered.
#[derive(RingMessage, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Price {
    pub item: u32,
    pub cents: u32,
}

/// What comes of an ask.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Priced {
    #[ring(key)]
    pub actor: u32,
    pub order: u32,
    pub price: Answer<Price>,
}

/// What a kernel that asks takes.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Event {
    #[ring(from)]
    Order(Order),
    #[ring(from)]
    Priced(Priced),
}

/// What the host hears.
#[derive(RingMessage, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Done {
    pub actor: u32,
    pub order: u32,
    pub ended: u32,
    pub code: u32,
    pub price: Price,
}

/// Asks for each order, and tells the host what came of it.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16, timers = 32, max_timers = 2)]
pub fn asker(
    event: &Event,
    taken: &mut Total,
    done: &Outbox<Done>,
    price: &Ask<Query, Priced>,
    later: &Later<Event>,
) -> Result<(), Failure> {
    match event {
        Event::Order(order) => {
            taken.sum += 1;
            if order.act == act::TELL_BEFORE {
                done.send(Done {
                    actor: order.actor,
                    order: order.number,
                    ended: 0,
                    code: 0,
                    price: Price { item: 0, cents: 0 },
                });
            }
            let awaited = Priced {
                actor: order.actor,
                order: order.number,
                price: Answer { ended: 0, code: 0, value: Price { item: 77, cents: 0 } },
            };
            price.send(
                Query { desk: order.number % 4, item: order.number, act: order.act },
                awaited,
                order.limit,
            );
            if order.more != 0 {
                let next = Order { number: order.number + 1, more: order.more - 1, ..*order };
                later.send_after(Event::Order(next), 0);
            }
            if order.act == act::FAIL_BEHIND {
                return Err(Failure::of(REFUSED));
            }
        }
        Event::Priced(priced) => {
            let answer = &priced.price;
            done.send(Done {
                actor: priced.actor,
                order: priced.order,
                ended: answer.ended,
                code: answer.code,
                price: answer.value,
            });
        }
    }
    Ok(())
}

/// What is known of a job that was dealt out.
#[derive(annulus_macros::DeviceType, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Gathered {
    pub wanted: u32,
    pub ended: u32,
    pub answered: u32,
    pub cents: u32,
}

/// Asks for each part of a job, and tells when all have ended (P-03): an order is a job of `more + 1` parts.
#[ring_kernel(timers = 64, max_timers = 2)]
pub fn gatherer(
    event: &Event,
    job: &mut Gathered,
    done: &Outbox<Done>,
    price: &Ask<Query, Priced>,
    later: &Later<Event>,
) {
    match event {
        Event::Order(order) => {
            if job.wanted == 0 {
                job.wanted = order.more + 1;
            }
            let awaited = Priced {
                actor: order.actor,
                order: order.number,
                price: Answer { ended: 0, code: 0, value: Price { item: 0, cents: 0 } },
            };
            let silent = order.number % 4 == 3 && order.act == act::DROP;
            let act = if silent { act::DROP } else { act::ANSWER };
            price.send(Query { desk: order.number % 4, item: order.number, act }, awaited, order.limit);
            if order.more != 0 {
                let next = Order { number: order.number + 1, more: order.more - 1, ..*order };
                later.send_after(Event::Order(next), 0);
            }
        }
        Event::Priced(priced) => {
            job.ended += 1;
            if priced.price.ended == ended::ANSWERED {
                job.answered += 1;
                job.cents += priced.price.value.cents;
            }
            if job.ended == job.wanted {
                done.send(Done {
                    actor: priced.actor,
                    order: job.wanted,
                    ended: job.answered,
                    code: 0,
                    price: Price { item: 0, cents: job.cents },
                });
                *job = Gathered { wanted: 0, ended: 0, answered: 0, cents: 0 };
            }
        }
    }
}

/// Answers by its only outbox.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16, max_outputs = 2)]
pub fn teller(query: &Query, taken: &mut Total, out: &Outbox<Price>) -> Result<(), Failure> {
    taken.sum += 1;
    let price = Price { item: query.item, cents: query.item * 3 + 1 };
    if query.act != act::DROP {
        out.send(price);
    }
    if query.act == act::TOLD {
        out.send(Price { item: query.item, cents: 0 });
    }
    if query.act == act::FAIL {
        return Err(Failure::of(REFUSED));
    }
    Ok(())
}

/// Answers by its reply.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16)]
pub fn advisor(
    query: &Query,
    taken: &mut Total,
    told: &Outbox<Query>,
    reply: &Reply<Price>,
) -> Result<(), Failure> {
    taken.sum += 1;
    if query.act == act::TOLD {
        told.send(*query);
    }
    if query.act != act::DROP {
        reply.send(Price { item: query.item, cents: query.item * 3 + 1 });
    }
    if query.act == act::FAIL {
        return Err(Failure::of(REFUSED));
    }
    Ok(())
}
