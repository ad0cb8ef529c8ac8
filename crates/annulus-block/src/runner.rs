//! What a block needs from the thread that runs it.

use crate::clock::RuntimeClock;

/// The thread that runs a block: what the block has to tell it. All calls concern only this thread.
pub trait Runner {
    /// As long as this value lives, a message is being delivered to another kernel.
    type Delivering;

    /// Called before something that may take long: a handler, or other code of the program.
    fn hand_over();

    /// Called before a message is delivered to another kernel. The only code of the program that runs
    /// meanwhile is the one that returns a message's key.
    fn delivering() -> Self::Delivering;

    /// The time that latencies are counted with, in nanoseconds since the runtime was built.
    // TWIN: now
    #[inline]
    fn now(clock: &RuntimeClock) -> u64 {
        clock.now()
    }
}
