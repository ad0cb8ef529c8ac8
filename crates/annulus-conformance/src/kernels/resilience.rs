//! A kernel that asks another one, tries again, and stops asking while that makes no sense.

use annulus_kernel::ended;
use annulus_macros::{DeviceType, RingMessage, ring_kernel};
use annulus_runtime::{
    prelude::{Answer, Ask, Cx, Later, Outbox},
    resilience::{Breaker, Retry},
};

use super::asks::{Price, Query};

/// Another breaker for an actor.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Limits {
    #[ring(key)]
    pub actor: u32,
    pub failures: u32,
    /// Nanoseconds.
    pub cool_down: u64,
}

/// What makes the kernel ask, and what it is asked again by.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Wanted {
    #[ring(key)]
    pub actor: u32,
    pub number: u32,
    /// An `act` of the asked kernel.
    pub act: u32,
    pub pad: u32,
    /// How long an answer may take, in nanoseconds.
    pub limit: u64,
    pub retry: Retry,
}

/// What comes of an attempt.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Tried {
    #[ring(key)]
    pub actor: u32,
    pub permit: u32,
    pub wanted: Wanted,
    pub price: Answer<Price>,
}

/// What the kernel takes.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Event {
    #[ring(from)]
    Limits(Limits),
    #[ring(from)]
    Wanted(Wanted),
    #[ring(from)]
    Tried(Tried),
}

/// How it ends.
pub mod verdict {
    pub const ANSWERED: u32 = 1;
    /// Nothing came in time, as often as it was tried.
    pub const MAX_RETRIES: u32 = 2;
    /// The other kernel failed: no second attempt.
    pub const FAILED: u32 = 3;
    /// The breaker was open.
    pub const OPEN: u32 = 4;
}

/// What the host hears.
#[derive(RingMessage, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Verdict {
    pub number: u32,
    pub verdict: u32,
    pub cents: u32,
    /// Attempts that failed.
    pub failed: u32,
    /// When the handler that sends it ran.
    pub at: u64,
    /// How long the breaker stays open.
    pub allows_in: u64,
}

/// What is known of the other kernel, for each actor.
#[derive(DeviceType, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Client {
    pub breaker: Breaker,
}

/// Asks, with time limits, attempts and a breaker.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16, timers = 32)]
pub fn client(
    cx: &Cx,
    event: &Event,
    client: &mut Client,
    verdicts: &Outbox<Verdict>,
    price: &Ask<Query, Tried>,
    later: &Later<Event>,
) {
    let mut end = Verdict { number: 0, verdict: 0, cents: 0, failed: 0, at: cx.now(), allows_in: 0 };
    match event {
        Event::Limits(limits) => client.breaker = Breaker::new(limits.failures, limits.cool_down),
        Event::Wanted(wanted) => match client.breaker.permit(cx.now()) {
            Some(permit) => {
                let value = Price { item: 0, cents: 0 };
                let answer = Answer { ended: 0, code: 0, value };
                let tried = Tried { actor: wanted.actor, permit, wanted: *wanted, price: answer };
                let query = Query { desk: wanted.number % 4, item: wanted.number, act: wanted.act };
                price.send(query, tried, wanted.limit);
            }
            None => {
                end.number = wanted.number;
                end.verdict = verdict::OPEN;
                end.failed = wanted.retry.failed();
                end.allows_in = client.breaker.allows_in(cx.now());
                verdicts.send(end);
            }
        },
        Event::Tried(tried) => {
            end.number = tried.wanted.number;
            end.failed = tried.wanted.retry.failed();
            if tried.price.ended == ended::ANSWERED {
                client.breaker.succeeded(tried.permit);
                end.verdict = verdict::ANSWERED;
                end.cents = tried.price.value.cents;
                verdicts.send(end);
                return;
            }
            client.breaker.failed(tried.permit, cx.now());
            let mut wanted = tried.wanted;
            let pause = wanted.retry.pause();
            end.failed = wanted.retry.failed();
            if tried.price.ended != ended::OUT_OF_TIME {
                end.verdict = verdict::FAILED;
                verdicts.send(end);
            } else if let Some(nanos) = pause {
                later.send_after(Event::Wanted(wanted), nanos);
            } else {
                end.verdict = verdict::MAX_RETRIES;
                verdicts.send(end);
            }
        }
    }
}
