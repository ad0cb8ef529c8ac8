//! A kernel that stays on a device, and may once go on in epochs instead, without missing a call.
//!
//! The *pump* is the one thread that launches a kernel. *Callers* make work, then [call](Stay::call). What
//! they have to do depends on where the kernel is:
//!
//! * *staying* (`stays`): its blocks run on the device until they end, look for work by themselves, and nap
//!   when they find none. A block says so in its word `asleep`, and a caller ends its nap.
//! * *in epochs*: the kernel runs in launches that end. Between them it sleeps ([`WakeFlag`]); the caller
//!   that wakes it says that it is *due*, and rings the pump, which launches the next epoch.
//!
//! A kernel goes from staying to epochs at most once ([`Stay::go_into_epochs`]), and never back. The pump
//! decides it, asks the blocks to leave, and waits until each has said that it `ended` and the launch is
//! over. So nothing of the kernel runs at the moment of the switch, and what the blocks have done is seen by
//! the pump (acquire).
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
//! * The pump's: the caller sees after his fence that the kernel stays no more, and wakes it. By then it
//!   sleeps, and the caller claims it, or it has been claimed since, and who claimed it looks after that.
//!
//! A caller who already sees at his first look that the kernel is in epochs wakes it as ever. He may be the
//! one who claims it before the pump has; then it is he who makes it due.
//!
//! A block that leaves while a caller ends its nap, or does not, is the same case: if the caller saw that the
//! kernel stays after his fence, that came before the pump's, and the work is found in an epoch.

use crate::{AtomicBool, Ordering, fence, wake_flag::WakeFlag};

/// Whether a kernel stays, and what to do about it if not; see the module.
#[derive(Debug)]
pub struct Stay {
    stays: AtomicBool,
    flag: WakeFlag,
    due: AtomicBool,
}

impl Stay {
    /// A kernel that stays, or one in epochs, which sleeps until the first call.
    pub fn new(stays: bool) -> Self {
        Self { stays: AtomicBool::new(stays), flag: WakeFlag::new(), due: AtomicBool::new(false) }
    }

    /// Whether the kernel stays. Once it does not, it never does again.
    #[inline]
    pub fn stays(&self) -> bool {
        self.stays.load(Ordering::Relaxed)
    }

    /// After making work: whether the pump has to be rung, since the kernel is in epochs and this call has
    /// woken it. Of a kernel that stays, `disturb` ends the nap of whoever would do the work, if it naps: a
    /// fence stands between making the work and that.
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

    /// By the pump: a kernel that stayed, and of which nothing runs any more, is in epochs from now on, and
    /// due.
    pub fn go_into_epochs(&self) {
        // SYNC: stays. The fence is that of `park`.
        self.stays.store(false, Ordering::Relaxed);
        // Else a caller has, who makes it due.
        if self.flag.claim() {
            self.make_due();
        }
    }

    /// By the pump, or on behalf of it: the kernel in epochs is to be launched.
    pub fn make_due(&self) {
        // A swap, though a store would do: every write of the word is then a link of one chain of
        // read-modify-writes.
        // SYNC: due (release)
        self.due.swap(true, Ordering::AcqRel);
    }

    /// Whether the kernel waits to be launched.
    pub fn is_due(&self) -> bool {
        // SYNC: due (acquire)
        self.due.load(Ordering::Acquire)
    }

    /// By the pump: whether the kernel waits to be launched; if so it does not any more.
    pub fn take_due(&self) -> bool {
        // SYNC: due (acquire)
        self.due.swap(false, Ordering::AcqRel)
    }

    /// How the kernel sleeps between epochs.
    pub fn wake_flag(&self) -> &WakeFlag {
        &self.flag
    }
}
