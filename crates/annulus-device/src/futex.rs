//! Linux's futex: sleeping on a word of memory. Kernels that run on this processor sleep on words too (a
//! prelude's naps).

use std::{ptr, time::Duration};

use annulus_sync::AtomicU32;

/// Sleeps while the word is `seen`, for at most `limit`. May return early.
pub(crate) fn wait(word: &AtomicU32, seen: u32, limit: Duration) {
    let time = libc::timespec {
        tv_sec: limit.as_secs() as libc::time_t,
        tv_nsec: libc::c_long::from(limit.subsec_nanos()),
    };
    let operation = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;
    // SAFETY: the word is a live, aligned 32-bit atomic and the time a valid structure, both for the duration
    // of the call.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), operation, seen, &raw const time) };
}

/// Wakes one thread that sleeps on the word.
pub(crate) fn wake_one(word: &AtomicU32) {
    let operation = libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG;
    // SAFETY: the word is a live, aligned 32-bit atomic.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), operation, 1, ptr::null::<libc::timespec>()) };
}
