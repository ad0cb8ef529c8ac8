//! What a block asks of whoever runs it.

use crate::clock::RuntimeClock;

/// The thread that runs a block, by what the block has to tell it. All of it concerns this thread alone.
pub trait Runner {
    /// As long as it lives, a message is being delivered to another kernel.
    type Delivering;

    /// Something that may take long is about to be called: a handler, or other code of the program.
    fn hand_over();

    /// A message is about to be delivered to another kernel. Of the program's code only a message's key is
    /// asked for meanwhile.
    fn delivering() -> Self::Delivering;

    /// The time, in nanoseconds since the runtime was built, by which latencies are counted.
    // TWIN: now
    #[inline]
    fn now(clock: &RuntimeClock) -> u64 {
        clock.now()
    }
}
