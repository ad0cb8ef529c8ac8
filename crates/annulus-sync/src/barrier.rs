//! A full fence whose cost falls on the side that needs it rarely.
//!
//! Two threads that each store one word and then load the other's need a full fence between the two, or both
//! may miss the other's store. Often one side does it for every message and the other side only before it
//! sleeps. Linux can run a fence on *every* core that runs a thread of this process at this moment
//! (`membarrier`), for about a microsecond. So the frequent side only keeps the compiler from moving its load
//! before its store ([`light`]). The rare side asks for fences everywhere ([`heavy`]).
//!
//! **Why that suffices.** When `heavy` runs, each other thread is at some point of its program, and has a
//! full fence there. If that point is after its store, the fence makes the store visible to the caller of
//! `heavy`. If it is before its store, it is also before its later load, which then sees what was stored
//! before `heavy`. So a `light` and a `heavy` order each other as two SeqCst fences do. Two `light`s do not
//! order each other.
//!
//! Where `membarrier` is missing (other systems, old kernels, sandboxes) `light` has no effect, [`init`]
//! returns false, and the frequent side must fence. An `Event` stores this in a word that it reads anyway.
//! Loom's models run in this way.

/// Whether this process has light and heavy barriers. Decided once, at the first call.
#[must_use = "without, a light barrier is nothing"]
pub fn init() -> bool {
    imp::init()
}

/// The frequent side's barrier between its store and its load, if [`init`] returned true. Keeps the compiler
/// from reordering them.
#[inline(always)]
pub fn light() {
    #[cfg(not(loom))]
    // SYNC: none: whoever calls it has a name for both barriers.
    std::sync::atomic::compiler_fence(std::sync::atomic::Ordering::SeqCst);
}

/// The rare side's barrier, between its store and its load.
pub fn heavy() {
    imp::heavy();
}

#[cfg(all(target_os = "linux", not(any(loom, miri))))]
mod imp {
    use std::sync::OnceLock;

    use crate::{Ordering, fence};

    // From linux/membarrier.h.
    const PRIVATE_EXPEDITED: libc::c_int = 1 << 3;
    const REGISTER_PRIVATE_EXPEDITED: libc::c_int = 1 << 4;

    pub(super) fn init() -> bool {
        static DECIDED: OnceLock<bool> = OnceLock::new();
        *DECIDED.get_or_init(|| membarrier(REGISTER_PRIVATE_EXPEDITED) && membarrier(PRIVATE_EXPEDITED))
    }

    pub(super) fn heavy() {
        // SYNC: none: as `light`.
        fence(Ordering::SeqCst);
        if init() {
            // Without it a wake-up may be lost for ever, so the process cannot go on.
            assert!(
                membarrier(PRIVATE_EXPEDITED),
                "the system allowed membarrier at first and refuses it now: {}",
                std::io::Error::last_os_error()
            );
        }
    }

    /// Whether the system did it.
    fn membarrier(command: libc::c_int) -> bool {
        // SAFETY: membarrier(2) takes a command, flags and a core, and touches no memory of the caller.
        unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) == 0 }
    }
}

#[cfg(any(not(target_os = "linux"), loom, miri))]
mod imp {
    use crate::{Ordering, fence};

    pub(super) fn init() -> bool {
        false
    }

    pub(super) fn heavy() {
        // SYNC: none: as `light`.
        fence(Ordering::SeqCst);
    }
}
