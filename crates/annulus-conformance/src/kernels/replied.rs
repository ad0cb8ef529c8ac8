//! Kernels that answer from the middle of a pipeline.

use annulus_kernel::{KernelDefinition, RingKernel};
use annulus_macros::{RingMessage, ring_kernel};
use annulus_runtime::prelude::{Failure, Outbox, Reply};

use super::{
    Total,
    through::{Query, REFUSED},
};

/// The kernels here.
pub const REPLIED: &[&KernelDefinition] = &[cached::DEFINITION, priced::DEFINITION, kept::DEFINITION];

/// What happens to a query at one of the kernels that it passes.
pub mod act {
    /// The handler replies.
    pub const HIT: u32 = 1;
    /// It tells of the query twice, and replies then.
    pub const TOLD_AND_HIT: u32 = 2;
    /// It sends the query on, replies, and sends it on once more.
    pub const BOTH: u32 = 3;
    /// It tells of the query, and does nothing else.
    pub const TOLD: u32 = 4;
    /// Nothing is sent.
    pub const DROP: u32 = 5;
    /// The handler replies, and fails.
    pub const FAIL: u32 = 6;
}

/// An answer.
#[derive(RingMessage, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Answer {
    pub caller: u32,
    pub number: u32,
    /// How many kernels the query has passed.
    pub hops: u32,
}

/// Replies to some queries, tells of some, and sends on what it does not reply to.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16, max_outputs(miss = 2, told = 2))]
pub fn cached(
    query: &Query,
    taken: &mut Total,
    miss: &Outbox<Query>,
    told: &Outbox<Query>,
    reply: &Reply<Answer>,
) -> Result<(), Failure> {
    taken.sum += 1;
    let hops = query.hops + 1;
    let answer = Answer { caller: query.caller, number: query.number, hops };
    let next = Query { hops, ..*query };
    let act = if query.hops == query.after { query.act } else { 0 };
    if act == act::TOLD || act == act::TOLD_AND_HIT {
        told.send(Query { act: 0, ..*query });
    }
    if act == act::TOLD_AND_HIT {
        told.send(Query { act: 0, ..*query });
    }
    if act == 0 || act == act::BOTH {
        miss.send(next);
    }
    if act == act::HIT || act == act::TOLD_AND_HIT || act == act::BOTH || act == act::FAIL {
        reply.send(answer);
    }
    if act == act::BOTH {
        miss.send(next);
    }
    if act == act::FAIL {
        return Err(Failure::of(REFUSED));
    }
    Ok(())
}

/// Answers by its only outbox.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16)]
pub fn priced(query: &Query, taken: &mut Total, out: &Outbox<Answer>) {
    taken.sum += 1;
    if query.hops != query.after || query.act != act::DROP {
        out.send(Answer { caller: query.caller, number: query.number, hops: query.hops + 1 });
    }
}

/// Takes answers.
#[ring_kernel]
pub fn kept(answer: &Answer, kept: &mut Total) {
    kept.sum += answer.number as u64;
}
