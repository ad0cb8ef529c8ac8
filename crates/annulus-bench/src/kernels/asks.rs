//! Kernels that ask, and one that is asked.

use annulus::{ended, prelude::*};

use super::{Forty, Hop};

/// Asks for so many things, one after the other.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(crate) struct Begin {
    asks: u64,
}

impl Begin {
    /// # Panics
    ///
    /// If it is for none.
    pub(crate) fn new(asks: u64) -> Self {
        assert!(asks > 0, "who begins asks");
        Self { asks }
    }
}

/// What comes of one; 56 bytes, as what was asked.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(crate) struct Learnt {
    left: u64,
    answer: Answer<Forty>,
}

/// What a kernel takes that asks.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
#[repr(u32)]
pub(crate) enum Asking {
    #[ring(from)]
    Begin(Begin),
    #[ring(from)]
    Learnt(Learnt),
}

/// How long an answer may take: longer than any run.
const LONG: u64 = 1_000_000_000_000;

/// The code of one that was not answered.
const NO_ANSWER: u16 = 1;

/// Asks, and asks again as soon as it is answered; says when it has asked all.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 64, timers = 64)]
pub(crate) fn inquire(
    message: &Asking,
    done: &Outbox<Forty>,
    query: &Ask<Hop, Learnt>,
) -> Result<(), Failure> {
    let left = match message {
        Asking::Begin(begin) => begin.asks,
        Asking::Learnt(learnt) => {
            if learnt.answer.ended != ended::ANSWERED {
                return Err(Failure::of(NO_ANSWER));
            }
            learnt.left
        }
    };
    if left == 0 {
        done.send(Forty { number: 0, rest: [0; 4] });
    } else {
        let none = Answer { ended: 0, code: 0, value: Forty { number: 0, rest: [0; 4] } };
        query.send(Hop { left, rest: [!left; 6] }, Learnt { left: left - 1, answer: none }, LONG);
    }
    Ok(())
}

/// Answers.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 64)]
pub(crate) fn inform(query: &Hop, told: &Outbox<Forty>) {
    told.send(Forty { number: query.left, rest: [query.rest[0]; 4] });
}
