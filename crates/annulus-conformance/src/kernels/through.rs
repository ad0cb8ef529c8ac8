//! Kernels that calls go through.

use annulus_kernel::{KernelDefinition, RingKernel};
use annulus_macros::{RingMessage, ring_kernel};
use annulus_runtime::prelude::{Failure, Outbox};

use super::Total;

/// The kernels here.
pub const THROUGH: &[&KernelDefinition] = &[relay::DEFINITION, sieve::DEFINITION];

/// What [`relay`](struct@relay) and [`sieve`](struct@sieve) fail with.
pub const REFUSED: u16 = 79;

/// What happens to a query at one of the kernels that it passes.
pub mod act {
    /// The handler fails after it has sent it on.
    pub const FAIL: u32 = 1;
    /// Nothing is sent.
    pub const DROP: u32 = 2;
    /// It is sent on, and then something that nobody asked for.
    pub const MORE: u32 = 3;
    /// Of two outboxes, it is sent by the second alone.
    pub const ASIDE: u32 = 4;
    /// By the second, and then on.
    pub const BOTH: u32 = 5;
}

/// A query, which kernels send on.
#[derive(RingMessage, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Query {
    #[ring(key)]
    pub actor: u32,
    /// Who asks; 0 for nobody.
    pub caller: u32,
    pub number: u32,
    /// How many kernels it has passed.
    pub hops: u32,
    /// After so many of them
    pub after: u32,
    /// this happens; see [`act`].
    pub act: u32,
    /// How many queries the actors have taken that it has passed: the sum.
    pub taken: u64,
}

/// Sends a query on.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16, max_outputs = 2)]
pub fn relay(query: &Query, taken: &mut Total, out: &Outbox<Query>) -> Result<(), Failure> {
    taken.sum += 1;
    let act = if query.hops == query.after { query.act } else { 0 };
    if act != act::DROP {
        out.send(Query { hops: query.hops + 1, taken: query.taken + taken.sum, ..*query });
    }
    if act == act::MORE {
        out.send(Query { caller: 0, hops: query.hops + 1, act: 0, ..*query });
    }
    if act == act::FAIL {
        return Err(Failure::of(REFUSED));
    }
    Ok(())
}

/// Sends a query on by its first outbox, and tells of some by its second.
#[ring_kernel(mode = Batch, max_messages_per_iteration = 16, max_outputs(good = 2, bad = 1))]
pub fn sieve(
    query: &Query,
    taken: &mut Total,
    good: &Outbox<Query>,
    bad: &Outbox<Query>,
) -> Result<(), Failure> {
    taken.sum += 1;
    let act = if query.hops == query.after { query.act } else { 0 };
    if act == act::ASIDE || act == act::BOTH {
        bad.send(*query);
    }
    if act != act::DROP && act != act::ASIDE {
        good.send(Query { hops: query.hops + 1, taken: query.taken + taken.sum, ..*query });
    }
    if act == act::MORE {
        good.send(Query { caller: 0, hops: query.hops + 1, act: 0, ..*query });
    }
    if act == act::FAIL {
        return Err(Failure::of(REFUSED));
    }
    Ok(())
}
