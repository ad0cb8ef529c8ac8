//! A kernel that stays on a device, and may change to epochs once, without missing a call.
//!
//! The *pump* is the one thread that launches a kernel. *Callers* make work, then [call](Stay::call). What a
//! call has to do depends on how the kernel runs:
//!
//! * *staying* (`stays`): its blocks run on the device until they end, look for work by themselves, and nap
//!   when they find none. A block that naps says so in its word `asleep`, and a caller ends the nap.
//! * *in epochs*: the kernel runs in launches that end. Between them it sleeps ([`WakeFlag`]); the caller
//!   that wakes it says that it is *due*, and rings the pump, which launches the next epoch.
//!
//! A kernel goes from staying to epochs at most once ([`Stay::go_into_epochs`]), and never back. The pump
//! decides it. It asks the blocks to leave, and waits until each block has stored `ended` and the launch is
//! over. So nothing of the kernel runs at the moment of the switch, and the pump sees what the blocks have
//! done (acquire).
//!
//! | word | meaning | written by |
//! |---|---|---|
//! | `stays` | the kernel is not in epochs | the pump, once, to false |
//! | `flag` | whether a kernel in epochs sleeps; asleep as long as it stays | callers and the pump |
//! | `due` | it was woken, and is not launched yet | who has woken it; the pump clears it |
//!
//! # No call is lost in the switch
//!
//! A caller makes work, sees that the kernel stays, fences, and looks at `stays` again (`SYNC: stays`). The
//! pump stores that it stays no more, claims the runner, runs epochs until it finds no work, and parks,
//! which fences, and then looks once more (`SYNC: wake-flag`). One of the two fences comes first.
//!
//! * The caller's: the pump's look after its own fence finds the work, if no epoch before has.
//! * The pump's: the caller sees after its fence that the kernel stays no more, and wakes it. If the kernel
//!   still sleeps, the caller claims it. If another thread has claimed it since, that thread looks for work
//!   after that.
//!
//! A caller that sees at its first look that the kernel is in epochs wakes it as usual. It may claim the
//! kernel before the pump does; then the caller makes it due.
//!
//! The same argument covers a block that leaves while a caller ends its nap, or sees no nap. If the caller
//! saw after its fence that the kernel stays, its fence came before the pump's, and an epoch finds the work.

use crate::{AtomicBool, Ordering, fence, wake_flag::WakeFlag};

/// Whether a kernel stays, and how to wake it if it does not; see the module.
#[derive(Debug)]
pub struct Stay {
    stays: AtomicBool,
    flag: WakeFlag,
    due: AtomicBool,
}

impl Stay {
    /// A kernel that stays, or one in epochs. A kernel in epochs sleeps until the first call.
    pub fn new(stays: bool) -> Self {
        Self { stays: AtomicBool::new(stays), flag: WakeFlag::new(), due: AtomicBool::new(false) }
    }

    /// Whether the kernel stays. Once it does not, it never does again.
    #[inline]
    pub fn stays(&self) -> bool {
        self.stays.load(Ordering::Relaxed)
    }

    /// Called after making work. Returns whether the caller has to ring the pump, because the kernel is in
    /// epochs and this call has woken it. If the kernel stays, calls `disturb`, which ends the nap of the
    /// block that would do the work, if it naps. A fence stands between making the work and `disturb`.
    #[inline]
    #[must_use = "the kernel sleeps on unless the pump is rung"]
    pub fn call(&self, disturb: impl FnOnce()) -> bool {
        if self.stays() {
            // SYNC: asleep, stays
            fence(Ordering::SeqCst);
            if self.stays() {
                disturb();
                return false;
            }
        }
        let woken = self.flag.wake();
        if woken {
            self.make_due();
        }
        woken
    }

    /// Called by the pump when nothing of a staying kernel runs any more. From now on the kernel is in
    /// epochs, and it is due.
    pub fn go_into_epochs(&self) {
        // SYNC: stays. The fence is that of `park`.
        self.stays.store(false, Ordering::Relaxed);
        // Otherwise a caller has claimed it, and makes it due.
        if self.flag.claim() {
            self.make_due();
        }
    }

    /// Called by the pump, or for it: the kernel in epochs is to be launched.
    pub fn make_due(&self) {
        // A swap, though a store would do: every write of the word is then a link of one chain of
        // read-modify-writes.
        // SYNC: due (release)
        self.due.swap(true, Ordering::AcqRel);
    }

    /// Whether the kernel waits for its launch.
    pub fn is_due(&self) -> bool {
        // SYNC: due (acquire)
        self.due.load(Ordering::Acquire)
    }

    /// Called by the pump: whether the kernel waits to be launched. Clears that state.
    pub fn take_due(&self) -> bool {
        // SYNC: due (acquire)
        self.due.swap(false, Ordering::AcqRel)
    }

    /// How the kernel sleeps between epochs.
    pub fn wake_flag(&self) -> &WakeFlag {
        &self.flag
    }
}
