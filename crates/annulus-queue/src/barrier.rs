//! A full fence that is paid by the side that can afford it.
//!
//! Two threads that each store one word and then load the other's need a full fence between the two, or both may miss the
//! other's store. Often one side does it for every message and the other side only before it sleeps. Linux can run a fence on
//! *every* core that runs a thread of this process at this moment (`membarrier`), for about a microsecond. So the frequent side
//! only keeps the compiler from moving its load before its store ([`light`]), and the rare one asks for fences everywhere ([`heavy`]).
//!
//! **Why that suffices.** When `heavy` runs, each other thread is at some point of its program, and has a full fence there. If that
//! point is after its store, the fence makes the store visible to whoever called `heavy`; if it is before its store, then it is
//! also before its later load, which sees what was stored before `heavy`. So `light` and `heavy` are to each other what two
//! SeqCst fences are; two `light`s are nothing to each other.
//!
//! Where `membarrier` is missing (other systems, old kernels, sandboxes) both are SeqCst fences. Which it is, is decided once,
//! before the first queue of this process that needs it.

/// Decides, at the first call, which barriers this process uses. Whoever calls [`light`] or [`heavy`] has a happens-before
/// edge from a call of this.
pub(crate) fn init() {
    imp::init();
}

/// The frequent side's fence: between its store and its load.
#[inline(always)]
pub(crate) fn light() {
    imp::light();
}

/// The rare side's fence: between its store and its load.
pub(crate) fn heavy() {
    imp::heavy();
}

#[cfg(all(target_os = "linux", not(any(loom, miri))))]
mod imp {
    use std::sync::Once;

    use crate::sync::{AtomicBool, Ordering, fence};

    // From linux/membarrier.h.
    const PRIVATE_EXPEDITED: libc::c_int = 1 << 3;
    const REGISTER_PRIVATE_EXPEDITED: libc::c_int = 1 << 4;

    /// Written once, by `init`.
    static ASYMMETRIC: AtomicBool = AtomicBool::new(false);

    pub(super) fn init() {
        static DECIDED: Once = Once::new();
        DECIDED.call_once(|| {
            let asymmetric = membarrier(REGISTER_PRIVATE_EXPEDITED)
                && membarrier(PRIVATE_EXPEDITED);
            ASYMMETRIC.store(asymmetric, Ordering::Relaxed);
        });
    }

    #[inline(always)]
    pub(super) fn light() {
        if ASYMMETRIC.load(Ordering::Relaxed) {
            std::sync::atomic::compiler_fence(Ordering::SeqCst);
        } else {
            fence(Ordering::SeqCst);
        }
    }

    pub(super) fn heavy() {
        fence(Ordering::SeqCst);
        if ASYMMETRIC.load(Ordering::Relaxed) {
            // Without it a wake-up may be lost for ever, so there is no going on.
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
    use crate::sync::{Ordering, fence};

    pub(super) fn init() {}

    #[inline(always)]
    pub(super) fn light() {
        fence(Ordering::SeqCst);
    }

    pub(super) fn heavy() {
        fence(Ordering::SeqCst);
    }
}
